"""Files of a data set, found by its name, its folder or its path."""

import zipfile

import pytest

from labelwise.data import DataError, input_files
from labelwise.data._load import data_homes, find_files, is_model_file, user_cache


def touch(folder, *names):
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).touch()


@pytest.mark.parametrize("wanted", ["folder", "name"])
def test_the_training_file_comes_first_by_folder_and_by_name(tmp_path, wanted):
    touch(tmp_path / "yeast", "yeast-test.arff", "yeast-train.arff", "yeast.xml")
    given = str(tmp_path / "yeast") if wanted == "folder" else "yeast"
    files, name = find_files(given, [tmp_path])
    assert [path.name for path in files] == ["yeast-train.arff", "yeast-test.arff"]
    assert name == "yeast"


def test_a_name_is_searched_in_all_homes_and_a_missing_path_is_an_error(tmp_path):
    touch(tmp_path / "second", "scene.csv")
    files, _ = find_files("scene", [tmp_path / "first", tmp_path / "second"])
    assert files == [tmp_path / "second" / "scene.csv"]
    assert find_files("scene", [tmp_path / "first"]) == ([], "scene")
    with pytest.raises(DataError, match=r"scene\.csv: does not exist"):
        find_files("scene.csv", [])


def test_a_folder_of_several_data_sets_is_refused(tmp_path):
    touch(tmp_path, "a.csv", "b.csv")
    with pytest.raises(DataError, match=r"must contain one data set.*got a.csv, b.csv"):
        find_files(str(tmp_path), [])


def test_homes_are_searched_in_order(tmp_path, monkeypatch):
    monkeypatch.setenv("LABELWISE_DATA", str(tmp_path / "sets"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert user_cache() == tmp_path / "labelwise"
    assert list(data_homes("mine")) == [
        *map(type(tmp_path), ["mine"]),
        tmp_path / "sets",
        user_cache(),
    ]


def test_input_files_are_data_and_label_names(tmp_path):
    touch(tmp_path, "a.arff", "a.xml")
    assert input_files("digits") == []
    found = input_files(tmp_path / "a.arff", labels="names.xml")
    assert [path.name for path in found] == ["a.arff", "a.xml", "names.xml"]


def test_a_model_is_an_archive_with_a_schema(tmp_path):
    for name, member in (("model", "schema.json"), ("other", "data.json")):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr(member, "{}")
    touch(tmp_path, "empty")
    found = {path.name: is_model_file(path) for path in tmp_path.iterdir()}
    assert found == {"model": True, "other": False, "empty": False}
