"""Stop words and stems of languages, and texts as numbers of their words."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from labelwise._extras import require

if TYPE_CHECKING:
    import numpy as np

# The stemmer takes time quadratic in the length of a word; longer runs of letters are not words.
_LONGEST_WORD = 100
# Function words of languages for which scikit-learn has no list: articles, pronouns, prepositions,
# conjunctions, auxiliary verbs.
_STOP_WORDS = {
    "dutch": """de het een en of maar want dat die dit deze er hier daar ik je jij u hij zij ze we
        wij jullie hen hun haar zijn mijn jouw uw ons onze in op aan van voor met bij door over om
        te tot uit naar onder tegen tussen zonder na als dan dus ook nog al niet geen wel is was
        waren ben bent wordt worden werd zal zou kan kunnen heeft hebben had men wat wie""",
    "french": """le la les un une des du de d l et ou mais donc or ni car que qui quoi dont où ce
        cet cette ces il elle ils elles je tu nous vous on se sa son ses mon ma mes ton ta tes
        notre nos votre vos leur leurs dans sur sous par pour avec sans entre vers chez à au aux en
        y ne pas plus est sont était étaient être a ont avait avoir fait comme si""",
    "german": """der die das den dem des ein eine einer eines einem einen und oder aber denn dass
        daß weil wenn als wie ob ich du er sie es wir ihr mein dein sein ihre unser euer sich mich
        dich uns euch in im an am auf aus bei beim mit nach von vom vor zu zum zur für gegen ohne
        um durch über unter zwischen nicht kein keine auch noch nur schon so ist sind war waren
        wird werden wurde hat haben hatte kann können man was wer dies diese dieser dieses""",
    "italian": """il lo la i gli le un uno una di a da in con su per tra fra del dello della dei
        degli delle al allo alla ai agli alle dal dalla nel nella nei nelle sul sulla e ed o ma
        che chi cui non più come se io tu lui lei noi voi loro mi ti si ci vi suo sua suoi sue
        questo questa questi queste quello quella è sono era erano essere ha hanno aveva""",
    "portuguese": """o a os as um uma uns umas de do da dos das em no na nos nas por pelo pela para
        com sem sobre entre e ou mas que quem se não mais como eu tu ele ela nós vós eles elas me
        te lhe seu sua seus suas meu minha este esta esse essa isto isso aquele aquela ao aos à às
        é são era eram ser foi foram tem têm tinha há""",
    "spanish": """el la los las un una unos unas de del a al en por para con sin sobre entre y e o
        u pero que quien se no más como si yo tú él ella nosotros vosotros ellos ellas me te le les
        lo su sus mi mis este esta estos estas ese esa eso aquel aquella es son era eran ser fue
        fueron ha han había hay""",
    "swedish": """en ett den det de och eller men att som om när då jag du han hon vi ni dem sig
        min din sin vår er i på av för med till från vid under över mellan utan mot efter inte ej
        är var varit blir blev har hade kan ska skulle man vad vem denna detta dessa""",
}


def stop_words_of(language: str | None) -> Collection[str]:
    """Return the stop words of a language in lower case; empty if there is no list of it."""
    if language in ("english", "porter"):
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return ENGLISH_STOP_WORDS  # type: ignore[no-any-return]
    return frozenset(_STOP_WORDS.get(language or "", "").split())


def stemmer_of(language: str) -> Callable[[str], str]:
    """Return the Snowball stemmer of a language, which leaves very long words as they are."""
    require("snowballstemmer", "stemming")
    import snowballstemmer

    stem = snowballstemmer.stemmer(language).stemWord
    return lambda word: stem(word) if len(word) <= _LONGEST_WORD else word


def check_language(language: str | None, input_name: str) -> None:
    """Refuse a language without a Snowball stemmer; None means no language in particular."""
    if language is None:
        return
    require("snowballstemmer", f"{input_name}={language!r}")
    import snowballstemmer

    known = snowballstemmer.algorithms()
    if language not in known:
        raise ValueError(
            f"{input_name} must be None or one of {', '.join(known)}, got {language!r}."
        )


class WordNumbers(dict[str, int]):
    """Numbers of words by the words as they are written; equal terms have the same number.

    `reduce` returns the term of a word, such as its stem, or "" if the word is to be removed; it is
    called once for each distinct word.
    """

    def __init__(self, reduce: Callable[[str], str]) -> None:
        self._reduce = reduce
        self.of_terms: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        term = self._reduce(word)
        number = self.of_terms.setdefault(term, len(self.of_terms)) if term else -1
        self[word] = number
        return number

    def of_texts(self, texts: Iterable[Sequence[str]]) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers of the words that stay, and where each text begins and ends."""
        import numpy as np

        numbers, ends = array("q"), array("q", [0])
        for text in texts:
            numbers.extend(map(self.__getitem__, text))
            ends.append(len(numbers))
        seen = np.array(numbers, dtype=np.int64)
        is_kept = seen >= 0
        return seen[is_kept], np.concatenate(([0], np.cumsum(is_kept)))[np.array(ends)]
