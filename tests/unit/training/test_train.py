"""Tests of `exactformer.training.train`."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kits.training_data import small_data

import exactformer as ef
from exactformer.cli.main import code
from exactformer.constructions.targets import targets_of
from exactformer.errors import InvalidInput, Malformed, MissingExtra, Undecided
from exactformer.model.dataset import Dataset
from exactformer.model.float_weights import network_of
from exactformer.model.norms import Enclosure, norm2
from exactformer.training.interpolant import Interpolant
from exactformer.training.regularised import Shape, approx_minimise, named_arrays
from exactformer.training.runs import judged_run
from exactformer.training.train import train

F = Fraction


# ---------------------------------------------------------------- training


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"width": 0}, "width: expected an integer >= 1, got 0"),
        ({"epochs": 0}, "epochs: expected an integer >= 1, got 0"),
        ({"blocks": 0}, "blocks: expected an integer >= 1, got 0"),
        ({"rank": 2}, "blocks and rank are for attention softmax"),
        ({"start": "hot"}, "start: expected one of random, warm, both"),
        ({"attention": "hardmax"}, "attention: expected one of uniform, softmax"),
        ({"eps": ["1", "0"]}, "eps: expected numbers > 0, got 1, 0"),
        ({"eps": []}, "eps: expected numbers > 0, got none"),
    ],
)
def test_options_that_no_training_has(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        train([[[0]], [[1]]], targets=[[0], [1]], **{"eps": ["1"], **options})
    assert words in str(refusal.value)


def test_progress_counts_the_epochs_of_every_start_and_eps() -> None:
    told: list[tuple[int, int]] = []
    data: dict[str, Any] = {"targets": [[0], [1]], "epochs": 3, "width": 1}
    found = train([[[0]], [[1]]], eps=["1", "1/2"], progress=lambda *now: told.append(now), **data)
    assert told == [(3, 12), (6, 12), (9, 12), (12, 12)]
    assert [(run.eps, run.start) for run in found.runs] == [(e, s) for e in (1, F(1, 2)) for s in ("random", "warm")]
    for run in found.runs:
        assert run.guarantee == Enclosure(run.eps * found.interpolant.norm2.low, run.eps * found.interpolant.norm2.high)
        assert run.figures.norm2.low == norm2(run.network).low
        assert run.json()["objective"] == [str(run.figures.objective.low), str(run.figures.objective.high)]
        assert 1 <= len(run.history) <= 3


@pytest.mark.parametrize("large", ["1e50", "1.1e50", "-1e50", "-1.1e50"])
@pytest.mark.parametrize("place", ["token", "target"])
def test_numbers_up_to_a_limit_are_trained_on(large: str, place: str) -> None:
    tokens, targets = ([[[large]], [[0]]], [[0], [1]]) if place == "token" else ([[[1]], [[0]]], [[large], [1]])
    given: dict[str, Any] = {"targets": targets, "eps": ["1"], "epochs": 1, "width": 1, "start": "random"}
    if "1.1" in large:
        with pytest.raises(InvalidInput, match="at most 1e\\+50 for floats to train on"):
            train(tokens, **given)
    else:
        assert len(train(tokens, **given).runs) == 1


# ---------------------------------------------------------------- where something ends


def test_runs_that_are_kept_are_those_of_their_start_and_eps(tmp_path: Path) -> None:
    data = [[[0], [2]], [[3]], [[7], [6]]]
    options: dict[str, Any] = {"targets": [[0], [1], [0]], "eps": ["1/10", "1/50"], "epochs": 6, "width": 2}
    plain = train(data, **options)
    networks = [run.network for run in plain.runs]
    assert len({norm2(network).high for network in networks}) == 4
    for _ in range(2):
        kept = train(data, **options, resume=tmp_path / "runs")
        assert [run.network for run in kept.runs] == networks
        assert [(run.start, run.eps, run.history) for run in kept.runs] == [
            (run.start, run.eps, run.history) for run in plain.runs
        ]
    assert len(list((tmp_path / "runs").glob("*.npz"))) == 6
    cut = [[[0]], [[2], [3]], [[7], [6]]]  # the same tokens, in other sequences
    with pytest.raises(Malformed, match=r"problem\.json: a saved run belongs to another problem: its data is"):
        train(cut, **options, resume=tmp_path / "runs")


def test_verdicts_are_right() -> None:
    """J of the smallest objective found is below the guarantee; a run above the guarantee is beaten by another."""
    result = train(small_data(), eps=["1/10", "1/100"], epochs=200)
    assert result.interpolant.norm2.low > 0
    for eps in (Fraction(1, 10), Fraction(1, 100)):
        runs = [run for run in result.runs if run.eps == eps]
        assert {run.start for run in runs} == {"random", "warm"}
        for run in runs:
            assert run.verdict != "undecided"
            above = run.figures.objective.low > eps * result.interpolant.norm2.high
            assert (run.verdict == "not a global minimiser") == above
    stuck = train(small_data(), eps=["1/1000"], epochs=1, start="random").runs[0]
    assert stuck.verdict == "not a global minimiser"


def test_the_scope_and_the_separating_eps_are_those_of_the_definition() -> None:
    data = small_data()
    found = train(data, eps=["1/10"], epochs=1, start="random", width=3)
    points = {data.targets_of(j).rows()[0] for j in range(len(data))}
    apart = min(sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) for x in points for y in points if x != y)
    assert found.separating_eps == apart / (4 * len(data) * found.interpolant.norm2.high)
    other = replace(found, interpolant=replace(found.interpolant, same_shape=False))
    networks = [found.interpolant.transformer, found.runs[0].network]
    widths, blocks = max(n.width for n in networks), max(map(len, networks))
    assert other.scope == f"transformers of at most {blocks} blocks and width {widths}"
    assert replace(found, interpolant=replace(found.interpolant, same_shape=True)).scope == "networks of this shape"


def test_enclosures_that_overlap_decide_nothing() -> None:
    run = train(small_data(), eps=["1/10"], epochs=5, start="random").runs[0]
    wide = Enclosure(run.figures.objective.low / 2, run.figures.objective.high * 2)
    assert replace(run, guarantee=wide).verdict == "undecided"
    assert replace(run, guarantee=Enclosure(wide.high, wide.high)).verdict == "below the guarantee"
    assert replace(run, guarantee=Enclosure(wide.low, wide.low)).verdict == "not a global minimiser"
    ends = [Fraction(k) for k in range(5)]
    pairs = [Enclosure(low, high) for low in ends for high in ends if low <= high]
    for loss in pairs:
        enclosed = replace(run, figures=replace(run.figures, loss=loss, norm2=Enclosure(Fraction(0), Fraction(0))))
        for guarantee in pairs:
            below, above = loss.high <= guarantee.low, loss.low > guarantee.high
            words = "below the guarantee" if below else "not a global minimiser" if above else "undecided"
            judged_run = replace(enclosed, guarantee=guarantee)
            assert judged_run.verdict == words
            if words == "undecided" or loss.high == guarantee.low:
                with pytest.raises(Undecided):
                    _ = judged_run.bound
            else:
                assert (loss.high < judged_run.bound < guarantee.low) or (guarantee.high < judged_run.bound < loss.low)


@pytest.mark.parametrize(
    "options",
    [
        {"eps": ["0"]},
        {"eps": ["-1"]},
        {"eps": []},
        {"eps": ["1"], "start": "cold"},
        {"eps": ["1"], "width": 0},
        {"eps": ["1"], "attention": "hardmax"},
        {"eps": ["1"], "attention": "uniform", "blocks": 2},
        {"eps": ["1"], "attention": "softmax", "rank": 0},
    ],
)
def test_wrong_options(options: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        train(small_data(), **options)  # type: ignore[arg-type]


def several_targets() -> Dataset:
    rows = [([[0, 0], [1, 0], [0, 1]], [[1, 0], [0, 1]]), ([[1, 1], [2, 0]], [[0, 0]]), ([[3, 1]], [[1, 1]])]
    return Dataset.of([ef.Sequence.of(x, targets=y) for x, y in rows])


def test_an_interpolant_is_filled_up_with_identities(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    data = [[[0, 1], [2, 0]], [[3, 0]]]
    found = [
        train(data, targets=[[0, 1], [1, 0]], eps=["1/10"], attention="softmax", blocks=k, epochs=60, start="warm")
        for k in (1, 3)
    ]
    assert all(result.interpolant.same_shape for result in found)
    assert [len(result.interpolant.transformer) for result in found] == [
        len(result.runs[0].network) for result in found
    ]
    assert found[1].interpolant.norm2.low == found[0].interpolant.norm2.low + 4
    found[1].interpolant.certify(tmp_path / "c.jsonl")
    assert ef.check(tmp_path / "c.jsonl").verdict == "accepted"


def test_an_interrupted_training_is_resumed(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    options = {"eps": ["1/10", "1/50"], "attention": "softmax", "epochs": 40, "start": "random"}
    plain = train(several_targets(), **options)

    def stop(done: int, of: int) -> None:
        if done == 55:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(several_targets(), **options, resume=tmp_path / "resume", progress=stop)
    assert len(list((tmp_path / "resume").glob("*.npz"))) == 2
    told = list[int]()
    again = train(several_targets(), **options, resume=tmp_path / "resume", progress=lambda done, of: told.append(done))
    assert told[0] == 56
    assert [run.network for run in again.runs] == [run.network for run in plain.runs]
    assert [run.history for run in again.runs] == [run.history for run in plain.runs]
    with pytest.raises(Malformed, match=r"problem\.json: .* another problem: its seed is 0, this one's is 1"):
        train(several_targets(), **{**options, "seed": 1}, resume=tmp_path / "resume")


def test_several_targets_are_trained_by_the_hausdorff_distance(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    found = train(several_targets(), eps=["1/100"], attention="softmax", epochs=150, width=6, blocks=2)
    assert [run.start for run in found.runs] == ["random"]
    assert found.runs[0].history[-1][2] < 0.5 * found.runs[0].history[0][2]
    assert not found.interpolant.same_shape
    assert "blocks" in found.scope
    assert found.separating_eps is None
    found.interpolant.certify(tmp_path / "star.jsonl")
    assert ef.check(tmp_path / "star.jsonl").verdict == "accepted"
    with pytest.raises(InvalidInput, match="attention softmax"):
        train(several_targets(), eps=["1"])
    with pytest.raises(InvalidInput, match="warm"):
        train(several_targets(), eps=["1"], attention="softmax", start="warm")


def test_without_torch_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"exactformer\[train\]"):
        train(several_targets(), eps=["1"], attention="softmax")
    out = tmp_path / "out"
    assert code(["train", "--experiment", "interpolation", "-o", str(out)]) == 2
    assert "exactformer[train]" in capsys.readouterr().err
    assert not list(out.iterdir())


def test_verdicts_against_brute_force(tmp_path: Path) -> None:
    """All local minima from many starts, judged: none that is as low as the lowest is called no global minimiser."""
    from softmax_truth import regularised_loss as by_definition

    data = Dataset.of([ef.Sequence.of(x, targets=[[y]]) for x, y in (([[0], [2]], 0), ([[3]], 1), ([[7], [6]], "1/2"))])
    wanted, shape, rng = targets_of(data), Shape(1, 3), np.random.default_rng(0)
    means, points = np.array([[1.0], [3.0], [6.5]]), np.array([[0.0], [1.0], [0.5]])
    star = train(data, eps=["1"], width=3, epochs=300).interpolant
    for eps in (Fraction(1, 10), Fraction(1, 1000)):
        ends = [
            approx_minimise(shape, shape.random(rng), float(eps), means, points, epochs=int(rng.choice([2, 500])))
            for _ in range(25)
        ]
        found = [network_of(named_arrays(shape, theta)) for theta in ends]
        best = Interpolant(star.transformer, norm2(star.transformer), star.method, star.certify)
        runs = [judged_run(x, data, wanted, best, eps=eps, start="random", history=()) for x in found]
        lowest = min(run.figures.objective.high for run in runs)
        for k, run in enumerate(runs):
            if run.verdict == "not a global minimiser":
                assert run.figures.objective.low > min(lowest, eps * best.norm2.high)
                run.certify(tmp_path / "above.jsonl")
                assert ef.check(tmp_path / "above.jsonl").verdict == "accepted"
                lines = [json.loads(line) for line in (tmp_path / "above.jsonl").read_text().splitlines()[:-1]]
                assert by_definition(lines, 1) > eps * best.norm2.high, k
            else:
                assert run.figures.objective.high <= eps * best.norm2.low
        verdicts = {run.verdict for run in runs}
        assert "below the guarantee" in verdicts
        assert eps == Fraction(1, 10) or len(verdicts) == 2


def test_minimisers_satisfy_the_theorem() -> None:
    """E <= eps (|Theta*|^2 - |Theta_eps|^2) at the minima found, at six values of eps (T1)."""
    rng = np.random.default_rng(2)
    sequences, targets = rng.integers(-8, 9, (4, 3, 6)) / 8, rng.integers(-2, 3, (4, 6))
    found = train(sequences, targets=targets, eps=[f"1e-{k}" for k in range(1, 7)], start="warm")
    assert found.interpolant.same_shape
    for run in found.runs:
        slack = run.eps * (found.interpolant.norm2.high - run.figures.norm2.low)
        assert run.figures.loss.low <= slack * (1 + Fraction(1, 10**6)), run.eps


def test_numbers_that_floats_cannot_train_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for tokens, target in (("1" + "0" * 400, "1"), ("1", "1" + "0" * 400)):
        rows = [{"tokens": [[tokens]], "targets": [[target]]}, {"tokens": [["2"]], "targets": [["3"]]}]
        (tmp_path / "d.json").write_text(json.dumps({"exactformer": "dataset", "version": [1, 0], "sequences": rows}))
        assert code(["train", str(tmp_path / "d.json"), "--eps", "1", "-o", str(tmp_path / "out")]) == 3
        assert "scale the data" in capsys.readouterr().err
    large = train([[[10**40]], [[2 * 10**40]]], targets=[[1], [0]], eps=["1"], epochs=5, start="random")
    assert large.interpolant.norm2.low > 0


def test_means_that_coincide_leave_the_construction(tmp_path: Path) -> None:
    found = train([[[0], [2]], [[1]]], targets=[[1], [3]], eps=["1/10"], epochs=20)
    assert found.interpolant.method == "shallow, balanced"
    assert all(run.figures.loss.low >= 1 for run in found.runs)
    found.interpolant.certify(tmp_path / "c.jsonl")
    assert ef.check(tmp_path / "c.jsonl").verdict == "accepted"
