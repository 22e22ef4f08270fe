"""What every question shares: its options, the kinds of answers, certificates made in memory and checked."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

from exactformer.checking import check
from exactformer.errors import InvalidInput
from exactformer.io.json_lines import JsonObject

#: options of a question, from the query of its address
Query = Mapping[str, str]
#: JSON, or the bytes of a certificate
Answer = JsonObject | bytes


def bytes_of(certify: Callable[[Path], object]) -> bytes:
    """The certificate that a writer writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "certificate.jsonl"
        certify(path)
        return path.read_bytes()


def verdict_on(content: bytes) -> JsonObject:
    """The independent checker's verdict on a certificate."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "certificate.jsonl"
        path.write_bytes(content)
        return asdict(check(path))


def count_of(options: Query, name: str, usual: int, most: int) -> int:
    """An integer option.

    >>> count_of({"n": "3"}, "n", 8, 10), count_of({}, "n", 8, 10)
    (3, 8)
    """
    text = options.get(name, str(usual))
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) <= most):
        raise InvalidInput(f"{name}: expected an integer from 0 to {most}, got {text!r:.40}")
    return int(text)
