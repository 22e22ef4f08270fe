"""The facts of the atlas hold on the figures that its rows say, and on none beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from exactformer.errors import InvalidInput
from exactformer.papers.index import papers, selected
from exactformer.papers.interpolation import built
from exactformer.papers.runner import Done, fact_holds, run_statement, values_at
from exactformer.papers.statement import Fact, PaperCommand, PaperStatement, accepted, hunted, refuted
from exactformer.papers.time_delay import study

ROWS = {f"{paper.nickname}/{row.key}": row for paper in papers() for row in paper.statements}
#: what the helpers of many rows say
COMMON = {"verdict", "claim", "true", "undecided"}

#: row -> path -> (what came out, what must be refused)
FIGURES: dict[str, dict[str, tuple[object, list[object]]]] = {
    "clustering/theorem-1.1-ii": {"proved_from_layer": (500002, [499999, None])},
    "clustering/figure-4": {"at.tokens.4.0": ("99999991/100000000", ["9999998/10000000"])},
    "clustering/accuracy-2": {
        "rows.0.published_best": (0.79145, [0.7915, None]), "rows.0.dim": (2, [4]), "rows.0.test": (0.5, [0.39]),
    },
    "clustering/accuracy-4": {
        "rows.0.published_best": (0.82281, [0.79145]), "rows.0.dim": (4, [2]), "rows.0.test": (0.5, [0.39]),
    },
    "clustering/accuracy-8": {
        "rows.0.published_best": (0.85049, [0.82281]), "rows.0.dim": (8, [4]), "rows.0.test": (0.5, [0.39]),
    },
    "clustering/accuracy-16": {
        "rows.0.published_best": (0.88209, [0.85049]), "rows.0.dim": (16, [8]), "rows.0.test": (0.5, [0.39]),
    },
    "clustering/filter": {
        "faithfulness.only_leaders": (0.85, [0.9, 0.95]), "faithfulness.without_leaders": (0.934, [0.85, 0.804]),
    },
    "interpolation/theorem-classification": {"width": (4, [5])},
    "interpolation/low-rank": {"blocks": (29, [30])},
    "interpolation/figure-6": {"width": (4, [5])},
    "interpolation/figures-7-8": {"width": (4, [5])},
    "interpolation/parameters": {"parameters": (154, [171]), "sequences": (300, [299])},
    "interpolation/published": {"parameters": (1174, [1173, 154]), "sequences": (300, [299])},
    "interpolation/regularised": {
        "runs.#": (3, [2, 4]), "runs.*.verdict": ("below the guarantee", ["not a global minimiser", "undecided"]),
    },
    "interpolation/experiment": {
        "runs.#": (4, [3]), "runs.0.approx_least_loss": (0.0326, [0.0299, 0.0361]),
        "runs.1.approx_least_loss": (0.0132, [0.0119, 0.0146]), "runs.2.approx_least_loss": (0.0005, [0.00044, 0.00056]),
        "interpolant.same_shape": (True, [False]), "runs.*.verdict": ("not a global minimiser", ["below the guarantee"]),
    },
    "interpolation/experiment-norm": {"generator.norm2": (62.534, [62.52, 62.55, 5402.77])},
    "interpolation/figure-1-minimisers": {
        "runs.0.verdict": ("not a global minimiser", ["below the guarantee"]), "runs.0.objective.0": (1.933, [1.9, 1.271]),
        "runs.0.guarantee.1": (1.271, [1.28, 1.933]),
    },
    "interpolation/interpolant": {"interpolant.same_shape": (True, [False]), "interpolant.norm2.1": (25.42, [25.5, 62.53])},
    "interpolation/linear-in-eps": {
        "minimised_on_means.*.verdict": ("below the guarantee", ["not a global minimiser"]),
        "minimised_on_means.2.loss.1": (1.6e-4, [1e-4, 2e-6]), "minimised_on_means.3.loss.1": (2e-6, [3e-6, 1.6e-4]),
        "minimised_on_means.3.objective.1": (0.001269, [0.00126]),
    },
    "frank-wolfe/theorem-3.1-search": {"instance.tokens": ([["0"], ["1"]], [[["3"], ["-1"]]])},
    "frank-wolfe/theorem-4.2-rate": {"instance.tokens": ([["2"], ["-1"], ["1"]], [[["0"], ["1"]]])},
    "delay/generalises": {
        "entries.0.model": ("TD-DMD", ["TD-TF from dmd"]), "entries.1.model": ("TD-TF from dmd", ["TD-DMD"]),
        "entries.2.model": ("TD-TF from random", ["TD-TF from dmd"]), "entries.1.approx_one_step": (2.95e-14, [1e-13, 2.7e-3]),
    },
    "delay/small": {"parameters": (2355, [2354])},
    "delay/rollouts": {"values.#": (20, [19])},
    "delay/tones": {
        "entries.0.model": ("TD-DMD", ["TD-TF from dmd"]), "entries.2.model": ("TD-TF from random", ["TD-TF from dmd"]),
        "entries.1.approx_one_step": (2.95e-14, [1e-13, 2.7e-3]), "entries.1.approx_valid_steps": (232, [231, 35]),
    },
    "delay/aerodynamics": {
        "entries.0.model": ("TD-DMD", ["TD-TF from dmd"]), "entries.2.model": ("TD-TF from random", ["TD-TF from dmd"]),
        "entries.0.approx_valid_steps": (79, [120, 232]), "entries.2.approx_valid_steps": (232, [200, 79]),
    },
    "delay/lorenz": {
        "entries.0.model": ("TD-DMD", ["TD-TF from dmd"]), "entries.2.model": ("TD-TF from random", ["TD-TF from dmd"]),
        "entries.0.approx_valid_steps": (14, [30, 300]), "entries.2.approx_valid_steps": (300, [150, 14]),
        "entries.0.approx_w1": (0.77, [0.5, 0.017]), "entries.2.approx_w1": (0.017, [0.1, 0.77]),
    },
    "delay/reaction-diffusion": {
        "entries.0.model": ("TD-DMD", ["TD-TF from dmd"]), "entries.2.model": ("TD-TF from random", ["TD-TF from dmd"]),
        "entries.0.approx_rmse": (0.0035, [0.01, 0.083]), "entries.2.approx_rmse": (0.083, [0.02, 0.0035]),
        "entries.0.approx_phase_error": (0.0003, [0.001, 0.0068]),
    },
    "mean-field/projection": {"rate": ("20/67", ["28/100"])},
    "mean-field/irrational": {"rate": ("521/234", ["219/100"])},
    "mean-field/dimension-two": {"rate": ("23/33", ["68/100"])},
    "mean-field/time-scale": {
        "runs.#": (4, [3]), "approx_slopes.t_min": (1.615, [1.58, 1.75]), "predicted_slopes.t_min": (5 / 3, [1.66, 1.615]),
    },
    "mean-field/distance": {
        "approx_slopes.w2_min": (-0.555, [-0.65, -0.45]), "runs.0.approx_w2_min": (0.391, [0.38, 0.058]),
        "runs.3.approx_w2_min": (0.058, [0.06, 0.391]),
    },
    "mean-field/terminal": {"runs.*.approx_escape": (8.2, [8, None]), "approx_slopes.escape": (2.639, [2.55, 2.75])},
    "mean-field/metastable": {
        "runs.2.beta": (100, [30]), "runs.2.approx_t_min": (8.8, [8, 9.5]), "runs.2.approx_escape": (14.2, [13.5, None]),
    },
    "mean-field/symmetric": {"runs.*.approx_escape": (None, [14.2]), "runs.*.approx_w2_min": (3e-5, [1e-4, 0.058])},
    "mean-field/cone-support": {"instance.tokens": ([["1", "-1"], ["1", "-2"]], [[["1", "-1"]]])},
}  # fmt: skip


def facts_of(row: PaperStatement) -> list[Fact]:
    return [fact for command in row.commands for fact in command.facts]


@pytest.mark.parametrize("name", FIGURES)
def test_facts_hold_on_what_came_out_and_refuse_what_lies_beside(name: str) -> None:
    for path, (found, beside) in FIGURES[name].items():
        facts = [fact for fact in facts_of(ROWS[name]) if fact.path == path]
        assert facts
        assert all(fact_holds(found, fact) for fact in facts), path
        assert all(not all(fact_holds(value, fact) for fact in facts) for value in beside), path


def test_every_bound_and_every_fact_that_is_not_run_by_default_has_its_figure() -> None:
    for name, row in ROWS.items():
        bounds = {fact.path for fact in facts_of(row) if fact.relation != "==" or not row.quick}
        assert bounds - COMMON == set(FIGURES.get(name, {})), name


def test_commands_of_helpers_word_for_word() -> None:
    of = PaperCommand.of
    assert hunted("lemma-3", 7) == (
        of("exactformer hunt lemma-3 --budget 7 --seed 1", "verdict == stands", "true == 7", "undecided == 0"),
    )
    checked = of("proofs-check x-y.jsonl", "verdict == accepted", "claim == counterexample")
    assert accepted("x-y.jsonl", "counterexample") == checked
    hunt = "exactformer hunt x-y --seed 1 -o x-y"
    assert refuted("x-y", '[["1"]]') == (of(hunt, "verdict == refuted", 'instance.tokens == [["1"]]', code=1), checked)
    assert refuted("x-y", "[1, 2]", "V")[0] == of(hunt, "verdict == refuted", "instance.V == [1, 2]", code=1)
    assert built("deep", "d.json", "--width 2", "blocks == 3") == (
        of("exactformer construct d.json --method deep --width 2 -o deep.jsonl", "blocks == 3"),
        of("exactformer check deep.jsonl --data d.json", "verdict == accepted", "claim == interpolation"),
    )
    line = "exactformer delay paper --study tones --seeds 1 --steps 70 -o tones"
    facts = ("entries.0.model == TD-DMD", "entries.2.model == TD-TF from random", "entries.1.x < 2")
    assert study("tones", 70, "entries.1.x < 2") == (of(line, *facts),)


def test_a_fact_has_a_path_a_relation_and_the_rest_of_its_line() -> None:
    assert Fact.of("runs.*.verdict == not a global minimiser").value == "not a global minimiser"
    assert Fact.of('x == ["1", "2 3"]').value == ["1", "2 3"]
    assert Fact.of("x == null").value is None
    assert [Fact.of(f"a.b {relation} 1/2").relation for relation in ("==", "<=", ">=", "<", ">", "has")] == [
        "==", "<=", ">=", "<", ">", "has",
    ]  # fmt: skip
    for text in ("x ==", "x = 1", "x"):
        with pytest.raises(InvalidInput, match="expected PATH RELATION VALUE"):
            Fact.of(text)


def test_the_command_of_a_row_is_its_last_one_that_is_no_check() -> None:
    order = ROWS["delay/linear-baseline"]
    assert [command.argv[0] for command in order.commands] == ["exactformer", "exactformer", "proofs-check"]
    assert order.json()["command"] == "exactformer delay order tones.csv -o order.jsonl"
    theorem = ROWS["clustering/theorem-1.1-ii"]
    assert theorem.json() == {
        "paper": "2407.01602", "statement": theorem.name, "status": "machine-checked",
        "command": "exactformer limit late.json -o late.jsonl", "key": "theorem-1.1-ii", "words": theorem.words,
        "outcome": theorem.outcome, "beyond": theorem.beyond, "known": "known from memory: the wording was not read again",
        "theorem": "clustering", "commands": ["exactformer limit late.json -o late.jsonl", "proofs-check late.jsonl"],
    }  # fmt: skip


def test_answers_of_several_lines_and_long_messages(tmp_path: Path) -> None:
    row = PaperStatement(
        "p", "k", "n", "w", "validated", "o", "ours",
        commands=(PaperCommand.of("exactformer hunt x", "verdict == stands", "true == 5", "name == x"),),
    )  # fmt: skip
    out = (
        'said before\n{"name": "x", "true": 1, "verdict": "going on"}\n{"true": 3}\n{"true": 5, "verdict": "stands"}\n'
    )
    asked: list[tuple[str, ...]] = []

    def answer(argv: tuple[str, ...], folder: Path) -> Done:
        asked.append(argv)
        return Done(0, out, "")

    (ran,) = run_statement(row, tmp_path, answer)
    assert asked == [("exactformer", "hunt", "x", "--json")]
    assert ran.json() == {
        "command": "exactformer hunt x", "wrong": [],
        "shown": ["exit code 0", 'verdict = "stands"', "true = 5", 'name = "x"'],
    }  # fmt: skip
    (ran,) = run_statement(row, tmp_path, lambda argv, folder: Done(2, "out", f"begin{'.' * 300}end\n"))
    assert ran.wrong == (f"exit code 2, not 0: {'.' * 157}end",)
    assert not ran.shown
    values = values_at({"rows": [[1, 2], [3, 4], []]}, "rows.*.-1")
    assert values == [2, 4]
    assert values_at({"a": {"x": 1, "y": [5, 6]}}, "a.*") == [1, [5, 6]]
    assert values_at({"a": [7, 8]}, "a.2") == values_at({"a": [7, 8]}, "a.-3") == []


@pytest.mark.parametrize("name", ["clustering/theorem-1", "clustering/accuracy", "delay/s"])
def test_a_part_of_a_key_names_no_row(name: str) -> None:
    with pytest.raises(InvalidInput, match="has no row"):
        selected(name)
