"""Lines, keys, canonical numbers, digest, limits; the subject, in the file and as the caller's (FORMAT.md, 1, 7, 8)."""
import hashlib
import json
import math
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any, BinaryIO

Vector = tuple[int, ...]  # (n_1, .., n_d, q): the point (n_1/q, .., n_d/q) in lowest terms, q > 0
Ratios = tuple[Vector, Vector]  # numerators, denominators
Point = list[Fraction]
Coordinates = Sequence[Sequence[int]]
State = tuple[Coordinates, int]  # the d coordinates of all tokens of a sequence, and their common denominator
Subject = tuple[State, frozenset[Vector], str | None]  # tokens, targets (empty: not given), label
System = tuple[list[Vector], Fraction, list[Vector]]  # A, a = alpha/(1+alpha), tokens
DEPTH = 8
ROW = re.compile("(?:{0})(?:,(?:{0}))*+".format("0|-?+[1-9][0-9]*+(?:/(?:[2-9][0-9]*+|1[0-9]++))?+"))
USER = re.compile(r"[+-]?[0-9]+(?:/0*[1-9][0-9]*|(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,4})?)")
NOT_MARKS = bytes(set(range(256)) - set(b'"[]{}'))

class Refusal(Exception):
    """Arguments: a verdict other than accepted, and the reason."""
def well_formed(condition: bool, why: str) -> None:
    if not condition:
        raise Refusal("malformed", why)
def holds(condition: bool, why: str) -> None:
    if not condition:
        raise Refusal("rejected", why)
def within(amount: int, limit: int, option: str) -> None:
    if amount > limit:
        raise Refusal("declined", f"{amount} exceeds the limit {limit}; raise it with --max-{option}")

@dataclass(frozen=True)
class Limits:
    """What a checker is willing to read and compute before it declines."""
    bytes: int = 2_000_000_000
    line: int = 200_000_000
    digits: int = 4_000
    bits: int = 200_000
    operations: int = 2_000_000_000

def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    well_formed(len(found) == len(pairs), "a key stands twice in one object")
    return found
def small(text: str) -> int:
    well_formed(text.isdigit() and len(text) <= 15, f"not a count or an index: {text[:40]}")
    return int(text)

DECODER = json.JSONDecoder(object_pairs_hook=unique, parse_int=small, parse_float=small, parse_constant=small)
Number = type("Number", (str,), {})  # a JSON number of the caller's file, as written
FORGIVING = json.JSONDecoder(object_pairs_hook=unique, parse_int=Number, parse_float=Number, parse_constant=Number)
def parse(text: bytes, decoder: json.JSONDecoder = DECODER) -> Any:
    """The JSON value of a text whose brackets, those inside strings left out, nest at most DEPTH deep."""
    plain = text.replace(b"\\\\", b"").replace(b'\\"', b"") if b"\\" in text else text
    brackets = b"".join(plain.translate(None, NOT_MARKS).replace(b'""', b"").split(b'"')[::2])
    for _ in range(DEPTH):
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    well_formed(not brackets, f"brackets do not match or nest deeper than {DEPTH}")
    try:
        return decoder.decode(text.decode("utf-8"))
    except ValueError as error:
        raise Refusal("malformed", f"not JSON: {error}"[:200]) from None

def exact_keys(value: Any, *keys: str) -> Any:
    well_formed(type(value) is dict and value.keys() == set(keys), f"expected exactly the keys {', '.join(keys)}")
    return value
def count(value: Any, least: int, below: int = 10**15) -> int:
    well_formed(type(value) is int and least <= value < below, f"expected an integer from {least} to {below - 1}")
    return int(value)
def indices(value: Any, length: int) -> tuple[int, ...]:
    well_formed(type(value) is list, "expected a list of indices")
    found = tuple([count(i, 0, length) for i in value])
    well_formed(all(map(int.__lt__, found, found[1:])), "indices must increase strictly")
    return found
def items(value: Any, length: int | None = None) -> Any:
    """A list that is not empty, of the given length if there is one."""
    good = type(value) is list and len(value) > 0 and length in (None, len(value))
    well_formed(good, f"expected a list of {'one or more' if length is None else length} entries")
    return value

