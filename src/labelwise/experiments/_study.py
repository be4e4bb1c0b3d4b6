"""A study: data sets x models x splits x seeds, each cell run once and kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from labelwise._io import plain_name
from labelwise._validation import check_names, check_real, check_undefined, check_whole
from labelwise.data import Dataset
from labelwise.experiments._results import Results
from labelwise.experiments.running._cells import TRAIN_TEST, Cell, Source, StudyPlan, make_plan
from labelwise.experiments.running._executors import CellExecutor, DaskExecutor, SequentialExecutor
from labelwise.experiments.running._process_executor import ProcessExecutor
from labelwise.experiments.running._progress import Progress, progress_callback
from labelwise.experiments.running._scheduler import Scheduler
from labelwise.experiments.running._storable_text import encodable
from labelwise.experiments.running._store import Store
from labelwise.experiments.running._store_file import StoreError
from labelwise.measures import measure_named

# Steps of this share of a circle never come close to each other: where runners start.
_GOLDEN = 0.6180339887498949
_TIMEOUTS = (0.1, 1e7)


class Study:
    """Every model on every fold of every data set, measured; what is finished stays finished.

    A cell is one model on one fold of one split of one data set with one seed. Its key is the hash
    of the data's bytes, the model's class and parameters, the split, the fold, the seed and the
    measures: whatever changes makes new cells, and what was finished is not run again.

    Parameters
    ----------
    datasets : sequence or mapping of str to Dataset, str, Path or callable
        Data sets, names or files that `labelwise.data.load` takes, or functions that return a data
        set. What is no Dataset is loaded where it is needed.
    models : mapping of str to estimator
        Anything with ``get_params``, ``fit`` and ``predict``; scores come from
        ``decision_function`` or ``predict_proba``. Each `random_state` that is None, also of a
        part, is drawn from seed and fold.
    splits : mapping of str to splitter
        Objects with ``split`` and ``get_n_splits``, or "train-test" for the rows that the data set
        came with. A `random_state` that is None becomes the seed.
    measures : sequence or mapping
        Names that `evaluate` uses, such as "micro-f"; and mappings of a name to a function of a
        `CellOutcome` that returns a number, or a mapping of names to numbers (named
        "name/part"). A mapping may also give a measure another name.
    seeds : sequence of int
        All cells are run for each.
    name : str
        Tells studies in one store apart.
    undefined : {"nan", "skip"} or float
        What labels without a value do to a mean, as in `evaluate`.
    timeout : float, optional
        Most seconds that a cell may take, from 0.1 to 1e7; one that takes longer has failed, and
        its process is ended. Cells then run in a process of their own also without `n_jobs`.
        Unlimited by default, and on a dask cluster, which has limits of its own.

    Notes
    -----
    A function counts by its name and its own code, a class by its name: who edits what these call
    should start a new store. Each cell works with one thread; parallel are the cells.

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
        undefined: str | float = "nan",
        timeout: float | None = None,
    ) -> None:
        self.datasets = _check_datasets(datasets)
        self.models = _check_objects(models, "models", ("get_params", "fit"))
        self.splits = _check_objects(splits, "splits", ("split", "get_n_splits"), TRAIN_TEST)
        self.measures = _check_measures(measures)
        self.seeds = _check_seeds(seeds)
        self.name = encodable(str(name))
        self.undefined = check_undefined(undefined)
        self.timeout = check_timeout(timeout)

    def __repr__(self) -> str:
        sizes = (len(self.datasets), len(self.models), len(self.splits), len(self.seeds))
        return (
            f"Study {self.name!r}: {{}} data sets x {{}} models x {{}} splits x {{}} seeds".format(
                *sizes
            )
        )

    @classmethod
    def read(cls, path: str | Path) -> Study:
        """Return the study of a TOML file, as `labelwise compare` runs it.

        Such a file holds the arguments of `Study`: ``datasets``, ``measures``, ``seeds``, tables
        ``[models.NAME]`` and ``[splits.NAME]`` with a ``class`` of scikit-learn or labelwise and
        its ``params``. Paths are relative to the file's folder.
        """
        from labelwise.experiments.study_files._study_file import read_study

        return read_study(path).study

    def plan(self) -> StudyPlan:
        """Return the cells and their keys; reads each data set."""
        return make_plan(
            self.datasets, self.models, self.splits, self.measures, self.seeds, self.undefined
        )

    def run(
        self,
        store: str | Path,
        *,
        resume: bool = True,
        client: Any = None,
        n_jobs: int | None = None,
        progress: bool | Callable[[Progress], None] | None = None,
    ) -> Results:
        """Run the cells that are not finished, and return the values of all.

        Parameters
        ----------
        store : str or Path
            A SQLite file, made if there is none. Several studies, and several runners at a time,
            may use one.
        resume : bool
            Whether finished cells are left as they are. Failed ones are tried again.
        client : dask.distributed.Client, optional
            Where cells run; only its ``submit`` is used.
        n_jobs : int, optional
            Processes that cells run in; -1 for one on each core. By default they run in this
            process. The values do not depend on it.
        progress : bool or callable, optional
            Whether to show a line on stderr, by default on a terminal; or what to call with a
            `Progress`.

        Returns
        -------
        Results
            A cell that raised is in `failed` with its traceback, one that took longer than
            `timeout` with a sentence. One whose worker dies is run again by itself; if that dies
            too, it has failed.

        Raises
        ------
        StoreError
            If the file is no store, is damaged, or the disk is full. What was finished is safe.
        """
        plan = self.plan()
        with Store(store) as opened, progress_callback(progress) as notify:
            n_runs = opened.begin(self.name, plan)
            if not resume:
                opened.forget(plan.cells)
            cells = _unfinished(plan, opened, n_runs)
            if cells:
                n_total = len({cell.key for cell in plan.cells})
                before = Progress(n_total - len(cells), 0, n_total, None)
                executor = _executor(plan, client, n_jobs, self.timeout)
                try:
                    Scheduler(cells, executor, opened, notify, before).run()
                except KeyboardInterrupt as stopped:
                    stopped.add_note(f"Finished cells are safe in {store}; run it again to go on.")
                    raise
            return self._results(opened, plan)

    def _results(self, store: Store, plan: StudyPlan) -> Results:
        columns = store.columns(self.name)
        if store.planned_keys(self.name) != [cell.key for cell in plan.cells]:
            raise StoreError(
                store.path,
                f"another study named {self.name!r} was started on it meanwhile; finished cells "
                "are safe, give the studies different names.",
            )
        return Results(columns, store.texts())


