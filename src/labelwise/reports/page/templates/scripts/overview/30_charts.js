// Charts: curves, points, columns and strips of values. Their numbers are in the tables, too.

function ticksOf(from, to, isLog, most = 6, isWhole = false) {
  if (isLog) {
    const steps = to / from < 200 ? [1, 2, 5] : [1];
    const found = [];
    for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); power += 1) {
      for (const step of steps) found.push(step * 10 ** power);
    }
    return found.filter((value) => value >= from / 1.001 && value <= to * 1.001);
  }
  const rough = (to - from) / (most - 1) || 1;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * unit).find((one) => one >= rough && (!isWhole || one >= 1));
  const found = [];
  for (let place = Math.ceil(from / step - 1e-9); place * step <= to + step * 1e-9; place += 1) found.push(place * step);
  return found;
}

function scaleOf(axis, low, high) {
  if (!axis.log) return linear(axis.from, axis.to, low, high);
  const inside = linear(Math.log10(axis.from), Math.log10(axis.to), low, high);
  return (value) => inside(Math.log10(Math.max(value, axis.from)));
}

function frame(width, height, block, left = 56) {
  const root = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": block.title });
  const [top, right, bottom] = [10, 14, 42];
  const x = scaleOf(block.x, left, width - right);
  const y = scaleOf(block.y, height - bottom, top);
  for (const value of ticksOf(block.x.from, block.x.to, block.x.log, Math.max(4, Math.floor(width / 90)), block.x.whole)) {
    root.append(svg("line", { class: "grid", x1: x(value), x2: x(value), y1: top, y2: height - bottom }));
    root.append(svg("text", { class: "tick", x: x(value), y: height - bottom + 16, "text-anchor": "middle" }, number(Number(value.toPrecision(6)))));
  }
  for (const value of ticksOf(block.y.from, block.y.to, block.y.log)) {
    root.append(svg("line", { class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }));
    root.append(svg("text", { class: "tick", x: left - 7, y: y(value) + 4, "text-anchor": "end" }, number(Number(value.toPrecision(6)))));
  }
  root.append(svg("text", { class: "axis", x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, block.x.name));
  const middle = (top + height - bottom) / 2;
  root.append(svg("text", { class: "axis", x: 13, y: middle, "text-anchor": "middle", transform: `rotate(-90 13 ${middle})` }, block.y.name));
  return { root, x, y };
}

function drawCurve(width, block) {
  const { root, x, y } = frame(width, 260, block);
  const [xs, ys] = [unpack(block.x.values), unpack(block.y.values)];
  root.append(svg("path", { class: "frontier", d: lineThrough(Array.from(xs, x), Array.from(ys, y)) }));
  if (block.line != null) {
    const at = y(block.line);
    root.append(svg("line", { class: "limit", x1: x(block.x.from), x2: x(block.x.to), y1: at, y2: at }));
  }
  return root;
}

function drawPoints(width, block) {
  const { root, x, y } = frame(width, 300, block);
  const [xs, ys] = [unpack(block.x.values), unpack(block.y.values)];
  for (let i = 0; i < xs.length; i += 1) {
    if (!Number.isFinite(ys[i])) continue;
    const said = `${block.names[i]}: ${block.x.name} ${number(xs[i])}, ${block.y.name} ${share(ys[i])}`;
    root.append(svg("circle", { class: "dot", cx: x(xs[i]), cy: y(ys[i]), r: 4 }, svg("title", {}, said)));
  }
  return root;
}

function drawColumns(width, block) {
  const values = unpack(block.y.values);
  const { root, x, y } = frame(width, 220, block);
  const step = x(1) - x(0);
  values.forEach((value, place) => {
    const said = `${block.x.name} ${number(block.x.first + place)}: ${number(value)}`;
    const size = Math.max(1, step * 0.78);
    root.append(
      svg("rect", { class: "bar", x: x(block.x.first + place) - size / 2, y: y(value), width: size, height: Math.max(0, y(0) - y(value)) }, svg("title", {}, said)),
    );
  });
  return root;
}

// Names that do not fit are cut; the whole name is in the title.
function fitted(name, width) {
  const most = Math.max(3, Math.floor(width / 7.6));
  return name.length > most ? `${name.slice(0, most - 1)}\u2026` : name;
}

// A row for each model: a point for each value, and a line at the mean.
function drawStrips(width, block) {
  const left = Math.min(180, width * 0.34);
  const step = 30;
  const height = block.rows.length * step + 50;
  const given = { title: block.title, x: block.x, y: { name: "", from: 0, to: 1 } };
  const x = scaleOf(given.x, left, width - 14);
  const root = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": block.title });
  const bottom = height - 42;
  for (const value of ticksOf(block.x.from, block.x.to, false, Math.max(4, Math.floor((width - left) / 55)))) {
    root.append(svg("line", { class: "grid", x1: x(value), x2: x(value), y1: 4, y2: bottom }));
    root.append(svg("text", { class: "tick", x: x(value), y: bottom + 16, "text-anchor": "middle" }, number(Number(value.toPrecision(6)))));
  }
  root.append(svg("text", { class: "axis", x: (left + width - 14) / 2, y: height - 6, "text-anchor": "middle" }, block.x.name));
  block.rows.forEach((row, place) => {
    const middle = place * step + step / 2 + 4;
    root.append(svg("text", { class: "name", x: left - 10, y: middle + 4, "text-anchor": "end" }, svg("title", {}, row.name), fitted(row.name, left - 14)));
    root.append(svg("line", { class: "grid", x1: left, x2: width - 14, y1: middle, y2: middle }));
    for (const value of unpack(row.values)) {
      if (Number.isFinite(value)) root.append(svg("circle", { class: "dot", cx: x(value), cy: middle, r: 4.5 }, svg("title", {}, `${row.name}: ${number(value)}`)));
    }
    const mean = unpack(row.mean)[0];
    if (Number.isFinite(mean)) root.append(svg("line", { class: "mean", x1: x(mean), x2: x(mean), y1: middle - 10, y2: middle + 10 }, svg("title", {}, `${row.name}: mean ${number(mean)}`)));
  });
  return root;
}
