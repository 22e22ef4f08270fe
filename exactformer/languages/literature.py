"""Recognisers of the literature with exact weights: FIRST, PARITY, MAJORITY, Dyck-1, Dyck-(k,D)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from exactformer.arithmetic.text import NumberLike
from exactformer.languages.named import CLOSING, OPENING
from exactformer.languages.programs import And, Attend, BooleanVector, IsLetter, Not, Or, Program
from exactformer.languages.recogniser import Periodic, Polynomial, Ratio, Recogniser
from exactformer.model.feed_forward import FeedForward
from exactformer.model.heads import Head, MultiHeadAttention, MultiHeadBlock
from exactformer.model.matrix import Sparse, Zero

I_PLUS_1, N = Polynomial({(0, 0): 1, (1, 0): 1}), Polynomial({(0, 1): 1})


def first() -> Recogniser:
    """Words over 0, 1 that begin with 1: equal scores, and ties to the first.

    >>> first().verdict("10"), first().verdict("01")
    ('accept', 'reject')
    """
    head = Head(_matrix(2, {1: {0: 1}}), Zero(), Zero(), None, "first")
    return Recogniser("01", [[-1, 0], [1, 0]], [_attention(head)], [0, 1], empty=False)


def majority() -> Recogniser:
    """Words over 0, 1 with more 1 than 0: the sign of the mean of +-1; exactly 0 at a draw, which is rejected.

    >>> majority().verdict("110"), majority().verdict("10")
    ('accept', 'zero')
    """
    head = Head(_matrix(2, {1: {0: 1}}), Zero(), Zero())
    return Recogniser("01", [[-1, 0], [1, 0]], [_attention(head)], [0, 1], zero="rejected", empty=False)


def parity() -> Recogniser:
    """Words over 0, 1 with an odd number of 1 (Chiang and Cholak 2022, with hardmax); exactly 0 on the empty word.

    With k ones among N positions, the begin mark included, the coordinates are: 0 letter 1, 1 mark, 2 i/N, 3 (-1)^i,
    4 the mean k/N, 5 the mean 1/N, 6 [i = k]/N by three units, 7 the mean of these over odd i minus that over even i.

    >>> parity().verdict("0100"), parity().verdict("11"), parity().verdict("")
    ('accept', 'reject', 'zero')
    """
    means = Head(_matrix(8, {4: {0: 1}, 5: {1: 1}}), Zero(), Zero())
    units = Sparse([{4: 1, 2: -1, 5: shift} if shift else {4: 1, 2: -1} for shift in (-1, 0, 1)], 8)
    at_k = FeedForward(1, units, [0, 0, 0], Sparse([{0: 1, 1: -2, 2: 1} if c == 6 else {} for c in range(8)], 3))
    query = Sparse([{5: 1}], 8)
    odd = Head(_matrix(8, {7: {6: 1}}), query, Sparse([{3: -1}], 8))
    even = Head(_matrix(8, {7: {6: -1}}), query, Sparse([{3: 1}], 8))
    return Recogniser(
        "01",
        [_unit(8), _unit(8, 0)],
        [_attention(means), MultiHeadBlock(at_k, MultiHeadAttention(1, [odd, even]))],
        _unit(8, 7),
        at="first",
        begin=_unit(8, 1),
        features=[Ratio(2, Polynomial({(1, 0): 1}), N), Periodic(3, [1, -1])],
        zero="rejected",
    )


def dyck_1() -> Recogniser:
    """Balanced words of one type of brackets, of every depth.

    The sign is that of 1/(2n) - |height|/n - the largest deficit of a prefix over its length; a failure costs 1/n.
    Coordinates: 0 +-1, 1 1/(i+1), 2 height/(i+1), 3 its negative part, 4 the largest of these so far.

    >>> dyck_1().verdict("(())()"), dyck_1().verdict("())(")
    ('accept', 'reject')
    """
    mean = Head(_matrix(5, {2: {0: 1}}), Zero(), Zero(), "upto")
    deficit = FeedForward(1, Sparse([{2: -1}], 5), [0], Sparse([{}, {}, {}, {0: 1}, {}], 1))
    worst = Head(_matrix(5, {4: {3: 1}}), Sparse([{1: 1}], 5), Sparse([{3: 1}], 5), "upto")
    reads = Sparse([{1: 1}, {2: 1}, {2: -1}, {4: 1}], 5)
    verdict = FeedForward(0, reads, [0] * 4, Sparse([{0: Fraction(1, 2), 1: -1, 2: -1, 3: -1}, {}, {}, {}, {}], 4))
    return Recogniser(
        "()",
        [_unit(5, 0), [-1, 0, 0, 0, 0]],
        [_attention(mean), MultiHeadBlock(deficit, MultiHeadAttention(1, [worst])), MultiHeadBlock(verdict, None)],
        _unit(5, 0),
        features=[Ratio(1, Polynomial({(0, 0): 1}), I_PLUS_1)],
        empty=True,
    )


def dyck_by_passes(types: int, depth: int) -> Program:
    """Balanced words of so many types of brackets nested at most so deep, by passes that look both ways.

    In each of `depth` passes a bracket is matched if the nearest bracket, on its inner side, that is not matched yet is
    its partner. Accepted are words in which everything is matched at the end.

    >>> dyck_by_passes(2, 2).accepts("([])[]"), dyck_by_passes(2, 1).accepts("([])")
    (True, False)
    """
    opening, closing = OPENING[:types], CLOSING[:types]
    vectors: list[BooleanVector] = [IsLetter(letter) for letter in opening + closing]

    def put(vector: BooleanVector) -> int:
        vectors.append(vector)
        return len(vectors) - 1

    never, always = put(Or(())), put(And(()))
    left = always
    ahead = tuple((k, types + k) for k in range(types))
    back = tuple((q, p) for p, q in ahead)
    for _ in range(depth):
        unmatched = ((None, left),)
        partner_after = put(Attend("leftmost", "after", unmatched, ahead, never))
        partner_before = put(Attend("rightmost", "before", unmatched, back, never))
        matched = put(Or((partner_after, partner_before)))
        left = put(And((left, put(Not(matched)))))
    put(Attend("leftmost", "upto", ((None, left),), (), always))
    return Program(tuple(opening + closing), tuple(vectors), empty=True)


def _attention(*heads: Head) -> MultiHeadBlock:
    return MultiHeadBlock(None, MultiHeadAttention(1, heads))


def _matrix(dim: int, rows: dict[int, dict[int, NumberLike]]) -> Sparse:
    return Sparse([rows.get(r, {}) for r in range(dim)], dim)


def _unit(dim: int, *at: int) -> Sequence[int]:
    return [1 if c in at else 0 for c in range(dim)]
