"""Random recognisers, small and full of ties, and words."""

import random
from itertools import product

from exactformer.languages.recogniser import Periodic, Recogniser
from exactformer.model.feed_forward import FeedForward
from exactformer.model.heads import MASKS, Head, MultiHeadAttention, MultiHeadBlock
from exactformer.model.matrix import Dense, Sparse, Zero


def words(letters, most):
    return [w for n in range(most + 1) for w in product(letters, repeat=n)]


def random_matrix(rng, rows, columns):
    entries = [[rng.choice([-1, 0, 0, 1]) for _ in range(columns)] for _ in range(rows)]
    return rng.choice([Dense(entries), Sparse([dict(enumerate(row)) for row in entries], columns)])


def random_recogniser(seed, masks=MASKS, ties=("first", "last"), most_blocks=3):
    rng = random.Random(seed)
    dim = rng.randint(1, 3)
    vector = lambda: [rng.choice([-1, 0, 1, "1/2"]) for _ in range(dim)]  # noqa: E731
    blocks = []
    for _ in range(rng.randint(1, most_blocks)):
        heads = []
        for _ in range(rng.randint(1, 2)):
            h = rng.randint(1, 2)
            V, Q, K = random_matrix(rng, dim, dim), random_matrix(rng, h, dim), random_matrix(rng, h, dim)
            heads.append(Head(V, rng.choice([Q, Zero()]), K, rng.choice(masks), rng.choice(ties)))
        ff = FeedForward(
            rng.choice([0, 1]), random_matrix(rng, 2, dim), [0, rng.choice([-1, 1])], random_matrix(rng, dim, 2)
        )
        blocks.append(
            MultiHeadBlock(
                rng.choice([None, ff]), rng.choice([None, *[MultiHeadAttention(rng.choice([0, 1, -1]), heads)] * 4])
            )
        )
    begin, end = rng.choice([None, vector()]), rng.choice([None, vector()])
    features = [Periodic(rng.randrange(dim), vector()[: rng.randint(1, 3)]) for _ in range(rng.choice([0, 0, 1]))]
    return Recogniser(
        "ab",
        [vector(), vector()],
        blocks,
        vector(),
        rng.choice([0, 0, 1, "1/2"]),
        at=rng.choice(["first", "last"]),
        begin=begin,
        end=end,
        features=features,
        zero="rejected",
        empty=None if begin or end else rng.choice([True, False, None]),
    )
