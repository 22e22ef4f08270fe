"""False or broken certificates: one at least for every check, and every threat to a checker."""

from __future__ import annotations

import copy
import hashlib
import json
import tempfile
from collections.abc import Callable, Iterator
from fractions import Fraction as F
from typing import Any

import corpus_accept as good
from checker_kit import Lines, body, header, interpolation, orbit, seal, sealed, system
from corpus_accept import I, POOL, ZERO, Case, ff

REJECTED, MALFORMED, DECLINED = {"verdict": "rejected"}, {"verdict": "malformed"}, {"verdict": "declined"}
Simple = tuple[str, Any, str, dict[str, Any]]


def changed(lines: Lines, *edits: Callable[[Lines], Any]) -> Lines:
    """A copy of the lines, edited."""
    found = copy.deepcopy(lines)
    for edit in edits:
        edit(found)
    return found


def put(line: int, *path: Any) -> Callable[[Lines], None]:
    """Sets lines[line][path..] to the last argument."""

    def edit(lines: Lines) -> None:
        *steps, last, value = path
        place = lines[line]
        for key in steps:
            place = place[key]
        place[last] = value

    return edit


def drop(line: int, key: Any) -> Callable[[Lines], None]:
    return lambda lines: lines[line].__delitem__(key)


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
    yield "number_comma_hides_count", changed(lines, put(2, "tokens", [["1,2", "3"], ["4", "5"]])), "two numbers in one string", MALFORMED


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
    yield "limit_digits_million", good.long_number(10**5), "limit: a hundred thousand digits", DECLINED
    yield "limit_bits", grow, "limit: bits", DECLINED | {"options": ["--max-bits", "2000"]}
    yield "limit_operations", worked, "limit: operations", DECLINED | {"options": ["--max-operations", "20"]}
    yield "limit_bytes", worked, "limit: bytes", DECLINED | {"options": ["--max-bytes", "200"]}
    yield "limit_line", worked, "limit: line", DECLINED | {"options": ["--max-line", "100"]}
    yield "limit_common_denominator", interpolation(3, [], [{"tokens": [[F(1, 2**40), F(1, 3**40), F(1, 5**40)]]}]), "limit: bits of a common denominator", DECLINED | {"options": ["--max-bits", "100"]}
    yield "limit_orbit_bits", orbit([[1, 2], [3, 1], [0, "1/7"]], 6, None, "1/1000003"), "limit: bits of an orbit", DECLINED | {"options": ["--max-bits", "60"]}
    far = changed(good.with_forms(good.limit([[2, 1], [1, 0]])), put(3, "from", 10**12))
    yield "limit_from_operations", far, "limit: a positivity test from a distant layer", DECLINED
    yield "limit_from_bits", changed(far, put(3, "from", 600)), "limit: bits of a positivity test", DECLINED | {"options": ["--max-bits", "1000"]}
    yield "limit_layers", changed(good.statement("graph-constant-after-n", good.LATE, 18, alpha="1/50"), put(0, "layers", 600)), "limit: six hundred layers", DECLINED | {"options": ["--max-operations", "60000"]}
    yield "limit_split", good.slow(split=10**6), "limit: a distant split", DECLINED
    yield "limit_data_digits", worked, "limit: digits in the data file", DECLINED | {"data": data_of([([[10**200]], [[0]])] * 3), "options": ["--max-digits", "100"]}
    yield "limit_data_bytes", worked, "limit: bytes of the data file", DECLINED | {"data": data_of([([[0]], [[0]])] * 200), "options": ["--max-bytes", "1500"]}


def tight(lines: Lines, option: str) -> dict[str, Any]:
    """Declined by one less than the smallest limit with which the certificate is accepted."""
    from proofs_check import check
    from proofs_check.envelope import Limits

    low, high = 0, 2**40
    with tempfile.NamedTemporaryFile() as file:
        file.write(sealed(lines))
        file.flush()
        while high - low > 1:
            middle = (low + high) // 2
            done = check(file.name, None, Limits(**{option: middle})).verdict == "accepted"
            low, high = (low, middle) if done else (middle, high)
    return DECLINED | {"options": [f"--max-{option}", str(low)]}


