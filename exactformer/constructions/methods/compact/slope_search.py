"""One slope for many labels, proposed by lattice reduction: floats and heuristics, nothing of it trusted.

Wanted is an integer mu for which theta + mu*g_j is close to +-centre_j modulo 2 for all j, theta being free (or 0):
a point of the lattice spanned by (mu: g_1, .., g_b), (theta: 1, .., 1) and 2e_1, .., 2e_b near a given one, every
coordinate measured by its own tolerance. LLL reduces it, and Babai's nearest planes are tried on many aims at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from exactformer.constructions.methods.compact.arcs import Aim

Floats = NDArray[np.float32]

#: aims tried at once, and how far they are moved at random, in tolerances
_TRIES, _MOVED = 2048, 0.5
#: proposals of a batch that are followed up
_FOLLOWED = 64
#: planes taken together, for the sake of the matrix product behind them
_PLANES = 8
#: bits of the lattice behind those of mu
_PRECISION = 14
#: steps of theta around the circle, and what its weight in the lattice is divided by: any value is as good as any
_STEPS, _WEIGHT = 64, 512
#: no transformation wanted, delta and eta of a first reduction: the second, finer one then takes half the time
_COARSE = (False, 0.8, 0.85)
#: the least room for theta worth a search for the cut that realises it
LEAST_ROOM = 1 / 1024


@dataclass(frozen=True)
class Search:
    """The keys g_j = keys[j]/denominator with their aims; mu is wanted in [centre - half, centre + half]."""

    keys: Sequence[int]
    denominator: int
    aims: Sequence[Aim]
    centre: int
    half: int
    free: bool


class Proposal(NamedTuple):
    """mu, and a theta (modulo 2) with which it may work."""

    mu: int
    theta: float


def propose_slopes(search: Search, bits: int, batches: int, rng: np.random.Generator) -> Iterator[list[Proposal]]:
    """Batches of proposals, all different, of each those with most room for theta; `bits` is the length of mu."""
    basis, circle = _Basis.of(search, bits), _Circle.of(search)
    seen: set[int] = set()
    for _ in range(batches):
        with np.errstate(all="ignore"):  # what is no basis in floats proposes nothing
            chosen, low, high = circle.tried(basis, rng)
            room = high - low if search.free else np.minimum(-low, high)
            good = np.flatnonzero((room > LEAST_ROOM) & (np.abs(basis.weights @ chosen) < 1))
        followed = good[np.argsort(-room[good], kind="stable")][:_FOLLOWED]
        new: dict[int, Proposal] = {}
        for k in followed:
            proposal = basis.proposal(chosen[:, k], search, float(low[k] + high[k]) / 2)
            if proposal.mu not in seen:
                new.setdefault(proposal.mu, proposal)
        seen.update(new)
        yield list(new.values())


@dataclass(frozen=True)
class _Circle:
    """Centres and tolerances of the aims, and the phases with mu in the middle of its range, as columns of floats."""

    centres: Floats
    tolerances: Floats
    two_sided: NDArray[np.bool_]
    start: Floats

    @classmethod
    def of(cls, search: Search) -> _Circle:
        """The aims of a search."""
        double = 2 * search.denominator
        start = [search.centre * g % double / search.denominator for g in search.keys]
        columns = ([float(aim.centre) for aim in search.aims], [float(aim.tolerance) for aim in search.aims], start)
        centres, tolerances, phases = (np.array(column, dtype=np.float32)[:, None] for column in columns)
        return cls(centres, tolerances, np.array([[aim.two_sided] for aim in search.aims]), phases)

    def tried(self, basis: _Basis, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
        """Coefficients of lattice points near moved aims, and for each the room (low, high) for theta."""
        shape = (len(self.start), _TRIES)
        centres = self.centres
        if self.two_sided.any():
            mirrored = self.two_sided & (rng.random(shape, dtype=np.float32) < 0.5)
            centres = np.where(mirrored, -self.centres, self.centres)
        aims = (centres - self.start) / self.tolerances
        moved = rng.random(shape, dtype=np.float32)
        moved *= 2 * _MOVED
        moved += aims - np.float32(_MOVED)
        chosen = basis.nearest(moved)
        errors = basis.phases @ chosen
        errors -= aims
        errors *= self.tolerances
        return chosen, -(errors + self.tolerances).min(axis=0), (self.tolerances - errors).min(axis=0)


@dataclass(frozen=True)
class _Basis:
    """A reduced basis: column i adds mus[i] to mu, thetas[i] steps to theta and phases[:, i] to the phases."""

    mus: list[int]
    thetas: list[int]
    weights: Floats
    phases: Floats
    Q: Floats
    R: Floats

    @classmethod
    def of(cls, search: Search, bits: int) -> _Basis:
        """The lattice of the search with integer entries, reduced."""
        rows, one = _lattice(search, bits)
        reduced = fmpz_mat(rows).lll(*_COARSE).lll().tolist()
        matrix = np.array([[int(v) / one for v in row] for row in reduced]).T
        mus = [int(row[0]) // rows[0][0] for row in reduced]
        thetas = [int(row[-1]) // rows[-1][-1] if search.free else 0 for row in reduced]
        Q, R = (factor.astype(np.float32) for factor in np.linalg.qr(matrix))
        single = matrix.astype(np.float32)
        return cls(mus, thetas, single[0], single[1 : len(search.keys) + 1], Q, R)

    def nearest(self, aims: Floats) -> Floats:
        """Coefficients of lattice points near the columns (0, aim, 0), one plane after the other."""
        rest = self.Q[1 : len(aims) + 1].T @ aims
        chosen = np.empty_like(rest)
        for stop in range(len(rest), 0, -_PLANES):
            start = max(0, stop - _PLANES)
            for i in range(stop - 1, start - 1, -1):
                chosen[i] = np.rint(rest[i] / self.R[i, i])
                rest[start:i] -= self.R[start:i, i, None] * chosen[i]
            rest[:start] -= self.R[:start, start:stop] @ chosen[start:stop]
        return chosen

    def proposal(self, coefficients: Floats, search: Search, shift: float) -> Proposal:
        """The lattice point with these coefficients, theta moved to the middle of its room."""
        taken = [int(c) for c in coefficients.tolist()]
        mu = search.centre + sum(c * m for c, m in zip(taken, self.mus, strict=True))
        if not search.free:
            return Proposal(mu, 0.0)
        steps = sum(c * t for c, t in zip(taken, self.thetas, strict=True)) % _STEPS
        return Proposal(mu, steps * 2 / _STEPS + shift)


def _lattice(search: Search, bits: int) -> tuple[list[list[int]], int]:
    """Rows for mu, for every key's 2, and for theta if it is free, with the integer that stands for 1."""
    one = 1 << (bits + _PRECISION)
    size = 1 + len(search.keys) + search.free
    rows = [[0] * size for _ in range(size)]
    rows[0][0] = max(1, one // search.half)
    for j, (g, aim) in enumerate(zip(search.keys, search.aims, strict=True), start=1):
        above, below = aim.tolerance.denominator, aim.tolerance.numerator
        rows[0][j] = one * g * above // (search.denominator * below)
        rows[j][j] = 2 * one * above // below
        if search.free:
            rows[-1][j] = rows[j][j] // _STEPS
    if search.free:
        rows[-1][-1] = one // _WEIGHT
    return rows, one
