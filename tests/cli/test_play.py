"""`exactformer play`: one line with the address, served until it is interrupted."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from exactformer.cli.main import code

TOKENS = '{"exactformer": "tokens", "version": [1, 0], "tokens": [["1", "0"], ["1", "1"], ["0", "3"]]}'


def test_prints_the_address_and_serves(tmp_path: Path) -> None:
    (tmp_path / "tokens.json").write_text(TOKENS)
    arguments = [sys.executable, "-m", "exactformer", "play", str(tmp_path / "tokens.json"), "--no-browser"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().rstrip("\n")
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{20,}/", address)
        page = urllib.request.urlopen(address).read().decode()
        assert '"start": {"exactformer": "tokens"' in page
        question = urllib.request.Request(f"{address}api/limit", TOKENS.encode(), method="POST")
        assert json.loads(urllib.request.urlopen(question).read())["leaders"] == [0, 2]
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert process.stdout.read() == ""
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()
    assert list(tmp_path.iterdir()) == [tmp_path / "tokens.json"]  # nothing on disk


def test_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert code(["play", "--no-browser", "--port", str(taken.getsockname()[1])]) == 3
    assert "choose another" in capsys.readouterr().err
    (tmp_path / "bad.json").write_text("{")
    assert code(["play", str(tmp_path / "bad.json"), "--no-browser"]) == 3
    (tmp_path / "root.json").write_text(TOKENS.replace('"3"', '"sqrt(3)"'))
    assert code(["play", str(tmp_path / "root.json"), "--no-browser"]) == 3
    assert "expected rational numbers" in capsys.readouterr().err
    rows = ", ".join('["1"]' for _ in range(501))
    (tmp_path / "many.json").write_text(f'{{"exactformer": "tokens", "version": [1, 0], "tokens": [{rows}]}}')
    assert code(["play", str(tmp_path / "many.json"), "--no-browser"]) == 3
    assert "at most 500 tokens" in capsys.readouterr().err
    (tmp_path / "long.json").write_text(TOKENS.replace('"3"', f'"{"3" * 4001}"'))
    assert code(["play", str(tmp_path / "long.json"), "--no-browser"]) == 3
    (tmp_path / "form.json").write_text(TOKENS.replace('"tokens": [', '"A": [["1", "2"], ["2", "1"]], "tokens": ['))
    assert code(["play", str(tmp_path / "form.json"), "--no-browser"]) == 3
    assert "the leading 2-by-2 minor is -3" in capsys.readouterr().err
    assert code(["play", "--port", "70000"]) == 2
