# fmt: off
"""Broken texts, keys, numbers, matrices, limits and data files: every threat to a reader of certificates."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import corpus_accept as good
from checker_kit import Lines, body, header, interpolation, orbit, points, seal, sealed
from corpus_accept import POOL, ZERO, I, ff
from corpus_delay import TWO_TONES, recurrence, window
from corpus_edits import DECLINED, MALFORMED, REJECTED, Simple, changed, drop, put

F = Fraction


def base() -> Lines:
    """One block on two sequences; line 0 header, 1 block, 2 and 3 sequences."""
    block = (ff(1, [[1, 0], [0, 1]], [0, "1/2"], [[1, 2], [3, 4]]), {"rho": "1", "V": I, "Q": I, "K": I})
    return interpolation(2, [block], [{"tokens": [[1, 2], [3, "-1/2"]]}, {"tokens": [[0, 1]]}])


def texts() -> Iterator[Simple]:
    """Bytes that are no certificate."""
    raw, before = sealed(good.worked()), body(good.worked())
    lines = raw.splitlines(keepends=True)
    yield "empty_file", b"", "an empty file", MALFORMED
    yield "only_newline", b"\n", "an empty line", MALFORMED
    yield "truncated_middle", raw[:300], "cut in the middle of a line", MALFORMED
    yield "truncated_before_end", before, "the end line is missing", MALFORMED
    yield "truncated_sequence", b"".join([*lines[:5], lines[6]]), "a sequence is missing", MALFORMED
    yield "no_final_newline", raw[:-1], "the last LF is missing", MALFORMED
    yield "bytes_after_end", raw + b"\n", "an empty line after the end", MALFORMED
    yield "certificate_twice", raw + raw, "a second certificate after the end", MALFORMED
    yield "byte_order_mark", seal(b"\xef\xbb\xbf" + before), "a byte order mark", MALFORMED
    yield "utf16", raw.decode().encode("utf-16"), "UTF-16", MALFORMED
    yield "carriage_returns", seal(before.replace(b"\n", b"\r\n")), "CR LF", MALFORMED
    yield "tab", seal(before.replace(b'"dim":1', b'"dim":\t1')), "a TAB", MALFORMED
    yield "beyond_ascii", seal(before.replace(b'"targets":[["0"]]', '"targets":[["٠"]]'.encode(), 1)), "Arabic digits as bytes", MALFORMED
    yield "wrong_digest", raw.replace(hashlib.sha256(before).hexdigest().encode(), b"0" * 64), "another digest", MALFORMED
    yield "digest_upper_case", before + body([{"end": True, "sha256": hashlib.sha256(before).hexdigest().upper()}]), "a digest in capitals", MALFORMED
    yield "end_false", before + body([{"end": False, "sha256": hashlib.sha256(before).hexdigest()}]), "end is false", MALFORMED
    yield "end_one", before + body([{"end": 1, "sha256": hashlib.sha256(before).hexdigest()}]), "end is 1", MALFORMED
    yield "end_extra_key", before + body([{"end": True, "sha256": hashlib.sha256(before).hexdigest(), "more": 1}]), "an unknown key in the end line", MALFORMED
    yield "altered_after_sealing", raw.replace(b'["2"]', b'["3"]'), "a number changed after sealing", REJECTED
    yield "altered_unused", raw.replace(b'{"block":0,', b'{ "block":0,'), "a blank added after sealing", MALFORMED
    yield "duplicate_key", seal(before.replace(b'{"sequence":0,', b'{"sequence":0,"sequence":0,')), "a key twice", MALFORMED
    yield "duplicate_key_nested", seal(before.replace(b'"rho":"0"', b'"rho":"1","rho":"0"')), "a key twice, deep inside", MALFORMED
    yield "nan", seal(before.replace(b'"dim":1', b'"dim":NaN')), "NaN", MALFORMED
    yield "infinity", seal(before.replace(b'"sequences":3', b'"sequences":Infinity')), "Infinity", MALFORMED
    yield "float_count", seal(before.replace(b'"blocks":2', b'"blocks":2.0')), "a count with a dot", MALFORMED
    yield "exponent_count", seal(before.replace(b'"blocks":2', b'"blocks":2e0')), "a count with an exponent", MALFORMED
    yield "negative_index", seal(before.replace(b'{"sequence":0', b'{"sequence":-0')), "minus zero as an index", MALFORMED
    yield "huge_count", seal(before.replace(b'"blocks":2', b'"blocks":2' + b"0" * 5000)), "a count of five thousand digits", MALFORMED
    yield "count_of_sixteen_digits", seal(before.replace(b'"blocks":2', b'"blocks":1000000000000002')), "a count of sixteen digits", MALFORMED
    yield "boolean_index", seal(before.replace(b'{"sequence":0', b'{"sequence":false')), "false is not 0", MALFORMED
    yield "float_number", seal(before.replace(b'[["1"]]', b"[[1.0]]", 1)), "a float where a string is wanted", MALFORMED
    yield "integer_number", seal(before.replace(b'[["1"]]', b"[[1]]", 1)), "a JSON integer where a string is wanted", MALFORMED
    yield "deep_nesting", seal(before.replace(b'[["1"]]', b"[" * 50000 + b"]" * 50000, 1)), "brackets fifty thousand deep", MALFORMED
    yield "deep_nesting_hidden", seal(before.replace(b'[["1"]]', b'["]",' * 3000 + b"0" + b',"["]' * 3000, 1)), "deep nesting behind brackets in strings", MALFORMED
    yield "deep_nesting_escapes", seal(before.replace(b'[["1"]]', b'["\\"]",' * 3000 + b"0" + b',"[\\""]' * 3000, 1)), "deep nesting behind escaped quotes", MALFORMED
    yield "nine_deep", seal(before.replace(b'{"zero":true}', b"[[[[[[[0]]]]]]]", 1)), "nesting nine deep", MALFORMED
    yield "unbalanced", seal(before.replace(b'"targets":[["0"]]}', b'"targets":[["0"]}', 1)), "a bracket is missing", MALFORMED
    yield "two_values", seal(before.replace(b"\n", b" {}\n", 1)), "two values on a line", MALFORMED
    yield "not_json", seal(before.replace(b'"dim":1', b"'dim':1")), "single quotes", MALFORMED
    yield "header_a_list", seal(b'["exactformer"]\n'), "the header is a list", MALFORMED
    yield "line_a_list", seal(b"".join([lines[0], b"[]\n"])), "a line that is a list", MALFORMED
    yield "lone_surrogate", seal(body(interpolation(1, [], [{"tokens": [[1]], "label": "\ud800"}]))), "a lone surrogate in a label", MALFORMED


def envelopes() -> Iterator[Simple]:
    """Header, keys, order, counts."""
    lines = base()
    cases: list[tuple[str, str, list[Any]]] = [
        ("other_kind", "not a certificate", [put(0, "exactformer", "transformer")]),
        ("version_two", "another version", [put(0, "version", [2, 0])]),
        ("version_booleans", "true is not 1", [put(0, "version", [True, False])]),
        ("version_long", "three numbers", [put(0, "version", [1, 0, 0])]),
        ("unknown_claim", "an unknown claim", [put(0, "claim", "interpolations")]),
        ("claim_a_list", "a claim that is a list", [put(0, "claim", ["interpolation"])]),
        ("no_claim", "no claim", [drop(0, "claim")]),
        ("unknown_header_key", "an unknown key in the header", [put(0, "more", 1)]),
        ("missing_header_key", "no attention in the header", [drop(0, "attention")]),
        ("dim_zero", "dimension zero", [put(0, "dim", 0)]),
        ("dim_string", "a count as a string", [put(0, "dim", "2")]),
        ("no_sequences", "zero sequences", [put(0, "sequences", 0), lambda x: x.__delitem__(slice(2, 4))]),
        ("dim_three", "points of another dimension", [put(0, "dim", 3)]),
        ("attention_other", "unknown attention", [put(0, "attention", "linear")]),
        ("too_few_blocks", "the header says one block more", [put(0, "blocks", 2)]),
        ("too_many_blocks", "the header says no block", [put(0, "blocks", 0)]),
        ("too_few_sequences", "the header says one sequence more", [put(0, "sequences", 3)]),
        ("too_many_sequences", "the header says one sequence less", [put(0, "sequences", 1)]),
        ("block_number", "block 1 instead of 0", [put(1, "block", 1)]),
        ("block_boolean", "block false", [put(1, "block", False)]),
        ("sequence_number", "sequences out of order", [put(2, "sequence", 1), put(3, "sequence", 0)]),
        ("block_key", "an unknown key in a block", [put(1, "more", 1)]),
        ("ff_key", "an unknown key in the feed-forward part", [put(1, "feed_forward", "more", 1)]),
        ("ff_missing", "no eta", [drop(1, "feed_forward") and put(1, "feed_forward", {"U": I, "b": ["0", "1"], "W": I})]),
        ("ff_false", "false instead of null", [put(1, "feed_forward", False)]),
        ("sa_key", "an unknown key in the attention part", [put(1, "self_attention", "more", 1)]),
        ("sequence_key", "an unknown key in a sequence", [put(2, "more", 1)]),
        ("sequence_no_targets", "no targets", [drop(2, "targets")]),
        ("label_in_one", "a label in one sequence only", [put(2, "label", "a")]),
        ("label_not_in_all", "a label missing in the second", [put(2, "label", "a"), put(3, "label", "b"), drop(3, "label")]),
        ("label_number", "a label that is a number", [put(2, "label", 1), put(3, "label", 2)]),
        ("tokens_empty", "a sequence without tokens", [put(2, "tokens", [])]),
        ("tokens_object", "tokens that are an object", [put(2, "tokens", {"0": ["1", "2"]})]),
        ("token_object", "a token that is an object", [put(2, "tokens", 0, {"a": 1, "b": 2})]),
        ("token_string", "a token that is a string", [put(2, "tokens", 0, "12")]),
        ("token_short", "a token with one coordinate", [put(2, "tokens", 0, ["1"])]),
        ("token_long", "a token with three coordinates", [put(2, "tokens", 0, ["1", "2", "3"])]),
        ("targets_empty", "no targets at all", [put(3, "targets", [])]),
        ("target_twice", "a target stands twice", [lambda x: x[3]["targets"].append(x[3]["targets"][0])]),
    ]
    for name, reason, edits in cases:
        yield f"envelope_{name}", changed(lines, *edits), reason, MALFORMED
    bad = {"plus": "+1", "blank": " 1", "underscore": "1_0", "leading_zero": "01", "minus_zero": "-0", "not_lowest": "2/4", "over_one": "3/1", "over_zero": "1/0", "zero_over": "0/2", "negative_below": "1/-2", "dot": "0.5", "exponent": "1e3", "huge_exponent": "1e10000000", "hexadecimal": "0x10", "empty": "", "arabic": "\u0663", "full_width": "\uff11", "newline": "1\n", "comma": "1,2", "comma_only": ",", "word": "nan", "two_bars": "1/2/3", "double_minus": "--1"}
    for name, number in bad.items():
        yield f"number_{name}", changed(lines, put(2, "tokens", 0, 0, number)), f"the number {number!r}", MALFORMED
    for name, value in {"null": None, "true": True, "list": ["1"], "object": {}}.items():
        yield f"number_{name}", changed(lines, put(2, "tokens", 0, 0, value)), "no string", MALFORMED
    yield "number_not_lowest_later", changed(lines, put(3, "tokens", 0, 0, "2/4")), "a number of a later line that is not in lowest terms", MALFORMED
    yield "number_comma_hides_count", changed(lines, put(2, "tokens", [["1,2", "3"], ["4", "5"]])), "two numbers in one string", MALFORMED


def equal_blocks() -> Iterator[Simple]:
    constant = (ff(1, ZERO, [1], [["1"]]), None)
    lines = interpolation(1, [constant] * 3, [{"tokens": [[1]]}])
    yield "equal_zero_one", changed(lines, put(2, "feed_forward", "U", {"zero": 1})), "equal to the block before, but for true and 1", MALFORMED
    yield "equal_block_number", changed(lines, put(2, "block", 0)), "equal to the block before, its number too", MALFORMED
    yield "equal_one_less", interpolation(1, [constant] * 3, [{"tokens": [[1]], "targets": [[3]]}]), "three equal blocks, the output of two", REJECTED
    yield "equal_null", interpolation(1, [constant, (None, None), constant], [{"tokens": [[1]], "targets": [[4]]}]), "two equal blocks and the identity, the output of three", REJECTED


def matrices() -> Iterator[Simple]:
    lines = base()
    F_, S = "feed_forward", "self_attention"
    cases: list[tuple[str, str, list[Any]]] = [
        ("not_a_matrix", "a matrix that is a string", [put(1, S, "V", "1")]),
        ("unknown_form", "a matrix of unknown form", [put(1, S, "V", {"diagonal": ["1", "2"]})]),
        ("two_forms", "a matrix with two forms", [put(1, S, "V", {"zero": True, "scalar": "1"})]),
        ("zero_false", "zero: false", [put(1, S, "V", {"zero": False})]),
        ("zero_one", "zero: 1", [put(1, S, "V", {"zero": 1})]),
        ("ragged", "rows of different lengths", [put(1, S, "V", [["1", "2"], ["3"]])]),
        ("rows", "three rows instead of two", [put(1, S, "V", [["1", "2"], ["3", "4"], ["5", "6"]])]),
        ("row_object", "a row that is an object", [put(1, S, "V", [["1", "2"], {"3": "4", "5": "6"}])]),
        ("no_rows", "no rows", [put(1, S, "Q", [])]),
        ("scalar_not_square", "a multiple of the identity, three by two", [put(1, F_, "U", I), put(1, F_, "b", ["1", "1", "1"]), put(1, F_, "W", ZERO)]),
        ("scalar_integer", "a scalar that is no string", [put(1, S, "V", {"scalar": 1})]),
        ("outer_one_list", "outer with one list", [put(1, S, "V", {"outer": [["1", "2"]]})]),
        ("outer_short_column", "outer with a short column", [put(1, S, "V", {"outer": [["1"], ["1", "2"]]})]),
        ("outer_short_row", "outer with a short row", [put(1, S, "V", {"outer": [["1", "2"], ["1"]]})]),
        ("outer_empty", "outer with an empty column", [put(1, S, "Q", {"outer": [[], ["1", "2"]]})]),
        ("heights", "Q with one row, K with two", [put(1, S, "Q", [["1", "2"]])]),
        ("heights_zero_dense", "Q a dense zero with one row, K with two", [put(1, S, "Q", [["0", "0"]])]),
        ("bias_empty", "no unit", [put(1, F_, "b", [])]),
        ("bias_long", "more biases than rows", [put(1, F_, "b", ["1", "2", "3"])]),
        ("W_shape", "W with a column too few", [put(1, F_, "W", [["1"], ["2"]])]),
        ("eta_integer", "eta that is no string", [put(1, F_, "eta", 1)]),
        ("eta_leading_zero", "eta not canonical", [put(1, F_, "eta", "01")]),
        ("eta_not_lowest", "eta not in lowest terms", [put(1, F_, "eta", "2/4")]),
        ("rho_object", "rho that is an object", [put(1, S, "rho", {})]),
    ]
    for name, reason, edits in cases:
        yield f"matrix_{name}", changed(lines, *edits), reason, MALFORMED


def wrong_interpolations() -> Iterator[Simple]:
    lines, worked = base(), good.worked()
    yield "wrong_target", changed(worked, put(5, "targets", [["5/2"]])), "a wrong target", REJECTED
    yield "wrong_by_a_hair", changed(worked, put(5, "targets", [[str(2 + F(1, 10**40))]])), "wrong by 10^-40", REJECTED
    yield "target_missing", changed(lines, put(2, "targets", lines[2]["targets"][:1])), "an output that is no target", REJECTED
    yield "target_extra", changed(lines, lambda x: x[2]["targets"].append(["99", "99"])), "a target that is no output", REJECTED
    yield "last_sequence_wrong", changed(lines, put(3, "targets", [["1", "1"]])), "the last sequence fails", REJECTED
    yield "no_blocks_no_match", interpolation(1, [], [{"tokens": [[1]], "targets": [[2]]}]), "no blocks, and targets other than the inputs", REJECTED
    yield "blocks_swapped", changed(worked, lambda x: x.__setitem__(slice(1, 3), [{**x[2], "block": 0}, {**x[1], "block": 1}])), "blocks swapped", REJECTED
    yield "set_not_multiset_mean", interpolation(1, [(None, POOL)], [{"tokens": [[0], [0], [3]], "targets": [["3/2"]]}]), "the mean counts multiplicity", REJECTED
    yield "tie_broken", interpolation(2, [(None, {"rho": "0", "V": I, "Q": I, "K": I})], [{"tokens": [["3/5", "4/5"], [1, 0], ["4/5", "2/5"]], "targets": [["3/5", "4/5"], [1, 0]]}]), "an exact tie broken as floats break it", REJECTED
    yield "relu_sign", interpolation(1, [(ff(0, [[1]], [0], [[1]]), None)], [{"tokens": [[-1]], "targets": [[-1]]}]), "relu left out", REJECTED
    yield "close_breakpoints_wrong", interpolation(1, [(ff(0, [[1], [1]], [0, -F(1, 2**70)], [[1, 5]]), None)], [{"tokens": [[F(1, 2**69)]], "targets": [[F(1, 2**69)]]}]), "two breakpoints closer than 2^-64 taken for one", REJECTED
    yield "softmax_scores", interpolation(1, [(None, {"rho": "1", "V": I, "Q": I, "K": I})], [{"tokens": [[1]]}], "softmax"), "softmax with scores that are not zero", REJECTED
    yield "softmax_cancelling", interpolation(2, [(None, {"rho": "1", "V": I, "Q": [["1", "0"], ["1", "0"]], "K": [["1", "0"], ["-1", "0"]]})], [{"tokens": [[1, 0]]}], "softmax"), "softmax needs Q or K zero", REJECTED
    yield "labels_equal_targets_differ", interpolation(1, [], [{"tokens": [[1]], "label": "a"}, {"tokens": [[2]], "label": "a"}]), "one label, two target sets", REJECTED
    yield "labels_differ_targets_equal", interpolation(1, [], [{"tokens": [[1]], "label": "a"}, {"tokens": [[1]], "label": "b"}]), "two labels, one target set", REJECTED


def limits() -> Iterator[Simple]:
    grow = interpolation(1, [(None, {"rho": "0", "V": {"scalar": "9" * 200}, "Q": ZERO, "K": ZERO})] * 5, [{"tokens": [[1]]}])
    worked = good.worked()
    yield "limit_digits", good.long_number(5000), "limit: five thousand digits", DECLINED
    yield "limit_digits_eta", changed(base(), put(1, "feed_forward", "eta", "7" * 5000)), "limit: five thousand digits of a single number", DECLINED
    yield "limit_digits_million", good.long_number(10**5), "limit: a hundred thousand digits", DECLINED
    yield "limit_bits", grow, "limit: bits", DECLINED | {"options": ["--max-bits", "2000"]}
    yield "limit_operations", worked, "limit: operations", DECLINED | {"options": ["--max-operations", "20"]}
    yield "limit_bytes", worked, "limit: bytes", DECLINED | {"options": ["--max-bytes", "200"]}
    yield "limit_line", worked, "limit: line", DECLINED | {"options": ["--max-line", "100"]}
    yield "limit_common_denominator", interpolation(3, [], [{"tokens": [[F(1, 2**40), F(1, 3**40), F(1, 5**40)]]}]), "limit: bits of a common denominator", DECLINED | {"options": ["--max-bits", "100"]}
    wide = ff(1, ZERO, [-1], [[F(1, 2**40)], [F(1, 3**40)], [F(1, 5**40)]])
    yield "limit_column_denominator", interpolation(3, [(wide, None)], [{"tokens": [[1, 2, 3]]}]), "limit: bits of the common denominator of a column of W", DECLINED | {"options": ["--max-bits", "100"]}
    yield "limit_dimension", [header("interpolation", 10**9, attention="hardmax", blocks=1, sequences=1), {"block": 0, "feed_forward": ff(1, ZERO, [0], ZERO), "self_attention": None}], "limit: a billion dimensions", DECLINED
    yield "limit_orbit_bits", orbit([[1, 2], [3, 1], [0, "1/7"]], 6, None, "1/1000003"), "limit: bits of an orbit", DECLINED | {"options": ["--max-bits", "60"]}
    far = changed(good.with_forms(good.limit([[2, 1], [1, 0]])), put(3, "from", 10**12))
    yield "limit_from_operations", far, "limit: a positivity test from a distant layer", DECLINED
    yield "limit_from_bits", changed(far, put(3, "from", 600)), "limit: bits of a positivity test", DECLINED | {"options": ["--max-bits", "1000"]}
    yield "limit_layers", changed(good.statement("graph-constant-after-n", good.LATE, 18, alpha="1/50"), put(0, "layers", 600)), "limit: six hundred layers", DECLINED | {"options": ["--max-operations", "60000"]}
    yield "limit_split", good.slow(split=10**6), "limit: a distant split", DECLINED
    yield "limit_data_digits", worked, "limit: digits in the data file", DECLINED | {"data": data_of([([[10**200]], [[0]])] * 3), "options": ["--max-digits", "100"]}
    yield "limit_data_bytes", worked, "limit: bytes of the data file", DECLINED | {"data": data_of([([[0]], [[0]])] * 200), "options": ["--max-bytes", "1500"]}


def tight(lines: Lines, option: str, data: Any = None) -> dict[str, Any]:
    """Declined by one less than the smallest limit with which the certificate is accepted."""
    from proofs_check import Limits, check

    low, high = 0, 2**40
    with tempfile.NamedTemporaryFile() as file, tempfile.NamedTemporaryFile() as beside:
        file.write(sealed(lines))
        beside.write(json.dumps(data).encode())
        file.flush()
        beside.flush()
        while high - low > 1:
            middle = (low + high) // 2
            done = check(file.name, beside.name if data else None, Limits(**{option: middle})).verdict == "accepted"
            low, high = (low, middle) if done else (middle, high)
    return DECLINED | {"options": [f"--max-{option}", str(low)]} | ({"data": data} if data else {})


def tight_limits() -> Iterator[Simple]:
    corner = {name: lines for name, lines, _ in good.corners()}
    false = {name.removeprefix("false_"): lines for name, lines, _ in good.counterexamples()}
    spent = {name: corner[name] for name in ("outer_matrices", "scalar_matrices", "rank_one_signs", "dense_attention", "close_breakpoints", "not_parallel", "not_parallel_wide", "blocks_out_of_reach", "mean_along", "equal_tents", "equal_growing")}
    spent |= {"projection": good.projection([[1, 1], [1, -1], [3, 0]], [1, 0], [[0, "1/2"], [1, "1/2"]]), "orbit": orbit([[1, 2], [3, 4]], 2), "forms": good.with_forms(good.limit([[2, 1], [1, 0]]), 4), "frank_wolfe": changed(false["frank_wolfe"]), "exponentially_fast": changed(false["exponentially_fast"]), "moving": good.limit(*good.LIMITS[-1][1:4])}
    spent |= {"recurrence": recurrence("plane"), "recurrence_kernel": recurrence("others_too"), "recurrence_none": recurrence("none"), "window": window(TWO_TONES)}
    a, b = F(1, 5**40), F(1, 7**40)
    scores = {"rho": str(b), "V": points([[a, b], [b, a]]), "Q": points([[a, b], [1, a]]), "K": points([[b, a], [a, 1]])}
    spent["long_numbers"] = interpolation(2, [(ff(a, [[a, b]] * 3, [a, b, 1], [[a, b, 1], [b, a, 1]]), scores)], [{"tokens": [[a, b], [b, 1]]}])
    spent["wide"] = interpolation(1, [(ff(0, [[1]] * 5, [0, -1, -2, -3, -4], [[1, 1, -2, 3, -1]]), None)], [{"tokens": [["1/2"], [3], ["9/2"]]}])
    spent["long_run"] = interpolation(1, [(ff(1, [[a]], [-b], [[1]]), None), *[(ff(1, [[a]], [-b - k], [[1]]), None) for k in range(1, 5)]], [{"tokens": [[0], [5]]}])
    spent["one_hash"] = interpolation(1, [], [{"tokens": [[k * (2**61 - 1)] for k in range(1, 601)]}])
    for name, lines in spent.items():
        yield f"tight_operations_{name}", lines, "limit: one operation too many", tight(lines, "operations")
    for name in ("outer_matrices", "scalar_matrices", "close_breakpoints", "long_numbers", "long_run", "recurrence", "window"):
        yield f"tight_memory_{name}", spent[name], "limit: one byte too many", tight(spent[name], "memory")
    worked = good.worked()
    written = data_of([([["0." + "0" * 300]], [[0]]), ([[1]], [[1]]), ([[0], [1]], [[2]])])
    for option in ("operations", "memory"):
        yield f"tight_{option}_data", worked, "limit: a long number in the data file", tight(worked, option, written)
    combination = good.vertex([[0], [a], [b], [-a], [-b]], 0, None, [[i, "1/4"] for i in (1, 2, 3, 4)])
    elimination = good.projection([[0, 0]], [0, 0], [[0, "1"]], [[F(5**20, 7**20), F(1, 11**20)], [F(1, 11**20), 1]])
    last = interpolation(1, [(ff(0, [[1]] * 5, [0, -5, -5, -5, -5], [[a, b, 1, 1, 1]]), None)], [{"tokens": [[0]]}])
    first = interpolation(1, [(ff(0, [[-1]] * 5, [0, 5, 5, 5, 5], [[a, b, 1, 1, 1]]), None)], [{"tokens": [[9]]}])
    ends = interpolation(1, [(None, {"rho": "0", "V": {"scalar": "9" * 40}, "Q": ZERO, "K": ZERO})] * 2, [{"tokens": [[1]]}])
    middle = interpolation(1, [(None, {"rho": "0", "V": {"scalar": x}, "Q": ZERO, "K": ZERO}) for x in ("9" * 40, "9" * 40, "0")], [{"tokens": [[1]]}])
    mean = interpolation(1, [(None, {"rho": "0", "V": ZERO, "Q": ZERO, "K": ZERO})], [{"tokens": [[a], [b]]}])
    columns = interpolation(2, [(ff(1, [[1, 0], [0, 1], [1, 1], [1, 2], [2, 1]], [-9] * 5, [[a, 1, 1, 1, 1], [b, 1, 1, 1, 1]]), None)], [{"tokens": [[0, 0]]}])
    states = orbit([[10**60 + 1], [3]], 1)
    form = good.limit(*good.LIMITS[-1][1:4])
    moved = changed(form, lambda x: x[6]["form"].extend({"base": "1/7", "power": 0, "vector": [str(s * F(1, p**40)), "0", "0"]} for s in (1, -1) for p in (5, 7)))
    for name, lines in {"combination": combination, "elimination": elimination, "last_piece": last, "first_piece": first, "output": ends, "between_blocks": middle, "mean": mean, "columns": columns, "orbit": states, "form": moved, "window": window([F(4, 5), F(3, 7**12)])}.items():
        yield f"tight_bits_{name}", lines, "limit: one bit too many", tight(lines, "bits")


def data_of(rows: Any) -> dict[str, Any]:
    return {"exactformer": "dataset", "version": [1, 0], "sequences": [{"tokens": tokens, "targets": targets} for tokens, targets in rows]}


def data_files() -> Iterator[Simple]:
    worked, right = good.worked(), [([[0]], [[0]]), ([[1]], [[1]]), ([[0], [1]], [[2]])]
    full = data_of(right)
    labelled = {"exactformer": "dataset", "version": [1, 0], "sequences": [{"tokens": [[1]], "label": "a"}, {"tokens": [[2]], "label": "b"}]}
    named = interpolation(1, [], [{"tokens": [[1]], "label": "a"}, {"tokens": [[2]], "label": "b"}])
    yield "data_other_tokens", worked, "easier data than the caller's", REJECTED | {"data": data_of([*right[:2], ([[0], [3]], [[2]])])}
    yield "data_other_order", worked, "tokens in another order", REJECTED | {"data": data_of([*right[:2], ([[1], [0]], [[2]])])}
    yield "data_other_targets", worked, "other targets", REJECTED | {"data": data_of([*right[:2], ([[0], [1]], [[3]])])}
    yield "data_fewer", worked, "one sequence fewer", REJECTED | {"data": data_of(right[:2])}
    yield "data_more", worked, "one sequence more", REJECTED | {"data": data_of([*right, right[0]])}
    yield "data_other_label", named, "another label", REJECTED | {"data": changed([labelled], lambda x: x[0]["sequences"][1].__setitem__("label", "c"))[0]}
    yield "data_no_labels", worked, "labels asked for, none certified", REJECTED | {"data": {**labelled, "sequences": [{"tokens": [[0]], "label": "a"}, {"tokens": [[1]], "label": "b"}, {"tokens": [[0], [1]], "label": "c"}]}}
    broken = {"boolean": [[True]], "null": [[None]], "word": [["x"]], "over_zero": [["1/0"]], "empty": [], "empty_row": [[]], "long_exponent": [["1e99999"]], "algebraic": [["sqrt(2)"]]}
    for name, tokens in broken.items():
        yield f"data_{name}", worked, "an unreadable data file", MALFORMED | {"data": data_of([(tokens, [[0]]), *right[1:]])}
    yield "data_nan", worked, "NaN in the data file", MALFORMED | {"data": json.dumps(data_of([([[float("nan")]], [[0]]), *right[1:]])).encode()}
    yield "data_kind", worked, "a token file", MALFORMED | {"data": {**full, "exactformer": "tokens"}}
    yield "data_version", worked, "another version", MALFORMED | {"data": {**full, "version": [1, 1]}}
    yield "data_list", worked, "a list", MALFORMED | {"data": b"[]"}
    yield "data_not_json", worked, "no JSON", MALFORMED | {"data": b"{"}
    yield "data_not_utf8", worked, "no UTF-8", MALFORMED | {"data": b'{"exactformer":"\xff"}'}
    yield "data_deep", worked, "deep nesting", MALFORMED | {"data": b"[" * 10**5}
    yield "data_twice", worked, "a key twice", MALFORMED | {"data": b'{"exactformer":"dataset","exactformer":"dataset"}'}
    yield "data_keys", worked, "an unknown key", MALFORMED | {"data": {**full, "more": 1}}
    yield "data_no_rows", worked, "no sequences", MALFORMED | {"data": {**full, "sequences": []}}
    yield "data_row", worked, "a sequence that is a list", MALFORMED | {"data": {**full, "sequences": [[], [], []]}}
    yield "data_mixed", named, "targets in one sequence, a label in another", MALFORMED | {"data": {**labelled, "sequences": [labelled["sequences"][0], {"tokens": [[2]], "targets": [[2]]}]}}
    yield "data_label_number", interpolation(1, [], [{"tokens": [[1]], "label": "5"}, {"tokens": [[2]], "label": "b"}]), "a label that is a number", MALFORMED | {"data": {**labelled, "sequences": [{"tokens": [[1]], "label": 5}, {"tokens": [[2]], "label": "b"}]}}
    yield "data_label_list", named, "a label that is a list", MALFORMED | {"data": {**labelled, "sequences": [{"tokens": [[1]], "label": ["a"]}, {"tokens": [[2]], "label": "b"}]}}
    tokens = {"exactformer": "tokens", "version": [1, 0], "tokens": [[1, 2], [3, 4]]}
    line = orbit([[1, 2], [3, 4]], 1)
    yield "data_orbit_tokens", line, "other tokens", REJECTED | {"data": {**tokens, "tokens": [[1, 2], [3, 5]]}}
    yield "data_orbit_A", line, "another A", REJECTED | {"data": {**tokens, "A": [[1, 0], [0, 2]]}}
    yield "data_orbit_alpha", line, "another alpha", REJECTED | {"data": {**tokens, "alpha": "1/2"}}
    yield "data_orbit_key", line, "an unknown key", MALFORMED | {"data": {**tokens, "beta": 1}}
    yield "data_orbit_none", line, "no tokens", MALFORMED | {"data": {key: value for key, value in tokens.items() if key != "tokens"}}
    for name, lines in (("vertex", good.vertex([[5]], 0, [0])), ("fast", good.slow())):
        yield f"data_for_{name}", lines, "a claim without a data file", DECLINED | {"data": tokens}
