"""Generated titles and abstracts in real words, labelled with subjects."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from labelwise._tables import encode_table
from labelwise._validation import check_whole
from labelwise.data._dataset import Dataset


class Subject(NamedTuple):
    """The words of a subject, each list with blanks between them."""

    nouns: str
    verbs: str


SUBJECTS = {
    "astronomy": Subject(
        "star planet comet orbit telescope galaxy moon eclipse nebula satellite spectrum horizon",
        "orbits eclipses illuminates attracts",
    ),
    "economics": Subject(
        "market price trade bank tax wage debt currency tariff industry merchant budget",
        "finances taxes exports regulates",
    ),
    "geology": Subject(
        "rock mineral volcano fault glacier crystal sediment basalt crust quarry fossil lava",
        "erodes uplifts fractures buries",
    ),
    "history": Subject(
        "king empire treaty battle archive dynasty siege chronicle monastery crown revolt province",
        "conquers inherits records besieges",
    ),
    "medicine": Subject(
        "patient disease vaccine fever surgeon hospital infection symptom therapy nurse lung dose",
        "heals infects diagnoses vaccinates",
    ),
    "music": Subject(
        "melody violin choir opera rhythm sonata orchestra piano singer chord concert drum",
        "accompanies composes rehearses performs",
    ),
    "navigation": Subject(
        "ship harbour compass captain chart voyage anchor lighthouse coast sail cargo tide",
        "sails steers anchors charts",
    ),
    "zoology": Subject(
        "bird whale insect mammal nest herd predator feather larva reptile burrow migration",
        "hunts feeds migrates nests",
    ),
}
_GENERAL = Subject(
    "study method region result source number century group theory origin example account",
    "describes compares explains shows",
)
# Share of words that are not of a document's subjects.
_GENERAL_SHARE, _OTHER_SHARE = 0.35, 0.12
_MEAN_SUBJECTS, _MOST_SUBJECTS = 1.7, 4
_SENTENCES = (3, 6)


def make_abstracts(n_documents: int = 600, random_state: Any = None) -> Dataset:
    """Generate short texts in English words, labelled with the subjects that they are about.

    Sentences follow one pattern, and their words are drawn from the subjects of the document, from
    general words, and now and then from another subject.
    """
    import pyarrow as pa
    from sklearn.utils import check_random_state

    n_documents = check_whole(n_documents, "n_documents")
    rng = check_random_state(random_state)
    names = list(SUBJECTS)
    frequency = 1 / np.arange(2, len(names) + 2)
    Y = np.zeros((n_documents, len(names)), dtype=bool)
    rows: dict[str, list[str]] = {"title": [], "abstract": []}
    for i in range(n_documents):
        n_subjects = min(1 + rng.poisson(_MEAN_SUBJECTS - 1), _MOST_SUBJECTS)
        chosen = rng.choice(len(names), n_subjects, replace=False, p=frequency / frequency.sum())
        Y[i, chosen] = True
        writer = _Writer([names[j] for j in chosen], rng)
        rows["title"].append(writer.title())
        rows["abstract"].append(writer.abstract())
    ids = {"id": [f"doc{i:04}" for i in range(n_documents)]}
    X, feature_names, _, texts, frame, _ = encode_table(pa.table(rows), list(rows))
    return Dataset(X, Y, "abstracts", feature_names, names, ids=ids, frame=frame, texts=texts)


class _Writer:
    """Writes sentences about some subjects."""

    def __init__(self, subjects: list[str], rng: Any) -> None:
        self._subjects, self._rng = subjects, rng

    def title(self) -> str:
        return f"The {self._noun()} and the {self._noun()}: {self._article(self._noun())}"

    def abstract(self) -> str:
        n_sentences = self._rng.randint(*_SENTENCES)
        return " ".join(self._sentence() for _ in range(n_sentences))

    def _sentence(self) -> str:
        verb = self._rng.choice(self._word().verbs.split())
        return (
            f"The {self._noun()} of the {self._noun()} {verb} {self._article(self._noun())} "
            f"near the {self._noun()}."
        )

    def _noun(self) -> str:
        nouns = self._word().nouns.split()
        # Words are the rarer the later they are in the list.
        return nouns[int(len(nouns) * self._rng.random_sample() ** 1.5)]

    def _word(self) -> Subject:
        chance = self._rng.random_sample()
        if chance < _GENERAL_SHARE:
            return _GENERAL
        others = list(SUBJECTS) if chance < _GENERAL_SHARE + _OTHER_SHARE else self._subjects
        return SUBJECTS[others[self._rng.randint(len(others))]]

    def _article(self, noun: str) -> str:
        return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
