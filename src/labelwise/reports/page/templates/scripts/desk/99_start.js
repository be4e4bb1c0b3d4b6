// Everything together: a change of the state is shown once in the next frame.

// What a change can be of: the point that is chosen, one section, or all.
const SHOWN = { bands: showBands, labels: showLabels, rows: showRows, slices: showSlices };
const FOLLOW_THE_POINT = ["labels", "slices"];
let waiting = null;
let rowsWaiting = 0;

function changed(what = {}) {
  if (!waiting) {
    waiting = { only: new Set(), redraw: false };
    requestAnimationFrame(update);
  }
  waiting.only.add(what.only ?? "all");
  waiting.redraw ||= Boolean(what.redraw);
}

function update() {
  const { only, redraw } = waiting;
  waiting = null;
  const isPoint = only.has("point") || only.has("all");
  if (isPoint) showPoint(redraw);
  for (const [name, show] of Object.entries(SHOWN)) {
    if (only.has("all") || only.has(name) || (isPoint && FOLLOW_THE_POINT.includes(name))) show();
  }
  if (isPoint && !only.has("all")) {
    // Lists of samples follow when the handle rests.
    clearTimeout(rowsWaiting);
    rowsWaiting = setTimeout(() => changed({ only: "rows" }), 150);
  }
  writeAddress(stateEntries());
  document.documentElement.dataset.ready = "true";
}

function showPoint(redraw) {
  compute();
  if (redraw && drawn) drawChart(drawn.width);
  showFields();
  showNumbers();
  showPoints();
  placeHandle();
  showMacro();
  const [tp, fp, fn, tn] = view.counts;
  const rates = [precision(tp, fp), recall(tp, fp, fn), fMeasure(tp, fp, fn, tn, state.beta)].map(share);
  const expected = view.unseen ? share(fMeasure(...view.unseen, state.beta)) : "not known";
  announce(
    `Precision ${rates[0]}, recall ${rates[1]}, ${betaName(state.beta)} ${rates[2]}, on new samples ${expected}, ${number(perThousand(view.decided))} decisions per 1,000 samples.`,
  );
}

function showChoices() {
  byId("search").value = state.search;
  byId("filter").value = state.filter;
  byId("near").value = state.near;
  byId("slice").value = state.slice;
}

function showSummaryNote() {
  const note = byId("summary-note");
  note.hidden = !page.cuts.levels;
  note.textContent = `The frontier has ${whole(page.cuts.nVertices)} vertices of labels; this page stores ${whole(stops.n)} of its points, each of them exact.`;
}

startControls();
startPoints();
startLabels();
buildPanel();
startRows();
startSlices();
startVersus();
startDownloads();
restore(readAddress());
isSought = true;
showSummaryNote();
compute();
showBands();
startChart();
startMacro();
startBands();
showChoices();
changed();
theme.addEventListener("change", () => {
  setTheme(theme.value);
  writeAddress(stateEntries());
});
followSections();
onAddress((entries) => {
  restore(entries);
  isSought = true;
  showChoices();
  changed({ redraw: true });
});
