# fmt: off
"""Recognisers and counters: true claims, forged ones, and files that break one rule of section 17 each."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from checker_kit import Lines, opened, sealed
from corpus_edits import DECLINED, MALFORMED, REJECTED, Simple, changed, drop, put
from recogniser_kit import random_recogniser

from exactformer.languages.automaton import Automaton
from exactformer.languages.expressions import of_expression
from exactformer.languages.literature import dyck_1, first, majority, parity
from exactformer.languages.named import language
from exactformer.languages.prove import Recognition, extract, prove
from exactformer.languages.recogniser import Periodic, Polynomial, Ratio, Recogniser
from exactformer.languages.recognition_claim import certify_no_recogniser
from exactformer.languages.transitions import counter, counter_for_every_period
from exactformer.model.feed_forward import FeedForward
from exactformer.model.heads import Head, MultiHeadAttention, MultiHeadBlock
from exactformer.model.matrix import Dense, Outer, Scalar, Sparse, Zero

F = Fraction
Good = tuple[str, Lines, str]
#: seeds of small random recognisers whose certificates are short, and between them have all masks, marks and both ends
SEEDS = (1, 7, 10, 14, 25, 28, 33, 41, 48, 57)


def written(write: Callable[[Path], Any]) -> Lines:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / "c.jsonl")
        return opened((Path(folder) / "c.jsonl").read_bytes())


def certified(found: Recognition) -> Lines:
    return written(found.certify)


def attention(*heads: Head, rho: Any = 0) -> MultiHeadBlock:
    return MultiHeadBlock(None, MultiHeadAttention(rho, heads))


def one(head: Head, **more: Any) -> Recogniser:
    return Recogniser("ab", [[1], [-1]], [attention(head)], [1], **{"zero": "rejected", **more})


def copying(mask: Any, ties: Any = "first", **more: Any) -> Recogniser:
    """Copies the first or last letter that is seen."""
    return one(Head(Scalar(1), Zero(), Zero(), mask, ties), **more)


def proof(r: Recogniser) -> Lines:
    return certified(prove(r, extract(r)))


def refutation(r: Recogniser, word: str = "") -> Lines:
    return certified(prove(r, extract(r) ^ Automaton.of_words("ab", [word])))


def example() -> Lines:
    return certified(prove(copying(None, empty=False, zero="neither"), of_expression("a(a|b)*")))


def counted(expression: str | Automaton, period: int | None = 1) -> Lines:
    automaton = of_expression(expression) if isinstance(expression, str) else expression
    found = counter(automaton, period) if period else counter_for_every_period(automaton)
    return written(lambda path: certify_no_recogniser(automaton, found, period, path))  # type: ignore[arg-type]


def forms() -> Recogniser:
    """A matrix in each of its five forms."""
    ff = FeedForward("1/2", Outer([1, "-1/3"], [1, 0]), [0, "1/2"], Sparse([{0: 2}, {1: -1}], 2))
    heads = [Head(Dense([[1, 0], [0, "1/3"]]), Scalar("1/2"), Scalar(1), "upto", "last"), Head(Scalar(0), Zero(), Sparse([{0: 1}], 2), "before", "first")]
    return Recogniser("ab", [[1, 0], ["-1/2", 1]], [MultiHeadBlock(ff, MultiHeadAttention("2/3", heads)), MultiHeadBlock(ff, None), MultiHeadBlock(None, None)], [1, 1], "1/5", zero="rejected")


def equal_ties() -> Recogniser:
    """Ties to all whose values agree wherever they are looked up: for the query of the begin mark they do not later on."""
    head = Head(Dense([[0, 0], [0, 1]]), Dense([[1, 0]]), Dense([[1, 0]]), "upto", "all")
    return Recogniser("ab", [[1, 1], [-1, 2]], [attention(head, rho=1)], [0, 1], 3, begin=[0, 0], zero="rejected")


def periodic(mask: Any = "upto") -> Recogniser:
    head = Head(Scalar(1), Zero(), Zero(), mask, "last")
    return Recogniser("ab", [[1], [-1]], [attention(head, rho=1)], [1], "1/2", features=[Periodic(0, [0, 1]), Periodic(0, [0, "1/2", 0])], zero="rejected")


def recognitions() -> Iterator[Good]:
    yield "language_example", example(), "the example of FORMAT.md: begins with a"
    for mask in ("before", "upto", "after", "from", None):
        for ties in ("first", "last"):
            at = "first" if mask in ("after", "from") else "last"
            yield f"language_copy_{mask or 'all'}_{ties}", proof(copying(mask, ties, at=at)), "copies a letter"
    yield "language_begin", proof(copying("before", "last", begin=[1])), "a begin mark"
    yield "language_end", proof(copying("after", "first", end=[-1], at="first")), "an end mark"
    yield "language_marks", proof(copying(None, "last", begin=[1], end=[-1], at="first")), "both marks"
    yield "language_forms", proof(forms()), "matrices in five forms"
    yield "language_equal_ties", proof(equal_ties()), "ties whose values agree"
    yield "language_periods", proof(periodic()), "periods 2 and 3"
    yield "language_periods_future", proof(periodic("after")), "periods and a guess"
    for seed in SEEDS:
        r = random_recogniser(seed, most_blocks=2)
        yield f"language_random_{seed}", proof(r), "a random recogniser"
        yield f"language_random_word_{seed}", refutation(r, "abba"[: seed % 5]), "a word on which it is wrong"
    for r, name in ((parity(), "parity"), (dyck_1(), "dyck-1"), (majority(), "majority"), (first(), "first")):
        yield f"language_upto_{name.replace('-', '_')}", certified(prove(r, language(name, up_to=4), up_to=4)), "all words of at most 4 letters"
    yield "language_word_draw", certified(prove(majority(), ~language("majority", up_to=3), up_to=3)), "a word on which it is wrong"
    for expression in ("(aa)*", "(aaa)*a", "(abab)*"):
        yield f"no_recogniser_{expression.strip('()*').replace(')*', '_')}", counted(expression), "a counter"
    yield "no_recogniser_period_2", counted("((a|b)(a|b)(a|b))*", 2), "a counter against period 2"
    for name in ("parity", "tomita-5", "tomita-6"):
        yield f"no_recogniser_{name.replace('-', '_')}", counted(language(name), None), "a counter against every period"


def corners() -> Iterator[Good]:
    bare = Recogniser("a", [[1]], [], [1], empty=True)
    yield "language_no_block", proof(bare), "no block: no table"
    yield "language_upto_0", certified(prove(bare, of_expression("a*"), up_to=0)), "the empty word alone"
    yield "language_word_empty", certified(prove(Recogniser("a", [[1]], [], [1]), of_expression("a*"))), "wrong on the empty word: zero is neither"
    yield "language_one_letter", certified(prove(bare, of_expression("a*"), up_to=30)), "one letter"
    unused = changed(example(), put(4, "queries", [["0"], ["7"]]), put(4, "summaries", [[None, None], [["0", 0], ["0", 0]], [["0", 1], ["0", 1]]]))
    yield "language_unused_query", unused, "a query that never occurs"
    yield "language_unused_value", changed(example(), lambda x: x[4]["values"].append(["5"])), "a value that never occurs"
    yield "language_unused_state", changed(example(), put(0, "product", 10), lambda x: x.append({"state": 9, "heads": [[0, 0]], "out": "reject", "residue": 0, "automaton": 0})), "a state that is never reached, and right"
    yield "language_escaped_letters", changed(example(), put(1, "letters", ["é", "\\"])), "letters that are written with escapes"
    larger = changed(counted("(aa)*"), put(0, "states", 4), put(1, "next", [[1], [2], [3], [0]]), put(1, "accepting", [0, 2]), put(2, "p", 4))
    yield "no_recogniser_not_minimal", larger, "a counter of an automaton that is not minimal"
    yield "language_upto_ratio", certified(prove(of_ratio({(0, 1): 1}), of_expression("(a|b)*"), up_to=3)), "a feature that reads the length"


def of_ratio(below: dict[tuple[int, int], Any]) -> Recogniser:
    return Recogniser("ab", [[1], [1]], [], [1], features=[Ratio(0, Polynomial({(0, 0): "1/3", (1, 1): 2}), Polynomial(below))], empty=True)


def refusals() -> Iterator[Simple]:
    yield from forged()
    yield from of_headers()
    yield from of_subjects()
    yield from of_blocks()
    yield from of_tables()
    yield from of_states()
    yield from of_counters()
    yield from of_data()
    yield from tight_limits()


def forged() -> Iterator[Simple]:
    """Claims that are false."""
    right = example()
    yield "language_other_language", changed(right, put(1, "accepting", [1, 2])), "another language", REJECTED
    yield "language_empty_word", changed(right, put(2, "empty", True)), "the empty word is accepted", REJECTED
    yield "language_other_ties", changed(right, put(3, "self_attention", "heads", 0, "ties", "last")), "the tables of the first letter, ties to the last", REJECTED
    yield "language_zero_is_neither", changed(proof(copying("before", "last")), put(2, "zero", "neither")), "zero counts as neither", REJECTED
    yield "language_zero_is_no_member", changed(proof(copying("before", "last")), put(1, "accepting", list(range(4)))), "everything is accepted", REJECTED
    future = proof(copying("after", "last", at="first"))
    nothing = {"queries": [], "values": [], "pairs": [], "summaries": [[]], "guessed": 1}
    start = {"state": 0, "heads": [0], "out": None, "residue": 0, "automaton": future[1]["start"]}
    yield "language_empty_tables", [{**future[0], "product": 1}, *future[1:4], {**future[4], **nothing}, start], "empty tables: every branch dies, and nothing is proved", REJECTED
    yield "language_no_pairs", changed(future, put(4, "pairs", [])), "queries, but no pair", REJECTED
    yield "language_no_query", changed(right, put(4, "queries", [["1"]])), "another query", REJECTED
    yield "language_guess_left_out", changed(future, put(4, "guessed", 2), lambda x: x.__setitem__(slice(None), renumbered([line for line in x if line.get("heads") != [2]]))), "a guess left out, with all states that have it", REJECTED
    for k in (0, 3, 8):
        yield f"language_state_left_out_{k}", renumbered([line for line in right if line.get("state") != k]), "a state left out", REJECTED
    past = proof(copying("upto", "last"))
    yield "language_summary_left_out", changed(past, lambda x: x[4]["summaries"].pop(), lambda x: x.__setitem__(slice(None), renumbered([line for line in x if line.get("heads") != [2]]))), "a summary left out, with all states that have it", REJECTED
    whole = changed(right, put(4, "guessed", 2), lambda x: x.__setitem__(slice(None), renumbered([line for line in x if line.get("heads", [[0]])[0][0] != 2])))
    yield "language_whole_left_out", whole, "a guess of the whole left out", REJECTED
    end = proof(copying("upto", "last", end=[-1]))
    yield "language_end_sign", changed(end, put(2, "end", ["1"])), "another end mark", REJECTED
    yield "language_read_left_out", changed(right, put(4, "summaries", right[4]["summaries"][:2]), put(4, "guessed", 1), put(4, "pairs", []), lambda x: x.__setitem__(slice(None), renumbered([line for line in x if line.get("heads") in (None, [[0, 0]])]))), "what is read has no summary", REJECTED
    begin = proof(copying("before", "last", begin=[1]))
    yield "language_after_begin_left_out", renumbered([line for line in begin if line.get("state") != 0]), "the state after the begin mark left out", REJECTED
    yield "language_fewer_guesses_than_states", changed(right[:6], put(0, "product", 1)), "more guesses than states", REJECTED
    yield "language_residues", changed(proof(Recogniser("a", [[1]], [], [1], empty=True)), put(2, "features", [{"coordinate": 0, "period": ["0"] * 7}])), "more residues than states", REJECTED
    periods = [{"coordinate": 0, "period": ["0"] * n} for n in (61, 67, 71, 73, 79, 83, 89, 97)]
    yield "language_astronomical_period", changed(right, put(2, "features", periods)), "periods with an astronomical common multiple", REJECTED
    average = one(Head(Scalar(1), Zero(), Zero(), "upto", "all"))
    values = {"queries": [["0"]], "values": [["1"], ["-1"], None], "pairs": [[["0"], 0], [["0"], 1]], "summaries": [[None], [["0", 0]], [["0", 1]], [["0", 2]]], "guessed": 0}
    lines = certified(prove(average, of_expression(".*a", "ab"), up_to=0))
    head = {key: value for key, value in lines[0].items() if key != "length"}
    states = [{"state": k, "heads": [k], "out": [None, "accept", "reject"][k], "residue": 0, "automaton": int(k == 1)} for k in range(3)]
    yield "language_average", [{**head, "scope": "all", "product": 3}, *lines[1:4], {"block": 0, "head": 0, **values}, *states], "tied positions with different values", REJECTED
    yield "language_average_without_null", [{**head, "scope": "all", "product": 3}, *lines[1:4], {"block": 0, "head": 0, **values, "values": [["1"], ["-1"], ["7"]]}, *states], "a mean stated as a value", REJECTED
    word = refutation(copying("upto", "last"), "ab")
    yield "language_word_short", changed(word, put(4, "word", [])), "a word of another length", MALFORMED
    yield "language_word_right", changed(word, put(4, "word", [0, 0])), "a word on which it is right", REJECTED
    upto = certified(prove(parity(), language("parity"), up_to=3))
    yield "language_upto_wrong", changed(upto, put(1, "accepting", [])), "wrong on a word", REJECTED
    late = extract(copying("upto", "last")) ^ Automaton.of_words("ab", ["bbb"])
    yield "language_prefixes_wrong", certified_anyway(copying("upto", "last"), 3, late), "wrong on the last word alone", REJECTED
    early = extract(copying("upto", "last")) ^ Automaton.of_words("ab", [""])
    yield "language_prefixes_wrong_at_once", certified_anyway(copying("upto", "last"), 3, early), "wrong on the empty word alone", REJECTED
    yield "language_upto_zero_denominator", certified_anyway(of_ratio({(1, 0): 1}), 2), "a denominator that vanishes", REJECTED
    yield "language_word_zero_denominator", changed(certified_anyway(of_ratio({(1, 0): 1, (0, 0): -1}), 2), put(0, "scope", "word"), lambda x: x.append({"word": [0, 0]})), "a denominator that vanishes", REJECTED


def certified_anyway(r: Recogniser, most: int, target: Automaton | None = None) -> Lines:
    from exactformer.languages.recognition_claim import certify_up_to

    return written(lambda path: certify_up_to(r, target or of_expression("(a|b)*"), most, path))


def renumbered(lines: Lines) -> Lines:
    """The states numbered anew, and counted."""
    states = [line for line in lines if "state" in line]
    rest = [line for line in lines if "state" not in line]
    return [{**rest[0], "product": len(states)}, *rest[1:], *[{**line, "state": k} for k, line in enumerate(states)]]


def of_headers() -> Iterator[Simple]:
    right, word = example(), refutation(copying("upto", "last"), "ab")
    values: dict[str, Any] = {"scope": "word", "dim": 0, "letters": 0, "states": 0, "product": 0, "blocks": True, "version": [1, 1]}
    for key, value in values.items():
        yield f"language_header_{key}", changed(right, put(0, key, value)), f"{key} is {value}", MALFORMED
    yield "language_scope_all_with_length", changed(word, put(0, "scope", "all")), "scope all and a length", MALFORMED
    yield "language_scope_list", changed(word, put(0, "scope", ["word"])), "a scope that is a list", MALFORMED
    yield "language_product_and_length", changed(right, put(0, "length", 3)), "both product and length", MALFORMED
    yield "language_neither", changed(right, drop(0, "product")), "neither product nor length", MALFORMED
    yield "language_length_true", changed(word, put(0, "length", True)), "a length that is true", MALFORMED


def of_subjects() -> Iterator[Simple]:
    right = example()
    automata: dict[str, tuple[Any, ...]] = {
        "keys": ("more", 1), "letters_short": ("letters", ["a"]), "letters_equal": ("letters", ["a", "a"]), "letters_number": ("letters", ["a", 1]),
        "rows": ("next", [[1, 2], [1, 1]]), "row": ("next", [[1, 2], [1], [2, 2]]), "target": ("next", [[1, 3], [1, 1], [2, 2]]), "target_true": ("next", [[True, 2], [1, 1], [2, 2]]),
        "accepting_order": ("accepting", [1, 1]), "accepting_range": ("accepting", [3]), "accepting_number": ("accepting", 1), "start": ("start", 3),
    }
    for name, (key, value) in automata.items():
        yield f"language_automaton_{name}", changed(right, put(1, key, value)), f"{key} is {value}", MALFORMED
    recognisers: dict[str, tuple[str, Any]] = {
        "keys": ("more", 1), "tokens": ("tokens", [["1"]]), "token": ("tokens", [["1"], ["1", "0"]]), "token_number": ("tokens", [["1"], [1]]), "begin": ("begin", []), "end": ("end", "1"),
        "features": ("features", {}), "at": ("at", "middle"), "accept": ("accept", ["1", "1"]), "threshold": ("threshold", 0), "zero": ("zero", "accepted"), "empty": ("empty", 1), "empty_word": ("empty", "true"),
    }
    for name, (key, value) in recognisers.items():
        yield f"language_recogniser_{name}", changed(right, put(2, key, value)), f"{key} is {value}", MALFORMED
    yield "language_empty_with_mark", changed(proof(copying("before", "last", begin=[1])), put(2, "empty", False)), "a verdict on the empty word, and a mark", MALFORMED
    yield "language_empty_with_end", changed(proof(copying("upto", "last", end=[1])), put(2, "empty", False)), "a verdict on the empty word, and a mark", MALFORMED
    features: dict[str, Any] = {
        "number": 1, "keys": {"coordinate": 0}, "both": {"coordinate": 0, "period": ["0"], "ratio": [[["1", 0, 0]], [["1", 0, 0]]]}, "coordinate": {"coordinate": 1, "period": ["0"]},
        "negative": {"coordinate": "0", "period": ["0"]}, "no_period": {"coordinate": 0, "period": []}, "period_integer": {"coordinate": 0, "period": [0]},
    }
    for name, feature in features.items():
        yield f"language_feature_{name}", changed(right, put(2, "features", [feature])), f"a feature {name}", MALFORMED
    good = certified_anyway(of_ratio({(0, 1): 1}), 2)
    yield "language_ratio_for_all", changed(right, put(2, "features", good[2]["features"])), "a ratio in scope all", MALFORMED
    ratios: dict[str, Any] = {
        "one": [[["1", 0, 0]]], "empty": [[], [["1", 0, 0]]], "term": [[["1", 0]], [["1", 0, 0]]], "order": [[["1", 1, 0], ["1", 0, 1]], [["1", 0, 0]]], "twice": [[["1", 1, 0], ["1", 1, 0]], [["1", 0, 0]]],
        "exponent": [[["1", 33, 0]], [["1", 0, 0]]], "exponent_n": [[["1", 0, 33]], [["1", 0, 0]]], "zero": [[["0", 0, 0]], [["1", 0, 0]]],
    }
    for name, ratio in ratios.items():
        yield f"language_ratio_{name}", changed(good, put(2, "features", 0, "ratio", ratio)), f"a ratio {name}", MALFORMED


def of_blocks() -> Iterator[Simple]:
    right, formed = example(), proof(forms())
    yield "language_block_number", changed(right, put(3, "block", 1)), "another number", MALFORMED
    yield "language_block_keys", changed(right, put(3, "more", 1)), "another key", MALFORMED
    yield "language_block_symmetric", changed(right, put(3, "self_attention", {"rho": "0", "V": {"zero": True}, "Q": {"zero": True}, "K": {"zero": True}})), "the layer of section 2", MALFORMED
    yield "language_no_head", changed(right, put(3, "self_attention", "heads", [])), "no head", MALFORMED
    heads: dict[str, tuple[str, Any]] = {"keys": ("more", 1), "mask": ("mask", "past"), "mask_false": ("mask", False), "ties": ("ties", "none"), "ties_null": ("ties", None), "rows_zero": ("V", {"rows": [[[0, "0"]]]}), "rows_column": ("V", {"rows": [[[1, "1"]]]}), "rows_height": ("V", {"rows": []}), "rows_more": ("V", {"rows": [[], []]}), "rows_entry": ("V", {"rows": [[[0]]]}), "rows_flat": ("V", {"rows": [0]}), "no_form": ("V", {"diagonal": ["1"]}), "two_forms": ("V", {"zero": True, "scalar": "1"}), "text": ("V", "1"), "zero_false": ("V", {"zero": False}), "dense_row": ("V", [["1", "1"]])}
    for name, (key, value) in heads.items():
        yield f"language_head_{name}", changed(right, put(3, "self_attention", "heads", 0, key, value)), f"{key} is {value}", MALFORMED
    yield "language_rows_order", changed(formed, put(3, "self_attention", "heads", 0, "V", {"rows": [[[1, "1"], [0, "1"]], []]})), "columns out of order", MALFORMED
    yield "language_rows_twice", changed(formed, put(3, "self_attention", "heads", 0, "V", {"rows": [[[1, "1"], [1, "1"]], []]})), "a column twice", MALFORMED
    yield "language_heights", changed(formed, put(3, "self_attention", "heads", 0, "Q", [["1", "0"]])), "Q and K of different heights", MALFORMED
    yield "language_scalar_shape", changed(formed, put(3, "feed_forward", "U", {"scalar": "1"}), put(3, "feed_forward", "b", ["0", "0", "0"])), "a scalar that is not square", MALFORMED
    yield "language_units", changed(formed, put(3, "feed_forward", "b", [])), "no unit", MALFORMED
    yield "language_feed_forward_keys", changed(formed, drop(3, "eta") if "eta" in formed[3] else put(3, "feed_forward", {})), "a feed-forward part without keys", MALFORMED
    yield "language_outer_shape", changed(formed, put(3, "feed_forward", "U", {"outer": [["1"], ["1", "0"]]})), "an outer product of another shape", MALFORMED


def of_tables() -> Iterator[Simple]:
    right, past = example(), proof(copying("upto", "last"))
    tables: dict[str, tuple[str, Any]] = {
        "block": ("block", 1), "head": ("head", 1), "keys": ("more", 1), "queries": ("queries", {}), "query_twice": ("queries", [["0"], ["0"]]), "query_height": ("queries", [["0", "0"]]), "values": ("values", None),
        "value_twice": ("values", [["1"], ["1"]]), "value_length": ("values", [["1"], ["1", "0"]]), "value_null": ("values", [["1"], ["-1"], None]), "pairs": ("pairs", 0), "pair_twice": ("pairs", [[["0"], 0], [["0"], 0]]),
        "pair_value": ("pairs", [[["0"], 2]]), "pair_short": ("pairs", [[["0"]]]), "pair_key": ("pairs", [[["0", "0"], 0]]), "summaries_none": ("summaries", []), "summary_twice": ("summaries", [[None], [["0", 0]], [["0", 0]]]),
        "summary_first": ("summaries", [[["0", 0]], [None], [["0", 1]]]), "summary_length": ("summaries", [[None], [["0", 0], None], [["0", 1]]]), "summary_value": ("summaries", [[None], [["0", 0]], [["0", 2]]]),
        "summary_score": ("summaries", [[None], [[0, 0]], [["0", 1]]]), "summary_entry": ("summaries", [[None], [["0"]], [["0", 1]]]), "summary_number": ("summaries", [[None], 0, [["0", 1]]]), "guessed_none": ("guessed", 0), "guessed_many": ("guessed", 4),
    }
    for name, (key, value) in tables.items():
        yield f"language_table_{name}", changed(right, put(4, key, value)), f"{key} is {value}", MALFORMED
    yield "language_table_guessed_past", changed(past, put(4, "guessed", 1)), "guesses of the past", MALFORMED
    mixed = proof(equal_ties())
    place = mixed[4]["values"].index(None)
    yield "language_table_null_pair", changed(mixed, put(4, "pairs", 0, 1, place)), "a pair whose value is null", MALFORMED
    yield "language_table_null_twice", changed(mixed, lambda x: x[4]["values"].append(None)), "the value null twice", MALFORMED


def of_states() -> Iterator[Simple]:
    right, future = example(), proof(copying("after", "last", at="first"))
    states: dict[str, tuple[str, Any]] = {
        "number": ("state", 4), "keys": ("more", 1), "heads": ("heads", []), "heads_more": ("heads", [[0, 1], [0, 1]]), "heads_number": ("heads", 0), "whole": ("heads", [0]), "whole_one": ("heads", [[0]]), "whole_range": ("heads", [[3, 1]]),
        "read_range": ("heads", [[0, 3]]), "out": ("out", "accepted"), "out_number": ("out", 0), "residue": ("residue", 1), "automaton": ("automaton", 3), "twice": ("out", None),
    }
    for name, (key, value) in states.items():
        more = [put(8, "heads", [[0, 0]]), put(8, "automaton", 0)] if name == "twice" else []
        yield f"language_state_{name}", changed(right, put(8, key, value), *more), f"{key} is {value}", MALFORMED
    yield "language_state_guess", changed(future, put(5, "heads", [99])), "a guess that is none", MALFORMED
    yield "language_state_summary", changed(proof(copying("upto", "last")), put(5, "heads", [99])), "a summary that is none", MALFORMED
    word = refutation(copying("upto", "last"), "ab")
    yield "language_word_letter", changed(word, put(0, "length", 1), put(4, "word", [2])), "a letter that is none", MALFORMED
    yield "language_word_text", changed(word, put(4, "word", "ab")), "a word that is a string", MALFORMED
    yield "language_word_keys", changed(word, put(4, "more", 0)), "another key", MALFORMED


def of_counters() -> Iterator[Simple]:
    two, every = counted("(aa)*"), counted(language("parity"), None)
    for name, (line, key, value) in {
        "dim": (0, "dim", 2), "period_zero": (0, "period", 0), "period_text": (0, "period", "1"), "period_true": (0, "period", True), "letters": (0, "letters", 2), "keys": (2, "e", [0]), "x": (2, "x", [1]), "x_number": (2, "x", 0), "u_empty": (2, "u", []), "u_letter": (2, "u", [1]), "z": (2, "z", [True]), "p_one": (2, "p", 1), "p_large": (2, "p", 3),
    }.items():
        yield f"no_recogniser_{name}", changed(two, put(line, key, value)), f"{key} is {value}", MALFORMED
    yield "no_recogniser_no_e", changed(every, drop(2, "e")), "no e", MALFORMED
    yield "no_recogniser_e_letter", changed(every, put(2, "e", [2])), "a letter that is none", MALFORMED
    yield "no_recogniser_wrong_period", changed(two, put(0, "period", 2)), "possible with period 2", REJECTED
    yield "no_recogniser_e_longer", changed(every, put(2, "e", [0, 0])), "e is longer than u", REJECTED
    yield "no_recogniser_e_moves", changed(every, put(2, "e", every[2]["u"])), "e does not fix the cycle", REJECTED
    yield "no_recogniser_no_cycle", changed(two, put(0, "states", 3), put(1, "next", [[1], [2], [2]])), "u does not lead back", REJECTED
    yield "no_recogniser_not_separated", changed(two, put(1, "accepting", [0, 1])), "z does not separate", REJECTED
    star_free = counted("(aa)*")
    yield "no_recogniser_star_free", changed(star_free, put(1, "next", [[0], [1]])), "u moves nothing", REJECTED


def recogniser_file(r: Recogniser) -> bytes:
    return sealed(written(r.save))


def of_data() -> Iterator[Simple]:
    right, two = example(), counted("(aa)*")
    mine, other = copying(None, empty=False, zero="neither"), copying(None, "last", empty=False, zero="neither")
    yield "language_data_other_recogniser", right, "another recogniser", {**REJECTED, "data": recogniser_file(other)}
    renamed = Recogniser("ba", mine.tokens, mine.blocks, mine.accept, empty=False)
    yield "language_data_other_letters", right, "other letters", {**REJECTED, "data": recogniser_file(renamed)}
    yield "language_data_other_automaton", right, "another automaton", {**REJECTED, "data": {**right[1], "accepting": []}}
    yield "language_data_neither", right, "neither a recogniser nor an automaton", {**MALFORMED, "data": {"letters": ["a"]}}
    yield "language_data_list", right, "a list", {**MALFORMED, "data": [1]}
    yield "language_data_certificate", right, "a certificate", {**MALFORMED, "data": {"exactformer": "certificate", "version": [1, 2], "dim": 1, "blocks": 0, "letters": ["a"]}}
    yield "language_data_cut", right, "a recogniser file cut short", {**MALFORMED, "data": recogniser_file(mine)[:-90]}
    header = written(mine.save)
    yield "language_data_version", right, "a recogniser file of another version", {**MALFORMED, "data": sealed([{**header[0], "version": [1, 1]}, *header[1:]])}
    yield "language_data_digest", right, "a recogniser file with another digest", {**MALFORMED, "data": recogniser_file(mine).replace(b'"sha256":"', b'"sha256":"0')}
    yield "language_data_bytes", right, "limit: a data file that is too long", {**DECLINED, "data": {**right[1], "letters": ["a" * 5000, "b"]}, "options": ["--max-bytes", "4000"]}
    yield "no_recogniser_data_recogniser", two, "a recogniser", {**MALFORMED, "data": recogniser_file(mine)}
    yield "no_recogniser_data_other", two, "another automaton", {**REJECTED, "data": {**two[1], "start": 1}}


def with_data() -> Iterator[tuple[str, Lines, str, dict[str, Any]]]:
    """True claims about the caller's file."""
    mine = copying(None, empty=False, zero="neither")
    yield "language_data_recogniser", example(), "the caller's recogniser", {"data": recogniser_file(mine)}
    yield "language_data_automaton", example(), "the caller's automaton", {"data": example()[1]}
    yield "no_recogniser_data", counted("(aa)*"), "the caller's automaton", {"data": counted("(aa)*")[1]}


