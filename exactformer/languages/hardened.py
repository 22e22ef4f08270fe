"""The hardmax version of a trained network as a recogniser: what the network tends to as its attention sharpens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from exactformer.errors import InvalidInput
from exactformer.languages.recogniser import Periodic, Recogniser
from exactformer.model.head_rules import HeadRule
from exactformer.model.heads import Head, MultiHeadAttention, MultiHeadBlock
from exactformer.model.network import Network
from exactformer.model.network_blocks import multi_head_blocks


def hardmax_network(network: Network) -> Network:
    """The network with hardmax, every tie, in place of softmax in every head.

    InvalidInput where it would not be rational: an activation other than ReLU, or LayerNorm.
    """
    shape = network.architecture
    rules = tuple(HeadRule(rule.mask, "all") for k in range(shape.blocks) for rule in shape.head_rules(k))
    hard = Network(replace(shape, rules=rules or None, causal=False), network.tensors, read=network.read)
    if not hard.architecture.is_rational:
        raise InvalidInput(
            f"expected a network with relu and no LayerNorm, got {shape.activation} with norm {shape.norm}; "
            "train one with `norm` none and `activation` relu"
        )
    return hard


def hardmax_recogniser(network: Network, letters: Sequence[str], *, begin: int | None = None) -> Recogniser:
    """The recogniser of the hardmax version, whose class 1 accepts; letters have the ids 0, 1, ..

    `begin` is the id of a begin mark. Positions are a feature with as many values as the network has positions: up to
    that length the recogniser is the hardmax network, and beyond it they repeat.
    """
    hard, tensors = hardmax_network(network), network.tensors
    shape = network.architecture
    if shape.classes != 2 or network.head is None or network.read not in ("first", "last"):
        raise InvalidInput("expected a network with two classes that is read at its first or last position")
    if shape.types or shape.embedding is not None:
        raise InvalidInput("expected a network without types of tokens and without factorised tables")
    if len(letters) > shape.vocabulary or (begin is not None and not 0 <= begin < shape.vocabulary):
        raise InvalidInput(f"expected letters and a begin mark among {shape.vocabulary} ids")
    rows = [[*map(_exact, row), Fraction(1)] for row in tensors["token"]]
    W, bias = network.head
    return Recogniser(
        letters,
        rows[: len(letters)],
        [_looking_back(block) for block in multi_head_blocks(hard)],
        [*(_exact(a) - _exact(b) for a, b in zip(W[1], W[0], strict=True)), _exact(bias[1]) - _exact(bias[0])],
        at="first" if network.read == "first" else "last",
        begin=None if begin is None else rows[begin],
        features=[
            Periodic(c, [_exact(x) for x in column]) for c, column in enumerate(tensors["position"].T) if column.any()
        ],
    )


def _looking_back(block: MultiHeadBlock) -> MultiHeadBlock:
    """The block, whose last head adds a constant: it may as well be the mean over what was read, not over everything.

    A head that looks back needs no guess in a proof for all lengths.
    """
    attention = block.self_attention
    if attention is None:
        return block
    *others, last = attention.heads
    return MultiHeadBlock(
        block.feed_forward,
        MultiHeadAttention(attention.rho, [*others, Head(last.V, last.Q, last.K, "upto", "last")]),
    )


def _exact(number: float) -> Fraction:
    return Fraction(float(number))
