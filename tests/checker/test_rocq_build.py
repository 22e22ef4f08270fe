"""The build of the Rocq theories refuses gaps and says what to install."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROCQ = Path(__file__).resolve().parents[2] / "proofs_check" / "rocq"


pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["make", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The sources alone, without anything built."""
    return Path(
        shutil.copytree(ROCQ, tmp_path / "rocq", ignore=shutil.ignore_patterns("build", "*.vo*", "Makefile.coq*"))
    )


def test_without_coqc_it_says_what_to_install(copy: Path) -> None:
    done = make(copy, "COQC=no-such-coqc")
    assert done.returncode != 0
    assert "not checked" in done.stderr
    assert "apt-get install" in done.stderr


@pytest.mark.parametrize("gap", ["Lemma gap : False. Admitted.", "Axiom gap : False.", "Parameter gap : False."])
def test_a_gap_stops_the_build(copy: Path, gap: str) -> None:
    assert make(copy, "proved").returncode == 0
    with open(copy / "theories" / "Dynamics.v", "a") as file:
        file.write(gap + "\n")
    done = make(copy, "proved")
    assert done.returncode != 0
    assert "unproved" in done.stderr


def test_every_theory_is_built_and_every_main_theorem_listed() -> None:
    project = (ROCQ / "_CoqProject").read_text()
    theories = {f"theories/{path.name}" for path in (ROCQ / "theories").glob("*.v")}
    assert theories == set(re.findall(r"theories/\w+\.v", project))
    listed = [line.split(": ") for line in (ROCQ / "assumptions.txt").read_text().splitlines()]
    asked = re.findall(r"^Print Assumptions (\w+)\.$", (ROCQ / "Assumptions.v").read_text(), re.MULTILINE)
    assert asked == [name for name, _ in listed]
    names = ["check_bigZ_sound", "check_limit_bigZ_sound", "check_bigZ_softmax_sound"]
    machine = dict.fromkeys(names, "Uint63 PrimInt63")
    assert {name: rests for name, rests in listed if rests != "closed"} == machine
    stated = " ".join(path.read_text() for path in (ROCQ / "theories").glob("*.v"))
    named = set(re.findall(r"^(?:Theorem|Corollary) (\w+)", stated, re.MULTILINE))
    assert named <= set(asked)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")
def test_a_clean_build_passes(copy: Path) -> None:
    done = make(copy)
    assert done.returncode == 0, done.stderr
    assert "shallow: closed" in done.stdout
