"""Training: gradients, exact figures, verdicts that are never wrong, and networks trained elsewhere."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import exactformer as ef
from exactformer.cli.main import code
from exactformer.cli.train import _write_history
from exactformer.constructions.targets import targets_of
from exactformer.errors import InvalidInput, MissingExtra, Undecided
from exactformer.model.dataset import Dataset
from exactformer.model.float_weights import network_of
from exactformer.model.norms import Enclosure, norm2
from exactformer.training.experiment import Experiment, PapersRun, papers_data
from exactformer.training.interpolant import Interpolant, best_interpolant
from exactformer.training.loss import loss_of, regularised_loss
from exactformer.training.regularised import Shape, approx_loss, approx_minimise, named_arrays
from exactformer.training.runs import BETA, judged
from exactformer.training.saved_runs import SavedRuns
from exactformer.training.softmax_training import AdamState, SoftmaxShape, TensorData, approx_adam, approx_softmax_loss
from exactformer.training.train import train


def small_data(count: int = 8) -> Dataset:
    rng = np.random.default_rng(4)
    rows = rng.integers(-8, 9, (count, 3, 2)).tolist()
    targets = rng.integers(-2, 3, (count, 2)).tolist()
    return Dataset.of(
        [
            ef.Sequence.of([[Fraction(v, 8) for v in x] for x in s], targets=[y])
            for s, y in zip(rows, targets, strict=True)
        ]
    )


def test_the_gradient_is_that_of_the_loss() -> None:
    shape, rng = Shape(2, 3), np.random.default_rng(0)
    theta, means, targets = shape.random(rng), rng.normal(size=(5, 2)), rng.normal(size=(5, 2))
    _, gradient = approx_loss(shape, theta, means, targets)
    for k in range(len(theta)):
        step = np.zeros_like(theta)
        step[k] = 1e-6
        ahead, behind = (approx_loss(shape, theta + s * step, means, targets)[0] for s in (1, -1))
        assert gradient[k] == pytest.approx((ahead - behind) / 2e-6, abs=1e-5)


def test_the_exact_loss_is_that_of_floats() -> None:
    data, shape = small_data(), Shape(2, 3)
    theta = shape.random(np.random.default_rng(2))
    means = np.array([np.mean(np.array(s.tokens.rows(), dtype=float), axis=0) for s in data])
    points = np.array([[float(y) for y in data.targets_of(j).rows()[0]] for j in range(len(data))])
    found = loss_of(network_of(named_arrays(shape, theta)), data, targets_of(data), Fraction(0), BETA).loss
    assert found.exact
    assert float(found) == pytest.approx(approx_loss(shape, theta, means, points)[0])


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


def test_the_smallest_interpolant_of_the_trained_shape_is_preferred() -> None:
    first = train(small_data(), eps=["1/10"], epochs=1, start="random").interpolant
    small, large, larger = (
        replace(first, norm2=Enclosure(Fraction(n), Fraction(n)), same_shape=same)
        for n, same in ((1, False), (3, True), (4, True))
    )
    assert best_interpolant([larger, small, large]) is large
    assert best_interpolant([replace(large, same_shape=False), small]) is small


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


def test_readings_say_what_the_generating_weights_show() -> None:
    """The generating weights give a verdict only where the objective is above eps times their norm."""
    ours = train(small_data(), eps=["1/20"], epochs=5, start="random")
    (run,) = ours.runs
    limit = run.figures.objective.low / run.eps
    for factor, silent in ((Fraction(1, 2), False), (Fraction(2), True)):
        norm = Enclosure(limit * factor, limit * factor)
        one = PapersRun(Fraction(1, 10), 5_000, run, 0.033)
        said = Experiment(norm, Enclosure(Fraction(0), Fraction(0)), (one,), ours).readings()
        assert ("the generating weights give no such verdict" in said[2]) == silent
        assert "published about 0.033: reproduces" in said[2]
    far, cut = (PapersRun(Fraction(1, 10), epochs, run, 0.066) for epochs in (5_000, 4_999))
    said = Experiment(norm, Enclosure(Fraction(0), Fraction(0)), (far, cut), ours).readings()
    assert "does not reproduce" in said[2]
    assert "after 4999 of 5000 epochs: nothing to compare" in said[3]


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


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "data.json").write_text(json.dumps(small_data().json(), default=str))
    arguments = [
        "train",
        str(tmp_path / "data.json"),
        "--eps",
        "1e-1,1e-2",
        "--epochs",
        "60",
        "-o",
        str(tmp_path / "out"),
    ]
    assert code([*arguments, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [run["eps"] for run in answer["runs"]] == ["1/10", "1/10", "1/100", "1/100"]
    assert ef.check(answer["interpolant"]["certificate"]).verdict == "accepted"
    listed = list(csv.DictReader((tmp_path / "out" / "history.csv").open()))
    assert list(listed[0]) == ["run", "eps", "start", "step", "approx_loss", "approx_norm2"]
    assert (tmp_path / "out" / "training.png").stat().st_size > 10_000
    assert not (tmp_path / "out" / "resume").exists()
    assert ef.Transformer.read(tmp_path / "out" / "run0.jsonl").dim == 2
    assert code(arguments) == 0
    assert "guarantee" in capsys.readouterr().out
    assert code(["train", str(tmp_path / "data.json"), "--eps", "0", "-o", str(tmp_path / "none")]) == 3


def test_the_history_in_a_table_is_that_of_the_runs(tmp_path: Path) -> None:
    runs = train(small_data(), eps=["1/10"], epochs=40).runs
    _write_history(runs, tmp_path / "history.csv")
    expected = [(k, run.start, *row[1:]) for k, run in enumerate(runs) for row in run.history]
    listed = [
        (int(row["run"]), row["start"], int(row["step"]), float(row["approx_loss"]), float(row["approx_norm2"]))
        for row in csv.DictReader((tmp_path / "history.csv").open())
    ]
    assert listed == expected != []


def test_a_torch_network_is_repaired(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    data = small_data(20)
    means = torch.tensor([[float(np.mean([float(x[k]) for x in s.tokens.rows()])) for k in range(2)] for s in data])
    points = torch.tensor([[float(y) for y in data.targets_of(j).rows()[0]] for j in range(len(data))])
    net = torch.nn.Sequential(torch.nn.Linear(2, 24), torch.nn.ReLU(), torch.nn.Linear(24, 2, bias=False))
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-2)
    for _ in range(150):
        optimiser.zero_grad()
        ((net(means) - points) ** 2).sum(1).mean().backward()
        optimiser.step()
    state = {"block0.V": torch.eye(2), "block1.U": net[0].weight, "block1.b": net[0].bias, "block1.W": net[2].weight}
    torch.save({name: value.detach() for name, value in state.items()}, tmp_path / "net.pt")
    found = ef.repair(tmp_path / "net.pt", data)
    found.certify(tmp_path / "cert.jsonl")
    assert ef.check(tmp_path / "cert.jsonl").verdict == "accepted"
    assert 0 < found.units_added <= 20


def several_targets() -> Dataset:
    rows = [([[0, 0], [1, 0], [0, 1]], [[1, 0], [0, 1]]), ([[1, 1], [2, 0]], [[0, 0]]), ([[3, 1]], [[1, 1]])]
    return Dataset.of([ef.Sequence.of(x, targets=y) for x, y in rows])


def floats(data: Dataset) -> tuple[list[np.ndarray], list[np.ndarray]]:
    sequences = [np.array(s.tokens.rows(), dtype=float) for s in data]
    return sequences, [np.array(data.targets_of(j).rows(), dtype=float) for j in range(len(data))]


def test_the_softmax_loss_is_that_of_balls_for_any_number_of_targets() -> None:
    torch = pytest.importorskip("torch")
    data, shape = several_targets(), SoftmaxShape(2, 3, rank=2, blocks=2)
    theta = shape.random(np.random.default_rng(0))
    tensors = TensorData.of(*floats(data))
    assert len(tensors.groups) == 3
    found = float(approx_softmax_loss(shape, torch.tensor(theta), tensors))
    exact = regularised_loss(network_of(shape.split(theta)), data, eps=0)
    assert found == pytest.approx(float(exact.loss), rel=1e-12)
    assert float(exact.norm2) == pytest.approx(float(theta @ theta), rel=1e-14)


def test_adam_minimises_the_objective() -> None:
    """At the end the gradient of E is -2 eps Theta, and Theta is not 0."""
    torch = pytest.importorskip("torch")
    shape = SoftmaxShape(1, 2)
    tensors = TensorData.of([np.array([[1.0]])], [np.array([[1.5]])])
    end = approx_adam(
        shape, AdamState.start(shape.random(np.random.default_rng(5))), 0.1, tensors, epochs=800, rate=0.05
    )
    theta = torch.tensor(end.theta, requires_grad=True)
    (gradient,) = torch.autograd.grad(approx_softmax_loss(shape, theta, tensors), theta)
    assert np.abs(gradient.numpy() + 0.2 * end.theta).max() < 1e-3
    assert np.linalg.norm(end.theta) > 0.5


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


def test_adam_goes_on_as_if_nothing_had_happened() -> None:
    pytest.importorskip("torch")
    data, shape = several_targets(), SoftmaxShape(2, 3)
    tensors, saved = TensorData.of(*floats(data)), list[AdamState]()
    start = AdamState.start(shape.random(np.random.default_rng(1)))
    whole = approx_adam(shape, start, 0.01, tensors, epochs=60)

    def stop(done: int) -> None:
        if done == 23:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        approx_adam(shape, start, 0.01, tensors, epochs=60, save=saved.append, tell=stop)
    assert [state.epochs for state in saved] == [23]
    again = approx_adam(shape, saved[0], 0.01, tensors, epochs=60)
    assert np.array_equal(again.theta, whole.theta)
    assert again.history == whole.history
    assert whole.history[-1][2] < whole.history[0][2]


def test_saved_runs_are_those_of_their_data_and_their_name(tmp_path: Path) -> None:
    vectors = [np.arange(6.0) + k for k in range(3)]
    state = AdamState(*vectors, 7, ((0.5, 3, 2.0, 1.0), (0.5, 4, 1.5, 1.0)))
    rows = np.arange(12.0)
    saved = SavedRuns(tmp_path / "runs", rows.reshape(3, 4), rows[:2])
    assert (saved.found, saved.load("one")) == (False, None)
    saved.save("one", state)
    again = SavedRuns(tmp_path / "runs", rows.reshape(3, 4), rows[:2]).load("one")
    assert again is not None
    assert all(np.array_equal(x, y) for x, y in zip((again.theta, again.first, again.second), vectors, strict=True))
    assert (again.epochs, again.history, saved.found) == (7, state.history, True)
    others = [(rows.reshape(4, 3), rows[:2]), (rows.reshape(3, 4),), (rows.reshape(3, 4), rows[1:3]), (rows, rows[:2])]
    assert all(SavedRuns(tmp_path / "runs", *arrays).load("one") is None for arrays in others)
    assert saved.load("two") is None
    assert SavedRuns(None, rows).load("one") is None
    (file,) = (tmp_path / "runs").iterdir()
    file.write_bytes(file.read_bytes()[:-40])
    assert saved.load("one") is None
    saved.clear()
    assert not (tmp_path / "runs").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match="cannot write"):
        SavedRuns(tmp_path / "file" / "runs", rows).save("one", state)


def test_an_interrupted_training_is_resumed(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    options = {"eps": ["1/10", "1/50"], "attention": "softmax", "epochs": 40, "start": "random"}
    plain = train(several_targets(), **options)

    def stop(done: int, of: int) -> None:
        if done == 55:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(several_targets(), **options, resume=tmp_path / "resume", progress=stop)
    assert len(list((tmp_path / "resume").iterdir())) == 2
    told = list[int]()
    again = train(several_targets(), **options, resume=tmp_path / "resume", progress=lambda done, of: told.append(done))
    assert told[0] == 56
    assert [run.network for run in again.runs] == [run.network for run in plain.runs]
    assert [run.history for run in again.runs] == [run.history for run in plain.runs]
    other = train(several_targets(), **{**options, "seed": 1}, resume=tmp_path / "resume")
    assert other.runs[0].network != plain.runs[0].network


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
        runs = [judged(x, data, wanted, best, eps=eps, start="random", history=()) for x in found]
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


def test_certificates_of_the_verdicts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "data.json").write_text(json.dumps(small_data().json(), default=str))
    out = tmp_path / "out"
    arguments = ["train", str(tmp_path / "data.json"), "--eps", "1e-4", "--start", "random", "--epochs", "3"]
    assert code([*arguments, "-o", str(out), "--certify", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["runs"][0]["verdict"] == "not a global minimiser"
    assert answer["scope"]
    for name in ("run0.loss", "run0.interpolant.loss", "interpolant"):
        assert code(["check", str(out / f"{name}.jsonl"), "--data", str(tmp_path / "data.json")]) == 0
    above, below = (
        json.loads((out / f"{n}.jsonl").read_text().splitlines()[0]) for n in ("run0.loss", "run0.interpolant.loss")
    )
    assert above["above"] == below["below"]
    assert code(["report", str(out / "run0.loss.jsonl"), "-o", str(tmp_path / "page.html")]) == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["--eps", "1"],
        ["DATA"],
        ["DATA", "--eps", "1", "--experiment", "interpolation"],
        ["--experiment", "interpolation", "--width", "8"],
    ],
)
def test_wrong_usage(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "data.json").write_text(json.dumps(small_data().json(), default=str))
    given = [str(tmp_path / "data.json") if a == "DATA" else a for a in arguments]
    assert code(["train", *given, "-o", str(tmp_path / "out")]) == 2
    assert not (tmp_path / "out").exists()


def test_the_published_experiment_in_short(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    start = papers_data().start
    rising = AdamState(2 * start, start, start, 2, ((5e-4, 0, 3.0, 1.0), (5e-4, 1, 7.0, 1.0)))  # kept by an earlier run
    SavedRuns(tmp_path / "resume", start).save("experiment 1/1000 2", rising)
    assert code(["train", "--experiment", "interpolation", "--epochs", "2", "-o", str(tmp_path), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    norm = Fraction(answer["generator"]["norm2"])
    assert round(float(norm), 4) == 62.5316
    best = answer["interpolant"]["norm2"]
    assert Fraction(best if isinstance(best, str) else best[1]) < Fraction("25.5")
    assert answer["interpolant"]["same_shape"]
    assert [run["weight_decay"] for run in answer["runs"]] == ["1/10", "1/100", "1/1000", "1/10000"]
    halves = ["1/20", "1/200", "1/2000", "1/20000"]
    assert [run["eps"] for run in answer["runs"]] == [run["eps"] for run in answer["minimised_on_means"]] == halves
    assert [run["approx_published_loss"] for run in answer["runs"]] == [0.033, 0.013, 0.0005, None]
    assert [run["epochs"] for run in answer["runs"]] == [2] * 4
    assert {run["verdict"] for run in answer["runs"]} == {"not a global minimiser"}
    assert all(run["verdict"] == "below the guarantee" for run in answer["minimised_on_means"])
    assert len(answer["readings"]) == 6
    assert ef.check(tmp_path / "interpolant.jsonl").verdict == "accepted"
    for name in ("loss_epochs.png", "loss_eps.png"):
        assert (tmp_path / name).stat().st_size > 10_000
    with (tmp_path / "history.csv").open() as file:
        rows = list(csv.DictReader(file))
    losses = [[float(row["approx_loss"]) for row in rows if row["run"] == str(k)] for k in range(4)]
    assert losses[2] == [3.0, 7.0]
    assert [run["approx_least_loss"] for run in answer["runs"]] == list(map(min, losses))
    first = [row for row in rows if row["step"] == "0"]
    assert [row["start"] for row in first] == ["going on"] * 3 + ["anew"]
    begins = [(row["approx_loss"], row["approx_norm2"]) for row in first]
    assert begins[3] == begins[0]  # the same weights as at the very beginning
    assert len(set(begins)) == 3


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
