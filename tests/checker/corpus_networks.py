# fmt: off
"""Trained networks: true classes and enclosures, forged ones, and files that break one rule of section 16 each."""

from __future__ import annotations

import base64
import hashlib
import struct
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from checker_kit import Lines
from corpus_edits import DECLINED, MALFORMED, REJECTED, Simple, changed, drop, put
from hostile_networks import network
from network_kit import SMALL, certificate, enclosures, weight_string, with_domain

F = Fraction
Good = tuple[str, Lines, str]
INPUTS = [[0, 1, 2], [2, 1], [1]]
#: no block, one dimension, two classes, of which the bias chooses the first
BARE: dict[str, Any] = {"dim": 1, "heads": 1, "hidden": 1, "blocks": 0, "vocabulary": 2, "positions": 2, "classes": 2}
FIRST = {"head bias": [1.0, 0.0]}
ONE = [{"case": 0, "ids": [0, 1], "argmax": 0}]
PAIRS = [{"domain": 0, "ids": [[0, 1], [0, 1]], "function": {"sum": [0, 0], "plus": 0, "mod": 1}}]
KINDS: dict[str, dict[str, Any]] = {
    "relu": {}, "gelu": {"norm": "pre", "activation": "gelu", "final_norm": True},
    "tanh": {"norm": "post", "activation": "gelu_tanh", "embedding_norm": True},
    "types": {"types": 2}, "every": {"at": "every", "causal": True, "blocks": 2},
    "shared": {"blocks": 3, "shared": True, "norm": "pre"}, "tied": {"head": "tied", "norm": "post", "activation": "gelu"},
    "no_head": {"head": "none", "classes": 4, "final_norm": True}, "causal": {"blocks": 2, "causal": True, "activation": "gelu_tanh"},
    "one_head": {"heads": 1}, "many_heads": {"heads": 4, "norm": "pre"},
}


def bare(lines: Lines, values: dict[str, Any] | None = None, otherwise: float = 0.0, **changes: Any) -> Lines:
    return network(lines, FIRST if values is None else values, otherwise, **{**BARE, **changes})


def domain(kind: dict[str, Any]) -> Lines:
    return with_domain(certificate([], 7, **kind), [[0, 2], [1, 2]], weight_string(SMALL | kind, 7))


def long_weights(split: int = 49_152) -> Lines:
    """Weights on two lines, the first of which holds so many bytes."""
    lines = bare(ONE, positions=12_400)
    text = b"".join(base64.b64decode(line["f32"]) for line in lines[1:-1])
    parts = [part for part in (text[:split], text[split:]) if part]
    return [{**lines[0], "inline": len(parts)}, *[{"weights": i, "f32": base64.b64encode(part).decode()} for i, part in enumerate(parts)], lines[-1]]


def networks() -> Iterator[Good]:
    for name, kind in KINDS.items():
        yield f"network_{name}", certificate(INPUTS, 7, **kind), "the classes of three inputs"
        if "at" not in kind:
            yield f"enclosure_{name}", enclosures(INPUTS, 3, **kind), "outputs within their radii"
    for name, kind in {"relu": {}, "one_type": {"types": 1}, "gelu": KINDS["gelu"]}.items():
        yield f"network_domain_{name}", domain(kind), "a domain and its table"
    yield "network_domain_sum", bare(PAIRS), "a domain and a sum modulo 1"
    yield "network_long_weights", long_weights(), "weights on two lines"
    yield "network_cases_and_domains", bare([*ONE, *PAIRS, {**PAIRS[0], "domain": 1, "ids": [[1, 1]], "function": {"sum": [999_999], "plus": 999_999, "mod": 1}}]), "a case and two domains"


