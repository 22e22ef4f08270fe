"""The README's commands run as they stand, and print what it shows."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def sessions() -> list[list[tuple[str, str]]]:
    """The console blocks, each a list of (command, output shown)."""
    blocks = re.findall(r"```console\n(.*?)```", TEXT, flags=re.DOTALL)
    return [re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", block, flags=re.MULTILINE) for block in blocks]


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def test_there_are_four_sessions() -> None:
    assert len(sessions()) == 4


@pytest.mark.parametrize("session", sessions(), ids=["certify", "validate", "refute", "languages"])
def test_session(session: list[tuple[str, str]], tmp_path: Path) -> None:
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    for command, shown in session:
        program, *arguments = shlex.split(command)
        if program == "cat":
            (tmp_path / arguments[0]).write_text(shown, encoding="utf-8")
            continue
        assert program in ("exactformer", "proofs-check"), command
        done = subprocess.run([program, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode in (0, 1), f"{command}\n{done.stderr}"
        assert lines(done.stdout) == lines(shown), command


def test_links_and_pictures_exist() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", TEXT)
    assert [target for target in targets if "://" not in target and not (ROOT / target).exists()] == []


def test_the_two_commands_are_make_targets() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make (\S+)", TEXT, flags=re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE)
