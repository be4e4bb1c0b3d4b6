// Rows near the cut, and rows whose scores contradict their labels.

function rowCells(cells, target, describe) {
  const known = page.rows;
  const lines = cells.map(([row, label, score, truth, strength]) => {
    const line = html(
      "tr",
      {},
      html("th", { scope: "row" }, html("bdi", {}, known.ids[row])),
      html("td", {}, html("bdi", {}, labelName(label))),
      html("td", { class: "num" }, number(score)),
      html("td", { class: "num" }, threshold(view.labels.thresholds[label])),
      html("td", {}, truth ? "has it" : "does not"),
      html("td", { class: "faint" }, describe(strength, label)),
    );
    if (known.texts) line.append(html("td", { class: "text" }, html("bdi", {}, known.texts[row])));
    return line;
  });
  target.replaceChildren(...lines);
}

function showRows() {
  const near = page.rows.nearest[state.near] ?? [];
  const point = points.find((one) => one.key === state.near);
  rowCells(near, byId("rows-near"), (strength, label) => {
    const cut = point.thresholds[label];
    return `cut ${threshold(cut)}, ${number(-strength)} standard deviations away`;
  });
  rowCells(page.rows.unexpected, byId("rows-unexpected"), (strength, label) => {
    const below = Math.round(strength * (curves.support[label] + 1));
    return `scores above ${whole(below)} of ${plural(curves.support[label], "row", "rows")} with the label`;
  });
  rowCells(page.rows.missed, byId("rows-missed"), (strength, label) => {
    const without = curves.nRows - curves.support[label];
    return `${whole(Math.round(strength * (without + 1)))} of ${plural(without, "row", "rows")} without the label score higher`;
  });
}

function startRows() {
  const choice = byId("near");
  choice.append(...points.map((point) => html("option", { value: point.key }, point.name)));
  choice.addEventListener("change", () => {
    state.near = choice.value;
    changed({ only: "rows" });
  });
}
