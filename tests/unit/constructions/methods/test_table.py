"""The table of methods: what it says of each is what `construct` and the command line do."""

from __future__ import annotations

import inspect

import pytest

import exactformer as ef
from exactformer.constructions.methods.extraction import REGISTERS
from exactformer.constructions.methods.table import METHODS, methods_with
from exactformer.errors import InvalidInput, NoConstruction

CORNERS = [[[0, 0, 0, 0]], [[1, 0, 0, 0]], [[0, 1, 0, 0], [0, 0, 1, 0]]]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_builds_with_its_attentions_and_no_other(method: str) -> None:
    for attention in ("hardmax", "softmax"):
        beta = 1 if METHODS[method].attentions == ("softmax",) else None
        if attention in METHODS[method].attentions:
            built = ef.construct(CORNERS, ["a", "b", "a"], method=method, attention=attention, beta=beta)
            assert (built.attention, built.report.method) == (attention, method)
            assert len(built.transformer) <= built.report.bound
        else:
            with pytest.raises(InvalidInput, match=f"method {method} is"):
                ef.construct(CORNERS, ["a", "b", "a"], method=method, attention=attention, beta=beta)


@pytest.mark.parametrize("method", METHODS)
def test_dimensions_below_the_methods_own_are_refused_with_what_to_do_instead(method: str) -> None:
    known = METHODS[method]
    beta = 1 if known.attentions == ("softmax",) else None
    flat = [[[0] * known.dimension], [[1] * known.dimension]]
    assert ef.construct(flat, ["a", "b"], method=method, beta=beta)
    if known.dimension > 1:
        less = [[row[1:] for row in sequence] for sequence in flat]
        with pytest.raises(NoConstruction, match=f"dimension >= {known.dimension}.*{' or '.join(known.instead)} works"):
            ef.construct(less, ["a", "b"], method=method, beta=beta)


def test_options_are_refused_by_methods_that_do_not_look_at_them() -> None:
    assert methods_with("robust") == ["shallow", "deep"]
    assert methods_with("groups") == ["compact"]
    for method in METHODS.keys() - set(methods_with("robust")) - {"temperature"}:
        with pytest.raises(InvalidInput, match=f"method {method} has no robust variant: choose shallow or deep"):
            ef.construct(CORNERS, ["a", "b", "a"], method=method, robust=True)
    for method in METHODS.keys() - {"compact", "temperature"}:
        with pytest.raises(InvalidInput, match="groups are for method compact"):
            ef.construct(CORNERS, ["a", "b", "a"], method=method, groups=1)


def test_the_table_holds_what_the_modules_say() -> None:
    assert METHODS["extraction"].dimension == REGISTERS
    known = set(inspect.signature(ef.construct).parameters)
    assert {option for method in METHODS.values() for option in method.options} <= known
    assert {other for method in METHODS.values() for other in method.instead} <= METHODS.keys()
    assert all(METHODS[other].dimension == 1 for method in METHODS.values() for other in method.instead)
