# fmt: off
"""Regularised losses of softmax transformers, on the right side of a bound and on the wrong one."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from checker_kit import Lines, interpolation, points
from corpus_accept import POOL, ZERO, I, ff
from corpus_edits import DECLINED, MALFORMED, REJECTED, Simple, changed, drop, put
from softmax_truth import regularised_loss

F = Fraction
Good = tuple[str, Lines, str]
HAIR = F(1, 10**9)
SOFT = {"rho": "1/3", "V": [["1", "-1/2"], ["0", "2"]], "Q": [["1", "1/2"]], "K": [["-1/4", "1"]]}
MIXED = ff("1/2", [[1, -1], [2, 1], ["-1/3", 0]], ["1/4", -1, "1/7"], [[1, "-1/2", 3], [0, 2, "1/5"]])
TWO = [{"tokens": [[1, 2], [-3, 1], ["1/2", 0]], "targets": [[1, 0], [0, 1]]}, {"tokens": [[0, 0], [1, 1], [1, 1]], "targets": [[2, -1]]}]


def loss(lines: Lines, side: str, bound: Any, *, eps: Any = "1/10", beta: tuple[Any, Any] = (1, 1), bits: int = 64) -> Lines:
    """The same blocks and sequences, claimed to have a regularised loss on one side of a bound."""
    ends = [None if end is None else str(F(end)) for end in beta]
    more = {"version": [1, 1], "claim": "loss", "attention": "softmax", "beta": ends, "bits": bits, "eps": str(F(eps)), side: str(F(round(F(bound) * 2**60), 2**60))}
    return [{**lines[0], **more}, *lines[1:]]


def networks() -> dict[str, Lines]:
    outer = {"rho": "0", "V": {"outer": [["1", "2"], ["1", "-1/2"]]}, "Q": {"outer": [["1/2"], ["1", "3"]]}, "K": {"outer": [["1"], ["0", "1"]]}}
    labels = [{**row, "label": label} for row, label in zip(TWO, ("cat", "dog"), strict=True)]
    return {
        "nothing": interpolation(1, [], [{"tokens": [[0], [1]], "targets": [[2]]}]),
        "pooled": interpolation(1, [(None, POOL)], [{"tokens": [[0], [1]], "targets": [[2]]}, {"tokens": [[3]], "targets": [[3]]}]),
        "softmax": interpolation(2, [(None, SOFT)], TWO),
        "both_parts": interpolation(2, [(MIXED, SOFT)], TWO),
        "attention_first": interpolation(2, [(None, SOFT), (MIXED, None)], TWO),
        "two_blocks": interpolation(2, [(MIXED, SOFT), (MIXED, SOFT)], TWO),
        "short_forms": interpolation(2, [(ff(0, {"scalar": "2"}, [0, "1/2"], ZERO), outer), (None, {"rho": "1", "V": I, "Q": I, "K": {"scalar": "1/9"}})], TWO),
        "labels": interpolation(2, [(None, SOFT)], labels),
    }


def tight_claims(name: str, lines: Lines, **options: Any) -> Iterator[Good]:
    """The loss is above and below what it is, by a hair."""
    value = regularised_loss(loss(lines, "below", 0, **options), options.get("beta", (1, 1))[0])
    yield f"loss_below_{name}", loss(lines, "below", value + HAIR, **options), "below what it is and a hair"
    yield f"loss_above_{name}", loss(lines, "above", value - HAIR, **options), "above what it is less a hair"


def losses() -> Iterator[Good]:
    known = networks()
    for name, lines in known.items():
        yield from tight_claims(name, lines)
    yield from tight_claims("no_eps", known["softmax"], eps=0)
    yield from tight_claims("cold", known["softmax"], beta=(20, 20), eps=3)
    yield "loss_all_cold", loss(known["pooled"], "below", "5/4", beta=(1, None)), "uniform attention at every beta from 1 on, and hardmax"
    yield "loss_range", loss(known["softmax"], "below", 40, beta=("1/2", 2)), "at every beta of a range"
    yield "loss_exact", loss(interpolation(1, [(None, POOL), (ff(0, [[1], [1]], [0, "-1/2"], [[4, -6]]), None)], [{"tokens": [[0]]}, {"tokens": [[1]]}, {"tokens": [[0], [1]]}]), "below", F(1, 10) * F(221, 4) + F(1, 2**60)), "an exact interpolant: E = 0, |Theta|^2 = 1 + 1 + 1 + 1/4 + 16 + 36"


def wrong_losses() -> Iterator[Simple]:
    known = networks()
    soft, exact = known["softmax"], known["nothing"]
    value = regularised_loss(loss(soft, "below", 0), 1)
    right = loss(soft, "below", value + HAIR)
    yield "loss_below_too_low", loss(soft, "below", value - HAIR), "the loss is a hair above", REJECTED
    yield "loss_above_too_high", loss(soft, "above", value + HAIR), "the loss is a hair below", REJECTED
    yield "loss_equal_below", loss(exact, "below", 4), "4 is not below 4", REJECTED
    yield "loss_equal_above", loss(exact, "above", 4), "4 is not above 4", REJECTED
    yield "loss_half_the_distance", loss(exact, "below", 2), "the larger of the two one-sided distances counts", REJECTED
    yield "loss_other_side", loss(interpolation(1, [], [{"tokens": [[2]], "targets": [[0], [1]]}]), "below", 2), "a target that is far from every output counts too", REJECTED
    yield "loss_mean", loss(known["pooled"], "above", 2), "the mean over the sequences, not the sum", REJECTED
    yield "loss_without_norm", loss(known["pooled"], "below", "9/8"), "E alone is below", REJECTED
    for name in ("both_parts", "short_forms"):
        true = regularised_loss(loss(known[name], "below", 0), 1)
        yield f"loss_too_low_{name}", loss(known[name], "below", true - HAIR), "the loss is a hair above", REJECTED
        yield f"loss_few_bits_{name}", loss(known[name], "below", true + HAIR, bits=12), "too few bits: nothing is known", DECLINED
    yield "loss_few_bits_above", loss(soft, "above", value - HAIR, bits=12), "too few bits: nothing is known", DECLINED
    yield "loss_wide_range", loss(soft, "below", value + HAIR, beta=("1/2", 2)), "true at 1, not known on the range", DECLINED
    yield "loss_weight", changed(right, put(1, "self_attention", "rho", "2/3")), "another weight", REJECTED
    yield "loss_token", changed(right, put(2, "tokens", 0, 0, "99")), "another token", REJECTED
    yield "loss_target", changed(right, put(2, "targets", [["9", "9"]])), "another target", REJECTED
    yield "loss_eps", changed(right, put(0, "eps", "1/5")), "another eps", REJECTED
    yield "loss_labels", changed(loss(known["labels"], "below", 99), put(3, "label", "cat")), "one label, two target sets", REJECTED
    yield "loss_eps_negative", changed(right, put(0, "eps", "-1/10")), "a negative eps", MALFORMED
    yield "loss_eps_missing", changed(right, drop(0, "eps")), "no eps", MALFORMED
    yield "loss_both_sides", changed(right, put(0, "above", "0")), "below and above", MALFORMED
    yield "loss_no_side", changed(right, drop(0, "below")), "neither below nor above", MALFORMED
    yield "loss_bound", changed(right, put(0, "below", 99)), "a bound that is no text", MALFORMED
    yield "loss_bits_missing", changed(right, drop(0, "bits")), "no bits", MALFORMED
    yield "loss_beta", changed(right, put(0, "beta", ["0", "1"])), "no inverse temperature", MALFORMED
    yield "loss_hardmax", changed(right, put(0, "attention", "hardmax")), "attention of another kind", MALFORMED
    yield "loss_old_version", changed(right, put(0, "version", [1, 0])), "a claim of version 1.1", MALFORMED
    yield "loss_above_interpolation", changed(right, put(0, "claim", "interpolation")), "a bound in another claim", MALFORMED
    yield from tight_limits()


def tight_limits() -> Iterator[Simple]:
    from corpus_refuse_texts import tight

    long = F(1, 5**40)
    layer = ff(long, [[long, 1]] * 2, [long, -1], [[long, 1], [1, F(1, 7**40)]])
    scores = {"rho": str(long), "V": {"outer": [[str(long), "1"], ["1", str(long)]]}, "Q": points([[long, 1]]), "K": points([[1, long]])}
    lines = loss(interpolation(2, [(layer, scores)], [{"tokens": [[long, 1], [1, 2]], "targets": [[F(1, 11**40), 1], [3, long]]}]), "below", 99, bits=80)
    yield "loss_tight_operations", lines, "limit: one operation too many", tight(lines, "operations")
    yield "loss_tight_memory", lines, "limit: one byte too many", tight(lines, "memory")
    wide = loss(interpolation(1, [(ff(0, [[1]] * 40, [long] * 40, [[long] * 40]), None)], [{"tokens": [[0]], "targets": [[F(1, 7**40)]]}]), "below", 99)
    yield "loss_tight_operations_units", wide, "limit: one operation too many", tight(wide, "operations")
    many = loss(interpolation(1, [], [{"tokens": [[F(k, 5**40)] for k in range(1, 9)], "targets": [[F(k, 7**40)] for k in range(1, 9)]}]), "below", 99)
    yield "loss_tight_operations_targets", many, "limit: one operation too many", tight(many, "operations")
