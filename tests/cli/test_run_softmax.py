"""exactformer run --attention softmax: networks from certificates and float weights, enclosed at one temperature."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import arb

import exactformer as ef
from exactformer.arithmetic.state import State
from exactformer.cli.main import code
from exactformer.errors import NotExact
from exactformer.evaluate.balls import BallTransformer, ends, is_bounded
from exactformer.float_comparison.exports import arrays, write_npz
from exactformer.instances.dataset_families import sample
from exactformer.model.float_weights import network_of

SOFT = ("--attention", "softmax")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data = sample("random-classes", 4, 2, seed=3)
    (tmp_path / "data.json").write_text(json.dumps(data.json(), default=str))
    built = ef.construct(data, method="leaders", attention="softmax", beta="1/2")
    built.certify(tmp_path / "cert.jsonl")
    write_npz(built.transformer, tmp_path / "weights.npz")
    ef.construct(data, method="temperature", beta="2/3").certify(tmp_path / "at.jsonl")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], folder: Path, network: str, *options: str) -> tuple[int, Any]:
    exit_code = code(["run", str(folder / network), str(folder / "data.json"), *options, "--json"])
    return exit_code, json.loads(capsys.readouterr().out)


def test_outputs_are_enclosed_and_labels_decided(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exit_code, answer = run(capsys, folder, "cert.jsonl", *SOFT, "--beta", "7")
    assert (exit_code, answer["beta"], answer["accuracy"]) == (0, "7", "1")
    labels = [s["label"] for s in json.loads((folder / "data.json").read_text())["sequences"]]
    assert [s["label"] for s in answer["sequences"]] == labels
    for found, label in zip(answer["sequences"], labels, strict=True):
        for (low, high), y in zip(found["outputs"][0], (Fraction(label), Fraction(0)), strict=True):
            assert Fraction(low) <= y <= Fraction(high)
            assert Fraction(high) - Fraction(low) < Fraction(1, 2**60)


def test_float_weights_are_read_exactly(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exit_code, answer = run(capsys, folder, "weights.npz", *SOFT, "--beta", "2", "--bits", "64")
    assert (exit_code, answer["accuracy"]) == (0, "1")
    assert code(["run", str(folder / "weights.npz"), str(folder / "data.json"), *SOFT]) == 3
    assert "--beta" in capsys.readouterr().err
    assert code(["run", str(folder / "weights.npz"), str(folder / "data.json")]) == 2
    (folder / "WEIGHTS.NPZ").write_bytes((folder / "weights.npz").read_bytes())
    capsys.readouterr()
    assert run(capsys, folder, "WEIGHTS.NPZ", *SOFT, "--beta", "2", "--bits", "64") == (exit_code, answer)
    for name in ("WEIGHTS.NPZ", "none.pt", "none.PTH", "none.pth", "none.ts"):
        assert code(["run", str(folder / name), str(folder / "data.json")]) == 2
        assert "float weights run with --attention softmax" in capsys.readouterr().err


def test_state_dicts_give_the_same_network() -> None:
    built = ef.construct(sample("nested", 3, 2, seed=1), method="leaders", attention="softmax")
    named, layers, number = arrays(built.transformer), {}, 0
    for k, block in enumerate(built.transformer):
        for keys, layer in (
            (("eta", "U", "b", "W"), block.feed_forward),
            (("rho", "V", "Q", "K"), block.self_attention),
        ):
            if layer is not None:
                layers |= {f"layers.{number}.{key}": named[f"block{k}.{key}"] for key in keys}
                number += 1
    again = arrays(network_of(layers, "state dict"))
    assert again.keys() == named.keys()
    assert all(np.array_equal(again[name], value) for name, value in named.items())


def test_a_certificate_at_one_temperature_runs_there_and_nowhere_else(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exit_code, answer = run(capsys, folder, "at.jsonl")
    assert (exit_code, answer["beta"], answer["accuracy"]) == (0, "2/3", "1")
    for network, beta in (("at.jsonl", "1"), ("cert.jsonl", "1/4")):
        assert code(["run", str(folder / network), str(folder / "data.json"), *SOFT, "--beta", beta]) == 3
        assert "is about" in capsys.readouterr().err


def test_a_certificate_for_every_temperature_runs_with_hardmax_unless_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exit_code, answer = run(capsys, folder, "cert.jsonl")
    assert (exit_code, "beta" in answer) == (0, False)
    built = ef.Transformer.read(folder / "cert.jsonl")
    data = ef.Dataset.read(folder / "data.json")
    for sequence, found in zip(data, answer["sequences"], strict=True):
        assert found["outputs"] == [[str(x) for x in row] for row in built(sequence.tokens).rows()]
    assert code(["run", str(folder / "cert.jsonl"), str(folder / "data.json"), "--follows"]) == 0


def test_the_width_in_the_table_is_the_largest_of_a_sequence(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, answer = run(capsys, folder, "cert.jsonl", *SOFT, "--beta", "7")
    assert code(["run", str(folder / "cert.jsonl"), str(folder / "data.json"), *SOFT, "--beta", "7"]) == 0
    table = capsys.readouterr().out
    for found in answer["sequences"]:
        widths = [Fraction(high) - Fraction(low) for row in found["outputs"] for low, high in row]
        assert f"{float(max(widths)):.1e}" in table
        assert min(widths) < max(widths)


@pytest.mark.parametrize(
    ("options", "exit_code", "message"),
    [
        ((*SOFT, "--beta", "0"), 3, "> 0, got 0"),
        ((*SOFT, "--beta", "-2"), 3, "> 0, got -2"),
        ((*SOFT, "--beta", "hot"), 3, "hot"),
        (("--beta", "1"), 2, "--attention softmax"),
        ((*SOFT, "--beta", "1", "--bits", "1"), 2, "--bits"),
    ],
)
def test_bad_temperatures(
    folder: Path, options: tuple[str, ...], exit_code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code(["run", str(folder / "cert.jsonl"), str(folder / "data.json"), *options]) == exit_code
    assert message in capsys.readouterr().err


def test_float64_is_named_where_it_gets_the_label_wrong(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """(1 + 2^-60) - 1 is 0 in floats: the network below turns that difference into another label."""
    cancel = ef.FeedForward(0, [[1, 0], [0, 1]], [-1, 0], [[2**60, 0], [0, 0]])
    ef.Transformer(2, [ef.Block(cancel, None)]).save(folder / "cancel.jsonl")
    tokens = {"tokens": [[str(1 + Fraction(1, 2**60)), "0"]]}
    sequences = [{**tokens, "label": "one"}, {"tokens": [["1", "0"]], "label": "nil"}]
    (folder / "data.json").write_text(json.dumps({"exactformer": "dataset", "version": [1, 0], "sequences": sequences}))
    exit_code, answer = run(capsys, folder, "cancel.jsonl", *SOFT, "--beta", "1")
    first = answer["sequences"][0]
    assert (exit_code, first["label"], first["approx_float64"]["label"]) == (0, "one", "nil")
    assert code(["run", str(folder / "cancel.jsonl"), str(folder / "data.json"), *SOFT, "--beta", "1"]) == 0
    assert "wrong: nil" in capsys.readouterr().out


def test_a_tie_stays_undecided(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ef.Transformer(2, []).save(folder / "identity.jsonl")
    sequences = [{"tokens": [["1/2", "0"]], "label": "a"}, {"tokens": [["1", "0"]], "label": "b"}]
    (folder / "data.json").write_text(json.dumps({"exactformer": "dataset", "version": [1, 0], "sequences": sequences}))
    exit_code, answer = run(capsys, folder, "identity.jsonl", *SOFT, "--beta", "1")
    assert exit_code == 4
    assert answer["sequences"][0]["undecided_between"] == ["a", "b"]
    assert answer["sequences"][1]["label"] == "b"


def widen(folder: Path, exponent: int) -> None:
    """x -> 2^exponent * x (twice), behind attention with scores of such a size."""
    far = 2**exponent
    soft = ef.SelfAttention(0, [[far, 0], [0, far]], [[far, 0]], [[far, 0]])
    ef.Transformer(2, [ef.Block(None, soft), ef.Block(None, soft)]).save(folder / "far.jsonl")
    sequences = [{"tokens": [[x, "0"], ["1", "1"]], "label": label} for x, label in (("5", "a"), ("-5", "b"))]
    (folder / "data.json").write_text(json.dumps({"exactformer": "dataset", "version": [1, 0], "sequences": sequences}))


def test_labels_that_differ_beyond_the_digits_of_floats_are_decided(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All distances are about 2^800 and the same in floats; scores of 2^600 overflow no exponential."""
    widen(folder, 200)
    exit_code, answer = run(capsys, folder, "far.jsonl", *SOFT, "--beta", "1")
    assert (exit_code, [s["label"] for s in answer["sequences"]]) == (0, ["b", "a"])
    assert all(s["bits"] > 128 for s in answer["sequences"])
    low, high = map(Fraction, answer["sequences"][0]["outputs"][0][0])
    assert low <= 5 * 2**400 <= high


