// Three bands: decisions that are accepted, looked at by a person, or rejected.

const bandChart = byId("band-chart");
const BAND_HEIGHT = 190;
const BAND_MARGIN = { top: 12, right: 16, bottom: 42, left: 52 };
let bandDrawn = null;

// Default bands: precision of 0.9 above; below, a decision is right in fewer than one of five.
function defaultBands() {
  const isSure = (stop) => stops.decided[stop] > 0 && stops.hits[stop] / stops.decided[stop] >= 0.9;
  let accept = stops.n - 1;
  while (accept > 0 && !isSure(accept)) accept -= 1;
  state.accept = accept;
  state.review = Math.max(accept, stopAtSlope(stops, 0.2));
}

// What follows from the decisions and hits at both limits.
function bandNumbers(accept, review) {
  const [d0, h0, d1, h1] = [accept.decided, accept.hits, review.decided, review.hits];
  return {
    accepted: perThousand(d0),
    precisionAbove: ratio(h0, d0, NaN),
    foundAbove: ratio(h0, curves.nPositive, NaN),
    queue: perThousand(d1 - d0),
    precisionInside: ratio(h1 - h0, d1 - d0, NaN),
    foundInside: ratio(h1 - h0, curves.nPositive, NaN),
    recallBelow: ratio(h1, curves.nPositive, NaN),
    missed: ratio(curves.nPositive - h1, curves.nPositive, NaN),
  };
}

function bandNumbersHere() {
  const at = (stop) => ({ decided: stops.decided[stop], hits: stops.hits[stop] });
  return bandNumbers(at(state.accept), at(state.review));
}

// The same on samples that are decided by other folds, at the slopes of both limits.
function bandNumbersUnseen() {
  const unknown = { decided: NaN, hits: NaN };
  return bandNumbers(heldOutAtStop(state.accept) ?? unknown, heldOutAtStop(state.review) ?? unknown);
}

function drawBands(width) {
  const x = linear(0, 1, BAND_MARGIN.left, width - BAND_MARGIN.right);
  const bottom = BAND_HEIGHT - BAND_MARGIN.bottom;
  const y = linear(0, 1, bottom, BAND_MARGIN.top);
  const back = svg("g");
  for (const tick of [0, 0.5, 1]) {
    back.append(
      svg("line", { class: "grid", x1: x(0), x2: x(1), y1: y(tick), y2: y(tick) }),
      svg("text", { class: "tick", x: x(0) - 8, y: y(tick) + 4, "text-anchor": "end" }, tick.toFixed(1)),
    );
  }
  for (const tick of [0, 0.2, 0.4, 0.6, 0.8, 1]) {
    back.append(
      svg("text", { class: "tick", x: x(tick), y: bottom + 16, "text-anchor": "middle" }, tick.toFixed(1)),
    );
  }
  back.append(
    svg(
      "text",
      { class: "axis", x: (x(0) + x(1)) / 2, y: BAND_HEIGHT - 6, "text-anchor": "middle" },
      "share of positives found",
    ),
    svg(
      "text",
      { class: "axis", transform: `translate(14 ${(y(0) + y(1)) / 2}) rotate(-90)`, "text-anchor": "middle" },
      "chance it is right",
    ),
  );
  const areas = ["accept", "review", "reject"].map((name) => svg("path", { class: `band band-${name}` }));
  const handles = ["accept", "review"].map((name) =>
    svg(
      "g",
      {
        class: `handle band-handle`,
        id: `handle-${name}`,
        role: "slider",
        tabindex: 0,
        "aria-valuemin": 0,
        "aria-label":
          name === "accept" ? "Limit between accept and review" : "Limit between review and reject",
      },
      svg("line", { y1: y(1), y2: y(0) }),
      svg("circle", { class: "halo", cy: y(0.5), r: 16 }),
      svg("circle", { class: "knob", cy: y(0.5), r: 8 }),
    ),
  );
  clear(bandChart).append(
    svg(
      "svg",
      { width, height: BAND_HEIGHT, viewBox: `0 0 ${width} ${BAND_HEIGHT}` },
      ...areas,
      back,
      ...handles,
    ),
  );
  bandDrawn = { x, y, areas, handles };
  handles.forEach((handle, index) => handle.addEventListener("keydown", (event) => onBandKey(event, index)));
  placeBands();
}

