"""Fast exact evaluation against the dense float64 forward pass of NumPy and against Fractions by definition.

A two-block transformer with parallel rows: both feed-forward layers of the given width, mean pooling between.
All figures are ratios of times measured in this one run; images are handed over a few thousand tokens at a time.
"""

from __future__ import annotations

import argparse
import random
import time
import tracemalloc
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.state import State
from exactformer.evaluate.floats import ApproxTransformer, Backend, pad, padded_chunks
from exactformer.model.attention import SelfAttention
from exactformer.model.batch import Batch
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Dense, Outer, Scalar, Zero
from exactformer.model.transformer import Block, Transformer


def rational(rng: random.Random) -> Fraction:
    """A small random rational."""
    return Fraction(rng.randint(-20, 20), rng.choice((1, 2, 3, 4)))


def layer(width: int, dim: int, rng: random.Random) -> FeedForward:
    """A feed-forward layer with parallel rows, stored with rank one."""
    U = Outer([rational(rng) or 1 for _ in range(width)], [rng.randint(1, 9) for _ in range(dim)])
    W = Dense([[rational(rng) for _ in range(width)] for _ in range(dim)])
    return FeedForward(1, U, [rational(rng) for _ in range(width)], W)


def instance(args: argparse.Namespace) -> tuple[Transformer, State, np.ndarray]:
    """The transformer and its random tokens (two decimals)."""
    rng = random.Random(args.seed)
    pooling = SelfAttention(1, Scalar(Fraction(1, 2)), Zero(), Zero())
    blocks = [Block(layer(args.width, args.dim, rng), pooling), Block(layer(args.width, args.dim, rng), pooling)]
    numbers = np.random.default_rng(args.seed).integers(-999, 1000, size=(args.sequences * args.length, args.dim))
    return Transformer(args.dim, blocks), State(numbers, 100), np.arange(args.sequences + 1) * args.length


def exact_seconds(transformer: Transformer, tokens: State, offsets: np.ndarray) -> float:
    """Seconds of the fast exact evaluation, its compilation included."""
    fresh = Transformer(transformer.dim, transformer.blocks)
    start = time.perf_counter()
    for _ in fresh.evaluate_parts(Batch.of(tokens, offsets)):
        pass
    return time.perf_counter() - start


def memory_ratio(args: argparse.Namespace, *, collect: bool) -> float:
    """Traced peak of an evaluation beyond the loaded input, over that input; `collect` keeps all images at once."""
    tracemalloc.start()
    transformer, tokens, offsets = instance(args)
    loaded = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    batch = Batch.of(tokens, offsets)
    if collect:
        transformer.evaluate(batch)
    else:
        for _ in transformer.evaluate_parts(batch):
            pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return (peak - loaded) / loaded


def float_seconds(transformer: Transformer, tokens: State, offsets: np.ndarray) -> float:
    """Seconds of the dense float64 forward pass on the same tokens, batched to fit memory."""
    backend = Backend.of("numpy", "float64")
    floats = ApproxTransformer(transformer, backend)
    batches = [pad(part, o, backend) for _, part, o in padded_chunks(tokens, offsets)]
    start = time.perf_counter()
    for x, mask in batches:
        floats(x, mask)
    return time.perf_counter() - start


def fraction_seconds(transformer: Transformer, tokens: State, length: int, sequences: int) -> float:
    """Seconds by definition with Fractions, extrapolated from one sequence."""
    rows = tokens.take(slice(0, length)).rows()
    start = time.perf_counter()
    transformer.by_definition(rows)
    return (time.perf_counter() - start) * sequences


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("sequences", 10_000), ("length", 20), ("dim", 8), ("width", 10_000), ("seed", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    args = parser.parse_args()
    transformer, tokens, offsets = instance(args)
    exact = exact_seconds(transformer, tokens, offsets)
    floats = float_seconds(transformer, tokens, offsets)
    fractions = fraction_seconds(transformer, tokens, args.length, args.sequences)
    print(
        f"evaluate: {args.sequences} sequences of {args.length} tokens, d = {args.dim}, width {args.width}, two blocks"
    )
    print(f"  exact / NumPy float64 dense           {exact / floats:8.2f}   ({exact:.2f} s / {floats:.2f} s)")
    print(f"  Fractions by definition / exact       {fractions / exact:8.0f}   (extrapolated from one sequence)")
    parts, kept = (memory_ratio(args, collect=collect) for collect in (False, True))
    print(f"  peak memory beyond the input / input  {parts:8.2f}   (aim 3; images part by part)")
    print(f"  the same, all images kept             {kept:8.2f}   (aim 3)")


if __name__ == "__main__":
    main()
