"""`labelwise tune`: tune thresholds or bands on scores and labels in files, and print the result.

The options that say what thresholds are tuned for are those of the request of
`labelwise.decisions`, which declares their names, defaults, parsers and help texts.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Annotated, Any, NamedTuple, cast

import typer

from labelwise import data, decisions, measures
from labelwise._tuning import Certify, Request, parse_count
from labelwise.cli import _options as opt
from labelwise.cli._blocks import (
    block_notes,
    opened_blocks,
    reads_in_blocks,
    refuse_with_blocks,
)
from labelwise.cli._inputs import MatrixSource
from labelwise.cli._outputs import (
    Outputs,
    check_ending,
    check_figure,
    warnings_as_notes,
    working,
    write_figure,
)
from labelwise.cli.running import command, with_options

# Labels in the figure, the most frequent ones.
_MOST_DRAWN = 25
# Options of the request that bands take, too.
_RATES = ("min_precision", "min_recall")
_OF_BANDS = (*_RATES, "cost", "guarantee", "weigh")
# Options of a guarantee that a certified path takes, too.
_OF_PATH = ("weigh", "tuning_share")
# Options of the request that rules by rank take.
_OF_RANKS = ("maximize", "beta")
_RULES = ("thresholds", "rank", "proportion")
_IN_BLOCKS = "rows that are read in blocks are not cross-validated"


@command(
    example="labelwise tune scores.csv labels.csv --maximize macro-f -o thresholds.json",
    json=True,
    force=True,
    inputs=["scores", "labels"],
)
def tune(
    scores: opt.Scores,
    labels: opt.Truth,
    *,
    asked: Annotated[dict[str, Any], Request, Certify],
    review: Annotated[
        str | None,
        typer.Option(
            help="Find bands (accept, review, reject) instead: most cells that a person reviews, "
            "500 in total or 0.05 as mean of a sample (50 cells of 1,000); auto for the fewest "
            "that meet --min-precision and --min-recall, or for the least --cost."
        ),
    ] = None,
    certify_path: Annotated[
        bool,
        typer.Option(
            "--certify-path",
            help="Bound precision and recall at every point of a path of thresholds together, with "
            "the probability --guarantee (0.95); -o writes the thresholds of the best point with "
            "the bounds --min-precision and --min-recall, which may be chosen after looking.",
        ),
    ] = False,
    rule: Annotated[
        str,
        typer.Option(
            help="thresholds; rank: as many labels of each row as are best for --maximize, those "
            "of its highest scores; proportion: each label for as large a share of rows as here."
        ),
    ] = "thresholds",
    bootstrap: Annotated[
        int,
        typer.Option(help="Resamples for a 95% interval of the value on new samples, e.g. 200."),
    ] = 0,
    seed: opt.Seed = 0,
    output: opt.ThresholdOutput = None,
    plot: opt.Plot = None,
    groups: opt.Groups = None,
    slices: opt.Slices = None,
    weights: opt.Weights = None,
    cluster: opt.Cluster = None,
    source: MatrixSource,
) -> None:
    """Find the thresholds that maximize a measure.

    Its value on new samples is estimated, too.
    """
    given, changed = opt.tuning_arguments(asked)
    others: dict[str, Any]
    by_rank = _is_by_rank(rule)
    if by_rank:
        others = {"review": review, "certify_path": certify_path, "bootstrap": bootstrap}
        others |= {"plot": plot, "slices": slices, "cluster": cluster}
        if rule == "proportion":
            others["weights"] = weights
        _refuse_beside(f"rule {rule}", changed, _OF_RANKS, others)
        if reads_in_blocks(scores, source.max_bytes):
            raise ValueError(f"--rule {rule} needs all rows in memory, got {scores}.")
    if review is not None:
        others = {"bootstrap": bootstrap, "plot": plot, "cluster": cluster, "slices": slices}
        _refuse_beside("review", changed, _OF_BANDS, others)
        if review == "auto" and all(given[name] is None for name in (*_RATES, "cost")):
            raise ValueError("--review auto needs --min-precision, --min-recall or --cost.")
    if certify_path:
        others = {"review": review, "bootstrap": bootstrap, "slices": slices, "cluster": cluster}
        _refuse_beside("certify-path", changed, (*_RATES, "guarantee", *_OF_PATH), others)
        if output is not None and all(given[name] is None for name in _RATES):
            raise ValueError("--output of --certify-path needs --min-precision or --min-recall.")
    if slices is not None and plot is not None:
        raise ValueError("--plot does not go together with --slices.")
    check_figure(plot)
    check_ending(output, ".json")
    inputs = [scores, *data.input_files(labels, labels=source.columns)]
    outputs = Outputs([output, plot], inputs=inputs)
    beside = {"groups": groups, "slices": slices, "weights": weights}
    if review is None and (cluster is not None or reads_in_blocks(scores, source.max_bytes)):
        refuse_with_blocks(source, plot=plot, bootstrap=bootstrap, **beside)
        paths = {"Y": labels, "scores": scores}
        with opened_blocks("reading in blocks", paths, source, cluster, "scores") as (files, how):
            found = _tuned_thresholds(given, files | how, in_blocks=True)
        notes = block_notes(paths, source)
    else:
        with working("reading"), warnings_as_notes():
            same = source.read(
                labels, [scores], beside=beside, allow_missing=True, labels_of_scores=True
            )
            samples = {"scores": same.others[0].values, "Y": same.truth.values}
            rows = source.row_arguments(labels, beside, same.truth)
            rows["random_state"] = seed
        notes = same.notes
        names: dict[str, Any] = {"label_names": same.truth.label_names}
        with working("tuning"), warnings_as_notes():
            if by_rank:
                found = _rule_by_rank(rule, given, samples | rows, **names)
            elif review is not None:
                found = _tuned_bands(review, given, samples | rows, **names)
            elif certify_path:
                found = _certified_path(given, samples | rows, asked, **names)
            else:
                found = _tuned_thresholds(given, samples | rows, bootstrap, **names)
        if plot is not None:
            figure = _path_figure(found.path) if certify_path else _figure(found.rule, **samples)
            write_figure(plot, figure)
    if output is not None and found.rule is not None:
        found.rule.save(output)
    outputs.show(found.text, found.record, notes)
    outputs.say_all_written()


def _refuse_beside(
    option: str, changed: list[str], allowed: Sequence[str], others: Mapping[str, Any]
) -> None:
    """Refuse changed options of the request that are not allowed, and others that are given."""
    refused = [name for name, value in others.items() if value]
    refused += [name for name in changed if name not in allowed]
    if refused:
        beside = refused[0].replace("_", "-")
        raise ValueError(f"--{option} does not go together with --{beside}.")


def _is_by_rank(rule: str) -> bool:
    """Return whether --rule is not for thresholds; refuse what is no rule."""
    if rule not in _RULES:
        raise ValueError(f"--rule must be one of {', '.join(_RULES)}, got {rule!r}.")
    return rule != "thresholds"


class _Tuned(NamedTuple):
    """A rule, the text that explains it, and the same for --json."""

    rule: Any
    text: str
    record: dict[str, Any]
    path: Any = None  # the certified path that the rule is a point of


def _tuned_thresholds(
    given: dict[str, Any],
    samples: dict[str, Any],
    n_bootstrap: int = 0,
    *,
    in_blocks: bool = False,
    **names: Any,
) -> _Tuned:
    """Tune thresholds, and estimate their value on new samples unless rows are read in blocks."""
    reason = "the other folds give no thresholds"
    if in_blocks:
        reason = _IN_BLOCKS
        if given["shrink"] == "auto":
            reason, given = f"{reason}, so that --shrink auto is 0", given | {"shrink": 0.0}
    # The report names labels without positives.
    warnings.filterwarnings("ignore", "Y has no positives")
    tuned = decisions.best_thresholds(**samples, **names, **given)
    request: Any = tuned.evidence.request
    limits = [name for name, limit in request.limits._asdict().items() if limit is not None]
    free_value, lines, more = tuned.value, [], dict[str, Any]()
    if limits:
        free = given | dict.fromkeys((*limits, "guarantee")) | {"shrink": 0.0}
        free_value = decisions.best_thresholds(**samples, **names, **free).value
        options = " and ".join(f"--{name.replace('_', '-')}" for name in limits)
        lines.append(
            f"without {options} the highest value (--shrink 0) is {free_value:.4f}: the constraint "
            f"costs {free_value - tuned.value:.4f}"
        )
    elif not in_blocks:
        more["corrected_value"] = decisions.corrected_value(tuned, **samples)
    if n_bootstrap:
        bounds = decisions.confidence_interval(tuned, **samples, n_bootstrap=n_bootstrap)
        spread = bounds.thresholds if tuned.slices is None else None
        more |= {"interval": bounds.value, "intervals": spread}
    tuned = replace(tuned, evidence=replace(tuned.evidence, **more))
    is_unknown = math.isnan(tuned.evidence.corrected_value)
    if is_unknown:
        lines.append(f"on new samples: not known, {reason}")
    head, *rest = tuned.report().split("\n\n")
    text = "\n".join(["\n\n".join([with_options(head), *rest]), *lines])
    return _Tuned(tuned, text, _record(tuned, free_value, reason if is_unknown else None))


def _record(
    tuned: decisions.Thresholds, free_value: float, unseen_reason: str | None
) -> dict[str, Any]:
    """Return thresholds and what is known about them for --json, with all labels."""
    known, counts = tuned.evidence, cast("measures.Counts", tuned.evidence.counts)
    columns = {
        "label": _names(tuned),
        "threshold": tuned.values,
        "support": known.support,
        "decided": known.decided,
        "f": known.f_of_labels,
    }
    return {
        "measure": known.measure,
        "average": known.average,
        "beta": known.beta,
        "value": tuned.value,
        "is_highest": known.exact,
        "unseen_value": known.corrected_value,
        "unseen_reason": unseen_reason,
        "value_without_constraints": free_value,
        "micro_precision": measures.micro(measures.precision, counts),
        "micro_recall": measures.micro(measures.recall, counts),
        "n_samples": known.n_samples,
        "n_missing": known.n_missing,
        "n_decisions": int(known.decided.sum()),
        "constraints": [check._asdict() for check in known.constraints],
        "guarantee": None if known.guarantee is None else asdict(known.guarantee),
        "most_per_row": tuned.max_decided,
        "top_per_row": tuned.max_rank,
        "shrink": known.shrink,
        "fbr": known.fbr,
        "interval": known.interval,
        "never_decided": known.never_decided(tuned.label_names, by_rank=tuned._is_by_rank),
        "labels": _rows(columns),
        "slices": None if tuned.slices is None else tuned.to_dict()["slices"],
    }


def _rule_by_rank(
    rule: str, given: dict[str, Any], samples: dict[str, Any], **names: Any
) -> _Tuned:
    """Find the best number of labels of each row, or the proportions of the labels."""
    how = {name: given[name] for name in _OF_RANKS} | names
    if rule == "rank":
        cut = decisions.rank_rule(**samples, **how)
        return _Tuned(cut, cut.report(), _record(cut, cut.value, None))
    found = decisions.proportion_rule(**samples, **how)
    known, counts = found.evidence, cast("measures.Counts", found.evidence.counts)
    by_label = {"label": _names(found), "share": found.shares, "f": known.f_of_labels}
    record = {
        "measure": known.measure,
        "average": known.average,
        "beta": known.beta,
        "value": found.value,
        "unseen_value": known.corrected_value,
        "micro_precision": measures.micro(measures.precision, counts),
        "micro_recall": measures.micro(measures.recall, counts),
        "n_samples": known.n_samples,
        "n_decisions": int(known.decided.sum()),
        "labels": _rows(by_label | {"support": known.support, "decided": known.decided}),
    }
    return _Tuned(found, found.report(), record)


def _names(
    rule: decisions.Thresholds | decisions.Bands | decisions.Proportions,
) -> tuple[str, ...]:
    return rule.label_names or tuple(map(str, range(len(rule))))


def _rows(columns: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _tuned_bands(
    review: str, given: dict[str, Any], samples: dict[str, Any], **names: Any
) -> _Tuned:
    """Find bands for a review, and what they reach on new samples."""
    rates = {name: given[name] for name in _RATES}
    more = {name: given[name] for name in ("cost", "guarantee")}
    most = None if review == "auto" else parse_count(review, "--review")
    bands = decisions.review_bands(**samples, **names, **rates, **more, max_review=most)
    known, lines = bands.evidence, [repr(bands)]
    if known.guarantee is not None:
        told = known.guarantee
        unseen = told.precision, told.recall, told.value
    else:
        found = decisions.corrected_value(bands, **samples)
        lines += ["", *_lines_on_new_rows(found, rates)]
        unseen = (math.nan,) * 3
        if found is not None:
            unseen = found.precision, found.recall, found.review_per_1000
    counts = ("support", "accepted", "accepted_positives", "reviewed", "reviewed_positives")
    by_label = {"label": _names(bands), "lower": bands.lower, "upper": bands.upper}
    record = {
        "objective": known.objective,
        "value": known.value,
        "is_best": known.exact,
        "gap": known.gap,
        "precision": known.precision,
        "recall": known.recall,
        "recall_accepted": known.recall_accepted,
        "review_per_1000": known.review_per_1000,
        "unseen_precision": unseen[0],
        "unseen_recall": unseen[1],
        "unseen_review_per_1000": unseen[2],
        "n_samples": known.n_samples,
        "most_per_row": bands.max_decided,
        "guarantee": None if known.guarantee is None else asdict(known.guarantee),
        "labels": _rows(by_label | {name: getattr(known, name) for name in counts}),
    }
    return _Tuned(bands, "\n".join(lines), record)


def _lines_on_new_rows(
    found: decisions.ReviewMeasures | None, rates: dict[str, float | None]
) -> list[str]:
    """Say what bands reach on rows that they were not tuned on, and which rate is not kept."""
    if found is None:
        return ["on new samples: not known, the other folds give no bands"]
    lines = [
        f"on new samples (cross-validation): precision {found.precision:.4f} of accepted cells, "
        f"recall {found.recall:.4f}, about {found.review_per_1000:,.0f} cells of 1,000 samples to "
        "review"
    ]
    for limit, least in rates.items():
        name = limit.removeprefix("min_")
        rate = getattr(found, name)
        if least is not None and rate < least:
            met = f"--min-{name} {least:g} is met on the tuning samples only"
            lines.append(f"Expect a {name} of about {rate:.4f} on new samples: {met}.")
    return lines


def _certified_path(
    given: dict[str, Any], samples: dict[str, Any], asked: dict[str, Any], **names: Any
) -> _Tuned:
    """Certify all points of a path, and choose the best one with the bounds asked for."""
    level = given["guarantee"]
    if level is None:
        level = decisions.Certify(0.95, **{name: asked[name] for name in _OF_PATH})
    frontier = decisions.certified_frontier(**samples, **names, level=level)
    columns = ("precision", "min_precision", "recall", "min_recall", "max_decided")
    record: dict[str, Any] = {
        "level": frontier.level,
        "weigh": frontier.weigh,
        "n_tuning": frontier.n_tuning,
        "n_calibration": frontier.n_calibration,
        "points": _rows({name: getattr(frontier, name) for name in columns}),
        "chosen": None,
    }
    limits = {name: given[name] for name in _RATES if given[name] is not None}
    lines, rule = [repr(frontier)], None
    if limits:
        record["chosen"] = point = frontier.find(**limits)
        rule = frontier.at(point)
        guarantee: Any = rule.evidence.guarantee
        lines += ["", f"point {point}: {guarantee.lines(None)[0]}"]
    return _Tuned(rule, "\n".join(lines), record, frontier)


def _path_figure(frontier: decisions.CertifiedFrontier) -> Any:
    """Draw the rates along a path, and their bounds."""
    from matplotlib.figure import Figure

    from labelwise.reports import CertifiedFrontierDisplay

    ax = Figure(figsize=(6, 6), layout="constrained").subplots()
    return CertifiedFrontierDisplay(frontier).plot(ax).figure_


def _figure(tuned: Any, scores: Any, Y: Any) -> Any:
    """Draw the frontier of precision and recall, and the thresholds of the frequent labels."""
    from matplotlib.figure import Figure

    from labelwise.reports import FrontierDisplay, ThresholdDisplay

    height = max(5.0, 1.6 + 0.34 * min(len(tuned), _MOST_DRAWN))
    left, right = Figure(figsize=(13, height), layout="constrained").subplots(1, 2)
    FrontierDisplay.from_predictions(Y, scores, beta=tuned.evidence.beta, ax=left)
    ThresholdDisplay.from_predictions(
        Y,
        scores,
        thresholds=tuned,
        label_names=tuned.label_names,
        max_labels=_MOST_DRAWN,
        ax=right,
    )
    return left.figure
