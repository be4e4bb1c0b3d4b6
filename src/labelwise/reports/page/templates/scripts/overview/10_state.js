// What was chosen: the sorting and search of tables, the options of choices, the colours.

const state = new Map(readAddress());

function chosen(key, otherwise) {
  return state.get(key) ?? otherwise;
}

function choose(key, value) {
  if (value === "" || value === null) state.delete(key);
  else state.set(key, value);
  writeAddress([...state]);
}

const FORMATS = {
  whole,
  share: (value) => (Number.isFinite(value) ? signed(value.toFixed(4)) : number(value)),
  number,
  seconds: (value) => (Number.isFinite(value) ? `${number(value)} s` : NONE),
  bytes: (value) => (Number.isFinite(value) ? `${number(value / 2 ** 20)} MB` : NONE),
  chance: (value) => (value < 0.0001 ? "< 0.0001" : FORMATS.share(value)),
};

function shownText(column, row) {
  return column.shown[row] ?? column.values[row];
}

// Text of two parts would run into each other in other writing directions.
function isolated(text) {
  return html("bdi", {}, text === "" ? "(no name)" : text);
}