// The area under the slopes of the frontier between two stops, as steps.
function stepArea(from, to) {
  const { x, y } = bandDrawn;
  const at = (stop) => x(stops.hits[stop] / (curves.nPositive || 1));
  let path = `M${at(from)} ${y(0)}`;
  for (let stop = from + 1; stop <= to; stop += 1)
    path += `V${y(stops.slopes[stop]).toFixed(1)}H${at(stop).toFixed(1)}`;
  return `${path}V${y(0)}Z`;
}

function placeBands() {
  if (!bandDrawn) return;
  const { accept, review } = state;
  const limits = [0, accept, review, stops.n - 1];
  bandDrawn.areas.forEach((area, index) =>
    area.setAttribute("d", stepArea(limits[index], limits[index + 1])),
  );
  [accept, review].forEach((stop, index) => {
    const handle = bandDrawn.handles[index];
    const found = stops.hits[stop] / (curves.nPositive || 1);
    handle.setAttribute("transform", `translate(${bandDrawn.x(found)} 0)`);
    handle.setAttribute("aria-valuemax", stops.n - 1);
    handle.setAttribute("aria-valuenow", stop);
    const certain = ratio(stops.hits[stop], stops.decided[stop], NaN);
    handle.setAttribute("aria-valuetext", `precision ${share(certain)}, recall ${share(found)}`);
  });
}

function showBands() {
  if (state.accept < 0 || state.review < 0) defaultBands();
  state.accept = Math.min(state.accept, stops.n - 1);
  state.review = Math.min(Math.max(state.review, state.accept), stops.n - 1);
  const isWork = (name) => name === "accepted" || name === "queue";
  for (const [name, value] of Object.entries(bandNumbersHere())) {
    setNumber(byId(`band-${name}`), value, isWork(name) ? number : share);
  }
  const unseen = bandNumbersUnseen();
  for (const name of ["precisionAbove", "queue", "precisionInside", "recallBelow"]) {
    setNumber(byId(`band-u-${name}`), unseen[name], isWork(name) ? number : share);
  }
  placeBands();
}

function moveBand(index, stop) {
  const last = stops.n - 1;
  if (index === 0) {
    state.accept = Math.min(Math.max(0, stop), last);
    state.review = Math.max(state.review, state.accept);
  } else {
    state.review = Math.min(Math.max(0, stop), last);
    state.accept = Math.min(state.accept, state.review);
  }
  changed({ only: "bands" });
}

function onBandKey(event, index) {
  const next = stopAfter(event.key, index === 0 ? state.accept : state.review);
  if (next === null || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  moveBand(index, next);
}

function startBands() {
  let moving = -1;
  const stopUnder = (event) => {
    const at = event.clientX - bandChart.getBoundingClientRect().left;
    let best = 0;
    let least = Infinity;
    stops.hits.forEach((hits, stop) => {
      const distance = Math.abs(bandDrawn.x(hits / (curves.nPositive || 1)) - at);
      if (distance < least) [best, least] = [stop, distance];
    });
    return best;
  };
  bandChart.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const stop = stopUnder(event);
    const far = [state.accept, state.review].map((limitStop) =>
      Math.abs(stops.hits[limitStop] - stops.hits[stop]),
    );
    const isRight = stops.hits[stop] > stops.hits[state.review];
    moving = far[0] < far[1] || (far[0] === far[1] && !isRight) ? 0 : 1;
    bandChart.setPointerCapture(event.pointerId);
    event.preventDefault();
    bandDrawn.handles[moving].focus({ preventScroll: true });
    moveBand(moving, stop);
  });
  bandChart.addEventListener("pointermove", (event) => {
    if (bandChart.hasPointerCapture(event.pointerId)) moveBand(moving, stopUnder(event));
  });
  byId("band-precision").addEventListener("change", (event) => {
    const least = Number.parseFloat(event.target.value);
    let stop = stops.n - 1;
    while (stop > 0 && !(ratio(stops.hits[stop], stops.decided[stop], NaN) >= least)) stop -= 1;
    if (Number.isFinite(least)) moveBand(0, stop);
  });
  byId("band-recall").addEventListener("change", (event) => {
    const least = Number.parseFloat(event.target.value);
    const stop = stops.hits.findIndex((hits) => hits / (curves.nPositive || 1) >= least);
    if (Number.isFinite(least)) moveBand(1, stop < 0 ? stops.n - 1 : stop);
  });
  onWidth(bandChart, drawBands);
}
