"""Intervals of an audit, written as their definition over all cells of the population."""

import math
from typing import NamedTuple

from tests.oracles.guarantees import capitals


class Cell(NamedTuple):
    """A cell: decided ("yes", "no" or "review"), guess and weight; its answer if it was known."""

    decided: str
    guess: float
    weight: float
    known: float | None = None


def parts(cell, y, measure, beta):
    """What a cell with this truth adds above and below the line of a measure."""
    is_decided = y if cell.decided == "review" else float(cell.decided == "yes")
    if measure == "precision":  # of the cells that are decided without a person
        return (y, 1.0) if cell.decided == "yes" else (0.0, 0.0)
    if measure == "recall":
        return is_decided * y, y
    return (1 + beta**2) * is_decided * y, is_decided + beta**2 * y


def number(cell, y, value, measure, beta):
    """Above 0 in sum over all cells if the measure is above the value."""
    above, below = parts(cell, y, measure, beta)
    return above - value * below


def expected(cell, value, measure, beta):
    """The number that the guess lets expect."""
    of_both = [number(cell, y, value, measure, beta) for y in (0.0, 1.0)]
    return cell.guess * of_both[1] + (1 - cell.guess) * of_both[0]


def estimates(cells, drawn, answers, value, measure, beta, sign):
    """For each draw an estimate of the sum of all numbers, and the least that it could have been.

    An answer None is not sure, and counts against the sign.
    """
    found, sure = [], {}
    for place, answer in zip(drawn, answers, strict=True):
        left = [i for i, cell in enumerate(cells) if cell.known is None and i not in sure]
        total = sum(cells[i].weight for i in left)
        base = sum(
            sign * number(cell, sure.get(i, cell.known), value, measure, beta)
            if i in sure or cell.known is not None
            else sign * expected(cell, value, measure, beta)
            for i, cell in enumerate(cells)
        )

        def estimate(i, y, base=base, total=total):
            surprise = number(cells[i], y, value, measure, beta) - expected(
                cells[i], value, measure, beta
            )
            return base + sign * surprise * total / cells[i].weight

        if answer is None:
            answer = min(
                (0.0, 1.0), key=lambda y: sign * number(cells[place], y, value, measure, beta)
            )
        every = [i for i, cell in enumerate(cells) if cell.known is None]
        least = min(estimate(i, y) for i in every for y in (0.0, 1.0))
        found.append((estimate(place, answer), least))
        sure[place] = answer
    return found


def is_rejected(cells, drawn, answers, value, measure, beta, sign, alpha, n_planned):
    """Whether bets reach 1 / alpha that the measure is above (sign 1) or below (-1) the value."""
    found = estimates(cells, drawn, answers, value, measure, beta, sign)
    numbers = [one / max(-least, 1e-12) for one, least in found]
    unknown = [cell for cell in cells if cell.known is None]
    total = sum(cell.weight for cell in unknown)
    variance = total * sum(
        (number(cell, 1.0, value, measure, beta) - number(cell, 0.0, value, measure, beta)) ** 2
        * cell.guess
        * (1 - cell.guess)
        / cell.weight
        for cell in unknown
    )
    first = -found[0][1] if found else 1.0
    square = max(variance / max(first, math.sqrt(variance) + 1e-9) ** 2, 1e-12)
    reached = capitals(numbers, -1.0, square, alpha, n_planned=n_planned)
    return max([1.0, *reached]) >= 1 / alpha


def interval(cells, drawn, answers, grid, measure, beta, alpha, n_planned):
    """The last value of the grid from either end before one that is not rejected."""

    def end(values, sign):
        reached = values[0]
        for value in values:
            if not is_rejected(
                cells, drawn, answers, value, measure, beta, sign, alpha / 2, n_planned
            ):
                break
            reached = value
        return reached

    return end(list(grid), 1), end(list(grid)[::-1], -1)
