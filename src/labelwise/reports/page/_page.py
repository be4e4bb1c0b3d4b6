"""A page: template, style, script and data in one file, with a content security policy.

Arrays are written as base64, and data as JSON that no script element can end.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from labelwise import __version__
from labelwise._extras import require
from labelwise._text import printable

_TEMPLATES = "labelwise.reports.page"
# Parts of every page, before its own.
_FRAME = ("frame",)
# Larger numbers are in a list of their own.
_ESCAPE = 255
_CODES: dict[Any, str] = {np.uint8: "u1", np.int32: "i4", np.float32: "f4", np.float64: "f8"}


@dataclass(frozen=True)
class Page:
    """A template with its data: `data` goes to the script, `words` into the template.

    The template ``desk.html`` has the style ``desk.css``, and the scripts that its folder
    ``scripts/desk`` has, in the order of their names.
    """

    template: str
    title: str
    data: Mapping[str, Any]
    words: Mapping[str, Any] = field(default_factory=dict)


def rendered(page: Page) -> str:
    """Return a page as HTML: one file, which loads nothing and runs no script but its own."""
    kind = page.template.removesuffix(".html")
    style = "\n".join(_text("styles", f"{name}.css") for name in (*_FRAME, kind))
    script = _script((*_FRAME, kind))
    template = _environment().get_template(page.template)
    text: str = template.render(
        title=printable(page.title),
        version=__version__,
        policy=_policy(style, script),
        style=_markup(style),
        script=_markup(script),
        data=_markup(as_script(page.data)),
        **page.words,
    )
    return f"{text}\n"


def _script(folders: Sequence[str]) -> str:
    """Join the scripts of folders into one function, so that no name is visible outside."""
    parts = []
    for folder in folders:
        found = resources.files(_TEMPLATES).joinpath("templates", "scripts", folder)
        files = sorted(found.iterdir(), key=lambda file: file.name)
        parts += [file.read_text("utf-8") for file in files if file.name.endswith(".js")]
    return '(() => {\n"use strict";\n' + "\n".join(parts) + "\n})();\n"


def _policy(style: str, script: str) -> str:
    """Allow the style and the script of the page by their hashes, and nothing else."""
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _text(folder: str, name: str) -> str:
    found = resources.files(_TEMPLATES).joinpath("templates", folder, name)
    return found.read_text("utf-8")


def _markup(text: str) -> Any:
    """Mark text of ours as HTML, which the template must not escape."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704


@cache
def _environment() -> Any:
    require("jinja2", "a report")
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def packed(array: Any, kind: Any) -> dict[str, str]:
    """Encode an array as little-endian bytes in base64, with the code of its type."""
    code = _CODES[kind]
    content = np.ascontiguousarray(array, dtype=f"<{code}").tobytes()
    return {"type": code, "data": base64.b64encode(content).decode("ascii")}


def packed_small(array: Any) -> dict[str, str]:
    """Encode whole numbers, most of them small, in a byte each; the others follow as int32."""
    numbers = np.ravel(array)
    large = numbers >= _ESCAPE
    content = np.where(large, _ESCAPE, numbers).astype(np.uint8).tobytes()
    rest = numbers[large].astype("<i4").tobytes()
    return {
        "type": "small",
        "data": base64.b64encode(content).decode("ascii"),
        "rest": base64.b64encode(rest).decode("ascii"),
    }


def as_script(data: Any) -> str:
    """Write data as ASCII JSON for a script element, without any <, > or &.

    Text of a script element ends at ``</script`` and changes its meaning at ``<!--``, whatever
    JSON string contains them.
    """
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
