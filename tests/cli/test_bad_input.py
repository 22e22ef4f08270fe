"""Wrong and hostile input on the command line: the right exit code, one clear message, and no file left behind."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactformer.cli.main import code

TOKENS = {"exactformer": "tokens", "version": [1, 0], "tokens": [["2", "0"], ["0", "1"], ["1/2", "1/2"]]}
DATA = {
    "exactformer": "dataset",
    "version": [1, 0],
    "sequences": [{"tokens": [["0"], ["1"]], "label": "a"}, {"tokens": [["1"]], "label": "b"}],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with tokens.json and data.json in it."""
    monkeypatch.chdir(tmp_path)
    write("tokens.json", TOKENS)
    write("data.json", DATA)
    return tmp_path


def write(name: str, content: Any) -> str:
    Path(name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return name


WRITERS = [
    ["simulate", "tokens.json", "--layers", "2"],
    ["limit", "tokens.json"],
    ["construct", "data.json"],
    ["sample", "generic", "--seed", "1"],
]


@pytest.mark.parametrize("command", WRITERS, ids=lambda c: c[0])
def test_files_respect_the_umask(command: list[str], folder: Path) -> None:
    before = os.umask(0o027)
    try:
        assert code([*command, "-o", "out"]) == 0
    finally:
        os.umask(before)
    assert (folder / "out").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("command", WRITERS, ids=lambda c: c[0])
@pytest.mark.parametrize("output", ["missing/out", "data.json/out", "x" * 300])
def test_a_place_that_cannot_be_written(
    command: list[str], output: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code([*command, "-o", output]) == 3
    out, err = capsys.readouterr()
    assert f"cannot write {output}" in err
    assert "/" not in output or not out, "said before any work is done"
    assert sorted(os.listdir()) == ["data.json", "tokens.json"]


@pytest.mark.parametrize("command", WRITERS, ids=lambda c: c[0])
def test_a_directory_is_no_output_file(command: list[str], folder: Path) -> None:
    (folder / "here").mkdir()
    assert code([*command, "-o", "here"]) == 2
    assert sorted(os.listdir()) == ["data.json", "here", "tokens.json"]


def test_links_and_devices_are_written_through(folder: Path) -> None:
    (folder / "link").symlink_to("real")
    (folder / "null").symlink_to(os.devnull)
    assert code(["limit", "tokens.json", "-o", "link"]) == 0
    assert code(["limit", "tokens.json", "-o", "null"]) == 0
    assert (folder / "link").is_symlink()
    assert (folder / "real").is_file()
    assert Path(os.devnull).is_char_device()


HUGE = "7" * 15_000


@pytest.mark.parametrize("command", [["simulate", "--layers", "2"], ["limit", "--at", "3"], ["crosscheck"]])
def test_numbers_of_any_length_are_shown(
    command: list[str], folder: Path, capfd: pytest.CaptureFixture[str], recwarn: pytest.WarningsRecorder
) -> None:
    long = write("long.json", {**TOKENS, "tokens": [[HUGE, "1/" + HUGE], ["-" + HUGE, "3"], ["0", "1"]]})
    assert code([command[0], long, *command[1:]]) in (0, 1)
    out, err = capfd.readouterr()
    assert "Warning" not in err
    assert not recwarn.list
    assert HUGE not in out


def test_long_integers_need_no_quotes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    long = write("long.json", json.dumps({**TOKENS, "tokens": [["N"]]}).replace('"N"', HUGE))
    assert code(["limit", long, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["limits"] == [[HUGE]]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"alpha": "-" + HUGE}, "alpha > 0, got ~-7.7777778e+14999"),
        ({"A": [["-" + HUGE, "0"], ["0", "1"]]}, "positive definite"),
        ({"A": None}, "leave A out"),
        ({"alpha": "sqrt(2)"}, "expected a rational number"),
    ],
)
def test_bad_token_files(change: dict[str, Any], said: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write("bad.json", {**TOKENS, **change})
    for command in (["simulate", path, "--layers", "1"], ["limit", path]):
        assert code(command) == 3
        out, err = capsys.readouterr()
        assert said in err
        assert not out


@pytest.mark.parametrize("matrix", ["2", "nowhere.json", "", '{"a": 1}'])
def test_a_matrix_that_is_none(matrix: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["limit", "tokens.json", "--A", matrix]) == 3
    assert "--A: expected rows such as [[2,1],[1,1]]" in capsys.readouterr().err


@pytest.mark.parametrize("first", ["nan,1", "pi,1", "NA,2", "inf,inf", "x,1", "sqrt(2)*pi,1"])
def test_no_row_of_values_is_taken_for_a_header(first: str, folder: Path) -> None:
    assert code(["simulate", write("t.csv", f"{first}\n1,2\n"), "--layers", "0"]) == 3


@pytest.mark.parametrize(
    "text", ["x,y\n1,2\n3,4\n", '\ufeff"x (cm)",_y\r\n"1",2\r\n\r\n3,4\r\n', "1,2\n   \n3,4\n", "1,2\n,\n3,4"]
)
def test_headers_and_blank_lines_are_skipped(text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["simulate", write("t.csv", text), "--layers", "0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["layers"][0]["tokens"] == [["1", "2"], ["3", "4"]]


def test_a_label_that_is_no_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = json.dumps(DATA).replace('"b"', '"\\ud800"')
    assert code(["construct", write("bad.json", content), "-o", "out"]) == 3
    assert "sequence 1, label" in capsys.readouterr().err
    assert not Path("out").exists()


@pytest.mark.parametrize("text", ["5\n", "[" * 50_000, "null", '{"claim": "limit"}', ""])
@pytest.mark.parametrize(
    "command", [["check", "junk", "--data", "t.csv"], ["crosscheck", "junk"], ["run", "junk", "data.json"]]
)
def test_junk_is_malformed(command: list[str], text: str, folder: Path) -> None:
    write("junk", text)
    write("t.csv", "sequence,label,x\na,b,1\n")
    assert code(command) == 3


def test_run_with_positions(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sequences = [{"tokens": [["1"], ["2"]], "label": "up"}, {"tokens": [["2"], ["1"]], "label": "down"}]
    path = write("order.json", {**DATA, "sequences": sequences})
    assert code(["construct", path, "--positions", "-o", "cert"]) == 0
    assert code(["run", "cert", path]) == 3
    assert "runs with --positions" in capsys.readouterr().err
    assert code(["run", "cert", path, "--positions", "--json"]) == 0
    assert [s["label"] for s in json.loads(capsys.readouterr().out)["sequences"]] == ["up", "down"]


def test_no_answer_before_a_file_that_cannot_be(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["simulate", "tokens.json", "--layers", "1", "--graph", "g.xyz"]) == 3
    assert not capsys.readouterr().out


def archive() -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer, tokens=np.arange(3.0)[:, None], offsets=np.array([0, 2, 3]), labels=np.array(["a", "b"])
    )
    return buffer.getvalue()


def test_broken_archives_are_malformed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = archive()
    flipped = bytearray(whole)
    flipped[70] ^= 255
    for content in (b"", b"PK\x03\x04" + bytes(99), whole[: len(whole) // 2], bytes(flipped), bytes(range(256))):
        for name, command in (("x.npz", ["construct", "x.npz"]), ("x.npy", ["limit", "x.npy"])):
            (folder / name).write_bytes(content)
            assert code(command) == 3
            assert f"{name}: expected" in capsys.readouterr().err


def test_an_archive_is_no_array_and_an_array_no_archive(folder: Path) -> None:
    (folder / "x.npy").write_bytes(archive())
    assert code(["limit", "x.npy"]) == 3
    np.save(folder / "y.npy", np.ones((2, 2)))
    (folder / "y.npy").rename(folder / "y.npz")
    assert code(["construct", "y.npz"]) == 3


def test_a_data_set_as_spreadsheets_write_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = '\ufeffSequence,Label,x1\r\n"a, b","ca,t",1\r\n\r\n  \r\n,,\r\nb,dög,2\r\n'
    assert code(["construct", write("d.csv", text), "-o", "cert"]) == 0
    assert code(["check", "cert", "--data", "d.csv"]) == 0
    assert code(["construct", write("d.csv", text + "c,cat\r\n")]) == 3
    assert "line 7" in capsys.readouterr().err
