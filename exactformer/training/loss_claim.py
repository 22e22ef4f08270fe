"""The certificate of claim `loss`: E + eps|Theta|^2 of a softmax transformer is below, or above, a bound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain

from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.state import State
from exactformer.certificates.envelope import write_certificate
from exactformer.certificates.interpolation import TargetsOf, sequence_lines
from exactformer.io.json_lines import JsonLine, PathLike
from exactformer.model.temperatures import SoftmaxProof
from exactformer.model.transformer import Transformer
from exactformer.model.transformer_files import block_line


def write_loss(
    path: PathLike,
    *,
    transformer: Transformer,
    tokens: State,
    offsets: Array,
    targets: TargetsOf,
    labels: Sequence[str] | None,
    softmax: SoftmaxProof,
    eps: Fraction,
    side: str,
    bound: Fraction,
) -> None:
    """Writes the claim that E + eps|Theta|^2 is on one side (below, above) of the bound, at the temperatures given."""
    header = {
        "attention": "softmax",
        "beta": softmax.temperatures.json(),
        "bits": softmax.bits,
        "eps": eps,
        side: bound,
        "dim": transformer.dim,
        "blocks": len(transformer),
        "sequences": len(offsets) - 1,
    }
    blocks: Iterator[JsonLine] = (block_line(k, block) for k, block in enumerate(transformer))
    lines = chain(blocks, sequence_lines(tokens, offsets, targets, labels))
    write_certificate(path, "loss", header, lines)
