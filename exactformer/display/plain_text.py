"""Text of a stranger's file, shown as it is: it is data, so nothing in it commands a terminal or reorders a line."""

from __future__ import annotations

import unicodedata

#: control characters, invisible or reordering formats, lone surrogates, private use, line and paragraph separators
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def visible(text: str, *, keep: str = "") -> str:
    r"""The text with every character that a reader could not see written as an escape; those in `keep` stay.

    >>> visible("cat\x1b[2J\u202egod"), visible("two\nlines", keep="\n")
    ('cat\\x1b[2J\\u202egod', 'two\nlines')
    """
    if text.isprintable():
        return text
    return "".join(_escape(c) if unicodedata.category(c) in _HIDDEN and c not in keep else c for c in text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
