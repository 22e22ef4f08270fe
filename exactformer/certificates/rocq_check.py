"""Running coqc on an exported certificate: proved, refuted by the kernel, or not checked at all."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from exactformer.io.json_lines import PathLike
from exactformer.io.process_lock import only_process

PACKAGES = (
    "coq libcoq-mathcomp-ssreflect libcoq-mathcomp-algebra libcoq-mathcomp-algebra-tactics libcoq-bignums"  # Debian 12
)

#: what the kernel says where the checker's answer on the certificate is not `true`
_REFUTED = 'has type "true = true" while it is expected to have type'


@dataclass(frozen=True)
class RocqVerdict:
    """`proved` is None where nothing was checked; `why` says what happened and what to do about it."""

    proved: bool | None
    why: str
    seconds: float = 0.0

    def __bool__(self) -> bool:
        return self.proved is True


def folder() -> Path:
    """The folder of the theories in a checkout; they are not part of an installed package."""
    return Path(__file__).resolve().parents[2] / "proofs_check" / "rocq"


def run_coqc(
    path: PathLike, theories: Path | None = None, tell: Callable[[str], None] = lambda words: None
) -> RocqVerdict:
    """Whether the kernel accepts the `Qed` of an exported file; builds the theories first if need be.

    `tell` is told what is done before every step that may take long.
    """
    coqc, home = shutil.which("coqc"), theories or folder()
    if coqc is None:
        return RocqVerdict(None, f"coqc is not installed; on Debian 12: apt-get install {PACKAGES}")
    if not (home / "_CoqProject").is_file():
        return RocqVerdict(None, f"no theories in {home}; use a checkout of exactformer, or `theories`")
    built = build_theories(home, tell)
    if built is not None:
        return RocqVerdict(None, f"the theories in {home} do not build: {built}")
    tell("coqc checks the proof")
    with tempfile.TemporaryDirectory() as work:
        file = Path(work) / "certified.v"
        shutil.copyfile(path, file)
        start = time.monotonic()
        command = [coqc, "-q", "-R", str(home / "theories"), "Exactformer", str(file)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=work, check=False)
    seconds = time.monotonic() - start
    if done.returncode == 0:
        return RocqVerdict(True, "the kernel accepted the proof", seconds)
    if _REFUTED in " ".join(done.stderr.split()):
        return RocqVerdict(False, "the kernel refused Qed: the checker does not accept this certificate", seconds)
    return RocqVerdict(None, f"coqc could not read the file: {done.stderr.strip()[-400:]}", seconds)


def build_theories(home: Path, tell: Callable[[str], None]) -> str | None:
    """None once every theory is compiled and not older than its source; otherwise what make said."""
    with _lock(home):
        sources = list((home / "theories").glob("*.v"))
        if all(s.with_suffix(".vo").is_file() and _time(s.with_suffix(".vo")) >= _time(s) for s in sources):
            return None
        tell(f"building the theories in {home}, once: this takes some minutes")
        done = subprocess.run(["make", "-C", str(home), "theories"], capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else (done.stderr or done.stdout).strip()[-400:]


def _time(path: Path) -> float:
    return path.stat().st_mtime


@contextmanager
def _lock(home: Path) -> Iterator[None]:
    """One build at a time."""
    (home / "build").mkdir(exist_ok=True)
    with only_process(home / "build" / "lock", wait=3600):
        yield
