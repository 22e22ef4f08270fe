"""Small networks trained in floats: the floats are those of the network, and an interrupted run is the same run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import exactformer as ef
from exactformer.errors import Malformed
from exactformer.model.domain import Domain
from exactformer.training import network_training
from exactformer.training.network_training import small_architecture, starting_weights, train_network
from exactformer.training.saved_runs import SavedSteps
from exactformer.training.softmax_training import require_torch

torch = pytest.importorskip("torch", reason="torch is not installed: training is not tested")
ROWS = [([0, 1], 0), ([1, 0], 1), ([2], 2), ([2, 2, 1], 0), ([0], 1)]
DOMAIN = Domain.of_rows("rows", ROWS)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(
    ("norm", "activation"), [("pre", "gelu"), ("post", "gelu_tanh"), ("none", "relu")], ids=lambda word: word
)
def test_floats_are_those_of_the_network(norm: str, activation: str, causal: bool) -> None:
    """Padded and masked in batches, every output is the certified one of the input alone, up to float32."""
    shape = small_architecture(DOMAIN, layers=2, dim=8, heads=2, norm=norm, activation=activation, causal=causal)
    run = network_training._Run(shape, network_training._Inputs.of(DOMAIN), 3, 10, SavedSteps(None))
    empty = {name: np.zeros(s, np.float32) for name, s in shape.shapes.items() if 0 in s}
    network = ef.Network(shape, {**empty, **starting_weights(shape, 3)})
    outputs, labels = run.approx_outputs(np.arange(len(ROWS)))
    rows = [(ids.tolist(), int(k)) for part in DOMAIN.parts for ids, k in zip(part.ids, part.labels, strict=True)]
    assert labels.tolist() == [k for _, k in rows]
    for (ids, _), found in zip(rows, outputs.tolist(), strict=True):
        assert found == pytest.approx([float(x) for x in network(ids).centre], abs=2e-5)


def shape_of(**changes: object) -> ef.Architecture:
    options: dict[str, object] = {"layers": 1, "dim": 8, "heads": 2, "norm": "pre", "activation": "gelu", **changes}
    return small_architecture(DOMAIN, **options)  # type: ignore[arg-type]


def test_a_network_learns_its_domain_and_is_proved_right() -> None:
    run = train_network(DOMAIN, shape_of(), seed=2)
    assert run.approx_accuracy == 1
    assert run.network.decide(DOMAIN)
    assert [step for step, _, _ in run.history] == list(range(50, run.history[-1][0] + 1, 50))


def test_an_interrupted_run_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    def stop(done: int, total: int) -> None:
        if done == 100:
            raise Stop

    whole = train_network(DOMAIN, shape_of(), epochs=150, seed=1)
    with pytest.raises(Stop):
        train_network(DOMAIN, shape_of(), epochs=150, seed=1, resume=tmp_path, progress=stop)
    steps: list[int] = []
    again = train_network(
        DOMAIN, shape_of(), epochs=150, seed=1, resume=tmp_path, progress=lambda done, total: steps.append(done)
    )
    assert steps[:1] in ([150], [])
    assert again.network.digest == whole.network.digest
    assert again.history == whole.history


def test_a_run_of_other_settings_is_told(tmp_path: Path) -> None:
    train_network(DOMAIN, shape_of(), epochs=50, seed=1, resume=tmp_path)
    with pytest.raises(Malformed, match="its seed is 1, this one's is 2; delete the folder"):
        train_network(DOMAIN, shape_of(), epochs=50, seed=2, resume=tmp_path)


def test_without_torch_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(ef.MissingExtra, match=r"exactformer\[train\]"):
        require_torch("training", "")


@pytest.mark.parametrize("rows", [[[1] * 3_000] * 150, [[1] * 20_000, *[[1]] * 30_000]])
def test_long_inputs_are_declined_with_the_option(rows: list[list[int]], tmp_path: Path) -> None:
    """150 inputs of 3,000 ids have scores of 5.4 GB a batch; padded to 20,000 ids, 30,000 inputs have 4.8 GB."""
    path = tmp_path / "long.csv"
    path.write_text("".join(",".join(map(str, row)) + ",0\n" for row in rows))
    assert path.stat().st_size < 1_000_000
    domain = Domain.read(path)
    shape = small_architecture(domain, layers=1, dim=2, heads=1, norm="none", activation="relu")
    with pytest.raises(ef.Declined, match="EXACTFORMER_MAX_MEMORY"):
        train_network(domain, shape, epochs=1)