def tight_limits() -> Iterator[Simple]:
    corner = {name: lines for name, lines, _ in good.corners()}
    false = {name.removeprefix("false_"): lines for name, lines, _ in good.counterexamples()}
    spent = {name: corner[name] for name in ("outer_matrices", "scalar_matrices", "rank_one_signs", "dense_attention", "close_breakpoints", "not_parallel")}
    spent |= {"projection": good.projection([[1, 1], [1, -1], [3, 0]], [1, 0], [[0, "1/2"], [1, "1/2"]]), "orbit": orbit([[1, 2], [3, 4]], 2), "forms": good.with_forms(good.limit([[2, 1], [1, 0]]), 4), "frank_wolfe": changed(false["frank_wolfe"]), "moving": good.limit(*good.LIMITS[-1][1:4])}
    for name, lines in spent.items():
        yield f"tight_operations_{name}", lines, "limit: one operation too many", tight(lines, "operations")
    a, b = F(1, 5**40), F(1, 7**40)
    combination = good.vertex([[0], [a], [b], [-a], [-b]], 0, None, [[i, "1/4"] for i in (1, 2, 3, 4)])
    elimination = good.projection([[0, 0]], [0, 0], [[0, "1"]], [[F(5**20, 7**20), F(1, 11**20)], [F(1, 11**20), 1]])
    last = interpolation(1, [(ff(0, [[1], [1]], [0, -5], [[a, b]]), None)], [{"tokens": [[0]]}])
    first = interpolation(1, [(ff(0, [[-1], [-1]], [0, 5], [[a, b]]), None)], [{"tokens": [[9]]}])
    ends = interpolation(1, [(None, {"rho": "0", "V": {"scalar": "9" * 40}, "Q": ZERO, "K": ZERO})] * 2, [{"tokens": [[1]]}])
    middle = interpolation(1, [(None, {"rho": "0", "V": {"scalar": x}, "Q": ZERO, "K": ZERO}) for x in ("9" * 40, "9" * 40, "0")], [{"tokens": [[1]]}])
    mean = interpolation(1, [(None, {"rho": "0", "V": ZERO, "Q": ZERO, "K": ZERO})], [{"tokens": [[a], [b]]}])
    states = orbit([[10**60 + 1], [3]], 1)
    form = good.limit(*good.LIMITS[-1][1:4])
    moved = changed(form, lambda x: x[6]["form"].extend({"base": "1/7", "power": 0, "vector": [str(s * F(1, p**40)), "0", "0"]} for s in (1, -1) for p in (5, 7)))
    for name, lines in {"combination": combination, "elimination": elimination, "last_piece": last, "first_piece": first, "output": ends, "between_blocks": middle, "mean": mean, "orbit": states, "form": moved}.items():
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


def infeasibles() -> Iterator[Simple]:
    cases = {name: lines for name, lines, _ in good.infeasibles()}
    both, sets, many, named = cases["infeasible_measure"], cases["infeasible_set"], cases["infeasible_targets"], cases["infeasible_measure_labels"]
    yield "infeasible_other_measure", changed(sets, put(0, "condition", "measure")), "different measures", REJECTED
    yield "infeasible_other_set", changed(both, put(0, "condition", "set"), put(2, "tokens", [["0"], ["2"]])), "different sets", REJECTED
    yield "infeasible_same_targets", changed(both, put(2, "targets", both[1]["targets"])), "equal targets", REJECTED
    yield "infeasible_same_label", changed(named, put(3, "label", "x")), "equal labels", REJECTED
    yield "infeasible_enough_tokens", changed(many, put(0, "witness", [0])), "two targets, two tokens", REJECTED
    yield "infeasible_condition", changed(both, put(0, "condition", "length")), "an unknown condition", MALFORMED
    yield "infeasible_one_witness", changed(both, put(0, "witness", [0])), "one sequence named", MALFORMED
    yield "infeasible_two_witnesses", changed(many, put(0, "witness", [0, 1])), "two sequences named for one", MALFORMED
    yield "infeasible_witness_order", changed(both, put(0, "witness", [1, 0])), "indices that do not increase", MALFORMED
    yield "infeasible_witness_same", changed(both, put(0, "witness", [1, 1])), "the same sequence twice", MALFORMED
    yield "infeasible_witness_far", changed(both, put(0, "witness", [0, 2])), "an index beyond the data", MALFORMED
    yield "infeasible_witness_number", changed(both, put(0, "witness", 1)), "a witness that is no list", MALFORMED
    yield "infeasible_witness_string", changed(both, put(0, "witness", ["0", "1"])), "indices as strings", MALFORMED
    yield "infeasible_label_many", changed(named, put(0, "condition", "targets"), put(0, "witness", [0])), "labels without targets have one target each", MALFORMED
    yield "infeasible_labels_clash", changed(cases["infeasible_measure_both"], put(2, "label", "x")), "one label, two target sets", REJECTED


