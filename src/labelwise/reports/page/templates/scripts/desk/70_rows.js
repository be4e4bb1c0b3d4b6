// Samples near the cut, and samples whose scores contradict their labels.

const FIRST_ROWS = 8;
const isOpen = new Set(); // lists that are shown in full

function rowLine([row, label, score, truth, strength, nBeside, positives, terms, sentence], cutOfLabel, describe) {
  const { texts, hasTerms, hasSentences } = page.rows;
  return html(
    "tr",
    {},
    html("th", { scope: "row" }, html("bdi", {}, page.rows.ids[row])),
    html("td", {}, html("bdi", {}, labelName(label))),
    html("td", { class: "num" }, number(score)),
    html("td", { class: "num" }, threshold(cutOfLabel[label])),
    html("td", {}, truth ? "yes" : "no"),
    html("td", { class: "faint" }, describe(strength, label, score, nBeside, positives)),
    ...(hasTerms ? [html("td", {}, html("bdi", {}, terms))] : []),
    ...(hasSentences ? [html("td", { class: "sentence" }, html("bdi", {}, sentence))] : []),
    ...(texts ? [html("td", { class: "text" }, html("bdi", {}, texts[row]))] : []),
  );
}

function rowList(name, cells, cutOfLabel, describe) {
  const shown = isOpen.has(name) ? cells : cells.slice(0, FIRST_ROWS);
  const lines = shown.map((cell) => rowLine(cell, cutOfLabel, describe));
  const none = html("tr", {}, html("td", { colspan: 9, class: "faint" }, "No such sample."));
  byId(`rows-${name}`).replaceChildren(...(lines.length ? lines : [none]));
  const more = byId(`more-${name}`);
  more.hidden = cells.length <= FIRST_ROWS;
  more.textContent = isOpen.has(name) ? "Show fewer" : `Show all ${cells.length}`;
  more.setAttribute("aria-expanded", String(isOpen.has(name)));
}

function showRows() {
  const { rows } = page;
  const rule = points.find((point) => point.key === state.near);
  rowList("near", rows.nearest[state.near] ?? [], rule.thresholds, (strength, label, score, nBeside, positives) => {
    const side = score >= rule.thresholds[label] ? "above" : "below";
    return `just ${side} the cut: of ${plural(nBeside, "sample", "samples")} with the nearest scores, ${whole(positives)} ${positives === 1 ? "has" : "have"} the label`;
  });
  const cuts = view.labels.thresholds;
  rowList("unexpected", rows.unexpected, cuts, (strength, label) => {
    const below = Math.round(strength * (curves.support[label] + 1));
    return `scores higher than ${whole(below)} of ${plural(curves.support[label], "sample", "samples")} with the label`;
  });
  rowList("missed", rows.missed, cuts, (strength, label) => {
    const without = curves.known[label] - curves.support[label];
    return `${whole(Math.round(strength * (without + 1)))} of ${plural(without, "sample", "samples")} without the label score higher`;
  });
}

function startRows() {
  const choice = byId("near");
  const withCuts = points.filter((point) => point.hasThresholds);
  choice.append(...withCuts.map((point) => html("option", { value: point.key }, point.name)));
  choice.addEventListener("change", () => {
    state.near = choice.value;
    changed({ only: "rows" });
  });
  for (const name of ["near", "unexpected", "missed"]) {
    byId(`more-${name}`).addEventListener("click", () => {
      if (!isOpen.delete(name)) isOpen.add(name);
      changed({ only: "rows" });
    });
  }
}