def corners() -> Iterator[Good]:
    for p in (32, 480):
        yield f"network_{p}_bits", certificate(INPUTS, 7, bits=p), "the fewest or the most bits"
    yield "network_subnormal", bare(ONE, {**FIRST, "token": [2.0**-149, -0.0]}, bits=149), "the smallest weights, and minus zero"
    yield "network_large", bare(ONE, {**FIRST, "token": 2.0**127, "head": 2.0**-40}), "a weight of 2^127"
    yield "network_tails", bare(ONE, {**FIRST, "token": [100.0, -100.0], "up": 1.0}, blocks=1, activation="gelu"), "a GELU of what is far from 0"
    yield "network_tails_tanh", bare(ONE, {**FIRST, "token": [100.0, -100.0], "up": 1.0}, blocks=1, activation="gelu_tanh"), "a GELU of what is far from 0"
    yield "network_equal_weights", bare(ONE, FIRST, 0.25, blocks=1, norm="pre", final_norm=True), "a LayerNorm of equal numbers: epsilon alone is under the root"
    yield "network_sharp", bare(ONE, {**FIRST, "token": [8.0, -8.0], "qkv": 8.0}, blocks=1), "weights of softmax below 2^-96"
    yield "network_one_token", bare([{"case": 0, "ids": [1], "argmax": 0}], positions=1), "one token"
    yield "enclosure_one_class", enclosures([[0]], 3, **{**BARE, "classes": 1}), "an enclosure of one class"
    yield "enclosure_exact", exact_ball(), "the radius is that of the arithmetic, and nothing more"


def exact_ball() -> Lines:
    return enclosures([[0, 1]], 3, F(0), norm="pre", activation="gelu")


def refusals() -> Iterator[Simple]:
    yield from forged()
    yield from headers()
    yield from of_weights()
    yield from of_cases()
    yield from of_domains()
    yield from tight_limits()


def forged() -> Iterator[Simple]:
    """Claims that are false, or that nothing decides."""
    right, gelu = certificate(INPUTS, 7), certificate(INPUTS, 7, **KINDS["gelu"])
    for name, lines in (("relu", right), ("gelu", gelu)):
        yield f"network_class_{name}", changed(lines, put(-1, "argmax", (lines[-1]["argmax"] + 1) % 3)), "another class", REJECTED
    yield "network_one_position", changed(certificate(INPUTS, 7, **KINDS["every"]), lambda lines: lines[-3]["argmax"].__setitem__(1, (lines[-3]["argmax"][1] + 1) % 3)), "another class at one position", REJECTED
    yield "network_tie", bare(ONE, {}), "a tie", DECLINED
    yield "network_tie_then_false", bare([*ONE, {"case": 1, "ids": [1], "argmax": 0}], {"token": [0.0, 1.0], "head": [0.0, 1.0]}), "the first is a tie, the second false", REJECTED
    yield "network_table", changed(domain({}), lambda lines: lines[-1]["argmax"].__setitem__(5, (lines[-1]["argmax"][5] + 1) % 3)), "another class in the table", REJECTED
    yield "network_sum", bare([changed(PAIRS, put(0, "function", {"sum": [0, 1], "plus": 0, "mod": 2}))[0]]), "another function", REJECTED
    yield "network_few_bits", certificate_at(32, **KINDS["shared"]), "too few bits for three blocks", DECLINED
    yield "network_wide_scores", bare([{"case": 0, "ids": [0], "argmax": 0}], {**FIRST, "token": 1.0, "qkv": [2.0**60, 2.0**60, 0.0]}, blocks=1, bits=32), "scores that are not known, though they do not matter", DECLINED
    yield "network_norm_of_nothing", bare(ONE, blocks=1, norm="pre", epsilon=f"1/{2**200}"), "a LayerNorm of zeros and an epsilon below 2^-p", DECLINED
    ball = exact_ball()
    yield "enclosure_too_small", changed(ball, put(-1, "radius", str(F(ball[-1]["radius"]) - F(1, 2**96)))), "a radius smaller by one unit than the arithmetic's", DECLINED
    yield "enclosure_far", changed(ball, put(-1, "centre", 1, "1000")), "another centre", REJECTED
    yield "enclosure_negative", changed(ball, put(-1, "radius", "-1")), "a negative radius", REJECTED
    for key, value in {"norm": "post", "activation": "gelu", "heads": 1, "causal": True, "epsilon": "1/7"}.items():
        kind = {"norm": "pre", "activation": "gelu_tanh", "blocks": 2}
        lines = enclosures([[0, 1, 2]], 7, **kind)
        yield f"enclosure_other_{key}", changed(lines, put(0, key, value)), "the same weights as another network", REJECTED


