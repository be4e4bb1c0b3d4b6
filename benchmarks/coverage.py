"""How often intervals contain the true value: of tuned thresholds, and of a mean difference.

The scores of a label are normal, around 0 for samples without it and higher for samples with it,
so that the value of any thresholds on new rows is known without a test set. Labels and scores of a
sample are correlated. The differences of two methods are drawn from distributions of mean 0. Both
tables go into the docs.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from labelwise.decisions import best_thresholds, confidence_interval
from labelwise.experiments import paired_difference
from labelwise.measures import Counts, evaluate, f_measure, macro, micro

TABLE = Path(__file__).with_name("coverage.md")
DIFFERENCES = Path(__file__).with_name("coverage_differences.md")
# Levels take turns; the first is simulated twice as often as the second.
LEVELS = (0.95, 0.95, 0.9)
N_DRAWS = 200
N_SIMULATIONS = 600
CORRELATION = 0.3


class Setting(NamedTuple):
    """Rows to tune on, and the share and the distance of the positives of each label."""

    n_samples: int
    shares: np.ndarray
    distances: np.ndarray

    @property
    def words(self) -> str:
        """Cells of a row of the table."""
        low, high = self.shares[0], self.shares[-1]
        return f"{self.n_samples} | {self.shares.size} | {low:.0%} to {high:.0%}"


def settings() -> list[Setting]:
    """Return the settings: few frequent labels and many rare ones, by the number of rows."""
    frequent, rare = np.linspace(0.1, 0.4, 5), np.linspace(0.01, 0.05, 30)
    return [
        Setting(n_samples, shares, np.where(np.arange(shares.size) % 2, 2.0, 1.0))
        for shares in (frequent, rare)
        for n_samples in (100, 300, 2000)
    ]


def draw(setting: Setting, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return scores and labels; labels without positives are drawn again."""
    shape = (setting.n_samples, setting.shares.size)

    def noise() -> np.ndarray:
        common = random.standard_normal((shape[0], 1))
        own = random.standard_normal(shape)
        return np.sqrt(CORRELATION) * common + np.sqrt(1 - CORRELATION) * own

    Y = noise() < norm.ppf(setting.shares)
    while not Y.any(axis=0).all():
        empty = ~Y.any(axis=0)
        Y[:, empty] = (noise() < norm.ppf(setting.shares))[:, empty]
    return noise() + setting.distances * Y, Y


def value_on_new_rows(setting: Setting, thresholds: np.ndarray, average: str) -> float:
    """Return the F of thresholds in the population."""
    tp = setting.shares * norm.sf(thresholds - setting.distances)
    fp = (1 - setting.shares) * norm.sf(thresholds)
    counts = Counts(tp, fp, setting.shares - tp, 1 - setting.shares - fp)
    return float((micro if average == "micro" else macro)(f_measure, counts))


def best_in_population(setting: Setting, average: str) -> np.ndarray:
    """Return the thresholds that are best in the population."""
    chance = np.log(setting.shares / (1 - setting.shares))
    shift = setting.distances / 2

    def at(limit: float) -> np.ndarray:
        # P(label | score) is a logistic function of the score.
        return (np.log(limit / (1 - limit)) - chance) / setting.distances + shift

    if average == "micro":
        found = minimize_scalar(
            lambda limit: -value_on_new_rows(setting, at(limit), "micro"), (0.01, 0.3, 0.6)
        )
        return at(found.x)
    return np.array(
        [
            minimize_scalar(
                lambda t, one=one: -value_on_new_rows(one, np.array([t]), "macro"), (-3, 1, 5)
            ).x
            for one in (
                Setting(0, setting.shares[[j]], setting.distances[[j]])
                for j in range(setting.shares.size)
            )
        ]
    )


