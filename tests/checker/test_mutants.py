"""Mutants of good certificates: accepted only where the mutated claim is true by definition; never a traceback."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from checker_kit import CORPUS, Lines, opened, sealed
from truth import is_true

from proofs_check import Limits, check

SLOW = ("frank_wolfe", "limits_raised", "thousand", "graph_constant", "last_leader")
GOOD = [entry["file"] for entry in json.loads((CORPUS / "index.json").read_text()) if entry["verdict"] == "accepted"]
LIMITS = Limits(operations=2_000_000)
VERDICTS = {"accepted": 0, "rejected": 1, "malformed": 3, "declined": 4}


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    yield path, value
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from leaves(item, (*path, key))


def other(rng: random.Random, value: Any) -> Any:
    """Another value of about the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return max(0, value + rng.choice([-1, 1, 1, 2]))
    if isinstance(value, list):
        return mixed(rng, value)
    if isinstance(value, dict):
        return {key: item for key, item in value.items() if rng.random() < 0.8}
    if value is None:
        return rng.choice([False, {}, "0"])
    return number(rng, value)


def mixed(rng: random.Random, value: list[Any]) -> list[Any]:
    changed = list(value)
    for move in (rng.choice(["swap", "drop", "twice", "reverse"]),):
        i, j = (rng.randrange(len(value)) for _ in range(2)) if value else (0, 0)
        if value and move == "swap":
            changed[i], changed[j] = changed[j], changed[i]
        elif value and move == "drop":
            del changed[i]
        elif value and move == "twice":
            changed.insert(i, changed[j])
        else:
            changed.reverse()
    return changed


def number(rng: random.Random, value: str) -> str:
    digits = [k for k, c in enumerate(value) if c.isdigit()]
    if not digits or rng.random() < 0.1:
        return rng.choice(["0", "1", "-1", "1/2", "2/4", value + "0", "-" + value, ""])
    k = rng.choice(digits)
    return rng.choice(
        [
            value[:k] + rng.choice("0123456789") + value[k + 1 :],
            "-" + value,
            value.lstrip("-"),
            value.partition("/")[0],
            value[:k] + "1" + value[k:],
        ]
    )


def mutant(rng: random.Random, lines: Lines, others: list[Lines]) -> Lines:
    found = copy.deepcopy(lines)
    for _ in range(rng.choice([1, 1, 1, 2])):
        if rng.random() < 0.1:  # whole lines, or the proof of another certificate
            source = rng.choice(others) if rng.random() < 0.5 else found
            found[rng.randrange(len(found))] = copy.deepcopy(rng.choice(source))
            continue
        paths = [path for path, value in leaves(found) if len(path) > 1]
        *way, last = rng.choice(paths)
        place: Any = found
        for key in way:
            place = place[key]
        place[last] = other(rng, place[last])
    return found


def mutants(seed: int, count: int) -> Iterator[Lines]:
    rng = random.Random(seed)
    pool = [opened((CORPUS / file).read_bytes()) for file in GOOD if not any(word in file for word in SLOW)]
    for _ in range(count):
        lines = rng.choice(pool)
        same = [item for item in pool if item[0]["claim"] == lines[0]["claim"]]
        yield mutant(rng, lines, same)


def judged(lines: Lines, path: Path) -> str:
    path.write_bytes(sealed(lines))
    found = check(str(path), None, LIMITS).verdict
    assert found != "accepted" or is_true(lines), json.dumps(lines)
    return found


def campaign(seed: int, count: int, path: Path) -> dict[str, int]:
    print("seed", seed)
    tally: dict[str, int] = dict.fromkeys(VERDICTS, 0)
    for lines in mutants(seed, count):
        tally[judged(lines, path)] += 1
    return tally


def test_the_judge_agrees_with_the_corpus() -> None:
    for file in GOOD:
        if not any(word in file for word in ("limits_raised", "graph", "last_leader", "frank")):
            assert is_true(opened((CORPUS / file).read_bytes())), file


FALSE_CLAIMS = """
zero_temperature_rate_zero zero_temperature_norm zero_temperature_low zero_temperature_other_eigenvalue
zero_temperature_bound zero_temperature_bound_above zero_temperature_projector zero_temperature_left
zero_temperature_right zero_temperature_trace zero_temperature_square zero_temperature_square_golden
zero_temperature_singular laplace_bound laplace_beta laplace_beta_zero laplace_off_the_sphere laplace_no_direction
false_meanfield_pair_real false_meanfield_pair_scale false_meanfield_singular false_meanfield_jordan_eigenvector
false_meanfield_jordan_no_block false_meanfield_kernel_zero false_meanfield_kernel_bound false_meanfield_near_rate
false_meanfield_near_symmetric false_meanfield_near_multiple false_meanfield_cone_values false_meanfield_cone_span
false_meanfield_cone_kernel false_meanfield_symmetric_commutes false_meanfield_symmetric_tokens
false_meanfield_symmetric_turned false_meanfield_symmetric_excited false_meanfield_gap_space false_meanfield_constant
"""


@pytest.mark.parametrize("name", FALSE_CLAIMS.split())
def test_the_judge_sees_what_is_false(name: str) -> None:
    """Also of a judge it must be known that it can say no: these claims are false, whatever their proofs."""
    assert not is_true(opened((CORPUS / f"refuse/{name}.jsonl").read_bytes()))


def test_some_hundred_mutants(tmp_path: Path) -> None:
    tally = campaign(1, 400, tmp_path / "m.jsonl")
    assert tally["rejected"] > 50
    assert tally["malformed"] > 50


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", range(10))
def test_ten_thousand_mutants(seed: int, tmp_path: Path) -> None:
    tally = campaign(100 + seed, 1000, tmp_path / "m.jsonl")
    assert min(tally["rejected"], tally["malformed"]) > 100, tally


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_mutants_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    for lines in mutants(7, 200):
        path.write_bytes(sealed(lines))
        done = subprocess.run(
            [sys.executable, "-m", "proofs_check", str(path), "--json", "--max-operations", "2000000"],
            cwd=CORPUS.parents[1],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == VERDICTS[json.loads(done.stdout)["verdict"]]
        assert done.stderr == ""


def numbers_of(lines: Lines) -> list[tuple[Any, ...]]:
    return [
        path
        for path, value in leaves(lines)
        if path[0:2] != (0, "version")
        and isinstance(value, str | int)
        and not isinstance(value, bool)
        and (isinstance(value, int) or value.lstrip("-").replace("/", "").isdigit())
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "file",
    [
        file
        for file in GOOD
        if any(word in file for word in ("constructed", "limit_", "orbit", "false"))
        and not any(word in file for word in SLOW)
    ],
)
def test_any_one_number_changed(file: str, tmp_path: Path) -> None:
    lines, rng = opened((CORPUS / file).read_bytes()), random.Random(3)
    paths, verdicts = numbers_of(lines), set()
    for *way, last in rng.sample(paths, min(40, len(paths))):
        changed = copy.deepcopy(lines)
        place: Any = changed
        for key in way:
            place = place[key]
        place[last] = place[last] + 1 if isinstance(place[last], int) else number(rng, place[last])
        if changed != lines:
            verdicts.add(judged(changed, tmp_path / "m.jsonl"))
    assert verdicts & {"rejected", "malformed"}
