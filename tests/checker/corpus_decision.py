# fmt: off
"""Decisions, true and false: signs, leaders, counts, depths, and model files to compare with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from checker_kit import Lines, Point, dot, follows, header, points, system
from corpus_edits import DECLINED, MALFORMED, REJECTED, Simple, changed, drop, put

F = Fraction


def weighted_step(A: list[list[F]], tokens: list[Point], counts: Sequence[int], g: F) -> list[Point]:
    """One layer, every token counted with its multiplicity."""
    moved = []
    for x, group in zip(tokens, follows(A, tokens), strict=True):
        total = sum(counts[j] for j in group)
        mean = [sum(counts[j] * tokens[j][k] for j in group) / total for k in range(len(x))]
        moved.append(tuple(p + g * (q - p) for p, q in zip(x, mean, strict=True)))
    return moved


def weighted_states(line: dict[str, Any], counts: Sequence[int], layers: int) -> list[list[Point]]:
    """The tokens of layers 0..layers."""
    A = [[F(x) for x in row] for row in line["A"]]
    alpha = F(line["alpha"])
    found = [[tuple(F(x) for x in row) for row in line["tokens"]]]
    for _ in range(layers):
        found.append(weighted_step(A, found[-1], counts, alpha / (1 + alpha)))
    return found


def value_of(tokens: list[Point], line: dict[str, Any]) -> F:
    """b + <v, mean of all tokens>."""
    counts, v = line["counts"], [F(x) for x in line["v"]]
    mean = [sum(m * z[k] for m, z in zip(counts, tokens, strict=True)) / sum(counts) for k in range(len(v))]
    return F(line["b"]) + dot(v, mean)


def leaders_of(A: list[list[F]], states: list[list[Point]]) -> list[int]:
    """The tokens that follow what stands at their own place alone, in one of these states."""
    found = set()
    for tokens in states:
        found |= {i for i, group in enumerate(follows(A, tokens)) if all(tokens[j] == tokens[i] for j in group)}
    return sorted(found)


def decision(tokens: Any, counts: list[int], v: Any, b: Any, layers: int = 3, A: Any = None, alpha: Any = 3, deeper: bool = False) -> Lines:
    """The certificate with sign and leaders by definition."""
    line = system(tokens, A, alpha)
    decoder = {"counts": counts, "v": points([v])[0], "b": str(F(b)), "words": [f"word{i}" for i in range(len(tokens))]}
    states = weighted_states(line, counts, layers)
    leaders = leaders_of([[F(x) for x in row] for row in line["A"]], states[:layers])
    last = {"leaders": leaders, "positive": value_of(states[-1], decoder) > 0} | ({"deeper": True} if deeper else {})
    top = header("decision", len(tokens[0]), tokens=len(tokens), layers=layers) | {"version": [1, 1]}
    return [top, line, decoder, last]


PLANE = [[2, 1], [-1, 2], ["1/2", "1/4"], ["-1/4", 1], [0, "-1/8"]]
TIED = [[1, 1], [1, -1], ["1/2", 0], [-2, 0]]


def good() -> Iterator[tuple[str, Lines, str]]:
    """True decisions."""
    yield "decision_plain", decision(PLANE, [1, 2, 1, 3, 1], [1, -1], "1/8"), "five words in the plane"
    yield "decision_deeper", decision(PLANE, [1, 2, 1, 3, 1], [1, -1], "1/8", deeper=True), "the same at every larger depth"
    yield "decision_deeper_later", decision(PLANE, [1, 2, 1, 3, 1], [1, -1], "1/8", 9, deeper=True), "from layer 9 on"
    yield "decision_ties", decision(TIED, [1, 1, 2, 1], [1, 2], "-1/9"), "a word between two leaders"
    yield "decision_ties_weighted", decision(TIED, [3, 1, 2, 1], [1, 2], "-1/9"), "a tie counts copies: mean (1, 1/2), not (1, 0)"
    yield "decision_ties_deeper", decision(TIED, [1, 1, 2, 1], [3, 1], 2, 4, deeper=True), "a word locked between two leaders"
    yield "decision_no_layer", decision(PLANE, [1, 1, 1, 1, 1], [1, 0], 0, 0), "no layer: the mean of the words, no leaders"
    yield "decision_zero_word", decision([[0, 0], [1, 2], [-1, 1]], [2, 1, 1], [1, 1], 0), "a word at zero follows everybody"
    yield "decision_one_word", decision([[0]], [5], [3], "-1/7", 2, deeper=True), "one word at zero"
    yield "decision_matrix", decision(PLANE, [1, 2, 1, 3, 1], [1, -1], 0, 3, [[2, 1], [1, 1]], "1/2", deeper=True), "another norm"
    yield "decision_any_matrix", decision(PLANE, [1, 1, 1, 1, 1], [1, 1], 1, 3, [[1, -2], [2, 1]], 1), "no symmetry is asked for"
    yield "decision_merging", decision([[1, 0], [-1, 0], [1, 1]], [1, 1, 2], [0, 1], 1, 3, [[0, 0], [0, 1]], 1), "A semidefinite: words that meet"
    yield "decision_limit_zero", decision([[1], [-1]], [1, 1], [1], "1/9", 0, deeper=True), "value and limit both 1/9"
    yield "decision_towards_zero", decision([[2], [1]], [1, 1], [1], -2, 2, deeper=True), "negative at every depth, 0 in the limit"
    yield "decision_words_odd", changed(decision(PLANE, [1, 2, 1, 3, 1], [1, -1], "1/8"), put(2, "words", ["", "a b", "\u00e9\U0001f600", '"[{', "x"])), "words are any strings"
    yield "decision_three", decision([[1, 1, 1], [1, -1, 1], [1, 0, -1], ["1/2", 0, "1/5"], [-1, 0, 0]], [1, 9, 1, 4, 2], [1, "-1/3", 5], "1/1000", 8, deeper=True), "three dimensions, eight layers"


#: 1 - t toward 2 against a bias: the sign turns between depth 0 and large depth
TURNING = ([[2], [1]], [1, 1], [1], "-7/4")


def bad() -> Iterator[Simple]:
    """False or broken decisions, one at least for every check."""
    lines, deep = (decision(PLANE, [1, 2, 1, 3, 1], [1, -1], "1/8", deeper=deeper) for deeper in (False, True))
    yield "decision_sign", changed(lines, put(3, "positive", not lines[3]["positive"])), "the other sign", REJECTED
    yield "decision_zero", decision([[1], [-1]], [1, 1], [1], 0, 1), "the value is 0: no decision", REJECTED
    yield "decision_zero_negative", changed(decision([[1], [-1]], [1, 1], [1], 0, 1), put(3, "positive", True)), "the value is 0, called positive", REJECTED
    yield "decision_leader_missing", changed(lines, put(3, "leaders", lines[3]["leaders"][:-1])), "a leader left out", REJECTED
    yield "decision_leader_more", changed(lines, put(3, "leaders", [0, 1, 2])), "a follower called a leader", REJECTED
    yield "decision_leader_late", changed(decision(PLANE, [1] * 5, [1, -1], "1/8", 0), put(3, "leaders", [0])), "leaders are those of layers below K", REJECTED
    yield "decision_equal_tokens", decision([[2, 1], [2, 1], [-1, 2]], [1, 1, 1], [1, 0], 1), "two tokens at one place", REJECTED
    yield "decision_alpha", changed(lines, put(1, "alpha", "0")), "alpha is zero", REJECTED
    yield "decision_counts_matter", changed(decision(TIED, [3, 1, 2, 1], [0, 1], "-1/4", 6), put(2, "counts", [1, 3, 2, 1])), "other counts: other tie, other sign", REJECTED
    yield "decision_count_zero", changed(lines, put(2, "counts", 0, 0)), "a count of 0", MALFORMED
    yield "decision_count_text", changed(lines, put(2, "counts", 0, "1")), "a count as a string", MALFORMED
    yield "decision_counts_short", changed(lines, put(2, "counts", [1, 2, 1, 3])), "a count is missing", MALFORMED
    yield "decision_words_short", changed(lines, put(2, "words", ["a"])), "a word is missing", MALFORMED
    yield "decision_word_number", changed(lines, put(2, "words", 0, 7)), "a word that is no string", MALFORMED
    yield "decision_word_surrogate", changed(lines, put(2, "words", 0, "\ud800")), "a lone surrogate", MALFORMED
    yield "decision_v_short", changed(lines, put(2, "v", ["1"])), "v of another dimension", MALFORMED
    yield "decision_b_float", changed(lines, put(2, "b", "0.5")), "b is no canonical number", MALFORMED
    yield "decision_leaders_order", changed(lines, put(3, "leaders", [1, 0])), "indices that do not increase", MALFORMED
    yield "decision_leaders_far", changed(lines, put(3, "leaders", [0, 5])), "an index beyond the tokens", MALFORMED
    yield "decision_positive_text", changed(lines, put(3, "positive", "true")), "a sign that is no boolean", MALFORMED
    yield "decision_positive_one", changed(lines, put(3, "positive", 1)), "1 is not true", MALFORMED
    yield "decision_deeper_false", changed(deep, put(3, "deeper", False)), "deeper stands only where it is true", MALFORMED
    yield "decision_more_keys", changed(lines, put(3, "value", "1")), "an unknown key", MALFORMED
    yield "decision_no_words", changed(lines, drop(2, "words")), "a key is missing", MALFORMED
    yield "decision_version", changed(lines, put(0, "version", [1, 0])), "version [1,0] knows no decisions", MALFORMED
    yield "decision_no_decoder", changed(lines, lambda x: x.pop(2)), "a line is missing", MALFORMED
    yield "decision_tokens_count", changed(lines, put(0, "tokens", 4)), "another number of tokens", MALFORMED
    turned = decision(*TURNING, 0, deeper=True)
    yield "decision_deeper_turns", turned, "the sign is another one at large depth", REJECTED
    yield "decision_deeper_matrix", decision(PLANE, [1] * 5, [1, 1], 1, 3, [[1, 0], [0, 0]], 1, deeper=True), "A is only semidefinite", REJECTED
    yield "decision_deeper_asymmetric", decision(PLANE, [1] * 5, [1, 1], 1, 3, [[1, -2], [2, 1]], 1, deeper=True), "A is not symmetric", REJECTED
    moving = [[10, 5, 0], [10, -5, 0], [10, 4, 1], [10, -4, 1], [1, 0, "1/2"]]
    yield "decision_deeper_unlocked", decision(moving, [1] * 5, [1, 0, 0], 1, 1, None, "1/2", deeper=True), "a word follows words that do not lead", REJECTED
    yield "decision_deeper_zero", decision([[1, 1], [1, -1], [0, 0]], [1, 2, 1], [1, 0], 1, 0, None, 1, deeper=True), "a word at zero follows itself among others: it does not lead", REJECTED
    yield "decision_deeper_hidden", decision(TIED, [3, 1, 2, 1], [3, 1], 2, 0, deeper=True), "the leaders of a word do not all maximise <A c, .>", REJECTED


def model_of(lines: Lines, **changes: Any) -> dict[str, Any]:
    """A model file in which every word stands where the certificate has it, and one more word."""
    _, line, decoder, _ = lines
    words = [word for label in decoder["words"] for word in label.split(" ")]
    places = [row for label, row in zip(decoder["words"], line["tokens"], strict=True) for _ in label.split(" ")]
    columns = [[str(8 * F(x)) for x in column] + [3] for column in zip(*places, strict=True)]
    model = {
        "exactformer": "classifier", "version": [1, 0], "alpha": line["alpha"], "layers": lines[0]["layers"], "length": 128, "pairs": False, "denominator": 8,
        "A": line["A"], "v": [str(8 * F(x)) for x in decoder["v"]], "b": str(8 * F(decoder["b"])), "words": [*words, "other"], "embeddings": columns, "about": {},
    }
    return model | changes


def with_models() -> Iterator[Simple]:
    """Decisions beside the model file they are about, or are not about."""
    lines = changed(decision(PLANE, [1, 2, 1, 3, 1], [1, -1], "1/8"), put(2, "words", 1, "second again"))
    yield "decision_model", lines, "every word stands where the model has it", {"data": model_of(lines)}
    places = model_of(lines)["embeddings"]
    moved = [[*places[0][:2], "9", *places[0][3:]], places[1]]
    for name, changes, reason in (
        ("place", {"embeddings": moved}, "a word stands elsewhere in the model"), ("alpha", {"alpha": "2"}, "the model has another alpha"), ("layers", {"layers": 4}, "the model has more layers"),
        ("v", {"v": ["8", "8"]}, "the model has another v"), ("b", {"b": "0"}, "the model has another b"), ("A", {"A": [["2", "1"], ["1", "1"]]}, "the model has another A"),
        ("word", {"words": ["word0", "second", "again", "elsewhere", "word3", "word4", "other"]}, "the model does not know a word"),
    ):
        yield f"decision_model_{name}", lines, reason, REJECTED | {"data": model_of(lines, **changes)}
    for name, changes, reason in (
        ("short", {"embeddings": [places[0], places[1][:-1]]}, "a coordinate is missing"), ("kind", {"exactformer": "tokens"}, "no model file"), ("denominator", {"denominator": 0}, "the denominator is 0"),
        ("alpha_negative", {"alpha": "-3"}, "alpha is negative"), ("half", {"layers": "1/2"}, "half a layer"), ("words", {"words": [1] * 7}, "words that are no strings"), ("keys", {"more": 1}, "an unknown key"),
        ("dim", {"embeddings": places[:1]}, "another dimension"),
    ):
        yield f"decision_model_{name}", lines, reason, MALFORMED | {"data": model_of(lines, **changes)}


def long_runs() -> Iterator[tuple[str, Lines]]:
    """Decisions whose every charge is part of what is spent."""
    yield "decision", decision(PLANE, [1, 2, 1, 3, 1], [1, -1], "1/8", 4)
    yield "decision_deeper", decision(PLANE, [1, 2, 1, 3, 1], [1, -1], "1/8", 4, deeper=True)


def limited() -> Iterator[Simple]:
    """Limits that end a decision."""
    lines = decision(PLANE, [1, 2, 1, 3, 1], [1, -1], "1/8", 40, deeper=True)
    yield "decision_bits", lines, "limit: the state grows by two bits a layer", DECLINED | {"options": ["--max-bits", "60"]}
