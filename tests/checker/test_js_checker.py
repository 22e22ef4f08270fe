"""The second checker (proofs_check/js, JavaScript) against definitions, mutants and the corpus.

What is true is decided here by the definition in FORMAT.md, evaluated token by token in Fractions.
"""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import subprocess
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from random_transformers import certificate, disagreements, mutants, random_lines, sealed, write

ROOT = Path(__file__).resolve().parents[2]
CHECKER = ROOT / "proofs_check" / "js" / "check.js"
CORPUS = ROOT / "proofs_check" / "corpus"
NODE = shutil.which("node")
EXIT = {"accepted": 0, "rejected": 1, "malformed": 3, "declined": 4}

pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed: the JavaScript checker is not tested")


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(NODE), str(CHECKER), *map(str, arguments)], capture_output=True, text=True, timeout=300)


def verdicts(paths: Iterable[Path], *options: str) -> list[str]:
    """The verdict on each file, from one process."""
    paths = list(paths)
    done = run("--json", *options, *paths)
    found = [json.loads(line)["verdict"] for line in done.stdout.splitlines()]
    assert len(found) == len(paths), done.stderr
    assert done.returncode == max(EXIT[verdict] for verdict in found)
    return found


def worked_example() -> bytes:
    text = (ROOT / "proofs_check" / "FORMAT.md").read_text()
    section = text[text.index("### A worked example") :].splitlines()
    return "".join(line.strip() + "\n" for line in [line for line in section if line.startswith("    {")][:7]).encode()


def test_worked_example(tmp_path: Path) -> None:
    [path] = write(tmp_path, [worked_example()])
    done = run(path, "--json")
    answer = json.loads(done.stdout)
    assert done.returncode == 0
    assert [answer[key] for key in ("verdict", "claim", "where")] == ["accepted", "interpolation", None]
    subject = b"".join(worked_example().splitlines(keepends=True)[3:-1])
    assert answer["subject_sha256"] == hashlib.sha256(subject).hexdigest()
    assert run(path).stdout.startswith("accepted: interpolation: ")


def test_random_transformers_agree_with_the_definition(tmp_path: Path) -> None:
    rng = random.Random(2041)
    assert set(verdicts(write(tmp_path, [certificate(random_lines(rng)) for _ in range(200)]))) == {"accepted"}


def test_mutants_are_accepted_only_if_true(tmp_path: Path) -> None:
    cases = list(mutants(random.Random(90125), 600))
    found = verdicts(write(tmp_path, [certificate(lines) for lines, _ in cases]))
    assert not disagreements(cases, found)
    assert min(found.count(verdict) for verdict in ("accepted", "rejected", "malformed")) > 40


def body() -> bytes:
    return worked_example()[: worked_example().rindex(b"\n", 0, -1) + 1]


def edits() -> dict[str, bytes]:
    """The cases of cases.txt: the worked example with one replacement and a correct digest."""
    cases = {}
    for case in CHECKER.with_name("cases.txt").read_text("utf-8").splitlines()[2:]:
        old, new = case.split(" | ", 1)[1].split(" => ")
        assert old.encode() in body(), case
        cases[case] = sealed(body().replace(old.encode(), new.encode(), 1))
    return cases


