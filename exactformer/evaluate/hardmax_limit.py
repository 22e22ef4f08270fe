"""The hardmax limit of a trained network: its decisions, and from which inverse temperature on softmax has the same.

With a sharp enough softmax a network decides as it does with hardmax. For every key j that is not the best one, by a
gap g_j of scores, its weight at every inverse temperature beta >= beta_0 is at most exp(-beta_0 g_j), and 0 with
hardmax: weights 1 for the best key, with these errors, enclose all of them at once (mathematics/networks#hardmax). What
is said is about real arithmetic, not about what a device returns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from exactformer.errors import Undecided
from exactformer.evaluate.decisions import FLOAT_LEVELS, LEVELS, decide, read_token
from exactformer.evaluate.domain_decision import CHUNK, Decision, decide_domain
from exactformer.evaluate.float64_midpoints import Float64Midpoints
from exactformer.evaluate.function_tables import EXP_BELOW, EXP_FLOAT64, exp_float64
from exactformer.evaluate.midpoints import M, Seen, Weighted
from exactformer.evaluate.network_radii import EnclosedNetwork
from exactformer.evaluate.outward import Floats, up
from exactformer.evaluate.pair_midpoints import PairMidpoints
from exactformer.io.canonical import canonical
from exactformer.io.json_lines import JsonObject
from exactformer.model.domain import Domain, Integers
from exactformer.model.head_rules import HeadRule
from exactformer.model.network import Network
from exactformer.model.network_blocks import rational_steps

#: beta_0 is looked for among these powers of two
_LEAST_POWER, _MOST_POWER = -6, 34


class ColdNetwork(EnclosedNetwork[M]):
    """A network with hardmax heads, and with softmax at every inverse temperature from that of its rules on."""

    def _hardened(
        self, weights: Weighted[M], t: Floats, moved: Floats, seen: Seen, rules: tuple[HeadRule, ...]
    ) -> tuple[Weighted[M], Floats]:
        """Weight 1 for the best key; another, behind by at least g, has at most exp(-g), and the best lacks the sum."""
        hard, moves = super()._hardened(weights, t, moved, seen, rules)
        first = np.where(seen, t, -np.inf).argmax(-1)[..., None]
        lead = np.take_along_axis(t, first, -1) - t
        room = up(moved + np.take_along_axis(moved, first, -1) + 2.0**-50 * np.abs(lead))
        gap = np.maximum((lead - room) * (1 - 2.0**-40), 0.0)
        errors = np.where(seen, up(exp_float64(-gap) * (1 + 2 * EXP_FLOAT64) + EXP_BELOW), 0.0)
        np.put_along_axis(errors, first, 0.0, -1)
        np.put_along_axis(errors, first, up(errors.sum(-1, keepdims=True)), -1)
        soft = np.array([rule.ties is None for rule in rules])[:, None, None]
        return Weighted(hard.middle, np.where(soft, hard.errors, errors), hard.lack), moves


@dataclass(frozen=True, eq=False)
class AtTemperature:
    """The decisions at one inverse temperature; `as_hardmax` inputs have the class that is proved with hardmax."""

    beta: Fraction
    decision: Decision
    as_hardmax: int

    def json(self) -> JsonObject:
        """The counts."""
        counts = {name: getattr(self.decision, name) for name in ("right", "wrong", "undecided")}
        return {"beta": canonical(self.beta), **counts, "as_hardmax": self.as_hardmax}


@dataclass(frozen=True, eq=False)
class HardmaxLimit:
    """The decisions of a network with hardmax in place of softmax, and per input a beta_0 from which on they hold.

    beta_0 is a power of two: for every inverse temperature from it on the decision is that of hardmax; infinite where
    none was found. `ties` are, per input, 1 where two scores of a head are proved to be equal, 0 where it is proved
    that the largest one is always unique, -1 where neither is proved.
    """

    hardmax: Decision
    beta_0: Floats
    ties: Integers

    @property
    def largest_beta_0(self) -> float | None:
        """The inverse temperature from which on all inputs are decided as with hardmax; None if there are others."""
        most = float(self.beta_0.max())
        return most if np.isfinite(most) else None

    def at(self, network: Network, beta: Fraction) -> AtTemperature:
        """The decisions of the network at an inverse temperature, beside those of its limit."""
        found = decide_domain(network.at_temperature(beta), self.hardmax.domain)
        same = (found.argmax == self.hardmax.argmax) & ~found.is_undecided
        return AtTemperature(beta, found, int(same.sum()))

    def json(self) -> JsonObject:
        """The counts of hardmax, of ties, and how beta_0 is spread."""
        known = np.sort(self.beta_0[np.isfinite(self.beta_0)])
        at = {"median": 0.5, "99%": 0.99, "largest": 1.0}
        quantiles = {name: known[int(np.ceil(q * len(known))) - 1] for name, q in at.items()} if len(known) else {}
        is_exact = self.hardmax.level == LEVELS.index("exact")
        return {
            "right": self.hardmax.right,
            "wrong": self.hardmax.wrong,
            "undecided": self.hardmax.undecided,
            "inputs_with_equal_scores": int((self.ties == 1).sum()),
            "inputs_without_equal_scores": int((self.ties == 0).sum()),
            "inputs_with_equal_logits": int((self.hardmax.is_undecided & is_exact).sum()),
            "beta_0": {
                "found": len(known),
                **{name: canonical(Fraction(float(x))) for name, x in quantiles.items()},
            },
        }


def with_hardmax(network: Network, beta: Fraction = Fraction(1)) -> Network:
    """The network with hardmax in place of softmax, ties shared; beta is what `ColdNetwork` takes as its beta_0."""
    shape = network.architecture
    soft = network.at_temperature(beta).architecture.rules if shape.blocks else None
    rules = None if soft is None else tuple(replace(rule, ties="all") if rule.ties is None else rule for rule in soft)
    causal = shape.causal if rules is None else False
    return Network(replace(shape, rules=rules, causal=causal), network.tensors, read=network.read)


def hardmax_limit(
    network: Network, domain: Domain, *, progress: Callable[[int], object] = lambda done: None
) -> HardmaxLimit:
    """The hardmax limit on every input of a domain; `progress` is told how many inputs are decided or given up."""
    hardmax = decide_domain(with_hardmax(network), domain)
    beta_0 = np.full(hardmax.inputs, np.inf)
    for level in FLOAT_LEVELS:
        for power in range(_LEAST_POWER, _MOST_POWER + 1):
            _settle(network, domain, hardmax, beta_0, level, power)
            progress(int(np.isfinite(beta_0).sum()))
            if np.isfinite(beta_0[~hardmax.is_undecided]).all():
                break
    return HardmaxLimit(hardmax, beta_0, _ties(hardmax))


def _settle(network: Network, domain: Domain, hardmax: Decision, beta_0: Floats, level: str, power: int) -> None:
    """Writes 2^power into beta_0 where, from it on, the decision is proved to be that of hardmax."""
    cold = _cold(with_hardmax(network, Fraction(2) ** power), level)
    for part in domain.parts:
        open_rows = np.flatnonzero(~np.isfinite(beta_0[part.places]) & ~hardmax.is_undecided[part.places])
        for start in range(0, len(open_rows), CHUNK):
            rows = open_rows[start : start + CHUNK]
            ids = part.ids[rows]
            place: int | str = "mean" if network.read == "mean" else 0 if network.read == "first" else ids.shape[1] - 1
            try:
                found = decide(cold, read_token(cold, ids, np.zeros_like(ids), place))[1]
            except Undecided:
                continue
            places = part.places[rows]
            same = found.decided & (found.argmax == hardmax.argmax[places])
            beta_0[places[same]] = 2.0**power


def _cold(network: Network, level: str) -> ColdNetwork[object]:
    make = {"float64": Float64Midpoints, "double-double": PairMidpoints}[level]
    return ColdNetwork(make(network))  # type: ignore[arg-type]


def _ties(hardmax: Decision) -> Integers:
    """Per input: whether two largest scores of a head are equal. Float levels decide only where none are."""
    is_exact = hardmax.level == LEVELS.index("exact")
    found = np.where(hardmax.is_undecided, -1, 0)
    for place in np.flatnonzero(is_exact):
        found[place] = int(_has_ties(hardmax.network, hardmax.ids(int(place))))
    return found


def _has_ties(network: Network, ids: list[int]) -> bool:
    """Whether two largest scores are equal, by exact evaluation; in the last block only the position that is read."""
    shape = network.architecture
    steps = [step for step in rational_steps(network, ids, [0] * len(ids)) if step.follows]
    for k, step in enumerate(steps):
        read_all = k < len(steps) - 1 or network.read == "mean"
        rows = range(len(ids)) if read_all else [0 if network.read == "first" else len(ids) - 1]
        if any(len(step.follows[a][i]) > 1 for a in range(shape.heads) for i in rows):
            return True
    return False
