"""The existence theorem's construction, stage by stage: separate, select leaders, collapse, interpolate."""

import sys
from itertools import groupby
from pathlib import Path

import exactformer as ef

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
rows = [
    ([[0, 0], [1, 2], [3, 1]], [[5, 0], [0, 5]]),
    ([[0, 0], [1, 2], [2, 2]], [[-3, 1]]),
    ([[3, 1], [2, 2]], [[5, 0], [-3, 1]]),
]
data = ef.Dataset.of([ef.Sequence.of(tokens, targets=targets) for tokens, targets in rows])
built = ef.construct(data, method="paper")

print(f"{built.report.blocks} blocks (bound of the theorem: {built.report.paper_bound}), width {built.report.width}")
for stage, blocks in groupby(enumerate(built.stages), key=lambda item: item[1]):
    numbers = [k for k, _ in blocks]
    print(f"  {stage}: block {numbers[0]}" + (f" to {numbers[-1]}" if len(numbers) > 1 else ""))

# What each stage does to the first sequence; a stage that moves nothing of it is left out.
print("sequence 0 on its way:")
for k, step in enumerate(built.trace([0])[0].blocks):
    if step.moved:
        points = ", ".join(f"({', '.join(map(str, p))})" for p in dict.fromkeys(step.after))
        print(
            f"  after block {k} ({step.stage}): {points}" if len(points) < 200 else f"  after block {k} ({step.stage})"
        )

outputs = set(built.transformer(data[0].tokens))
assert outputs == set(data.targets_of(0).rows())
ef.plot(built, "blocks", path=folder / "stages.png", title="the paper's construction")
built.certify(folder / "paper.jsonl")
print(ef.check(folder / "paper.jsonl").verdict)

# The same data with fewer blocks.
for method in ("leaders", "deep", "shallow"):
    print(f"method {method}: {ef.construct(data, method=method).report.blocks} blocks")
