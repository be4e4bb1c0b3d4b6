// The table of labels: sorted, searched, in pages.

const PAGE_SIZE = 25;
const FEW = 10;
const folds = page.folds && { n: page.folds.n, low: unpack(page.folds.low), high: unpack(page.folds.high) };
const bins = {
  ...page.bins,
  low: unpack(page.bins.low),
  high: unpack(page.bins.high),
  count: unpack(page.bins.count),
  positive: unpack(page.bins.positive),
  mean: unpack(page.bins.mean),
};
const body = byId("labels-body");
let order = [];
let isSought = false; // whether to turn to the page of the chosen label

function labelCounts(j) {
  const [d, tp] = [view.labels.decided[j], view.labels.hits[j]];
  return [tp, d - tp, curves.support[j] - tp, curves.known[j] - d - curves.support[j] + tp];
}

// Expected calibration error over the bins of a label; NaN for scores that are not probabilities.
function calibrationError(j) {
  if (!bins.areProbabilities) return NaN;
  let [error, total] = [0, 0];
  for (let b = j * bins.n; b < (j + 1) * bins.n; b += 1) {
    total += bins.count[b];
    if (bins.count[b]) error += Math.abs(bins.positive[b] - bins.count[b] * bins.mean[b]);
  }
  return total ? error / total : NaN;
}

const calibration = Float64Array.from({ length: curves.nLabels }, (_, j) => calibrationError(j));

function isUnstable(j) {
  if (!folds || curves.support[j] === 0) return false;
  const [low, high] = [folds.low[j], folds.high[j]];
  if (!Number.isFinite(high - low)) return low !== high;
  return high - low > 0.25 * (bins.high[j] - bins.low[j]);
}

// The slope of the first edge of a label: the share of hits in its best range of scores.
function bestShare(j) {
  for (let cut = curves.starts[j] + 1; cut < curves.starts[j + 1]; cut += 1) {
    if (curves.isHull[cut]) return curves.hits[cut] / curves.decided[cut];
  }
  return 0;
}

// Why a label is decided for no sample, in a sentence; empty if it is decided.
function whyNever(j) {
  if (view.labels.decided[j] > 0) return "";
  if (curves.support[j] === 0) return "has no positives in these samples";
  if (pins.has(j)) return "pinned above every score";
  if (view.point) return "threshold above every score";
  const next = view.stop + 1 < stops.n ? stops.slopes[view.stop + 1] : 0;
  const best = bestShare(j);
  if (best === 0) return "no positive has a score";
  return `its best scores are right in ${share(best)} of cases, this point asks for more than ${share(next)}`;
}

function notesOf(j) {
  const notes = [];
  if (pins.has(j)) notes.push(["pinned", "accent"]);
  if (curves.support[j] === 0) notes.push(["no positives", "warn"]);
  else if (curves.support[j] < FEW) notes.push(["few positives", "warn"]);
  if (view.labels.decided[j] === 0 && curves.support[j] > 0) notes.push(["never decided", "warn"]);
  if (isUnstable(j)) notes.push(["unstable", "warn"]);
  if (calibration[j] > 0.1) notes.push(["miscalibrated", "warn"]);
  return notes;
}

function intervalOf(j) {
  const [tp, fp, fn] = labelCounts(j);
  return tp + fp + fn === 0 ? [NaN, NaN] : fInterval(...[tp, fp, fn].map((one) => page.effective * one), state.beta);
}

function labelF(j) {
  const counts = labelCounts(j);
  return counts[0] + counts[1] + counts[2] === 0 ? NaN : fMeasure(...counts, state.beta);
}

// Columns: how to sort, and what to write; `number` columns go into the csv file as they are.
const COLUMNS = {
  label: { head: "label", value: (j) => labelName(j).toLowerCase() },
  support: { head: "support", value: (j) => curves.support[j], show: whole },
  threshold: { head: "threshold", value: (j) => view.labels.thresholds[j], show: threshold },
  decided: { head: "decided", value: (j) => view.labels.decided[j], show: whole },
  precision: { head: "precision", value: (j) => precision(...labelCounts(j)), show: share },
  recall: { head: "recall", value: (j) => recall(...labelCounts(j)), show: share },
  f: { head: "F", value: labelF, show: share },
  interval: {
    head: "95 % interval",
    value: (j) => intervalOf(j)[0],
    text: (j) => rangeText(...intervalOf(j), share),
  },
  folds: {
    head: "threshold over folds",
    value: (j) => (folds ? folds.high[j] - folds.low[j] : NaN),
    text: (j) => (folds ? rangeText(folds.low[j], folds.high[j], threshold) : NONE),
  },
  calibration: { head: "calibration error", value: (j) => calibration[j], show: share },
};

const FILTERS = {
  all: () => true,
  decided: (j) => view.labels.decided[j] > 0,
  never: (j) => view.labels.decided[j] === 0,
  few: (j) => curves.support[j] < FEW,
  unstable: isUnstable,
  pinned: (j) => pins.has(j),
};

