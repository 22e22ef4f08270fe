"""What docs/trust.md and the READMEs say of the three checkers is what the programs do, and how long they are."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from checker_kit import CORPUS, Lines, opened
from test_three_checkers import NODE, ROOT, told
from trusted_lines import counts, size

from exactformer.verified import program
from proofs_check import check

TRUST = (ROOT / "docs" / "trust.md").read_text()
README = (ROOT / "proofs_check" / "verified" / "README.md").read_text()
STATED = [
    line.strip("| ").split(" | ") for line in TRUST.split("## Three checkers")[1].splitlines() if "| yes |" in line
]
#: powers of 666,668 bits, which the verified checker would write out
TOO_LONG = "accept/stages_distant_leader.jsonl"

#: row of the table -> yes or no, of Python, JavaScript and the verified checker
TABLE = {row[0]: tuple(word.strip() for word in row[1:4]) for row in STATED}
#: statements that limits decide
OF_LIMITS = (
    *("every-token-tends-to-a-leader", "leaders-are-initial-vertices", "boundary-with-zero"),
    *("leaders-grow-with-alpha", "leaders-shrink-with-alpha"),
)


def of(*claims: str) -> Callable[[Lines], bool]:
    return lambda lines: lines[0]["claim"] in claims


def bounded(lines: Lines) -> bool:
    """An interpolation up to a temperature, or with a margin."""
    return lines[0].get("beta", [0, None])[1] is not None or "margin" in lines[1]


def sees_the_past(lines: Lines) -> bool:
    """A recogniser without features and end mark, with the verdict at the last position and plain heads."""
    ends = next(line for line in lines if "features" in line)
    parts = [line["self_attention"] for line in lines if line.get("self_attention")]
    heads = [head for part in parts for head in part["heads"]]
    plain = all(head["mask"] in ("before", "upto") and head["ties"] in ("first", "last") for head in heads)
    return plain and not ends["features"] and ends["end"] is None and ends["at"] == "last"


#: row of the table -> the certificates that it is about; the first that fits counts
ROWS: dict[str, Callable[[Lines], bool]] = {
    "`interpolation` up to a temperature, or with a margin": lambda x: of("interpolation")(x) and bounded(x),
    "`interpolation`, softmax at every inverse temperature from one on": lambda x: (
        of("interpolation")(x) and "beta" in x[0]
    ),
    "`interpolation`, hardmax, or softmax with uniform attention": of("interpolation"),
    "`infeasible`": of("infeasible"),
    "`limit` in stages": lambda x: of("limit")(x) and "stages" in x[0],
    "`limit`, version [1,0]; `orbit`": of("limit", "orbit"),
    "`vertex`, `separation`, `projection`": of("vertex", "separation", "projection"),
    "`recognition`, heads that see the past with unique ties, no features": lambda x: (
        of("recognition")(x) and sees_the_past(x)
    ),
    "`recognition`, all other recognisers": of("recognition"),
    "`no-recogniser`": of("no-recogniser"),
    "`counterexample` of statements about tokens that limits decide": lambda x: x[0].get("statement") in OF_LIMITS,
    "`counterexample` of statements about tokens that the first layers decide": lambda x: (
        of("counterexample")(x) and {"tokens", "layers"} <= x[0].keys() and x[0]["statement"] != "frank-wolfe-negative"
    ),
    "`argmax`, `enclosure`, `decision`": of("argmax", "enclosure", "decision"),
    "all others": lambda _: True,
}


def row_of(path: Path) -> str:
    lines = opened(path.read_bytes())
    return next(row for row, fits in ROWS.items() if fits(lines))


@pytest.mark.skipif(program() is None or NODE is None, reason="the verified checker or node is not here")
def test_the_table_says_what_the_programs_know() -> None:
    """On every good certificate of the corpus: each is accepted where the table says yes, and unknown where it says no."""
    entries = json.loads((CORPUS / "index.json").read_text())
    good = [e for e in entries if e["verdict"] == "accepted" and not {"data", "weights", "options"} & set(e)]
    paths = [CORPUS / entry["file"] for entry in good if entry["file"] != TOO_LONG]
    rows = [row_of(path) for path in paths]
    assert set(rows) == set(ROWS) == set(TABLE)
    programs = ([str(NODE), str(ROOT / "proofs_check/js/check.js")], [str(program())])
    said = [[check(str(path)).verdict for path in paths], *(told(command, paths) for command in programs)]
    answer = {"yes": "accepted", "no": "unknown"}
    for path, row, verdicts in zip(paths, rows, zip(*said, strict=True), strict=True):
        assert verdicts == tuple(answer[word] for word in TABLE[row]), (path.name, row)


def test_every_theorem_named_is_one() -> None:
    theories = (ROOT / "proofs_check" / "rocq" / "theories" / "Verified.v").read_text()
    named = set(re.findall(r"`(verify_\w+)`", TRUST + README))
    assert named == set(re.findall(r"^Theorem (\w+)", theories, re.MULTILINE))


def about(stated: str, counted: int) -> bool:
    """Whether a number of lines in a text is right, to one part in twenty."""
    return abs(int(stated.replace(",", "")) - counted) <= counted / 20


def test_the_lines_that_you_trust_are_counted() -> None:
    """`python tests/checker/trusted_lines.py` prints the numbers."""
    [row] = [line for line in TRUST.splitlines() if line.startswith("| lines that you trust")]
    stated = dict(
        zip(("Python", "JavaScript", "OCaml", "maps", "Rocq"), re.findall(r"(?<!\()\b\d[\d,]*", row), strict=True)
    )
    counted = counts()
    assert {what: stated[what] for what, lines in counted.items() if not about(stated[what], lines)} == {}
    assert counted.keys() >= stated.keys() - ({"Rocq"} if shutil.which("coqc") is None else set())
    if "Rocq" in counted:
        [rocq] = re.findall(r"([\d,]+) lines in all", README)
        assert about(rocq, counted["Rocq"])
    files = re.findall(r"`([\w/]+\.(?:ml|js))` \((\d+)", README)
    assert len(files) == 7
    assert [file for file, lines in files if not about(lines, size(ROOT / "proofs_check/verified" / file))] == []
    [script] = re.findall(r"some ([\d,]+) lines", (ROOT / "proofs_check/js/README.md").read_text())
    assert about(script, counted["JavaScript"])