def orbits() -> Iterator[Simple]:
    lines = orbit(*[good.ORBITS[0][k] for k in (1, 2, 3, 4)])
    alpha = good.ORBITS[0]
    yield "orbit_state", changed(lines, put(4, "tokens", 2, 0, "3/4")), "a wrong state", REJECTED
    yield "orbit_initial", changed(lines, put(2, "tokens", 2, 0, "1/9")), "layer 0 differs from the tokens", REJECTED
    yield "orbit_follows", changed(lines, put(3, "follows", 2, [1])), "a wrong follower set", REJECTED
    yield "orbit_leaders", changed(lines, put(3, "leaders", [0])), "a leader left out", REJECTED
    yield "orbit_alpha_zero", changed(lines, put(1, "alpha", "0")), "alpha is zero", REJECTED
    yield "orbit_alpha_negative", changed(lines, put(1, "alpha", "-1")), "alpha is -1", REJECTED
    yield "orbit_A_changed", changed(lines, put(1, "A", 0, 0, "2")), "another A", REJECTED
    yield "orbit_layer_number", changed(lines, put(3, "layer", 2)), "layers out of order", MALFORMED
    yield "orbit_too_short", changed(lines, lambda x: x.pop()), "a layer is missing", MALFORMED
    yield "orbit_follows_order", changed(lines, put(3, "follows", 2, [1, 0])), "indices that do not increase", MALFORMED
    yield "orbit_follows_far", changed(lines, put(3, "follows", 2, [3])), "an index beyond the tokens", MALFORMED
    yield "orbit_follows_short", changed(lines, put(3, "follows", [[0], [1]])), "a follower set missing", MALFORMED
    yield "orbit_A_rows", changed(lines, put(1, "A", [["1", "0"]])), "A with one row", MALFORMED
    yield "orbit_tokens_count", changed(lines, put(0, "tokens", 2)), "another number of tokens", MALFORMED
    yield "orbit_duplicate_leader", changed(orbit([[1, 0], [1, 0], [0, 1]], 1), put(2, "leaders", [0, 2])), "a duplicated token is no leader", REJECTED
    yield "orbit_first_maximiser", changed(orbit(alpha[1], 2), put(2, "follows", 2, [0])), "one maximiser instead of all", REJECTED


def chain(alpha: Any, start: int) -> Lines:
    """Token 2 follows token 1, which moves to the leader 0: right at first, wrong in the end."""
    alpha = F(alpha)
    a, r = alpha / (1 + alpha), 1 / (1 + alpha)
    leader, mover, token = [F(10), F(0)], [F(6), F(4)], [F(0), F(1)]
    terms = [(F(1), 0, leader), (r, 0, [z - c for z, c in zip(token, leader, strict=True)]), (r, 1, [(z - c) * a / r for z, c in zip(mover, leader, strict=True)])]
    form = [{"base": str(b), "power": m, "vector": [str(x) for x in v]} for b, m, v in terms]
    vertex = {"kind": "vertex", "limit": ["10", "0"]}
    rows = [{"token": 0, **vertex, "lock": True}, {"token": 1, **vertex, "lock": True}, {"token": 2, **vertex, "form": form, "from": start}]
    return [header("limit", 2, tokens=3, layer=0), system([leader, mover, token], None, alpha), *rows, {"leaders": [0]}]


def overtaken(start: int) -> Lines:
    """Token 4 follows two moving tokens and overtakes them: the leading term falls for ever."""
    tokens = [[1, 10], [1, -10], ["11/10", 9], ["11/10", -9], ["1/2", 0]]
    form = [{"base": "1", "power": 0, "vector": ["1", "0"]}, {"base": "1/2", "power": 0, "vector": ["-1/2", "0"]}, {"base": "1/2", "power": 1, "vector": ["1/10", "0"]}]
    rows = [{"token": i, "kind": "vertex", "limit": ["1", "10" if i % 2 == 0 else "-10"], "lock": True} for i in range(4)]
    last = {"token": 4, "kind": "projection", "limit": ["1", "0"], "form": form, "from": start, "normal": ["1", "0"], "weights": [[0, "1/2"], [1, "1/2"]]}
    return [header("limit", 2, tokens=5, layer=0), system(tokens), *rows, last, {"leaders": [0, 1]}]


