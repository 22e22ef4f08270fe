"""Softmax attention, exactly: one set of weights for every temperature, and one layer at one temperature.

Three sequences share their tokens. The first transformer is exact for every inverse temperature beta >= 1 and for
hardmax; the second, of two blocks, for beta = 2/3 alone, and tells multiplicities apart.
"""

import tempfile
from fractions import Fraction
from pathlib import Path

import exactformer as ef
from exactformer.errors import NoConstruction
from exactformer.evaluate.balls import BallTransformer

TOKENS = {"a": [0, 0], "b": ["1/2", 1], "c": [2, "-1/3"]}
DATA = ef.Dataset.of(
    [
        ef.Sequence.of([TOKENS[name] for name in names], label=label)
        for names, label in (("ab", "x"), ("bc", "y"), ("abc", "z"))
    ]
)

built = ef.construct(DATA, method="leaders", attention="softmax", beta=1)
print(
    f"{built.report.blocks} blocks, the theorem has {built.report.paper_bound}; exact at {built.softmax.temperatures}"
)
for beta in (Fraction(1), Fraction(10), Fraction(1000)):
    enclosures = BallTransformer(built.transformer, beta, 256).enclose(DATA[2].tokens)
    low, high = enclosures[0][0]
    print(f"  beta = {beta}: the first coordinate is 2 up to {float(high - low):.0e}: {low <= 2 <= high}")
print(f"  hardmax: {built.transformer(DATA[2].tokens).rows()[0]}")

twins = ef.Dataset.of(
    [ef.Sequence.of([[0, 0], [1, 1]], label="once"), ef.Sequence.of([[0, 0], [1, 1], [1, 1]], label="twice")]
)
try:
    ef.construct(twins, method="leaders", attention="softmax")
except NoConstruction as refusal:
    print(f"leaders: {refusal.reasons[0].why}")
at = ef.construct(twins, method="temperature", beta="2/3")
print(f"temperature: {at.report.blocks} blocks, exact at {at.softmax.temperatures}")

with tempfile.TemporaryDirectory() as folder:
    for name, construction in (("leaders", built), ("temperature", at)):
        path = Path(folder) / f"{name}.jsonl"
        construction.certify(path)
        print(f"{name}: {ef.check(path).verdict}")
