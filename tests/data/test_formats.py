"""The list of formats decides what `load` reads, and the how-to page adds a format to it."""

from pathlib import Path

import pytest

from labelwise.data import DataError, _load, load

PAGE = Path(__file__).parents[2] / "docs" / "how_to" / "add_a_reader.md"


def test_every_ending_belongs_to_one_format():
    endings = [ending for known in _load.FORMATS for ending in known.endings]
    assert len(set(endings)) == len(endings)
    for ending in endings:
        assert ending in _load.format_of(Path(f"some{ending.upper()}.gz")).endings
    assert _load.format_of(Path("some.xlsx")) is None


def test_a_file_of_no_known_format_is_refused_with_the_endings_that_are(tmp_path):
    (tmp_path / "some.xlsx").write_text("nothing")
    with pytest.raises(DataError, match=r"has none of the endings \.arff, .*\.parquet \(\.gz\)\.$"):
        load(tmp_path / "some.xlsx")


@pytest.fixture
def reader_of_the_page(monkeypatch):
    code = PAGE.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    module = {"__name__": "labelwise.data._marked_lines"}
    exec(compile(code, str(PAGE), "exec"), module)
    monkeypatch.setattr(_load, "FORMATS", [*_load.FORMATS, module["MARKED_LINES"]])
    return module["read_marked_lines"]


def test_the_reader_of_the_how_to_page_works_as_the_page_says(reader_of_the_page, tmp_path):
    line = next(line for line in PAGE.read_text().splitlines() if line.startswith("    __label__"))
    for part in ("train", "test"):
        (tmp_path / f"tiny-{part}.marked").write_text(f"{line}\n" * 2)
    for data in (load(tmp_path), load("tiny", data_home=tmp_path)):
        assert data.label_names == ("sea", "sky")
        assert data.X.tolist() == [[0.5, 2.0]] * 4
        assert (data.train.tolist(), data.test.tolist()) == ([0, 1], [2, 3])
    path = tmp_path / "tiny-test.marked"
    assert reader_of_the_page(path).X.tolist() == load(path).X.tolist() == [[0.5, 2.0]] * 2
    with pytest.raises(ValueError, match=r"^labels must be left out for 'tiny-test', a file of"):
        load(path, labels=["sea"])
    path.write_text(f"{line}\nsea\n")
    with pytest.raises(DataError, match=r"line 2: must have labels and numbers"):
        load(path)
