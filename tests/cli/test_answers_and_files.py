"""A no is a no, a yes is a yes, and nothing is overwritten by accident."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import numpy as np
import pytest

from exactformer.cli.common import make_folder, note_input
from exactformer.cli.main import VERBS, code
from exactformer.errors import Declined
from exactformer.evaluate.floats import Backend
from exactformer.io.read_limits import OPTION
from exactformer.model.dataset import Dataset
from exactformer.model.tokens import Tokens

TOKENS = {"exactformer": "tokens", "version": [1, 0], "tokens": [["1", "0"], ["0", "2"], ["1/3", "1/3"]]}
DATA = {
    "exactformer": "dataset",
    "version": [1, 0],
    "sequences": [{"tokens": [["0", "1"], ["2", "3"]], "label": "cat"}, {"tokens": [["0", "1"]], "label": "dog"}],
}
SAME = {**DATA, "sequences": [{"tokens": [["0"]], "label": "cat"}, {"tokens": [["0"]], "label": "dog"}]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("t.json").write_text(json.dumps(TOKENS))
    Path("d.json").write_text(json.dumps(DATA))
    Path("same.json").write_text(json.dumps(SAME))
    Path("m.json").write_text("[[2,1],[1,1]]")
    Path("l.json").write_text('{"cat": ["1", "0"], "dog": ["0", "1"]}')
    assert code(["construct", "d.json", "-o", "c.jsonl", "-q"]) == 0
    Path("my.py").write_text((Path(__file__).parents[2] / "examples" / "my_conjecture.py").read_text())
    return tmp_path


CLASHES = {
    "simulate": ["simulate", "t.json", "--layers", "1", "-o", "t.json"],
    "simulate-graph": ["simulate", "t.json", "--layers", "1", "--graph", "t.json"],
    "simulate-two-outputs": ["simulate", "t.json", "--layers", "1", "--graph", "x.json", "-o", "x.json"],
    "simulate-matrix": ["simulate", "t.json", "--layers", "1", "--A", "m.json", "-o", "m.json"],
    "limit": ["limit", "t.json", "-o", "t.json"],
    "construct": ["construct", "d.json", "-o", "d.json"],
    "construct-label-targets": ["construct", "d.json", "--label-targets", "l.json", "-o", "l.json"],
    "export": ["export", "c.jsonl", "--to", "npz", "-o", "c.jsonl"],
    "export-rocq": ["export-rocq", "c.jsonl", "-o", "c.jsonl"],
    "plot": ["plot", "t.json", "-o", "t.json"],
    "report": ["report", "c.jsonl", "-o", "c.jsonl"],
    "report-data": ["report", "c.jsonl", "--data", "d.json", "-o", "d.json"],
    "repair": ["repair", "c.jsonl", "d.json", "-o", "d.json"],
    "run": ["run", "c.jsonl", "d.json", "-o", "c.jsonl"],
    "decide": ["decide", "t.json", "--domain", "sum-mod:3", "-o", "t.json"],
    "hunt": ["hunt", "my.py", "--budget", "1", "-o", "my.jsonl"],
}


@pytest.mark.parametrize("command", CLASHES.values(), ids=CLASHES)
def test_an_input_is_never_overwritten(command: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if command[0] == "hunt":  # the prefix my names my.json, which is another name of the input
        os.link("my.py", "my.json")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert code(command) == 2
    assert "same file" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("kind", ["symbolic", "hard", "folder", "dots"])
def test_nor_through_a_link(kind: str, folder: Path) -> None:
    if kind == "symbolic":
        Path("link").symlink_to("d.json")
    elif kind == "hard":
        os.link("d.json", "link")
    elif kind == "folder":
        Path("here").symlink_to(folder)
    name = {"folder": "here/d.json", "dots": "./x/../d.json"}.get(kind, "link")
    (folder / "x").mkdir()
    before = Path("d.json").read_bytes()
    assert code(["construct", "d.json", "-o", name]) == 2
    assert Path("d.json").read_bytes() == before


def test_nor_a_file_that_is_still_to_be_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two names of one file that is not there yet: through a folder's link, through a link to it, by dots."""
    Path("here").symlink_to(folder)
    Path("link.json").symlink_to("new.json")
    for name in ("here/new.json", "link.json", "./new.json", str(folder / "new.json")):
        assert code(["simulate", "t.json", "--layers", "1", "--graph", "new.json", "-o", name]) == 2
        assert "same file" in capsys.readouterr().err
        assert not Path("new.json").exists()


def test_a_device_may_take_several_answers(folder: Path) -> None:
    for name in ("null.json", "null.jsonl"):
        Path(name).symlink_to(os.devnull)
    assert code(["simulate", "t.json", "--layers", "1", "--graph", "null.json", "-o", "null.jsonl", "-q"]) == 0
    assert Path(os.devnull).is_char_device()


@pytest.mark.parametrize("name", ["a.png", "m.png", "z.png", "studies.csv"])
def test_no_file_of_a_folder_that_is_written_may_be_an_input(name: str, folder: Path) -> None:
    Path("out").mkdir()
    for other in ("a.png", "m.png", "z.png"):
        Path("out", other).write_text("a picture of an earlier run")
    Path("mine.csv").write_text("1,2\n3,4\n")
    Path("out", name).unlink(missing_ok=True)
    os.link("mine.csv", Path("out", name))
    with click.Context(click.Command("any")):
        note_input(Path("mine.csv"))
        with pytest.raises(click.UsageError, match="same file"):
            make_folder(Path("out"), "*.png", "studies.csv")


