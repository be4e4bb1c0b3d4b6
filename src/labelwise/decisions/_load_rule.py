"""The public function `load_rule`: a rule that decides, from a file of any kind of rule."""

from __future__ import annotations

from pathlib import Path

from labelwise._tuning._result import Thresholds
from labelwise.decisions._proportions import Proportions
from labelwise.decisions.bands._bands import Bands


def load_rule(path: str | Path) -> Thresholds | Bands | Proportions:
    """Read thresholds, bands or proportions from a JSON file, whichever it has.

    Parameters
    ----------
    path : str or Path
        File to read, which the method `save` of such a rule has written.

    Returns
    -------
    Thresholds, Bands or Proportions
        The rule with all attributes. Each has a method `decide`.

    Raises
    ------
    DataError
        If the file cannot be read, is larger than 128 MiB, or has no rule that this
        release or an earlier one has written.

    See Also
    --------
    Thresholds.load : Read thresholds, and refuse other rules.
    Bands.load : Read bands, and refuse other rules.
    Proportions.load : Read proportions, and refuse other rules.

    Examples
    --------
    >>> from labelwise.decisions import best_thresholds, load_rule
    >>> path = getfixture("tmp_path") / "thresholds.json"
    >>> best_thresholds([[0.9, 0.2], [0.6, 0.4]], [[1, 0], [0, 1]]).save(path)
    >>> load_rule(path).decide([[0.8, 0.1]])
    array([[1, 0]], dtype=int8)
    """
    from labelwise._json_files import read_json
    from labelwise._tuning._rule_files import BandFile, ProportionFile, ThresholdFile

    found = read_json(path, ThresholdFile, BandFile, ProportionFile)
    if isinstance(found, ThresholdFile):
        return Thresholds._of_file(found)
    return Bands._of_file(found) if isinstance(found, BandFile) else Proportions._of_file(found)
