"""A display of bags says who spoke for which label, and whether it was right."""

from itertools import combinations

import matplotlib as mpl
import numpy as np
import pytest

from labelwise.data import Dataset, make_digit_bags
from labelwise.learners import BagPlugin, BinaryRelevance
from labelwise.reports import BagDisplay
from labelwise.reports.displays._bag_display import ShownBag

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(scope="module")
def fitted():
    data = make_digit_bags(120, sizes=[1, 3], random_state=0)
    model = BagPlugin(BinaryRelevance(penalty=0.01), n_iter=2, cv=2, random_state=0)
    return model.fit(data.take(data.train)), data.take(data.test)


def test_each_decided_label_stands_at_its_speaker_and_each_other_one_is_missed(fitted):
    model, data = fitted
    display = BagDisplay.from_estimator(model, data, n_bags=10)
    decided, speakers = model.predict(data), model.predict_instances(data).top_instance
    truth = data.Y.toarray()
    for i, bag in enumerate(display.bags):
        np.testing.assert_array_equal(bag.pictures.reshape(-1, 64), data.samples[i])
        spoken = {(place, *label) for place, labels in bag.spoken.items() for label in labels}
        on = np.flatnonzero(decided[i])
        assert spoken == {(speakers[i, j], str(j), bool(truth[i, j])) for j in on}
        assert bag.missed == [str(j) for j in np.flatnonzero(truth[i] & (decided[i] == 0))]


def test_a_display_of_bags_draws_on_given_axes_or_a_new_figure(fitted):
    model, data = fitted
    figure, axes = plt.subplots()
    drawn = BagDisplay.from_estimator(model, data, n_bags=2, ax=axes)
    assert drawn.ax_ is axes
    assert drawn.plot() is drawn
    assert drawn.figure_ is not figure
    assert len(drawn.ax_.images) == sum(len(bag.pictures) for bag in drawn.bags)
    drawn.figure_.canvas.draw()


def test_bags_without_known_labels_have_nothing_right_or_wrong(fitted):
    model, data = fitted
    unknown = Dataset(data.samples, None, label_names=data.label_names)
    display = BagDisplay.from_estimator(model, unknown, n_bags=99, shape=(4, 16))
    assert len(display.bags) == len(data)
    assert display.bags[0].pictures.shape[1:] == (4, 16)
    assert all(not bag.missed for bag in display.bags)
    message = {holds for bag in display.bags for row in bag.spoken.values() for _, holds in row}
    assert message == {None}


def drawn_labels(display):
    """Each label that is written, with the colour behind it; None for what was missed."""
    found = []
    for text in display.ax_.texts:
        box = text.get_bbox_patch()
        color = None if box is None else mpl.colors.to_hex(box.get_facecolor())
        found.append((text.get_text(), color))
    return found


def legend_of(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_colours_mark_right_and_wrong_and_the_legend_explains_them():
    picture = np.zeros((2, 8, 8))
    bag = ShownBag(picture, {0: [("2", False), ("6", True)], 1: [("4", False)]}, ["1", "3"])
    display = BagDisplay([bag]).plot()
    right, wrong = "#009e73", "#d55e00"
    expected = [("2", wrong), ("6", right), ("4", wrong), ("1\n3", None)]
    assert drawn_labels(display) == expected
    frames = [patch for patch in display.ax_.patches if isinstance(patch, mpl.patches.Rectangle)]
    assert [mpl.colors.to_hex(frame.get_edgecolor()) for frame in frames] == [right, wrong, wrong]
    expected = ["right", "wrong", "missed"]
    assert legend_of(display) == expected
    unknown = BagDisplay([ShownBag(picture, {1: [("4", None)]}, [])]).plot()
    assert legend_of(unknown) == ["decided"]


@pytest.mark.parametrize(("n_bags", "n_columns"), [(3, 1), (8, 2), (9, 2)])
def test_no_two_pictures_cover_each_other(n_bags, n_columns):
    random = np.random.default_rng(0)
    bags = [
        ShownBag(np.zeros((size, 8, 8)), {}, ["1"] if size % 2 else [])
        for size in random.integers(1, 5, n_bags)
    ]
    display = BagDisplay(bags).plot()
    boxes = [image.get_extent() for image in display.ax_.images]
    assert len({(left, top) for left, _, _, top in boxes}) == len(boxes)
    cards = [p for p in display.ax_.patches if isinstance(p, mpl.patches.FancyBboxPatch)]
    assert len({card.get_x() for card in cards}) == n_columns
    for one, other in combinations(cards, 2):
        assert not one.get_bbox().overlaps(other.get_bbox())


def test_what_is_no_picture_is_refused(fitted):
    model, data = fitted
    with pytest.raises(ValueError, match="shape must contain all features: a picture has 64"):
        BagDisplay.from_estimator(model, data, shape=(3, 3))
    with pytest.raises(ValueError, match="data must have bags"):
        BagDisplay.from_estimator(model, Dataset(data.X, None))
    odd = Dataset([np.zeros((2, 15))], [[1]])
    with pytest.raises(ValueError, match=r"not square.*InstanceDisplay draws instances"):
        BagDisplay.from_estimator(model, odd)
