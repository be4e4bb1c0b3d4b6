// The critical-difference diagram of average ranks, and the map of labels that occur together.

function lineFrom(...points) {
  return points.map(([x, y], place) => `${place ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

// Average ranks on an axis, the best at the left; a bar connects methods that do not differ.
function drawRanks(width, block) {
  const n = block.names.length;
  const last = Math.max(n, 2, 1 + (block.distance ?? 0));
  const nLeft = Math.ceil(n / 2);
  const side = Math.min(200, width * 0.33);
  const x = linear(1, last, side, width - side);
  const [axis, lift] = [62, 22];
  const firstName = axis + 26 + block.groups.length * 12;
  const height = firstName + nLeft * lift + 8;
  const root = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": block.title });
  root.append(svg("line", { class: "rule", x1: x(1), x2: x(Math.max(n, 2)), y1: axis, y2: axis }));
  const step = Math.ceil(n / Math.max(2, Math.floor((width - 2 * side) / 26)));
  for (let rank = 1; rank <= Math.max(n, 2); rank += step) {
    root.append(svg("line", { class: "rule", x1: x(rank), x2: x(rank), y1: axis - 6, y2: axis }));
    root.append(svg("text", { class: "tick", x: x(rank), y: axis - 11, "text-anchor": "middle" }, String(rank)));
  }
  if (block.distance !== null) {
    const [from, to] = [x(1), x(1 + block.distance)];
    root.append(svg("path", { class: "leader", d: `${lineFrom([from, 26], [to, 26])}M${from} 21V31M${to} 21V31` }));
    root.append(svg("text", { class: "tick", x: Math.max(from, 4), y: 14 }, `critical difference ${number(block.distance)}`));
  }
  drawRankNames(root, { block, x, axis, firstName, lift, nLeft, side, width });
  block.groups.forEach((group, place) => {
    const ranks = group.map((j) => block.ranks[j]);
    const y = axis + 12 + place * 12;
    const said = `No significant difference: ${group.map((j) => block.names[j]).join(", ")}`;
    root.append(svg("line", { class: "group", x1: x(Math.min(...ranks)) - 3, x2: x(Math.max(...ranks)) + 3, y1: y, y2: y }, svg("title", {}, said)));
  });
  return root;
}

function drawRankNames(root, at) {
  const { block, x } = at;
  const order = block.names.map((_, j) => j).sort((a, b) => block.ranks[a] - block.ranks[b] || a - b);
  order.forEach((j, place) => {
    const isLeft = place < at.nLeft;
    // The outermost methods have the highest lines, so that no two lines cross.
    const line = isLeft ? place : order.length - 1 - place;
    const y = at.firstName + (line + 0.5) * at.lift;
    const end = isLeft ? at.side - 12 : at.width - at.side + 12;
    const rank = x(block.ranks[j]);
    root.append(svg("path", { class: "leader", d: lineFrom([rank, at.axis], [rank, y], [end, y]) }));
    const text = `${fitted(block.names[j], at.side - 56)} ${block.ranks[j].toFixed(2)}`;
    root.append(svg("text", { class: "name", x: isLeft ? end - 5 : end + 5, y: y + 4, "text-anchor": isLeft ? "end" : "start" }, svg("title", {}, block.names[j]), text));
  });
}

// Rows and columns are labels; the stronger the colour, the more samples of the row have the column.
function drawHeat(width, block) {
  const n = block.names.length;
  const left = Math.min(150, width * 0.3);
  const size = Math.min(34, (width - left - 6) / n);
  const head = Math.min(120, left, 16 + 6.5 * Math.max(...block.names.map((name) => name.length)));
  const [plotWidth, height] = [left + size * n + 6, head + size * n + 6];
  const root = svg("svg", { width: plotWidth, height, viewBox: `0 0 ${plotWidth} ${height}`, role: "img", "aria-label": block.title });
  const shares = unpack(block.shares);
  const counts = unpack(block.counts);
  for (let i = 0; i < n; i += 1) {
    const middle = (i + 0.5) * size;
    const across = svg("text", { class: "tick", x: left - 6, y: head + middle + 4, "text-anchor": "end" }, svg("title", {}, block.names[i]), fitted(block.names[i], left - 6));
    const up = svg("text", { class: "tick", "text-anchor": "start", transform: `translate(${left + middle + 4} ${head - 6}) rotate(-90)` }, svg("title", {}, block.names[i]), fitted(block.names[i], head - 6));
    if (size < 12) for (const text of [across, up]) text.setAttribute("font-size", String(Math.max(6, size)));
    root.append(across, up);
    for (let j = 0; j < n; j += 1) {
      const part = shares[i * n + j];
      const said = i === j ? `${block.names[i]}: ${whole(counts[i * n + j])} samples` : `${whole(counts[i * n + j])} samples have both: ${share(part)} of ${block.names[i]} have ${block.names[j]}`;
      const opacity = i === j ? 0.25 : Number.isFinite(part) ? 0.03 + 0.97 * Math.sqrt(part) : 0;
      root.append(svg("rect", { class: i === j ? "heat own" : "heat", x: left + j * size, y: head + i * size, width: size, height: size, "fill-opacity": opacity.toFixed(3) }, svg("title", {}, said)));
    }
  }
  return root;
}
