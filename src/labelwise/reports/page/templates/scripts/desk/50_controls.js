// Measure, costs and constraints; the numbers of the chosen point; the table of marked points.

function betaName(beta) {
  return beta === 1 ? "F" : `F${number(beta)}`;
}

function measureName() {
  if (state.measure === "cost") return "cost";
  if (isAveraged()) return AVERAGED[state.measure];
  return state.measure === "f" ? betaName(state.beta) : MEASURES[state.measure].name;
}

// A number on these samples, and beside it what to expect on new samples.
function setPair(name, of, show) {
  setNumber(byId(`n-${name}`), of(...view.counts), show);
  setNumber(byId(`u-${name}`), view.unseen ? of(...view.unseen) : NaN, show);
}

function showNumbers() {
  const [tp, fp, fn] = view.counts;
  setPair("precision", precision, share);
  setPair("recall", recall, share);
  setPair("f", (...counts) => fMeasure(...counts, state.beta), share);
  setPair("work", (hits, wrong) => perThousand(hits + wrong), number);
  setPair("cost", costOf, number);
  for (const [name, [here, unseen]] of Object.entries(view.averages)) {
    setNumber(byId(`n-${name}`), here, share);
    setNumber(byId(`u-${name}`), unseen, share);
  }
  byId("in-words").textContent = inWords();
  const shown = ["f", "precision", "recall", "cost", ...Object.keys(AVERAGED)];
  const isShownBefore = shown.includes(state.measure);
  byId("card-value").hidden = isShownBefore;
  setPair("value", (...counts) => valueOf(counts), share);
  byId("name-value").textContent = measureName();
  byId("name-f").textContent = betaName(state.beta);
  byId("under-precision").textContent = `${whole(tp)} of ${plural(tp + fp, "decision", "decisions")} right`;
  byId("under-recall").textContent = `${whole(tp)} of ${plural(tp + fn, "positive", "positives")} found`;
  byId("under-work").textContent =
    `${number(view.decided / curves.nRows)} a sample, ${whole(view.decided)} in all`;
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

// A share as 7 of 10, or in hundredths near the ends.
function ofTen(rate) {
  if ((rate >= 0.05 && rate < 0.95) || rate === 0 || rate === 1) return `${Math.round(10 * rate)} of 10`;
  return `${Math.min(99, Math.max(1, Math.round(100 * rate)))} of 100`;
}

// Precision and recall of the chosen point in a sentence, on new samples if they are known.
function inWords() {
  const [tp, fp, fn] = view.unseen ?? view.counts;
  const where = view.unseen ? "On new samples" : "On these samples";
  const found = tp + fn ? `finds ${ofTen(recall(tp, fp, fn))} positives` : "there are no positives";
  const right = tp + fp ? `${ofTen(precision(tp, fp))} decisions are right` : "decides nothing";
  return `${where}: ${found}, ${right}.`;
}

// The constraints of the best point, as labelwise.decisions names them, with what they reach on
// these samples and on new samples (NaN if that is not known).
function constraintChecks() {
  if (state.at !== "best" || !view.isMet || isAveraged()) return [];
  const most = limit("maxWork");
  const decisions = (tp, fp) => tp + fp;
  const checks = [
    { name: "min_precision", word: "precision", limit: limit("minPrecision"), of: precision },
    { name: "min_recall", word: "recall", limit: limit("minRecall"), of: recall },
    {
      name: "max_decisions",
      word: "decisions per 1,000 samples",
      limit: most === null ? null : Math.floor((most * curves.nRows * (1 + 1e-12)) / 1000),
      of: decisions,
    },
  ];
  return checks
    .filter((check) => check.limit !== null)
    .map(({ of, ...check }) => ({
      ...check,
      value: of(...view.counts),
      corrected: view.unseen ? of(...view.unseen) : NaN,
    }));
}

function isBroken({ name, limit: most, corrected }) {
  return name === "max_decisions" ? corrected > most : corrected < most;
}

// A sentence for each constraint that new samples are expected to break.
function brokenWords() {
  return constraintChecks()
    .filter(isBroken)
    .map((check) => {
      const isWork = check.name === "max_decisions";
      const value = isWork ? number(perThousand(check.corrected)) : share(check.corrected);
      const asked = isWork ? `more than ${state.maxWork}` : `less than ${number(check.limit)}`;
      return `New samples are expected to break the constraint: ${check.word} ${value}, ${asked}.`;
    })
    .join(" ");
}

function showPlace() {
  const place = byId("place");
  place.replaceChildren(...placeWords());
  const broken = brokenWords();
  if (broken) place.append(html("span", { class: "broken" }, broken));
  place.classList.toggle("is-warning", !view.isMet);
  byId("to-best").disabled = state.at === "best";
  byId("save-thresholds").disabled = Boolean(view.point && !view.point.hasThresholds);
  byId("unseen-words").textContent = unseenWords();
  showCertified();
}

// The certified point that is chosen, or the one with the nearest recall on these samples.
function nearestCertified() {
  if (view.point?.guarantee) return view.point;
  const distance = (point) => Math.abs(sum(point.hits) - view.hits);
  return certified.reduce((best, one) => (best && distance(best) <= distance(one) ? best : one), null);
}

// What is certified at the chosen point, or near it.
function showCertified() {
  const near = nearestCertified();
  if (!near) {
    const place = byId("to-certified");
    if (place) place.hidden = true;
    return;
  }
  const { min_precision: least, min_recall: found, level } = near.guarantee;
  const isChosen = near === view.point;
  const where = isChosen ? "Certified here" : "Certified nearby, with other thresholds";
  byId("certified-words").textContent =
    `${where}: on new samples, precision at least ${share(least)} and recall at least ${share(found)}, with probability ${level} for all points of the line together, if ${page.certified.units} are independent of each other.`;
  byId("to-certified").hidden = isChosen;
}

// How the values on new samples were estimated, in a sentence.
function unseenWords() {
  if (pins.size) return "With pinned labels, values on new samples are not known.";
  if (view.point && view.unseen && !view.point.isHeldOut)
    return "New samples give about the same values, unless this rule was tuned on these samples or a part of them.";
  if (view.point?.guarantee && !pins.size)
    return "Thresholds of this point were chosen on one half of the samples, and tested on the other half.";
  if (!view.unseen)
    return heldOutFolds.length
      ? "Values on new samples are not known: other folds of the samples do not meet the request."
      : "Values on new samples are not known: there are too few samples for folds.";
  const how =
    state.at === "hand" ? "at the same slope of the frontier" : "chosen for the same request";
  return `New samples: each fifth of the samples is decided by thresholds of the other samples, ${how}.`;
}

// What the chosen point is: a heading, and a sentence.
function placeWords() {
  const pinned = pins.size ? `${plural(pins.size, "label is", "labels are")} pinned.` : "";
  const words = (head, more) => [head, html("span", { class: "faint" }, `${more} ${pinned}`.trim())];
  if (view.point && state.at === "best") return words(`Highest ${measureName()}`, view.point.note);
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
      ? "The best point of the frontier under the constraints, on these samples."
      : "The best of all thresholds on these samples.",
  );
}