def limit_claims() -> Iterator[Simple]:
    edge = good.limit([[1, 1], [1, -1], ["1/2", 0]])
    moving = good.limit(*good.LIMITS[-1][1:4])
    twice = good.limit([[1, 1], [1, -1], [1, "1/2"], [1, "-1/2"], ["1/2", 0]])
    yield "limit_thousand_layers", chain("1/4999", 1000), "right for a thousand layers and wrong later", REJECTED
    yield "limit_wrong_soon", chain(1, 1), "wrong after a few layers", REJECTED
    yield "limit_wrong_directly", chain(1, 12), "wrong among the layers tried one by one", REJECTED
    yield "limit_overtaken", overtaken(3), "the leading term falls for ever", REJECTED
    yield "limit_still_growing", changed(moving, put(6, "from", 4)), "true, but a negative term still grows at layer 4", REJECTED
    yield "limit_not_dominant", dominance(1), "true, but the leading term does not dominate from layer 1", REJECTED
    yield "limit_wrong_point", changed(edge, put(4, "limit", ["1", "1/2"])), "a wrong limit", REJECTED
    yield "limit_float", changed(edge, put(4, "limit", ["1", "1"]), put(4, "kind", "vertex"), drop(4, "normal"), drop(4, "weights")), "the limit that floats find", REJECTED
    yield "limit_kind_vertex", changed(edge, put(4, "kind", "vertex"), drop(4, "normal"), drop(4, "weights")), "the middle of an edge is no vertex", REJECTED
    yield "limit_kind_projection", changed(edge, put(2, "kind", "projection"), put(2, "normal", ["0", "1"]), put(2, "weights", [[0, "1"]])), "a leading position is of kind vertex", REJECTED
    yield "limit_kind_other", changed(edge, put(2, "kind", "corner")), "an unknown kind", MALFORMED
    yield "limit_kind_unhashable", changed(edge, put(2, "kind", [])), "a kind that is a list", MALFORMED
    yield "limit_lock_false", changed(edge, put(2, "lock", False)), "lock: false", MALFORMED
    yield "limit_lock_on_mover", changed(moving, lambda x: x.__setitem__(6, {key: value for key, value in x[6].items() if key not in ("form", "from")} | {"lock": True})), "a lock on a token that follows moving tokens", REJECTED
    yield "limit_lock_on_movers", changed(twice, lambda x: x.__setitem__(6, {key: value for key, value in x[6].items() if key not in ("form", "from")} | {"lock": True})), "a lock on a token that follows leaders and moving tokens", REJECTED
    yield "limit_passing_change", passing_change(), "wrong for a few layers in between, right before and after", REJECTED
    yield "limit_lock_not_exposed", not_exposed(), "leaders that do not maximise <A c, .>", REJECTED
    yield "limit_form_start", changed(moving, put(6, "form", 1, "vector", 0, "-8")), "a form that starts elsewhere", REJECTED
    yield "limit_form_recurrence", changed(moving, lambda x: x[6]["form"][2]["vector"].__setitem__(2, "1/3")), "a form that breaks the recurrence", REJECTED
    yield "limit_form_no_power", changed(moving, lambda x: x[6]["form"].pop()), "the term k r^k left out", REJECTED
    yield "limit_form_base_zero", changed(moving, put(6, "form", 1, "base", "0")), "a base that is zero", MALFORMED
    yield "limit_form_base_large", changed(moving, put(6, "form", 1, "base", "3/2")), "a base above 1", MALFORMED
    yield "limit_form_base_negative", changed(moving, put(6, "form", 1, "base", "-1/2")), "a negative base", MALFORMED
    yield "limit_form_power_of_one", changed(moving, lambda x: x[6]["form"].append({"base": "1", "power": 1, "vector": ["0", "0", "0"]})), "a power with base 1", MALFORMED
    yield "limit_form_power_n", changed(moving, put(6, "form", 2, "power", 5)), "a power that is not below n", MALFORMED
    yield "limit_form_power_string", changed(moving, put(6, "form", 2, "power", "1")), "a power as a string", MALFORMED
    yield "limit_form_object", changed(moving, put(6, "form", {})), "a form that is an object", MALFORMED
    yield "limit_form_term_key", changed(moving, put(6, "form", 0, "more", 1)), "an unknown key in a term", MALFORMED
    yield "limit_from_zero", changed(moving, put(6, "from", 0)), "from 0", MALFORMED
    yield "limit_lock_and_form", changed(moving, put(6, "lock", True)), "a lock and a form", MALFORMED
    yield "limit_form_missing", changed(edge, drop(2, "lock")), "no proof", MALFORMED
    yield "limit_token_order", changed(edge, put(2, "token", 1)), "tokens out of order", MALFORMED
    yield "limit_token_missing", changed(edge, lambda x: x.pop(3)), "a token left out", MALFORMED
    yield "limit_leaders", changed(edge, put(-1, "leaders", [0])), "a leader left out", REJECTED
    yield "limit_leaders_more", changed(edge, put(-1, "leaders", [0, 1, 2])), "a leader too many", REJECTED
    yield "limit_duplicate_leader", changed(good.limit([[1], [1]]), put(-1, "leaders", [0])), "a duplicated token is no leader", REJECTED
    yield "limit_A_indefinite", changed(edge, put(1, "A", [["1", "0"], ["0", "-1"]])), "A is not positive definite", REJECTED
    yield "limit_A_semidefinite", changed(good.limit([[1, 0], [2, 0]]), put(1, "A", [["1", "0"], ["0", "0"]])), "A is only semidefinite", REJECTED
    yield "limit_A_not_symmetric", changed(good.limit([[2, 0], [1, 0]]), put(1, "A", [["1", "1"], ["0", "1"]])), "A is not symmetric", REJECTED
    yield "limit_alpha", changed(edge, put(1, "alpha", "-1/2")), "alpha is negative", REJECTED
    yield "limit_weights", changed(edge, put(4, "weights", [[0, "1/4"], [1, "3/4"]])), "weights of another point", REJECTED
    yield "limit_weights_sum", changed(edge, put(4, "weights", [[0, "1/2"], [1, "1/3"]])), "weights with sum 5/6", REJECTED
    yield "limit_weights_negative", changed(edge, put(4, "weights", [[0, "-1/2"], [1, "3/2"]])), "a negative weight", REJECTED
    yield "limit_weights_order", changed(edge, put(4, "weights", [[1, "1/2"], [0, "1/2"]])), "indices that do not increase", MALFORMED
    yield "limit_weights_empty", changed(edge, put(4, "weights", [])), "no weights", MALFORMED
    yield "limit_face_other", changed(edge, put(4, "normal", ["0", "1"])), "a face on which the weights do not lie", REJECTED
    yield "limit_face_follower", changed(twice, put(6, "weights", [[2, "1/2"], [3, "1/2"]])), "weights on tokens that do not lead", REJECTED
    yield "limit_face_nearer", nearer(), "the limit is no projection onto the face with this normal", REJECTED
    yield "limit_ties_lost", tie_lost(), "a tie that is lost later", REJECTED
    yield "limit_too_early", too_early(), "the follower sets of layer 0 do not stay", REJECTED


