"""Lines, JSON, keys, counts and the digest (FORMAT.md, section 1, Envelope)."""

import hashlib
import json
import re
from collections.abc import Callable
from typing import BinaryIO

from .budget import Budget
from .verdict import Json, Refusal, well_formed

DEPTH = 8
Outside = Callable[[bytes], bytes]
STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
NO_BRACKET = bytes(set(range(256)) - set(b"[]{}"))
SQUARE = bytes.maketrans(b"{}", b"[]")


def unique_keys(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """The object with these members; a key that stands twice is refused."""
    found = dict(pairs)
    well_formed(len(found) == len(pairs), "a key stands twice in one object")
    return found


def json_integer(text: str) -> int:
    """The count or index that a JSON number writes; JSON itself has refused leading zeros."""
    well_formed(text.isdigit() and len(text) <= 15, f"not a count or an index: {text[:40]}")
    return int(text)


STRICT = json.JSONDecoder(
    object_pairs_hook=unique_keys, parse_int=json_integer, parse_float=json_integer, parse_constant=json_integer
)


def outside_strings(text: bytes) -> bytes:
    """The brackets of a JSON text that do not stand inside strings, all as square ones."""
    return STRING.sub(b"", text).translate(SQUARE, NO_BRACKET)


def verify_nesting(brackets: bytes) -> None:
    """Brackets nest at most DEPTH deep; JSON sees that their kinds match.

    Taking out all neighbouring pairs takes out the innermost level of brackets.
    """
    for _ in range(DEPTH):
        brackets = brackets.replace(b"[]", b"")
    well_formed(not brackets, f"brackets do not match or nest deeper than {DEPTH}")


def parse(text: bytes, decoder: json.JSONDecoder = STRICT, outside: Outside = outside_strings) -> Json:
    """The JSON value of a text."""
    verify_nesting(outside(text))
    try:
        return decoder.decode(text.decode("utf-8"))
    except ValueError as error:
        raise Refusal("malformed", f"not JSON: {error}"[:200]) from None


class Lines:
    """The lines of a certificate one at a time, with the digest of all and that of the subject."""

    def __init__(self, stream: BinaryIO, budget: Budget, outside: Outside = outside_strings) -> None:
        self.stream, self.budget, self.outside = stream, budget, outside
        self.read, self.bytes = 0, 0
        self.digest, self.subject = hashlib.sha256(), hashlib.sha256()
        self.ahead: tuple[bytes, Json] | None = None  # a line that was looked at, and its value

    def value(self, subject: bool = False) -> Json:
        """The JSON value of the next line."""
        line, found = self.ahead or self.next()
        self.ahead = None
        self.take(line, subject)
        return found

    def take(self, line: bytes, subject: bool) -> None:
        """A line that was read enters the digests."""
        self.digest.update(line)
        if subject:
            self.subject.update(line)

    def next_has(self, key: str) -> bool:
        """Whether the next line, which stays the next one, is an object with this key."""
        self.ahead = self.ahead or self.next()
        return has_key(self.ahead[1], key)

    def next(self) -> tuple[bytes, Json]:
        """The next line of the stream and its JSON value."""
        line = self.next_line()
        return line, self.parsed(line)

    def parsed(self, line: bytes) -> Json:
        """The JSON value of a line."""
        return parse(line, STRICT, self.outside)

    def next_line(self) -> bytes:
        """The next line of the stream, which is printable ASCII and ends with one LF byte."""
        line = self.stream.readline(self.budget.limits.line + 1)
        self.read, self.bytes = self.read + 1, self.bytes + len(line)
        self.budget.within(len(line), "line")
        self.budget.within(self.bytes, "bytes")
        other = b"\t" in line or b"\r" in line or b"\x7f" in line  # JSON refuses the other control characters
        printable = line.isascii() and line.endswith(b"\n") and not other
        why = "a line is printable ASCII and ends with one LF byte" if line else "the end line is missing"
        well_formed(printable, why)
        return line

    def skip(self, text: bytes, lines: int) -> None:
        """Subject lines that were verified elsewhere are counted and enter the digests."""
        self.read, self.bytes = self.read + lines, self.bytes + len(text)
        self.digest.update(text)
        self.subject.update(text)

    def fields(self, *keys: str, subject: bool = False) -> list[Json]:
        """The values of exactly these keys in the next line."""
        found = exact_keys(self.value(subject), *keys)
        return [found[key] for key in keys]

    def field(self, key: str, subject: bool = False) -> Json:
        """The value of the only key of the next line."""
        return self.fields(key, subject=subject)[0]

    def end(self) -> None:
        """The end line has the digest of every byte before it, and nothing follows."""
        digest = self.digest.hexdigest()
        end, stated = self.fields("end", "sha256")
        well_formed(end is True and stated == digest, f"the digest of the lines above is {digest}")
        well_formed(self.stream.read(1) == b"", "bytes after the end line")


def exact_keys(value: object, *keys: str) -> Json:
    """The object, which has exactly these keys."""
    well_formed(type(value) is dict and value.keys() == set(keys), f"expected exactly the keys {', '.join(keys)}")
    return value


def has_key(value: object, key: str) -> bool:
    """Whether a value is an object with this key."""
    return type(value) is dict and key in value


def count(value: Json, least: int, below: int = 10**15) -> int:
    """A count or an index in a range."""
    well_formed(type(value) is int and least <= value < below, f"expected an integer from {least} to {below - 1}")
    return int(value)


def indices(value: Json, length: int) -> tuple[int, ...]:
    """Strictly increasing indices below a length; there may be none."""
    well_formed(type(value) is list, "expected a list of indices")
    found = tuple([count(i, 0, length) for i in value])
    well_formed(all(map(int.__lt__, found, found[1:])), "indices must increase strictly")
    return found


def entries(value: object, length: int | None = None) -> Json:
    """A list that is not empty, of the given length if there is one."""
    right = type(value) is list and len(value) > 0 and length in (None, len(value))
    well_formed(right, f"expected a list of {'one or more' if length is None else length} entries")
    return value