function pointRow(point, index) {
  const here = countsOf(curves, sum(point.decided), sum(point.hits));
  const unseen = point.honest?.counts ?? [NaN, NaN, NaN, NaN];
  const ends = point.honest?.intervals?.f;
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
    cell(precision(...here), share, "precision"),
    cell(recall(...here), share, "recall"),
    cell(fMeasure(...here), share, "f"),
    cell(point.averages["macro-f"] ?? NaN, share, "macro-f"),
    cell(point.averages["sample-f"] ?? NaN, share, "sample-f"),
    cell(perThousand(here[0] + here[1]), number, "work"),
    cell(precision(...unseen), share, "unseen-precision"),
    cell(recall(...unseen), share, "unseen-recall"),
    cell(fMeasure(...unseen), share, "held-out"),
    html("td", { class: "num faint" }, ends ? rangeText(ends[0], ends[1], share) : NONE),
    cell(point.expected?.["macro-f"] ?? NaN, share, "unseen-macro-f"),
    cell(point.expected?.["sample-f"] ?? NaN, share, "unseen-sample-f"),
  );
}

function startPoints() {
  byId("points").append(...points.map(pointRow));
}

function showPoints() {
  for (const row of byId("points").children) {
    const isChosen = row.dataset.key === (view.point?.key ?? state.at);
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
  document.getElementById("to-certified")?.addEventListener("click", () => {
    state.at = nearestCertified().key;
    changed();
  });
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
  // These points have no frontier on which constraints could choose.
  for (const name of ["minPrecision", "minRecall", "maxWork"]) byId(name).disabled = isAveraged();
}
