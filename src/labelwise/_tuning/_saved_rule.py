"""What thresholds, bands and proportions share: the JSON file of a rule with its evidence."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any, ClassVar, Self


class SavedRule:
    """A frozen dataclass of a rule, with its evidence in the field `evidence`.

    A subclass names the model of its file in `_rule_files`, and the class of its evidence.
    """

    _file: ClassVar[str]
    _evidence: ClassVar[Any]

    def save(self, path: str | Path) -> None:
        """Write the rule to a JSON file.

        The file appears only once it is complete; an error leaves an existing file unchanged.

        Parameters
        ----------
        path : str or Path
            File to write; missing folders are created, and ``-`` is the standard output.

        Raises
        ------
        OSError
            If the file cannot be written.

        Examples
        --------
        >>> from labelwise.decisions import Thresholds, best_thresholds
        >>> tuned = best_thresholds([[0.9, 0.2], [0.6, 0.4]], [[1, 0], [0, 1]])
        >>> path = getfixture("tmp_path") / "thresholds.json"
        >>> tuned.save(path)
        >>> Thresholds.load(path).values
        array([0.75, 0.3 ])
        """
        from labelwise._json_files import write_json

        write_json(self.to_dict(), path)

    def to_dict(self) -> dict[str, Any]:
        """Return the content of the file that `save` writes.

        Returns
        -------
        dict
            The keys of the file in their order, with lists, numbers and strings as values, which
            `json.dumps` can write. Infinite numbers and NaN are the strings "inf", "-inf" and
            "nan".

        Examples
        --------
        >>> from labelwise.decisions import best_thresholds
        >>> tuned = best_thresholds([[0.75, 0.2], [0.25, 0.4]], [[1, 1], [0, 1]])
        >>> tuned.to_dict()["values"]
        [0.5, '-inf']
        """
        from labelwise._tuning._rule_files import rule_content

        own = vars(self)
        return rule_content(self._model(), vars(own["evidence"]) | own)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a rule from a JSON file that `save` has written.

        Parameters
        ----------
        path : str or Path
            File to read.

        Returns
        -------
        Thresholds, Bands or Proportions
            The rule of this class, with all attributes.

        Raises
        ------
        DataError
            If the file cannot be read, is larger than 128 MiB, or is not a file of such a rule that
            this release or an earlier one has written.
        """
        from labelwise._json_files import read_json

        return cls._of_file(read_json(path, cls._model()))

    @classmethod
    def _model(cls) -> Any:
        """Return the model of the file; it needs pydantic, which takes time to import."""
        from labelwise._tuning import _rule_files

        return getattr(_rule_files, cls._file)

    @classmethod
    def _of_file(cls, found: Any) -> Self:
        """Build a rule from the validated content of a file."""
        kind: Any = cls
        named = dict(found)
        rule = {one.name: named.pop(one.name) for one in fields(kind) if one.name in named}
        built: Self = kind(evidence=cls._evidence(**named), **rule)
        return built
