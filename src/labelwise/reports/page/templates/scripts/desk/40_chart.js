// The chart of the frontier, with marked points and the handle.

const chart = byId("chart");
let HEIGHT = 400;
const MARGIN = { top: 14, right: 40, bottom: 46, left: 52 };
const N_SIGNS = 8;
const CONTOURS = [0.2, 0.4, 0.6, 0.8];
// Points of the line of expected values.
const MOST_EXPECTED = 300;
let drawn = null;

// Precision without decisions is drawn as that of the next point.
function shownPrecision(decided, hits, next) {
  return decided > 0 ? hits / decided : next;
}

// Places of the frontier for drawing: recall, work and precision of each stop.
function curveOf(decided, hits) {
  const first = decided.length > 1 ? (hits[1] - hits[0]) / (decided[1] - decided[0]) : 1;
  return {
    recall: Array.from(hits, (tp) => (curves.nPositive ? tp / curves.nPositive : 0)),
    work: Array.from(decided, perThousand),
    precision: Array.from(decided, (d, k) => shownPrecision(d, hits[k], first)),
  };
}

// Ticks of a logarithmic axis: 1, 2, 5, 10, ... if there are few of them, else powers of ten.
function workTicks(low, high) {
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1) {
    ticks.push(10 ** power, 2 * 10 ** power, 5 * 10 ** power);
  }
  const inside = ticks.filter((tick) => tick >= low && tick <= high);
  return inside.length <= 8 ? inside : inside.filter((tick) => Number.isInteger(Math.log10(tick)));
}

// The range of the workload axis: all decisions of both frontiers and of the marked points.
function workRange() {
  const rival = page.versus ? page.versus.frontier.decided : [];
  const decided = [...stops.decided, ...rival, ...points.map((point) => sum(point.decided))];
  const some = decided.filter((one) => one > 0).map(perThousand);
  if (!some.length) return [0.5, 1];
  const low = some.reduce((a, b) => Math.min(a, b));
  return [low, some.reduce((a, b) => Math.max(a, b), 2 * low)];
}

// Scales of both axes for the chosen kind of horizontal axis.
function scalesFor(width) {
  const [left, right] = [MARGIN.left, width - MARGIN.right];
  const y = linear(0, 1, HEIGHT - MARGIN.bottom, MARGIN.top);
  if (state.axis === "recall") {
    const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1];
    return { x: linear(0, 1, left, right), y, ticks, show: (tick) => tick.toFixed(1) };
  }
  const [low, high] = workRange();
  const log = linear(Math.log(low), Math.log(high), left, right);
  const x = (value) => (value > low ? log(Math.log(value)) : left);
  return { x, y, ticks: workTicks(low, high), show: (tick) => number(tick) };
}