def bytewise() -> dict[str, bytes]:
    """Cases about the bytes of a file, labels and limits."""
    end, small = worked_example()[len(body()) :], body()[: body().index(b'"dim"')]
    lines = body().splitlines()
    scored = (
        b"\n".join(lines[:5]).replace(b'"sequences":3', b'"sequences":2').replace(b'{"zero":true}', b'[["1"]]') + b"\n"
    )
    labels = b"\n".join(lines[:3] + [line[:-1] + b',"label":"L%d"}' % k for k, line in enumerate(lines[3:])]) + b"\n"
    small += b'"dim":1,"blocks":0,"sequences":2}\n'
    small += b'{"sequence":0,"tokens":[["1/2"],["0"]],"targets":[["0"],["1/2"]],"label":"a"}\n'
    small += b'{"sequence":1,"tokens":[["0"],["1/2"]],"targets":[["1/2"],["0"]],"label":"a"}\n'
    return {
        "accepted | labels": sealed(labels),
        "accepted | odd labels": sealed(labels.replace(b"L0", b"").replace(b"L1", b'\\u0000\\"\\ud83d\\ude00')),
        "accepted | another end line": body() + b'{ "sha256":%s, "end":true}\n' % end[21:-2],
        "accepted | no block": sealed(small),
        "rejected | no block": sealed(small.replace(b'"0"', b'"1"', 1)),
        "accepted | scores of single tokens": sealed(scored),
        "rejected | softmax with scores": sealed(scored.replace(b"hardmax", b"softmax")),
        "rejected | one label, two target sets": sealed(labels.replace(b"L1", b"L0")),
        "rejected | two labels, one target set": sealed(small.replace(b'"a"', b'"b"', 1)),
        "malformed | empty file": b"",
        "malformed | one LF": b"\n",
        "malformed | no end line": body(),
        "malformed | no last LF": worked_example()[:-1],
        "malformed | a line after the end": worked_example() + b"{}\n",
        "malformed | an LF after the end": worked_example() + b"\n",
        "malformed | a byte after the end": worked_example() + b" ",
        "malformed | CR LF": sealed(body().replace(b"\n", b"\r\n")),
        "malformed | BOM": sealed(b"\xef\xbb\xbf" + body()),
        "malformed | digest": body() + end.replace(b'"e', b'"f'),
        "malformed | digest in capitals": body() + end.replace(b"e0b4", b"E0B4"),
        "malformed | end false": body() + end.replace(b"true", b"false"),
        "malformed | a key of the end line": body() + end.replace(b"true", b'true,"more":0'),
        "malformed | label no string": sealed(labels.replace(b'"L0"', b"3")),
        "malformed | UTF-8 in a label": sealed(labels.replace(b"L0", b"\xc3\xa4")),
        "malformed | DEL in a label": sealed(labels.replace(b"L0", b"\x7f")),
        "malformed | escape in a label": sealed(labels.replace(b"L0", b"\\x41")),
        "malformed | lone surrogate": sealed(labels.replace(b"L0", b"\\ud83d")),
        "malformed | deep nesting": sealed(body().replace(b'"0"', b"[" * 100000, 1)),
        "declined | digits": sealed(body().replace(b'[["0"]]', b'[["1%s"]]' % (b"0" * 4000), 1)),
    }


def test_verdicts_by_hand(tmp_path: Path) -> None:
    cases = edits() | bytewise()
    found = verdicts(write(tmp_path, cases.values()))
    assert [(case, got) for case, got in zip(cases, found, strict=True) if case.split(" | ")[0] != got] == []


@pytest.mark.parametrize(
    "option", ["--max-bytes 300", "--max-line 100", "--max-digits 3", "--max-bits 1", "--max-operations 50"]
)
def test_limits_decline(tmp_path: Path, option: str) -> None:
    [path] = write(tmp_path, [worked_example()])
    done = run(path, *option.split())
    assert (done.returncode, option.split()[0] in done.stdout) == (4, True)


def test_growth_is_declined_not_endured(tmp_path: Path) -> None:
    """Two hundred blocks that scale by 4000 digits each."""
    scale = {"rho": "7" * 4000, "V": {"zero": True}, "Q": {"zero": True}, "K": {"zero": True}}
    header = {"exactformer": "certificate", "version": [1, 0], "claim": "interpolation", "attention": "softmax"}
    blocks = [{"block": index, "feed_forward": None, "self_attention": scale} for index in range(200)]
    sequence = {"sequence": 0, "tokens": [["1"]], "targets": [["1"]]}
    [path] = write(tmp_path, [certificate([header | {"dim": 1, "blocks": 200, "sequences": 1}, *blocks, sequence])])
    done = run(path)
    assert (done.returncode, "--max-bits" in done.stdout) == (4, True)


