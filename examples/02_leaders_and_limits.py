"""Leaders and limits: four configurations, proved for all layers, drawn, certified and checked."""

import sys
from pathlib import Path

import exactformer as ef
from exactformer.report.canvas import save
from exactformer.report.gallery import configurations, draw_gallery

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

for name, tokens in configurations().items():
    limit = ef.limit(tokens)
    print(f"{name}: leaders {limit.leaders}, follower sets constant from layer {limit.proved_from_layer} on")
    for i, (point, kind) in enumerate(zip(limit.points, limit.kinds, strict=True)):
        if kind == "projection":
            print(f"  token {i} ends at ({', '.join(map(str, point))}), the projection of the origin onto a face")

# The emerging leader: token 1 leads from layer 1 on only.
orbit = ef.simulate(configurations()["emerging leader"], layers=12)
print("leaders at layer 0:", orbit.leaders_at(0), "- at layer 1:", orbit.leaders_at(1))
assert orbit.leaders_at(1) == (0, 1, 2)

# Any layer, exactly, in closed form.
square = ef.limit(configurations()["square"])
print("token 4 of the square, layer 10: x =", square.at(10)[4][0])
print("bits of its denominator at layer 10000:", square.at(10_000)[4][0].denominator.bit_length())

path = folder / "square.jsonl"
square.certify(path)
verdict = ef.check(path)
print(f"{verdict.verdict}: {verdict.why}")
assert verdict.verdict == "accepted"

save(draw_gallery(), folder / "configurations.png")
print("wrote", folder / "configurations.png")
