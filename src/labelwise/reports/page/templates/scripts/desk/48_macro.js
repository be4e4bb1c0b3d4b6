// The chart of macro averages: the best trade-offs, the marked points and the chosen one.

const macro = page.macro && { precision: unpack(page.macro.precision), recall: unpack(page.macro.recall) };
const MACRO_SIZE = { height: 320, top: 14, right: 14, bottom: 46, left: 52 };
let macroScales = null;

function drawMacro(width) {
  const { height, top, right, bottom, left } = MACRO_SIZE;
  const x = linear(0, 1, left, width - right);
  const y = linear(0, 1, height - bottom, top);
  macroScales = { x, y };
  const back = svg("svg", {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": "Macro precision by macro recall",
  });
  for (const tick of [0, 0.2, 0.4, 0.6, 0.8, 1]) {
    back.append(
      svg("line", { class: "grid", x1: left, x2: width - right, y1: y(tick), y2: y(tick) }),
      svg("line", { class: "grid", x1: x(tick), x2: x(tick), y1: top, y2: height - bottom }),
      svg("text", { class: "tick", x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, tick.toFixed(1)),
      svg("text", { class: "tick", x: x(tick), y: height - bottom + 18, "text-anchor": "middle" }, tick.toFixed(1)),
    );
  }
  const turn = `translate(14 ${(top + height - bottom) / 2}) rotate(-90)`;
  back.append(
    svg("text", { class: "axis", x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle" }, "macro recall"),
    svg("text", { class: "axis", transform: turn, "text-anchor": "middle" }, "macro precision"),
    svg("path", {
      class: "frontier",
      d: lineThrough(Array.from(macro.recall, x), Array.from(macro.precision, y)),
    }),
  );
  points.forEach((point, index) => {
    const here = point.averages;
    const mark = sign(index, x(here.recall), y(here.precision));
    if (point.isHeldOut && point.expected) {
      const [toX, toY] = [x(point.expected.recall), y(point.expected.precision)];
      back.append(
        svg("line", { class: "optimism", x1: x(here.recall), y1: y(here.precision), x2: toX, y2: toY }),
        svg("circle", { class: `held-out sign-${index % N_SIGNS}`, cx: toX, cy: toY, r: 3.5 }),
      );
    }
    mark.append(svg("title", {}, `${point.name}: ${point.note}`));
    back.append(mark);
  });
  back.append(svg("circle", { class: "macro-here", id: "macro-here", r: 9 }));
  clear(byId("macro-chart")).append(back);
  showMacro();
}

function showMacro() {
  if (!macro || !macroScales) return;
  const [precise, found] = macroRates(view.labels);
  byId("macro-here").setAttribute("cx", macroScales.x(found));
  byId("macro-here").setAttribute("cy", macroScales.y(precise));
  byId("macro-words").textContent =
    `At the chosen point: macro precision ${share(precise)}, macro recall ${share(found)}, macro F ${share(view.averages["macro-f"][0])}.`;
}

function startMacro() {
  if (macro) onWidth(byId("macro-chart"), drawMacro);
}
