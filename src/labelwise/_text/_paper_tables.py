"""Format tables for papers, as LaTeX and as Markdown, with all names escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from labelwise._text._names import printable

# A name in a table may be longer than one in a sentence.
_LONGEST_NAME = 200
# Brackets and stars after the end of a row would be arguments of the row break.
_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "{}&%$#_"}
    | {character: f"{{{character}}}" for character in "[]*"}
    | {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "`": r"\textasciigrave{}",
    }
)
_MARKDOWN = str.maketrans(
    {character: f"\\{character}" for character in "\\`*_{}[]#|~$"}
    | {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
)


def latex_table(heading: Sequence[str], rows: Iterable[Sequence[str]], n_names: int) -> str:
    """Format a table as a LaTeX tabular with the rules of the package booktabs.

    The heading and the first `n_names` cells of each row are names, which are escaped and
    left-aligned; the other cells are LaTeX.
    """
    lines = [
        f"\\begin{{tabular}}{{{'l' * n_names}{'r' * (len(heading) - n_names)}}}",
        "\\toprule",
        f"{' & '.join(map(_latex_name, heading))} \\\\",
        "\\midrule",
    ]
    for row in rows:
        cells = [*map(_latex_name, row[:n_names]), *row[n_names:]]
        lines.append(f"{' & '.join(cells)} \\\\")
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}"])


def markdown_table(heading: Sequence[str], rows: Iterable[Sequence[str]], n_names: int) -> str:
    """Format a table as Markdown, as GitHub and pandoc read it.

    The heading and the first `n_names` cells of each row are names, which are escaped and
    left-aligned; the other cells are Markdown.
    """
    lines = [
        [*map(_markdown_name, heading)],
        [":--"] * n_names + ["--:"] * (len(heading) - n_names),
        *([*map(_markdown_name, row[:n_names]), *row[n_names:]] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _latex_name(name: str) -> str:
    # Hyphens in a row would become a dash.
    return re.sub("-(?=-)", "-{}", printable(name, _LONGEST_NAME).translate(_LATEX))


def _markdown_name(name: str) -> str:
    return printable(name, _LONGEST_NAME).translate(_MARKDOWN)
