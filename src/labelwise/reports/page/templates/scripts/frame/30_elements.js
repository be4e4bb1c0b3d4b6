// Elements of HTML and SVG. Text is only ever set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function byId(id) {
  return document.getElementById(id);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

function html(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

// A number on the page, with all its digits in data-value.
function setNumber(element, value, show) {
  element.textContent = show(value);
  element.setAttribute("data-value", String(value));
  element.title = Number.isFinite(value) ? String(value) : "";
}

function linear(from, to, low, high) {
  const factor = (high - low) / (to - from || 1);
  return (value) => low + (value - from) * factor;
}

function lineThrough(xs, ys) {
  const parts = [];
  for (let i = 0; i < xs.length; i += 1) {
    parts.push(`${i ? "L" : "M"}${xs[i].toFixed(2)} ${ys[i].toFixed(2)}`);
  }
  return parts.join("");
}

function clear(element) {
  element.replaceChildren();
  return element;
}

// Draw again whenever the width of an element changes.
function onWidth(element, draw) {
  let last = 0;
  new ResizeObserver(() => {
    const width = Math.round(element.clientWidth);
    if (width && width !== last) {
      last = width;
      draw(width);
    }
  }).observe(element);
}

// A message for screen readers, after the numbers have come to rest.
let announcing = 0;
function announce(text) {
  clearTimeout(announcing);
  announcing = setTimeout(() => {
    byId("announcer").textContent = text;
  }, 500);
}