function findLabels() {
  const words = state.search.trim().toLowerCase();
  const filter = FILTERS[state.filter];
  order = [];
  for (let j = 0; j < curves.nLabels; j += 1) {
    if (filter(j) && (!words || page.names[j].toLowerCase().includes(words))) order.push(j);
  }
  const { value } = COLUMNS[state.sort];
  const keys = new Map(order.map((j) => [j, value(j)]));
  const sense = state.down ? -1 : 1;
  order.sort((a, b) => compareKeys(keys.get(a), keys.get(b), sense) || a - b);
  state.first = Math.max(0, Math.min(state.first, PAGE_SIZE * Math.floor((order.length - 1) / PAGE_SIZE)));
}

// Undefined values come last in both directions.
function compareKeys(a, b, sense) {
  if (typeof a === "string") return sense * a.localeCompare(b, "en");
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
  return a === b ? 0 : sense * (a < b ? -1 : 1);
}

function newRow() {
  const open = html("button", { type: "button", class: "plain name", "aria-expanded": "false" }, html("bdi"));
  const row = html("tr", {}, html("th", { scope: "row" }, open));
  for (const name of Object.keys(COLUMNS)) {
    if (name !== "label") row.append(html("td", { class: "num", "data-name": name }));
  }
  row.append(html("td", { class: "notes", "data-name": "notes" }));
  open.addEventListener("click", () => {
    const j = Number(row.dataset.label);
    state.label = state.label === j ? -1 : j;
    changed({ only: "labels" });
  });
  return row;
}

const rows = Array.from({ length: Math.min(PAGE_SIZE, curves.nLabels) }, newRow);

function fillRow(row, j) {
  row.dataset.label = j;
  const open = row.querySelector("button");
  open.firstChild.textContent = labelName(j) || "(no name)";
  open.setAttribute("aria-expanded", String(state.label === j));
  for (const cell of row.cells) {
    const name = cell.dataset.name;
    if (name === "notes") {
      const why = whyNever(j);
      clear(cell).append(
        ...notesOf(j).map(([text, kind]) => html("span", { class: `tag ${kind}` }, text)),
        ...(why && curves.support[j] ? [html("span", { class: "why" }, why)] : []),
      );
    } else if (name && COLUMNS[name].text) cell.textContent = COLUMNS[name].text(j);
    else if (name) setNumber(cell, COLUMNS[name].value(j), COLUMNS[name].show);
  }
}

function showLabels() {
  findLabels();
  if (isSought) {
    isSought = false;
    const place = order.indexOf(state.label);
    if (place >= 0) state.first = PAGE_SIZE * Math.floor(place / PAGE_SIZE);
  }
  const shown = order.slice(state.first, state.first + PAGE_SIZE);
  shown.forEach((j, i) => fillRow(rows[i], j));
  const wanted = [];
  shown.forEach((j, i) => {
    wanted.push(rows[i]);
    if (j === state.label) wanted.push(panel);
  });
  const isSame = wanted.length === body.children.length && wanted.every((row, i) => body.children[i] === row);
  if (!isSame) body.replaceChildren(...wanted);
  if (wanted.includes(panel)) showPanel(state.label);
  showLabelWords(shown.length);
  for (const button of document.querySelectorAll("[data-sort]")) {
    const isSorted = button.dataset.sort === state.sort;
    button
      .closest("th")
      .setAttribute("aria-sort", isSorted ? (state.down ? "descending" : "ascending") : "none");
  }
}

function showLabelWords(nShown) {
  const last = state.first + nShown;
  byId("labels-range").textContent = order.length
    ? `${whole(state.first + 1)} to ${whole(last)} of ${plural(order.length, "label", "labels")}`
    : "No label matches.";
  byId("labels-back").disabled = state.first === 0;
  byId("labels-on").disabled = last >= order.length;
  let [never, empty] = [0, 0];
  for (let j = 0; j < curves.nLabels; j += 1) {
    if (view.labels.decided[j] === 0) {
      never += 1;
      empty += curves.support[j] === 0;
    }
  }
  const why = empty ? `; ${whole(empty)} of them ${empty === 1 ? "has" : "have"} no positives` : "";
  byId("labels-never").textContent = never
    ? `${plural(never, "label is", "labels are")} decided for no sample at this point${why}. The notes say why.`
    : "Every label is decided for at least one sample.";
}

function startLabels() {
  const notes = byId("labels-notes");
  for (const [name, column] of Object.entries(COLUMNS)) {
    const button = html("button", { type: "button", class: "plain", "data-sort": name }, column.head);
    button.addEventListener("click", () => {
      state.down = state.sort === name ? !state.down : name !== "label";
      state.sort = name;
      state.first = 0;
      changed({ only: "labels" });
    });
    notes.before(
      html("th", { scope: "col", class: name === "label" ? "" : "num", "aria-sort": "none" }, button),
    );
  }
  byId("search").addEventListener("input", ({ target }) => {
    Object.assign(state, { search: target.value, first: 0 });
    changed({ only: "labels" });
  });
  byId("filter").addEventListener("change", ({ target }) => {
    Object.assign(state, { filter: target.value, first: 0 });
    changed({ only: "labels" });
  });
  const turn = (by) => () => {
    state.first += by * PAGE_SIZE;
    changed({ only: "labels" });
  };
  byId("labels-back").addEventListener("click", turn(-1));
  byId("labels-on").addEventListener("click", turn(1));
}
