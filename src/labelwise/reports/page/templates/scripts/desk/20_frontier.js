// The micro frontier, merged from the hulls of the labels by slope.

const ROUNDING = 1e-12;

function readCurves(data) {
  const stored = data.cuts;
  const curves = {
    nLabels: data.names.length,
    nRows: data.nRows,
    support: unpack(data.support),
    known: unpack(data.known), // samples of each label that have truth
    starts: unpack(stored.starts),
    decided: unpack(stored.decided),
    hits: unpack(stored.hits),
    thresholds: unpack(stored.thresholds),
    isHull: unpack(stored.isHull),
    levels: unpack(stored.levels),
    slopes: unpack(stored.slopes),
  };
  curves.nPositive = curves.support.reduce((sum, one) => sum + one, 0);
  curves.nCells = curves.known.reduce((sum, one) => sum + one, 0);
  curves.edges = sortedEdges(curves);
  return curves;
}

// Edges of all hulls in the order of falling slope; edges of equal slope in the order of labels.
function sortedEdges(curves) {
  const { starts, decided, hits, isHull, levels, slopes } = curves;
  const labels = [];
  const from = [];
  const to = [];
  const steep = [];
  for (let j = 0; j < curves.nLabels; j += 1) {
    let last = starts[j];
    for (let cut = last + 1; cut < starts[j + 1]; cut += 1) {
      if (!isHull[cut]) continue;
      labels.push(j);
      from.push(last);
      to.push(cut);
      // In a summary, all edges up to the same stored point of the frontier count as one slope.
      steep.push(levels ? slopes[levels[cut]] : (hits[cut] - hits[last]) / (decided[cut] - decided[last]));
      last = cut;
    }
  }
  const order = Array.from(labels.keys()).sort((a, b) => steep[b] - steep[a] || a - b);
  const taken = (list, kind) => kind.from(order, (edge) => list[edge]);
  return {
    n: order.length,
    labels: taken(labels, Int32Array),
    from: taken(from, Int32Array),
    to: taken(to, Int32Array),
    slopes: taken(steep, Float64Array),
  };
}

// The vertices of the frontier of all labels that are not pinned; pinned ones only add up.
function buildFrontier(curves, pins) {
  const { edges, decided, hits } = curves;
  const stops = { decided: [0], hits: [0], edges: [0], slopes: [Infinity] };
  for (const cut of pins.values()) {
    stops.decided[0] += decided[cut];
    stops.hits[0] += hits[cut];
  }
  let [d, tp] = [stops.decided[0], stops.hits[0]];
  for (let e = 0; e < edges.n; e += 1) {
    if (!pins.has(edges.labels[e])) {
      d += decided[edges.to[e]] - decided[edges.from[e]];
      tp += hits[edges.to[e]] - hits[edges.from[e]];
    }
    const isEnd = e + 1 === edges.n || edges.slopes[e + 1] !== edges.slopes[e];
    if (isEnd && d !== stops.decided[stops.decided.length - 1]) {
      stops.decided.push(d);
      stops.hits.push(tp);
      stops.edges.push(e + 1);
      stops.slopes.push(edges.slopes[e]);
    }
  }
  stops.n = stops.decided.length;
  return stops;
}

// The cut of each label at a stop.
function cutsAt(curves, stops, pins, stop) {
  const cuts = Int32Array.from(curves.starts.subarray(0, curves.nLabels));
  for (let e = 0; e < stops.edges[stop]; e += 1) cuts[curves.edges.labels[e]] = curves.edges.to[e];
  for (const [label, cut] of pins) cuts[label] = cut;
  return cuts;
}

function countsOf(curves, decided, hits) {
  const { nPositive, nCells } = curves;
  return [hits, decided - hits, nPositive - hits, nCells - nPositive - decided + hits];
}

// The first stop with the highest value among those allowed; -1 if none is allowed.
// Values that differ only by rounding are equal.
function firstBest(n, valueOf, isAllowed) {
  let highest = -Infinity;
  let size = 0;
  let any = -1;
  const values = new Float64Array(n);
  for (let stop = 0; stop < n; stop += 1) {
    values[stop] = isAllowed(stop) ? valueOf(stop) : NaN;
    if (any < 0 && isAllowed(stop)) any = stop;
    if (Number.isNaN(values[stop])) continue;
    highest = Math.max(highest, values[stop]);
    size = Math.max(size, Math.abs(values[stop]));
  }
  const found = values.findIndex((value) => value >= highest - ROUNDING * size);
  return found < 0 ? any : found;
}

// The stop at which edges with at least this slope are taken.
function stopAtSlope(stops, slope) {
  let stop = 0;
  while (stop + 1 < stops.n && stops.slopes[stop + 1] >= slope) stop += 1;
  return stop;
}

// The frontiers without each fold, with the decisions and hits of their thresholds in that fold.
function readFolds(data) {
  return data.heldOut.map((fold) => ({
    ...fold,
    slopes: unpack(fold.slopes),
    decided: unpack(fold.decided),
    hits: unpack(fold.hits),
    outDecided: unpack(fold.outDecided),
    outHits: unpack(fold.outHits),
    n: unpack(fold.hits).length,
    nCells: fold.nRows * data.names.length,
  }));
}

// The slope at which a stop is the best point: the middle of those of the edges on both sides.
function slopeOf(stops, stop) {
  return (stops.slopes[stop] + (stop + 1 < stops.n ? stops.slopes[stop + 1] : 0)) / 2;
}

// Decisions and hits of all samples, each decided by the frontier of the other folds at a stop that
// `choose` takes from it; null if there are no folds, or if one has no such stop (-1).
function heldOutTotals(folds, choose) {
  let [decided, hits] = [0, 0];
  for (const fold of folds) {
    const stop = choose(fold);
    if (stop < 0) return null;
    decided += fold.outDecided[stop];
    hits += fold.outHits[stop];
  }
  return folds.length ? { decided, hits } : null;
}
