"""What an arithmetic of midpoints must offer: the steps of a network on numbers M, each with a bound of its rounding.

M is an array of float64 numbers or a pair of them (double-double). The radii of `network_radii` hold for every such
arithmetic: they are fed the bounds that its steps return. Arrays have the axes (input, token, coordinate) or, inside
attention, (input, head, token, coordinate).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from flint import arb, ctx, fmpq
from numpy.typing import NDArray

from exactformer.evaluate.double_double import Pair, of_ball
from exactformer.evaluate.network_norms import NetworkNorms
from exactformer.evaluate.outward import Floats
from exactformer.model.network import Network

M = TypeVar("M")
Ids = NDArray[np.int64]
Seen = NDArray[np.bool_]


@dataclass(frozen=True)
class Normalised(Generic[M]):
    """z near c / s(c), s(c) = sqrt(|c|^2 / d + epsilon), for the computed c near x minus its mean.

    `centring` bounds |c - (x - mean)|, `rounding` bounds |z - c / s(c)|, `deviation` is at most s(c).
    """

    middle: M
    deviation: Floats
    centring: Floats
    rounding: float


@dataclass(frozen=True)
class Weighted(Generic[M]):
    """Softmax weights near those of the computed scores: each errs by `errors`, their sum differs from 1 by `lack`."""

    middle: M
    errors: Floats
    lack: float


class Midpoints(ABC, Generic[M]):
    """The steps of one network in one arithmetic; every bound is a Euclidean norm per token unless said otherwise."""

    #: what answers call it
    level: str

    def __init__(self, network: Network) -> None:
        self.network, self.norms = network, network.remembered(NetworkNorms)
        self._factors: dict[int, Pair] = {}

    @abstractmethod
    def each(self, x: M, function: Callable[[Floats], Floats]) -> M:
        """The function, which moves entries but changes none, on every part of x."""

    @abstractmethod
    def float64(self, x: M) -> Floats:
        """x to a relative 2^-53 per entry."""

    @abstractmethod
    def exactly(self, x: Floats) -> M:
        """These float64 numbers."""

    @abstractmethod
    def descending(self, x: M) -> Ids:
        """The order of the last axis, from the largest to the least."""

    @abstractmethod
    def difference(self, x: M, y: M) -> tuple[Floats, float]:
        """x - y in float64 and a number s: each entry errs by 2^-51 of itself and by s(|x| + |y|), entrywise."""

    @abstractmethod
    def total(self, rows: Sequence[Floats]) -> tuple[M, Floats]:
        """The sum of up to three arrays of float32 numbers."""

    @abstractmethod
    def linear(self, x: M, name: str, bias: str) -> tuple[M, Floats]:
        """W x + b for the matrix and the bias of these names."""

    @abstractmethod
    def logits(self, x: M) -> tuple[M, Floats]:
        """The head on x, and the rounding of every logit."""

    @abstractmethod
    def added(self, x: M, y: M) -> tuple[M, Floats]:
        """x + y."""

    @abstractmethod
    def normalised(self, x: M) -> Normalised[M]:
        """LayerNorm without gain and bias."""

    @abstractmethod
    def scaled(self, z: M, gain: Floats, bias: Floats) -> tuple[M, float]:
        """gain z + bias for |z| <= sqrt(d) (1 + 2^-30)."""

    @abstractmethod
    def activated(self, u: M) -> tuple[M, Floats]:
        """The activation of every coordinate."""

    @abstractmethod
    def scores(self, q: M, k: M, factors: Pair, seen: Seen) -> tuple[M, Floats]:
        """<q_i, k_j> times a factor per head, less the largest of the row among seen j, and every entry's error.

        Both are 0 where j is not seen.
        """

    @abstractmethod
    def softmax(self, t: M, seen: Seen) -> Weighted[M]:
        """The weights of scores t <= 0 among seen j; 0 elsewhere."""

    @abstractmethod
    def where(self, mask: Seen, x: M, y: M) -> M:
        """x where the mask holds, else y."""

    @abstractmethod
    def mixed(self, p: M, v: M) -> tuple[M, Floats]:
        """sum_j p_ij v_j of every head, and the rounding per head and token."""

    @abstractmethod
    def mean(self, x: M) -> tuple[M, Floats]:
        """The mean over the tokens, an axis that is kept with length 1."""

    def factors(self, k: int) -> Pair:
        """beta / sqrt(d_k) of every head of block k, to a relative u^2."""
        if k not in self._factors:
            rules, width = self.network.architecture.head_rules(k), self.network.architecture.head_dim
            with ctx.workprec(200):
                betas = [arb(fmpq(rule.beta.numerator, rule.beta.denominator)) for rule in rules]
                pairs = np.array([of_ball(beta / arb(width).sqrt()) for beta in betas])
            self._factors[k] = pairs[:, 0, None, None], pairs[:, 1, None, None]
        return self._factors[k]

    def array(self, name: str) -> Any:
        """The tensor of that name in float64."""
        return self.network.tensors[name].astype(np.float64)
