"""Random labels in a few numbers, or in a single one: exact, certified, and beyond floating point."""

import random

import exactformer as ef
from exactformer.float_comparison.transformers import crosscheck_transformer

draw = random.Random(3)
points = [[[f"{draw.randrange(1000)}/1000", f"{draw.randrange(1000)}/1000"] for _ in range(4)] for _ in range(48)]
data = ef.Dataset.of([ef.Sequence.of(tokens, label=draw.choice("ab")) for tokens in points])

for groups in (None, 1):
    built = ef.construct(data, method="compact", groups=groups, attention="softmax")
    built.certify("labels.jsonl")
    assert ef.check("labels.jsonl").verdict == "accepted"
    report = built.report
    floats = crosscheck_transformer(built.transformer, data.tokens, data.offsets)
    print(
        f"{len(data)} labels in {report.compact.groups} slope(s): {report.parameters} numbers,"
        f" {report.looped_parameters} with equal blocks stored once, the longest of {report.max_bits} bits"
        f" ({report.weight_bits} in all, information {report.information_bits}); float64 gets {floats.right} right"
    )
