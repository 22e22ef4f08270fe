"""Hardmax attention by hand: scores, ties, and a transformer of two blocks written down number by number."""

import exactformer as ef

# Token i attends to every j with the largest score <Q x_i, K x_j>. Here Q = K = I and V = I, rho = 0: each token is
# replaced by the mean of its maximisers.
attention = ef.SelfAttention(rho=0, V={"scalar": 1}, Q={"scalar": 1}, K={"scalar": 1})
step = attention.step(ef.State.of([["3/5", "4/5"], [1, 0], ["4/5", "2/5"]]).rows())
for i in range(3):
    print(step.explain(i))

# Token 2 ties: its scores with all three tokens are 4/5, exactly. In float64 it seems to lead.
scores = [0.8 * 0.6 + 0.4 * 0.8, 0.8 * 1.0 + 0.4 * 0.0, 0.8 * 0.8 + 0.4 * 0.4]
print("float64 scores of token 2:", *scores)
assert step.follows[2] == (0, 1, 2)
assert scores[2] > max(scores[:2])

# [0] -> 0, [1] -> 1, [0, 1] -> 2 cannot be done with one block. Two blocks: the mean, then a tent.
mean = ef.Block(self_attention=ef.SelfAttention(rho=0, V={"scalar": 1}, Q={"zero": True}, K={"zero": True}))
tent = ef.Block(feed_forward=ef.FeedForward(eta=0, U=[[1], [1]], b=[0, "-1/2"], W=[[4, -6]]))
transformer = ef.Transformer(1, [mean, tent])
for sequence in ([[0]], [[1]], [[0], [1]]):
    outputs = {str(y[0]) for y in transformer(sequence)}
    print(f"{sequence} -> {outputs}")
assert transformer([[0], [1]])[0] == (2,)
print(transformer.latex())
