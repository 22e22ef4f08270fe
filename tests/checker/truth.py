"""Is the claim of a certificate true? Decided from its subject by definition, without looking at its witness."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, combinations
from typing import Any

import language_truth
import mean_field_truth
import network_truth
import softmax_truth
from checker_kit import Lines, dot, entries, follows, height, orbit, outputs, states
from corpus_decision import leaders_of, value_of, weighted_states

F = Fraction


def rows(value: Any) -> list[tuple[F, ...]]:
    return [tuple(F(x) for x in row) for row in value]


def matrix(value: Any) -> list[list[F]]:
    return [[F(x) for x in row] for row in value]


def is_true(lines: Lines) -> bool:
    top = lines[0]
    if top["claim"] == "counterexample":
        return refuted(lines)
    judge = {
        "interpolation": interpolation,
        "infeasible": infeasible,
        "orbit": is_orbit,
        "limit": limit,
        "vertex": vertex,
        "separation": separation,
        "projection": projection,
        "decision": is_decision,
        "recurrence": recurrence,
        "positive-window": positive_window,
        "loss": is_loss,
        "zero-temperature": mean_field_truth.zero_temperature,
        "laplace": mean_field_truth.laplace,
        "argmax": network_truth.argmax,
        "enclosure": network_truth.enclosure,
        "recognition": language_truth.recognition,
        "no-recogniser": language_truth.no_recogniser,
    }
    return bool(judge[top["claim"]](lines))


def is_decision(lines: Lines) -> bool:
    """Sign and leaders by definition; of every depth the next forty are looked at."""
    top, line, decoder, last = lines
    A, deeper = matrix(line["A"]), "deeper" in last
    if F(line["alpha"]) <= 0 or len(set(rows(line["tokens"]))) < top["tokens"]:
        return False
    found = weighted_states(line, decoder["counts"], top["layers"] + (40 if deeper else 0))
    values = [value_of(tokens, decoder) for tokens in found[top["layers"] :]]
    signs = all((value > 0) == last["positive"] and value != 0 for value in values)
    return signs and leaders_of(A, found[: top["layers"]]) == last["leaders"]


def labels_correspond(sequences: list[Any]) -> bool:
    pairs = {
        (row["label"], frozenset(rows(row["targets"]))) for row in sequences if "label" in row and "targets" in row
    }
    return len({label for label, _ in pairs}) == len(pairs) == len({targets for _, targets in pairs})


def zero_scores(block: Any, dim: int) -> bool:
    part = block["self_attention"]
    return part is None or any(not any(map(any, entries(part[key], height(part[key], dim), dim))) for key in ("Q", "K"))


def moves(r: F, count: int, dim: int) -> Iterator[list[list[F]]]:
    """Ways in which tokens move by at most r: both translates, all corners at random, anything."""
    rng = random.Random(5)
    yield from ([[s] * dim] * count for s in (F(0), r, -r))
    for grid in (1, 1, 1, 1, 7, 7, 7, 7):
        yield [
            [r * F(rng.choice((-grid, grid)) if grid == 1 else rng.randint(-grid, grid), grid) for _ in range(dim)]
            for _ in range(count)
        ]


def interpolation_with_margin(lines: Lines) -> bool:
    """Whether no such move of the tokens of a sequence changes the set of its outputs: a necessary condition."""
    header, line, *rest = lines
    first = header["blocks"]
    for j in range(header["sequences"]):
        sequence = rest[first + j]
        for move in moves(F(line["margin"]), len(sequence["tokens"]), header["dim"]):
            moved = [
                [str(F(x) + s) for x, s in zip(x, s, strict=True)]
                for x, s in zip(sequence["tokens"], move, strict=True)
            ]
            alone = [{**header, "sequences": 1}, *rest[:first], {**sequence, "tokens": moved}]
            if not interpolation(alone):
                return False
    return interpolation([header, *rest])


def interpolation(lines: Lines) -> bool:
    if len(lines) > 1 and "margin" in lines[1]:
        return interpolation_with_margin(lines)
    top, blocks, sequences = lines[0], lines[1 : 1 + lines[0]["blocks"]], lines[1 + lines[0]["blocks"] :]
    if "beta" in top:
        return labels_correspond(sequences) and softmax_truth.interpolates(lines)
    exact = top["attention"] == "hardmax" or all(zero_scores(block, top["dim"]) for block in blocks)
    return (
        exact
        and labels_correspond(sequences)
        and all(set(outputs(blocks, row["tokens"])) == set(rows(row["targets"])) for row in sequences)
    )


def is_loss(lines: Lines) -> bool:
    return labels_correspond(lines[1 + lines[0]["blocks"] :]) and softmax_truth.on_its_side(lines)


def infeasible(lines: Lines) -> bool:
    top, sequences = lines[0], lines[1:]
    named = [sequences[j] for j in top["witness"]]
    if not labels_correspond(sequences):
        return False
    if top["condition"] == "targets":
        return len(set(rows(named[0]["targets"]))) > len(set(rows(named[0]["tokens"])))
    first, last = (Counter(rows(row["tokens"])) for row in named)
    different = set(rows(named[0].get("targets", []))) != set(rows(named[1].get("targets", []))) or named[0].get(
        "label"
    ) != named[1].get("label")
    same = {x: c * last.total() for x, c in first.items()} == {x: c * first.total() for x, c in last.items()}
    return different and (same if top["condition"] == "measure" else set(first) == set(last))


def is_orbit(lines: Lines) -> bool:
    line = lines[1]
    return F(line["alpha"]) > 0 and orbit(line["tokens"], lines[0]["layers"], line["A"], line["alpha"])[2:] == lines[2:]


def determinant(M: list[list[F]]) -> F:
    if not M:
        return F(1)
    return sum(
        ((-1) ** j * x * determinant([row[:j] + row[j + 1 :] for row in M[1:]]) for j, x in enumerate(M[0])), F(0)
    )


def sign(M: list[list[F]]) -> int:
    """1, 0, -1 for positive definite, only semidefinite, neither, by principal minors."""
    size = range(len(M))
    minors = [
        determinant([[M[i][j] for j in chosen] for i in chosen]) for k in size for chosen in combinations(size, k + 1)
    ]
    return 1 if min(minors) > 0 else 0 if min(minors) >= 0 else -1


def symmetric(M: list[list[F]]) -> bool:
    return [list(column) for column in zip(*M, strict=True)] == M


def proved_limit(lines: Lines, layer: int) -> Any:
    """The limit by the prover of the project, or None where the stated lines say something else."""
    from exactformer.dynamics.limits import limit as prove
    from exactformer.model.tokens import Tokens

    line = lines[1]
    A = matrix(line["A"])
    if F(line["alpha"]) <= 0 or not symmetric(A) or sign(A) != 1:
        return None
    found = prove(Tokens(rows(line["tokens"]), A=A, alpha=line["alpha"]))
    stated = lines[2 : 2 + len(line["tokens"])]
    orbit_ = [follows(A, state) for state in states(line, layer + 25)]
    right = [rows([row["limit"]])[0] for row in stated] == list(map(tuple, found.points)) and [
        row["kind"] for row in stated
    ] == list(found.kinds)
    same = all(sets == orbit_[layer] for sets in orbit_[layer:])
    leaders = lines[2 + len(stated)]["leaders"] == list(found.leaders)
    return found if right and same and leaders else None


def limit(lines: Lines) -> bool:
    if "stages" in lines[0]:
        return limit_in_stages(lines)
    return proved_limit(lines, lines[0]["layer"]) is not None


def limit_in_stages(lines: Lines) -> bool:
    """Limits, kinds, leaders with their first layers, and the last change, by the prover of the project."""
    from exactformer.dynamics.limits import limit as prove
    from exactformer.model.tokens import Tokens

    line, A = lines[1], matrix(lines[1]["A"])
    if F(line["alpha"]) <= 0 or not symmetric(A) or sign(A) != 1:
        return False
    found = prove(Tokens(rows(line["tokens"]), A=A, alpha=line["alpha"]))
    stated = lines[-1 - len(line["tokens"]) : -1]
    right = [tuple(map(term_sum, row["limit"])) for row in stated] == list(map(tuple, found.points))
    kinds = [row["kind"] for row in stated] == list(found.kinds)
    leaders = dict(map(tuple, lines[-1]["leaders"])) == found.orbit.leads_from
    last = lines[0]["layer"] + lines[1 + lines[0]["stages"]]["time"]
    return right and kinds and leaders and found.proved_from_layer <= last


def term_sum(terms: Any) -> Any:
    """The number of a list of terms [c, [b, e], ..]."""
    from exactformer.arithmetic.power_sum import power, written

    total: Any = F(0)
    for c, *powers in terms:
        value: Any = F(c)
        for base, e in powers:
            value = value * power(F(base), e)
        total = total + value
    return written(total)


def vertex(lines: Lines) -> bool:
    from exactformer.geometry.hull import Vertex
    from exactformer.geometry.hull import vertex as decide

    over = rows(lines[1]["points"])
    return isinstance(decide(over[lines[1]["point"]], over), Vertex) == lines[0]["vertex"]


def separation(lines: Lines) -> bool:
    from exactformer.geometry.separation import Hyperplane, separate

    return isinstance(separate(rows(lines[1]["left"]), rows(lines[2]["right"])), Hyperplane) == lines[0]["separated"]


def projection(lines: Lines) -> bool:
    from exactformer.geometry.projection import project

    A = matrix(lines[1]["A"])
    if not symmetric(A) or sign(A) != 1:
        return False
    return tuple(project(rows(lines[1]["points"]), A).point) == rows([lines[2]["projection"]])[0]


def refuted(lines: Lines) -> bool:
    """The hypotheses of the statement hold and its conclusion fails on the instance."""
    name = lines[0]["statement"]
    if name.startswith("meanfield-"):
        return mean_field_truth.refuted(lines)
    if name == "one-block-suffices":
        return one_block(lines)
    if name == "exponentially-fast":
        return slow(lines)
    if name == "frank-wolfe-negative":
        return frank_wolfe(lines)
    line, n, K = lines[1], lines[0]["tokens"], lines[0]["layers"]
    A, tokens = matrix(line["A"]), rows(line["tokens"])
    part = [
        [x + y for x, y in zip(row, column, strict=True)] for row, column in zip(A, zip(*A, strict=True), strict=True)
    ]
    kind = name.replace("leader-by-layer-n-", "leader-")
    wanted = {"leader-without-symmetry": (False, 1), "leader-indefinite": (True, -1), "leader-semidefinite": (True, 0)}
    zero, double = any(not any(x) for x in tokens), len(set(tokens)) < n
    good = (symmetric(A), sign(part)) == wanted.get(kind, (True, 1)) and F(line["alpha"]) > 0
    if not good or zero != (name == "boundary-with-zero") or double != (kind == "leader-duplicates"):
        return False
    if name in ("boundary-with-zero", "leaders-are-initial-vertices", "every-token-tends-to-a-leader"):
        return limit_statement(name, lines, K)
    sets = [follows(A, state) for state in states(line, K)]
    leads = [{i for i, group in enumerate(layer) if group == [i]} for layer in sets]
    if name.startswith("leader-by-layer-n-"):
        return n <= K and not any(leads)
    if name.startswith("leader-"):
        return not leads[0]
    if name == "interior-tokens-never-lead":
        return interior_leads(tokens, set().union(*leads))
    if name in ("leaders-grow-with-alpha", "leaders-shrink-with-alpha"):
        return leaders_depend(tokens, A, F(line["alpha"]), grow="grow" in name)
    if name == "last-leader-within-n-large-alpha" and F(line["alpha"]) < 1:
        return False
    if name == "graph-constant-after-n":
        return n <= K - 1 and sets[-1] != sets[-2]
    if name == "every-leader-leads-at-once":
        return bool(set().union(*leads) - leads[0])
    return n < K and bool(leads[-1] - set().union(*leads[:-1]))


def interior_leads(tokens: Any, leaders: set[int]) -> bool:
    """Whether a leader starts in the interior of the first hull."""
    from exactformer.conjectures.catalogue.clustering import interior_weights

    over = dict(enumerate(tokens))
    return any(interior_weights(tokens[i], {j: z for j, z in over.items() if j != i}) is not None for i in leaders)


def leaders_depend(tokens: Any, A: Any, alpha: F, *, grow: bool) -> bool:
    """Whether a leader for alpha is none for 2 alpha (grow), or the other way round."""
    from exactformer.dynamics.limits import limit as prove
    from exactformer.model.tokens import Tokens

    slow_, fast = (set(prove(Tokens(tokens, A=A, alpha=x)).leaders) for x in (alpha, 2 * alpha))
    return bool(slow_ - fast if grow else fast - slow_)


def limit_statement(name: str, lines: Lines, K: int) -> bool:
    from exactformer.geometry.hull import vertices

    found = proved_limit(lines, K)
    if found is None:
        return False
    if name == "every-token-tends-to-a-leader":
        return "projection" in found.kinds
    if name == "leaders-are-initial-vertices":
        return set(vertices(rows(lines[1]["tokens"])).indices) != set(found.leaders)
    return boundary(found)


def boundary(found: Any) -> bool:
    """Some limit is interior: it is no vertex of the leaders' hull moved a little in every direction."""
    from exactformer.geometry.hull import InHull, in_hull

    corners = [found.points[i] for i in found.leaders]
    dim, small = len(corners[0]), F(1, 10**9)
    around = [[s * small if j == k else F(0) for j in range(dim)] for k in range(dim) for s in (1, -1)]
    return any(
        all(isinstance(in_hull([p + q for p, q in zip(x, move, strict=True)], corners), InHull) for move in around)
        for x in found.points
    )


