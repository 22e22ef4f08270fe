"""Tests of `exactformer.instances.programs`."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from exactformer.errors import InvalidInput, Malformed
from exactformer.instances.programs import (
    ProgramInstance,
    ProgramKind,
    mutated,
    not_strict,
    random_mutant,
    random_program,
    sides_exchanged,
)
from exactformer.languages.program_files import program_of_text
from exactformer.languages.programs import Attend, IsLetter, Program

KIND = ProgramKind()


@pytest.mark.parametrize("seed", range(30))
def test_files_variations_and_simplifications(seed: int) -> None:
    rng = Random(seed)
    instance = random_mutant(rng) if seed % 2 else random_program(rng)
    for _ in range(4):
        assert KIND.read(KIND.json(instance)) == instance
        instance = KIND.varied(instance, rng)
    for simpler in KIND.simpler(instance):
        assert KIND.size(simpler) <= KIND.size(instance) or len(simpler.program.vectors) < len(instance.program.vectors)
        assert KIND.read(KIND.json(simpler)) == simpler
        assert (simpler.mutant is None) == (instance.mutant is None)


@pytest.mark.parametrize("seed", range(20))
def test_a_mutant_differs_in_one_attention(seed: int) -> None:
    instance = random_mutant(Random(seed))
    assert instance.mutant is not None
    changed = [(v, w) for v, w in zip(instance.program.vectors, instance.mutant.vectors, strict=True) if v != w]
    assert len(changed) == 1
    (one, two) = changed[0]
    assert isinstance(one, Attend)
    assert isinstance(two, Attend)
    assert (one.side != two.side) + (one.mask != two.mask) == 1
    assert (one.score, one.value, one.default) == (two.score, two.value, two.default)


def test_what_is_changed() -> None:
    text = "letters a b\nA = letter a\nv = leftmost before [A(j)] true : A\nw = rightmost after [true] v(j) : A"
    program = program_of_text(text)
    assert [v.side for v in sides_exchanged(program).vectors if isinstance(v, Attend)] == ["rightmost", "leftmost"]
    assert [v.mask for v in not_strict(program).vectors if isinstance(v, Attend)] == ["upto", "from"]
    assert sides_exchanged(sides_exchanged(program)) == program


def test_a_vector_less_reads_an_earlier_one_in_its_place() -> None:
    program = program_of_text("letters a b\nA = letter a\nB = letter b\nn = not B\nv = A or n")
    found = {tuple(p.program.accepts(w) for w in ("a", "b", "")) for p in KIND.simpler(ProgramInstance(program))}
    assert len(found) > 1
    for simpler in KIND.simpler(ProgramInstance(program)):
        for n in range(3):
            for word in product("ab", repeat=n):
                simpler.program.accepts(word)


def test_bad_instances() -> None:
    program = Program(("a",), (IsLetter("a"),))
    with pytest.raises(InvalidInput, match="as many vectors"):
        ProgramInstance(program, Program(("a",), (IsLetter("a"), IsLetter("a"))))
    with pytest.raises(InvalidInput, match="an attention to change"):
        mutated(program, Random(0))
    for content in ({}, {"program": "x", "mutant": None}, {"program": None, "mutant": ["letters a"]}):
        with pytest.raises(Malformed, match="the lines of a program"):
            KIND.read(content)


def test_latex_is_escaped() -> None:
    program = program_of_text("letters a_ b\nA = letter a_\nv = leftmost before [A(i) & A(j)] true : A")
    assert r"a\_" in KIND.latex(ProgramInstance(program))
    assert r"v0(i) \& v0(j)" in KIND.latex(ProgramInstance(program))