def too_early() -> Lines:
    lines = good.limit([[1, "1/3"], ["-1/12", "1/12"], [-1, -1], [0, "1/4"], ["-3/10", "-7/10"], ["-3/5", "-9/10"], ["4/5", "1/10"], ["3/5", "3/20"]], alpha="1/2")
    return changed(lines, put(0, "layer", 0))


def tie_lost() -> Lines:
    """Token 4 ties with the edge and two tokens that move along it, not in step: the tie breaks after one layer."""
    tokens = [[1, 1], [1, -1], [1, "1/2"], [1, "-1/4"], ["1/2", 0]]
    rows = [{"token": i, "kind": "vertex", "limit": ["1", "1" if i % 2 == 0 else "-1"], "lock": True} for i in range(4)]
    terms = [("1", 0, ["1", "0"]), ("1/2", 0, ["-1/2", "0"]), ("1/2", 1, ["0", "1/16"])]
    form = [{"base": b, "power": m, "vector": v} for b, m, v in terms]
    last = {"token": 4, "kind": "projection", "limit": ["1", "0"], "form": form, "from": 3, "normal": ["1", "0"], "weights": [[0, "1/2"], [1, "1/2"]]}
    return [header("limit", 2, tokens=5, layer=0), system(tokens), *rows, last, {"leaders": [0, 1]}]


def not_exposed() -> Lines:
    """Leaders 0 and 1 tie for token 3, but leader 2 beats them for c, their mean: token 3 changes its mind later."""
    tokens = [[1, 3, 0], [1, -3, 0], [2, 0, 2], ["1/4", 0, "-1/4"]]
    rows = [{"token": i, "kind": "vertex", "limit": [str(x) for x in tokens[i]], "lock": True} for i in range(3)]
    last = {"token": 3, "kind": "projection", "limit": ["1", "0", "0"], "lock": True, "normal": ["1", "0", "-1"], "weights": [[0, "1/2"], [1, "1/2"]]}
    return [header("limit", 3, tokens=4, layer=0), system(tokens), *rows, last, {"leaders": [0, 1, 2]}]


def passing_change() -> Lines:
    """Token 4 follows two moving tokens, overtakes them, and would fall behind again."""
    tokens = [[10, 40, 0], [10, -40, 0], [10, 28, 14], [10, -28, 14], [1, 0, "1/2"]]
    rows = [{"token": i, "kind": "vertex", "limit": ["10", "40" if i % 2 == 0 else "-40", "0"], "lock": True} for i in range(4)]
    terms = [("1", 0, ["10", "0", "0"]), ("2/3", 0, ["-9", "0", "1/2"]), ("2/3", 1, ["0", "0", "7"])]
    form = [{"base": b, "power": m, "vector": v} for b, m, v in terms]
    last = {"token": 4, "kind": "projection", "limit": ["10", "0", "0"], "form": form, "from": 30, "normal": ["1", "0", "0"], "weights": [[0, "1/2"], [1, "1/2"]]}
    return [header("limit", 3, tokens=5, layer=0), system(tokens, None, "1/2"), *rows, last, {"leaders": [0, 1]}]


def nearer() -> Lines:
    """The middle of an edge stated as the projection onto the whole triangle, which contains the origin's side."""
    lines = good.limit([[1, 1], [1, -1], ["1/2", 0], ["-3/2", 0]])
    return changed(lines, put(4, "normal", ["0", "0"]))


def dominance(start: int) -> Lines:
    """Locks written as forms whose margins need a later start."""
    return good.with_forms(good.limit(*DOMINANCE), start)


DOMINANCE: tuple[Any, Any, Any] = ([[-1, 0], [0, -2], [-4, -5], [-1, -6]], None, 1)


