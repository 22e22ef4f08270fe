"""Random expressions with their words by definition, B-RASP programs, formulas, and recognisers with unique ties."""

from __future__ import annotations

import random
from itertools import product

from exactformer.languages.programs import And, Attend, BooleanVector, IsLetter, Not, Or, PairTerm, Program
from exactformer.languages.recogniser import Periodic, Recogniser
from exactformer.languages.syntax import RegularExpression
from exactformer.model.heads import MASKS, Head, MultiHeadAttention, MultiHeadBlock

LENGTH = 5


def all_words(letters: str) -> list[tuple[str, ...]]:
    return [w for n in range(LENGTH + 1) for w in product(letters, repeat=n)]


def words_of(e: RegularExpression, letters: str) -> set[tuple[str, ...]]:
    """The words of an expression up to LENGTH, by the definition of every operation."""
    parts = [words_of(part, letters) for part in e.parts]
    if e.operation == "letter":
        return {(e.letter,)}
    if e.operation == "any":
        return {(a,) for a in letters}
    if e.operation == "or":
        return set().union(*parts)
    if e.operation == "and":
        return set.intersection(*parts)
    if e.operation == "not":
        return set(all_words(letters)) - parts[0]
    if e.operation == "empty set":
        return set()
    found: set[tuple[str, ...]] = {()}
    if e.operation == "concatenation":
        for part in parts:
            found = {v + w for v in found for w in part if len(v + w) <= LENGTH}
        return found
    while True:
        more = found | {v + w for v in found for w in parts[0] if len(v + w) <= LENGTH}
        if more == found:
            return found
        found = more


def some_text(rng: random.Random, size: int, *, stars: bool = True) -> str:
    if size <= 1:
        return rng.choice(["a", "b", "a", "b", ".", "()", "[]"])
    kind = rng.choice("|&~..*+?" if stars else "|&~..?")
    if kind in "~":
        return f"~({some_text(rng, size - 1, stars=stars)})"
    if kind in "*+?":
        return f"({some_text(rng, size - 1, stars=stars)}){kind}"
    k = rng.randint(1, size - 1)
    one, two = some_text(rng, k, stars=stars), some_text(rng, size - k, stars=stars)
    return f"({one})({two})" if kind == "." else f"({one}){kind}({two})"


def random_program(rng: random.Random, letters: str, size: int) -> Program:
    vectors: list[BooleanVector] = [IsLetter(a) for a in letters]
    for k in range(len(letters), len(letters) + size):
        kind = rng.choice(("not", "and", "or", "attend", "attend", "attend"))
        if kind == "not":
            vectors.append(Not(rng.randrange(k)))
        elif kind != "attend":
            parts = tuple(rng.randrange(k) for _ in range(rng.randint(0, 3)))
            vectors.append(And(parts) if kind == "and" else Or(parts))
        else:
            score, value = (random_terms(rng, k, fewest) for fewest in (rng.choice((0, 1, 1, 1)), 0))
            side = rng.choice(("leftmost", "rightmost"))
            vectors.append(Attend(side, rng.choice(MASKS), score, value, rng.randrange(k)))
    return Program(tuple(letters), tuple(vectors), rng.choice(("first", "last")), rng.random() < 0.5)


def random_terms(rng: random.Random, k: int, fewest: int) -> tuple[PairTerm, ...]:
    one = (None, *[rng.randrange(k) for _ in range(3)])
    return tuple((rng.choice(one), rng.choice(one)) for _ in range(rng.randint(fewest, 3)))


def random_formula(rng: random.Random, size: int) -> str:
    if size <= 1:
        return rng.choice(("a", "b", "."))
    operation = rng.choice(("!", "&", "|", "->", *"YOHSXFGU" * 2))
    if operation in ("&", "|", "->", "S", "U"):
        left = rng.randint(1, size - 1)
        return f"({random_formula(rng, left)} {operation} {random_formula(rng, size - left)})"
    return f"{operation} {random_formula(rng, size - 1)}"


def random_recogniser(rng: random.Random) -> Recogniser:
    """Random small weights, unique ties, all masks, marks and periods."""
    dim = rng.randint(1, 3)

    def matrix(rows: int) -> list[list[int]]:
        return [[rng.randint(-2, 2) for _ in range(dim)] for _ in range(rows)]

    def block() -> MultiHeadBlock:
        heads = [
            Head(matrix(dim), matrix(1), matrix(1), rng.choice(MASKS), ties)
            for ties in rng.choices(("first", "last"), k=rng.randint(1, 2))
        ]
        return MultiHeadBlock(None, MultiHeadAttention(rng.randint(-1, 1), heads))

    features = [Periodic(0, [rng.randint(-1, 1) for _ in range(rng.randint(1, 3))]) for _ in range(rng.randint(0, 1))]
    mark = matrix(1)[0] if rng.random() < 0.3 else None
    blocks = [block() for _ in range(rng.randint(0, 2))]
    return Recogniser("01", matrix(2), blocks, matrix(1)[0], rng.randint(-1, 1), begin=mark, features=features)
