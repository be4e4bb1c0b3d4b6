"""The kernel that bets on one row after another, for many hypotheses at the same time."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

from math import log1p, sqrt

from labelwise._jit import njit

# The largest share of the capital that one row may lose.
LARGEST_LOSS = 0.95


@njit(cache=True, nogil=True)
def bet_on_rows(values, state, lowest, target, n_left, bets):
    """Bet on the rows of `values` that the mean of each column is above 0; update the state.

    The rows of `state` are the logarithm of the capital, its maximum, the sum of squares and the
    number of rows behind it, one column for each hypothesis. `lowest` is the least possible value,
    `target` the logarithm of the capital that rejects, and `n_left` the number of rows to come,
    these included. `bets` has the bets per standard deviation for capitals that are lower than the
    target by factors of ``exp(-i / step)``, see `_betting.bet_table`.
    """
    table, step = bets
    for i in range(values.shape[0]):
        root = sqrt(n_left - i)
        for k in range(values.shape[1]):
            if state[1, k] >= target:
                continue
            short = min((target - state[0, k]) * step, table.size - 1.001)
            below = int(short)
            bet = table[below] + (short - below) * (table[below + 1] - table[below])
            bet /= root * sqrt(state[2, k] / state[3, k])
            state[0, k] += log1p(min(bet, LARGEST_LOSS / -lowest[k]) * values[i, k])
            state[1, k] = max(state[1, k], state[0, k])
            state[2, k] += values[i, k] ** 2
            state[3, k] += 1
