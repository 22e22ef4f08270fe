"""Docstrings as Markdown: doctests become code blocks, and <A z, y> is an inner product, not a tag."""

from __future__ import annotations

import re
from typing import Any

import griffe


class MathematicalDocstrings(griffe.Extension):
    """Rewrites every docstring when it is collected."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Called once per function, class, attribute and module."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(text: str) -> str:
    """The docstring with fenced doctests and escaped formulas.

    >>> print(as_markdown("<x, y> > 0\\n\\n>>> 1 + 1\\n2"))
    &lt;x, y> > 0
    <BLANKLINE>
    ```pycon
    >>> 1 + 1
    2
    ```
    """
    paragraphs = text.split("\n\n")
    return "\n\n".join(_fenced(p) if p.lstrip().startswith(">>>") else _escaped(p) for p in paragraphs)


def _fenced(paragraph: str) -> str:
    return f"```pycon\n{paragraph}\n```"


def _escaped(paragraph: str) -> str:
    if paragraph.startswith("    "):  # a formula set apart is code already
        return paragraph
    parts = paragraph.split("`")
    plain = [_linked(part.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")) for part in parts]
    return "`".join(part if k % 2 else plain[k] for k, part in enumerate(parts))


def _linked(text: str) -> str:
    """Theorems of the pages on mathematics, as links from the pages of the API."""
    return re.sub(
        r"\bmathematics/([\w\\]+)#([\w-]+)",
        lambda found: f"[{found[0]}](../mathematics/{found[1].replace(chr(92), '')}.md#{found[2]})",
        text,
    )
