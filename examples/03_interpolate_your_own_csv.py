"""Interpolate your own CSV exactly: python 03_interpolate_your_own_csv.py data.csv

The file has the columns sequence,label,x1,..,xd, one token per row; numbers are read as the decimals that are written.
"""

import sys
from pathlib import Path

import exactformer as ef

CSV = """\
sequence,label,x1,x2
a,cat,0.1,1.25
a,cat,0.7,-0.5
a,cat,2,0
b,dog,0.1,1.25
b,dog,0.7,-0.5
c,cat,2,0
c,cat,0.1,1.25
"""

path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("pets.csv")
if len(sys.argv) == 1:
    path.write_text(CSV)

data = ef.Dataset.read(path)
built = ef.construct(data)
print(f"{len(data)} sequences in dimension {data.dim}: {built.report.blocks} blocks, width {built.report.width},")
print(f"{built.report.parameters} parameters of at most {built.report.max_bits} bits")

# The certificate holds the weights and the data; the checker shares no code with the builder.
certificate = path.with_suffix(".jsonl")
built.certify(certificate)
verdict = ef.check(certificate, data=path)
print(f"{verdict.verdict}: {verdict.why}")
assert verdict.verdict == "accepted"

# Every sequence lands on the point of its label, exactly.
for j, sequence in enumerate(data):
    outputs = set(built.transformer(sequence.tokens))
    print(f"sequence {j} ({sequence.label}):", *({tuple(map(str, y)) for y in outputs}))
    assert len(outputs) == 1
