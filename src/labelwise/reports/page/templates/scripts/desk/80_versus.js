// Two models side by side.

const VERSUS_ROWS = 12;

function versusRow(name) {
  const [change, low, high] = page.versus.difference[name];
  const rate = { precision, recall, f: fMeasure }[name];
  const cell = (value) => {
    const element = html("td", { class: "num" });
    setNumber(element, value, share);
    return element;
  };
  const apart = html("td", { class: "num", "data-name": `difference-${name}` });
  setNumber(apart, change ?? NaN, (value) => (value > 0 ? "+" : "") + signed(share(value)));
  const isClear = low !== null && (low > 0 || high < 0);
  const range = rangeText(low, high, (value) => signed(share(value)));
  return html(
    "tr",
    {},
    html("th", { scope: "row" }, name === "f" ? "F" : name),
    cell(rate(...page.versus.ours.counts)),
    cell(rate(...page.versus.theirs.counts)),
    apart,
    html("td", { class: "num" }, range),
    html(
      "td",
      {},
      isClear ? (low > 0 ? "this model is higher" : "the other model is higher") : "no clear difference",
    ),
  );
}

function startVersus() {
  byId("versus").hidden = !page.versus;
  byId("to-versus").hidden = !page.versus;
  if (!page.versus) return;
  byId("versus-body").append(...["precision", "recall", "f"].map(versusRow));
  const ours = unpack(page.versus.labels.ours_f);
  const theirs = unpack(page.versus.labels.theirs_f);
  const change = Array.from(ours, (value, j) => (curves.support[j] ? value - theirs[j] : 0));
  const byChange = [...change.keys()].filter((j) => change[j] !== 0).sort((a, b) => change[b] - change[a]);
  const won = byChange.filter((j) => change[j] > 0);
  const lost = byChange.filter((j) => change[j] < 0).reverse();
  const line = (j) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, html("bdi", {}, labelName(j))),
      html("td", { class: "num" }, whole(curves.support[j])),
      html("td", { class: "num" }, share(ours[j])),
      html("td", { class: "num" }, share(theirs[j])),
      html("td", { class: "num" }, (change[j] > 0 ? "+" : "") + signed(share(change[j]))),
    );
  byId("versus-won").append(...won.slice(0, VERSUS_ROWS).map(line));
  byId("versus-lost").append(...lost.slice(0, VERSUS_ROWS).map(line));
  byId("versus-words").textContent =
    `This model has the higher F in ${plural(won.length, "label", "labels")}, the other in ${whole(lost.length)}.`;
}