def test_usage(tmp_path: Path) -> None:
    [path] = write(tmp_path, [worked_example()])
    for arguments in ([], ["--json"], [path, "--colour"], [tmp_path], [tmp_path / "absent"], [path, "--max-bits", "x"]):
        assert run(*arguments).returncode == 2, arguments


def test_many_parallel_units(tmp_path: Path) -> None:
    """3000 sequences through 20,000 units with one direction take seconds, not 60 million products."""
    rng = random.Random(77)
    knots = sorted({Fraction(rng.randrange(10**6), rng.randrange(1, 50)) for _ in range(20000)})
    values = [Fraction(rng.randrange(100)) for _ in knots]
    slopes = [(y - x) / (t - s) for x, y, s, t in zip(values, values[1:], knots, knots[1:], strict=False)]
    weights = [slope - before for slope, before in zip(slopes, [Fraction(0), *slopes], strict=False)]
    hidden = {"eta": "0", "U": {"outer": [["1"] * len(weights), ["1", "-1"]]}, "b": [str(-s) for s in knots[:-1]]}
    hidden["W"] = {"outer": [["1", "2"], [str(w) for w in weights]]}
    chosen = [rng.randrange(len(knots)) for _ in range(3000)]
    lines: list[Any] = [{"exactformer": "certificate", "version": [1, 0], "claim": "interpolation"}]
    lines[0] |= {"attention": "softmax", "dim": 2, "blocks": 1, "sequences": len(chosen)}
    lines.append({"block": 0, "feed_forward": hidden, "self_attention": None})
    for index, k in enumerate(chosen):
        target = values[k] - values[0]
        lines.append(
            {"sequence": index, "tokens": [[str(knots[k] + 1), "1"]], "targets": [[str(target), str(2 * target)]]}
        )
    lie = [*lines[:-1], lines[-1] | {"targets": [["1/3", "2/3"]]}]
    assert verdicts(write(tmp_path, [certificate(lines), certificate(lie)])) == ["accepted", "rejected"]


def test_corpus() -> None:
    """The verdict of the index on every file it decides; a file about another claim is never accepted."""
    index = [entry for entry in json.loads((CORPUS / "index.json").read_text()) if "data" not in entry]
    for options in sorted({given(entry) for entry in index}):
        chosen = [entry for entry in index if given(entry) == options]
        found = verdicts([CORPUS / entry["file"] for entry in chosen], *options)
        pairs = list(zip(chosen, found, strict=True))
        assert [(entry, got) for entry, got in pairs if not allowed(entry, got)] == []


def given(entry: dict[str, Any]) -> tuple[str, ...]:
    """The options of an entry."""
    weights = ["--weights", str(CORPUS / entry["weights"])] if "weights" in entry else []
    return (*weights, *entry.get("options", ()))


def allowed(entry: dict[str, Any], verdict: str) -> bool:
    """Limits may differ between checkers, and this one declines other claims before it reads them."""
    if entry["claim"] not in (None, "interpolation", "decision", "argmax", "enclosure", "recognition", "no-recogniser"):
        return verdict in ("declined", "malformed")
    return verdict == entry["verdict"] or entry["reason"].startswith("limit:")


def test_no_dependencies_and_short() -> None:
    sources = [path.read_text() for path in sorted(CHECKER.parent.glob("*.js"))]
    assert max(text.count("\n") for text in sources) < 300
    required = {part.split("'")[0] for text in sources for part in text.split("require('")[1:]}
    assert required == {
        "node:fs",
        "node:crypto",
        "./budget.js",
        "./fractions.js",
        "./reader.js",
        "./transformer.js",
        "./decision.js",
        "./boxes.js",
        "./network.js",
        "./network_claims.js",
        "./network_functions.js",
        "./network_weights.js",
        "./recogniser.js",
        "./closure.js",
        "./recognition.js",
    }