def tight_limits() -> Iterator[Simple]:
    from corpus_refuse_texts import tight

    twice = MultiHeadBlock(FeedForward(1, [[1]], [0], [[1]]), None)
    large, small = (Recogniser("ab", [[1], [x]], [twice], [1], empty=True) for x in (2**90, F(1, 2**90)))
    outer = Recogniser("ab", [[1, 0], [0, 1]], [MultiHeadBlock(FeedForward(1, Outer([1, 1], [1, F(1, 3)]), [0, 0], Scalar(F(1, 3))), None)], [1, -1], empty=True)
    spent = {
        "example": example(), "forms": proof(forms()), "periods": proof(periodic("after")), "marks": proof(copying(None, "last", begin=[1], end=[-1], at="first")), "future": proof(copying("after", "first", end=[-1], at="first")),
        "upto": certified(prove(parity(), language("parity"), up_to=2)), "ratio": certified_anyway(of_ratio({(0, 1): F(1, 3)}), 2), "word": refutation(copying("upto", "last"), "ab"), "outer": proof(outer), "counter": counted(language("parity"), None),
    }
    for name, lines in spent.items():
        yield f"language_tight_operations_{name}", lines, "limit: one operation too many", tight(lines, "operations")
    for name in ("example", "forms", "periods", "marks", "outer"):
        yield f"language_tight_memory_{name}", spent[name], "limit: one byte too many", tight(spent[name], "memory")
    for name, r in {"integers": large, "fractions": small}.items():
        yield f"language_tight_bits_{name}", proof(r), "limit: one bit too many", tight(proof(r), "bits")