def hulls() -> Iterator[Simple]:
    cases = {name: lines for name, lines, _ in good.hulls()}
    yes, no = cases["vertex_yes"], cases["vertex_no"]
    yield "vertex_normal", changed(yes, put(2, "normal", ["1", "0"])), "a tie with another point", REJECTED
    yield "vertex_normal_zero", changed(yes, put(2, "normal", ["0", "0"])), "a normal that is zero", REJECTED
    yield "vertex_weights", changed(no, put(2, "weights", [[1, "1/2"], [3, "1/2"]])), "weights of another point", REJECTED
    yield "vertex_weights_itself", changed(no, put(2, "weights", [[4, "1"]])), "the point itself", REJECTED
    yield "vertex_weights_double", good.vertex([[0, 0], [1, 0], [0, 0]], 0, None, [[2, "1"]]), "the point itself under another index", REJECTED
    yield "vertex_flag", changed(yes, put(0, "vertex", 1)), "1 is not true", MALFORMED
    yield "vertex_index", changed(yes, put(1, "point", 6)), "an index beyond the points", MALFORMED
    yield "vertex_count", changed(yes, put(0, "points", 5)), "another number of points", MALFORMED
    yield "vertex_witness", changed(yes, put(0, "vertex", False)), "the wrong kind of witness", MALFORMED
    yield "weights_zero", changed(no, put(2, "weights", [[0, "1/2"], [1, "0"], [3, "1/2"]])), "a weight that is zero", REJECTED
    yield "weights_negative", changed(no, put(2, "weights", [[0, "3/2"], [1, "-1/2"], [2, "-1/2"], [3, "1/2"]])), "negative weights", REJECTED
    yield "weights_sum", changed(cases["vertex_edge"], put(2, "weights", [[0, "1/3"], [1, "1/2"]])), "weights with sum 5/6", REJECTED
    yield "weights_pair", changed(no, put(2, "weights", [[0, "1/2", "1"], [3, "1/2"]])), "a triple instead of a pair", MALFORMED
    yield "weights_object", changed(no, put(2, "weights", {"0": "1/2", "3": "1/2"})), "weights as an object", MALFORMED
    apart, meet = cases["separation_yes"], cases["separation_no"]
    yield "separation_left", changed(apart, put(3, "offset", "0")), "a left point on the hyperplane", REJECTED
    yield "separation_right", changed(apart, put(3, "offset", "-1")), "a right point on the hyperplane", REJECTED
    yield "separation_swapped", changed(apart, put(3, "normal", ["0", "1"])), "the sides swapped", REJECTED
    yield "separation_points_differ", changed(meet, put(3, "left_weights", [[0, "1/4"], [1, "3/4"]])), "two different points", REJECTED
    yield "separation_sum", changed(cases["separation_common_point"], put(3, "left_weights", [[0, "2"]]), put(3, "right_weights", [[0, "2"]])), "weights with sum 2", REJECTED
    yield "separation_flag", changed(apart, put(0, "separated", "yes")), "neither true nor false", MALFORMED
    edge = cases["projection_edge"]
    yield "projection_nearer", good.projection([[1, 1], [1, -1], ["1/2", 0]], [1, 0], [[0, "1/2"], [1, "1/2"]]), "a point of the hull is nearer", REJECTED
    yield "projection_weights", changed(edge, put(2, "weights", [[0, "1/3"], [1, "2/3"]])), "weights of another point", REJECTED
    yield "projection_A_indefinite", changed(edge, put(1, "A", [["1", "0"], ["0", "-1"]])), "A is not positive definite", REJECTED
    yield "projection_A_semidefinite", changed(edge, put(1, "A", [["1", "0"], ["0", "0"]])), "A is only semidefinite", REJECTED
    yield "projection_A_not_symmetric", changed(edge, put(1, "A", [["1", "0"], ["1", "1"]])), "A is not symmetric", REJECTED
    yield "projection_A_shape", changed(edge, put(1, "A", [["1", "0"]])), "A with one row", MALFORMED


