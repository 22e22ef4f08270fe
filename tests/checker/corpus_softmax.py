# fmt: off
"""Softmax at a range of temperatures: true claims, false ones, and enclosures that prove nothing."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from checker_kit import Lines, interpolation, opened, points
from corpus_accept import POOL, ZERO, I, ff
from corpus_edits import DECLINED, MALFORMED, REJECTED, Simple, changed, drop, put
from corpus_refuse_texts import tight

F = Fraction
Good = tuple[str, Lines, str]
FOLLOW = {"rho": "0", "V": I, "Q": [["8"]], "K": [["1"]]}  # in one dimension, positive tokens follow the largest


def soft(lines: Lines, beta: list[Any], bits: int = 64) -> Lines:
    """The same blocks and sequences, claimed for softmax at a range of temperatures."""
    return [{**lines[0], "version": [1, 1], "attention": "softmax", "beta": beta, "bits": bits}, *lines[1:]]


def plateau(at: Any, target: Any) -> Any:
    """In one dimension: x -> target for x >= at - 1/4, with slope 0 there."""
    return ff(0, [[0], [1], [1]], [1, -F(at) + F(1, 2), -F(at) + F(1, 4)], [[0, 4 * F(target), -4 * F(target)]])


@cache
def built() -> dict[str, Lines]:
    """What the builders of the project write."""
    import exactformer as ef

    rng, found = random.Random(23), {}
    for name, dim, most, options in (
        ("leaders_one", 1, 1, {"method": "leaders", "beta": "1/2"}),
        ("leaders_single", 2, 1, {"method": "leaders", "beta": 1}),
        ("leaders_several", 2, 3, {"method": "leaders", "beta": 3, "width": 5}),
        ("leaders_wide", 3, 2, {"method": "leaders", "beta": 1, "width": 100}),
        ("temperature_single", 2, 1, {"method": "temperature", "beta": "2/3"}),
        ("temperature_several", 3, 2, {"method": "temperature", "beta": 5}),
    ):
        pool = [[rng.randint(-9, 9) for _ in range(dim)] for _ in range(6)]
        rows = []
        for k in range(1, 4):
            tokens = [*pool[:k], *pool[k + 2 : k + 3], pool[0]]
            targets = [[rng.randint(-5, 5) for _ in range(dim)] for _ in range(rng.randint(1, min(most, k)))]
            rows.append(ef.Sequence.of(tokens, targets=targets))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "c.jsonl"
            ef.construct(ef.Dataset.of(rows), attention="softmax", **options).certify(path)
            found[name] = opened(path.read_bytes())
    return found


def by_hand() -> dict[str, Lines]:
    """Small networks that nobody would build, exact all the same."""
    two = [{"tokens": [[1], [3]], "targets": [[5]]}]
    found = {
        "worked": soft(interpolation(1, [(None, FOLLOW), (plateau(3, 5), None)], two), ["1", None]),
        "no_blocks": soft(interpolation(1, [], [{"tokens": [[3]]}, {"tokens": [[1], [2], [1]]}]), ["1/2", "2"], 1),
        "labels": soft(interpolation(1, [], [{"tokens": [[3]], "label": "cat"}, {"tokens": [[1]], "label": "dog"}]), ["1", None]),
        "uniform": soft(interpolation(1, [(None, POOL)], [{"tokens": [[0], [0], ["1/3"]]}]), ["1", None], 3),
        "uniform_range": soft(interpolation(2, [(None, {**POOL, "rho": "1", "Q": [["0", "0"]], "K": [["1", "2"]]})], [{"tokens": [[0, 1], [0, 0], ["1/3", 7]]}]), ["1", "2"], 3),
        "equal_keys": soft(interpolation(2, [(None, {"rho": "0", "V": I, "Q": [["1", "0"]], "K": [["0", "1"]]})], [{"tokens": [[1, 4], [3, 4], [-1, 4]]}]), ["1", "3"], 8),
        "one_token": soft(interpolation(2, [(None, {"rho": "-1/2", "V": I, "Q": I, "K": I})], [{"tokens": [[1, 2], [1, 2]]}]), ["1", None], 8),
        "merged_points": soft(interpolation(1, [(ff(0, [[1]], [-2], [[1]]), None), (None, {**POOL, "rho": "1"})], [{"tokens": [[0], [1], [2], [4]]}]), ["1", None]),
        "forgotten": soft(interpolation(2, [(None, {"rho": "1", "V": I, "Q": I, "K": {"scalar": "1/9"}}), (ff(0, ZERO, [1, 1], [["2", "0"], ["0", "3"]]), None)], [{"tokens": [[1, 2], [-3, 1], ["1/2", 0], [1, 2]]}]), ["1/9", None], 4),
        "forgotten_range": soft(interpolation(2, [(None, {"rho": "-1", "V": I, "Q": [["1", "0"], ["2", "1"]], "K": [["1", "1"], ["0", "-1"]]}), (ff(0, ZERO, [1], [["2"], ["3"]]), None)], [{"tokens": [[1, 2], [-3, 1], ["1/2", 0], [1, 2]]}]), ["1/9", "5"], 40),
        "undecided_units": soft(interpolation(2, [(None, {"rho": "1", "V": I, "Q": I, "K": {"scalar": "1/9"}}), (ff(1, [[1, 1], [-1, 2], [0, 1]], [-1, 0, "-1/3"], [[1, -1, 2], [0, 3, "-1/7"]]), None), (ff(0, ZERO, [1], [["2"], ["3"]]), None)], [{"tokens": [[1, 2], [-3, 1], ["1/2", 0]]}]), ["1/9", None], 6),
        "unknown_order": soft(interpolation(1, [(None, {"rho": "1", "V": {"scalar": "4"}, "Q": [["1/4"]], "K": [["1"]]})] * 2 + [(ff(0, ZERO, [1], [["2"]]), None)], [{"tokens": [[1], [2], ["1/2"]]}]), ["1/9", "1"], 40),
        "hopeless_order": soft(interpolation(1, [(None, {"rho": "1", "V": {"scalar": "4"}, "Q": [["1/4"]], "K": [["1"]]}), (None, {"rho": "1", "V": I, "Q": [["40"]], "K": [["1"]]}), (ff(0, ZERO, [1], [["2"]]), None)], [{"tokens": [[1], [2], ["1/2"]]}]), ["1/9", "9"], 8),
        "all_signs": soft(interpolation(1, [(None, {"rho": "0", "V": {"scalar": "2"}, "Q": [["64"]], "K": [["1"]]}), (ff(0, [[0], [1], [1], [1], [1]], [1, "3", "2", "-2", "-3"], [["-8", 8, -8, 8, -8]]), None)], [{"tokens": [[2], [-2], [0], [3], [-3]], "targets": [[0], [-8], [8]]}]), ["1", None]),
        "inside_a_box": soft(interpolation(1, [(None, {**FOLLOW, "rho": "1", "Q": [["1/64"]]}), (None, {**FOLLOW, "rho": "1/2"}), (ff(0, ZERO, [1], [["7"]]), None)], [{"tokens": [[1], [3], [2]]}]), ["1/9", None], 5),
        "constant_units": soft(interpolation(1, [(None, FOLLOW), (ff(0, [[0], [0], [0], [1], [-1]], [1, -1, 0, "-5/2", "5/2"], [[2, 9, 9, 0, 0]]), None)], [{"tokens": [[1], [3]], "targets": [[2]]}]), ["1", None]),
        "identity_layer": soft(interpolation(1, [(None, FOLLOW), (ff(1, [[-1]], [1], [[4]]), None), (plateau(3, 5), None)], two), ["1", None]),
        "many_pieces": soft(interpolation(1, [(ff(1, [[1]] * 110, [-k for k in range(110)], [[(-1) ** k for k in range(110)]]), None)], [{"tokens": [[F(2 * k - 1, 2)] for k in range(111)]}]), ["1", None], 8),
        "many_blocks": soft(interpolation(1, [(ff(1, [[1]], [-k], [[1]]), None) for k in range(4)], [{"tokens": [[-1], [1], [3]]}]), ["1", None], 8),
        "falling_units": soft(interpolation(1, [(None, {**FOLLOW, "Q": [["-8"]]}), (ff(0, [[-1], [-1]], ["9/2", "17/4"], [[20, -20]]), None)], [{"tokens": [[4], [9]], "targets": [[5]]}]), ["1", None]),
    }
    long = F(1, 5**40)
    found["long_numbers"] = soft(interpolation(2, [(ff(long, [[long, 1]] * 2 + [[1, -long]], [long, -1, F(1, 7**40)], [[long, 1, F(1, 7**40)], [1, long, 1]]), {"rho": str(long), "V": I, "Q": points([[long, 1]]), "K": points([[1, long]])}), (ff(0, ZERO, [long], [[long], [F(1, 7**40)]]), None)], [{"tokens": [[long, 1], [F(1, 7**40), 2]]}]), ["1/9", None], 80)
    found["long_numbers_range"] = soft(found["long_numbers"], ["1/9", str(F(1, 9) + long)], 80)
    return found


def with_margin(lines: Lines, r: Any) -> Lines:
    """The same blocks and sequences, also claimed for tokens that move by at most r in every coordinate."""
    return [{**lines[0], "version": [1, 1]}, {"margin": str(r)}, *lines[1:]]


def step(*bounds: Any) -> Any:
    """In one dimension: 0 on the first interval [a, b], 1 on the second, 2 on the third, .., ramps between them."""
    units = [(sign, F(end), F(c) - F(b)) for b, c in zip(bounds[1::2], bounds[2::2], strict=False) for sign, end in ((1, b), (-1, c))]
    return ff(0, [[1]] * len(units), [-end for _, end, _ in units], [[F(sign) / ramp for sign, _, ramp in units]])


def margins() -> dict[str, Lines]:
    """Small networks with plateaus; the boxes touch the ends of a plateau where the margin is the largest."""
    three = [{"tokens": [[0], [1]], "targets": [[0]]}, {"tokens": [[2], [2], [5]], "targets": [[1]]}, {"tokens": [[7]], "targets": [[2]]}]
    pooled = interpolation(1, [(None, POOL), (step(0, "3/4", "11/4", "13/4", "27/4", 9), None)], three)
    both = [{"tokens": [[1, 0], [0, 1]], "targets": [[0, 0]], "label": "a"}, {"tokens": [[3, "1/3"]], "targets": [[1, 0]], "label": "b"}]
    plane = interpolation(2, [(None, POOL), (ff(0, [[1, 1]] * 2, [-2, -3], [[1, -1], [0, 0]]), None)], both, "softmax")
    constant = interpolation(1, [(ff(0, ZERO, [1], [[7]]), None)], [{"tokens": [[1], ["-1/2"]], "targets": [[7]]}])
    return {"pooled": with_margin(pooled, "1/4"), "labels_softmax": with_margin(plane, "1/6"), "constant": with_margin(constant, 10**6)}


def margins_refused() -> Iterator[Simple]:
    """Margins that are none, that are too large, or that boxes do not prove."""
    pooled = margins()["pooled"]
    for name, r in {"zero": "0", "negative": "-1/4", "null": None, "count": 1, "not_canonical": "2/8"}.items():
        yield f"margin_{name}", changed(pooled, put(1, "margin", r)), "no margin", MALFORMED
    yield "margin_old_version", changed(pooled, put(0, "version", [1, 0])), "a margin in version [1,0]", MALFORMED
    yield "margin_twice", [*pooled[:2], *pooled[1:]], "two margin lines", MALFORMED
    yield "margin_late", [pooled[0], *pooled[2:4], pooled[1], *pooled[4:]], "a margin line after the blocks", MALFORMED
    yield "margin_more_keys", changed(pooled, put(1, "radius", "1/4")), "a margin line with another key", MALFORMED
    yield "margin_beta", soft(pooled, ["1", None]), "a margin at a range of temperatures", MALFORMED
    for name, plateaus in {"up": (0, 1, "5/2", "13/4", "13/2", 9), "down": (0, 1, "11/4", "7/2", "13/2", 9)}.items():
        edited = changed(pooled, put(1, "margin", "2501/10000"), put(3, "feed_forward", step(*plateaus)))
        yield f"margin_{name}", edited, f"moved {name} the second sequence leaves its plateau", REJECTED
    yield "margin_wrong_target", changed(pooled, put(4, "targets", [["1"]])), "a wrong target", REJECTED
    apart = interpolation(2, [(ff(0, [[1, -1], [-1, 1]], [-1, -1], [[1, 1], [0, 0]]), None)], [{"tokens": [[0, 0]], "targets": [[0, 0]]}])
    yield "margin_unproved", with_margin(apart, 1), "moves apart refute it, translates do not, and boxes do not prove it", DECLINED
    follow = interpolation(1, [(None, FOLLOW), (plateau(3, 5), None)], [{"tokens": [[1], [3]], "targets": [[5]]}])
    yield "margin_attention", with_margin(follow, "1/9"), "attention that is not uniform", DECLINED
    long = changed(pooled, put(1, "margin", str(F(1, 7**150))))
    yield "tight_operations_margin", long, "limit: operations on boxes", tight(long, "operations")
    yield "tight_bits_margin", long, "limit: bits of a box", tight(long, "bits")


def accepted() -> Iterator[Good]:
    for name, lines in margins().items():
        yield f"margin_{name}", lines, "a margin, by hand"
    for name, lines in built().items():
        yield f"softmax_{name}", lines, "softmax, built by the project"
        if lines[0]["beta"][1] is None:
            b = F(lines[0]["beta"][0])
            yield f"softmax_{name}_here", soft(lines, [str(b), str(b)], 96), "what holds at every beta from b on holds at b: rule B"
    for name, lines in by_hand().items():
        yield f"softmax_{name}", lines, "softmax at a range of temperatures, by hand"
    worked = by_hand()["worked"]
    yield "softmax_wide_range", soft(worked, ["1", "1000000"]), "rule B from 1 to a million"
    yield "softmax_version_without_beta", [{**lines, "version": [1, 1]} if k == 0 else lines for k, lines in enumerate(interpolation(1, [(None, POOL)], [{"tokens": [[1], [2]]}], "softmax"))], "version [1,1] without a temperature is section 2"


def refused() -> Iterator[Simple]:
    """Headers that are none, claims that are false, and boxes that stay boxes."""
    yield from margins_refused()
    worked, several = by_hand()["worked"], built()["leaders_several"]
    for name, beta in {"zero": ["0", None], "negative": ["-1", "1"], "reversed": ["2", "1"], "null_first": [None, "1"], "null_both": [None, None], "short": ["1"], "long": ["1", "2", "3"], "number": [1, None], "text": "1", "not_canonical": ["2/2", None]}.items():
        yield f"softmax_beta_{name}", changed(worked, put(0, "beta", beta)), "no range of inverse temperatures", MALFORMED
    for name, bits in {"zero": 0, "negative": -1, "text": "64", "null": None, "true": True}.items():
        yield f"softmax_bits_{name}", changed(worked, put(0, "bits", bits)), "no number of bits", MALFORMED
    yield "softmax_bits_missing", changed(worked, drop(0, "bits")), "beta without bits", MALFORMED
    yield "softmax_beta_missing", changed(worked, drop(0, "beta")), "bits without beta", MALFORMED
    yield "softmax_old_version", changed(worked, put(0, "version", [1, 0])), "a temperature in version [1,0]", MALFORMED
    yield "softmax_hardmax", changed(worked, put(0, "attention", "hardmax")), "hardmax with a temperature", MALFORMED
    yield "softmax_infeasible", changed(worked, put(0, "claim", "infeasible")), "a temperature in another claim", MALFORMED
    yield "softmax_heights", changed(worked, put(1, "self_attention", "Q", [["8"], ["1"]])), "Q and K of different heights", MALFORMED
    yield "softmax_attention_key", changed(worked, lambda x: x[1]["self_attention"].pop("rho")), "an attention without rho", MALFORMED
    yield "softmax_units_key", changed(worked, lambda x: x[2]["feed_forward"].pop("eta")), "a feed-forward part without eta", MALFORMED
    yield "softmax_no_unit", changed(worked, put(2, "feed_forward", {"eta": "1", "U": [], "b": [], "W": [[]]})), "no unit", MALFORMED
    yield "softmax_block_number", changed(worked, put(2, "block", 2)), "blocks are numbered", MALFORMED
    yield "softmax_wrong_target", changed(worked, put(3, "targets", [["4"]])), "a wrong target", REJECTED
    yield "softmax_wrong_by_a_hair", changed(worked, put(3, "targets", [[str(5 + F(1, 10**40))]])), "wrong by 10^-40", REJECTED
    yield "softmax_target_extra", changed(worked, put(3, "targets", [["5"], ["6"]])), "a target that is no output", REJECTED
    yield "softmax_target_missing", changed(by_hand()["all_signs"], put(3, "targets", [["0"], ["8"]])), "an output that is no target", REJECTED
    yield "softmax_labels", changed(by_hand()["labels"], put(2, "label", "cat")), "one label, two target sets", REJECTED
    yield "softmax_leader_lost", changed(several, put(1, "self_attention", "K", ZERO)), "uniform attention instead of the leaders", REJECTED
    last = several[0]["blocks"]
    yield "softmax_weight_moved", changed(several, lambda x: x[last]["feed_forward"]["W"][0].__setitem__(0, str(F(x[last]["feed_forward"]["W"][0][0]) + F(1, 10**9)))), "a weight moved by 10^-9", REJECTED
    yield "softmax_no_plateau", soft(interpolation(1, [(None, FOLLOW)], [{"tokens": [[1], [3]], "targets": [[3]]}]), ["1", None]), "hardmax gives the target, softmax only almost", DECLINED
    yield "softmax_no_plateau_range", soft(interpolation(1, [(None, {**FOLLOW, "Q": [["1"]]})], [{"tokens": [[1], [3]], "targets": [[3]]}]), ["1", "2"]), "the mean is not the largest token", REJECTED
    yield "softmax_tie", soft(interpolation(1, [(None, {**FOLLOW, "rho": "1", "Q": [["1/64"]]}), (None, FOLLOW)], [{"tokens": [[1], [3], [2]], "targets": [[3]]}]), ["1/9", None], 8), "nothing is known about the order", DECLINED
    yield "softmax_too_warm", soft(several, [str(F(several[0]["beta"][0]) / 4096), None]), "temperatures at which the proof fails", DECLINED
    yield "softmax_too_warm_here", soft(built()["leaders_single"], [str(F(built()["leaders_single"][0]["beta"][0]) / 2**20)] * 2), "one temperature at which the claim is false", REJECTED
    yield "softmax_other_temperature", soft(built()["temperature_several"], ["7", "7"]), "exact at another temperature", REJECTED
    yield "softmax_temperature_and_more", soft(built()["temperature_several"], ["5", "7"]), "exact at 5, not up to 7", DECLINED
    yield "softmax_few_bits", soft(several, several[0]["beta"], 2), "too few bits", DECLINED
    yield "softmax_on_a_ramp", changed(worked, put(2, "feed_forward", plateau("13/4", 5))), "the token stands on a ramp", DECLINED
    yield "softmax_limit_bits", soft(by_hand()["no_blocks"], ["1", None], 300), "limit: more bits than allowed", DECLINED | {"options": ["--max-bits", "200"]}
    yield "softmax_many_bits", soft(worked, ["1", None], 10**12), "limit: a million million bits", DECLINED
    yield from tight_limits()


def tight_limits() -> Iterator[Simple]:
    from corpus_refuse_texts import tight

    hand = by_hand()
    for name in ("worked", "long_numbers", "long_numbers_range", "undecided_units", "forgotten_range", "many_blocks"):
        yield f"softmax_tight_operations_{name}", hand[name], "limit: one operation too many", tight(hand[name], "operations")
    yield "softmax_tight_memory", hand["long_numbers"], "limit: one byte too many", tight(hand["long_numbers"], "memory")
    a, b = F(1, 5**40), F(1, 7**40)
    last = soft(interpolation(1, [(ff(0, [[1], [1], [1]], [0, -5, -5], [[a, b, 1]]), None)], [{"tokens": [[0]]}]), ["1", None], 8)
    ends = soft(interpolation(1, [(None, {"rho": "0", "V": {"scalar": "9" * 40}, "Q": ZERO, "K": ZERO})] * 2, [{"tokens": [[1]]}]), ["1", None], 8)
    for name, lines in {"pieces": last, "state": ends}.items():
        yield f"softmax_tight_bits_{name}", lines, "limit: one bit too many", tight(lines, "bits")
