// Measures of counts, as labelwise.measures defines them.

function ratio(above, below, whenEmpty) {
  return below === 0 ? whenEmpty : above / below;
}

function specificity(tp, fp, fn, tn) {
  return ratio(tn, tn + fp, NaN);
}

const precision = (tp, fp) => ratio(tp, tp + fp, NaN);
const recall = (tp, fp, fn) => ratio(tp, tp + fn, NaN);

function fMeasure(tp, fp, fn, tn, beta = 1) {
  const weighted = (1 + beta * beta) * tp;
  return ratio(weighted, weighted + beta * beta * fn + fp, 1);
}

function matthews(tp, fp, fn, tn) {
  const size = Math.sqrt(tp + fp) * Math.sqrt(tp + fn) * Math.sqrt(tn + fp) * Math.sqrt(tn + fn);
  return ratio(tp * tn - fp * fn, size, NaN);
}

// By the names of the command line; `python` is the function that thresholds.json names.
const MEASURES = {
  f: { name: "F", python: "f_measure", of: fMeasure },
  jaccard: { name: "Jaccard", python: "jaccard", of: (tp, fp, fn) => ratio(tp, tp + fp + fn, 1) },
  precision: { name: "precision", python: "precision", of: precision },
  recall: { name: "recall", python: "recall", of: recall },
  accuracy: {
    name: "accuracy",
    python: "accuracy",
    of: (tp, fp, fn, tn) => ratio(tp + tn, tp + fp + fn + tn, NaN),
  },
  "balanced-accuracy": {
    name: "balanced accuracy",
    python: "balanced_accuracy",
    of: (...counts) => (recall(...counts) + specificity(...counts)) / 2,
  },
  "g-mean": {
    name: "geometric mean",
    python: "g_mean",
    of: (...counts) => Math.sqrt(recall(...counts) * specificity(...counts)),
  },
  matthews: { name: "Matthews correlation", python: "matthews", of: matthews },
};

const QUANTILE = 1.959963984540054;

// Log-odds interval of right / (right + wrong); `spread` widens it for samples that hang together.
// `variance` is that of the weighted sum of errors, if errors have weights.
function oddsInterval(right, wrong, spread = 1, variance = wrong) {
  const odds = Math.log(right / wrong);
  const error = QUANTILE * spread * Math.sqrt(1 / right + variance / (wrong * wrong));
  return [1 / (1 + Math.exp(error - odds)), 1 / (1 + Math.exp(-error - odds))];
}

// Interval of F-beta: half a hit and half an error are added, so that 0 and 1 have one too.
function fInterval(tp, fp, fn, beta, spread = 1) {
  const weight = beta * beta;
  const wrong = (fp + 0.25 + weight * (fn + 0.25)) / (1 + weight);
  const variance = (fp + 0.25 + weight * weight * (fn + 0.25)) / ((1 + weight) * (1 + weight));
  return oddsInterval(tp + 0.5, wrong, spread, variance);
}
