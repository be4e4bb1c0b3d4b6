"""`labelwise compare` and `labelwise results`, run as a user runs them."""

import subprocess
import sys
from pathlib import Path

import distributed
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

from labelwise.cli import app
from labelwise.cli.running import FAILURES, exit_code
from labelwise.experiments import Study
from labelwise.experiments.running import _fingerprint

RUNNER = CliRunner()
STUDY = """
datasets = ["digits"]
measures = ["micro-f", "hamming-loss"]

[models.near]
class = "sklearn.neighbors.KNeighborsClassifier"

[models.far]
class = "sklearn.neighbors.KNeighborsClassifier"
params = { n_neighbors = FAR }

[splits.cv]
class = "labelwise.splitting.MultilabelStratifiedKFold"
"""

# A model that starts processes of its own.
PARALLEL = """
datasets = ["digits"]
measures = ["micro-f"]

[models.parallel]
class = "sklearn.multiclass.OneVsRestClassifier"
params.n_jobs = 2
params.estimator.class = "sklearn.neighbors.KNeighborsClassifier"

[splits.cv]
class = "sklearn.model_selection.KFold"
params.n_splits = 2
"""


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(STUDY.replace("FAR", "50"))
    return path


def run(*arguments):
    return RUNNER.invoke(app, [str(argument) for argument in arguments])


def test_compare_runs_a_study_and_results_shows_and_exports_it(study, tmp_path):
    done = run("compare", study)
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["model", "micro-f", "hamming-loss"]
    assert [line.split()[0] for line in lines[1:3]] == ["near", "far"]
    assert "6 of 6 cells are done." in lines
    store = tmp_path / "study.sqlite"
    shown = run("results", store, "--measure", "micro-f", "--export", tmp_path / "rows.parquet")
    assert shown.exit_code == 0, shown.output
    assert shown.stdout.splitlines()[0].split() == ["model", "micro-f"]
    assert "12 rows written to" in shown.stdout
    table = pyarrow.parquet.read_table(tmp_path / "rows.parquet")
    assert table.num_rows == 12
    assert table["measure"].unique().to_pylist() == ["micro-f", "hamming-loss"]
    run("results", store, "--export", tmp_path / "rows.csv")
    assert len((tmp_path / "rows.csv").read_text().splitlines()) == 13


def test_cells_of_other_code_are_run_again_and_said_or_kept(study, monkeypatch):
    run("compare", study)
    monkeypatch.setattr(_fingerprint, "package_digest", lambda _: "another labelwise")
    kept = run("compare", study, "--any-code")
    assert "note" not in kept.stderr
    again = run("compare", study)
    assert again.exit_code == 0
    assert again.stderr.startswith("labelwise: note: 6 finished cells in ")
    assert "note" not in run("compare", study).stderr
    both = run("compare", study, "--any-code", "--anew")
    assert str(both.exception) == "--any-code cannot be given with --anew, which keeps no cells."


def test_the_time_of_a_cell_can_be_limited(study):
    done = run("compare", study, "--timeout", "0.01")
    assert done.exit_code == 1
    assert str(done.exception) == "--timeout must be from 0.1 to 1e+07, got 0.01."
    assert run("compare", study, "--timeout", "600").exit_code == 0


def test_failed_cells_are_said_and_make_the_exit_code_1(study):
    study.write_text(STUDY.replace("FAR", "5000"))
    done = run("compare", study)
    assert done.exit_code == 1
    assert "3 of 6 cells are done, 3 failed." in done.stdout
    assert (
        "failed: digits / far / cv, fold 0, seed 0: ValueError: Expected n_neighbors" in done.stdout
    )
    shown = run("results", study.with_suffix(".sqlite"))
    assert shown.exit_code == 0
    assert "3 failed" in shown.stdout


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_no_code_of_the_current_folder_runs(study, jobs):
    study.write_text(PARALLEL)
    names = ("joblib", "labelwise", "numpy", "pickle", "random", "signal", "sklearn", "struct")
    for name in names:
        (study.parent / f"{name}.py").write_text(
            "import pathlib\npathlib.Path(__file__).with_suffix('.ran').touch()\n"
        )
    command = "from labelwise.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-P", "-c", command, "compare", study.name, "-j", jobs],
        cwd=study.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert list(study.parent.glob("*.ran")) == []
    assert "2 of 2 cells are done." in done.stdout, done.stderr


def test_ctrl_c_is_answered_with_how_to_go_on(study, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Study, "run", stopped)
        done = run("compare", study)
    assert done.exit_code == 130
    assert "finished cells are safe" in done.stderr


def test_missing_cells_are_said(study, tmp_path):
    class StopError(Exception):
        pass

    def stop(progress):
        if progress.done:
            raise StopError

    with pytest.raises(StopError):
        Study.read(study).run(tmp_path / "s.sqlite", progress=stop)
    assert "1 of 6 cells are done, 5 are missing." in run("results", tmp_path / "s.sqlite").stdout