def coverage(setting: Setting, average: str, n_simulations: int) -> str:
    """Return a row of the table."""
    random = np.random.default_rng(0)
    best = best_in_population(setting, average)
    held: dict[float, list[bool]] = {level: [] for level in LEVELS}
    spread, evaluated, optimism = [], [], []
    for seed in range(n_simulations):
        scores, Y = draw(setting, random)
        level = LEVELS[seed % len(LEVELS)]
        tuned = best_thresholds(scores, Y, maximize=f"{average}-f", random_state=seed)
        found = confidence_interval(
            tuned, scores, Y, n_bootstrap=N_DRAWS, confidence=level, random_state=seed
        )
        new = value_on_new_rows(setting, tuned.values, average)
        held[level].append(found.value[0] <= new <= found.value[1])
        optimism.append(tuned.value - new)
        if level == 0.95:
            low, high = found.thresholds
            spread.append(np.mean((low <= best) & (best <= high)))
            evaluated.append(is_held_by_evaluate(setting, scores, Y, best, average, seed))
    shares = " | ".join(f"{np.mean(found):.1%}" for found in held.values())
    return (
        f"| {setting.words} | {average} | {np.mean(optimism):.3f} | {shares} "
        f"| {np.mean(spread):.0%} | {np.mean(evaluated):.1%} |"
    )


def is_held_by_evaluate(
    setting: Setting,
    scores: np.ndarray,
    Y: np.ndarray,
    thresholds: np.ndarray,
    average: str,
    seed: int,
) -> bool:
    """Return whether the interval of `evaluate` contains the value of given thresholds."""
    shown = evaluate(Y, decided=scores >= thresholds, n_bootstrap=N_DRAWS, random_state=seed)
    found = shown.measured[f"{average}-f"]
    return bool(found.low <= value_on_new_rows(setting, thresholds, average) <= found.high)


HEAD = """| rows | labels | positives | F | optimism | 95 % interval | 90 % | threshold | evaluate |
|--:|--:|--:|---|--:|--:|--:|--:|--:|"""


SHAPES = {
    "normal": lambda random, n: random.standard_normal(n),
    "heavy tails (Student's t, 3 degrees)": lambda random, n: random.standard_t(3, n),
    "skewed (exponential)": lambda random, n: random.standard_exponential(n) - 1,
    "very skewed (log-normal)": lambda random, n: random.lognormal(size=n) - np.exp(0.5),
}
N_BLOCKS = (5, 10, 20, 40, 100)


def coverage_of_differences(shape: str, n_blocks: int, n_simulations: int) -> tuple[float, float]:
    """Return how often 95 % intervals contain the mean 0: of `paired_difference`, and of means.

    The latter are quantiles of the means of as many bootstrap samples.
    """
    random, n_held, n_held_by_means = np.random.default_rng(n_blocks), 0, 0
    for seed in range(n_simulations):
        differences = SHAPES[shape](random, n_blocks)
        values = np.stack([differences, np.zeros(n_blocks)], axis=1)
        found = paired_difference(values, n_bootstrap=999, random_state=seed)
        means = random.choice(differences, (999, n_blocks)).mean(axis=1)
        low, high = np.quantile(means, [0.025, 0.975])
        n_held += found.low <= 0 <= found.high
        n_held_by_means += low <= 0 <= high
    return n_held / n_simulations, n_held_by_means / n_simulations


def write_differences(n_simulations: int = 2000) -> None:
    """Print the table of differences, and write it for the docs."""
    columns = " | ".join(f"{n} data sets" for n in N_BLOCKS)
    lines = [f"| differences | {columns} |", "|---|" + "--:|" * len(N_BLOCKS)]
    for shape in SHAPES:
        found = [coverage_of_differences(shape, n, n_simulations) for n in N_BLOCKS]
        cells = " | ".join(f"{held:.1%} ({by_means:.1%})" for held, by_means in found)
        lines.append(f"| {shape} | {cells} |")
        print(lines[-1], flush=True)
    DIFFERENCES.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Print both tables, and write them for the docs."""
    write_differences()
    lines = [HEAD]
    for setting in settings():
        for average in ("micro", "macro"):
            lines.append(coverage(setting, average, N_SIMULATIONS))
            print(lines[-1], flush=True)
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
