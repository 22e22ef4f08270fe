"""The caller's data file: is the certificate about *my* data? (FORMAT.md, section 7)."""

import json
import re
from fractions import Fraction
from typing import NamedTuple

from .budget import Budget
from .lines import entries, exact_keys, has_key, parse, unique_keys
from .numbers import over_common
from .points import Point, lowest
from .verdict import Json, well_formed

EXPONENT = 20_000  # the largest exponent of a decimal
DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]{1,9}))?")
QUOTIENT = re.compile(r"([+-]?[0-9]+)\s*/\s*(0*[1-9][0-9]*)", re.ASCII)
Sequence = tuple[list[Point], frozenset[Point], str | None]  # tokens, targets or none, label if there is one


class Number(str):
    """A JSON number of the caller's file, as written."""


FORGIVING = json.JSONDecoder(object_pairs_hook=unique_keys, parse_int=Number, parse_float=Number, parse_constant=Number)


def amount(text: Json, budget: Budget) -> Fraction:
    """The exact value of a JSON number, or of a decimal or a quotient p/q in a string."""
    well_formed(isinstance(text, str), f"data file: no number: {text!a:.60}")
    budget.within(len(text), "digits")
    decimal, quotient = DECIMAL.fullmatch(text.strip()), QUOTIENT.fullmatch(text.strip())
    power = int((decimal and decimal[1]) or 0)
    right = (decimal is not None or quotient is not None) and abs(power) <= EXPONENT
    well_formed(right, f"data file: no number: {text!a:.60}")
    budget.divisions(4, 4 * (len(text) + abs(power)))
    budget.hold(1, 4 * (len(text) + abs(power)))
    return Fraction(int(quotient[1]), int(quotient[2])) if quotient else Fraction(text.strip())


def amounts(rows: object, budget: Budget) -> list[Point]:
    """The points that are rows of numbers in the caller's file."""
    found = []
    for row in entries(rows):
        numbers = [amount(text, budget) for text in entries(row)]
        found.append(over_common([x.numerator for x in numbers], [x.denominator for x in numbers], budget))
    return found


def load(path: str, kind: str, budget: Budget) -> dict[str, Json]:
    """The caller's JSON file of the given kind, its numbers not yet read."""
    with open(path, "rb") as stream:
        text = stream.read(budget.limits.bytes + 1)
    budget.within(len(text), "bytes")
    content = parse(text, FORGIVING)
    right = type(content) is dict and (content.get("exactformer"), content.get("version")) == (kind, ["1", "0"])
    well_formed(right, f"data file: no {kind} file of version [1,0]")
    return {key: value for key, value in content.items() if key not in ("exactformer", "version")}


def dataset(path: str, budget: Budget) -> list[Sequence]:
    """The sequences of the caller's data set: all with targets, or all with labels."""
    rows = entries(exact_keys(load(path, "dataset", budget), "sequences")["sequences"])
    labelled = has_key(rows[0], "label")
    return [labelled_sequence(row, budget) if labelled else sequence(row, budget) for row in rows]


def labelled_sequence(row: Json, budget: Budget) -> Sequence:
    """A sequence with a label."""
    exact_keys(row, "tokens", "label")
    well_formed(type(row["label"]) is str, "data file: a label is no string")
    return amounts(row["tokens"], budget), frozenset(), row["label"]


def sequence(row: Json, budget: Budget) -> Sequence:
    """A sequence with targets."""
    exact_keys(row, "tokens", "targets")
    return amounts(row["tokens"], budget), frozenset(amounts(row["targets"], budget)), None


def tokens(path: str, dim: int, budget: Budget) -> tuple[list[Point], Fraction, list[Point]]:
    """A (the identity unless given), alpha (1 unless given) and the tokens of the caller's token file."""
    content = load(path, "tokens", budget)
    identity = [[str(int(i == j)) for j in range(dim)] for i in range(dim)]
    given = exact_keys({"A": identity, "alpha": "1", **content}, "A", "alpha", "tokens")
    return amounts(given["A"], budget), amount(given["alpha"], budget), amounts(given["tokens"], budget)


def system(path: str, budget: Budget) -> list[list[Point]]:
    """V, Q and K of the caller's system file."""
    content = exact_keys(load(path, "system", budget), "V", "Q", "K")
    return [[lowest(row) for row in amounts(content[key], budget)] for key in "VQK"]


class Classifier(NamedTuple):
    """A, the step, the number of layers, v, b, and the coordinates of the caller's words, not yet read."""

    A: list[Point]
    step: Fraction
    layers: int
    v: Point
    b: Fraction
    number_of: dict[str, int]
    columns: list[Json]
    denominator: Fraction
    budget: Budget

    def place(self, word: str) -> Point | None:
        """Where the word stands; None for a word that is none of the caller's."""
        if word not in self.number_of:
            return None
        return quotient([column[self.number_of[word]] for column in self.columns], self.denominator, self.budget)


def quotient(row: object, denominator: Fraction, budget: Budget) -> Point:
    """A row of numbers of the caller's file, divided by a number."""
    numbers = [amount(text, budget) / denominator for text in entries(row)]
    return over_common([x.numerator for x in numbers], [x.denominator for x in numbers], budget)


def classifier(path: str, budget: Budget) -> Classifier:
    """The caller's model file: words with coordinates, v and b over one denominator."""
    content = load(path, "classifier", budget)
    keys = "A alpha layers length pairs denominator v b words embeddings about"
    given = exact_keys(content, *keys.split())
    below, alpha = amount(given["denominator"], budget), amount(given["alpha"], budget)
    well_formed(below > 0 and alpha > 0, "data file: the denominator and alpha are positive")
    words, columns = entries(given["words"]), entries(given["embeddings"], len(entries(given["v"])))
    shaped = all(type(word) is str for word in words) and all(len(entries(x)) == len(words) for x in columns)
    well_formed(shaped, "data file: expected one number for every word in every coordinate")
    layers = amount(given["layers"], budget)
    well_formed(layers.denominator == 1, "data file: the number of layers is an integer")
    v, b = quotient(given["v"], below, budget), amount(given["b"], budget) / below
    number_of = {word: i for i, word in enumerate(words)}
    return Classifier(
        amounts(given["A"], budget), alpha / (1 + alpha), int(layers), v, b, number_of, columns, below, budget
    )
