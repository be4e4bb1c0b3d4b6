// Numbers as text, csv files, and downloads.

const MINUS = "\u2212";
const NONE = "\u2013";

function signed(text) {
  return text.replace("-", MINUS);
}

// A share, such as precision: three decimals.
function share(value) {
  return Number.isFinite(value) ? value.toFixed(3) : NONE;
}

// A count, with thin spaces between thousands.
function whole(value) {
  return Number.isFinite(value) ? Math.round(value).toLocaleString("en-US") : NONE;
}

// A number of any size, in about four digits.
function number(value) {
  if (value === Infinity) return "\u221e";
  if (value === -Infinity) return `${MINUS}\u221e`;
  if (!Number.isFinite(value)) return NONE;
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return signed(value.toLocaleString("en-US"));
  const size = Math.abs(value);
  if (size >= 1000) return whole(value);
  if (size >= 1e-3) return signed(value.toPrecision(size < 1 ? 3 : 4));
  return signed(value.toExponential(1));
}

function threshold(value) {
  if (value === Infinity) return "never";
  if (value === -Infinity) return "always";
  return number(value);
}

function rangeText(low, high, show) {
  if (low === null || Number.isNaN(low)) return NONE;
  return low === high ? show(low) : `${show(low)}\u2009\u2013\u2009${show(high)}`;
}

function plural(count, one, many) {
  return `${whole(count)} ${count === 1 ? one : many}`;
}

// A spreadsheet runs cells that begin with these characters as formulas.
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

function csvCell(value) {
  if (typeof value === "number") return Number.isNaN(value) ? "" : String(value).replace("Infinity", "inf");
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvText(rows) {
  return `${rows.map((row) => row.map(csvCell).join(",")).join("\n")}\n`;
}

function download(name, kind, text) {
  const address = URL.createObjectURL(new Blob([text], { type: kind }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
