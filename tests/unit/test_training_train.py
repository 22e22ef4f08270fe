"""Training: gradients, exact figures, verdicts that are never wrong, and networks trained elsewhere."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import exactformer as ef
from exactformer.cli.main import code
from exactformer.constructions.targets import targets_of
from exactformer.errors import InvalidInput
from exactformer.model.dataset import Dataset
from exactformer.model.float_weights import network_of
from exactformer.model.norms import Enclosure
from exactformer.training.regularised import Shape, approx_loss, named_arrays
from exactformer.training.train import exact_loss, train


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
    found = exact_loss(network_of(named_arrays(shape, theta)), data, targets_of(data))
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
            above = run.objective.low > eps * result.interpolant.norm2.high
            assert (run.verdict == "not a global minimiser") == above
    stuck = train(small_data(), eps=["1/1000"], epochs=1, start="random").runs[0]
    assert stuck.verdict == "not a global minimiser"


def test_enclosures_that_overlap_decide_nothing() -> None:
    run = train(small_data(), eps=["1/10"], epochs=5, start="random").runs[0]
    wide = Enclosure(run.objective.low / 2, run.objective.high * 2)
    assert replace(run, guarantee=wide).verdict == "undecided"
    assert replace(run, guarantee=Enclosure(wide.high, wide.high)).verdict == "below the guarantee"
    assert replace(run, guarantee=Enclosure(wide.low, wide.low)).verdict == "not a global minimiser"


@pytest.mark.parametrize(
    "options",
    [{"eps": ["0"]}, {"eps": ["-1"]}, {"eps": []}, {"eps": ["1"], "start": "cold"}, {"eps": ["1"], "width": 0}],
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
    assert (tmp_path / "out" / "history.csv").read_text().startswith("run,eps,start,step")
    assert ef.Transformer.read(tmp_path / "out" / "run0.jsonl").dim == 2
    assert code(arguments) == 0
    assert "guarantee" in capsys.readouterr().out
    assert code(["train", str(tmp_path / "data.json"), "--eps", "0", "-o", str(tmp_path / "none")]) == 3


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
