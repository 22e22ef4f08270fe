# fmt: off
"""Limits in stages, and statements that came with version [1,1]: true and false ones."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from checker_kit import Lines, header, opened, system
from corpus_edits import DECLINED, MALFORMED, REJECTED, Simple, changed, drop, put

F = Fraction
HALF = F(1, 2)


def late(e: Any, h: Any = HALF) -> list[list[Any]]:
    """Tokens whose last one first leads at the first layer k > (1-h)/(alpha e) + 1/alpha."""
    return [[1, 1], [-1, 1], [1 - 2 * F(e), 1 + F(e)], [2 * F(e) - 1, 1 + F(e)], [0, h]]


def in_stages(tokens: Any, alpha: Any = 1, A: Any = None) -> Lines:
    from exactformer.dynamics.limits import limit
    from exactformer.dynamics.stages_claim import certify_in_stages
    from exactformer.model.tokens import Tokens

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "l.jsonl"
        certify_in_stages(limit(Tokens([[F(x) for x in row] for row in tokens], A=A, alpha=str(alpha))), path)
        return opened(path.read_bytes())


MIRROR = [[9, 4], [-9, 4], [8, 5], [-8, 5], [0, 1], [3, -7], [0, 2]]
FOLLOW = [[10, 5, 0], [10, -5, 0], [10, 4, 1], [10, -4, 1], [1, 0, "1/2"]]
STAGES: list[tuple[str, Any, Any, Any, str]] = [
    ("stages_late_leader", late("1/10"), 1, None, "a leader at layer 7"),
    ("stages_later_leader", late("1/5000"), 1, None, "a leader at layer 2,502, whose place has long powers"),
    ("stages_distant_leader", late("1/1000000", "1/3"), 1, None, "a leader at layer 666,668"),
    ("stages_slow", [[4, -6], [9, 0], [1, 4], [3, 4], [4, -3], [11, -12]], "1/5000", None, "a small step"),
    ("stages_mirror", MIRROR, "1/300", None, "mirror pairs, two tokens in the mirror"),
    ("stages_face", [["7/5", "1/5"], [1, 1], ["1/2", "1/4"]], 1, None, "the projection onto an edge"),
    ("stages_follow_the_moving", FOLLOW, "1/50", None, "a token that follows two moving tokens for ever"),
    ("stages_duplicates", [*late("1/10"), [0, HALF], [1, 1]], 1, None, "equal tokens are one position"),
    ("stages_zero_inside", [[-1], [0], [1]], 1, None, "zero stays inside"),
    ("stages_no_leader", [[1], [1]], 1, None, "equal tokens: a leading position without a leader"),
    ("stages_A", [[1, 2], [-1, 1], [0, -1], ["1/2", 0]], "1/100", [[2, 1], [1, 1]], "another norm"),
]


def statement(name: str, tokens: Any, layers: int, *lines: Any, A: Any = None, alpha: Any = 1) -> Lines:
    top = header("counterexample", len(tokens[0]), statement=name, tokens=len(tokens), layers=layers)
    return [top | {"version": [1, 1]}, system(tokens, A, alpha), *lines]


ALPHAS = [[0, -1], [2, -1], [3, 1], [3, 4], [0, 9]]
INSIDE = [*late("1/10"), [0, -1]]
WEIGHTS = [[0, "1/4"], [1, "1/4"], [5, "1/4"], [2, "1/8"], [3, "1/8"]]


def weights_inside() -> list[list[Any]]:
    """(0, 1/2) as a strictly positive combination of the five others."""
    from exactformer.conjectures.catalogue.clustering import interior_weights

    rows = [tuple(F(x) for x in row) for row in INSIDE]
    found = interior_weights(rows[4], {i: row for i, row in enumerate(rows) if i != 4}) or []
    return [[i, str(w)] for i, w in found]


def other_step(name: str, token: int, layers: int, doubled: bool) -> Lines:
    """A token that leads for the one step at a layer, and never for the other."""
    import corpus_accept as good

    limit = good.limit(ALPHAS, None, 1 if doubled else HALF)
    return statement(name, ALPHAS, layers, {"layer": limit[0]["layer"]}, *limit[2:], {"token": token}, alpha=HALF)


def leads_at(alpha: Any, token: int) -> int:
    from exactformer.dynamics.limits import limit
    from exactformer.model.tokens import Tokens

    return limit(Tokens(ALPHAS, alpha=alpha)).orbit.leads_from[token]


def statements() -> Iterator[tuple[str, Lines, str]]:
    yield "false_large_alpha", statement("last-leader-within-n-large-alpha", late("1/10"), 7, {"token": 4}), "a leader at layer 7 > n"
    yield "false_interior_leads", statement("interior-tokens-never-lead", INSIDE, 7, {"token": 4, "weights": weights_inside()}), "an interior token leads at layer 7"
    yield "false_leaders_grow", other_step("leaders-grow-with-alpha", 1, leads_at("1/2", 1), True), "token 1 leads for 1/2, not for 1"
    yield "false_leaders_shrink", other_step("leaders-shrink-with-alpha", 0, leads_at("1", 0), False), "token 0 leads for 1, not for 1/2"
    yield "false_by_n_without_symmetry", statement("leader-by-layer-n-without-symmetry", [[-4, -1], [3, -3], [1, 4]], 3, A=[[1, -2], [2, 1]], alpha="1/10"), "a ring for three layers"
    yield "false_by_n_indefinite", statement("leader-by-layer-n-indefinite", [[1], [-1]], 2, A=[[-1]]), "negative definite"
    yield "false_by_n_semidefinite", statement("leader-by-layer-n-semidefinite", [[1, 0], [1, 1]], 2, A=[[1, 0], [0, 0]]), "a tie for ever"
    yield "false_by_n_duplicates", statement("leader-by-layer-n-duplicates", [[1], [1]], 5), "two equal tokens"


def accepted() -> Iterator[tuple[str, Lines, str]]:
    for name, tokens, alpha, A, reason in STAGES:
        yield name, in_stages(tokens, alpha, A), reason
    late_one = in_stages(late("1/10"))
    yield "stages_more_cuts", changed(late_one, put(3, "cuts", [[4, 1, 3], [4, 4, 1, 2, 4], [0, 0, 9]])), "cuts that are not needed"
    yield "stages_renewed_again", changed(late_one, put(0, "stages", 4), lambda x: x.insert(5, {"stage": 3, "time": 9, "renewed": [[4, [4]]], "cuts": []}), put(6, "from", 10)), "a leader is written once more"
    yield from statements()


def refused() -> Iterator[Simple]:
    good = in_stages(late("1/10"))  # 0 header, 1 system, 2-4 stages, 5 for ever, 6-10 tokens, 11 leaders
    yield from wrong_shapes(good)
    yield from wrong_stages(good)
    yield from wrong_ends(good)
    yield from wrong_statements()
    yield from limits(good)


def wrong_shapes(good: Lines) -> Iterator[Simple]:
    yield "stages_version", changed(good, put(0, "version", [1, 0])), "stages in version [1,0]", MALFORMED
    yield "stages_none", changed(good, put(0, "stages", 0)), "no stage", MALFORMED
    yield "stages_of_orbit", changed(good, put(0, "claim", "orbit")), "stages of another claim", MALFORMED
    yield "stages_claim_number", changed(good, put(0, "claim", 5), drop(0, "stages")), "a claim that is no string", MALFORMED
    yield "stages_number", changed(good, put(3, "stage", 2)), "stages out of order", MALFORMED
    yield "stages_first_number", changed(good, put(2, "stage", 1)), "the first stage is not 0", MALFORMED
    yield "stages_first_time", changed(good, put(2, "time", 1)), "the first stage is not at time 0", MALFORMED
    yield "stages_first_cuts", changed(good, put(2, "cuts", [[0, 1, 2]])), "cuts at stage 0", MALFORMED
    yield "stages_time_order", changed(good, put(4, "time", good[3]["time"])), "times that do not increase", MALFORMED
    yield "stages_twice", changed(good, put(3, "renewed", good[3]["renewed"] * 2)), "a position twice", MALFORMED
    yield "stages_twice_first", changed(good, lambda x: x[2]["renewed"].append(x[2]["renewed"][0])), "a position twice at stage 0", MALFORMED
    yield "stages_far", changed(good, put(3, "renewed", 0, 0, 5)), "an index beyond the tokens", MALFORMED
    yield "stages_renewed_empty", changed(good, put(3, "renewed", [])), "nothing is renewed", MALFORMED
    yield "stages_follows_empty", changed(good, put(3, "renewed", 0, 1, [])), "an empty follower set", MALFORMED
    yield "stages_cuts_object", changed(good, put(4, "cuts", {})), "cuts that are an object", MALFORMED
    yield "stages_cuts_string", changed(good, put(3, "cuts", "no")), "cuts that are no list", MALFORMED
    yield "stages_cut_short", changed(good, put(3, "cuts", [[4, 1]])), "a cut without a time", MALFORMED
    yield "stages_cut_string", changed(good, put(3, "cuts", [[4, 1, "3"]])), "a time as a string", MALFORMED
    yield "stages_cut_negative", changed(good, put(5, "cuts", [[True, 1, 3]])), "true is no index", MALFORMED
    yield "stages_cut_twice", changed(good, put(5, "cuts", [[4, 1, 30], [4, 1, 40]])), "two lists of cuts for one pair", MALFORMED
    yield "stages_from", changed(good, put(5, "from", good[4]["time"])), "dominance before the last stage", MALFORMED
    yield "stages_token_number", changed(good, put(7, "token", 0)), "tokens out of order", MALFORMED
    yield "stages_token_key", changed(good, put(7, "weights", [[0, "1"]])), "weights of a vertex", MALFORMED
    yield "stages_kind", changed(good, put(7, "kind", "corner")), "an unknown kind", MALFORMED
    yield "stages_limit_object", changed(good, put(10, "limit", 0, {})), "a number that is an object", MALFORMED
    yield "stages_limit_number", changed(good, put(6, "limit", 0, "1")), "a number that is no list of terms", MALFORMED
    yield "stages_limit_short", changed(good, put(6, "limit", [[["1"]]])), "a coordinate is missing", MALFORMED
    yield "stages_limit_term", changed(good, put(6, "limit", 0, [[]])), "a term without a coefficient", MALFORMED
    yield "stages_limit_base", changed(good, put(6, "limit", 0, [["1"], ["0", ["-1/2", 2]]])), "a negative base", MALFORMED
    yield "stages_limit_exponent", changed(good, put(6, "limit", 0, [["1"], ["0", ["1/2", 0]]])), "an exponent 0", MALFORMED
    yield "stages_leaders", changed(good, put(11, "leaders", 4)), "leaders that are no list", MALFORMED
    yield "stages_leader_twice", changed(good, put(11, "leaders", [[0, 5], *good[11]["leaders"]])), "a leader twice, once since a wrong layer", MALFORMED
    yield "stages_leader_far", changed(good, put(11, "leaders", [[0, 0], [1, 0], [5, 7]])), "a leader beyond the tokens", MALFORMED
    yield "stages_leader_layer", changed(good, put(11, "leaders", [[0, 0], [1, 0], [4, "7"]])), "a layer as a string", MALFORMED


def wrong_stages(good: Lines) -> Iterator[Simple]:
    yield "stages_indefinite", changed(good, put(1, "A", [["1", "0"], ["0", "-1"]])), "A is not positive definite", REJECTED
    yield "stages_first_sets", changed(good, put(2, "renewed", 4, 1, [2])), "a wrong set at stage 0", REJECTED
    yield "stages_first_order", changed(good, lambda x: x[2]["renewed"].reverse()), "followers before those they follow", REJECTED
    yield "stages_too_early", changed(good, put(3, "time", good[3]["time"] - 1)), "the set changes before it does", REJECTED
    yield "stages_too_late", changed(good, put(3, "time", good[3]["time"] + 1), put(4, "time", good[4]["time"] + 1)), "the set changes after it does", REJECTED
    yield "stages_without_cuts", changed(in_stages(late("1/5000")), put(3, "cuts", [])), "a range that must be cut", REJECTED
    yield "stages_other_set", changed(good, put(3, "renewed", 0, 1, [2, 4])), "one of three is left out", REJECTED
    yield "stages_long_tie", changed(good, put(4, "time", 9), put(5, "from", 10), put(10, "limit", standing_since(1, 9)), put(11, "leaders", 2, 1, 9), put(4, "cuts", everywhere(7, 7))), "a tie that ends is said to last", REJECTED
    yield "stages_tie_missed", changed(good, drop_stage(3), put(9, "limit", standing_since(0, 7)), put(3, "cuts", everywhere(1, 5))), "a tie of one layer is left out", REJECTED
    yield "stages_lead_early", changed(good, drop_stage(3), put(3, "time", 6), put(9, "limit", standing_since(0, 6)), put(10, "leaders", 2, 1, 6), put(3, "cuts", everywhere(1, 4))), "a token leads while it still ties", REJECTED
    yield "stages_keeps_form", changed(in_stages(MIRROR, "1/300"), lambda x: x[3]["renewed"].reverse() if len(x[3]["renewed"]) > 1 else x[3]["renewed"].clear()), "a follower of a new form keeps its own", REJECTED if len(in_stages(MIRROR, "1/300")[3]["renewed"]) > 1 else MALFORMED
    twice = in_stages([*late("1/10"), [0, HALF]])
    yield "stages_not_a_position", changed(twice, put(3, "renewed", 0, 0, 5)), "the second of two equal tokens is no position", REJECTED
    yield "stages_not_followed", changed(twice, put(3, "renewed", 0, 1, [2, 3, 5])), "the second of two equal tokens is followed", REJECTED


def standing_since(stage: int, time: int) -> Any:
    """The place of the last token of late("1/10") at a time, if the sets of a stage had lasted until then."""
    from exactformer.dynamics.limits import limit
    from exactformer.dynamics.stages_claim import number_terms
    from exactformer.model.tokens import Tokens

    stages = limit(Tokens([[F(x) for x in row] for row in late("1/10")])).settled_from(0)
    return [[[str(c), *[[str(b), e] for b, e in powers]] for c, *powers in number_terms(x)] for x in stages.stages[stage].forms[4].value(time)]


def everywhere(first: int, last: int) -> Any:
    """Cuts of all pairs of the last token at every time."""
    return [[4, l, *range(first, last + 1)] for l in range(5)]


def drop_stage(line: int) -> Any:
    def edit(lines: Lines) -> None:
        del lines[line]
        lines[0]["stages"] -= 1
        for s in range(lines[0]["stages"]):
            lines[2 + s]["stage"] = s

    return edit


def wrong_ends(good: Lines) -> Iterator[Simple]:
    face = {"token": 4, "kind": "projection", "limit": [[], [["1"]]], "weights": [[0, "1/2"], [1, "1/2"]]}
    still = changed(good, lambda x: x.__setitem__(10, face), put(11, "leaders", [[0, 0], [1, 0]]))
    yield "stages_missing", changed(still, drop_stage(4), drop_stage(3), put(3, "from", 5), put(3, "cuts", everywhere(1, 4))), "the last changes are left out", REJECTED
    yield "stages_tie_for_ever", changed(still, drop_stage(4), put(4, "from", 9), put(4, "cuts", everywhere(7, 8))), "a tie that ends is said to last for ever", REJECTED
    slow = in_stages([[4, -6], [9, 0], [1, 4], [3, 4], [4, -3], [11, -12]], "1/5000")
    follow = in_stages(FOLLOW, "1/50")
    yield "stages_grows", changed(follow, put(-7, "from", 1)), "a negative term still grows", REJECTED
    near = in_stages([[0, 5, 5], [0, -5, 5], [0, 0, "1/10"], [6, 0, "49/10"], [20, 0, -10]], HALF)
    yield "stages_dominance", changed(near, put(3, "from", 1)), "the leading term does not dominate yet", REJECTED
    yield "stages_limit_other", changed(good, put(8, "limit", good[7]["limit"])), "the limit of another token", REJECTED
    yield "stages_limit", changed(good, put(10, "limit", 1, [["1"]])), "a limit without its long powers", REJECTED
    yield "stages_vertex", changed(good, put(8, "kind", "projection"), put(8, "weights", [[0, "1"]])), "a vertex is called a projection", REJECTED
    face = in_stages([["7/5", "1/5"], [1, 1], ["1/2", "1/4"]])
    yield "stages_projection", changed(face, put(-2, "kind", "vertex"), drop(-2, "weights")), "a projection is called a vertex", REJECTED
    yield "stages_weights", changed(face, put(-2, "weights", [[0, "1/3"], [1, "2/3"]])), "weights of another point", REJECTED
    yield "stages_weights_follower", changed(face, put(-2, "weights", [[0, "1/4"], [1, "1/4"], [2, "1/2"]])), "a weight on a follower", REJECTED
    yield "stages_leader_late", changed(good, put(11, "leaders", 2, 1, 8)), "a leader since a later layer", REJECTED
    yield "stages_leader_missing", changed(slow, lambda x: x[-1]["leaders"].pop()), "a leader is left out", REJECTED


def wrong_statements() -> Iterator[Simple]:
    yield "false_large_alpha_small", statement("last-leader-within-n-large-alpha", late("1/10"), 19, {"token": 4}, alpha="1/3"), "alpha is less than 1", REJECTED
    yield "false_large_alpha_old", changed(statement("last-leader-within-n-large-alpha", late("1/10"), 7, {"token": 4}), put(0, "version", [1, 0])), "a statement of version [1,1]", MALFORMED
    inside = statement("interior-tokens-never-lead", INSIDE, 7, {"token": 4, "weights": weights_inside()})
    yield "false_interior_early", changed(inside, put(0, "layers", 6)), "it does not lead yet", REJECTED
    yield "false_interior_other", changed(inside, put(2, "token", 0)), "weights of another token", REJECTED
    yield "false_interior_far", changed(inside, put(2, "token", 6)), "an index beyond the tokens", MALFORMED
    yield "false_interior_edge", statement("interior-tokens-never-lead", INSIDE, 7, {"token": 4, "weights": [[4, "1"]]}), "points that do not span", REJECTED
    grow = other_step("leaders-grow-with-alpha", 1, leads_at("1/2", 1), True)
    yield "false_grow_early", changed(grow, put(0, "layers", 0)), "it does not lead yet", REJECTED
    yield "false_grow_both", changed(grow, put(-1, "token", 4)), "it leads for both steps", REJECTED
    yield "false_grow_far", changed(grow, put(-1, "token", 5)), "an index beyond the tokens", MALFORMED
    yield "false_grow_layer", changed(grow, put(2, "layer", "0")), "a layer as a string", MALFORMED
    yield "false_grow_swapped", changed(grow, put(0, "statement", "leaders-shrink-with-alpha")), "the limit is that of the other step", REJECTED
    yield "false_by_n_few", statement("leader-by-layer-n-indefinite", [[1], [-1]], 1, A=[[-1]]), "fewer layers than tokens", REJECTED
    yield "false_by_n_leader", statement("leader-by-layer-n-duplicates", [[1], [2], [1]], 3), "there is a leader", REJECTED


def limits(good: Lines) -> Iterator[Simple]:
    from corpus_refuse_texts import tight

    face = in_stages([["7/5", "1/5"], [1, 1], ["1/2", "1/4"]])
    follow, later = in_stages(FOLLOW, "1/50"), in_stages(late("1/5000"))
    hidden = changed(later, put(10, "limit", 1, [["1", ["1/3", 400]], ["-1", ["1/9", 200]], *later[10]["limit"][1]]))
    for name, lines in {"stages": good, "stages_face": face, "stages_follow": follow, "stages_written": hidden}.items():
        yield f"tight_operations_{name}", lines, "limit: one operation too many", tight(lines, "operations")
    yield "tight_memory_stages", good, "limit: pairs held", tight(good, "memory")
    long = in_stages([[1 + F(1, 5**40), 1], [1 + F(1, 5**40), -1], [F(1, 7**40), 0]], "1/3")
    for name, lines in {"stages": hidden, "stages_long": long}.items():
        yield f"tight_bits_{name}", lines, "limit: one bit too many", tight(lines, "bits")
    yield "stages_bits", changed(later, put(10, "limit", 1, [["1", ["1/3", 10**14]], ["-1", ["1/9", 5 * 10**13]], *later[10]["limit"][1]])), "limit: a zero that would have to be written out", DECLINED
