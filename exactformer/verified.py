"""The door to the checker that is extracted from Rocq: `--with verified` of `exactformer check` and `report`.

The program `proofs-check-verified` (proofs_check/verified) is native code and no part of the wheel; it is found on the
path, or where `make verified` builds it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import asdict
from pathlib import Path

from exactformer.checking import Limits, Verdict
from exactformer.errors import Declined, InvalidInput
from exactformer.io.json_lines import PathLike

PROGRAM = "proofs-check-verified"
#: where `make verified` builds it, in a checkout
_BUILT = Path(__file__).resolve().parents[1] / "proofs_check" / "verified" / "build" / PROGRAM
_INSTALL = (
    f"{PROGRAM} is not installed, nothing was checked: in a checkout of exactformer, `make verified` builds it and "
    "`make -C proofs_check/verified install` puts it on the path (proofs_check/verified/README.md names the packages)"
)

_NO_SCRIPT = (
    f"{PROGRAM}.js is not built, no page can carry it: install js_of_ocaml (on Debian 12 the package js-of-ocaml), "
    "then `make verified` in a checkout of exactformer (proofs_check/verified/README.md)"
)


def program() -> str | None:
    """The path of the program, if it is installed or built here."""
    return shutil.which(PROGRAM) or (str(_BUILT) if os.access(_BUILT, os.X_OK) else None)


def script() -> str:
    """The same checker as JavaScript for a page: it defines proofsCheckVerified(text).

    Raises Declined where it is not built.
    """
    path = program()
    beside = [] if path is None else [Path(path), Path(path).parents[1] / "lib" / PROGRAM]
    for place in beside:
        if (found := place.with_name(f"{PROGRAM}.js")).exists():
            return found.read_text(encoding="utf-8")
    raise Declined(_INSTALL if path is None else _NO_SCRIPT)


def check_verified(certificate: PathLike, limits: Limits | None = None) -> Verdict:
    """The verdict of the checker proved correct; a claim that it does not know is declined.

    Raises Declined where the program is not installed.
    """
    path = program()
    if path is None:
        raise Declined(_INSTALL)
    options = [word for name, value in asdict(limits or Limits()).items() for word in (f"--max-{name}", str(value))]
    done = subprocess.run(
        [path, "--json", os.fspath(certificate), *options], capture_output=True, text=True, check=False
    )
    if done.returncode == 2:
        raise InvalidInput(done.stderr.splitlines()[0])
    if done.returncode not in (0, 1, 3, 4):
        raise RuntimeError(f"{PROGRAM} ended with exit code {done.returncode}: {done.stderr.strip()[:400]}")
    found = json.loads(done.stdout)
    return Verdict(found["verdict"], found["claim"], found["where"], f"{PROGRAM}: {found['why']}")