def certificate_at(bits: int, **kind: Any) -> Lines:
    lines = certificate(INPUTS, 7, **kind)
    return changed(lines, put(0, "bits", bits))


def headers() -> Iterator[Simple]:
    right = certificate(INPUTS, 7)
    values: dict[str, Any] = {
        "types": False, "norm": "Pre", "activation": "silu", "head": "tie", "at": "first", "causal": 1, "shared": 0, "embedding_norm": None,
        "final_norm": "no", "epsilon": "0", "heads": 3, "bits": 31, "blocks": 1001, "positions": 0, "dim": 8, "classes": 1, "version": [1, 1],
    }
    for key, value in values.items():
        yield f"network_header_{key}", changed(right, put(0, key, value)), f"{key} is {value}", MALFORMED
    yield "network_bits_481", changed(right, put(0, "bits", 481)), "481 bits", MALFORMED
    yield "network_no_at", changed(right, drop(0, "at")), "at is missing", MALFORMED
    yield "network_no_case", changed(right[:-3], put(0, "cases", 0)), "nothing is claimed", MALFORMED
    yield "network_shared_nothing", changed(bare(ONE), put(0, "shared", True)), "blocks are shared and there is none", MALFORMED
    yield "network_one_class", bare(ONE, {"head bias": 1.0}, classes=1), "one class", MALFORMED
    yield "network_tied_classes", changed(bare(ONE, positions=3, head="tied"), put(0, "positions", 2), put(0, "vocabulary", 3)), "a tied head of another height", MALFORMED
    yield "network_no_head_classes", changed(bare(ONE, {"token": [1.0, 0.0]}, dim=2, head="none"), put(0, "classes", 3)), "no head and another number of classes", MALFORMED
    yield "network_domains_every", bare(PAIRS, at="every"), "a domain at every position", MALFORMED
    yield "network_domains_types", bare(PAIRS, types=2), "a domain and two types", MALFORMED
    yield "enclosure_domains", changed(exact_ball(), put(0, "domains", 1)), "an enclosure of a domain", MALFORMED
    yield "enclosure_at_in_header", changed(exact_ball(), put(0, "at", "last")), "at in the header of an enclosure", MALFORMED


def of_weights() -> Iterator[Simple]:
    right = bare(ONE)
    text = base64.b64decode(right[1]["f32"])

    def with_text(raw: bytes) -> Callable[[Lines], None]:
        def edit(lines: Lines) -> None:
            lines[0]["weights"], lines[1]["f32"] = hashlib.sha256(raw).hexdigest(), base64.b64encode(raw).decode()
        return edit

    yield "network_digest", changed(right, put(0, "weights", "0" * 64)), "another digest", MALFORMED
    yield "network_one_bit", changed(right, lambda lines: lines[1].update(f32=base64.b64encode(bytes([text[0] ^ 1]) + text[1:]).decode())), "one bit of the weights", MALFORMED
    yield "network_short_weights", changed(right, with_text(text[:-4])), "a weight is missing", MALFORMED
    yield "network_more_weights", changed(right, with_text(text + bytes(4))), "a weight too many", MALFORMED
    yield "network_weight_lines", changed(right, put(0, "inline", 2)), "another number of lines of weights", MALFORMED
    yield "network_line_index", changed(right, put(1, "weights", 1)), "the lines begin with 1", MALFORMED
    yield "network_line_false", changed(right, put(1, "weights", False)), "false is no index", MALFORMED
    yield "network_uneven_lines", long_weights(49_149), "a line of weights that is too short", MALFORMED
    yield "network_one_long_line", long_weights(10**6), "a line of weights that is too long", MALFORMED
    yield "network_no_base64", changed(right, put(1, "f32", "$" + right[1]["f32"][1:])), "not base64", MALFORMED
    yield "network_base64_number", changed(right, put(1, "f32", 5)), "a number", MALFORMED
    yield "network_base64_accent", changed(right, put(1, "f32", "é" + right[1]["f32"][1:])), "a letter beyond ASCII", MALFORMED
    yield "network_base64_spare_bits", changed(right, put(1, "f32", spare_bits(right[1]["f32"]))), "the same bytes, written otherwise", MALFORMED
    for name, word in (("nan", 0x7FC00000), ("infinity", 0xFF800000)):
        yield f"network_{name}", changed(right, with_text(struct.pack("<I", word) + text[4:])), "a weight that is no number", MALFORMED
    yield "network_deep_weights", bare(ONE, {**FIRST, "token": 2.0**-149}, bits=148), "weights over 2^149 at 148 bits", DECLINED
    yield from beside_the_certificate(right, text)