def frank_wolfe(lines: Lines) -> bool:
    B, tokens, K = matrix(lines[1]["B"]), rows(lines[1]["tokens"]), lines[0]["layers"]
    if not symmetric(B) or sign(B) < 0:
        return False
    from checker_kit import apply, step

    minus = [[-x for x in row] for row in B]
    state = tokens
    for t in range(K):
        state = step(minus, state, F(2, t + 2))
    top = F(lines[2]["lambda"])
    rest = [[top * (i == j) - x for j, x in enumerate(row)] for i, row in enumerate(B)]
    diameter = max(sum((x - y) ** 2 for x, y in zip(p, q, strict=True)) for p in tokens for q in tokens)
    from exactformer.geometry.hull import InHull, in_hull

    inside = isinstance(in_hull([F(0)] * len(B), tokens), InHull)
    return inside and sign(rest) >= 0 and any(dot(apply(B, x), x) / 2 > F(2, K + 1) * top * diameter for x in state)


def slow(lines: Lines) -> bool:
    from exactformer.geometry.hull import vertices

    B, tokens = matrix(lines[1]["B"]), rows(lines[1]["tokens"])
    c, q = F(lines[1]["step"]["c"]), F(lines[1]["step"]["q"])
    groups = follows(B, tokens)
    own = {i for i, group in enumerate(groups) if group == [i]}
    cells = len(set(tokens)) == len(tokens) and all(len(group) == 1 and group[0] in own for group in groups)
    return cells and set(vertices(tokens).indices) == own and 0 < c < 1 and 0 < q < 1 and len(own) < len(tokens)


