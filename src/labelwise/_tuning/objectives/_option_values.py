"""The values of options: how each is checked, and how it is read from a command line.

The command line reads the declarations of options for every ``--help``, so that checks import numpy
and measures only when they are called.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

# "per row" is the spelling of 0.2, which files of thresholds have.
_MOST_PER_SAMPLE = re.compile(r"\s*[1-9][0-9]{0,8} per (?:sample|row)\s*")

# The FBR amount that is chosen by models of inner folds.
NESTED = "nested"


class Option(NamedTuple):
    """How the value of a field is checked, described, and read from a command line."""

    help: str
    check: Callable[[Any, str], Any] = lambda value, _: value
    kind: type = str  # of the option on the command line
    parse: Callable[[str, str], Any] | None = None  # for a `kind` of text
    in_command: bool = True
    # Default of the command and of TunedThresholds, if it is another one than that of the field.
    other_default: Any = None

    @property
    def has_other_default(self) -> bool:
        """Whether the command and `TunedThresholds` have a default of their own."""
        return self.other_default is not None


def option(text: str, **how: Any) -> dict[str, Option]:
    """Return the metadata of a field that is an option, with its line of help."""
    return {"option": Option(text, **how)}


def parse_number_or_word(text: str, _name: str) -> float | str:
    """Parse a number; a word is checked later."""
    try:
        return float(text)
    except ValueError:
        return text


def parse_amount(text: str, name: str, words: tuple[str, ...] = ("auto",)) -> float | str:
    """Parse a number, or one of some words."""
    found = parse_number_or_word(text.strip(), name)
    if isinstance(found, str) and found not in words:
        expected = ", ".join((*words[:-1], f"{words[-1]} or a number from 0 to 1"))
        raise ValueError(f"{name} must be {expected}, got {text!r}.")
    return found


def parse_fbr(text: str, name: str) -> Any:
    """Parse an amount, or an amount and a rule with a comma between them."""
    amount, comma, rule = text.partition(",")
    found = parse_amount(amount if comma else text, name, ("auto", NESTED))
    if not comma:
        return found
    if rule.strip() not in ("0", "1"):
        raise ValueError(f"{name} must have 0 or 1 as its rule, got {rule.strip()!r}.")
    return found, int(rule)


def parse_count(text: str, name: str) -> int | float:
    """Parse a whole number as a total, and any other number as a mean per sample."""
    try:
        return int(text) if text.strip().isdigit() else float(text)
    except ValueError as error:
        raise ValueError(f"{name} must be a number, got {text!r}.") from error


def parse_costs(text: str, name: str) -> tuple[float, ...]:
    """Parse numbers with commas between them."""
    try:
        return tuple(map(float, text.split(",")))
    except ValueError as error:
        raise ValueError(f"{name} must be numbers with commas, got {text!r}.") from error


def parse_count_or_text(text: str, name: str) -> int | float | str:
    return text if text.strip().endswith(("per sample", "per row")) else parse_count(text, name)


def checked_beta(beta: Any, _name: str) -> float:
    from labelwise._validation import check_beta

    check_beta(beta)
    return float(beta)


def check_amount(amount: Any, name: str) -> Any:
    """Refuse an amount that is neither "auto" nor a number from 0 to 1."""
    from labelwise._validation import is_real

    is_auto = isinstance(amount, str) and amount == "auto"
    if not is_auto and not (is_real(amount) and 0 <= amount <= 1):
        raise ValueError(f'{name} must be between 0 and 1, or "auto", got {amount!r}.')
    return amount


def is_nested(fbr: Any) -> bool:
    """Return whether an FBR amount is to be chosen by models of inner folds."""
    amount = fbr[0] if isinstance(fbr, tuple) and fbr else fbr
    return isinstance(amount, str) and amount == NESTED


def with_amount(fbr: Any, amount: float | str) -> tuple[Any, ...]:
    """Return an FBR with another amount, and with the same rule."""
    return (amount, *(fbr[1:] if isinstance(fbr, tuple) else (1,)))


def check_fbr(fbr: Any, name: str) -> Any:
    """Refuse an FBR that is neither None, an amount, nor a pair of an amount and a rule."""
    if fbr is None:
        return None
    if is_nested(fbr):
        raise ValueError(
            f"{name} must not be nested for scores that are given, because it fits a model to each "
            "inner fold: TunedThresholds and labelwise fit take it."
        )
    amount, rule = fbr if isinstance(fbr, tuple) and len(fbr) == 2 else (fbr, 1)
    check_amount(amount, name)
    if isinstance(rule, bool) or rule not in (0, 1):
        raise ValueError(f"{name} must have 0 or 1 as its rule, got {rule!r}.")
    return fbr


def check_rate(rate: Any, name: str) -> float | None:
    from labelwise._validation import check_real

    return None if rate is None else check_real(rate, name, least=0, most=1)


def check_total(most: Any, name: str) -> int | float | None:
    """Refuse a number that is neither a total nor a mean per sample."""
    from labelwise._validation import is_real, is_whole

    if most is None:
        return None
    if not (is_real(most) and 0 <= most < float("inf")):
        raise ValueError(
            f"{name} must be a whole number in total or a decimal number as mean per sample, "
            f"not negative, got {most!r}."
        )
    return int(most) if is_whole(most) else float(most)


def check_decisions(most: Any, name: str) -> int | float | str | None:
    """Refuse a number as above, and a text other than one as "3 per sample"."""
    if isinstance(most, str) and _MOST_PER_SAMPLE.fullmatch(most) is None:
        raise ValueError(f'{name} must be a number, or a text as "3 per sample", got {most!r}.')
    return most if isinstance(most, str) else check_total(most, name)
