// Tables: sorted by a column, searched, in pages, saved as csv.

const LONG_TEXT = 24;
const MOST_PRINTED = 1000;
const BAR = 70;

function columnsOf(block) {
  return block.columns.map((column) => {
    if (column.show === "text" || column.show === "long") {
      const isWide = column.values.some((text) => text.length > LONG_TEXT);
      return { ...column, kind: isWide || column.show === "long" ? `wrap ${column.show}` : "text" };
    }
    const values = unpack(column.values);
    let most = 0;
    for (const value of values) if (Number.isFinite(value) && value > most) most = value;
    return { ...column, values, most };
  });
}

// Undefined values come last in both directions.
function compareCells(a, b, sense) {
  if (typeof a === "string") return sense * a.localeCompare(b, "en");
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
  return a === b ? 0 : sense * (a < b ? -1 : 1);
}

function textCell(column, row) {
  if (column.show !== "long") return isolated(shownText(column, row));
  const full = column.values[row];
  return html("details", {}, html("summary", {}, isolated(shownText(column, row))), html("pre", {}, full));
}

function numberCell(cell, column, row) {
  const value = column.values[row];
  setNumber(cell, value, FORMATS[column.show]);
  if (column.best && column.best[row]) {
    cell.classList.add("best");
    cell.append(html("span", { class: "hidden-visually" }, " (best)"));
  }
  if (column.beside) cell.append(html("small", {}, ` ${column.beside[row]}`));
  if (!column.bar) return;
  const width = Number.isFinite(value) && column.most > 0 ? Math.max(BAR * (value / column.most), value > 0 ? 1 : 0) : 0;
  const bar = svg(
    "svg",
    { width: BAR, height: 10, "aria-hidden": "true" },
    svg("rect", { class: "bar-back", width: BAR, height: 10, rx: 2 }),
    svg("rect", { class: "bar", width, height: 10, rx: 2 }),
  );
  cell.replaceChildren(html("span", { class: "bar-cell" }, cell.textContent, bar));
}

function rowElement(columns, row) {
  const element = html("tr", { "data-row": String(row) });
  columns.forEach((column, place) => {
    const isText = column.show === "text" || column.show === "long";
    const cell = place === 0 ? html("th", { scope: "row" }) : html("td", { class: isText ? column.kind : "num" });
    cell.dataset.column = column.key;
    if (isText) cell.append(textCell(column, row));
    else numberCell(cell, column, row);
    element.append(cell);
  });
  return element;
}

function csvOf(columns, order) {
  const shown = columns.filter((column) => column.values.length);
  return csvText([shown.map((column) => column.head), ...order.map((row) => shown.map((column) => column.values[row]))]);
}

class TableView {
  constructor(place, key, block) {
    this.key = key;
    this.block = block;
    this.columns = columnsOf(block);
    this.n = block.nRows;
    this.first = 0;
    this.isPrinting = false;
    this.body = html("tbody");
    this.buttons = new Map();
    const card = html("div", { class: "card" });
    card.append(this.tools(), html("div", { class: "scroll" }, html("table", { "data-table": key, class: this.isNarrow() ? "narrow" : "" }, this.head(), this.body)), this.pager());
    if (block.note) card.append(html("p", { class: "faint" }, block.note));
    place.append(card);
    this.show();
  }

  // Few short columns would be far from each other on a wide screen.
  isNarrow() {
    return this.columns.length < 6 && this.columns.every((column) => column.show !== "long");
  }

  tools() {
    const tools = html("div", { class: "tools" }, html("h3", {}, this.block.title));
    if (this.n > 10) {
      this.search = html("input", { type: "search", id: `${this.key}-search`, placeholder: "part of a name" });
      this.search.value = chosen(`${this.key}.search`, "");
      this.search.addEventListener("input", () => {
        choose(`${this.key}.search`, this.search.value);
        this.first = 0;
        this.show();
      });
      tools.append(html("label", { class: "field", for: `${this.key}-search` }, "Search", this.search));
    }
    const save = html("button", { type: "button", "data-save": this.key }, "Save as csv");
    save.addEventListener("click", () => download(`${this.key}.csv`, "text/csv", csvOf(this.columns, this.order)));
    tools.append(save);
    return tools;
  }

  head() {
    const row = html("tr");
    this.columns.forEach((column, place) => {
      const button = html("button", { type: "button", class: "plain", "data-sort": column.key, title: column.note || null }, column.head);
      button.addEventListener("click", () => this.sortBy(column.key, place));
      this.buttons.set(column.key, button);
      const isText = column.show === "text" || column.show === "long";
      row.append(html("th", { scope: "col", class: isText ? "" : "num", "aria-sort": "none" }, button));
    });
    return html("thead", {}, row);
  }

  sortBy(key, place) {
    const [now, down] = this.sorting();
    const isText = this.columns[place].show === "text";
    const turned = now === key ? !down : !isText;
    choose(`${this.key}.sort`, `${turned ? "-" : ""}${key}`);
    this.first = 0;
    this.show();
  }

  // The key of the column that is sorted by, and whether it falls.
  sorting() {
    const text = chosen(`${this.key}.sort`, this.block.sort ?? "");
    const key = text.replace(/^-/, "");
    return this.buttons.has(key) ? [key, text.startsWith("-")] : [null, false];
  }

  pager() {
    this.range = html("p", { class: "faint" });
    this.back = html("button", { type: "button" }, "Back");
    this.on = html("button", { type: "button" }, "Next");
    this.back.addEventListener("click", () => this.turn(-1));
    this.on.addEventListener("click", () => this.turn(1));
    this.paging = html("div", { class: "pager" }, this.range, this.back, this.on);
    return this.paging;
  }

  turn(by) {
    this.first += by * this.block.pageSize;
    this.show();
    announce(this.range.textContent);
  }

  find() {
    const words = this.search ? this.search.value.trim().toLowerCase() : "";
    const texts = this.columns.filter((column) => column.show === "text" || column.show === "long");
    this.order = [];
    for (let row = 0; row < this.n; row += 1) {
      if (!words || texts.some((column) => column.values[row].toLowerCase().includes(words))) this.order.push(row);
    }
    const [key, down] = this.sorting();
    if (key === null) return;
    const { values } = this.columns.find((column) => column.key === key);
    this.order.sort((a, b) => compareCells(values[a], values[b], down ? -1 : 1) || a - b);
  }

  show() {
    this.find();
    const n = this.order.length;
    const size = this.isPrinting ? MOST_PRINTED : this.block.pageSize;
    this.first = this.isPrinting || this.first >= n ? 0 : this.first;
    const shown = this.order.slice(this.first, this.first + size);
    this.body.replaceChildren(...shown.map((row) => rowElement(this.columns, row)));
    this.paging.hidden = this.n <= this.block.pageSize;
    this.range.textContent = n ? `${whole(this.first + 1)} to ${whole(this.first + shown.length)} of ${whole(n)}` : "Nothing matches.";
    this.back.disabled = this.first === 0;
    this.on.disabled = this.first + shown.length >= n;
    const [key, down] = this.sorting();
    for (const [name, button] of this.buttons) {
      button.closest("th").setAttribute("aria-sort", name === key ? (down ? "descending" : "ascending") : "none");
    }
  }
}
