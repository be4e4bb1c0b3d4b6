"""Bags of digits carry the digits in them as labels, and no image is both learned and tested."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.datasets import load_digits

from labelwise.data import make_digit_bags
from labelwise.data._digits import _split_images
from tests.oracles.pictures import side_by_side

SIZES = st.lists(st.integers(1, 6), min_size=1, max_size=3)
PIXELS, DIGITS = load_digits(return_X_y=True)
IMAGE_OF = {image.tobytes(): i for i, image in enumerate(PIXELS)}


def images_in(dataset, bag):
    """The images of a bag, known by their pixels."""
    rows = dataset.X[dataset.bags[bag] : dataset.bags[bag + 1]]
    return [IMAGE_OF[row.tobytes()] for row in rows]


@given(st.integers(1, 30), SIZES, st.integers(0, 99))
def test_label_is_on_just_where_its_digit_is_in_the_bag(n_bags, sizes, seed):
    dataset = make_digit_bags(n_bags, sizes=sizes, random_state=seed)
    assert len(dataset) == n_bags
    assert dataset.label_names == tuple("0123456789")
    for bag, labels in enumerate(dataset.Y.toarray()):
        assert set(np.flatnonzero(labels)) == set(DIGITS[images_in(dataset, bag)])


@given(st.integers(1, 30), SIZES, st.integers(0, 99))
def test_bags_have_the_sizes_asked_for(n_bags, sizes, seed):
    dataset = make_digit_bags(n_bags, sizes=sizes, random_state=seed)
    assert set(np.diff(dataset.bags)) <= set(sizes)


def test_each_size_is_as_frequent_as_it_is_listed():
    dataset = make_digit_bags(3000, sizes=[1, 4, 4], random_state=0)
    share = (np.diff(dataset.bags) == 4).mean()
    assert abs(share - 2 / 3) < 5 * np.sqrt(2 / 9 / 3000)


def test_each_digit_is_as_frequent_as_in_the_images():
    dataset = make_digit_bags(4000, random_state=0)
    drawn = [DIGITS[i] for bag in range(4000) for i in images_in(dataset, bag)]
    share = np.bincount(drawn) / len(drawn)
    expected = np.bincount(DIGITS) / DIGITS.size
    # A pool of images and the bags drawn from it: five standard deviations of a share near 1/10.
    assert np.abs(share - expected).max() < 5 * np.sqrt(0.1 * 0.9 / len(drawn))


def test_no_two_images_are_equal():
    assert len(IMAGE_OF) == len(PIXELS)


@pytest.mark.parametrize("seed", range(3))
def test_images_of_training_bags_are_never_in_test_bags(seed):
    dataset = make_digit_bags(3000, random_state=seed)
    train = {i for bag in dataset.train for i in images_in(dataset, bag)}
    test = {i for bag in dataset.test for i in images_in(dataset, bag)}
    assert train.isdisjoint(test)
    # With so many draws nearly every image has come.
    assert len(train | test) > 0.98 * len(PIXELS)


@given(st.integers(0, 99))
def test_two_thirds_of_the_images_of_each_digit_are_for_training(seed):
    train, test = _split_images(DIGITS, np.random.RandomState(seed))
    assert sorted([*train, *test]) == list(range(DIGITS.size))
    for n_train, n_images in zip(np.bincount(DIGITS[train]), np.bincount(DIGITS), strict=True):
        assert abs(n_train - n_images * 2 / 3) <= 0.5


@given(st.integers(1, 50))
def test_training_and_test_rows_are_all_rows(n_bags):
    dataset = make_digit_bags(n_bags, random_state=0)
    assert [*dataset.train, *dataset.test] == list(range(n_bags))
    assert abs(dataset.train.size - n_bags * 2 / 3) <= 0.5


@given(st.integers(1, 10), SIZES, st.integers(0, 99))
def test_picture_is_the_digits_of_the_bag_side_by_side(n_bags, sizes, seed):
    bags = make_digit_bags(n_bags, sizes=sizes, random_state=seed)
    pictures = make_digit_bags(n_bags, sizes=sizes, pictures=True, random_state=seed)
    assert pictures.bags is None
    np.testing.assert_array_equal(pictures.Y.toarray(), bags.Y.toarray())
    for bag, picture in enumerate(pictures.X):
        expected = side_by_side(bags.X[bags.bags[bag] : bags.bags[bag + 1]], max(sizes))
        np.testing.assert_array_equal(picture, expected)


def test_feature_names_say_where_a_pixel_is():
    bags = make_digit_bags(4, random_state=0)
    pictures = make_digit_bags(4, sizes=[3], pictures=True, random_state=0)
    assert np.reshape(bags.feature_names, (8, 8))[3, 5] == "pixel 3,5"
    assert np.reshape(pictures.feature_names, (8, 24))[3, 17] == "picture row 3, column 17"


@given(st.integers(1, 10), st.integers(0, 99))
def test_ids_list_the_digits_and_images_of_a_bag(n_bags, seed):
    dataset = make_digit_bags(n_bags, random_state=seed)
    for bag in range(n_bags):
        images = images_in(dataset, bag)
        assert dataset.ids["images"][bag] == " ".join(map(str, images))
        assert dataset.ids["digits"][bag] == " ".join(str(DIGITS[i]) for i in images)


def test_same_seed_gives_the_same_bags():
    first, again = (make_digit_bags(20, random_state=3) for _ in range(2))
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.bags, again.bags)
    other = make_digit_bags(20, random_state=4)
    assert not np.array_equal(first.ids["images"], other.ids["images"])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n_bags": 0}, ValueError, "n_bags must be at least 1, got 0."),
        ({"n_bags": "many"}, TypeError, "n_bags must be a whole number, got 'many'."),
        ({"sizes": []}, ValueError, "sizes must have at least one entry, got none."),
        ({"sizes": [2, -1]}, ValueError, "sizes[1] must be at least 1, got -1."),
        ({"sizes": [2, 1.5]}, TypeError, "sizes[1] must be a whole number, got 1.5."),
        ({"sizes": 3}, TypeError, "sizes must be a sequence of whole numbers, got 3."),
        ({"sizes": "123"}, TypeError, "sizes must be a sequence of whole numbers, got '123'."),
        ({"pictures": "yes"}, TypeError, "pictures must be True or False, got 'yes'."),
    ],
)
def test_bad_argument_is_named(arguments, error, message):
    with pytest.raises(error) as caught:
        make_digit_bags(**arguments)
    assert str(caught.value) == message
