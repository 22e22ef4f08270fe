"""A tampered certificate is refused: the checker recomputes everything, so a changed number cannot pass."""

import hashlib
import json
import sys
from pathlib import Path

import exactformer as ef

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
rows = [([[0]], "zero"), ([[1]], "one"), ([[0], [1]], "both")]
data = ef.Dataset.of([ef.Sequence.of(tokens, label=label) for tokens, label in rows])
good = folder / "good.jsonl"
ef.construct(data).certify(good)
print("as written:       ", ef.check(good).verdict)
assert ef.check(good).verdict == "accepted"


def write_with_digest(lines: list[str]) -> Path:
    """A certificate of these lines, with a digest that fits them."""
    body = "".join(line + "\n" for line in lines)
    end = json.dumps({"end": True, "sha256": hashlib.sha256(body.encode()).hexdigest()}, separators=(",", ":"))
    (folder / "bad.jsonl").write_text(body + end + "\n")
    return folder / "bad.jsonl"


lines = good.read_text().splitlines()[:-1]

# 1. A changed byte without a new digest.
(folder / "bad.jsonl").write_text(good.read_text().replace('"one"', '"two"', 1))
verdict = ef.check(folder / "bad.jsonl")
print("a changed label:  ", verdict.verdict, "-", verdict.why)
assert verdict.verdict != "accepted"

# 2. A changed target, with the digest made to fit.
tampered = [line.replace('"targets":[["1"]]', '"targets":[["3"]]') for line in lines]
assert tampered != lines
verdict = ef.check(write_with_digest(tampered))
print("a changed target: ", verdict.verdict, "-", verdict.why)
assert verdict.verdict == "rejected"

# 3. A number that is not in lowest terms: there is one text for a number, so nothing can hide in another.
tampered = [line.replace('"1"', '"2/2"', 1) if '"sequence":1' in line else line for line in lines]
verdict = ef.check(write_with_digest(tampered))
print("a number as 2/2:  ", verdict.verdict, "-", verdict.why)
assert verdict.verdict == "malformed"

# 4. Another person's data: a true certificate about something else is not accepted for them.
(folder / "mine.csv").write_text("sequence,label,x1\na,zero,0\nb,one,1\nc,both,0\nc,both,2\n")
verdict = ef.check(good, data=folder / "mine.csv")
print("other data:       ", verdict.verdict, "-", verdict.why)
assert verdict.verdict == "rejected"