def _unfinished(plan: StudyPlan, store: Store, n_runs: int) -> list[Cell]:
    """Return the cells to run; runners at the same time start at different places."""
    known = store.statuses(plan.cells)
    distinct = {cell.key: cell for cell in plan.cells}.values()
    cells = [cell for cell in distinct if known[cell.key] != "done"]
    start = int(n_runs * _GOLDEN % 1 * len(cells))
    return cells[start:] + cells[:start]


def _executor(
    plan: StudyPlan, client: Any, n_jobs: int | None, timeout: float | None
) -> CellExecutor:
    if client is not None:
        return DaskExecutor(plan.inputs, client, n_jobs)
    from joblib import effective_n_jobs

    n_processes = effective_n_jobs(n_jobs)
    if n_processes == 1 and timeout is None:
        return SequentialExecutor(plan.inputs)
    return ProcessExecutor(plan.inputs, n_processes, timeout)


def check_timeout(timeout: Any) -> float | None:
    """Return the most seconds of a cell, None for any number."""
    least, most = _TIMEOUTS
    return None if timeout is None else check_real(timeout, "timeout", least=least, most=most)


def _check_datasets(datasets: Any) -> dict[str, Source]:
    if isinstance(datasets, Mapping):
        named = {encodable(str(name)): source for name, source in datasets.items()}
    elif isinstance(datasets, str | Path | Dataset) or not isinstance(datasets, Sequence):
        raise TypeError(f"datasets must be a sequence or a mapping, got {datasets!r}.")
    else:
        names = check_names([_name_of(source) for source in datasets], "names of datasets")
        named = dict(zip(names, datasets, strict=True))
    if not named:
        raise ValueError("datasets must hold at least one, got none.")
    for name, source in named.items():
        if not isinstance(source, Dataset | str | Path) and not callable(source):
            raise TypeError(f"datasets[{name!r}] must be a Dataset, a name or a path: {source!r}.")
    return named


def _name_of(source: Any) -> str:
    if isinstance(source, str | Path):
        return plain_name(source)
    return encodable(str(getattr(source, "name", getattr(source, "__name__", source))))


def _check_objects(
    objects: Any, input_name: str, methods: Sequence[str], word: str | None = None
) -> dict[str, Any]:
    """Return a mapping of names to objects that have some methods, or are a word."""
    if not isinstance(objects, Mapping):
        raise TypeError(f"{input_name} must be a mapping of names, got {objects!r}.")
    if not objects:
        raise ValueError(f"{input_name} must hold at least one, got none.")
    for name, one in objects.items():
        lacking = [method for method in methods if not hasattr(one, method)]
        if (isinstance(one, type) or lacking) and (word is None or one != word):
            needed = f"an object with {' and '.join(methods)}" + (f" or {word!r}" if word else "")
            raise TypeError(f"{input_name}[{name!r}] must be {needed}, got {one!r}.")
    return {encodable(str(name)): one for name, one in objects.items()}


def _check_measures(measures: Any) -> dict[str, Any]:
    """Return what to measure by its name; names of the catalogue stand for themselves."""
    if isinstance(measures, str) or not isinstance(measures, Sequence | Mapping):
        raise TypeError(f"measures must be a sequence or a mapping, got {measures!r}.")
    parts = [measures] if isinstance(measures, Mapping) else measures
    pairs = [
        pair
        for part in parts
        for pair in (part.items() if isinstance(part, Mapping) else [(part, part)])
    ]
    check_names([name for name, _ in pairs], "names of measures")
    if not pairs:
        raise ValueError("measures must hold at least one, got none.")
    for name, measure in pairs:
        if isinstance(measure, str):
            measure_named(measure)
        elif not callable(measure):
            raise TypeError(f"measures[{name!r}] must be a name or a function, got {measure!r}.")
    return {encodable(str(name)): measure for name, measure in pairs}


def _check_seeds(seeds: Any) -> tuple[int, ...]:
    if isinstance(seeds, str) or not isinstance(seeds, Sequence | range):
        raise TypeError(f"seeds must be a sequence of whole numbers, got {seeds!r}.")
    checked = tuple(check_whole(seed, "seeds", least=0) for seed in seeds)
    if not checked or len(set(checked)) < len(checked) or max(checked) >= 2**32:
        raise ValueError(f"seeds must be distinct numbers below 2**32, got {list(seeds)}.")
    return checked