def spare_bits(written: str) -> str:
    """Another text that decodes to the same bytes."""
    assert written.endswith("=")
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    last = written.rstrip("=")
    return last[:-1] + alphabet[alphabet.index(last[-1]) + 1] + "=" * (len(written) - len(last))


def beside_the_certificate(right: Lines, text: bytes) -> Iterator[Simple]:
    apart = changed([right[0], *right[2:]], put(0, "inline", 0))
    other = bytes([text[0] ^ 1]) + text[1:]
    yield "network_weights_not_given", apart, "the weights are elsewhere", DECLINED
    yield "network_weights_shorter", apart, "a file of weights that is too short", MALFORMED | {"weights": text[:-1]}
    yield "network_weights_longer", apart, "a file of weights with bytes after them", MALFORMED | {"weights": text + b"0"}
    yield "network_weights_other", apart, "another file of weights", MALFORMED | {"weights": other}
    yield "network_weights_differ", right, "another file of weights than those embedded", REJECTED | {"weights": other}
    large = bare(ONE, positions=1000)
    raw = base64.b64decode(large[1]["f32"])
    yield "network_weights_limit", changed([large[0], *large[2:]], put(0, "inline", 0)), "limit: a file of weights counts like the certificate", DECLINED | {"weights": raw, "options": ["--max-bytes", "4000"]}
    assert len(raw) > 4000


def of_cases() -> Iterator[Simple]:
    right = certificate([[0, 1]], 7)
    cases: dict[str, dict[str, Any]] = {
        "negative_id": {"ids": [0, -1]}, "large_id": {"ids": [0, 3]}, "true_id": {"ids": [0, True]}, "no_ids": {"ids": []}, "many_ids": {"ids": [0] * 4},
        "large_class": {"argmax": 3}, "true_class": {"argmax": True}, "list_of_classes": {"argmax": [0]}, "types_without_types": {"types": [0]},
        "false_case": {"case": False}, "case_1": {"case": 1},
    }
    for name, value in cases.items():
        yield f"network_{name}", changed(right, lambda lines, value=value: lines[-1].update(value)), "a case", MALFORMED
    every = certificate([[0, 1]], 7, **KINDS["every"])
    yield "network_every_short", changed(every, put(-1, "argmax", [0])), "a class is missing", MALFORMED
    yield "network_no_types", changed(certificate([[0, 1]], 7, types=2), drop(-1, "types")), "types are missing", MALFORMED
    yield "enclosure_at_true", changed(enclosures([[0, 1]], 3), put(-1, "at", True)), "true is no position", MALFORMED
    yield "enclosure_at_end", changed(exact_ball(), put(-1, "at", 2)), "a position after the last", MALFORMED
    yield "enclosure_short_centre", changed(exact_ball(), lambda lines: lines[-1]["centre"].pop()), "a class without centre", MALFORMED