def test_every_verb_that_writes_is_in_the_table() -> None:
    from exactformer.cli.common import OutputPath
    from exactformer.cli.main import group

    context = group.make_context("exactformer", ["--help"], resilient_parsing=True)
    writers = set()
    for verb in VERBS:
        command = group.get_command(context, verb)
        assert command is not None
        kinds = {type(parameter.type) for parameter in command.params}
        if OutputPath in kinds and any(
            p.type.name == "file" and p.param_type_name == "argument" for p in command.params
        ):
            writers.add(verb)
    assert writers <= {name.split("-")[0] if name != "export-rocq" else name for name in CLASHES}


def test_quiet_keeps_a_refusal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["construct", "same.json", "-q", "-o", "no.jsonl"]) == 1
    assert "same empirical measure" in capsys.readouterr().err
    assert code(["construct", "same.json", "-q", "--method", "all"]) == 1
    assert "same empirical measure" in capsys.readouterr().err


def run(*command: str, stdout: int) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "exactformer", *command], stdout=stdout, stderr=-1, check=False)


@pytest.mark.parametrize(
    ("command", "written"),
    [
        (["limit", "t.json", "-o", "o.jsonl"], "o.jsonl"),
        (["simulate", "t.json", "--layers", "2", "-o", "o.jsonl"], "o.jsonl"),
        (["construct", "same.json", "--json", "-o", "o.jsonl"], "o.jsonl"),
        (["construct", "d.json", "-o", "o.jsonl"], "o.jsonl"),
        (["sentiment", "explain", "a wonderful film", "-o", "o.jsonl", "--html", "o.html"], "o.jsonl"),
        (["delay", "window", "--cos", "4/5", "--json", "-o", "o.jsonl"], "o.jsonl"),
    ],
    ids=["limit", "simulate", "refusal", "construct", "explain", "window"],
)
def test_a_reader_who_has_gone_gets_no_verdict_and_the_certificate(
    command: list[str], written: str, folder: Path
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = run(*command, stdout=writer)
    os.close(writer)
    assert done.returncode == 4
    assert b"bug" not in done.stderr
    assert code(["check", written]) == 0


def test_a_full_disk_is_no_bug(folder: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = run("simulate", "t.json", "--layers", "1", stdout=full.fileno())
    assert done.returncode == 4
    assert b"cannot read or write the answer: No space left" in done.stderr
    assert b"bug" not in done.stderr
    assert code(["limit", "t.json", "-o", "/dev/full"]) == 3


def test_a_device_that_is_not_there_is_no_bug() -> None:
    pytest.importorskip("torch")
    from exactformer.errors import InvalidInput

    with pytest.raises(InvalidInput, match="device"):
        Backend.of("torch", device="cuda:77")
    with pytest.raises(InvalidInput, match="device"):
        Backend.of("torch", device="no-such-device")


def certificate_with_large_targets(folder: Path) -> Path:
    """Targets so large, and differing by so little, that float32 maps every sequence to another one's target."""
    sequences = [{"tokens": [[str(j), str(j * j)]], "targets": [[str(10**9 + 3 * j), "0"]]} for j in range(8)]
    Path("big.json").write_text(json.dumps({**DATA, "sequences": sequences}))
    assert code(["construct", "big.json", "-o", "big.jsonl", "-q"]) == 0
    return folder / "big.jsonl"


def test_crosscheck_judges_outputs_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(certificate_with_large_targets(folder))
    capsys.readouterr()
    assert code(["crosscheck", path, "--dtype", "float32", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["first_difference"] is None, "no attention score is wrong here"
    assert answer["agrees"] is False
    assert answer["right"] < answer["sequences"] == 8
    assert code(["crosscheck", path]) == 0
    assert "8 of 8" in capsys.readouterr().out


@pytest.mark.parametrize("numbers", ["exponents", "denominators"])
def test_long_numbers_by_the_thousand_are_declined(numbers: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OPTION, "1000000")
    rows = [[f"1e{3000 - k}"] if numbers == "exponents" else [f"{k}/{2 * k + 1}"] for k in range(1, 3000)]
    Path("t.json").write_text(json.dumps({**TOKENS, "tokens": rows}))
    with pytest.raises(Declined, match=OPTION):
        Tokens.read("t.json")
    data = {**DATA, "sequences": [{"tokens": rows, "label": "a"}]}
    Path("d.json").write_text(json.dumps(data))
    with pytest.raises(Declined, match=OPTION):
        Dataset.read("d.json")
    assert code(["run", "c.jsonl", "d.json"]) == 4
    monkeypatch.setenv(OPTION, "100000000")
    assert len(Tokens.read("t.json")) == len(rows)


def test_compressed_zeros_are_declined(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.savez_compressed("z.npz", tokens=np.zeros((4_000_000, 1)), offsets=np.array([0, 4_000_000]), labels=["a"])
    assert os.path.getsize("z.npz") < 100_000
    assert code(["construct", "z.npz"]) == 4
    np.savez_compressed("small.npz", tokens=np.zeros((4_000, 1)), offsets=np.array([0, 4_000]), labels=["a"])
    assert code(["construct", "small.npz"]) == 0
    monkeypatch.setenv(OPTION, "nonsense")
    assert code(["construct", "small.npz"]) == 3


def test_floats_of_all_sizes_are_declined(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OPTION, "100000")
    np.save("f.npy", np.where(np.arange(4000) % 2, 1e-300, 1e300)[:, None])
    with pytest.raises(Declined, match=OPTION):
        Tokens.read("f.npy")
