"""What is said of files with one part changed: python tests/golden/edits.py --record

Of every file of a session each part, down to the numbers, is left out or given another value in turn, and the command
that reads the file answers. edits.json keeps the exit code and a digest of the words.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
if __name__ == "__main__":
    sys.path[:0] = [str(HERE.parent / "unit"), str(HERE)]

from golden import answer, digest  # noqa: E402
from inputs import write_inputs  # noqa: E402

KEPT = HERE / "edits.json"
#: name -> (the commands that write the file, the file, the commands that read it)
CASES: dict[str, tuple[list[str], str, list[str]]] = {
    "tokens": (["exactformer sample generic-metric -n 3 -d 2 --seed 1 -o f.json"], "f.json", ["limit {}"]),
    "data": (["exactformer sample random-targets -n 2 -d 2 --seed 1 -o f.json"], "f.json", ["construct {}"]),
    "labelled": (["exactformer sample random-classes -n 3 -d 2 --seed 1 -o f.json"], "f.json", ["construct {} --json"]),
    "transformer": (
        ["exactformer construct pets.csv -o f.jsonl"],
        "f.jsonl",
        ["run {} new.csv", "check {}", "export-rocq {} -o f.v"],
    ),
    "hard leaders": (
        [
            "exactformer sample nested -n 2 -d 1 --seed 1 -o d.json",
            "exactformer construct d.json --method leaders -o f.jsonl",
        ],
        "f.jsonl",
        ["check {}"],
    ),
    "softmax": (
        [
            "exactformer sample nested -n 2 -d 1 --seed 1 -o d.json",
            "exactformer construct d.json --method leaders --attention softmax -o f.jsonl",
        ],
        "f.jsonl",
        ["check {}"],
    ),
    "no transformer": (
        ["exactformer construct twins.csv -o f.jsonl"],
        "f.jsonl",
        ["check {}", "report {} -o f.html"],
    ),
    "limit": (
        ["exactformer limit square.json -o f.jsonl"],
        "f.jsonl",
        ["check {}", "export-rocq {} -o f.v", "report {} -o f.html"],
    ),
    "orbit": (
        ["exactformer simulate square.json --layers 2 -o f.jsonl"],
        "f.jsonl",
        ["check {}", "report {} -o f.html"],
    ),
    "counterexample": (
        ["exactformer hunt leader-duplicates --seed 1 -o f"],
        "f.jsonl",
        ["check {}", "report {} -o f.html"],
    ),
    "instance": (
        ["exactformer hunt frank-wolfe-negative --seed 1 -o f"],
        "f.json",
        ["hunt frank-wolfe-negative --instance {}"],
    ),
    "instance of a mean field": (
        ["exactformer hunt meanfield-complex-pair --seed 1 -o f"],
        "f.json",
        ["hunt meanfield-complex-pair --instance {}"],
    ),
    "instance of a program": (
        ["exactformer hunt program-side-is-irrelevant --seed 1 -o f"],
        "f.json",
        ["hunt program-side-is-irrelevant --instance {}"],
    ),
    "system": (["exactformer meanfield sample metastable -o f.json"], "f.json", ["meanfield limit {}"]),
    "limit of a mean field": (
        ["exactformer meanfield sample metastable -o s.json", "exactformer meanfield limit s.json -o f.jsonl"],
        "f.jsonl",
        ["check {}", "report {} -o f.html"],
    ),
    "order": (["exactformer delay order series.csv -o f.jsonl"], "f.jsonl", ["check {}", "report {} -o f.html"]),
    "window": (["exactformer delay window --cos 4/5 -o f.jsonl"], "f.jsonl", ["check {}", "report {} -o f.html"]),
    "decision": (
        ['exactformer sentiment explain "A wonderful film" -o f.jsonl'],
        "f.jsonl",
        ["check {}", "report {} -o f.html"],
    ),
    "recogniser": ([], "first.jsonl", ["language prove {} 1.*", "language attend {} 101"]),
    "recognition": (
        ["exactformer language compile (ab)* -o f.jsonl"],
        "f.jsonl",
        ["check {}", "report {} -o f.html", "export-rocq {} -o f.v", "language extract {}"],
    ),
    "no recogniser": (
        ["exactformer language compile (aa)* -o f.jsonl"],
        "f.jsonl",
        ["check {}", "report {} -o f.html", "export-rocq {} -o f.v"],
    ),
    "automaton": ([], "even.json", ["language compile {}"]),
    "network": ([], "none.json", ["run {} ids.csv"]),
    "decided": (
        ["exactformer decide none.json --domain labelled.csv -o f.jsonl"],
        "f.jsonl",
        ["check {}", "report {} -o f.html"],
    ),
    "description of tracr": ([], "length.json", ["language tracr length.npz"]),
    "runs of tracr": ([], "length.runs.json", ["language tracr length.npz"]),
    "points of labels": ([], "points.json", ["construct pets.csv --label-targets {}"]),
}
LEFT_OUT = object()
Place = tuple[str | int, ...]


def places(value: object, here: Place = ()) -> Iterator[Place]:
    """The place of every part of a value; of lists only the first and the last entry."""
    yield here
    if isinstance(value, dict):
        for key, part in value.items():
            yield from places(part, (*here, key))
    elif isinstance(value, list):
        for k in sorted({0, len(value) - 1}) if value else ():
            yield from places(value[k], (*here, k))


def others(value: object) -> list[object]:
    """What stands there instead."""
    if isinstance(value, bool):
        return [LEFT_OUT, not value, None]
    if isinstance(value, int):
        return [LEFT_OUT, value + 1, -1, str(value), None]
    if isinstance(value, str):
        return [LEFT_OUT, value + "1", "1/0", None]
    if isinstance(value, list):
        return [LEFT_OUT, [*value, *value[-1:]], [], {}]
    if isinstance(value, dict):
        return [LEFT_OUT, {**value, "more": 1}, {}, []]
    return [LEFT_OUT, 0]


def changed(whole: object, place: Place, new: object) -> object:
    """A copy with a part that is left out or another."""
    copied = [copy.deepcopy(whole)]
    inner, last = copied, 0
    for key in place:
        inner, last = inner[last], key  # type: ignore[assignment,index]
    if new is LEFT_OUT:
        del inner[last]
    else:
        inner[last] = new
    return copied[0] if copied else None


def edits(text: str) -> Iterator[tuple[str, str]]:
    """(name, text) of the file with one part changed; of lines that look alike only the first."""
    lines = [json.loads(line) for line in text.splitlines()] if "\n{" in text.strip() else [json.loads(text)]
    seen = set()
    for number, line in enumerate(lines):
        kind = json.dumps(sorted(line) if isinstance(line, dict) else len(line))
        if kind in seen:
            continue
        seen.add(kind)
        for place in places(line):
            part = line
            for key in place:
                part = part[key]
            for k, new in enumerate(others(part)):
                after = [*lines[:number], changed(line, place, new), *lines[number + 1 :]]
                name = f"{number}.{'.'.join(map(str, place))}:{k}"
                kept = [json.dumps(one, separators=(",", ":")) + "\n" for one in after if one is not None]
                yield name, sealed(kept) if isinstance(lines[-1], dict) and "sha256" in lines[-1] else "".join(kept)


def sealed(lines: list[str]) -> str:
    """A certificate whose end line, if it has one, has the digest of what stands above it."""
    above = "".join(lines[:-1])
    if '"sha256"' not in lines[-1]:
        return above + lines[-1]
    end = {**json.loads(lines[-1]), "sha256": hashlib.sha256(above.encode()).hexdigest()}
    return above + json.dumps(end, separators=(",", ":")) + "\n"


def answers(name: str, folder: Path) -> dict[str, str]:
    """edit and command -> exit code and digest of the words."""
    before, file, commands = CASES[name]
    os.environ |= {"NO_COLOR": "1", "COLUMNS": "120"}
    write_inputs(folder, "\n".join([*before, file, *commands]))
    found = {}
    with contextlib.chdir(folder):
        for line in before:
            answer(line)
        path = Path(file)
        text = path.read_text("utf-8")
        for edit, new in edits(text):
            path.write_text(new, encoding="utf-8")
            for command in commands:
                status, words = answer("exactformer " + command.format(file))
                said = words.replace(str(folder), "FOLDER").encode()
                found[f"{edit} {command.split()[0]}"] = f"{status} {digest(said)[:8]}"
    return found


def record() -> dict[str, dict[str, str]]:
    """case -> its answers."""
    found = {}
    for name in CASES:
        with tempfile.TemporaryDirectory() as folder:
            found[name] = answers(name, Path(folder))
    return found


if __name__ == "__main__" and "--record" in sys.argv:
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(facts)}" for name, facts in record().items())
    KEPT.write_text(f"{{\n{lines}\n}}\n", "utf-8")
