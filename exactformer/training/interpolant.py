"""The exact interpolant Theta* behind a guarantee: the smallest found, of the trained shape where there is one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from exactformer.constructions.pipeline import construct
from exactformer.constructions.targets import LabelTargets, Targets
from exactformer.errors import NoConstruction
from exactformer.io.json_lines import PathLike
from exactformer.model.attention import SelfAttention
from exactformer.model.dataset import Dataset
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Zero
from exactformer.model.norms import Enclosure, norm2
from exactformer.model.transformer import Block, Transformer
from exactformer.training.repair import Repaired, repair


@dataclass(frozen=True)
class Interpolant:
    """An exact interpolant, how it was found, and whether it is of the shape that is trained."""

    transformer: Transformer
    norm2: Enclosure
    method: str
    certify: Callable[[PathLike], object] = field(repr=False)
    same_shape: bool = False


def best_interpolant(candidates: Sequence[Interpolant]) -> Interpolant:
    """The smallest of the trained shape; where there is none, the smallest of all."""
    return min(candidates, key=lambda c: (not c.same_shape, c.norm2.high))


def pooling_interpolants(
    data: Dataset,
    targets: Targets,
    trained: Sequence[Transformer],
    *,
    label_targets: LabelTargets | None,
    blocks: int,
    seed: int,
) -> list[Interpolant]:
    """Networks of mean pooling that fit exactly: `shallow` balanced, and the trained ones repaired in both ways.

    A repair that keeps the shape is filled up to so many blocks with identities, each of squared norm 2. Raises
    NoConstruction where no network of mean pooling interpolates the data.
    """
    built = construct(data, balance=True, attention="softmax", label_targets=label_targets)
    found = [Interpolant(built.transformer, built.report.norm2, "shallow, balanced", built.certify)]
    given = None
    if data.label_texts is not None:
        given = {label: targets.state(j).rows()[0] for j, label in enumerate(data.label_texts)}
    for network in trained:
        if norm2(network).low >= best_interpolant(found).norm2.high:  # new units only add to the norm
            continue
        try:
            repaired = repair(network, data, label_targets=given, seed=seed)
            found.append(_of_repaired(repaired, "trained and repaired", same_shape=False))
            kept = repair(network, data, label_targets=given, keep_shape=True)
        except NoConstruction:
            continue
        filled = replace(kept, transformer=with_blocks(kept.transformer, blocks, network.width))
        found.append(_of_repaired(filled, "trained, V or W corrected", same_shape=True))
    return found


def _of_repaired(repaired: Repaired, method: str, *, same_shape: bool) -> Interpolant:
    return Interpolant(repaired.transformer, norm2(repaired.transformer), method, repaired.certify, same_shape)


def with_blocks(network: Transformer, blocks: int, width: int) -> Transformer:
    """The network followed by identities with rho = eta = 1, up to so many pairs of attention and feed-forward layer.

    >>> from exactformer.model.norms import norm2
    >>> norm2(with_blocks(Transformer(2, [Block(), Block()]), 3, 4)).json()
    '4'
    """
    attention = SelfAttention(1, Zero(), Zero(), Zero())
    layer = FeedForward(1, Zero(), [0] * width, Zero())
    identity = [Block(None, attention), Block(layer)]
    return Transformer(network.dim, [*network.blocks, *(identity * (blocks - 1))])


def softmax_interpolants(data: Dataset, label_targets: LabelTargets | None) -> Iterator[Interpolant]:
    """Networks of softmax attention at inverse temperature 1 that fit exactly, for any number of targets."""
    for method in ("leaders", "temperature"):
        try:
            built = construct(
                data, method=method, balance=True, attention="softmax", beta=1, label_targets=label_targets
            )
        except NoConstruction:
            continue
        yield Interpolant(built.transformer, built.report.norm2, f"{method}, balanced", built.certify)
