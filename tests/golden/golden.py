"""Answers and files of fixed sessions, kept byte for byte: python tests/golden/golden.py [NAME..] [--record] [--keep DIR]

commands.txt has sessions, each a [name] and its commands, which are run in turn in one folder. answers.json keeps of
every command its exit code and the digests of what it printed and of the files it wrote. A difference names the command
and the part; `--keep DIR` leaves the files and the answers in DIR, so that two versions can be compared with diff.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import operator
import os
import re
import shlex
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
from inputs import write_inputs

HERE = Path(__file__).parent
ANSWERS = HERE / "answers.json"
#: files of other programs, whose bytes are not ours to promise
FOREIGN = {".png", ".pdf", ".svg", ".gif", ".pt2"}
#: how long something took
SECONDS = re.compile(r'"seconds": [0-9.e-]+|"approx_ms": {[^}]*}')
#: the digest of a file that was made with floats
DIGEST = re.compile(r"\b(?=[0-9]*[a-f])[0-9a-f]{32,}\b")
#: a number in a text
NUMBER = re.compile(r"-?\d+/\d+|-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")

Answer = dict[str, object]


def sessions() -> dict[str, list[str]]:
    """name -> the commands of the session."""
    found: dict[str, list[str]] = {}
    for line in (HERE / "commands.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            here = found.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            here.append(line)
    return found


def digest(content: bytes) -> str:
    """The first half of the SHA-256 of a text, but for the seconds that a page says its check took."""
    return hashlib.sha256(re.sub(rb"\([0-9.e-]+ s\)", b"", content)).hexdigest()[:32]


def files(folder: Path) -> dict[str, str]:
    """Every file of a folder by its digest: of NPZ that of its arrays, of other foreign formats only the name."""
    return {
        str(path.relative_to(folder)): digest(arrays(path) if path.suffix == ".npz" else path.read_bytes())
        if path.suffix not in FOREIGN
        else ""
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith("answer-")
    }


def arrays(path: Path) -> bytes:
    """The names, types, shapes and bytes of the arrays of a file."""
    with np.load(path) as loaded:
        return b"".join(
            f"{name} {loaded[name].dtype} {loaded[name].shape}".encode() + loaded[name].tobytes()
            for name in loaded.files
        )


def answer(line: str) -> tuple[int, str]:
    """The exit code and the standard output of one command, run in this process."""
    from exactformer.cli.main import code
    from proofs_check.__main__ import main as proofs_check

    program, *arguments = shlex.split(line.removeprefix("~ "))
    run = {"exactformer": code, "proofs-check": proofs_check}[program]
    out, remarks = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(remarks):
        try:
            status = run(arguments)
        except SystemExit as end:  # how the checker refuses options
            status = int(end.code or 0)
    return status, out.getvalue() or remarks.getvalue() * (status != 0)


def session(lines: list[str], folder: Path) -> dict[str, Answer]:
    """command -> its exit code, what it answers, and the files that it wrote or changed."""
    found: dict[str, Answer] = {}
    os.environ |= {"NO_COLOR": "1", "COLUMNS": "120"}
    write_inputs(folder, "\n".join(lines))
    before = files(folder)
    with contextlib.chdir(folder):
        for number, line in enumerate(lines):
            status, text = answer(line)
            text = SECONDS.sub("", text).replace(str(folder), "FOLDER")
            (folder / f"answer-{number:02}.txt").write_text(f"$ {line}\n{text}", encoding="utf-8")
            after = files(folder)
            wrote = {name: value for name, value in after.items() if before.get(name) != value}
            if line.startswith("~"):
                found[line] = {"exit": status, "answer": text, "files": dict.fromkeys(wrote, "")}
            else:
                found[line] = {"exit": status, "answer": digest(text.encode()), "files": wrote}
            before = after
    return found


def nearly(left: object, right: object) -> bool:
    """Whether two texts have the same words, and numbers that differ by less than a hundredth, as training on other threads does."""
    if not isinstance(left, str) or not isinstance(right, str):
        return left == right
    left, right = DIGEST.sub("digest", left), DIGEST.sub("digest", right)
    if NUMBER.sub("#", left).split() != NUMBER.sub("#", right).split():
        return False
    pairs = zip(*(map(Fraction, NUMBER.findall(text)) for text in (left, right)), strict=True)
    return all(abs(a - b) <= max(abs(a), abs(b)) / 100 + Fraction(1, 10**9) for a, b in pairs)


def differences(kept: dict[str, Answer], found: dict[str, Answer]) -> list[str]:
    """One line for each command that answers otherwise than is kept; floats may differ in their last digits."""
    lines = [f"{line}: no longer in the session" for line in sorted(kept.keys() - found.keys())]
    for line, now in found.items():
        was = kept.get(line)
        if was is None:
            lines.append(f"{line}: new; record it")
            continue
        same = nearly if line.startswith("~") else operator.eq
        lines += [
            f"{line}: another {part}: {was[part]} -> {now[part]}" for part in now if not same(was[part], now[part])
        ]
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these sessions")
    parser.add_argument("--record", action="store_true", help="keep what is answered now")
    parser.add_argument("--keep", type=Path, help="leave files and answers in this new folder")
    options = parser.parse_args()
    kept = json.loads(ANSWERS.read_text("utf-8"))
    wanted = {name: lines for name, lines in sessions().items() if name in (options.names or sessions())}
    told = []
    for name, lines in wanted.items():
        with tempfile.TemporaryDirectory() as folder:
            place = options.keep / name if options.keep else Path(folder)
            place.mkdir(parents=True, exist_ok=place != options.keep)
            start = time.monotonic()
            found = session(lines, place)
        told += differences(kept.get(name, {}), found)
        print(f"{name}: {len(found)} commands, {time.monotonic() - start:.1f} s", file=sys.stderr)
        kept[name] = found
    print("\n".join(told) or "all commands answer as they did")
    if options.record:
        ordered = {name: kept[name] for name in sessions()}
        ANSWERS.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")
    return int(bool(told) and not options.record)


if __name__ == "__main__":
    sys.path.append(str(HERE.parent / "unit"))
    sys.exit(main())
