"""Bags are a sequence of 2-D arrays, and nothing takes one apart."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from sklearn.model_selection import cross_val_score
from sklearn.utils import _safe_indexing

from labelwise.data import Bags, Dataset, load, make_digit_bags, read_table
from labelwise.learners import BagSummary, BinaryRelevance
from labelwise.measures import scorer
from labelwise.splitting import MultilabelStratifiedKFold, train_test_split

SIZES = st.lists(st.integers(1, 4), min_size=1, max_size=6)


def some_bags(sizes):
    n_rows = sum(sizes)
    return Bags(np.arange(2.0 * n_rows).reshape(n_rows, 2), np.cumsum([0, *sizes]))


@given(SIZES, st.data())
def test_a_part_of_bags_is_the_list_of_these_bags(sizes, data):
    bags = some_bags(sizes)
    chosen = data.draw(st.lists(st.integers(0, len(sizes) - 1), max_size=5))
    part = bags[np.array(chosen, dtype=int)] if chosen else bags[:0]
    assert len(part) == len(chosen)
    for one, number in zip(part, chosen, strict=True):
        np.testing.assert_array_equal(one, bags[number])
    np.testing.assert_array_equal(bags[-1], list(bags)[-1])


@given(SIZES)
def test_a_list_of_arrays_is_the_data_set_of_its_bags(sizes):
    bags = some_bags(sizes)
    Y = np.arange(len(sizes))[:, None] % 2
    for form in (list(bags), bags, tuple(sparse.csr_array(bag) for bag in bags)):
        data = Dataset(form, Y)
        assert data.bags.tolist() == bags.starts.tolist()
        dense = data.X.toarray() if sparse.issparse(data.X) else data.X
        np.testing.assert_array_equal(dense, bags.rows)
    assert isinstance(data.samples, Bags)
    assert Dataset(bags.rows, None).samples is not None


def test_a_table_with_a_bag_column_is_the_list_of_its_bags(tmp_path):
    path = tmp_path / "bags.csv"
    path.write_text("bag,x,sea\nu,1,1\nv,2,0\nu,3,1\n")
    table = read_table(path, labels=["sea"], bags="bag")
    listed = Dataset([np.array([[1.0], [3.0]]), np.array([[2.0]])], [[1], [0]])
    assert [bag.tolist() for bag in table.samples] == [bag.tolist() for bag in listed.samples]
    assert table.Y.toarray().tolist() == listed.Y.toarray().tolist()
    by_load = load(path, labels=["sea"], bags="bag")
    assert by_load.bags.tolist() == table.bags.tolist()


def test_bags_of_a_file_that_names_them_itself_are_not_asked_for(tmp_path):
    path = tmp_path / "rows.arff"
    path.write_text("@relation 'r: -C 1'\n@attribute a {0,1}\n@attribute x numeric\n@data\n0,1\n")
    with pytest.raises(ValueError, match=r"^bags must be left out for .rows., an ARFF file"):
        load(path, bags="x")


def test_no_split_takes_a_bag_apart():
    data = make_digit_bags(60, random_state=0)
    known = {bag.tobytes() for bag in data.samples}
    for train, test in MultilabelStratifiedKFold(3).split(data.samples, data.Y):
        parts = [data.take(train), data.take(test)]
        assert len(parts[0]) + len(parts[1]) == 60
        assert {bag.tobytes() for part in parts for bag in part.samples} == known
    bags_train, bags_test, Y_train, _ = train_test_split(data.samples, data.Y, random_state=0)
    assert len(bags_train) == Y_train.shape[0]
    assert {bag.tobytes() for bag in [*bags_train, *bags_test]} == known
    picked = _safe_indexing(data.samples, np.array([3, 1]))
    np.testing.assert_array_equal(picked[0], data.samples[3])


def test_scikit_learn_cross_validates_lists_of_bags():
    from sklearn.pipeline import make_pipeline

    data = make_digit_bags(90, sizes=[1, 2], random_state=0)
    model = make_pipeline(BagSummary(), BinaryRelevance(penalty=0.1))
    cv = MultilabelStratifiedKFold(3)
    Y = data.Y.toarray().astype(np.int64)
    values = [
        cross_val_score(model, X, Y, cv=cv, scoring=scorer("micro-f"))
        for X in (data.samples, list(data.samples))
    ]
    np.testing.assert_array_equal(*values)
    assert values[0].mean() > 0.5


BAD = {
    "empty bag": ([np.zeros((1, 2)), np.zeros((0, 2))], "but bag 1 has none."),
    "flat bag": ([np.zeros((1, 2)), np.zeros(2)], "X[1] must be a 2-D array of instances"),
    "features": ([np.zeros((1, 2)), np.zeros((1, 3))], "X[1] has 3 features, but X[0] has 2."),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_bag_is_refused_by_its_number(case):
    arrays, message = BAD[case]
    with pytest.raises(ValueError) as refusal:
        Dataset(arrays, [[0], [1]])
    assert message in str(refusal.value)


def test_bags_are_said_once():
    with pytest.raises(ValueError, match="bags must be left out if X is a list of bags"):
        Dataset([np.zeros((1, 2))], [[0]], bags=[0, 1])
    assert repr(some_bags([1, 2])) == "Bags: 2 bags, 3 instances, 2 features"