def test_unknown_measures_studies_and_endings_are_refused(study, tmp_path):
    run("compare", study)
    store = tmp_path / "study.sqlite"
    for wrong in (("--measure", "macro-f"), ("--study", "other"), ("--export", "rows.txt")):
        done = run("results", store, *wrong)
        assert done.exit_code == 1
        assert isinstance(done.exception, ValueError)


def test_tables_for_a_paper_are_printed_alone(study, tmp_path):
    run("compare", study)
    store = tmp_path / "study.sqlite"
    latex = run("results", store, "--latex")
    assert latex.exit_code == 0, latex.output
    assert latex.stdout.startswith("\\begin{tabular}{llrr}\n\\toprule\n")
    assert latex.stdout.endswith("\\end{tabular}\n")
    assert latex.stdout.count("\\textbf{") == 2
    markdown = run("results", store, "--markdown", "--measure", "micro-f").stdout
    assert markdown.startswith("| dataset | near | far |\n")
    assert len(markdown.splitlines()) == 3
    both = run("results", store, "--latex", "--markdown")
    assert str(both.exception) == "--latex and --markdown cannot be given together."


def test_a_table_for_a_paper_says_beside_it_what_is_missing(study, tmp_path):
    study.write_text(STUDY.replace("FAR", "5000"))
    run("compare", study)
    done = run("results", tmp_path / "study.sqlite", "--latex")
    assert done.stderr == "labelwise: note: 3 of 6 cells are done, 3 failed.\n"
    assert done.stdout.endswith("\\end{tabular}\n")


def test_the_example_runs_as_it_stands(tmp_path):
    program = Path(sys.executable).parent / "labelwise"
    with (tmp_path / "study.toml").open("w") as file:
        subprocess.run([program, "compare", "--example"], stdout=file, check=True)
    done = subprocess.run(
        [program, "compare", "study.toml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "9 of 9 cells are done." in done.stdout
    assert (tmp_path / "study.sqlite").exists()


def test_without_a_file_the_example_is_offered():
    assert str(run("compare").exception) == "a study file must be given; --example prints one."


def test_a_study_runs_on_a_dask_cluster(study, tmp_path):
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        dashboard_address="127.0.0.1:0",
        host="127.0.0.1",
        protocol="tcp",
    ) as cluster:
        there = run("compare", study, "--cluster", cluster.scheduler_address)
        n_clients = len(cluster.scheduler.clients)
    assert there.exit_code == 0, there.output
    assert "6 of 6 cells are done." in there.stdout
    assert n_clients <= 2  # the scheduler's own, and that of the cluster object
    here = run("compare", study, "--store", tmp_path / "here.sqlite")
    assert there.stdout.splitlines()[:3] == here.stdout.splitlines()[:3]


def test_a_worker_that_dies_while_a_local_cluster_starts_is_reported_in_a_sentence(
    study, monkeypatch
):
    def start(**_):
        raise RuntimeError("Nanny failed to start.")  # what dask raises then

    monkeypatch.setattr(distributed, "LocalCluster", start)
    done = run("compare", study, "--cluster", "local")
    assert isinstance(done.exception, FAILURES)  # of which `main` prints only the message
    assert str(done.exception) == (
        "A worker of --cluster local died while it started; run the command again."
    )


def test_an_address_without_a_scheduler_is_refused(study, monkeypatch):
    monkeypatch.setattr("labelwise.cli._blocks._CONNECTING_SECONDS", 0.5)
    for address in ("tcp://127.0.0.1:9", "nonsense://x"):
        done = run("compare", study, "--cluster", address)
        assert str(done.exception) == (
            "--cluster must be the address of a running dask scheduler, such as tcp://host:8786, "
            f"got {address!r}."
        )
    both = run("compare", study, "--cluster", "tcp://127.0.0.1:9", "--timeout", "9")
    assert "--timeout cannot be given with --cluster" in str(both.exception)


@pytest.mark.parametrize("command", ["compare", "results"])
def test_a_file_that_does_not_exist_has_the_exit_code_of_other_commands(command, tmp_path):
    described = run("describe", tmp_path / "none.csv", "--labels", "a")
    done = run(command, tmp_path / "none.toml")
    assert exit_code(done.exception) == exit_code(described.exception) == 1


def test_the_example_says_how_a_table_names_its_labels(tmp_path):
    (tmp_path / "train.csv").write_text("u,sea,sky\n" + "1,1,0\n2,0,1\n3,1,1\n" * 8)
    example = run("compare", "--example").stdout
    named = example.replace('datasets = ["digits"]\n', "").replace("# datasets =", "datasets =")
    (tmp_path / "study.toml").write_text(named.replace("[0]", "[0]\nname = 'tables'", 1))
    done = run("compare", tmp_path / "study.toml")
    assert done.exit_code == 0, done.output
    plain = example.replace('"digits"', '"train.csv"')
    (tmp_path / "plain.toml").write_text(plain)
    refused = run("compare", tmp_path / "plain.toml")
    assert "labels = [...] } in a study file" in str(refused.exception)