def test_scores_past_the_range_of_floats() -> None:
    """5 leads 4 by scores that float64 calls infinite."""
    far = 2**600
    follow = ef.Transformer(1, [ef.Block(None, ef.SelfAttention(0, [[1]], [[far]], [[far]]))])
    low, high = BallTransformer(follow, Fraction(1), 2048).enclose(State.of([[4], [5]]))[0][0]
    assert 5 - Fraction(1, 2**900) < low <= 5 <= high < 5 + Fraction(1, 2**900)


def test_balls_too_large_to_write_down_have_no_ends() -> None:
    assert is_bounded(arb(2) ** 60000)
    assert not is_bounded(arb(2) ** (2**60))
    with pytest.raises(NotExact, match="raise the bits"):
        ends(arb(2) ** (2**60))


def test_a_certificate_runs_at_the_border_of_its_temperatures(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for network, beta in (("at.jsonl", "2/3"), ("cert.jsonl", "1/2")):
        assert run(capsys, folder, network, *SOFT, "--beta", beta)[0] == 0


def test_outputs_past_the_range_of_floats_are_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    widen(folder, 700)
    asked = ["run", str(folder / "far.jsonl"), str(folder / "data.json"), *SOFT, "--beta", "1"]
    assert code([*asked, "--bits", "8192"]) == 0
    shown = capsys.readouterr().out
    assert "e+422" in shown
    assert "wrong: no number" in shown


def test_without_finite_enclosures_the_answer_is_undecided(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    widen(folder, 1500)
    asked = ["run", str(folder / "far.jsonl"), str(folder / "data.json"), *SOFT, "--beta", "1"]
    assert code(asked) == 4
    assert "sequence 0: the outputs have no finite enclosure at 4096 bits" in capsys.readouterr().err
    assert code([*asked, "--bits", "16384"]) == 0


def test_names_are_those_of_the_file_and_follows_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "data.json").unlink()
    (folder / "data.csv").write_text("sequence,label,x1,x2\nfirst,0,1,2\nsecond,1,3,4\n")
    asked = ["run", str(folder / "cert.jsonl"), str(folder / "data.csv"), *SOFT]
    assert code([*asked, "--json"]) in (0, 4)
    assert [s["name"] for s in json.loads(capsys.readouterr().out)["sequences"]] == ["first", "second"]
    assert code(asked) in (0, 4)
    assert "second" in capsys.readouterr().out
    assert code([*asked, "--follows"]) == 2
    assert "--follows" in capsys.readouterr().err


@pytest.mark.parametrize(
    "names", [{"U": 1}, {"block0.U": 1, "block0.b": 1}, {}, {"block0.eta": 1}, {"block100000000.V": 1}]
)
def test_weights_of_another_kind_are_malformed(
    names: dict[str, int], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.savez(folder / "bad.npz", **{name: np.ones((1, 2)) for name in names})
    assert code(["run", str(folder / "bad.npz"), str(folder / "data.json"), *SOFT, "--beta", "1"]) == 3
    assert "expected" in capsys.readouterr().err


def test_the_deviation_of_floats_is_the_largest_of_all_coordinates(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Floats take 1 + 2^-60 for 1, and so miss one output of three, downwards, by 1."""
    cancel = ef.FeedForward(0, [[1, 0], [0, 1]], [-1, 0], [[2**60, 0], [0, 0]])
    ef.Transformer(2, [ef.Block(cancel, None)]).save(folder / "cancel.jsonl")
    tokens = [["1", "0"], [str(1 + Fraction(1, 2**60)), "0"], ["0", "5"]]
    content = {"exactformer": "dataset", "version": [1, 0], "sequences": [{"tokens": tokens}]}
    (folder / "data.json").write_text(json.dumps(content))
    exit_code, answer = run(capsys, folder, "cancel.jsonl", *SOFT, "--beta", "1")
    (found,) = answer["sequences"]
    assert (exit_code, found["approx_float64"]) == (0, {"deviation": "1.0", "label": None})
    assert [[Fraction(low) for low, _ in row] for row in found["outputs"]] == [[0, 0], [1, 0], [0, 0]]
    assert "accuracy" not in answer


def test_labels_are_those_of_the_certificate_whatever_the_data_call_them(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = json.loads((folder / "data.json").read_text())
    true = [sequence["label"] for sequence in content["sequences"]]
    for sequence in content["sequences"]:
        sequence["label"] = "1"
    (folder / "data.json").write_text(json.dumps(content))
    exit_code, answer = run(capsys, folder, "cert.jsonl", *SOFT)
    assert (exit_code, [s["label"] for s in answer["sequences"]]) == (0, true)
    assert [s["approx_float64"]["label"] for s in answer["sequences"]] == true
    assert Fraction(answer["accuracy"]) == Fraction(true.count("1"), len(true)) < 1


def test_positions_are_a_coordinate_more(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sequences = [{"tokens": x, "label": y} for x, y in (([["0"], ["1"]], "up"), ([["1"], ["0"]], "down"))]
    (folder / "data.json").write_text(json.dumps({"exactformer": "dataset", "version": [1, 0], "sequences": sequences}))
    data = ef.Dataset.read(folder / "data.json")
    ef.construct(data, positions=True, method="leaders", attention="softmax", beta=2).certify(folder / "c.jsonl")
    exit_code, answer = run(capsys, folder, "c.jsonl", *SOFT, "--positions")
    assert (exit_code, answer["beta"], answer["accuracy"]) == (0, "2", "1")
    assert [s["label"] for s in answer["sequences"]] == ["up", "down"]
    assert code(["run", str(folder / "c.jsonl"), str(folder / "data.json"), *SOFT]) == 3
    assert "expected tokens of dimension 2, got 1" in capsys.readouterr().err
