"""A conjecture of one's own: judged on exact instances, refuted, shrunk, certified and checked.

The conjecture itself is the file my_conjecture.py beside this one; `exactformer hunt my_conjecture.py` does the same.
"""

import sys
from pathlib import Path

import exactformer as ef

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

report = ef.hunt(str(Path(__file__).with_name("my_conjecture.py")), budget=3000, seed=0)
print(report)

finding = report.counterexample
assert finding is not None
print("found with", len(finding.found), "tokens, shrunk to")
for i, row in enumerate(finding.small.state.rows()):
    print(f"  z_{i} = ({', '.join(map(str, row))})")
print("witness:", dict(finding.verdict.witness))

certificate, tokens, _ = finding.write(folder / "mine")
print("the facts, checked independently:", ef.check(certificate, data=tokens).verdict)

# Statements of the catalogue are judged in the same way.
print(ef.hunt("lemma-2", budget=200))
