// One label in detail: its curve, its scores, its reliability, and its pin.

const panel = html("tr", { class: "panel" });
const PLOT = { width: 250, height: 190, left: 40, right: 10, top: 10, bottom: 36 };
let panelParts = null;

function buildPanel() {
  const plots = html("div", { class: "plots" });
  const slider = html("input", { type: "range", id: "pin", min: 0, step: 1 });
  const typed = html("input", { type: "number", id: "pin-value", step: "any" });
  const free = html("button", { type: "button", id: "unpin" }, "Unpin");
  const words = html("p", { class: "faint", id: "pin-words" });
  const cell = html(
    "td",
    { colspan: Object.keys(COLUMNS).length + 1 },
    html(
      "div",
      { class: "panel-inside" },
      plots,
      html(
        "div",
        { class: "pin" },
        html("h3", {}, "Pin the threshold"),
        html(
          "p",
          { class: "faint" },
          "Fix this label by hand; all other labels move to the best point around it.",
        ),
        html("label", { class: "field", for: "pin" }, "Stricter to looser", slider),
        html(
          "label",
          { class: "field", for: "pin-value" },
          "Threshold (takes the nearest stored cut)",
          typed,
        ),
        free,
        words,
      ),
    ),
  );
  panel.append(cell);
  panelParts = { plots, slider, typed, free, words };
  slider.addEventListener("input", () => pinAt(curves.starts[state.label] + Number(slider.value)));
  typed.addEventListener("change", () => {
    const value = Number.parseFloat(typed.value);
    if (Number.isFinite(value)) pinAt(nearestCut(state.label, value));
  });
  free.addEventListener("click", () => pinAt(null));
}

function pinAt(cut) {
  pin(state.label, cut);
  changed({ redraw: true });
}

// The stored cut whose threshold is nearest to a number.
function nearestCut(j, value) {
  let best = curves.starts[j];
  let least = Infinity;
  for (let cut = curves.starts[j]; cut < curves.starts[j + 1]; cut += 1) {
    const distance = Math.abs(curves.thresholds[cut] - value);
    if (distance < least) [best, least] = [cut, distance];
  }
  return best;
}

function cutOf(j) {
  if (pins.has(j)) return pins.get(j);
  if (view.labels.cuts) return view.labels.cuts[j];
  const decided = view.labels.decided[j];
  let cut = curves.starts[j];
  while (cut + 1 < curves.starts[j + 1] && curves.decided[cut + 1] <= decided) cut += 1;
  return cut;
}

