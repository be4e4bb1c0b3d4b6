// Files of the chosen point: thresholds for labelwise decide, and tables as csv.

function jsonNumber(value) {
  if (value === Infinity) return "inf";
  if (value === -Infinity) return "-inf";
  return Number.isNaN(value) ? "nan" : value;
}

// The content of a file of thresholds; `known` replaces what the page has computed.
function thresholdsFile(labels, known) {
  const counts = countsOf(curves, sum(labels.decided), sum(labels.hits));
  const isCost = state.measure === "cost";
  return {
    ...page.files.thresholds,
    value: jsonNumber(isCost ? costOf(...counts) : state.measure === "macro-f" ? macroF(labels) : valueOf(counts)),
    measure: isCost ? "cost" : isAveraged() ? MEASURES.f.python : MEASURES[state.measure].python,
    average: isAveraged() ? state.measure.split("-")[0] : "micro",
    beta: state.measure === "f" ? state.beta : 1,
    support: Array.from(curves.support),
    decided: Array.from(labels.decided),
    n_samples: page.nSamples,
    weighted: page.isWeighted,
    constraints: constraintChecks().map(({ name, limit: asked, value, corrected }) => ({
      name,
      limit: asked,
      value: jsonNumber(value),
      corrected_value: jsonNumber(corrected),
    })),
    ...known,
    values: Array.from(labels.thresholds, jsonNumber),
    label_names: page.hasNames ? page.names : null,
  };
}

function saveJson(name, content) {
  download(
    name,
    "application/json",
    `${JSON.stringify(content, null, 1)}
`,
  );
}

// A rule is saved as it is, with its own measure and guarantee, unless labels are pinned.
function knownOf(point) {
  return point && point.known && !pins.size ? point.known : {};
}

// The hull of each label between both limits: lowest scores and shares of positives of its pieces.
function bandCurves(accept, review) {
  const found = { starts: [0], floors: [], shares: [] };
  for (let j = 0; j < curves.nLabels; j += 1) {
    let last = accept.cuts[j];
    for (let cut = last + 1; cut <= review.cuts[j]; cut += 1) {
      if (!curves.isHull[cut]) continue;
      const share = (curves.hits[cut] - curves.hits[last]) / (curves.decided[cut] - curves.decided[last]);
      found.floors.push(jsonNumber(curves.thresholds[cut]));
      found.shares.push(share);
      last = cut;
    }
    found.starts.push(found.floors.length);
  }
  return found;
}

// The content of a file of bands, for labelwise decide and Bands.load.
function bandsFile() {
  const [accept, review] = [labelsAt(state.accept), labelsAt(state.review)];
  const between = (name) => Array.from(review[name], (value, j) => value - accept[name][j]);
  return {
    ...page.files.bands,
    upper: Array.from(accept.thresholds, jsonNumber),
    lower: Array.from(review.thresholds, jsonNumber),
    support: Array.from(curves.support),
    accepted: Array.from(accept.decided),
    accepted_positives: Array.from(accept.hits),
    reviewed: between("decided"),
    reviewed_positives: between("hits"),
    n_samples: page.nSamples,
    label_names: page.hasNames ? page.names : null,
    value: bandNumbersHere().queue,
    curves: bandCurves(accept, review),
  };
}

function labelTable() {
  const head = [
    "label",
    "support",
    "threshold",
    "decided",
    "precision",
    "recall",
    "f",
    "f low",
    "f high",
    "fold low",
    "fold high",
    "calibration error",
    "notes",
  ];
  const lines = order.map((j) => {
    const counts = labelCounts(j);
    const notes = [...notesOf(j).map(([text]) => text), whyNever(j)].filter(Boolean).join("; ");
    return [
      page.names[j],
      curves.support[j],
      view.labels.thresholds[j],
      view.labels.decided[j],
      precision(...counts),
      recall(...counts),
      labelF(j),
      ...intervalOf(j),
      folds ? folds.low[j] : NaN,
      folds ? folds.high[j] : NaN,
      calibration[j],
      notes,
    ];
  });
  return [head, ...lines];
}

function rowTable() {
  const { texts, hasTerms, hasSentences } = page.rows;
  const more = [
    ...(hasTerms ? ["terms"] : []),
    ...(hasSentences ? ["sentence"] : []),
    ...(texts ? ["text"] : []),
  ];
  const head = ["list", "sample", "label", "score", "has label", ...more, "answer"];
  const lists = {
    nearest: page.rows.nearest[state.near] ?? [],
    unexpected: page.rows.unexpected,
    missed: page.rows.missed,
  };
  const lines = Object.entries(lists).flatMap(([list, cells]) =>
    cells.map(([row, label, score, truth, , , , terms, sentence]) => [
      list,
      page.rows.ids[row],
      page.names[label],
      score,
      truth,
      ...(hasTerms ? [terms] : []),
      ...(hasSentences ? [sentence] : []),
      ...(texts ? [texts[row]] : []),
      "",
    ]),
  );
  return [head, ...lines];
}

function startDownloads() {
  byId("save-thresholds").addEventListener("click", () =>
    saveJson("thresholds.json", thresholdsFile(view.labels, knownOf(view.point))),
  );
  byId("save-bands").addEventListener("click", () => saveJson("bands.json", bandsFile()));
  byId("save-labels").addEventListener("click", () =>
    download("labels.csv", "text/csv", csvText(labelTable())),
  );
  byId("save-rows").addEventListener("click", () => download("samples.csv", "text/csv", csvText(rowTable())));
}
