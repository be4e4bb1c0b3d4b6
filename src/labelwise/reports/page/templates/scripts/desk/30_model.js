// What is chosen on the page, and everything that follows from it.

const curves = readCurves(page);
const heldOutFolds = readFolds(page);
const points = page.points.map((point) => ({
  ...point,
  thresholds: unpack(point.thresholds),
  decided: unpack(point.decided),
  hits: unpack(point.hits),
}));

// Points of the certified line, with bounds that hold at all of them together; each is a rule.
const isBounded = ({ guarantee }) => guarantee.min_precision > 0 && guarantee.min_recall > 0;
const certified = (page.certified?.points ?? []).filter(isBounded).map((point) => ({
  ...point,
  note: `A point of the certified line, with at most ${point.mostPerRow} decisions a sample.`,
  hasThresholds: true,
  thresholds: unpack(point.thresholds),
  decided: unpack(point.decided),
  hits: unpack(point.hits),
  known: { guarantee: point.guarantee, most_per_row: point.mostPerRow },
}));

const DEFAULTS = {
  measure: "f",
  beta: 1,
  cost: 0, // power of ten of the cost of a false positive over that of a false negative
  minPrecision: "",
  minRecall: "",
  maxWork: "",
  at: page.start, // "best", "hand" (the stop of the handle) or the key of a marked point
  stop: 0,
  axis: "recall",
  accept: -1,
  review: -1,
  sort: "support",
  down: true,
  search: "",
  filter: "all",
  first: 0,
  label: -1,
  slice: 0,
  near: page.points.find((point) => point.key === page.start && point.hasThresholds)?.key ?? "exact",
};

const state = { ...DEFAULTS };
const pins = new Map(); // label to the place of its cut
let stops = buildFrontier(curves, pins);
let view = null;

function labelName(j) {
  return page.shown[j] ?? page.names[j];
}

function costs() {
  const ratioOf = 10 ** Math.abs(state.cost);
  return state.cost >= 0 ? [ratioOf, 1] : [1, ratioOf];
}

function costOf(tp, fp, fn) {
  const [ofPositive, ofNegative] = costs();
  return ofPositive * fp + ofNegative * fn;
}

// Measures that counts of all cells do not determine; each has a marked point of its own.
const AVERAGED = { "macro-f": "macro F", "sample-f": "sample F" };

function isAveraged() {
  return state.measure in AVERAGED;
}

function valueOf(counts) {
  if (isAveraged()) return NaN;
  if (state.measure === "cost") return -costOf(...counts);
  return MEASURES[state.measure].of(...counts, state.beta);
}

function perThousand(decided) {
  return (1000 * decided) / curves.nRows;
}

function limit(name) {
  const value = Number.parseFloat(state[name]);
  return Number.isFinite(value) && value > 0 ? value : null;
}

// Whether counts of some samples meet the constraints; a rate that is not defined meets none.
function meets([tp, fp, fn], nRows) {
  const [least, found, most] = [limit("minPrecision"), limit("minRecall"), limit("maxWork")];
  return (
    (least === null || precision(tp, fp) >= least) &&
    (found === null || recall(tp, fp, fn) >= found) &&
    (most === null || (1000 * (tp + fp)) / nRows <= most)
  );
}

// The best stop of a frontier on its samples, under the constraints or without them; -1 if none.
function bestStop(frontier, rows, isLimited) {
  const counts = (stop) => countsOf(rows, frontier.decided[stop], frontier.hits[stop]);
  return firstBest(
    frontier.n,
    (stop) => valueOf(counts(stop)),
    (stop) => !isLimited || meets(counts(stop), rows.nRows),
  );
}

// Counts that samples have if they are decided by other folds at the slope of a stop.
function heldOutAtStop(stop) {
  if (pins.size) return null;
  const slope = slopeOf(stops, stop);
  return heldOutTotals(heldOutFolds, (fold) => stopAtSlope(fold, slope));
}

// Counts to expect of the chosen point on new samples; null if they are not known. A best point is
// chosen again by the other folds of each sample, a point of the handle keeps its slope.
function heldOutCounts(point, stop, isMet) {
  if (pins.size) return null;
  if (point) return point.honest?.counts ?? null;
  const found =
    state.at === "hand"
      ? heldOutAtStop(stop)
      : heldOutTotals(heldOutFolds, (fold) => bestStop(fold, fold, isMet));
  return found && countsOf(curves, found.decided, found.hits);
}

function chosenPoint() {
  const key = state.at === "best" && isAveraged() ? state.measure : state.at;
  return [...points, ...certified].find((point) => point.key === key) ?? null;
}

// The mean F of the labels of the view.
function macroF(labels) {
  const each = Array.from(labels.decided, (decided, j) => {
    const hits = labels.hits[j];
    return fMeasure(hits, decided - hits, curves.support[j] - hits);
  });
  return sum(each) / each.length;
}

// Macro precision and macro recall of the view, over the labels with positives.
function macroRates(labels) {
  const present = Array.from(curves.support.keys()).filter((j) => curves.support[j] > 0);
  const mean = (of) => sum(present.map(of)) / present.length;
  return [
    mean((j) => (labels.decided[j] ? labels.hits[j] / labels.decided[j] : 0)),
    mean((j) => labels.hits[j] / curves.support[j]),
  ];
}

