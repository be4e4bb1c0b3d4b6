"""`Study`: every model on every fold of every data set, run once and stored."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from labelwise._validation import check_undefined
from labelwise.experiments._results import Results
from labelwise.experiments._study_arguments import (
    ANY_CODE,
    check_datasets,
    check_directions,
    check_measures,
    check_models,
    check_resume,
    check_seeds,
    check_splits,
    check_timeout,
)
from labelwise.experiments.running._cells import Cell, Source, StudyPlan, make_plan
from labelwise.experiments.running._process_executor import executor_for
from labelwise.experiments.running._progress import Progress, progress_callback
from labelwise.experiments.running._scheduler import Scheduler
from labelwise.experiments.running._storable_text import encodable
from labelwise.experiments.running._store import DIRECTION, Store
from labelwise.experiments.running._store_file import StoreError

# Multiples of the golden ratio, modulo 1, never come close to each other.
_GOLDEN_RATIO = 0.6180339887498949


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
        Objects with ``split`` and ``get_n_splits``, or "train-test" for the training and test rows
        of the data set. A `random_state` that is None becomes the seed.
    measures : sequence or mapping
        Names of measures as in `evaluate`, such as "micro-f", and mappings from a name to a
        function. The function is called with a `CellOutcome` and returns a number, or a mapping of
        names to numbers, which are stored as "name/part". A mapping may also rename a measure.
    seeds : sequence of int, default=(0,)
        Distinct whole numbers from 0 to 2**32 - 1. All cells are run for each seed.
    name : str, default="study"
        Name of the study in the store; studies in one store have different names.
    undefined : {"nan", "skip"} or float, default="nan"
        Policy for labels or samples without a value in a mean, as in `evaluate`.
    timeout : float, default=None
        Time limit of a cell in seconds, from 0.1 to 1e7. A cell that takes longer fails, and its
        process is killed; with a timeout, cells run in a process of their own also if `n_jobs` is
        None. None means no limit. A dask cluster ignores the timeout and applies its own limits.
    lower_is_better : sequence of str, default=None
        Names of the measures of which lower values are better, for ranks and tests of the results;
        "name/part" for one of several values of a function, "name" for all. Higher values of all
        other functions are better. None leaves the directions of functions open; those of known
        measures are known.

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
        undefined: str | float = "nan",
        timeout: float | None = None,
        lower_is_better: Sequence[str] | None = None,
    ) -> None:
        self.datasets = check_datasets(datasets)
        self.models = check_models(models)
        self.splits = check_splits(splits)
        self.measures = check_measures(measures)
        self.seeds = check_seeds(seeds)
        self.name = encodable(str(name))
        self.undefined = check_undefined(undefined)
        self.timeout = check_timeout(timeout)
        self.lower_is_better = lower_is_better
        self._directions = check_directions(lower_is_better, self.measures)

    def __repr__(self) -> str:
        return (
            f"Study {self.name!r}: {len(self.datasets)} data sets x {len(self.models)} models x "
            f"{len(self.splits)} splits x {len(self.seeds)} seeds"
        )

    @classmethod
    def read(cls, path: str | Path) -> Study:
        """Create a study from a TOML file, as `labelwise compare` does.

        Parameters
        ----------
        path : str or Path
            File with the arguments of `Study`: ``datasets``, ``measures``, and optionally
            ``seeds``, ``name``, ``undefined``, ``timeout`` and ``lower_is_better``; ``data_home``
            and ``max_bytes``, which `labelwise.data.load` is called with; tables
            ``[models.NAME]`` and ``[splits.NAME]`` with a ``class`` of scikit-learn or labelwise
            and its ``params``. Paths in the file are relative to its folder.

        Returns
        -------
        Study
            The study. A ``store`` in the file is used by `labelwise compare` only.

        Raises
        ------
        ValueError
            If the file cannot be read, or a field is wrong; the message names file and field.
        """
        study, _ = read_study(path)
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
            If a data set has no labels, no training and test rows for "train-test", or too few
            labels for a measure, or if a split has more than a million folds.
        """
        plan = make_plan(
            self.datasets, self.models, self.splits, self.measures, self.seeds, self.undefined
        )
        directions = [
            (DIRECTION, name, "higher" if is_higher else "lower")
            for name, is_higher in self._directions.items()
        ]
        return replace(plan, settings=(*plan.settings, *directions))

    def run(
        self,
        store: str | Path,
        *,
        resume: bool | str = True,
        client: Any = None,
        n_jobs: int | None = None,
        progress: bool | Callable[[Progress], None] | None = None,
    ) -> Results:
        """Run the cells that are not finished, and read the results of all cells.

        Parameters
        ----------
        store : str or Path
            SQLite file for the results; created if it does not exist. Several studies may share a
            store, and several processes may run the same study on it at the same time.
        resume : bool or {"any-code"}, default=True
            Whether to keep finished cells. True runs cells again if code has changed that can
            change their values, with a warning that gives their number; "any-code" keeps them.
            Failed cells are run again in any case.
        client : dask.distributed.Client, default=None
            Cluster to run the cells on; only its ``submit`` method is used.
        n_jobs : int, default=None
            Number of processes; -1 for one process per core. None runs the cells in this process,
            unless the study has a timeout. Results do not depend on `n_jobs`.
        progress : bool or callable, default=None
            Whether to show the progress and the time left on stderr: a line that changes on a
            terminal, else a new line at most once a minute. None shows it only on a terminal. A
            callable is called with a `Progress` after each batch of cells.

        Returns
        -------
        Results
            Values of the finished cells. Attribute `failed` lists cells that raised an exception,
            with the traceback, and cells that exceeded the timeout. If a worker process dies, its
            cells are run again one by one; a cell whose worker dies a second time has failed.

        Raises
        ------
        StoreError
            If the file is not a store, is damaged or locked, or if the disk is full. Finished
            cells are not affected.
        ValueError
            If `resume` is neither a bool nor "any-code".
        """
        check_resume(resume)
        plan = self.plan()
        with Store(store) as opened, progress_callback(progress) as notify:
            if resume:
                plan = _with_earlier_cells(plan, opened, resume == ANY_CODE)
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
            raise StoreError(
                store.path,
                f"another study named {self.name!r} was started on this store in the meantime; "
                "finished cells are safe, give the studies different names.",
            )
        return Results(columns, store.texts(), store.directions(self.name))


def read_study(
    path: str | Path, *, max_bytes: int | None = None, timeout: float | None = None
) -> tuple[Study, Path]:
    """Create the study that a TOML file describes; return it with the path of its store.

    A `max_bytes` or `timeout` that is not None replaces the one of the file.
    """
    # pydantic is loaded only if a study file is read.
    from labelwise.experiments.study_files._study_file import errors_with_place, read_study_file

    replaced = {} if timeout is None else {"timeout": check_timeout(timeout)}
    content = read_study_file(path, max_bytes)
    with errors_with_place(path):
        return Study(**content.arguments | replaced), content.store


def _with_earlier_cells(plan: StudyPlan, store: Store, keep: bool) -> StudyPlan:
    """Take finished cells of other code into the plan, or warn that they are run again."""
    earlier = store.finished_by_other_code(plan.cells)
    if keep:
        return plan.with_keys(earlier)
    if earlier:
        warnings.warn(
            f"{len(earlier)} finished cells in {store.path} were computed by other code, of "
            f"labelwise or of the study, and are run again; resume={ANY_CODE!r} keeps them.",
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
