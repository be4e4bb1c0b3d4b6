// Everything together: each block of the page is drawn into its place.

const DRAWN = { curve: drawCurve, points: drawPoints, columns: drawColumns, strips: drawStrips, ranks: drawRanks, heat: drawHeat };
let tables = [];

function showChart(place, block, inCard = true) {
  const chart = html("div", { class: "chart" });
  const parts = [html("h3", {}, block.title), chart];
  if (block.note) parts.push(html("p", { class: "faint" }, block.note));
  place.append(inCard ? html("div", { class: "card" }, ...parts) : html("div", {}, ...parts));
  onWidth(chart, (width) => clear(chart).append(DRAWN[block.kind](width, block)));
}

function showWords(place, block) {
  place.append(html("div", { class: "words" }, ...block.texts.map((text) => html("p", {}, text))));
}

function showCharts(place, block) {
  const inside = html("div", { class: "card charts" });
  for (const one of block.charts) showChart(inside, one, false);
  place.append(inside);
}

// One of several views, by a field; the views have their own blocks.
function showChoice(place, key, block) {
  const field = html("select", { id: `${key}-choice` }, ...block.options.map((option) => html("option", { value: option.name }, option.name)));
  const inside = html("div", { "data-block": "" });
  const names = block.options.map((option) => option.name);
  const draw = () => {
    const found = Math.max(0, names.indexOf(chosen(key, names[0])));
    field.value = names[found];
    tables = tables.filter((table) => !inside.contains(table.body));
    clear(inside);
    block.options[found].blocks.forEach((one, number) => showBlock(inside, `${key}-${number}`, one));
  };
  field.addEventListener("change", () => {
    choose(key, field.value);
    draw();
  });
  if (names.length > 1) place.append(html("label", { class: "field compact", for: `${key}-choice` }, block.label, field));
  place.append(inside);
  draw();
}

function showBlock(place, key, block) {
  if (block.kind === "table") tables.push(new TableView(place, key, block));
  else if (block.kind === "choice") showChoice(place, key, block);
  else if (block.kind === "words") showWords(place, block);
  else if (block.kind === "charts") showCharts(place, block);
  else showChart(place, block);
}

function showAll() {
  setTheme(chosen("theme", "auto"));
  tables = [];
  for (const place of document.querySelectorAll("[data-block]")) {
    if (place.dataset.block) showBlock(clear(place), place.dataset.block, page.blocks[place.dataset.block]);
  }
}

for (const place of document.querySelectorAll("[data-number]")) {
  const found = page.numbers[place.dataset.number];
  if (found.show === "text") place.textContent = found.value;
  else setNumber(place, unpack(found.value)[0], FORMATS[found.show]);
}
theme.addEventListener("change", () => {
  setTheme(theme.value);
  choose("theme", theme.value === "auto" ? "" : theme.value);
});
onAddress((entries) => {
  state.clear();
  for (const [key, value] of entries) state.set(key, value);
  showAll();
});
for (const [event, isPrinting] of [["beforeprint", true], ["afterprint", false]]) {
  window.addEventListener(event, () => {
    for (const table of tables) {
      table.isPrinting = isPrinting;
      table.show();
    }
  });
}
followSections();
showAll();
document.documentElement.dataset.ready = "true";