def lowest(point: Vector) -> Vector:
    factor = math.gcd(*point)
    return point if factor == 1 else tuple([n // factor for n in point])
def points(coordinates: Coordinates, common: int) -> list[Vector]:
    return [lowest((*x, common)) if common > 1 else (*x, 1) for x in zip(*coordinates)]
def fractions(point: Vector) -> Point:
    return [Fraction(n, point[-1]) for n in point[:-1]]

class Reader:
    """The lines of a certificate one at a time, their digests, the shapes in them, and what has been spent."""
    def __init__(self, stream: BinaryIO, limits: Limits) -> None:
        self.stream, self.limits, self.dim, self.lines, self.bytes, self.spent = stream, limits, 1, 0, 0, 0
        self.all, self.subject = hashlib.sha256(), hashlib.sha256()
        if 0 < sys.get_int_max_str_digits() < limits.digits:  # Python's own cap yields to the caller's
            sys.set_int_max_str_digits(min(limits.digits, 2**31 - 1))
    def spend(self, operations: int) -> None:
        self.spent += operations
        within(self.spent, self.limits.operations, "operations")
    def bits(self, *numbers: int, power: int = 1) -> None:
        size = max(map(abs, numbers)).bit_length()
        if size > min(63, self.limits.bits):
            within(size, self.limits.bits, "bits")
            self.spend(len(numbers) * (size >> 6) ** power)
    def value(self, subject: bool = False) -> Any:
        """The JSON value of the next line."""
        line = self.stream.readline(self.limits.line + 1)
        self.lines, self.bytes = self.lines + 1, self.bytes + len(line)
        within(len(line), self.limits.line, "line")
        within(self.bytes, self.limits.bytes, "bytes")
        other = b"\t" in line or b"\r" in line or b"\x7f" in line  # JSON itself refuses the other control characters
        good = line.isascii() and line.endswith(b"\n") and not other
        well_formed(good, "a line is printable ASCII and ends with one LF byte" if line else "the end line is missing")
        self.all.update(line)
        self.subject.update(line if subject else b"")
        return parse(line)
    def line(self, *keys: str, subject: bool = False) -> Any:
        """The values of exactly these keys in the next line; the value itself if there is one key."""
        found = exact_keys(self.value(subject), *keys)
        return [found[key] for key in keys] if len(keys) > 1 else found[keys[0]]
    def end(self) -> None:
        digest = self.all.hexdigest()
        end, stated = self.line("end", "sha256")
        well_formed(end is True and stated == digest, f"the digest of the lines above is {digest}")
        well_formed(self.stream.read(1) == b"", "bytes after the end line")

    def ratios(self, texts: list[Any]) -> Ratios:
        """Numerators and denominators of canonical numbers; all are matched at once, which is what makes it fast."""
        try:
            joined = ",".join(texts)
        except TypeError:
            raise Refusal("malformed", "a number must be a string in canonical form") from None
        if len(joined) > self.limits.digits:
            within(max(map(len, texts)), self.limits.digits, "digits")
        canonical = ROW.fullmatch(joined) is not None and joined.count(",") == len(texts) - 1
        well_formed(canonical, "a number is not in canonical form")
        if "/" not in joined:
            return tuple(json.loads(f"[{joined}]")), (1,) * len(texts)  # faster than int
        pairs = json.loads(f"[{','.join([text if '/' in text else text + '/1' for text in texts])}]".replace("/", ","))
        above, below = tuple(pairs[::2]), tuple(pairs[1::2])
        well_formed(max(map(math.gcd, above, below)) == 1, "a fraction is not in lowest terms")
        return above, below
    def number(self, text: Any) -> Fraction:
        return Fraction(*[part for (part,) in self.ratios([text])])

    def state(self, rows: Any, length: int | None = None) -> State:
        """A list, not empty, of points of the dimension of the header, as their coordinates over one denominator."""
        good = set(map(type, items(rows, length))) == {list} and set(map(len, rows)) == {self.dim}
        well_formed(good, f"expected lists of {self.dim} numbers")
        numbers = self.over_common(*self.ratios(list(chain.from_iterable(rows))))
        return [numbers[i : -1 : self.dim] for i in range(self.dim)], numbers[-1]
    def vectors(self, rows: Any, length: int | None = None) -> list[Vector]:
        return points(*self.state(rows, length))
    def points(self, rows: Any, length: int | None = None) -> list[Point]:
        return [fractions(x) for x in self.vectors(rows, length)]

    def common(self, numbers: Collection[int]) -> int:
        """The least common multiple, within the limits if all numbers are brought to it."""
        common = 1
        for number in set(numbers):
            common = math.lcm(common, number)
            within(common.bit_length(), self.limits.bits, "bits")
        self.spend(8 * len(numbers) * (common.bit_length() >> 6))
        return common
    def over_common(self, above: Iterable[int], below: Sequence[int]) -> Vector:
        common = self.common(below)
        return (*above, 1) if common == 1 else (*[p * (common // q) for p, q in zip(above, below)], common)
    def whole(self, points: Collection[Vector]) -> tuple[list[Vector], int]:
        """The points times their common denominator, as integer vectors, and that denominator."""
        common = self.common([x[-1] for x in points])
        return [x[:-1] if x[-1] == common else tuple([n * (common // x[-1]) for n in x[:-1]]) for x in points], common
    def bounded(self, coordinates: Coordinates, common: int) -> State:
        """The same state; if its numbers are large, in lowest terms and within the limits."""
        if max(common, *map(max, coordinates), -min(map(min, coordinates))) >> min(128, self.limits.bits):
            factor = math.gcd(common, *chain.from_iterable(coordinates))
            coordinates, common = [[n // factor for n in x] for x in coordinates], common // factor
            self.bits(common, *chain.from_iterable(coordinates))
        return coordinates, common

    def amounts(self, rows: Any) -> list[Vector]:
        """The exact values of rows of numbers in the caller's file."""
        for text in [text for row in items(rows) for text in items(row)]:
            good = isinstance(text, str) and USER.fullmatch(text) is not None
            well_formed(good, f"data file: no number: {text!a:.60}")
            within(len(text), self.limits.digits, "digits")
        ratios = [zip(*[Fraction(text).as_integer_ratio() for text in row]) for row in rows]
        return [self.over_common(*row) for row in ratios]
    def load(self, path: str, kind: str) -> dict[str, Any]:
        """The caller's JSON file of the given kind, its numbers not yet read."""
        with open(path, "rb") as stream:
            text = stream.read(self.limits.bytes + 1)
        within(len(text), self.limits.bytes, "bytes")
        content = parse(text, FORGIVING)
        good = type(content) is dict and (content.get("exactformer"), content.get("version")) == (kind, ["1", "0"])
        well_formed(good, f"data file: no {kind} file of version [1,0]")
        return {key: value for key, value in content.items() if key not in ("exactformer", "version")}
    def user_sequences(self, path: str) -> list[tuple[list[Vector], frozenset[Vector], str | None]]:
        rows, found = items(exact_keys(self.load(path, "dataset"), "sequences")["sequences"]), []
        labels = type(rows[0]) is dict and "label" in rows[0]
        for row in rows:
            exact_keys(row, "tokens", "label" if labels else "targets")
            well_formed(not labels or type(row["label"]) is str, "data file: a label is no string")
            targets = frozenset() if labels else frozenset(self.amounts(row["targets"]))
            found.append((self.amounts(row["tokens"]), targets, row.get("label")))
        return found
    def sequences(self, total: int, data: str | None, *kinds: set[str]) -> Iterator[Subject]:
        """The sequence lines: keys of one kind, labels and targets in correspondence, and the caller's own data."""
        mine = [] if data is None else self.user_sequences(data)
        holds(data is None or len(mine) == total, "the data file has another number of sequences")
        keys, targets_of, label_of = set[str](), dict[str, frozenset[Vector]](), dict[frozenset[Vector], str]()
        for j in range(total):
            row = self.value(subject=True)
            keys = keys or next((kind for kind in kinds if type(row) is dict and row.keys() > kind), kinds[0])
            exact_keys(row, "sequence", "tokens", *keys)
            count(row["sequence"], j, j + 1)
            tokens, label, given = self.state(row["tokens"]), row.get("label"), "targets" in keys
            targets = frozenset(self.vectors(row["targets"]) if given else ())
            well_formed(not given or len(targets) == len(row["targets"]), "a target stands twice")
            good = "label" not in keys or (type(label) is str and not any("\ud800" <= c <= "\udfff" for c in label))
            well_formed(good, "a label is a string without lone surrogates")
            if keys == {"label", "targets"}:
                holds(targets_of.setdefault(label, targets) == targets, "equal labels have different targets")
                holds(label_of.setdefault(targets, label) == label, "different labels have equal targets")
            if data is not None:
                holds(mine[j][0] == points(*tokens), f"sequence {j}: the data file has other tokens")
                same = mine[j][1] in (frozenset(), targets) and mine[j][2] in (None, label)
                holds(same, f"sequence {j}: the data file has other targets or another label")
            yield tokens, targets, label

    def system(self, n: int, data: str | None) -> System:
        """The system line, and that it is the caller's."""
        rows, step, points = self.line("A", "alpha", "tokens", subject=True)
        A, alpha, tokens = self.vectors(rows, self.dim), self.number(step), self.vectors(points, n)
        holds(alpha > 0, "alpha must be positive")
        if data is not None:
            identity = [[str(int(i == j)) for j in range(self.dim)] for i in range(self.dim)]
            mine = exact_keys({"A": identity, "alpha": "1", **self.load(data, "tokens")}, "A", "alpha", "tokens")
            theirs = (self.amounts(mine["A"]), *self.amounts([[mine["alpha"]]]), self.amounts(mine["tokens"]))
            holds(theirs == (A, alpha.as_integer_ratio(), tokens), "the data file has another A, alpha or tokens")
        return A, alpha / (1 + alpha), tokens
