# fmt: off
"""False claims of every kind, one at least for every check."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import corpus_accept as good
import corpus_decision as decisions
import corpus_mean_field
import corpus_stages
from checker_kit import Lines, header, orbit, system
from corpus_accept import Case
from corpus_delay import wrong_recurrences, wrong_windows
from corpus_edits import MALFORMED, REJECTED, Simple, changed, drop, put
from corpus_refuse_texts import (
    data_files,
    envelopes,
    equal_blocks,
    limits,
    matrices,
    texts,
    tight,
    tight_limits,
    wrong_interpolations,
)

F = Fraction


def infeasibles() -> Iterator[Simple]:
    cases = {name: lines for name, lines, _ in good.infeasibles()}
    both, sets, many, named = cases["infeasible_measure"], cases["infeasible_set"], cases["infeasible_targets"], cases["infeasible_measure_labels"]
    yield "infeasible_other_measure", changed(sets, put(0, "condition", "measure")), "different measures", REJECTED
    yield "infeasible_other_set", changed(both, put(0, "condition", "set"), put(2, "tokens", [["0"], ["2"]])), "different sets", REJECTED
    yield "infeasible_same_targets", changed(both, put(2, "targets", both[1]["targets"])), "equal targets", REJECTED
    yield "infeasible_same_label", changed(named, put(3, "label", "x")), "equal labels", REJECTED
    yield "infeasible_enough_tokens", changed(many, put(0, "witness", [0])), "two targets, two tokens", REJECTED
    yield "infeasible_targets_label", changed(many, *[put(k, "label", str(k)) for k in (1, 2)]), "labels beside too many targets: the targets may be invented", MALFORMED
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


def decision_models() -> Iterator[Simple]:
    yield from (case for case in decisions.with_models() if "verdict" in case[3])


def decision_limits() -> Iterator[Simple]:
    yield from decisions.limited()
    for name, lines in decisions.long_runs():
        yield f"tight_operations_{name}", lines, "limit: one operation too many", tight(lines, "operations")


def wrong_mean_fields() -> Iterator[Simple]:
    yield from (*corpus_mean_field.wrong_limits(), *corpus_mean_field.wrong_bounds(), *corpus_mean_field.wrong_counterexamples(), *corpus_mean_field.tight_mean_fields(tight))


def refused() -> Iterator[Case]:
    groups = (texts, envelopes, matrices, equal_blocks, wrong_interpolations, limits, tight_limits, data_files, infeasibles, orbits, limit_claims, hulls, counterexamples, corpus_stages.refused)
    for group in (*groups, wrong_mean_fields, wrong_recurrences, wrong_windows, decisions.bad, decision_models, decision_limits):
        for name, content, reason, more in group():
            yield "refuse", name, content, reason, more