def one_block(lines: Lines) -> bool:
    from exactformer.geometry.hull import InHull, in_hull

    sequences = lines[1:-1]
    tokens, targets = [rows(row["tokens"]) for row in sequences], [rows(row["targets"]) for row in sequences]
    single = (
        all(len(x) == 1 for x in tokens[:-1])
        and [x[0] for x in tokens[:-1]] == tokens[-1]
        and len(set(tokens[-1])) == len(tokens[-1])
    )
    return (
        single
        and all(len(y) == 1 for y in targets)
        and not isinstance(in_hull(targets[-1][0], [y[0] for y in targets[:-1]]), InHull)
    )


def consistent(H: list[list[F]], Y: list[list[F]]) -> bool:
    """Whether H X = Y has a solution: by elimination."""
    rows_ = [[*h, *y] for h, y in zip(H, Y, strict=True)]
    for column in range(len(H[0])):
        pivot = next((row for row in rows_ if row[column]), None)
        if pivot is not None:
            rows_.remove(pivot)
            rows_ = [[x - row[column] / pivot[column] * y for x, y in zip(row, pivot, strict=True)] for row in rows_]
    return not any(map(any, rows_))


def recurrence(lines: Lines) -> bool:
    """No order up to `refuted` holds, and the next one holds with these coefficients if the header says so."""
    top, series = lines[0], matrix(lines[1]["series"])
    tail = [F(1)] if top["intercept"] else []

    def system_of(order: int) -> tuple[list[list[F]], list[list[F]]]:
        count = len(series) - order
        return [[*chain(*series[k : k + order]), *tail] for k in range(count)], series[order:]

    if any(consistent(*system_of(order)) for order in range(1, top["refuted"] + 1)):
        return False
    if not top["holds"]:
        return bool(top["refuted"])
    order = top["refuted"] + 1
    line = lines[1 + order]
    for k in range(len(series) - order):
        made = [F(x) for x in line["intercept"]]
        for j, A in enumerate(line["coefficients"]):
            made = [x + dot(matrix(A)[i], series[k + j]) for i, x in enumerate(made)]
        if made != series[k + order]:
            return False
    return True


def positive_window(lines: Lines) -> bool:
    """The window of the header is the least one, by the package's own linear programs."""
    from exactformer.studies.time_delay.positive_window import least_window

    top, polynomial = lines[0], tuple(F(x) for x in lines[1]["polynomial"])
    return polynomial[-1] == 1 and least_window(polynomial, cap=top["window"]).window == top["window"]
