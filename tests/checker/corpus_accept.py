# fmt: off
"""True claims of every kind: hand-made corner cases, random transformers, orbits, limits, hulls, counterexamples."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import corpus_decision as decisions
import corpus_mean_field
import corpus_stages
from checker_kit import Lines, header, identity, interpolation, opened, orbit, points, system, text
from corpus_delay import delays

F = Fraction
Case = tuple[str, str, Any, str, dict[str, Any]]  # folder, name, lines or bytes, reason, more
ZERO, I = {"zero": True}, {"scalar": "1"}
POOL = {"rho": "0", "V": I, "Q": ZERO, "K": ZERO}


def ff(eta: Any, U: Any, b: Any, W: Any) -> dict[str, Any]:
    rows = [points(M) if isinstance(M, list) else M for M in (U, W)]
    return {"eta": str(F(eta)), "U": rows[0], "b": [str(F(x)) for x in b], "W": rows[1]}


def worked() -> Lines:
    return interpolation(
        1,
        [(None, POOL), (ff(0, [[1], [1]], [0, "-1/2"], [[4, -6]]), None)],
        [{"tokens": [[0]], "targets": [[0]]}, {"tokens": [[1]], "targets": [[1]]}, {"tokens": [[0], [1]], "targets": [[2]]}],
    )


def corners() -> Iterator[tuple[str, Lines, str]]:
    """Degenerate transformers and data."""
    one = [{"tokens": [["1/2"]]}]
    yield "identity_no_blocks", interpolation(1, [], [{"tokens": [[3]]}, {"tokens": [[1], [2]]}]), "no block: targets are the inputs"
    yield "identity_null_block", interpolation(1, [(None, None)], one), "a block that is the identity"
    yield "one_token", interpolation(2, [(None, POOL)], [{"tokens": [[1, 2]]}]), "one sequence of one token"
    yield "duplicated_tokens", interpolation(1, [(None, POOL)], [{"tokens": [[0], [0], [3]]}]), "multiplicity counts: mean 1, not 3/2"
    yield "target_is_input", interpolation(2, [(None, POOL)], [{"tokens": [[1, 1], [1, 1]]}]), "the target is the input"
    yield "equal_sequences", interpolation(1, [(None, POOL)], [{"tokens": [[1]]}, {"tokens": [[1]]}]), "two equal sequences"
    yield "zero_everything", interpolation(2, [(ff(0, ZERO, [-1], ZERO), {"rho": "0", "V": ZERO, "Q": ZERO, "K": ZERO})], [{"tokens": [[1, 2], [3, 4]]}]), "the zero map"
    yield "constant_unit", interpolation(1, [(ff(0, [[0]], [1], [[7]]), None)], [{"tokens": [[1], [2]]}]), "a unit with U = 0, b = 1"
    yield "constant_with_slopes", interpolation(1, [(ff(1, [[0], [1], [-1]], [1, -2, 3], [[7, 1, 2]]), None)], [{"tokens": [[k] for k in range(-1, 6)]}]), "U = 0 beside parallel rows"
    yield "constant_inactive", interpolation(1, [(ff(1, [[0], [0], [1]], [-1, 0, 0], [[7, 5, 1]]), None)], [{"tokens": [[1], [-2]]}]), "U = 0 with b <= 0 adds nothing"
    yield "negative_slopes", interpolation(1, [(ff("1/2", [[-1], [-2], [3]], [1, 1, "1/3"], [["1/3", 2, -1]]), None)], [{"tokens": [["-1/9"], [1], [0], ["1/2"]]}]), "slopes of both signs"
    yield "equal_breakpoints", interpolation(2, [(ff(0, [[1, 2], [2, 4], [-1, -2]], [1, 2, -1], [[1, 1, 1], [0, "1/2", 3]]), None)], [{"tokens": [[0, 0], [-1, 0], [3, -2], [-3, 1]]}]), "three units with one breakpoint"
    tiny = F(1, 2**70)
    yield "close_breakpoints", interpolation(1, [(ff(0, [[1], [1], [1]], [0, -tiny, -2 * tiny], [[1, 5, -7]]), None)], [{"tokens": [[0], [tiny], [2 * tiny], [3 * tiny], [tiny / 3], [tiny * 3 / 2]]}]), "breakpoints closer than 2^-64"
    yield "not_parallel", interpolation(2, [(ff("1/3", [[1, 0], [0, 1], [1, 1], [-1, 2]], [0, -1, "1/2", 0], [[1, 2, 3, 4], [-1, 0, "1/5", 1]]), None)], [{"tokens": [[1, 2], [-1, 3], [0, 0], ["1/2", "-7/3"]]}]), "rows of U in four directions"
    yield "not_parallel_wide", interpolation(2, [(ff("1/3", [[1, 0], [0, 1], [1, 1], [-1, 2], [2, 0], [1, -3]], [0, -1, "1/2", 0, "1/7", 9], [[1, 2, 3, 4, "1/2", 0], [-1, 0, "1/5", 1, 1, 2]]), None)], [{"tokens": [[1, 2], [-1, 3], [0, 0], ["1/2", "-7/3"]]}]), "six units in five directions"
    yield "outer_matrices", interpolation(2, [(ff(1, {"outer": [["1", "-2", "0"], ["1/2", "3"]]}, [0, 1, 1], {"outer": [["1", "1/7"], ["2", "3", "-4"]]}), {"rho": "1", "V": {"outer": [["1", "2"], ["3", "4"]]}, "Q": {"outer": [["1"], ["1", "0"]]}, "K": [["0", "1"]]})], [{"tokens": [[1, 2], [3, 4], [-1, 2]]}]), "rank one in every place"
    yield "outer_zero_row", interpolation(2, [(ff(1, {"outer": [["1", "2"], ["0", "0"]]}, [1, -1], [[1, 2], [3, 4]]), None)], [{"tokens": [[1, 2]]}]), "an outer product that is zero"
    yield "scalar_matrices", interpolation(2, [(ff(0, {"scalar": "2"}, [1, -1], {"scalar": "1/3"}), {"rho": "1/2", "V": {"scalar": "-1"}, "Q": I, "K": {"scalar": "3"}})], [{"tokens": [[1, 2], [3, -4], [-1, 2], [0, 0]]}]), "multiples of the identity in every place"
    yield "rank_one_signs", interpolation(2, [(None, {"rho": "0", "V": I, "Q": [["1", "0"]], "K": [["1", "0"]]})], [{"tokens": [[1, 0], [-2, 1], [0, 5], [3, 3], [3, -1], [-2, 2]]}]), "positive, negative and zero scores, ties on both ends"
    yield "rank_one_negative", interpolation(2, [(None, {"rho": "1", "V": I, "Q": [["-1", "2"], ["1", "-2"]], "K": [["3", "1"], ["0", "0"]]})], [{"tokens": [[1, 0], [-2, 1], [2, 1], [3, 3]]}]), "Q'K of rank one through two rows"
    yield "cancelling_scores", interpolation(2, [(None, {"rho": "1", "V": I, "Q": [["1", "0"], ["1", "0"]], "K": [["1", "0"], ["-1", "0"]]})], [{"tokens": [[1, 0], [-2, 1], [5, 5]]}]), "Q and K not zero, Q'K zero: everything ties"
    yield "dense_attention", interpolation(2, [(None, {"rho": "0", "V": I, "Q": I, "K": I})], [{"tokens": [["3/5", "4/5"], [1, 0], ["4/5", "2/5"], [0, 0], [1, 0]]}]), "Q = K = I with exact ties and a zero token"
    yield "attention_tall", interpolation(2, [(None, {"rho": "1/2", "V": [["1", "2"], ["0", "1/3"]], "Q": [["1", "2"], ["3", "4"], ["0", "1"]], "K": [["1", "0"], ["0", "-1"], ["1/2", "1/2"]]})], [{"tokens": [[1, 2], [-3, 1], [0, 1]]}]), "h = 3, no symmetry"
    yield "zero_query_free_height", interpolation(1, [(None, {"rho": "1", "V": I, "Q": ZERO, "K": [["1"], ["2"], ["3"]]})], [{"tokens": [[1], [2]]}]), "Q zero takes the height of K"
    yield "softmax_zero_query", interpolation(1, [(None, {"rho": "1", "V": I, "Q": [["0"]], "K": [["5"]]}), (ff(1, [[1]], [0], [[1]]), None)], [{"tokens": [[1], [2]]}], "softmax"), "softmax at every temperature: Q is zero, written densely"
    yield "softmax_no_attention", interpolation(1, [(ff(1, [[1]], [0], [[1]]), None)], [{"tokens": [[1], [-2]]}], "softmax"), "softmax without attention"
    yield "softmax_zero_key", interpolation(1, [(None, {"rho": "1", "V": I, "Q": I, "K": {"scalar": "0"}})], [{"tokens": [[1], [2]]}], "softmax"), "softmax, K = 0 times the identity"
    yield "softmax_zero_outer", interpolation(1, [(None, {"rho": "1", "V": I, "Q": {"outer": [["0"], ["1"]]}, "K": I})], [{"tokens": [[1], [2]]}], "softmax"), "softmax, Q an outer product with a zero factor"
    yield "labels", interpolation(1, [], [{"tokens": [[3]], "label": "cat"}, {"tokens": [[1]], "label": "dog"}, {"tokens": [[3], [3]], "label": "cat"}]), "labels and targets correspond"
    yield "labels_shared", interpolation(1, [], [{"tokens": [[3]], "label": "cat"}, {"tokens": [[1]], "label": "dog"}, {"tokens": [[1], [1]], "label": "dog"}]), "a target set that is written twice"
    yield "coprime_denominators", interpolation(1, [], [{"tokens": [[3]]}, {"tokens": [[F(1, 10**15 + 37)], [F(1, 10**15 + 91)]]}]), "a common denominator of 99 bits"
    yield "labels_odd", interpolation(1, [], [{"tokens": [[3]], "label": ""}, {"tokens": [[1]], "label": '[{"\\ é \U0001f600'}, {"tokens": [[7]], "label": "1"}]), "the empty label, brackets, quotes, letters beyond ASCII"
    big = 10**60 + 7
    yield "large_numbers", interpolation(1, [(ff(1, [[big]], [-1], [[F(1, big)]]), None)], [{"tokens": [[big], [F(1, big)]]}]), "sixty digits"
    yield "dimension_nine", interpolation(9, [(None, POOL)], [{"tokens": [list(range(9)), list(range(9, 0, -1))]}]), "nine coordinates"
    yield "many_blocks", interpolation(1, [(ff(1, [[1]], [0], [["1/2"]]), None)] * 12, [{"tokens": [[1], [-1]]}]), "twelve blocks"
    yield "blocks_out_of_reach", interpolation(1, [(ff(1, [[1]], [-9 - k], [[1]]), None) for k in range(5)], [{"tokens": [[8], [-9]]}, {"tokens": [[12]]}]), "five blocks, that move no token of a sequence"
    tent, key = (ff(2, [[1]], ["-1/2"], [[-4]]), None), F(3**150, 5**105)
    yield "equal_tents", interpolation(1, [(None, POOL), *[tent] * 40], [{"tokens": [[key]]}, {"tokens": [["1/3"], ["1/7"]]}]), "forty equal tents on one long number"
    yield "equal_growing", interpolation(2, [(None, POOL), *[(ff(3, [[1, -1]], [1], [[0], [1]]), None)] * 9], [{"tokens": [[key, 2]]}, {"tokens": [[1, 3], [0, -1]]}]), "equal blocks under which numbers become longer"
    yield "many_breakpoints", interpolation(1, [(ff(0, [[1]] * 150, [-k for k in range(150)], [[(-1) ** k for k in range(150)]]), None)], [{"tokens": [[-3], ["1/2"], [77], ["299/2"], [200]]}]), "a hundred and fifty breakpoints"
    yield "equal_wide", interpolation(1, [(ff(1, [[1], [1], [-1]], [0, -1, 2], [[-1, 1, 1]]), None)] * 3, [{"tokens": [[k] for k in range(-2, 5)]}]), "equal blocks of three units"
    yield "equal_but_attention", interpolation(1, [tent, (tent[0], POOL), tent], [{"tokens": [["1/5"], ["3/4"]]}]), "an attention between equal feed-forward parts"
    steps, far = (ff(0, [[1, 0]] * 5, [0, -1, -2, -3, -4], [[1, -1, 2, -2, 1], [0, 1, 0, -1, 0]]), {"rho": "1/2", "V": I, "Q": ZERO, "K": ZERO}), F(7**50, 5**50)
    yield "mean_along", interpolation(2, [steps, steps, (steps[0], None)], [{"tokens": [[0, 5], [-3, 1], ["9/2", 0], [2, 2]]}, {"tokens": [[1, 1], [3, 9]]}, {"tokens": [[far, 0], [0, far]]}]), "a mean, then a function of one coordinate, with equal tokens and with long numbers"


def rational(rng: random.Random, size: int = 3) -> F:
    return F(rng.randint(-size, size), rng.choice([1, 1, 1, 2, 3]))


def random_matrix(rng: random.Random, rows: int, columns: int) -> Any:
    form = rng.choice(["dense", "dense", "outer", "zero"] + ["scalar"] * (rows == columns))
    if form == "dense":
        return text([[rational(rng) for _ in range(columns)] for _ in range(rows)])
    if form == "outer":
        return {"outer": text([[rational(rng) for _ in range(rows)], [rational(rng) for _ in range(columns)]])}
    return ZERO if form == "zero" else {"scalar": text(rational(rng))}


def random_interpolation(rng: random.Random) -> Lines:
    """A random transformer; its targets are computed by definition."""
    dim, blocks = rng.randint(1, 3), []
    for _ in range(rng.randint(1, 3)):
        width, h = rng.randint(1, 4), rng.randint(1, 2)
        first = {"eta": text(rational(rng)), "U": random_matrix(rng, width, dim), "b": text([rational(rng) for _ in range(width)]), "W": random_matrix(rng, dim, width)}
        Q, K = random_matrix(rng, h, dim), random_matrix(rng, h, dim)
        second = {"rho": text(rational(rng)), "V": random_matrix(rng, dim, dim), "Q": Q, "K": K}
        blocks.append((rng.choice([first, first, None]), rng.choice([second, second, None])))
    rows = [{"tokens": [[rational(rng) for _ in range(dim)] for _ in range(rng.randint(1, 4))]} for _ in range(rng.randint(1, 3))]
    return interpolation(dim, blocks, rows)


def constructed() -> Iterator[tuple[str, Lines, str]]:
    """What the builders of the project write."""
    import exactformer as ef

    rng = random.Random(17)
    for method in ("shallow", "deep", "leaders", "paper"):
        for trial in range(4):
            dim = 2 if method == "paper" else rng.randint(1, 3)
            rows = []
            for _ in range(rng.randint(1, 4)):
                tokens = [[rng.randint(-9, 9) for _ in range(dim)] for _ in range(rng.randint(1, 4))]
                targets = [[rng.randint(-5, 5) for _ in range(dim)] for _ in range(rng.randint(1, len({tuple(x) for x in tokens})))]
                rows.append({"tokens": tokens, "targets": targets})
            with tempfile.TemporaryDirectory() as folder:
                path, data = Path(folder) / "c.jsonl", Path(folder) / "d.json"
                data.write_text(json.dumps({"exactformer": "dataset", "version": [1, 0], "sequences": rows}))
                ef.construct(ef.Dataset.read(data), method=method).certify(path)
                yield f"constructed_{method}_{trial}", opened(path.read_bytes()), f"built by the {method} method"


def infeasible(condition: str, witness: list[int], rows: list[Any]) -> Lines:
    dim = len(rows[0]["tokens"][0])
    lines = []
    for j, row in enumerate(rows):
        line = {"sequence": j, "tokens": points(row["tokens"])} | ({"targets": points(row["targets"])} if "targets" in row else {})
        lines.append(line | ({"label": row["label"]} if "label" in row else {}))
    return [header("infeasible", dim, condition=condition, sequences=len(rows), witness=witness), *lines]


def infeasibles() -> Iterator[tuple[str, Lines, str]]:
    a, b = [[0], [1]], [[1], [0], [0], [1]]
    yield "infeasible_measure", infeasible("measure", [0, 1], [{"tokens": a, "targets": [[1]]}, {"tokens": b, "targets": [[2]]}]), "equal measures, different targets"
    yield "infeasible_measure_labels", infeasible("measure", [0, 2], [{"tokens": a, "label": "x"}, {"tokens": [[5]], "label": "x"}, {"tokens": b, "label": "y"}]), "labels without targets"
    yield "infeasible_measure_both", infeasible("measure", [0, 1], [{"tokens": a, "targets": [[1]], "label": "x"}, {"tokens": b, "targets": [[2]], "label": "y"}]), "labels and targets"
    yield "infeasible_set", infeasible("set", [0, 1], [{"tokens": a, "targets": [[1]]}, {"tokens": [[0], [0], [1]], "targets": [[2]]}]), "equal sets, different measures"
    yield "infeasible_set_label", infeasible("set", [1, 2], [{"tokens": [[9]], "label": "z"}, {"tokens": a, "label": "x"}, {"tokens": [[0], [0], [1]], "label": "y"}]), "equal sets, labels"
    yield "infeasible_targets", infeasible("targets", [1], [{"tokens": a, "targets": [[1], [2]]}, {"tokens": [[3], [3]], "targets": [[1], [2]]}]), "two targets, one distinct token"


ORBITS: list[tuple[str, Any, int, Any, Any, str]] = [
    ("orbit_float_wrong", [["7/5", "1/5"], [1, 1], [0, 0]], 4, None, 1, "float64 sends token 2 to the wrong place"),
    ("orbit_two_leaders", [["3/5", "4/5"], [1, 0], ["4/5", "2/5"]], 3, None, "1/2", "exact ties"),
    ("orbit_ring", [[-4, -1], [3, -3], [1, 4]], 3, [[1, -2], [2, 1]], 1, "no symmetry: a ring"),
    ("orbit_negative", [[1], [-1]], 2, [[-1]], 1, "negative definite: no leader"),
    ("orbit_semidefinite", [[1, 0], [1, 1]], 2, [[1, 0], [0, 0]], 1, "semidefinite: ties for ever"),
    ("orbit_duplicates", [[1, 0], [1, 0], [0, 1]], 2, None, 3, "a duplicated token is no leader"),
    ("orbit_zero_layers", [[1, 2], [3, 4]], 0, None, 1, "layer 0 only"),
    ("orbit_one_token", [[0]], 2, None, 1, "a single token at zero"),
    ("orbit_fraction_A", [[1, 2], [-1, "1/3"], [0, "2/7"]], 3, [["1/2", "1/3"], ["1/3", "5/7"]], "1/10", "rational A"),
    ("orbit_emerging", [[1, "1/3"], ["-1/12", "1/12"], [-1, -1], [0, "1/4"], ["-3/10", "-7/10"], ["-3/5", "-9/10"], ["4/5", "1/10"], ["3/5", "3/20"]], 2, None, "1/2", "token 1 becomes a leader at layer 1"),
    ("orbit_square", [[1, 1], [1, -1], [-1, 1], [-1, -1], ["1/2", 0]], 2, None, 1, "a face projection"),
]

DUPLICATED = [[2, 1], [0, -2], [2, -1], [-1, -1], [2, 0], [-1, 0], [0, -2], [1, 0]]
LIMITS: list[tuple[str, Any, Any, Any, str]] = [
    ("limit_face", [["7/5", "1/5"], [1, 1], [0, 0]], None, 1, "a zero token tends to a face"),
    ("limit_two_leaders", [["3/5", "4/5"], [1, 0], ["4/5", "2/5"]], None, "1/2", "two leaders"),
    ("limit_two_clusters", [["7/3", "1/3"], ["-1/3", "7/3"], [2, "8/3"], ["-3/2", -2]], None, "1/2", "two clusters"),
    ("limit_square", [[1, 1], [1, -1], [-1, 1], [-1, -1], ["1/2", 0]], None, 1, "the projection onto an edge"),
    ("limit_emerging", ORBITS[9][1], None, "1/2", "an emerging leader"),
    ("limit_fixed_on_edge", [[1, 0], [-1, 0], [1, -2], [1, 2]], None, 1, "a token fixed on a face: a constant form"),
    ("limit_two_bases", [[0, 1], [-1, 1], [-2, 0], [-2, 2], [0, 2], [2, 2], [2, -2], [2, 0]], None, "1/2", "forms with bases 1 and 2/3"),
    ("limit_duplicates", DUPLICATED, None, 1, "duplicated tokens"),
    ("limit_duplicates_zero", [[0, -2], [-1, 0], [-2, 0], [0, 0], [-2, -2], [-1, 0], [-2, 2], [-1, 1]], None, "1/10", "duplicated tokens and a zero token"),
    ("limit_zero_inside", [[-1], [0], [1]], None, 1, "zero stays inside"),
    ("limit_all_zero", [[0, 0], [0, 0]], None, 1, "all tokens zero"),
    ("limit_one_token", [[3, "1/2"]], None, 1, "one token"),
    ("limit_A", [[1, 2], [-1, 1], [0, -1], ["1/2", 0]], [[2, 1], [1, 1]], 1, "another norm"),
    ("limit_three_dimensions", [[1, 1, 1], [1, -1, 1], [1, 0, -1], ["1/2", 0, "1/5"], [-1, 0, 0]], None, 1, "three dimensions"),
    ("limit_follow_the_moving", [[10, 5, 0], [10, -5, 0], [10, 4, 1], [10, -4, 1], [1, 0, "1/2"]], None, "1/2", "a token that follows two moving tokens for ever: a term k r^k"),
]


def limit(tokens: Any, A: Any = None, alpha: Any = 1) -> Lines:
    from exactformer.dynamics.limits import limit as prove
    from exactformer.model.tokens import Tokens

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "l.jsonl"
        prove(Tokens([[F(x) for x in row] for row in tokens], A=A, alpha=str(alpha))).certify(path)
        return opened(path.read_bytes())


def hulls() -> Iterator[tuple[str, Lines, str]]:
    square = [[0, 0], [2, 0], [0, 2], [2, 2], [1, 1], [0, 0]]
    yield "vertex_yes", vertex(square, 3, [1, 1]), "a corner of the square"
    yield "vertex_duplicated", vertex(square, 0, [-1, -1]), "a corner that stands twice in the list"
    yield "vertex_no", vertex(square, 4, None, [[0, "1/2"], [3, "1/2"]]), "the centre"
    yield "vertex_edge", vertex([[0, 0], [2, 0], [1, 0]], 2, None, [[0, "1/2"], [1, "1/2"]]), "the middle of an edge is no vertex"
    yield "vertex_single", vertex([[5]], 0, [0]), "the only point"
    yield "vertex_tight", vertex([[0], [F(1, 10**12)]], 1, [1]), "separated by 10^-12"
    yield "separation_yes", separation([[0, 0], [1, 0]], [[0, 1], [5, 2]], [0, -1], "-1/2"), "two segments"
    yield "separation_point", separation([[3]], [[0], [1]], [1], 2), "a point and a set"
    yield "separation_no", separation([[0, 0], [2, 2]], [[0, 2], [2, 0]], None, None, [[0, "1/2"], [1, "1/2"]], [[0, "1/2"], [1, "1/2"]]), "crossing diagonals"
    yield "separation_common_point", separation([[1]], [[1]], None, None, [[0, "1"]], [[0, "1"]]), "a common point"
    yield "projection_edge", projection([[1, 1], [1, -1], [3, 0]], [1, 0], [[0, "1/2"], [1, "1/2"]]), "onto an edge"
    yield "projection_vertex", projection([[1, 1], [2, 3]], [1, 1], [[0, "1"]]), "onto a vertex"
    yield "projection_inside", projection([[1, 0], [-1, 0]], [0, 0], [[0, "1/2"], [1, "1/2"]]), "the origin is inside"
    yield "projection_A", projection([[1, 0], [0, 1]], ["1/3", "2/3"], [[0, "1/3"], [1, "2/3"]], [[2, 0], [0, 1]]), "in the norm of A"


def vertex(over: Any, i: int, normal: Any, weights: Any = None) -> Lines:
    witness = {"normal": points([normal])[0]} if weights is None else {"weights": weights}
    return [header("vertex", len(over[0]), points=len(over), vertex=weights is None), {"points": points(over), "point": i}, witness]


def separation(left: Any, right: Any, normal: Any, offset: Any, first: Any = None, second: Any = None) -> Lines:
    witness = {"normal": points([normal])[0], "offset": str(F(offset))} if first is None else {"left_weights": first, "right_weights": second}
    top = header("separation", len(left[0]), left=len(left), right=len(right), separated=first is None)
    return [top, {"left": points(left)}, {"right": points(right)}, witness]


def projection(over: Any, x: Any, weights: Any, A: Any = None) -> Lines:
    subject = {"A": points(A or identity(len(x))), "points": points(over)}
    return [header("projection", len(x), points=len(over)), subject, {"projection": points([x])[0], "weights": weights}]


def statement(name: str, tokens: Any, layers: int, *lines: Any, A: Any = None, alpha: Any = 1) -> Lines:
    top = header("counterexample", len(tokens[0]), statement=name, tokens=len(tokens), layers=layers)
    return [top, system(tokens, A, alpha), *lines]


def after_limit(name: str, lines: Lines, witness: Any) -> Lines:
    first = lines[0]
    top = header("counterexample", first["dim"], statement=name, tokens=first["tokens"], layers=first["layer"])
    return [top, *lines[1:], witness]


LATE = [[4, -6], [9, 0], [1, 4], [3, 4], [4, -3], [11, -12]]
CUT = [[0, "1/3"], [1, "1/3"], [2, "1/3"]]


def counterexamples() -> Iterator[tuple[str, Lines, str]]:
    yield "false_leader_without_symmetry", statement("leader-without-symmetry", [[-4, -1], [3, -3], [1, 4]], 0, A=[[1, -2], [2, 1]]), "a ring"
    yield "false_leader_indefinite", statement("leader-indefinite", [[1], [-1]], 0, A=[[-1]]), "negative definite"
    yield "false_leader_indefinite_2", statement("leader-indefinite", [[1, 1], [-1, 1]], 0, A=[[-1, 0], [0, 1]]), "indefinite"
    yield "false_leader_indefinite_3", statement("leader-indefinite", [[1, -2], [-1, 2]], 0, A=[[0, 1], [1, 0]]), "a zero on the diagonal, not semidefinite"
    yield "false_leader_semidefinite", statement("leader-semidefinite", [[1, 0], [1, 1]], 0, A=[[1, 0], [0, 0]]), "a tie for ever"
    yield "false_leader_semidefinite_2", statement("leader-semidefinite", [[1, 0], [1, 1]], 0, A=[[0, 0], [0, 0]]), "the zero matrix"
    yield "false_leader_duplicates", statement("leader-duplicates", [[1], [1]], 0), "two equal tokens"
    yield "false_boundary", after_limit("boundary-with-zero", limit([[-1], [0], [1]]), {"token": 1, "weights": [[0, "1/2"], [2, "1/2"]]}), "zero inside the segment"
    cross = limit([[1, 1], [1, -1], [-1, 1], [-1, -1], [0, 0]])
    yield "false_boundary_square", after_limit("boundary-with-zero", cross, {"token": 4, "weights": [[0, "1/4"], [1, "1/4"], [2, "1/4"], [3, "1/4"]]}), "zero inside the square"
    emerging = limit(ORBITS[9][1], alpha="1/2")
    yield "false_initial_vertices_leader", after_limit("leaders-are-initial-vertices", emerging, {"token": 1, "leader": True, "weights": combination(ORBITS[9][1], 1)}), "an emerging leader starts inside"
    yield "false_initial_vertices_vertex", after_limit("leaders-are-initial-vertices", limit([[1, 0], [2, 1]]), {"token": 0, "leader": False, "normal": ["-1", "0"]}), "a vertex that follows"
    yield "false_tends_to_leader", after_limit("every-token-tends-to-a-leader", limit([[1, 1], [1, -1], ["1/2", 0]]), {"token": 2}), "the middle of an edge"
    yield "false_leads_at_once", statement("every-leader-leads-at-once", ORBITS[9][1], 1, {"token": 1}, alpha="1/2"), "an emerging leader"
    yield "false_graph_constant", statement("graph-constant-after-n", LATE, 18, alpha="1/50"), "the graph changes at layer 18"
    yield "false_last_leader", statement("last-leader-within-n", LATE, 18, {"token": 2}, alpha="1/50"), "token 2 leads first at layer 18"
    top = header("counterexample", 1, statement="frank-wolfe-negative", tokens=2, layers=575)
    yield "false_frank_wolfe", [top, {"B": [["1"]], "tokens": [["3"], ["-1"]]}, {"zero": [[0, "1/4"], [1, "3/4"]], "lambda": "1", "token": 0}], "the bound fails at layer 575"
    yield "false_exponentially_fast", slow(), "steps 2^-(t+1)"
    yield "false_exponentially_fast_2", slow(c="1/3", q="1/3", split=0), "steps 3^-(t+1), no split"
    yield "false_one_block", one_block(), "0 -> 0, 1 -> 1, both -> 2"
    yield "false_one_block_plane", one_block([[0, 0], [1, 0], [0, 1]], [[0, 0], [0, 0], [0, 0], [1, 1]], [1, 0]), "three tokens in the plane"


def combination(tokens: Any, i: int) -> Any:
    """Convex weights on three other tokens that give token i."""
    from itertools import combinations

    rows = [[F(x) for x in row] for row in tokens]
    for a, b, c in combinations([j for j in range(len(rows)) if j != i], 3):
        u, v, w = ([rows[j][k] - rows[a][k] for k in (0, 1)] for j in (b, c, i))
        det = u[0] * v[1] - u[1] * v[0]
        if det:
            s, t = (w[0] * v[1] - w[1] * v[0]) / det, (u[0] * w[1] - u[1] * w[0]) / det
            if min(s, t, 1 - s - t) > 0:
                return [[a, str(1 - s - t)], [b, str(s)], [c, str(t)]]
    raise ValueError("no triangle")


def slow(c: str = "1/2", q: str = "1/2", split: int = 1, tokens: Any = ((1,), (-1,), ("1/2",)), inside: Any = None) -> Lines:
    parts = [{"token": 2, "weights": [[0, "3/4"], [1, "1/4"]]}] if inside is None else inside
    top = header("counterexample", 1, statement="exponentially-fast", tokens=len(tokens))
    return [top, {"B": [["1"]], "tokens": points(tokens), "step": {"c": c, "q": q}}, {"token": 2, "split": split, "inside": parts}]


def one_block(tokens: Any = ((0,), (1,)), targets: Any = ((0,), (1,), (2,)), normal: Any = (1,)) -> Lines:
    groups = [[x] for x in tokens] + [list(tokens)]
    rows = [{"sequence": j, "tokens": points(group), "targets": points([y])} for j, (group, y) in enumerate(zip(groups, targets, strict=True))]
    return [header("counterexample", len(tokens[0]), statement="one-block-suffices", sequences=len(rows)), *rows, {"normal": points([normal])[0]}]


def with_forms(lines: Lines, start: int = 1) -> Lines:
    """The limit certificate with every lock replaced by its closed form c + r^k (z - c)."""
    from checker_kit import states

    alpha, found = F(lines[1]["alpha"]), list(lines)
    here = states(lines[1], lines[0]["layer"])[-1]
    for i, row in enumerate(lines[2:-1]):
        if "lock" in row:
            c = [F(x) for x in row["limit"]]
            terms = [(F(1), c), (1 / (1 + alpha), [z - x for z, x in zip(here[i], c, strict=True)])]
            form = [{"base": str(b), "power": 0, "vector": [str(x) for x in v]} for b, v in terms if any(v)]
            found[2 + i] = {key: value for key, value in row.items() if key != "lock"} | {"form": form, "from": start}
    return found


def accepted() -> Iterator[Case]:
    yield "accept", "worked_example", worked(), "the worked example of FORMAT.md", {}
    for name, lines, reason in corners():
        yield "corner", name, lines, reason, {}
    rng = random.Random(5)
    for number in range(60):
        yield "accept", f"random_{number:02}", random_interpolation(rng), "a random transformer, targets by definition", {}
    for name, lines, reason in [*constructed(), *infeasibles(), *hulls(), *counterexamples()]:
        yield "accept", name, lines, reason, {}
    for name, tokens, K, A, alpha, reason in ORBITS:
        yield "accept", name, orbit(tokens, K, A, alpha), reason, {}
    for name, tokens, A, alpha, reason in LIMITS:
        lines = limit(tokens, A, alpha)
        yield "accept", name, lines, reason, {}
        yield "accept", name.replace("limit_", "limit_forms_"), with_forms(lines, 3), f"{reason}; locks written as closed forms", {}
    moving = limit(*LIMITS[-1][1:4])
    row = moving[6]
    yield "accept", "limit_terms_any_order", [*moving[:6], {**row, "form": [*row["form"][::-1], {"base": "1/7", "power": 2, "vector": ["0", "0", "0"]}]}, moving[7]], "terms in another order and a zero term change nothing", {}
    yield "accept", "limit_later_layer", later_layer(), "proved from a later layer than necessary", {}
    for name, lines, reason in decisions.good():
        yield "accept", name, lines, reason, {}
    for name, lines, reason, more in decisions.with_models():
        if "verdict" not in more:
            yield "accept", name, lines, reason, more
    for name, lines, reason in [*delays(), *corpus_stages.accepted(), *corpus_mean_field.mean_fields(), *corpus_mean_field.counterexamples()]:
        yield "accept", name, lines, reason, {}
    for name, lines, reason, more in corpus_mean_field.with_data():
        yield "accept", name, lines, reason, more
    yield from with_data()


def later_layer() -> Lines:
    lines = limit([[1, 1], [1, -1], ["1/2", 0]])
    return [{**lines[0], "layer": lines[0]["layer"] + 3}, *lines[1:]]


def long_number(digits: int) -> Lines:
    """The identity on one number of so many digits."""
    top = header("interpolation", 1, attention="hardmax", blocks=0, sequences=1)
    return [top, {"sequence": 0, "tokens": [["7" * digits]], "targets": [["7" * digits]]}]


def with_data() -> Iterator[Case]:
    rows = [{"tokens": [["0", 1], [0.5, "2e0"]], "targets": [["0.0", 1], ["1/2", "4/2"], [0, 1.0]]}, {"tokens": [["-1e-2", "+3"]], "targets": [[-0.01, "3."]]}]
    data = {"exactformer": "dataset", "version": [1, 0], "sequences": rows}
    yield "accept", "data_targets", interpolation(2, [], [{"tokens": [[0, 1], ["1/2", 2]]}, {"tokens": [["-1/100", 3]]}]), "the caller's data, written more freely", {"data": data}
    labelled = {"exactformer": "dataset", "version": [1, 0], "sequences": [{"tokens": [[1]], "label": "é"}, {"tokens": [[2]], "label": "b"}]}
    lines = interpolation(1, [], [{"tokens": [[1]], "label": "é"}, {"tokens": [[2]], "label": "b"}])
    yield "accept", "data_labels", lines, "the caller's labels", {"data": labelled}
    tokens = {"exactformer": "tokens", "version": [1, 0], "tokens": [[1, 2], [3, 4]]}
    yield "accept", "data_tokens", orbit([[1, 2], [3, 4]], 1), "the caller's tokens, A and alpha left out", {"data": tokens}
    full = {"exactformer": "tokens", "version": [1, 0], "A": [[2, 0], [0, 1]], "alpha": 0.5, "tokens": [[1, 2], [3, 4]]}
    yield "accept", "data_system", orbit([[1, 2], [3, 4]], 1, [[2, 0], [0, 1]], "1/2"), "the caller's tokens, A and alpha", {"data": full}
    yield "accept", "data_one_block", one_block(), "a counterexample about the caller's data", {"data": {"exactformer": "dataset", "version": [1, 0], "sequences": [{"tokens": [[0]], "targets": [[0]]}, {"tokens": [[1]], "targets": [[1]]}, {"tokens": [[0], [1]], "targets": [[2]]}]}}
    yield "accept", "limits_raised", long_number(5000), "limit: five thousand digits, allowed by an option", {"options": ["--max-digits", "6000"]}
