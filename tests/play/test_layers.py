"""The page's worker, run by node: its layers, follower sets and leaders are the library's, on every family."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from exactformer.dynamics.limits import limit
from exactformer.dynamics.orbit import simulate
from exactformer.instances.token_families import FAMILIES, SMALLEST, sample
from exactformer.model.tokens import Tokens
from exactformer.play.page import script_of_page
from exactformer.play.presets import ROTATIONS, file_of, presets

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed: the page's arithmetic is not tested")

#: the script as a worker: questions on the standard input, one per line, answers on the standard output
WORKER = """
globalThis.self = { postMessage(answer) {
  const layers = (answer.exact ?? []).map(({ num, den, points, follows, leaders, hull }) => ({
    rows: num.map((row) => row.map((x) => `${x}/${den}`)), points, follows, leaders, hull }));
  process.stdout.write(`${JSON.stringify({ ...answer, exact: layers, floats: (answer.floats ?? []).map((f) => f.follows) })}\\n`);
} };
%s
for (const line of require('node:fs').readFileSync(0, 'utf8').split('\\n').filter(Boolean)) self.onmessage({ data: JSON.parse(line) });
"""


def computed(instances: list[dict[str, Any]], last: int) -> list[dict[str, Any]]:
    """What the worker answers."""
    questions = "".join(json.dumps({"id": k, "instance": z, "last": last}) + "\n" for k, z in enumerate(instances))
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "worker.cjs"  # too long for an argument
        script.write_text(WORKER % script_of_page(), encoding="utf-8")
        done = subprocess.run([str(NODE), str(script)], input=questions, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def agree(tokens: Tokens, answer: dict[str, Any], last: int) -> bool:
    orbit = simulate(tokens, layers=last, unchecked=True)
    return len(answer["exact"]) == last + 1 and all(
        [[Fraction(x) for x in row] for row in layer["rows"]] == [list(row) for row in orbit.tokens(k).rows()]
        and list(map(tuple, layer["follows"])) == orbit.follows(k)
        and tuple(layer["leaders"]) == orbit.leaders_at(k)
        for k, layer in enumerate(answer["exact"])
    )


def sheared(tokens: Tokens) -> Tokens:
    """Tokens and A in other coordinates, x -> x - y in the first: all scores stay, and so do their ties."""
    d = tokens.dim
    rows = [(row[0] - row[1], *row[1:]) if d > 1 else row for row in tokens.state.rows()]
    shear = [[Fraction(i == c or (i, c) == (0, 1)) for c in range(d)] for i in range(d)]
    form = [
        [sum(shear[k][i] * tokens.A[k][m] * shear[m][c] for k in range(d) for m in range(d)) for c in range(d)]
        for i in range(d)
    ]
    return Tokens(rows, A=form, alpha=tokens.alpha)


def test_a_thousand_instances_of_all_families() -> None:
    drawn = []
    for seed in range(92):
        for name in FAMILIES:
            least, dim = SMALLEST.get(name, (1, 1))
            tokens = sample(name, max(least, 2 + seed % 7), max(dim, 1 + seed % 3), seed)
            drawn.append(sheared(tokens) if seed % 3 == 1 else tokens)
    assert len(drawn) > 1000
    answers = computed([file_of(z) for z in drawn], 5)
    assert [str(z) for z, answer in zip(drawn, answers, strict=True) if not agree(z, answer, 5)] == []


@pytest.mark.slow
def test_deep_and_large() -> None:
    drawn = [sample(name, n, 2, seed) for name in FAMILIES for n, seed in ((20, 1), (20, 2), (60, 3))]
    answers = computed([file_of(z) for z in drawn], 40)
    assert [str(z) for z, answer in zip(drawn, answers, strict=True) if not agree(z, answer, 40)] == []


def test_where_floats_come_to_rest() -> None:
    """At the limits for tokens in general position; ties that last may be broken after all layers that are drawn."""
    drawn = [sample("generic", 8, 2, seed) for seed in range(30)]
    pairs = zip(drawn, computed([file_of(z) for z in drawn], 40), strict=True)
    alike = [(tokens, answer["rest"]) for tokens, answer in pairs if answer["difference"] is None]
    assert len(alike) > 10
    for tokens, rest in alike:
        assert rest == [pytest.approx([float(x) for x in point], abs=1e-9) for point in limit(tokens).points]
    late = sample("ternary", 8, 2, 5)
    [answer] = computed([file_of(late)], 40)
    assert (answer["difference"], answer["rest"][3], list(limit(late).points[3])) == (None, [-1, -1], [0, -1])
    [slow] = computed([file_of(sample("generic", 100, 2, 1)) | {"alpha": "1/1000"}], 5)
    assert slow["rest"] is None  # is too long to wait for


def test_extreme_numbers() -> None:
    """Numbers past the range of floats, and differences far below their precision: scores are compared exactly."""
    huge, tiny, unit = 10**200, Fraction(1, 10**200), Fraction(1, 10 * 2**1074)
    cases = [
        Tokens([[huge, 1], [huge, 2], [1, -huge]]),
        Tokens([[tiny, 0], [0, tiny], [tiny, tiny]]),
        Tokens([[1, 0], [1 + Fraction(1, 10**40), 0], [1, Fraction(1, 10**30)]]),
        Tokens([[huge, tiny], [-huge, tiny], [0, 1], [tiny, -1]], A=[[2, 1], [1, 3]], alpha="1/3"),
        Tokens([[0, 0], [0, 0]]),
        # a common denominator that is past the range of floats
        Tokens([["1/10", 1], [50 + Fraction(1, 10**309), 0], [0, 4]]),
        # a factor that is not precise as a float, and a product that is none
        Tokens([[Fraction(1, 10**320), 1], [10**300, 0], [0, Fraction(1, 10**19)]]),
        Tokens([[Fraction(1, 10**200), 1], [10**250, 0], [0, 10**50]], A=[[Fraction(1, 10**150), 0], [0, 1]]),
        # an entry of A that is not precise as a float
        Tokens(
            [[10**78, Fraction(1, 10**82)], [10**82, 0], [0, Fraction(999995, 10**84)]],
            A=[[Fraction(1, 10**320), 0], [0, 1]],
        ),
        # scores of 8 and 6 tenths of the smallest float: the products of the first are rounded to zero
        Tokens([[tiny, tiny], [4 * unit / tiny, 4 * unit / tiny], [6 * unit / tiny, 0]]),
    ]
    answers = computed([file_of(z) for z in cases], 4)
    assert [agree(z, answer, 4) for z, answer in zip(cases, answers, strict=True)] == [True] * len(cases)


def test_points_are_drawn_where_they_are_also_over_long_denominators() -> None:
    [answer] = computed([file_of(Tokens([["1/10", 1], [50 + Fraction(1, 10**309), 0], [0, 4]]))], 0)
    assert answer["exact"][0]["points"] == [[0.1, 1], [50, 0], [0, 4]]


def test_floats_end_elsewhere_at_every_angle_of_the_tilted_square() -> None:
    [square] = [m for group in presets() for m in group["members"] if m["name"] == "tilted square"]
    answers = computed([value["file"] for value in square["values"]], 40)
    assert len(answers) == ROTATIONS
    assert all(answer["difference"] is not None for answer in answers)


def test_hull_is_of_the_corners_alone() -> None:
    [answer] = computed([{"tokens": [["0", "0"], ["2", "0"], ["1", "0"], ["2", "2"], ["0", "2"], ["1", "1"]]}], 0)
    assert sorted(answer["exact"][0]["hull"]) == [0, 1, 3, 4]


@pytest.mark.parametrize(
    ("instance", "words"),
    [
        ({"tokens": [["1", "x"]]}, 'token 0, coordinate 2: expected a number such as 3, -1/2 or 0.1, got "x"'),
        ({"tokens": [["1"], ["1", "2"]]}, "different numbers of coordinates"),
        ({"tokens": [["1"]], "alpha": "-1"}, "alpha: expected a positive number, got -1"),
        ({"tokens": [["1", "2"]], "A": [["1"]]}, "A: expected 2 rows of 2 numbers"),
        ({"tokens": [["1/0"]]}, "expected a number"),
        ({"tokens": [[f"{k}/{10**3900 + k}"] for k in range(1, 90)]}, "too long for this page"),
        ({"tokens": [[f"{k}/{10**3900 + 1}"] for k in range(1, 400)]}, "too long for this page"),
    ],
)
def test_bad_input_is_told(instance: dict[str, Any], words: str) -> None:
    [answer] = computed([instance], 2)
    assert words in answer["error"]
