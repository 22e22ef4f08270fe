"""Float against exact: the same tokens, the same formula, another limit."""

import sys
from pathlib import Path

import exactformer as ef
from exactformer.float_comparison.dynamics import crosscheck_dynamics

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

instances = {
    "three tokens": ef.Tokens([["7/5", "1/5"], [1, 1], [0, 0]]),
    "four tokens": ef.Tokens([["7/3", "1/3"], ["-1/3", "7/3"], [2, "8/3"], ["-3/2", -2]], alpha="1/2"),
    "tilted square": ef.Tokens([["-1/5", "7/5"], ["-7/5", "-1/5"], ["1/5", "-7/5"], ["7/5", "1/5"], ["3/10", "4/10"]]),
}
for name, tokens in instances.items():
    check = crosscheck_dynamics(tokens, layers=40)
    print(name)
    print("  leaders: exact", check.leaders_exact, "float64", check.leaders_float)
    print("  clusters: exact", check.clusters_exact, "float64", check.clusters_float)
    if check.first_difference is not None:
        print(f"  the first wrong follower set is that of token {check.tokens[0]} at layer {check.first_difference}:")
        print(f"  exact {check.follows_exact[0]}, float64 {check.follows_float[0]}")

ef.plot(instances["three tokens"], "float", layers=40, path=folder / "float.png", title="three tokens")
print("wrote", folder / "float.png")

# What exactness costs: the integers grow by a bit or so a layer.
orbit = ef.simulate(instances["four tokens"], layers=40)
print("bits of the exact state at layer 40:", orbit.final.reduced().bits)