function drawAxes(target, scales, width) {
  const bottom = HEIGHT - MARGIN.bottom;
  for (const tick of [0, 0.2, 0.4, 0.6, 0.8, 1]) {
    const y = scales.y(tick);
    target.append(
      svg("line", { class: "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: y, y2: y }),
      svg("text", { class: "tick", x: MARGIN.left - 8, y: y + 4, "text-anchor": "end" }, tick.toFixed(1)),
    );
  }
  for (const tick of scales.ticks) {
    const x = scales.x(tick);
    target.append(
      svg("line", { class: "grid", x1: x, x2: x, y1: MARGIN.top, y2: bottom }),
      svg("text", { class: "tick", x, y: bottom + 18, "text-anchor": "middle" }, scales.show(tick)),
    );
  }
  const under = state.axis === "recall" ? "recall (share of positives found)" : "decisions per 1,000 samples";
  const middle = (MARGIN.left + width - MARGIN.right) / 2;
  target.append(
    svg("text", { class: "axis", x: middle, y: HEIGHT - 8, "text-anchor": "middle" }, under),
    svg(
      "text",
      {
        class: "axis",
        transform: `translate(14 ${(MARGIN.top + bottom) / 2}) rotate(-90)`,
        "text-anchor": "middle",
      },
      "precision (share of decisions that are right)",
    ),
  );
}

// Lines of equal F; only recall and precision determine F.
function drawContours(target, scales) {
  if (state.axis !== "recall") return;
  const weight = state.beta * state.beta;
  const letter = state.beta === 1 ? "F" : `F${number(state.beta)}`;
  for (const value of CONTOURS) {
    const lowest = (weight * value) / (1 + weight - value);
    // From precision 1 at the lowest recall, closer together where the line is steep.
    const xs = Array.from({ length: 61 }, (_, i) => lowest + (1 - lowest) * (i / 60) ** 3);
    const ys = xs.map((r) => (value * r) / ((1 + weight) * r - weight * value));
    const last = ys[ys.length - 1];
    target.append(
      svg("path", { class: "contour", d: lineThrough(xs.map(scales.x), ys.map(scales.y)) }),
      svg("text", { class: "contour-name", x: scales.x(1) + 5, y: scales.y(last) + 4 }, `${letter} ${value}`),
    );
  }
}

function placeOf(scales, decided, hits) {
  const across = state.axis === "recall" ? hits / (curves.nPositive || 1) : perThousand(decided);
  return [scales.x(across), scales.y(shownPrecision(decided, hits, 1))];
}

// A sign for each marked point; shapes differ, not only colours.
function sign(index, x, y) {
  const size = 6;
  const shapes = [
    `M${-size} ${-size}H${size}V${size}H${-size}Z`,
    `M0 ${-size * 1.3}L${size * 1.3} 0L0 ${size * 1.3}L${-size * 1.3} 0Z`,
    `M0 ${-size * 1.2}L${size * 1.2} ${size}H${-size * 1.2}Z`,
    `M${-size * 1.2} ${-size}H${size * 1.2}L0 ${size * 1.2}Z`,
    `M${-size} 0A${size} ${size} 0 1 1 ${size} 0A${size} ${size} 0 1 1 ${-size} 0Z`,
    `M${-size * 1.3} ${-2}H${-2}V${-size * 1.3}H2V${-2}H${size * 1.3}V2H2V${size * 1.3}H${-2}V2H${-size * 1.3}Z`,
    `M${-size / 2} ${-size}H${size / 2}L${size * 1.2} 0L${size / 2} ${size}H${-size / 2}L${-size * 1.2} 0Z`,
    `M0 0L${size} ${-size}L${size} ${size}Z M0 0L${-size} ${-size}L${-size} ${size}Z`,
  ];
  return svg("path", {
    class: `sign sign-${index % N_SIGNS}`,
    d: shapes[index % N_SIGNS],
    transform: `translate(${x} ${y})`,
  });
}

function drawPoints(target, scales) {
  points.forEach((point, index) => {
    const [x, y] = placeOf(scales, sum(point.decided), sum(point.hits));
    if (point.isHeldOut) {
      const [tp, fp] = point.honest.counts;
      const [toX, toY] = placeOf(scales, tp + fp, tp);
      target.append(
        svg("line", { class: "optimism", x1: x, y1: y, x2: toX, y2: toY }),
        svg("circle", { class: `held-out sign-${index % N_SIGNS}`, cx: toX, cy: toY, r: 3.5 }),
      );
    }
    const mark = sign(index, x, y);
    mark.append(svg("title", {}, `${point.name}: ${point.note}`));
    target.append(mark);
  });
}

// The frontier as new samples are expected to show it, each stop decided by other folds.
function drawHeldOut(target, scales) {
  const [xs, ys] = [[], []];
  const step = Math.max(1, Math.floor(stops.n / MOST_EXPECTED));
  for (let stop = 1; stop < stops.n; stop += step) {
    const found = heldOutAtStop(stop);
    if (!found || !found.decided) continue;
    const [x, y] = placeOf(scales, found.decided, found.hits);
    xs.push(x);
    ys.push(y);
  }
  target.append(svg("path", { class: "frontier expected", d: lineThrough(xs, ys) }));
}

// The certified line: lower bounds of precision and recall on new samples.
function drawCertified(target, scales) {
  const across = ({ guarantee, decided }) =>
    state.axis === "recall" ? guarantee.min_recall : perThousand(sum(decided));
  const xs = certified.map((point) => scales.x(across(point)));
  const ys = certified.map(({ guarantee }) => scales.y(guarantee.min_precision));
  if (xs.length) target.append(svg("path", { class: "frontier certified", d: lineThrough(xs, ys) }));
}

function drawChart(width) {
  HEIGHT = Math.round(Math.min(560, Math.max(320, 0.86 * width)));
  const scales = scalesFor(width);
  const back = svg("g");
  drawAxes(back, scales, width);
  drawContours(back, scales);
  if (page.versus) {
    const rival = curveOf(page.versus.frontier.decided, page.versus.frontier.hits);
    back.append(
      svg("path", {
        class: "frontier rival",
        d: lineThrough(rival[state.axis].map(scales.x), rival.precision.map(scales.y)),
      }),
    );
  }
  const line = curveOf(stops.decided, stops.hits);
  const xs = line[state.axis].map(scales.x);
  const ys = line.precision.map(scales.y);
  drawHeldOut(back, scales);
  drawCertified(back, scales);
  back.append(svg("path", { class: "frontier", d: lineThrough(xs, ys) }));
  drawPoints(back, scales);
  const gap = svg("line", { class: "optimism" });
  const expected = svg("circle", { class: "held-out handle-held-out", r: 4.5 });
  const guides = svg("path", { class: "guides" });
  const handle = svg(
    "g",
    {
      class: "handle",
      id: "handle",
      role: "slider",
      tabindex: 0,
      "aria-label": "Point on the frontier",
      "aria-valuemin": 0,
    },
    svg("circle", { class: "halo", r: 18 }),
    svg("circle", { class: "knob", r: 9 }),
  );
  clear(chart).append(
    svg("svg", { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}` }, back, guides, gap, expected, handle),
  );
  drawn = { width, scales, xs, ys, guides, gap, expected, handle };
  handle.addEventListener("keydown", onHandleKey);
  placeHandle();
}

function placeHandle() {
  if (!drawn || !view) return;
  const [tp, fp, fn, tn] = view.counts;
  const [x, y] =
    view.stop >= 0
      ? [drawn.xs[view.stop], drawn.ys[view.stop]]
      : placeOf(drawn.scales, view.decided, view.hits);
  drawn.handle.setAttribute("transform", `translate(${x} ${y})`);
  drawn.guides.setAttribute("d", `M${MARGIN.left} ${y}H${x}V${HEIGHT - MARGIN.bottom}`);
  placeExpected(x, y);
  const words = `precision ${share(precision(tp, fp))}, recall ${share(recall(tp, fp, fn))}, F ${share(fMeasure(tp, fp, fn, tn, state.beta))}`;
  drawn.handle.setAttribute("aria-valuemax", stops.n - 1);
  drawn.handle.setAttribute("aria-valuenow", Math.max(view.stop, 0));
  drawn.handle.setAttribute("aria-valuetext", words);
}

// Where new samples are expected to be, beside the handle.
function placeExpected(fromX, fromY) {
  const { gap, expected, scales } = drawn;
  const isShown = view.unseen !== null && view.unseen[0] + view.unseen[1] > 0;
  for (const element of [gap, expected]) element.toggleAttribute("hidden", !isShown);
  if (!isShown) return;
  const [tp, fp] = view.unseen;
  const [x, y] = placeOf(scales, tp + fp, tp);
  for (const [name, value] of Object.entries({ x1: fromX, y1: fromY, x2: x, y2: y }))
    gap.setAttribute(name, value);
  expected.setAttribute("cx", x);
  expected.setAttribute("cy", y);
}

function moveTo(stop) {
  state.at = "hand";
  state.stop = Math.min(Math.max(0, stop), stops.n - 1);
  changed({ only: "point" });
}

// The stop after a key, from the current one; null for keys without a meaning.
function stopAfter(key, stop) {
  const jump = (by) => {
    const wanted = stops.hits[stop] + by * curves.nPositive;
    let next = stop;
    while (by > 0 ? next < stops.n - 1 && stops.hits[next] < wanted : next > 0 && stops.hits[next] > wanted)
      next += Math.sign(by);
    return next;
  };
  const moves = {
    ArrowRight: () => stop + 1,
    ArrowUp: () => stop + 1,
    ArrowLeft: () => stop - 1,
    ArrowDown: () => stop - 1,
    PageUp: () => jump(0.05),
    PageDown: () => jump(-0.05),
    Home: () => 0,
    End: () => stops.n - 1,
  };
  return key in moves ? Math.min(Math.max(0, moves[key]()), stops.n - 1) : null;
}

function nearestToView() {
  if (view.stop >= 0) return view.stop;
  let best = 0;
  for (let stop = 0; stop < stops.n; stop += 1) {
    if (Math.abs(stops.hits[stop] - view.hits) < Math.abs(stops.hits[best] - view.hits)) best = stop;
  }
  return best;
}

function onHandleKey(event) {
  const next = stopAfter(event.key, nearestToView());
  if (next === null || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  moveTo(next);
}

function nearestStop(event) {
  const box = chart.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  let best = 0;
  let least = Infinity;
  for (let stop = 0; stop < drawn.xs.length; stop += 1) {
    const distance = (drawn.xs[stop] - x) ** 2 + (drawn.ys[stop] - y) ** 2;
    if (distance < least) [best, least] = [stop, distance];
  }
  return best;
}

function startChart() {
  chart.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    chart.setPointerCapture(event.pointerId);
    event.preventDefault();
    drawn.handle.focus({ preventScroll: true });
    moveTo(nearestStop(event));
  });
  chart.addEventListener("pointermove", (event) => {
    if (chart.hasPointerCapture(event.pointerId)) moveTo(nearestStop(event));
  });
  onWidth(chart, drawChart);
}