// Macro F and sample F, here and on new samples, NaN where they are not known. They are stored with
// the marked points: labels with as many decisions each have the same decisions, and a best point
// that is expected to have the counts of such a point is chosen like it on new samples.
function averagesOf(point, labels, unseen) {
  const same = [...points, ...certified].filter((one) =>
    labels.decided.every((decided, j) => decided === one.decided[j]),
  );
  const isExpected = (one) => unseen && String(one.honest?.counts) === String(unseen);
  const known = pins.size ? null : (point ?? same.find(isExpected));
  return {
    "macro-f": [macroF(labels), known?.expected?.["macro-f"] ?? NaN],
    "sample-f": [same[0]?.averages?.["sample-f"] ?? NaN, known?.expected?.["sample-f"] ?? NaN],
  };
}

// Thresholds, decisions and hits of each label at a stop of the frontier.
function labelsAt(stop) {
  const cuts = cutsAt(curves, stops, pins, stop);
  const take = (list, kind) => kind.from(cuts, (cut) => list[cut]);
  return {
    thresholds: take(curves.thresholds, Float64Array),
    decided: take(curves.decided, Int32Array),
    hits: take(curves.hits, Int32Array),
    cuts,
  };
}

// The same at a marked point, with pinned labels at their own cuts.
function labelsOf(point) {
  const found = {
    thresholds: point.thresholds.slice(),
    decided: point.decided.slice(),
    hits: point.hits.slice(),
    cuts: null,
  };
  for (const [j, cut] of pins) {
    found.thresholds[j] = curves.thresholds[cut];
    found.decided[j] = curves.decided[cut];
    found.hits[j] = curves.hits[cut];
  }
  return found;
}

function sum(list) {
  let total = 0;
  for (const one of list) total += one;
  return total;
}

// Computes the view from the state.
function compute() {
  const point = chosenPoint();
  let stop = -1;
  let isMet = true;
  if (point === null) {
    if (state.at === "hand") stop = Math.min(Math.max(0, state.stop), stops.n - 1);
    else {
      stop = bestStop(stops, curves, true);
      isMet = stop >= 0;
      if (!isMet) stop = bestStop(stops, curves, false);
    }
    state.stop = stop;
  }
  const labels = point === null ? labelsAt(stop) : labelsOf(point);
  const decided = sum(labels.decided);
  const hits = sum(labels.hits);
  const counts = countsOf(curves, decided, hits);
  const unseen = heldOutCounts(point, stop, isMet);
  const averages = averagesOf(point, labels, unseen);
  const value = isAveraged() ? averages[state.measure][0] : valueOf(counts);
  view = { point, stop, isMet, labels, decided, hits, counts, unseen, averages, value };
}

function pin(label, cut) {
  const slope = view.stop >= 0 ? stops.slopes[view.stop] : Infinity;
  if (cut === null) pins.delete(label);
  else pins.set(label, cut);
  const bands = ["accept", "review"].map((name) => stops.slopes[Math.min(state[name], stops.n - 1)]);
  stops = buildFrontier(curves, pins);
  if (state.at === "hand") state.stop = stopAtSlope(stops, slope);
  [state.accept, state.review] = bands.map((one) => stopAtSlope(stops, one));
}

// Entries for the address: what differs from the defaults.
function stateEntries() {
  const entries = Object.entries(state).filter(
    ([name, value]) => value !== DEFAULTS[name] && name !== "stop",
  );
  if (state.at === "hand") entries.push(["stop", state.stop]);
  if (pins.size)
    entries.push(["pins", [...pins].map(([j, cut]) => `${j}.${cut - curves.starts[j]}`).join("_")]);
  if (theme.value !== "auto") entries.push(["theme", theme.value]);
  return entries;
}

const CHOICES = {
  measure: () => [
    ...Object.keys(MEASURES),
    ...Object.keys(AVERAGED).filter((name) => points.some((point) => point.key === name)),
    "cost",
  ],
  at: () => ["best", "hand", ...[...points, ...certified].map((point) => point.key)],
  axis: () => ["recall", "work"],
  near: () => Object.keys(page.rows.nearest),
  sort: () => Object.keys(COLUMNS),
  filter: () => Object.keys(FILTERS),
};

// Takes a state from the address; anything that does not fit keeps its default.
function restore(entries) {
  Object.assign(state, DEFAULTS);
  for (const [name, standard] of Object.entries(DEFAULTS)) {
    const text = entries.get(name);
    if (text === null) continue;
    if (typeof standard === "number") {
      const value = Number(text);
      if (Number.isFinite(value))
        state[name] = name === "beta" || name === "cost" ? value : Math.trunc(value);
    } else if (typeof standard === "boolean") state[name] = text === "true";
    else if (!CHOICES[name] || CHOICES[name]().includes(text)) state[name] = text.slice(0, 200);
  }
  if (!(state.beta > 0)) state.beta = DEFAULTS.beta;
  state.cost = Math.max(-2, Math.min(2, state.cost));
  pins.clear();
  for (const one of (entries.get("pins") ?? "").split("_")) {
    const [label, place] = one.split(".").map(Number);
    const isLabel = Number.isInteger(label) && label >= 0 && label < curves.nLabels;
    if (one && isLabel && place >= 0 && curves.starts[label] + place < curves.starts[label + 1]) {
      pins.set(label, curves.starts[label] + Math.trunc(place));
    }
  }
  setTheme(entries.get("theme") ?? "auto");
  stops = buildFrontier(curves, pins);
}