function plotFrame(title, xName, yName, x, y, xTicks, yTicks) {
  const { width, height, left, right, top, bottom } = PLOT;
  const frame = svg("svg", {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": title,
  });
  for (const [value, text] of yTicks) {
    frame.append(
      svg("line", { class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }),
      svg("text", { class: "tick", x: left - 6, y: y(value) + 4, "text-anchor": "end" }, text),
    );
  }
  for (const [value, text, anchor] of xTicks) {
    frame.append(
      svg("text", { class: "tick", x: x(value), y: height - bottom + 15, "text-anchor": anchor }, text),
    );
  }
  frame.append(
    svg(
      "text",
      { class: "axis", x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle" },
      xName,
    ),
    svg(
      "text",
      {
        class: "axis",
        transform: `translate(9 ${(top + height - bottom) / 2}) rotate(-90)`,
        "text-anchor": "middle",
      },
      yName,
    ),
  );
  return frame;
}

const HALVES = [
  [0, "0"],
  [0.5, "0.5"],
  [1, "1"],
];

function plotScales(low, high) {
  const { width, height, left, right, top, bottom } = PLOT;
  return { x: linear(low, high, left, width - right), y: linear(0, 1, height - bottom, top) };
}

function figure(title, frame) {
  return html("figure", {}, html("figcaption", {}, title), frame);
}

// Precision and recall of the label at its stored cuts, and where it stands.
function curvePlot(j) {
  const { x, y } = plotScales(0, 1);
  const ends = [
    [0, "0", "start"],
    [0.5, "0.5", "middle"],
    [1, "1", "end"],
  ];
  const frame = plotFrame("Precision by recall of the label", "recall", "precision", x, y, ends, HALVES);
  const [xs, ys] = [[], []];
  for (let cut = curves.starts[j] + 1; cut < curves.starts[j + 1]; cut += 1) {
    xs.push(x(curves.hits[cut] / (curves.support[j] || 1)));
    ys.push(y(curves.hits[cut] / curves.decided[cut]));
  }
  frame.append(svg("path", { class: "frontier thin", d: lineThrough(xs, ys) }));
  const [tp, fp, fn] = labelCounts(j);
  if (tp + fp > 0 && tp + fn > 0)
    frame.append(svg("circle", { class: "knob", cx: x(recall(tp, fp, fn)), cy: y(precision(tp, fp)), r: 5 }));
  return figure("Curve", frame);
}

function rangeTicks(j) {
  return [
    [bins.low[j], number(bins.low[j]), "start"],
    [bins.high[j], number(bins.high[j]), "end"],
  ];
}

function rangeOf(j) {
  return bins.high[j] > bins.low[j] ? [bins.low[j], bins.high[j]] : [bins.low[j] - 0.5, bins.high[j] + 0.5];
}

// Samples with and without the label by score; heights are logarithms, since negatives are many.
function scorePlot(j) {
  const [low, high] = rangeOf(j);
  const { x, y } = plotScales(low, high);
  const start = j * bins.n;
  let most = 1;
  for (let b = start; b < start + bins.n; b += 1) most = Math.max(most, bins.count[b]);
  const tall = (count) => Math.log1p(count) / Math.log1p(most);
  const yTicks = [0, ...[1, 10, 100, 1000, 1e4, 1e5, 1e6].filter((count) => count <= most)].map((count) => [
    tall(count),
    number(count),
  ]);
  const frame = plotFrame(
    "Number of samples by score",
    "score",
    "samples",
    x,
    y,
    rangeTicks(j),
    yTicks.filter((_, i) => i !== 1 || most < 10),
  );
  const width = (x(high) - x(low)) / bins.n;
  for (let b = 0; b < bins.n; b += 1) {
    const [all, right] = [bins.count[start + b], bins.positive[start + b]];
    const left = x(low) + b * width;
    for (const [count, kind, shift] of [
      [all - right, "without", 0],
      [right, "with", width / 2],
    ]) {
      if (count)
        frame.append(
          svg("rect", {
            class: `bar bar-${kind}`,
            x: left + shift + 0.5,
            y: y(tall(count)),
            width: Math.max(1, width / 2 - 0.5),
            height: y(0) - y(tall(count)),
          }),
        );
    }
  }
  const cut = view.labels.thresholds[j];
  if (cut >= low && cut <= high)
    frame.append(svg("line", { class: "cut", x1: x(cut), x2: x(cut), y1: y(0), y2: y(1) }));
  return figure("Scores of samples with the label (blue) and without (grey)", frame);
}

// Share of positives by score; on the diagonal, scores are probabilities.
function reliabilityPlot(j) {
  const [low, high] = rangeOf(j);
  const { x, y } = plotScales(low, high);
  const frame = plotFrame("Share of positives by score", "score", "share", x, y, rangeTicks(j), HALVES);
  if (bins.areProbabilities)
    frame.append(svg("line", { class: "diagonal", x1: x(low), y1: y(low), x2: x(high), y2: y(high) }));
  const [xs, ys] = [[], []];
  for (let b = j * bins.n; b < (j + 1) * bins.n; b += 1) {
    if (!bins.count[b]) continue;
    xs.push(x(bins.mean[b]));
    ys.push(y(bins.positive[b] / bins.count[b]));
  }
  frame.append(svg("path", { class: "frontier thin", d: lineThrough(xs, ys) }));
  xs.forEach((at, i) => frame.append(svg("circle", { class: "dot", cx: at, cy: ys[i], r: 3 })));
  const error = Number.isNaN(calibration[j]) ? "" : `, calibration error ${share(calibration[j])}`;
  return figure(`Reliability${error}`, frame);
}

function showPanel(j) {
  const { plots, slider, typed, free, words } = panelParts;
  clear(plots).append(curvePlot(j), scorePlot(j), reliabilityPlot(j));
  const size = curves.starts[j + 1] - curves.starts[j];
  slider.max = size - 1;
  slider.value = cutOf(j) - curves.starts[j];
  slider.setAttribute("aria-valuetext", `threshold ${threshold(view.labels.thresholds[j])}`);
  slider.disabled = size < 2;
  if (typed !== document.activeElement)
    typed.value = Number.isFinite(view.labels.thresholds[j]) ? view.labels.thresholds[j] : "";
  free.disabled = !pins.has(j);
  const [tp, fp, fn] = labelCounts(j);
  const why = whyNever(j);
  words.textContent = why
    ? `Never decided: ${why}.`
    : `${whole(tp)} of ${plural(tp + fp, "decision", "decisions")} right, ${whole(fn)} of ${plural(curves.support[j], "positive", "positives")} missed.`;
}
