"""Recognisers of parity, majority and brackets, by hand."""

from __future__ import annotations

from exactformer.languages.recogniser import Periodic, Polynomial, Ratio, Recogniser
from exactformer.model.feed_forward import FeedForward
from exactformer.model.heads import Head, MultiHeadAttention, MultiHeadBlock
from exactformer.model.matrix import Sparse, Zero


def unit(dim, *at):
    return [1 if k in at else 0 for k in range(dim)]


def writes(dim, entries):
    """The matrix with the given rows; all others are zero."""
    return Sparse([entries.get(row, {}) for row in range(dim)], dim)


def attention(*heads):
    return MultiHeadAttention(1, heads)


def parity():
    """An odd number of 1s (Chiang and Cholak): 0 letter, 1 mark, 2 i/N, 3 (-1)^i, 4 k/N, 5 1/N, 6 [i = k]/N, 7 verdict."""
    uniform = Head(writes(8, {4: {0: 1}, 5: {1: 1}}), Zero(), Zero())
    U = Sparse([{4: 1, 2: -1, 5: s} if s else {4: 1, 2: -1} for s in (-1, 0, 1)], 8)
    W = Sparse([{0: 1, 1: -2, 2: 1} if row == 6 else {} for row in range(8)], 3)
    one = Sparse([{5: 1}], 8)
    odd = Head(writes(8, {7: {6: 1}}), one, Sparse([{3: -1}], 8))
    even = Head(writes(8, {7: {6: -1}}), one, Sparse([{3: 1}], 8))
    blocks = [
        MultiHeadBlock(None, attention(uniform)),
        MultiHeadBlock(FeedForward(1, U, [0, 0, 0], W), attention(odd, even)),
    ]
    place = Ratio(2, Polynomial({(1, 0): 1}), Polynomial({(0, 1): 1}))
    features = [place, Periodic(3, [1, -1])]
    return Recogniser("01", [unit(8), unit(8, 0)], blocks, unit(8, 7), at="first", begin=unit(8, 1), features=features)


def dyck1():
    """Balanced brackets: 0 +-1, 1 1/(i+1), 2 height/(i+1), 3 its negative part, 4 the largest of these."""
    mean = Head(writes(5, {2: {0: 1}}), Zero(), Zero(), "upto")
    negative = FeedForward(1, Sparse([{2: -1}], 5), [0], Sparse([{}, {}, {}, {0: 1}, {}], 1))
    worst = Head(writes(5, {4: {3: 1}}), Sparse([{1: 1}], 5), Sparse([{3: 1}], 5), "upto")
    rows = [{1: 1}, {2: 1}, {2: -1}, {4: 1}]
    last = FeedForward(0, Sparse(rows, 5), [0] * 4, Sparse([{0: "1/2", 1: -1, 2: -1, 3: -1}, {}, {}, {}, {}], 4))
    blocks = [MultiHeadBlock(None, attention(mean)), MultiHeadBlock(negative, attention(worst)), MultiHeadBlock(last)]
    place = Ratio(1, Polynomial({(0, 0): 1}), Polynomial({(0, 0): 1, (1, 0): 1}))
    return Recogniser("()", [[1, 0, 0, 0, 0], [-1, 0, 0, 0, 0]], blocks, unit(5, 0), features=[place], empty=True)
