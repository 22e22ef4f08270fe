"""Repair without new units: the least correction of V, or of W, with which a network fits exactly.

Let the network end with mean pooling, x_j = V m_j, and y_j = eta x_j + W relu(U x_j + b). With the units that are
active on sequence j, y_j = A_j x_j + c_j. If the A_j are invertible and the means independent, the correction
dV = (Z - X)' (M M')^-1 M, with rows z_j = A_j^-1 (target_j - c_j), moves every x_j onto z_j; the signs are then looked
at again. If the hidden vectors h_j are independent, dW = R' (H H')^-1 H removes the residuals R, whatever the signs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain

from flint import fmpq, fmpq_mat

from exactformer.arithmetic.rational import RationalRow
from exactformer.constructions.targets import Targets
from exactformer.constructions.verification import WrongTransformer, verify_interpolates
from exactformer.errors import NoConstruction, proof_at
from exactformer.model.attention import SelfAttention
from exactformer.model.batch import Batch
from exactformer.model.dataset import Dataset
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Dense, Scalar, Zero
from exactformer.model.norms import norm2, rational
from exactformer.model.transformer import Block, Transformer

#: bits of a number beyond which checkers decline it by default (4000 digits), with some room
_MOST_BITS = 12_000


def same_shape(network: Transformer, data: Dataset, wanted: Targets) -> Transformer:
    """The smaller of the two corrections of the network that map every sequence exactly onto its target.

    The last block is a feed-forward layer, the one before ends with uniform attention and rho = 0. Raises
    NoConstruction where neither correction exists, or where its numbers would be too long for a certificate.

    >>> from exactformer.constructions.targets import targets_of
    >>> pool = SelfAttention(0, Scalar(Fraction(1)), Zero(), Zero())
    >>> nearly = Transformer(1, [Block(None, pool), Block(FeedForward("1.01", [[0]], [0], [[0]]))])
    >>> data = Dataset.of([[[1], [3]]], targets=[[2]])
    >>> same_shape(nearly, data, targets_of(data))([[1], [3]]).rows()
    [(Fraction(2, 1),), (Fraction(2, 1),)]
    """
    problem = _Problem.of(network, data, wanted)
    found = [made for correction in (problem.other_value, problem.other_columns) for made in correction()]
    exact = [made for made in found if _is_exact(made, data, wanted)]
    if not exact:
        raise NoConstruction(
            f"no correction of V or W makes this network exact: that needs at most {network.dim} sequences with "
            "independent means, or independent hidden vectors (no more sequences than units), and numbers of at most "
            f"4000 digits ({proof_at('training#t7')}); repair with new units instead"
        )
    return min(exact, key=lambda made: norm2(made).high)


def _is_exact(network: Transformer, data: Dataset, wanted: Targets) -> bool:
    """Whether it interpolates: with V corrected a unit may have changed its sign."""
    if max(b.bits for b in network.blocks[-2:]) > _MOST_BITS:
        return False
    try:
        verify_interpolates(network, data, wanted)
    except WrongTransformer:
        return False
    return True


class _Problem:
    """The last two layers, and the different means with their targets."""

    def __init__(self, network: Transformer, pool: SelfAttention, last: FeedForward) -> None:
        self.network, self.pool, self.last, d = network, pool, last, network.dim
        self.V = _matrix(pool.V.dense(d, d))
        self.U, self.W = _matrix(last.U.dense(last.width, d)), _matrix(last.W.dense(d, last.width))
        self.b, self.eta = [_number(x) for x in last.b], _number(last.eta)
        self.means, self.targets = fmpq_mat(0, d), fmpq_mat(0, d)

    @classmethod
    def of(cls, network: Transformer, data: Dataset, wanted: Targets) -> _Problem:
        """The problem of a network that pools before its last layer; NoConstruction for another one."""
        *_, before, after = (Block(), Block(), *network.blocks)
        pool, last = before.self_attention, after.feed_forward
        pools = pool is not None and pool.rho == 0 and pool.is_uniform
        if pool is None or last is None or not pools or after.self_attention is not None:
            raise NoConstruction(
                "expected a block that pools and then a feed-forward layer at the end, for this repair"
            )
        problem = cls(network, pool, last)
        identity = SelfAttention(0, Scalar(Fraction(1)), Zero(), Zero())
        head = Transformer(network.dim, [*network.blocks[:-2], Block(before.feed_forward, identity)])
        pooled = head.evaluate(Batch.of(data.tokens, data.offsets))
        rows = [tuple(map(rational, pooled.row(r))) for r in pooled.offsets[:-1].tolist()]
        ends = [tuple(map(rational, wanted.state(j).rows()[0])) for j in range(len(data))]
        pairs = list(dict.fromkeys(zip(rows, ends, strict=True)))
        problem.means, problem.targets = (_matrix(side) for side in zip(*pairs, strict=True))
        return problem

    def other_value(self) -> Iterator[Transformer]:
        """The network with V corrected, if the means are independent and the layer is invertible at each."""
        if not _solvable(self.means, self.means.ncols()):
            return
        x = self.means * self.V.transpose()
        wanted = list(self._preimages(x))
        if len(wanted) < x.nrows():
            return
        residual = fmpq_mat(len(wanted), x.ncols(), list(chain.from_iterable(wanted))) - x
        for change in _least_norm(self.means, residual):
            pool = SelfAttention(0, Dense(_rows(self.V + change)), self.pool.Q, self.pool.K, self.pool.beta)
            yield self._with(pool, self.last)

    def other_columns(self) -> Iterator[Transformer]:
        """The network with W corrected, if the hidden vectors are independent."""
        if not _solvable(self.means, self.last.width):
            return
        x = self.means * self.V.transpose()
        hidden = _matrix([[max(Fraction(0), v) for v in row] for row in _rows(self._heads(x))])
        residual = self.targets - x * self.eta - hidden * self.W.transpose()
        for change in _least_norm(hidden, residual):
            last = self.last
            yield self._with(self.pool, FeedForward(last.eta, last.U, last.b, Dense(_rows(self.W + change))))

    def _heads(self, x: fmpq_mat) -> fmpq_mat:
        """U x + b, a row per sequence."""
        offsets = fmpq_mat(x.nrows(), len(self.b), self.b * x.nrows())
        return x * self.U.transpose() + offsets

    def _preimages(self, x: fmpq_mat) -> Iterator[list[fmpq]]:
        """A_j^-1 (target_j - c_j) for every j, up to the first A_j that is singular."""
        d, heads = x.ncols(), self._heads(x).tolist()
        for signs, target in zip(heads, self.targets.tolist(), strict=True):
            active = [k for k, value in enumerate(signs) if value > 0]
            some = fmpq_mat(d, len(active), [self.W[i, k] for i in range(d) for k in active])
            rows = fmpq_mat(len(active), d, [self.U[k, i] for k in active for i in range(d)])
            offset = some * fmpq_mat(len(active), 1, [self.b[k] for k in active])
            A = some * rows + fmpq_mat(d, d, [self.eta * (i == j) for i in range(d) for j in range(d)])
            try:
                yield A.solve(fmpq_mat(d, 1, target) - offset).entries()
            except ZeroDivisionError:
                return

    def _with(self, pool: SelfAttention, last: FeedForward) -> Transformer:
        *first, before, _ = self.network.blocks
        return Transformer(self.network.dim, [*first, Block(before.feed_forward, pool), Block(last)])


def _least_norm(rows: fmpq_mat, values: fmpq_mat) -> Iterator[fmpq_mat]:
    """The matrix D of least norm with D r = v for all rows r and v, if they are independent and it is not too long."""
    if not _solvable(rows, rows.ncols()):
        return
    try:
        yield (rows.transpose() * (rows * rows.transpose()).solve(values)).transpose()
    except ZeroDivisionError:
        return


def _solvable(rows: fmpq_mat, unknowns: int) -> bool:
    """Whether there are no more rows than unknowns, and a solution will not be too long for a certificate."""
    longest = max(max(abs(int(x.p)), int(x.q)).bit_length() for x in rows.entries())
    count = int(rows.nrows())
    return count <= unknowns and count * longest <= _MOST_BITS


def _number(x: object) -> fmpq:
    p, q = rational(x).as_integer_ratio()  # type: ignore[arg-type]
    return fmpq(p, q)


def _matrix(rows: Sequence[Sequence[object]]) -> fmpq_mat:
    return fmpq_mat(len(rows), len(rows[0]), [_number(x) for row in rows for x in row])


def _rows(m: fmpq_mat) -> list[RationalRow]:
    return [tuple(Fraction(int(x.p), int(x.q)) for x in row) for row in m.tolist()]
