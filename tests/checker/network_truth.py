"""Trained networks by definition, in balls: what the claims `argmax` and `enclosure` say, without a line of the checker's."""

from __future__ import annotations

import base64
import struct
from fractions import Fraction
from itertools import product
from typing import Any

from checker_kit import Lines
from flint import arb, ctx, fmpq
from network_kit import pieces


def dot(x: list[Any], y: list[Any]) -> arb:
    return sum((a * b for a, b in zip(x, y, strict=True)), arb(0))


class Truth:
    """The network by definition, in balls."""

    def __init__(self, header: dict[str, Any], text: bytes) -> None:
        self.header, self.tensors = header, {}
        for name, ((rows, columns), raw) in pieces(header, text).items():
            flat = [arb(x) for x in struct.unpack(f"<{rows * columns}f", raw)]
            self.tensors[name] = [flat[k : k + columns] for k in range(0, len(flat), columns)]

    def linear(self, key: str, bias: str, x: list[arb]) -> list[arb]:
        return [dot(row, x) + b for row, b in zip(self.tensors[key], self.tensors[bias][0], strict=True)]

    def norm(self, gain: str, bias: str, x: list[arb]) -> list[arb]:
        epsilon = arb(exact(Fraction(self.header["epsilon"])))
        d = len(x)
        centred = [a - sum(x, arb(0)) / d for a in x]
        s = (dot(centred, centred) / d + epsilon).sqrt()
        pairs = zip(centred, self.tensors[gain][0], self.tensors[bias][0], strict=True)
        return [a / s * g + b for a, g, b in pairs]

    def activation(self, x: arb) -> arb:
        kind = self.header["activation"]
        if kind == "relu":
            return x if x > 0 else arb(0)
        if kind == "gelu":
            return x * (1 + (x / arb(2).sqrt()).erf()) / 2
        return x * (1 + ((arb(2) / arb.pi()).sqrt() * (x + arb(44715) / 1000000 * x * x * x)).tanh()) / 2

    def attention(self, k: int, i: int, state: list[list[arb]]) -> list[arb]:
        d, h = self.header["dim"], self.header["heads"]
        size, out = d // h, []
        full = [self.linear(f"block {k} qkv", f"block {k} qkv bias", x) for x in state]
        keys = full[: i + 1] if self.header["causal"] else full
        for a in range(0, d, size):
            scores = [dot(full[i][a : a + size], y[d + a : d + a + size]) / arb(size).sqrt() for y in keys]
            weights = [(score - scores[0]).exp() for score in scores]
            for c in range(2 * d + a, 2 * d + a + size):
                out.append(dot(weights, [y[c] for y in keys]) / sum(weights, arb(0)))
        return self.linear(f"block {k} out", f"block {k} out bias", out)

    def outputs(self, ids: list[int], types: list[int]) -> list[list[arb]]:
        header, T = self.header, self.tensors
        state = []
        for i, token in enumerate(ids):
            rows = [T["token"][token], T["position"][i]] + ([T["type"][types[i]]] if types else [])
            x = [sum(column, arb(0)) for column in zip(*rows, strict=True)]
            state.append(self.norm("embedding gain", "embedding bias", x) if header["embedding_norm"] else x)
        for block in range(header["blocks"]):
            state = self.through(0 if header["shared"] else block, state)
        if header["final_norm"]:
            state = [self.norm("final gain", "final bias", x) for x in state]
        key = "token" if header["head"] == "tied" else "head"
        return state if header["head"] == "none" else [self.linear(key, "head bias", x) for x in state]

    def through(self, k: int, state: list[list[arb]]) -> list[list[arb]]:
        kind, found = self.header["norm"], []
        norms = [lambda x, i=i: self.norm(f"block {k} gain{i}", f"block {k} bias{i}", x) for i in (1, 2)]
        read = [norms[0](x) for x in state] if kind == "pre" else state
        for i, x in enumerate(state):
            x = [a + b for a, b in zip(x, self.attention(k, i, read), strict=True)]
            x = norms[0](x) if kind == "post" else x
            u = self.linear(f"block {k} up", f"block {k} up bias", norms[1](x) if kind == "pre" else x)
            v = self.linear(f"block {k} down", f"block {k} down bias", [self.activation(a) for a in u])
            x = [a + b for a, b in zip(x, v, strict=True)]
            found.append(norms[1](x) if kind == "post" else x)
        return found


def network_of(lines: Lines) -> Truth:
    text = b"".join(base64.b64decode(line["f32"]) for line in lines if "f32" in line)
    return Truth(lines[0], text)


def is_largest(y: list[arb], k: int) -> bool:
    return all(y[k] > x for j, x in enumerate(y) if j != k)


def argmax(lines: Lines) -> bool:
    """The class of every case and of every tuple is the only largest one."""
    with ctx.workprec(600):
        network, every = network_of(lines), lines[0]["at"] == "every"
        for line in lines:
            if "case" in line:
                found = network.outputs(line["ids"], line.get("types", []))
                pairs = zip(found, line["argmax"], strict=True) if every else [(found[-1], line["argmax"])]
                if not all(is_largest(y, k) for y, k in pairs):
                    return False
        return all(is_domain(network, lines, i) for i, line in enumerate(lines) if "domain" in line)


def is_domain(network: Truth, lines: Lines, at: int) -> bool:
    ids, function = lines[at]["ids"], lines[at]["function"]
    types = [0] * len(ids) if lines[0]["types"] else []
    count = function.get("table", 0)
    table = [k for line in lines[at + 1 : at + 1 + count] for k in line["argmax"]]
    for place, row in enumerate(product(*[range(a, b + 1) for a, b in ids])):
        value = function.get("plus", 0) + sum(c * i for c, i in zip(function.get("sum", []), row, strict=False))
        k = table[place] if count else value % function["mod"]
        if not is_largest(network.outputs(list(row), types)[-1], k):
            return False
    return True


def enclosure(lines: Lines) -> bool:
    """Every output is within its radius."""
    with ctx.workprec(600):
        network = network_of(lines)
        for line in lines:
            if "case" in line:
                y = network.outputs(line["ids"], line.get("types", []))[line["at"]]
                pairs = zip(y, map(Fraction, line["centre"]), strict=True)
                if not all(abs(x - arb(exact(c))) <= arb(exact(Fraction(line["radius"]))) for x, c in pairs):
                    return False
    return True


def exact(x: Fraction) -> fmpq:
    return fmpq(x.numerator, x.denominator)
