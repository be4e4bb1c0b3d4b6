// Groups of samples at the chosen point.

const slices = page.slices.map((slice) => ({
  ...slice,
  decided: unpack(slice.decided),
  hits: unpack(slice.hits),
}));

// Decisions and hits of each group at the chosen point; null if they are not stored.
function groupTotals(slice) {
  if (view.labels.cuts === null) {
    const stored = slice.points[view.point.key];
    return pins.size || !stored ? null : { decided: stored[0], hits: stored[1] };
  }
  const size = slice.groups.length;
  const decided = new Float64Array(size);
  const hits = new Float64Array(size);
  for (let j = 0; j < curves.nLabels; j += 1) {
    for (let cut = curves.starts[j]; cut <= view.labels.cuts[j]; cut += 1) {
      for (let group = 0; group < size; group += 1) {
        decided[group] += slice.decided[cut * size + group];
        hits[group] += slice.hits[cut * size + group];
      }
    }
  }
  return { decided, hits };
}

function rateCells(slice, group, tp, fp, fn) {
  const spread = (name) => slice.spread[name][group];
  const rates = [
    ["precision", precision(tp, fp), oddsInterval(tp + 0.5, fp + 0.5, spread("precision"))],
    ["recall", recall(tp, fp, fn), oddsInterval(tp + 0.5, fn + 0.5, spread("recall"))],
    ["f", fMeasure(tp, fp, fn, 0, state.beta), fInterval(tp, fp, fn, state.beta, spread("f"))],
  ];
  return rates.map(([name, value, ends]) => {
    const exact = html("span", { "data-name": name });
    setNumber(exact, value, share);
    const range = Number.isNaN(value) ? "" : ` ${rangeText(ends[0], ends[1], share)}`;
    return html("td", { class: "num" }, exact, html("span", { class: "faint" }, range));
  });
}

function showSlices() {
  if (!slices.length) return;
  const slice = slices[Math.min(Math.max(0, state.slice), slices.length - 1)];
  const totals = groupTotals(slice);
  byId("slices-off").hidden = totals !== null;
  byId("slices-table").hidden = totals === null;
  if (totals === null) return;
  const { decided, hits } = totals;
  const lines = slice.groups.map((name, group) => {
    const [d, tp] = [decided[group], hits[group]];
    return html(
      "tr",
      {},
      html("th", { scope: "row" }, html("bdi", {}, name || "(no name)")),
      html("td", { class: "num" }, whole(slice.rows[group])),
      html("td", { class: "num" }, whole(slice.positives[group])),
      html("td", { class: "num" }, number((1000 * d) / slice.rows[group])),
      ...rateCells(slice, group, tp, d - tp, slice.positives[group] - tp),
    );
  });
  byId("slices-body").replaceChildren(...lines);
}

function startSlices() {
  byId("slices").hidden = !slices.length;
  byId("to-slices").hidden = !slices.length;
  const choice = byId("slice");
  choice.append(...slices.map((slice, index) => html("option", { value: index }, slice.name)));
  choice.addEventListener("change", () => {
    state.slice = Number(choice.value);
    changed({ only: "slices" });
  });
}
