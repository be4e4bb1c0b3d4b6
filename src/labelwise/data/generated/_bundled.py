"""The data sets that `load` generates by name, without a file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from labelwise.data._dataset import Dataset
from labelwise.data.generated._abstracts import make_abstracts
from labelwise.data.generated._corpus import make_corpus
from labelwise.data.generated._digits import make_digit_bags
from labelwise.data.generated._multilabel import make_multilabel


def _mixture() -> Dataset:
    return make_multilabel(random_state=0)[0]


BUNDLED: dict[str, Callable[[], Dataset]] = {
    "abstracts": partial(make_abstracts, random_state=0),
    "digits": partial(make_digit_bags, pictures=True, random_state=0),
    "digit-bags": partial(make_digit_bags, random_state=0),
    "mixture": _mixture,
    "topics": partial(make_corpus, random_state=0),
}
