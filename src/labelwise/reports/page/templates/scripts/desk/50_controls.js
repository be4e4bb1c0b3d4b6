// Measure, costs and constraints; the numbers of the chosen point; the table of marked points.

function betaName(beta) {
  return beta === 1 ? "F" : `F${number(beta)}`;
}

function measureName() {
  if (state.measure === "cost") return "cost";
  return state.measure === "f" ? betaName(state.beta) : MEASURES[state.measure].name;
}

function showNumbers() {
  const [tp, fp, fn, tn] = view.counts;
  setNumber(byId("n-precision"), precision(tp, fp), share);
  setNumber(byId("n-recall"), recall(tp, fp, fn), share);
  setNumber(byId("n-f"), fMeasure(tp, fp, fn, tn, state.beta), share);
  setNumber(byId("n-work"), perThousand(view.decided), number);
  setNumber(byId("n-cost"), costOf(tp, fp, fn), number);
  const isShownBefore = ["f", "precision", "recall", "cost"].includes(state.measure);
  byId("card-value").hidden = isShownBefore;
  setNumber(byId("n-value"), view.value, share);
  byId("name-value").textContent = measureName();
  byId("name-f").textContent = betaName(state.beta);
  byId("under-precision").textContent = `${whole(tp)} of ${plural(tp + fp, "decision", "decisions")} right`;
  byId("under-recall").textContent = `${whole(tp)} of ${plural(tp + fn, "positive", "positives")} found`;
  byId("under-work").textContent =
    `${number(view.decided / curves.nRows)} a row, ${whole(view.decided)} in all`;
  const [ofPositive, ofNegative] = costs();
  byId("under-cost").textContent =
    `${whole(fp)} false positives × ${number(ofPositive)}, ${whole(fn)} missed × ${number(ofNegative)}`;
  byId("cost-words").textContent = `${number(ofPositive)} : ${number(ofNegative)}`;
  byId("cost").setAttribute(
    "aria-valuetext",
    `a false positive costs ${number(ofPositive)}, a missed positive ${number(ofNegative)}`,
  );
  showPlace();
}

function showPlace() {
  const place = byId("place");
  place.replaceChildren(...placeWords());
  place.classList.toggle("is-warning", !view.isMet);
  byId("to-best").disabled = state.at === "best";
}

// What the chosen point is: a heading, and a sentence.
function placeWords() {
  const pinned = pins.size ? `${plural(pins.size, "label is", "labels are")} pinned.` : "";
  const words = (head, more) => [head, html("span", { class: "faint" }, `${more} ${pinned}`.trim())];
  if (view.point) return words(`Rule: ${view.point.name}`, view.point.note);
  if (state.at === "hand")
    return words("Chosen by hand", `Point ${whole(view.stop)} of ${whole(stops.n - 1)} on the frontier.`);
  if (!view.isMet)
    return words("No point of the frontier meets the constraints", "The best point without them is shown.");
  const aim = state.measure === "cost" ? "Lowest cost" : `Highest ${measureName()}`;
  const isLimited = ["minPrecision", "minRecall", "maxWork"].some((name) => limit(name) !== null);
  return words(
    aim,
    isLimited
      ? "The best point of the frontier under the constraints."
      : "The best of all thresholds on these rows.",
  );
}

function pointRow(point, index) {
  const [tp, fp, fn, tn] = countsOf(curves, sum(point.decided), sum(point.hits));
  const honest = point.honest;
  const heldOut = fMeasure(...honest.counts);
  const ends = honest.intervals?.f;
  const icon = svg(
    "svg",
    { width: 20, height: 20, viewBox: "-10 -10 20 20", "aria-hidden": "true" },
    sign(index, 0, 0),
  );
  const use = html(
    "button",
    { type: "button", class: "plain", "data-point": point.key },
    icon,
    html("bdi", {}, point.name),
  );
  use.addEventListener("click", () => {
    state.at = point.key;
    changed();
  });
  const cell = (value, show, name) => {
    const element = html("td", { class: "num", "data-name": name });
    setNumber(element, value, show);
    return element;
  };
  return html(
    "tr",
    { "data-key": point.key },
    html("th", { scope: "row" }, use, html("span", { class: "faint" }, point.note)),
    cell(precision(tp, fp), share, "precision"),
    cell(recall(tp, fp, fn), share, "recall"),
    cell(fMeasure(tp, fp, fn, tn), share, "f"),
    cell(heldOut, share, "held-out"),
    html("td", { class: "num faint" }, ends ? rangeText(ends[0], ends[1], share) : NONE),
    cell(perThousand(tp + fp), number, "work"),
  );
}

function startPoints() {
  byId("points").append(...points.map(pointRow));
}

function showPoints() {
  for (const row of byId("points").children) {
    const isChosen = row.dataset.key === state.at;
    row.classList.toggle("is-chosen", isChosen);
    row.querySelector("button").setAttribute("aria-pressed", String(isChosen));
  }
}

// Fields that set one entry of the state and go back to the best point.
const AIMS = {
  measure: "change",
  beta: "input",
  cost: "input",
  minPrecision: "input",
  minRecall: "input",
  maxWork: "input",
};

function startControls() {
  for (const [name, event] of Object.entries(AIMS)) {
    byId(name).addEventListener(event, ({ target }) => {
      if (name === "beta") {
        const beta = Number.parseFloat(target.value);
        target.setAttribute("aria-invalid", String(!(beta > 0)));
        if (!(beta > 0 && Number.isFinite(beta))) return;
        state.beta = beta;
        if (state.measure !== "f") state.measure = "f";
      } else if (name === "cost") {
        state.cost = Number(target.value);
        state.measure = "cost";
      } else state[name] = target.value;
      state.at = "best";
      changed({ redraw: true });
    });
  }
  for (const radio of document.getElementsByName("axis")) {
    radio.addEventListener("change", () => {
      state.axis = radio.value;
      changed({ redraw: true });
    });
  }
  byId("to-best").addEventListener("click", () => {
    state.at = "best";
    changed();
  });
}

// Sets the fields to the state, after a link or the start.
function showFields() {
  for (const name of Object.keys(AIMS)) {
    if (byId(name) !== document.activeElement) byId(name).value = state[name];
  }
  for (const radio of document.getElementsByName("axis")) radio.checked = radio.value === state.axis;
}
