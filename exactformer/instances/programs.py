"""Instances that are B-RASP programs: alone, or with a mutant in which one attention has another side or mask."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from exactformer.errors import InvalidInput, Malformed
from exactformer.io.json_lines import JsonObject
from exactformer.languages.program_files import program_of_text, text_of_program
from exactformer.languages.programs import (
    And,
    Attend,
    BooleanVector,
    IsLetter,
    Not,
    Or,
    PairTerm,
    Program,
    Side,
    reads,
)
from exactformer.model.heads import MASKS, Mask

SIDES: tuple[Side, ...] = ("leftmost", "rightmost")


@dataclass(frozen=True)
class ProgramInstance:
    """A program, and a mutant of the same shape where a statement speaks of two."""

    program: Program
    mutant: Program | None = None

    def __post_init__(self) -> None:
        if self.mutant is not None and len(self.mutant.vectors) != len(self.program.vectors):
            raise InvalidInput("expected a mutant with as many vectors as its program")


def random_program(rng: Random, *, attentions: int = 2) -> ProgramInstance:
    """A program over a, b with so many attentions and some gates, every gate with at least two parts."""
    vectors: list[BooleanVector] = [IsLetter("a"), IsLetter("b")]
    left = attentions
    while left:
        k = len(vectors)
        if rng.random() < 0.4:
            gate = rng.choice((And, Or))
            vectors.append(Not(rng.randrange(k)) if rng.random() < 0.4 else gate((rng.randrange(k), rng.randrange(k))))
            continue
        left -= 1
        score, value = _random_terms(rng, k), _random_terms(rng, k)
        vectors.append(Attend(rng.choice(SIDES), rng.choice(MASKS), score, value, rng.randrange(k)))
    return ProgramInstance(Program(("a", "b"), tuple(vectors), "last", rng.random() < 0.5))


def random_mutant(rng: Random) -> ProgramInstance:
    """A program with a mutant of it."""
    program = random_program(rng).program
    return ProgramInstance(program, mutated(program, rng))


def mutated(program: Program, rng: Random) -> Program:
    """The program with another side or another mask in one attention."""
    places = [k for k, vector in enumerate(program.vectors) if isinstance(vector, Attend)]
    if not places:
        raise InvalidInput("expected a program with an attention to change")
    k = rng.choice(places)
    vector = program.vectors[k]
    if not isinstance(vector, Attend):
        raise InvalidInput(f"vector {k}: expected an attention")
    if rng.random() < 0.5:
        return with_vector(program, k, replace(vector, side=_other_side(vector.side)))
    return with_vector(program, k, replace(vector, mask=rng.choice([m for m in MASKS if m != vector.mask])))


def sides_exchanged(program: Program) -> Program:
    """The program with leftmost and rightmost exchanged in every attention."""
    changed = [replace(v, side=_other_side(v.side)) if isinstance(v, Attend) else v for v in program.vectors]
    return replace(program, vectors=tuple(changed))


def not_strict(program: Program) -> Program:
    """The program in which every attention sees its own position, too: `before` is `upto`, `after` is `from`."""

    def loose(mask: Mask) -> Mask:
        return "upto" if mask == "before" else "from" if mask == "after" else mask

    changed = [replace(v, mask=loose(v.mask)) if isinstance(v, Attend) else v for v in program.vectors]
    return replace(program, vectors=tuple(changed))


def with_vector(program: Program, k: int, vector: BooleanVector) -> Program:
    """The program with another vector k."""
    return replace(program, vectors=(*program.vectors[:k], vector, *program.vectors[k + 1 :]))


class ProgramKind:
    """Programs: simplified towards few vectors, then few terms."""

    def json(self, instance: ProgramInstance) -> JsonObject:
        """{"exactformer": "program", "program", "mutant"}: the lines of `.brasp` files."""
        mutant = None if instance.mutant is None else text_of_program(instance.mutant).splitlines()
        return {
            "exactformer": "program",
            "program": text_of_program(instance.program).splitlines(),
            "mutant": mutant,
        }

    def read(self, content: JsonObject) -> ProgramInstance:
        """The instance of its file form."""
        texts = [content.get("program"), content.get("mutant")]
        if not isinstance(texts[0], list) or not all(t is None or isinstance(t, list) for t in texts):
            raise Malformed("expected the lines of a program, and of a mutant or null")
        found = [None if t is None else program_of_text("\n".join(map(str, t))) for t in texts]
        if found[0] is None:
            raise Malformed("expected the lines of a program")
        return ProgramInstance(found[0], found[1])

    def size(self, instance: ProgramInstance) -> tuple[int, ...]:
        """Vectors, and what they read."""
        return len(instance.program.vectors), sum(len(reads(v)) for v in instance.program.vectors)

    def varied(self, instance: ProgramInstance, rng: Random) -> ProgramInstance:
        """One vector changed: a side, a mask, a term, an operand; of a mutant another change."""
        program = instance.program
        k = rng.randrange(len(program.vectors))
        vector = program.vectors[k]
        if isinstance(vector, Attend):
            choice = rng.randrange(4)
            if choice == 0:
                vector = replace(vector, side=_other_side(vector.side))
            elif choice == 1:
                vector = replace(vector, mask=rng.choice(MASKS))
            else:
                terms = _random_terms(rng, k)
                vector = replace(vector, score=terms) if choice == 2 else replace(vector, value=terms)
        elif isinstance(vector, And | Or):
            vector = replace(vector, parts=tuple(rng.randrange(k) for _ in vector.parts)) if vector.parts else vector
        elif isinstance(vector, Not):
            vector = Not(rng.randrange(k))
        changed = with_vector(program, k, vector)
        return ProgramInstance(changed, None if instance.mutant is None else mutated(changed, rng))

    def simpler(self, instance: ProgramInstance) -> Iterator[ProgramInstance]:
        """A vector less, with an earlier one in its place; then a term less; a gate of two parts is one of them."""
        program, mutant = instance.program, instance.mutant
        for k in reversed(range(len(program.vectors))):
            for other in range(k) if len(program.vectors) > 1 else ():
                smaller = _without(program, k, other)
                yield ProgramInstance(smaller, None if mutant is None else _without(mutant, k, other))
        for k, vector in enumerate(program.vectors):
            for fewer in _fewer_terms(vector):
                changed = None if mutant is None else with_vector(mutant, k, _as_seen_by(mutant.vectors[k], fewer))
                yield ProgramInstance(with_vector(program, k, fewer), changed)

    def latex(self, instance: ProgramInstance) -> str:
        """The lines of the program, and of its mutant."""
        texts = [text_of_program(p) for p in (instance.program, instance.mutant) if p is not None]
        lines = [r"\\ ".join(rf"\texttt{{{_escaped(line)}}}" for line in text.splitlines()) for text in texts]
        return r"\quad".join(rf"\begin{{array}}{{l}}{body}\end{{array}}" for body in lines)


def _other_side(side: Side) -> Side:
    return "leftmost" if side == "rightmost" else "rightmost"


def _random_terms(rng: Random, k: int) -> tuple[PairTerm, ...]:
    """Nothing, everything, or one or two terms p(i) and q(j), p(i), or q(j)."""
    if rng.random() < 0.2:
        return ((None, None),) if rng.random() < 0.8 else ()
    one = (None, rng.randrange(k), rng.randrange(k))
    found = [(rng.choice(one), rng.choice(one)) for _ in range(rng.randint(1, 2))]
    return tuple((p, rng.randrange(k) if p is q is None else q) for p, q in found)


def _without(program: Program, k: int, other: int) -> Program:
    """The program without vector k, where `other`, an earlier one, is read in its place."""

    def moved(p: int) -> int:
        return other if p == k else p - (p > k)

    def term(t: PairTerm) -> PairTerm:
        return (None if t[0] is None else moved(t[0])), (None if t[1] is None else moved(t[1]))

    def vector(v: BooleanVector) -> BooleanVector:
        if isinstance(v, Not):
            return Not(moved(v.part))
        if isinstance(v, And | Or):
            return replace(v, parts=tuple(map(moved, v.parts)))
        if isinstance(v, Attend):
            return replace(
                v, score=tuple(map(term, v.score)), value=tuple(map(term, v.value)), default=moved(v.default)
            )
        return v

    return replace(program, vectors=tuple(vector(v) for i, v in enumerate(program.vectors) if i != k))


def _as_seen_by(there: BooleanVector, fewer: BooleanVector) -> BooleanVector:
    """The simplified vector, with the side and the mask of the one in a mutant."""
    if isinstance(there, Attend) and isinstance(fewer, Attend):
        return replace(fewer, side=there.side, mask=there.mask)
    return fewer


def _fewer_terms(vector: BooleanVector) -> Iterator[BooleanVector]:
    if isinstance(vector, And | Or) and len(vector.parts) > 2:
        yield from (replace(vector, parts=vector.parts[:i] + vector.parts[i + 1 :]) for i in range(len(vector.parts)))
    if isinstance(vector, Attend):
        for i in range(len(vector.score)):
            yield replace(vector, score=vector.score[:i] + vector.score[i + 1 :])
        for i in range(len(vector.value)):
            yield replace(vector, value=vector.value[:i] + vector.value[i + 1 :])
        if any(term != (None, None) for term in vector.score):
            yield replace(vector, score=((None, None),))
        if any(term != (None, None) for term in vector.value):
            yield replace(vector, value=((None, None),))


def _escaped(line: str) -> str:
    return line.replace("_", r"\_").replace("&", r"\&").replace("#", r"\#").replace("%", r"\%").replace("$", r"\$")