def counterexamples() -> Iterator[Simple]:
    cases = {name.removeprefix("false_"): lines for name, lines, _ in good.counterexamples()}
    ring, equal = cases["leader_without_symmetry"], cases["leader_duplicates"]
    yield "false_unknown", changed(ring, put(0, "statement", "leaders")), "an unknown statement", MALFORMED
    yield "false_statement_list", changed(ring, put(0, "statement", [])), "a statement that is a list", MALFORMED
    yield "false_claim_name", changed(ring, put(0, "statement", "interpolation")), "a claim is no statement", MALFORMED
    yield "false_symmetric", good.statement("leader-without-symmetry", [[1, 0], [1, 1]], 0, A=[[1, 0], [0, 0]]), "A is symmetric", REJECTED
    yield "false_symmetric_part", changed(ring, put(1, "A", [["-1", "-2"], ["2", "-1"]]), put(1, "tokens", [["1", "0"], ["-1", "0"], ["0", "1"]])), "the symmetric part is not positive definite", REJECTED
    yield "false_not_indefinite", changed(cases["leader_semidefinite"], put(0, "statement", "leader-indefinite")), "A is positive semidefinite", REJECTED
    yield "false_not_semidefinite", changed(cases["leader_indefinite"], put(0, "statement", "leader-semidefinite")), "A is not semidefinite", REJECTED
    yield "false_indefinite_not_symmetric", good.statement("leader-indefinite", [[1, 0], [-1, 0]], 0, A=[[-1, 1], [0, -1]]), "A is not symmetric", REJECTED
    yield "false_leader_exists", good.statement("leader-without-symmetry", [[1, 0], [0, 1]], 0, A=[[1, 1], [0, 1]]), "there is a leader", REJECTED
    yield "false_zero_token", good.statement("leader-semidefinite", [[0, 0], [0, 1]], 0, A=[[1, 0], [0, 0]]), "a token is zero", REJECTED
    yield "false_doubled", changed(equal, put(0, "statement", "every-leader-leads-at-once")), "tokens coincide", REJECTED
    yield "false_doubled_semidefinite", good.statement("leader-semidefinite", [[1, 0], [1, 0]], 0, A=[[1, 0], [0, 0]]), "tokens coincide", REJECTED
    yield "false_not_doubled", good.statement("leader-duplicates", [[1], [-1]], 0), "no tokens coincide", REJECTED
    yield "false_layers", changed(equal, put(0, "layers", 1)), "layers must be 0", MALFORMED
    inside = cases["boundary"]
    flat = good.limit([[1, 0], [0, 0], [-1, 0]])
    yield "false_flat", good.after_limit("boundary-with-zero", flat, {"token": 1, "weights": [[0, "1/2"], [2, "1/2"]]}), "the points do not span the plane", REJECTED
    yield "false_boundary_weights", changed(inside, put(-1, "weights", [[0, "1/4"], [2, "3/4"]])), "weights of another point", REJECTED
    yield "false_boundary_follower", follower_weights(), "weights on a token that does not lead", REJECTED
    yield "false_boundary_no_zero", good.after_limit("boundary-with-zero", good.limit([[-1], [1]]), {"token": 0, "weights": [[0, "1"]]}), "no token is zero", REJECTED
    yield "false_boundary_limit", changed(inside, put(3, "limit", ["1/2"])), "a wrong limit inside", REJECTED
    leader, corner = cases["initial_vertices_leader"], cases["initial_vertices_vertex"]
    yield "false_vertices_weights", changed(leader, put(-1, "weights", [[0, "1/2"], [2, "1/2"]])), "weights of another point", REJECTED
    yield "false_vertices_not_leader", no_leader(), "the token is no leader", REJECTED
    yield "false_vertices_is_leader", changed(corner, put(-1, "token", 1), put(-1, "normal", ["1", "0"])), "the token is a leader", REJECTED
    yield "false_vertices_normal", changed(corner, put(-1, "normal", ["1", "0"])), "not separated", REJECTED
    yield "false_vertices_flag", changed(corner, put(-1, "leader", 0)), "0 is not false", MALFORMED
    yield "false_vertices_line", [*corner[:-1], []], "a witness that is a list", MALFORMED
    yield "false_tends", changed(cases["tends_to_leader"], put(-1, "token", 0)), "the limit is a leader's", REJECTED
    yield "false_tends_index", changed(cases["tends_to_leader"], put(-1, "token", 3)), "an index beyond the tokens", MALFORMED
    at_once, late, last = cases["leads_at_once"], cases["graph_constant"], cases["last_leader"]
    yield "false_at_once", changed(at_once, put(-1, "token", 0)), "the token leads at layer 0", REJECTED
    yield "false_at_once_never", changed(at_once, put(-1, "token", 3)), "the token does not lead", REJECTED
    yield "false_graph_same", changed(late, put(0, "layers", 17)), "the follower sets are equal", REJECTED
    yield "false_graph_early", good.statement("graph-constant-after-n", good.ORBITS[9][1], 1, alpha="1/2"), "not beyond n", REJECTED
    yield "false_last_earlier", changed(last, put(-1, "token", 5)), "the token leads before", REJECTED
    yield "false_last_later", changed(last, put(0, "layers", 19)), "the token leads a layer earlier", REJECTED
    yield "false_last_early", good.statement("last-leader-within-n", good.ORBITS[9][1], 1, {"token": 1}, alpha="1/2"), "not beyond n", REJECTED
    yield "false_at_once_index", changed(at_once, put(-1, "token", 8)), "an index beyond the tokens", MALFORMED
    yield "false_vertices_index", changed(corner, put(-1, "token", 9)), "an index beyond the tokens", MALFORMED
    yield "false_boundary_index", changed(inside, put(-1, "token", 3)), "an index beyond the tokens", MALFORMED
    wolfe = cases["frank_wolfe"]
    saddle = changed(wolfe, put(0, "dim", 2), put(1, "B", [["1", "0"], ["0", "-1"]]), put(1, "tokens", [["3", "0"], ["-1", "0"]]))
    yield "false_wolfe_saddle", saddle, "B* is indefinite", REJECTED
    yield "false_wolfe_saddle_2", changed(saddle, put(1, "B", [["1", "1"], ["0", "0"]])), "B* is not symmetric", REJECTED
    yield "false_wolfe_equal", changed(wolfe, put(-1, "token", 1)), "the bound holds with equality", REJECTED
    yield "false_wolfe_early", changed(wolfe, put(0, "layers", 574)), "the bound holds", REJECTED
    yield "false_wolfe_layer_zero", changed(wolfe, put(0, "layers", 0)), "the bound speaks of layers from 1 on", MALFORMED
    yield "false_wolfe_zero", changed(wolfe, put(-1, "zero", [[0, "1/2"], [1, "1/2"]])), "the weights do not give 0", REJECTED
    yield "false_wolfe_lambda", changed(wolfe, put(-1, "lambda", "1/2")), "lambda below the eigenvalue", REJECTED
    yield "false_wolfe_B", changed(wolfe, put(1, "B", [["-1"]]), put(-1, "lambda", "0")), "B* is not semidefinite", REJECTED
    yield "false_wolfe_index", changed(wolfe, put(-1, "token", 2)), "an index beyond the tokens", MALFORMED
    yield "false_fast_sum", good.slow(split=0), "the sum of the steps is 1", REJECTED
    yield "false_fast_c", good.slow(c="1", q="1/4", split=1), "a step of size 1", REJECTED
    yield "false_fast_q", good.slow(c="1/2", q="-1/2", split=0), "steps of both signs", REJECTED
    yield "false_fast_doubled", good.slow(tokens=((1,), (-1,), ("1/2",), ("1/2",)), inside=[{"token": i, "weights": [[0, "3/4"], [1, "1/4"]]} for i in (2, 3)]), "tokens coincide", REJECTED
    yield "false_fast_tie", good.slow(tokens=((1,), (-1,), (0,)), inside=[{"token": 2, "weights": [[0, "1/2"], [1, "1/2"]]}]), "a token in two cells", REJECTED
    yield "false_fast_inside", good.slow(tokens=((1,), (-1,), ("1/2",), ("1/4",))), "a token left out of inside", REJECTED
    yield "false_fast_weights", good.slow(inside=[{"token": 2, "weights": [[0, "1/2"], [1, "1/2"]]}]), "weights of another point", REJECTED
    yield "false_fast_own", changed(good.slow(), put(-1, "token", 0)), "the token is its own vertex", REJECTED
    yield "false_fast_index", changed(good.slow(), put(-1, "token", 3)), "an index beyond the tokens", MALFORMED
    yield "false_fast_split", changed(good.slow(), put(-1, "split", "1")), "a count as a string", MALFORMED
    yield "false_fast_part", changed(good.slow(), put(-1, "inside", 0, "more", 1)), "an unknown key", MALFORMED
    yield "false_fast_step", changed(good.slow(), put(1, "step", {"c": "1/2"})), "no q", MALFORMED
    yield "false_fast_inside_empty", changed(good.slow(), put(-1, "inside", [])), "inside is empty", MALFORMED
    yield "false_block_inside", good.one_block(targets=((0,), (2,), (1,))), "the target lies in the hull", REJECTED
    yield "false_block_same", good.one_block([[0, 0], [1, 0]], [[0, 0], [1, 1], [1, 1]], [1, 0]), "the target is one of the others", REJECTED
    yield "false_block_tokens", changed(good.one_block(), put(3, "tokens", [["0"], ["2"]])), "the last sequence has other tokens", REJECTED
    yield "false_block_long", changed(good.one_block(), put(1, "tokens", [["0"], ["0"]])), "a longer sequence", REJECTED
    yield "false_block_equal", good.one_block(((0,), (0,)), ((0,), (0,), (2,))), "equal tokens: the data are infeasible", REJECTED
    yield "false_block_targets", changed(good.one_block(), put(3, "targets", [["2"], ["3"]])), "two targets", REJECTED
    yield "false_block_two", changed(good.one_block(), put(0, "sequences", 2), lambda x: x.pop(2), put(2, "sequence", 1), put(2, "tokens", [["0"]])), "two sequences only", MALFORMED


def no_leader() -> Lines:
    tokens = [[2, 0], [-1, 2], [-1, -2], ["1/2", "1/2"]]
    return good.after_limit("leaders-are-initial-vertices", good.limit(tokens), {"token": 3, "leader": True, "weights": good.combination(tokens, 3)})


def follower_weights() -> Lines:
    """Zero as a combination of followers, not of leaders."""
    lines = good.limit([[-2], [0], [2], [-1], [1]])
    return good.after_limit("boundary-with-zero", lines, {"token": 1, "weights": [[3, "1/2"], [4, "1/2"]]}) if len(lines) == 8 else lines


def refused() -> Iterator[Case]:
    groups = (texts, envelopes, matrices, wrong_interpolations, limits, tight_limits, data_files, infeasibles, orbits, limit_claims, hulls, counterexamples)
    for group in groups:
        for name, content, reason, more in group():
            yield "refuse", name, content, reason, more
