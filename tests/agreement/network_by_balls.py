"""Trained networks by their definition in balls of 400 bits, and random ones of every layout."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flint import arb, fmpq

import exactformer as ef
from exactformer.model.architecture import Architecture

LAYOUTS = [
    (norm, emb, fin, act, causal, head)
    for norm in ("pre", "post", "none")
    for emb in (False, True)
    for fin in (False, True)
    for act, causal, head in (("relu", False, "free"), ("gelu", True, "tied"), ("gelu_tanh", True, "none"))
]


def rows(a: np.ndarray) -> list[list[arb]]:
    return [[arb(float(v)) for v in row] for row in np.atleast_2d(a)]


def linear(x: list[list[arb]], W: np.ndarray, b: np.ndarray) -> list[list[arb]]:
    return [
        [sum((v * w for v, w in zip(t, row, strict=True)), arb(float(c))) for row, c in zip(rows(W), b, strict=True)]
        for t in x
    ]


def layer_norm(x: list[list[arb]], gain: np.ndarray, bias: np.ndarray, eps: Fraction) -> list[list[arb]]:
    out = []
    for t in x:
        mean = sum(t, arb(0)) / len(t)
        c = [v - mean for v in t]
        s = (sum((v * v for v in c), arb(0)) / len(t) + arb(fmpq(eps.numerator, eps.denominator))).sqrt()
        out.append([v / s * arb(float(g)) + arb(float(b)) for v, g, b in zip(c, gain, bias, strict=True)])
    return out


def act(v: arb, kind: str) -> arb:
    if kind == "relu":
        return v.max(arb(0))
    if kind == "gelu":
        return v * ((v / arb(2).sqrt()).erf() + 1) / 2
    return v * (((arb(2) / arb.pi()).sqrt() * (v + arb(44715) / 1000000 * v * v * v)).tanh() + 1) / 2


def attention(x: list[list[arb]], b: object, heads: int, causal: bool) -> list[list[arb]]:
    d, width, out = len(x[0]), len(x[0]) // heads, []
    qkv = linear(x, b.qkv, b.qkv_bias)
    for i in range(len(x)):
        token: list[arb] = []
        for a in range(heads):
            q, k, v = ([t[o + a * width : o + (a + 1) * width] for t in qkv] for o in (0, d, 2 * d))
            seen = range(i + 1 if causal else len(x))
            s = [sum((y * z for y, z in zip(q[i], k[j], strict=True)), arb(0)) / arb(width).sqrt() for j in seen]
            w = [(y - s[0]).exp() for y in s]
            token += [
                sum((p * v[j][c] for p, j in zip(w, seen, strict=True)), arb(0)) / sum(w, arb(0)) for c in range(width)
            ]
        out.append(token)
    return linear(out, b.out, b.out_bias)


def truth(net: ef.Network, ids: list[int], types: list[int]) -> list[list[arb]]:
    a, t = net.architecture, net.tensors

    def plus(x, y):
        return [[u + v for u, v in zip(p, q, strict=True)] for p, q in zip(x, y, strict=True)]

    x = plus(rows(t["token"][ids]), rows(t["position"][: len(ids)]))
    x = plus(x, rows(t["type"][types])) if a.types else x
    x = layer_norm(x, t["embedding_gain"], t["embedding_bias"], a.epsilon) if a.embedding_norm else x
    x = linear(x, t["map"], t["map_bias"]) if a.embedding is not None else x
    for k in range(a.blocks):
        b = net.block(k)

        def one(y, b=b):
            return layer_norm(y, b.gain1, b.bias1, a.epsilon)

        def two(y, b=b):
            return layer_norm(y, b.gain2, b.bias2, a.epsilon)

        x = plus(x, attention(one(x) if a.norm == "pre" else x, b, a.heads, a.causal))
        x = one(x) if a.norm == "post" else x
        u = linear(two(x) if a.norm == "pre" else x, b.up, b.up_bias)
        x = plus(x, linear([[act(v, a.activation) for v in y] for y in u], b.down, b.down_bias))
        x = two(x) if a.norm == "post" else x
    x = layer_norm(x, t["final_gain"], t["final_bias"], a.epsilon) if a.final_norm else x
    return x if net.head is None else linear(x, *net.head)


def random_network(rng: np.random.Generator, **keys: object) -> ef.Network:
    shape = Architecture(dim=4, heads=2, hidden=5, vocabulary=6, positions=3, types=2, **keys)
    scale = 2.0 ** rng.integers(-2, 2)
    return ef.Network(
        shape, {n: (scale * rng.standard_normal(s)).astype(np.float32) for n, s in shape.shapes.items()}, read="all"
    )
