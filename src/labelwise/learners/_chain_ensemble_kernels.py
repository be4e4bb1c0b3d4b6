"""Kernel that draws the labels of samples one after the other, by logistic regressions."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import math

from labelwise._jit import njit

# Its exponential is finite.
_HIGHEST = 700.0


@njit(cache=True, nogil=True)
def draw_labels(margins, of_labels, order, numbers, drawn, chances):
    """Draw labels in an order, once for each row of `numbers`, and add their probabilities.

    `margins` are those of no labels, and changed; a label k that is drawn adds of_labels[k]. A
    label is drawn if its number is below its probability, which is added to `chances` in the last
    sweep. One sweep, with labels that depend on earlier ones alone, is ancestral sampling; several
    sweeps are Gibbs sampling.
    """
    n_sweeps = len(numbers)
    for i in range(margins.shape[0]):
        row, own = margins[i], drawn[i]
        for sweep in range(n_sweeps):
            for k in order:
                chance = 1 / (1 + math.exp(min(-row[k], _HIGHEST)))
                is_on = numbers[sweep, k] < chance
                if is_on != own[k]:
                    own[k] = is_on
                    for j in range(row.size):
                        row[j] += of_labels[k, j] if is_on else -of_labels[k, j]
                if sweep == n_sweeps - 1:
                    chances[i, k] += chance