def of_domains() -> Iterator[Simple]:
    def edited(*path: Any) -> Lines:
        return changed(bare(PAIRS), put(-1, *path))

    table = domain({})
    yield "network_domain_false", edited("domain", False), "false is no index", MALFORMED
    yield "network_domain_1", edited("domain", 1), "domains begin with 0", MALFORMED
    yield "network_domain_long", bare([{**PAIRS[0], "ids": [[0, 1]] * 3, "function": {"sum": [0, 0, 0], "plus": 0, "mod": 1}}]), "more positions than there are", MALFORMED
    yield "network_range_true", edited("ids", [[0, True], [0, 1]]), "true is no id", MALFORMED
    yield "network_range_false", edited("ids", [[False, 1], [0, 1]]), "false is no id", MALFORMED
    yield "network_range_empty", edited("ids", [[1, 0], [0, 1]]), "a range without ids", MALFORMED
    yield "network_range_large", edited("ids", [[0, 2], [0, 1]]), "an id that is too large", MALFORMED
    yield "network_function_key", edited("function", "more", 0), "an unknown key", MALFORMED
    yield "network_function_code", edited("function", {"code": "0"}), "an unknown function", MALFORMED
    yield "network_factor", edited("function", "sum", [10**6, 0]), "a factor of 10^6", MALFORMED
    yield "network_factors", edited("function", "sum", [0]), "a factor is missing", MALFORMED
    yield "network_plus", edited("function", "plus", 10**6), "an offset of 10^6", MALFORMED
    yield "network_mod_0", edited("function", "mod", 0), "modulo 0", MALFORMED
    yield "network_mod_large", edited("function", {"sum": [0, 0], "plus": 0, "mod": 3}), "a modulus above the number of classes", MALFORMED
    yield "network_table_true", changed(table, put(-2, "function", {"table": True})), "true is no count", MALFORMED
    yield "network_table_key", changed(table, put(-2, "function", {"table": 1, "mod": 1})), "an unknown key", MALFORMED
    yield "network_table_lines", changed(table, put(-2, "function", {"table": 2})), "another number of lines", MALFORMED
    yield "network_table_index", changed(table, put(-1, "table", 1)), "the lines begin with 1", MALFORMED
    yield "network_table_false", changed(table, put(-1, "table", False)), "false is no index", MALFORMED
    yield "network_table_short", changed(table, lambda lines: lines[-1]["argmax"].pop()), "a class is missing", MALFORMED
    yield "network_table_class", changed(table, lambda lines: lines[-1]["argmax"].__setitem__(0, 3)), "a class that is too large", MALFORMED
    all_pairs = {"domain": 0, "ids": [[0, 64]] * 2, "function": {"table": 1}}
    one_line = [all_pairs, {"table": 0, "argmax": [0] * 65**2}]
    yield "network_table_long_line", bare(one_line, vocabulary=65), "4,225 classes on one line", MALFORMED
    wide = {"vocabulary": 40, "positions": 3}
    large = {"domain": 0, "ids": [[0, 39]] * 3, "function": {"sum": [0, 0, 0], "plus": 1, "mod": 2}}
    yield "network_many_tuples", bare([large, {**large, "domain": 1}], **wide), "limit: 128,000 tuples, and the first is false", DECLINED | {"options": ["--max-operations", "100000"]}
    yield "network_table_of_many", bare([{**large, "ids": [[0, 1]] * 40, "function": {"table": 1}}], positions=40), "limit: 2^40 tuples", DECLINED


def tight_limits() -> Iterator[Simple]:
    from corpus_refuse_texts import tight

    spent = {
        "gelu": certificate([[0, 1]], 7, **KINDS["gelu"]), "tanh": certificate([[0, 1]], 7, **KINDS["tanh"]),
        "domain": bare(PAIRS), "enclosure": enclosures([[0]], 3),
    }
    for name, lines in spent.items():
        yield f"network_tight_operations_{name}", lines, "limit: one operation too many", tight(lines, "operations")
    held = {"cases": spent["gelu"], "table": domain({"blocks": 0}), "enclosure": spent["enclosure"]}
    for name, lines in held.items():
        yield f"network_tight_memory_{name}", lines, "limit: one byte too many", tight(lines, "memory")
    yield "network_tight_bits", spent["gelu"], "limit: one bit too many", tight(spent["gelu"], "bits")
