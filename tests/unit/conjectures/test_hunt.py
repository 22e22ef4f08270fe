"""Tests of `exactformer.conjectures.hunt`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kits.statements import statement_of

from exactformer.conjectures.campaign import Campaign
from exactformer.conjectures.hunt import hunt
from exactformer.conjectures.source import Source
from exactformer.conjectures.verdict import holds
from exactformer.errors import InvalidInput, Malformed
from exactformer.instances.enumeration import Enumeration


def test_the_parts_of_a_users_statement_are_functions(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    begin = "from exactformer.conjectures import *\nstatement = Statement('a', 'w', 'open', 's', (), "
    for parts, words in (("print, 2)", "expected generate to be a function, got 2"), ("2, print)", "conclusion")):
        path.write_text(begin + parts)
        with pytest.raises(Malformed, match=words):
            hunt(str(path), budget=5)


def test_exhaustive_enumeration_refutes_and_respects_symmetry() -> None:
    report = hunt("leader-indefinite", exhaustive=1, budget=2000)
    assert report.verdict == "refuted"
    space = Enumeration(bound=1, most=2)
    seen = [space.instance(rank) for rank in range(space.ranks)]
    kept = [z for z in seen if z is not None]
    assert len(kept) < 0.6 * len(seen)
    with pytest.raises(InvalidInput, match="about tokens"):
        hunt("voronoi-cells", exhaustive=1)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("import nothing_of_that_name", "fails to import"),
        ("x = 1", "no `statement`"),
        ("statement = 5", "expected `statement` to be a Statement"),
        (
            "from exactformer.conjectures import *\nstatement = Statement('a', '', 'open', 's', (), 1, 2)",
            "lacks its words",
        ),
        (
            "from exactformer.conjectures import *\nstatement = Statement('a', 'w', 'open', 's', (), 1, print)",
            "conclusion",
        ),
        ("from exactformer.conjectures import *\nstatement = Statement('a', 'w', 'so', 's', (), 1, print)", "status"),
    ],
)
def test_bad_files_say_what_is_missing(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "own.py"
    path.write_text(text)
    with pytest.raises(Malformed, match=what):
        hunt(str(path), budget=5)


def test_what_a_users_function_raises_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(
        "from exactformer.conjectures import *\ndef wrong(z):\n    return 1 / 0\n"
        "statement = Statement('a', 'w', 'open', 's', (), wrong, TokenFamily())\n"
    )
    with pytest.raises(Malformed, match="line 3: ZeroDivisionError"):
        hunt(str(path), budget=5)
    path.write_text(
        "from exactformer.conjectures import *\ndef inner(z):\n    return 1 / 0\ndef outer(z):\n    return inner(z)\n"
        "statement = Statement('a', 'w', 'open', 's', (), outer, TokenFamily())\n"
    )
    with pytest.raises(Malformed, match="line 3: ZeroDivisionError"):
        hunt(str(path), budget=5)


@pytest.mark.parametrize("options", [{"workers": 2}, {"scheduler": "tcp://127.0.0.1:9"}, {"store": "here"}])
def test_a_statement_made_in_python_stays_in_its_process(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match="save it as a file"):
        hunt(statement_of(), budget=5, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"budget": 0},
        {"budget": True},
        {"workers": 0},
        {"seed": -1},
        {"seed": "0"},
        {"shard": (2, 2)},
        {"shard": (-1, 2)},
        {"exhaustive": 0},
    ],
)
def test_numbers_that_a_hunt_does_not_take(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        hunt(statement_of(), **{"budget": 5, **options})


def test_an_exhaustive_hunt_is_for_tokens_and_ends_with_the_last_rank() -> None:
    with pytest.raises(InvalidInput, match="about tokens"):
        hunt("one-block-suffices", budget=5, exhaustive=1)
    own = statement_of(lambda z: holds(), hypotheses=())
    space = Enumeration(1)
    few = replace(space, most=1)
    assert list(Campaign(Source.of(own), 0, 10**9, enumeration=few).shards())[-1].count == few.ranks % 500
    assert hunt(own, budget=700, exhaustive=1).tally.judged == sum(space.instance(k) is not None for k in range(700))
