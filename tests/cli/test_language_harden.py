"""`exactformer language harden` as it is used."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from exactformer.cli.main import code
from exactformer.model.architecture import Architecture
from exactformer.model.network import Network


def test_from_a_network_to_its_language(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shape = Architecture(dim=1, heads=1, hidden=1, blocks=1, vocabulary=2, positions=3, classes=2, norm="none")
    tensors = {name: np.zeros(s, np.float32) for name, s in shape.shapes.items()}
    tensors["token"][0, 0], tensors["head"][1, 0], tensors["head_bias"][0] = 1, 1, 0.5
    Network(shape, tensors).save(tmp_path / "n.json")
    model = str(tmp_path / "m.jsonl")
    assert code(["language", "harden", str(tmp_path / "n.json"), "--letters", "ab", "-o", model, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"dim": 2, "blocks": 2, "heads": 2, "period": 1}
    assert code(["language", "prove", model, ".*a", "--up-to", "4"]) == 1  # the empty word has no token: zero
    assert code(["language", "extract", model, "--json"]) == 0
    out = capsys.readouterr().out
    assert json.loads(out[out.index("{") :])["states"] == 2


@pytest.mark.slow
def test_a_decoder_trained_on_a_regular_language(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Decided on all words up to 4 letters; its hardmax version proved or refuted there, and its language extracted."""
    folder, model, language = tmp_path / "trained", str(tmp_path / "m.jsonl"), "a.*"
    shape = ["--layers", "1", "--dim", "8", "--heads", "1", "--norm", "none", "--activation", "relu", "--seed", "1"]
    assert code(["train-network", "strings:ab:4", "--language", language, *shape, "-o", str(folder), "--json"]) == 0
    out = capsys.readouterr().out
    decision = json.loads(out[out.index("{") :])["decision"]
    assert decision["right"] == decision["inputs"] == 31
    network = str(folder / "network.json")
    assert code(["language", "harden", network, "--letters", "ab", "--begin", "2", "-o", model]) == 0
    capsys.readouterr()
    status = code(["language", "prove", model, language, "--up-to", "4", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (status, found["verdict"]) in ((0, "up to n"), (1, "refuted"))
    assert code(["language", "extract", model, "-o", str(tmp_path / "a.json"), "--json"]) == 0
    assert code(["language", "prove", model, str(tmp_path / "a.json")]) == 0


def test_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["language", "harden", "no.json", "--letters", "ab", "-o", str(tmp_path / "m.jsonl")]) == 3
    assert "no.json" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
