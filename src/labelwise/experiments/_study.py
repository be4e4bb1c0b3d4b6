"""`Study`: every model on every fold of every data set, run once and stored.

Arguments are checked when the study is created; `running/` runs the cells.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from labelwise._io import DataError, plain_name
from labelwise._measuring import measure_named
from labelwise._validation import check_names, check_real, check_undefined, check_whole
from labelwise.data import Dataset
from labelwise.experiments._results import Results
from labelwise.experiments.running._cells import (
    TRAIN_TEST,
    Cell,
    Source,
    StudyPlan,
    encodable,
    make_plan,
)
from labelwise.experiments.running._executors import executor_for
from labelwise.experiments.running._scheduler import Progress, Scheduler, progress_callback
from labelwise.experiments.running._store import DIRECTION, Store

# Multiples of the golden ratio, modulo 1, never come close to each other.
_GOLDEN_RATIO = 0.6180339887498949
_ANY_CODE = "any-code"  # keep cells, whatever code computed them
_TIMEOUT_RANGE = (0.1, 1e7)  # seconds


class Study:
    """Run models on every fold of several data sets; can be resumed.

    A *cell* is one model on one fold of one split of one data set with one seed. The key of a cell
    is the hash of the bytes of the data, the class and parameters of the model, the split, the
    fold, the seed, the measures, and the code of labelwise and of the user that can change the
    values. A change of any of these makes a new cell; a cell that is finished is not run again.

    Parameters
    ----------
    datasets : sequence or mapping of str to Dataset, str, Path or callable
        Data sets; names or files that `labelwise.data.load` accepts; or functions without
        arguments that return a `Dataset`. Names, files and functions are loaded in the process
        that runs the cell.
    models : mapping of str to estimator
        Estimators with ``get_params``, ``fit`` and ``predict``. Scores are taken from
        ``decision_function`` or ``predict_proba``. Each `random_state` that is None, also of a
        nested estimator, is drawn from the seed and the fold.
    splits : mapping of str to splitter
        Objects with ``split`` and ``get_n_splits``, or "train-test" for the training and test
        samples of the data set. A `random_state` that is None becomes the seed.
    measures : sequence or mapping
        Names of measures as in `evaluate`, such as "micro-f", and functions, which have their own
        name in the results, or that of a mapping from names to functions. A function is called with
        a `CellOutcome` and returns a number, or a mapping of names to numbers, which are stored as
        "name/part". A mapping may also rename a measure.
    seeds : sequence of int, default=(0,)
        Distinct whole numbers from 0 to 2**32 - 1. All cells are run for each seed.
    name : str, default="study"
        Name of the study in the store; studies in one store have different names.
    undefined : {"defined", "skip", "zero", "nan"} or float, default="defined"
        How labels and samples without a value enter a mean, as in `evaluate`. By default they are
        left out, and `Results.warnings` says how many they are; "nan" makes the mean NaN.
    timeout : float, default=None
        Time limit of a cell in seconds, from 0.1 to 1e7. A cell that takes longer fails, and its
        process is killed; with a timeout, cells run in a process of their own also if `n_jobs` is
        None. None means no limit. A dask cluster ignores the timeout and applies its own limits.
    lower_is_better : sequence of str, default=None
        Names of the measures of which lower values are better, for ranks and tests of the results;
        "name/part" for one of several values of a function, "name" for all. Higher values of all
        other functions are better. None leaves the directions of functions open; those of known
        measures are known.
    groups : str, default=None
        Column of identifiers of the data sets (`Dataset.ids`), such as that of patients: rows with
        the same value stay in the same fold, also in the folds inside of models. A table is read
        with it by ``load(path, ids=[...])``.
    weights : str, default=None
        Column of identifiers of the data sets that has the weight of each row, a number: measures
        count rows by weight, and models whose ``fit`` takes `sample_weight` are fitted with it.

    Attributes
    ----------
    store : Path or None
        File for the results that a study file names; None if the study was not read from a file.

    Raises
    ------
    TypeError
        If an argument has the wrong type, such as a class instead of an estimator.
    ValueError
        If an argument is empty, has a duplicate name, or names an unknown measure.

    See Also
    --------
    read_results : Read the results of a study from its store.

    Notes
    -----
    Code that counts: labelwise without its command line and reports; and, for each model, splitter
    and measure that is defined outside of installed packages, its class or function and all
    functions, classes and constants that its code names, directly or through others. Comments do
    not count. Code that is reached in other ways, such as by ``getattr`` with a text, is not seen.
    Other packages do not count; the versions of the important ones are stored with each cell.

    Each cell uses one thread; cells run in parallel.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from labelwise.experiments import Study
    >>> study = Study(
    ...     ["digits"],
    ...     {"neighbours": KNeighborsClassifier(), "tree": DecisionTreeClassifier()},
    ...     {"fixed": "train-test"},
    ...     ["micro-f", "hamming-loss"],
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     results = study.run(f"{folder}/study.sqlite")
    >>> len(results)
    4
    >>> results.state()
    '2 of 2 cells are done.'
    """

    def __init__(
        self,
        datasets: Sequence[Source] | Mapping[str, Source],
        models: Mapping[str, Any],
        splits: Mapping[str, Any],
        measures: Sequence[str | Mapping[str, Any]] | Mapping[str, Any],
        *,
        seeds: Sequence[int] = (0,),
        name: str = "study",
        undefined: str | float = "defined",
        timeout: float | None = None,
        lower_is_better: Sequence[str] | None = None,
        groups: str | None = None,
        weights: str | None = None,
    ) -> None:
        self.datasets = _check_datasets(datasets)
        self.models = _check_objects(models, "models", ("get_params", "fit"))
        self.splits = _check_objects(splits, "splits", ("split", "get_n_splits"), TRAIN_TEST)
        self.measures = _check_measures(measures)
        self.seeds = _check_seeds(seeds)
        self.name = encodable(str(name))
        self.undefined = check_undefined(undefined, allow_zero=True)
        self.timeout = _check_timeout(timeout)
        self.lower_is_better = lower_is_better
        self.groups = groups
        self.weights = weights
        self.store: Path | None = None
        self._directions = _check_directions(lower_is_better, self.measures)

    def __repr__(self) -> str:
        return (
            f"Study {self.name!r}: {len(self.datasets)} data sets x {len(self.models)} models x "
            f"{len(self.splits)} splits x {len(self.seeds)} seeds"
        )

    @classmethod
    def read(
        cls, path: str | Path, *, max_bytes: int | None = None, timeout: float | None = None
    ) -> Study:
        """Create a study from a TOML file, as `labelwise compare` does.

        Parameters
        ----------
        path : str or Path
            File with the arguments of `Study`: ``datasets``, ``measures``, and optionally
            ``seeds``, ``name``, ``undefined``, ``timeout``, ``groups``, ``weights`` and
            ``lower_is_better``;
            ``data_home`` and ``max_bytes``, which `labelwise.data.load` is called with; ``store``,
            by default the file with the suffix .sqlite; tables ``[models.NAME]`` and
            ``[splits.NAME]`` with a ``class`` of scikit-learn or labelwise and its ``params``.
            Paths in the file are relative to its folder.
        max_bytes : int, default=None
            Replaces the ``max_bytes`` of the file.
        timeout : float, default=None
            Replaces the ``timeout`` of the file.

        Returns
        -------
        Study
            The study; its attribute `store` is the one that the file names.

        Raises
        ------
        ValueError
            If the file cannot be read, or a field is wrong; the message names file and field.
        """
        # pydantic is loaded only if a study file is read.
        from labelwise.experiments._study_file import errors_with_place, read_study_file

        replaced = {} if timeout is None else {"timeout": _check_timeout(timeout)}
        arguments, store = read_study_file(path, max_bytes)
        with errors_with_place(path):
            study = cls(**arguments | replaced)
        study.store = store
        return study

    def plan(self) -> StudyPlan:
        """List the cells of the study and their keys; reads each data set once.

        Returns
        -------
        StudyPlan
            Attribute ``cells`` has a named tuple for each cell, with the fields ``key``,
            ``dataset``, ``model``, ``split``, ``fold`` and ``seed``.

        Raises
        ------
        TypeError
            If a model, splitter or measure has a parameter without a stable text, such as a
            random generator; the message names the parameter.
        ValueError
            If a data set has no labels, no training and test samples for "train-test", or too few
            labels for a measure, or if a split has more than a million folds.
        """
        plan = make_plan(
            self.datasets,
            self.models,
            self.splits,
            self.measures,
            self.seeds,
            self.undefined,
            self.groups,
            self.weights,
        )
        directions = [
            (DIRECTION, name, "higher" if is_higher else "lower")
            for name, is_higher in self._directions.items()
        ]
        return replace(plan, settings=(*plan.settings, *directions))

    def run(
        self,
        store: str | Path | None = None,
        *,
        resume: bool | str = True,
        client: Any = None,
        n_jobs: int | None = None,
        progress: bool | Callable[[Progress], None] | None = None,
    ) -> Results:
        """Run the cells that are not finished, and read the results of all cells.

        Parameters
        ----------
        store : str or Path, default=None
            SQLite file for the results; created if it does not exist. Several studies may share a
            store, and several processes may run the same study on it at the same time. None uses
            the attribute `store` of a study that was read from a file.
        resume : bool or {"any-code"}, default=True
            Whether to keep finished cells. True runs cells again if code has changed that can
            change their values, with a warning that gives their number; "any-code" keeps them.
            Failed cells are run again in any case.
        client : dask.distributed.Client, default=None
            Cluster to run the cells on; only its ``submit`` method is used.
        n_jobs : int, default=None
            Number of parallel jobs; results do not depend on it. Jobs are processes; -1 for one
            process per core. None runs the cells in this process, unless the study has a timeout.
        progress : bool or callable, default=None
            Whether to show the progress and the time left on stderr: a line that changes on a
            terminal, else a new line at most once a minute. None shows it only on a terminal. A
            callable is called after each batch of cells with a named tuple: `done`, the number of
            finished cells, in this run or before; `failed`, the number of cells that failed in this
            run; `total`, the number of distinct cells; `seconds_left`, the estimated time until all
            cells have been run, None until one has finished.

        Returns
        -------
        Results
            Values of the finished cells. Attribute `failed` lists cells that raised an exception,
            with the traceback, and cells that exceeded the timeout. If a worker process dies, its
            cells are run again one by one; a cell whose worker dies a second time has failed.

        Raises
        ------
        DataError
            If the file is not a store, is damaged or locked, or if the disk is full. Finished
            cells are not affected.
        ValueError
            If `resume` is neither a bool nor "any-code", or if there is no store.
        """
        if resume not in (True, False, _ANY_CODE):
            raise ValueError(f"resume must be True, False or {_ANY_CODE!r}, got {resume!r}.")
        store = self.store if store is None else store
        if store is None:
            raise ValueError("store must be given for a study that was not read from a file.")
        plan = self.plan()
        with Store(store) as opened, progress_callback(progress) as notify:
            if resume:
                plan = _with_earlier_cells(plan, opened, resume == _ANY_CODE)
            n_earlier_runs = opened.start_run(self.name, plan)
            if not resume:
                opened.reset(plan.cells)
            cells = _unfinished(plan, opened, n_earlier_runs)
            if cells:
                n_total = len({cell.key for cell in plan.cells})
                before = Progress(n_total - len(cells), 0, n_total, None)
                executor = executor_for(plan.inputs, client, n_jobs, self.timeout)
                try:
                    Scheduler(cells, executor, opened, notify, before).run()
                except KeyboardInterrupt as stopped:
                    stopped.add_note(
                        f"Finished cells are stored in {store}; run the study again to continue."
                    )
                    raise
            return self._results(opened, plan)

    def _results(self, store: Store, plan: StudyPlan) -> Results:
        columns = store.columns(self.name)
        if store.planned_keys(self.name) != [cell.key for cell in plan.cells]:
            raise DataError(
                store.path,
                f"another study named {self.name!r} was started on this store in the meantime; "
                "finished cells are safe, give the studies different names.",
            )
        of_store = store.directions(self.name), store.parameters(self.name)
        return Results(columns, store.texts(), *of_store)


def _with_earlier_cells(plan: StudyPlan, store: Store, keep: bool) -> StudyPlan:
    """Take finished cells of other code into the plan, or warn that they are run again."""
    earlier = store.finished_by_other_code(plan.cells)
    if keep:
        return plan.with_keys(earlier)
    if earlier:
        warnings.warn(
            f"{len(earlier)} finished cells in {store.path} were computed by other code, of "
            f"labelwise or of the study, and are run again; resume={_ANY_CODE!r} keeps them.",
            stacklevel=3,
        )
    return plan


def _unfinished(plan: StudyPlan, store: Store, n_earlier_runs: int) -> list[Cell]:
    """Return the distinct cells to run; simultaneous runs begin at different cells."""
    known = store.statuses(plan.cells)
    distinct = {cell.key: cell for cell in plan.cells}.values()
    cells = [cell for cell in distinct if known[cell.key] != "done"]
    start = int(n_earlier_runs * _GOLDEN_RATIO % 1 * len(cells))
    return cells[start:] + cells[:start]


def _check_timeout(timeout: Any) -> float | None:
    """Return the time limit of a cell in seconds, or None for no limit."""
    least, most = _TIMEOUT_RANGE
    return None if timeout is None else check_real(timeout, "timeout", least=least, most=most)


def _check_datasets(datasets: Any) -> dict[str, Source]:
    """Return data sets, or where to load them from, by name."""
    if isinstance(datasets, Mapping):
        named = {encodable(str(name)): source for name, source in datasets.items()}
    elif isinstance(datasets, str | Path | Dataset) or not isinstance(datasets, Sequence):
        raise TypeError(f"datasets must be a sequence or a mapping, got {datasets!r}.")
    else:
        names = check_names([_name_of(source) for source in datasets], "names of datasets")
        named = dict(zip(names, datasets, strict=True))
    if not named:
        raise ValueError("datasets must have at least one entry, got none.")
    for name, source in named.items():
        if not isinstance(source, Dataset | str | Path) and not callable(source):
            raise TypeError(
                f"datasets[{name!r}] must be a Dataset, a name, a path or a function, "
                f"got {source!r}."
            )
    return named


def _name_of(source: Any) -> str:
    if isinstance(source, str | Path):
        return plain_name(source)
    return encodable(str(getattr(source, "name", getattr(source, "__name__", source))))


def _check_objects(
    objects: Any, input_name: str, methods: Sequence[str], word: str | None = None
) -> dict[str, Any]:
    """Return objects by name; each has the methods, or equals the word."""
    if not isinstance(objects, Mapping):
        raise TypeError(f"{input_name} must be a mapping of names to objects, got {objects!r}.")
    if not objects:
        raise ValueError(f"{input_name} must have at least one entry, got none.")
    for name, one in objects.items():
        lacking = [method for method in methods if not hasattr(one, method)]
        if (isinstance(one, type) or lacking) and (word is None or one != word):
            needed = f"an object with {' and '.join(methods)}" + (f" or {word!r}" if word else "")
            raise TypeError(f"{input_name}[{name!r}] must be {needed}, got {one!r}.")
    return {encodable(str(name)): one for name, one in objects.items()}


def _check_measures(measures: Any) -> dict[str, Any]:
    """Return names of known measures, and functions, by the name of the value in the results."""
    if isinstance(measures, str) or not isinstance(measures, Sequence | Mapping):
        raise TypeError(f"measures must be a sequence or a mapping, got {measures!r}.")
    parts = [measures] if isinstance(measures, Mapping) else measures
    pairs = [
        pair
        for part in parts
        for pair in (part.items() if isinstance(part, Mapping) else [(_own_name(part), part)])
    ]
    check_names([name for name, _ in pairs], "names of measures")
    if not pairs:
        raise ValueError("measures must have at least one entry, got none.")
    for name, measure in pairs:
        if isinstance(measure, str):
            measure_named(measure)
        elif not callable(measure):
            raise TypeError(f"measures[{name!r}] must be a name or a function, got {measure!r}.")
    return {encodable(str(name)): measure for name, measure in pairs}


def _own_name(measure: Any) -> Any:
    """Return the name of a measure that was given without one: that of its function."""
    if isinstance(measure, str) or not callable(measure):
        return measure
    name = getattr(measure, "__name__", "")
    if not name.isidentifier():
        raise ValueError(
            f"measures must have a name for each function, as in {{'cost': function}}, got "
            f"{measure!r:.80} without one."
        )
    return name


def _check_directions(lower_is_better: Any, measures: Mapping[str, Any]) -> dict[str, bool]:
    """Return whether higher values are better, by the names of measures where this is known.

    None says nothing of the functions among the measures; a sequence of names says that higher
    values of all others are better. A name such as "cost/part" is one of the values of a function.
    """
    known = {
        name: measure_named(one).higher_is_better
        for name, one in measures.items()
        if isinstance(one, str)
    }
    if lower_is_better is None:
        return known
    if isinstance(lower_is_better, str) or not isinstance(lower_is_better, Sequence):
        raise TypeError(f"lower_is_better must be a sequence of names, got {lower_is_better!r}.")
    names = [encodable(str(name)) for name in lower_is_better]
    for name in names:
        if name not in measures and name.split("/")[0] not in measures:
            raise ValueError(
                f"lower_is_better must name measures of the study ({', '.join(measures)}), "
                f"got {name!r}."
            )
        if known.get(name, False):
            raise ValueError(
                f"lower_is_better must not name {name!r}, of which higher values are better."
            )
    own = {name: True for name in measures if name not in known}
    return own | known | dict.fromkeys(names, False)


def _check_seeds(seeds: Any) -> tuple[int, ...]:
    """Return distinct whole numbers from 0 to 2**32 - 1."""
    if isinstance(seeds, str) or not isinstance(seeds, Sequence | range):
        raise TypeError(f"seeds must be a sequence of whole numbers, got {seeds!r}.")
    checked = tuple(check_whole(seed, "seeds", least=0) for seed in seeds)
    if not checked or len(set(checked)) < len(checked) or max(checked) >= 2**32:
        raise ValueError(f"seeds must be distinct numbers below 2**32, got {list(seeds)}.")
    return checked
