# fmt: off
"""The limit at zero temperature and the Laplace bound, true and false."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from checker_kit import Lines
from corpus_delay import certified
from corpus_edits import DECLINED, MALFORMED, REJECTED, Simple, changed, drop, put

F = Fraction
EYE = [["1", "0"], ["0", "1"]]
SYSTEMS: dict[str, tuple[Any, Any]] = {
    "metastable": ([[1, 0], [0, "1/2"]], [["1/5", 0], [0, 1]]),
    "golden": ([[1, 1], [1, 0]], EYE),
    "plane": ([[1, 0, 0], [0, 1, 0], [0, 0, "3/2"]], [[1, 0, 0], [0, 1, 0], [0, 0, "1/5"]]),
    "golden_twice": ([[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 1], [0, 0, 1, 0]], [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]),
    "spiral": ([[1, 0, 0], [0, "1/2", -3], [0, 3, "1/2"]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    "jordan_below": ([[2, 0, 0], [1, 1, 5], [0, 0, 1]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    "multiple": ([[3, 0], [0, 3]], EYE),
    "cubic": ([[0, 0, 2], [1, 0, 0], [0, 1, 0]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    "negative": ([[-1, 0], [0, -2]], EYE),
}
SQUARE = [[1, 0], [0, 1], [-1, 0], [0, -1]]
PYTHAGORAS = [["3/5", "4/5"], ["-3/5", "4/5"], ["5/13", "-12/13"], [1, 0], [1, 0], ["20/29", "21/29"]]


def zero_temperature(name: str) -> Lines:
    from exactformer.studies.mean_field.system import System
    from exactformer.studies.mean_field.zero_temperature import limit

    return certified(limit(System.of(*SYSTEMS[name])))


def with_queries() -> Lines:
    """Three queries and keys in dimension two."""
    from exactformer.studies.mean_field.system import System
    from exactformer.studies.mean_field.zero_temperature import limit

    return certified(limit(System([[1, 2], [0, "1/3"]], [[1, 0], [0, 1], [1, 1]], [[1, 0], [0, 2], ["1/2", 0]])))


def laplace(tokens: Any, x: Any, beta: Any, A: Any = None) -> Lines:
    from exactformer.model.tokens import Tokens
    from exactformer.studies.mean_field.laplace import laplace_bound

    return certified(laplace_bound(Tokens(tokens, A=A), x, beta))


def mean_fields() -> Iterator[tuple[str, Lines, str]]:
    for name in SYSTEMS:
        yield f"zero_temperature_{name}", zero_temperature(name), "the limit map and a rate"
    yield "zero_temperature_queries", with_queries(), "three queries in dimension two"
    yield "laplace_square", laplace(SQUARE, [1, 0], 10), "four tokens, the direction is one of them"
    yield "laplace_pythagoras", laplace(PYTHAGORAS, ["3/5", "-4/5"], "7/2"), "six tokens, two of them equal"
    yield "laplace_matrix", laplace(PYTHAGORAS, [1, 2], 100, [[1, "1/3"], [-2, 1]]), "scores with a matrix"
    yield "laplace_sphere", laplace([[1, 0, 0], ["2/3", "2/3", "1/3"], ["-2/3", "1/3", "2/3"]], [1, 1, 1], 4), "on the 2-sphere"


def wrong_limits() -> Iterator[Simple]:
    good, golden, plane, twice = (zero_temperature(name) for name in ("metastable", "golden", "plane", "golden_twice"))
    yield "zero_temperature_rate", changed(good, put(6, "rate", "3/10")), "the gap itself is not proved", REJECTED
    yield "zero_temperature_rate_zero", changed(good, put(6, "rate", "0")), "no rate", REJECTED
    yield "zero_temperature_norm", changed(good, put(6, "norm", "1/2"), put(6, "rate", "1/1000")), "B is larger", REJECTED
    yield "zero_temperature_norm_negative", changed(good, put(6, "norm", "-1"), put(6, "rate", "-20/67")), "a negative norm", REJECTED
    yield "zero_temperature_low", changed(good, put(2, "low", "51/100")), "the polynomial is positive there", REJECTED
    yield "zero_temperature_monic", changed(good, put(2, "polynomial", ["-1", "2"])), "a polynomial that is not monic", MALFORMED
    yield "zero_temperature_other_eigenvalue", changed(good, put(2, "polynomial", ["-1/5", "1"]), put(2, "low", "1/5"), put(3, "eigenvectors", [["1", "0"]]), put(5, "projector", [[["1", "0"], ["0", "0"]]])), "an eigenvalue that does not dominate", REJECTED
    yield "zero_temperature_eigenvector", changed(good, put(3, "eigenvectors", [["1", "1"]])), "a vector that is none", REJECTED
    yield "zero_temperature_dependent", changed(plane, put(3, "eigenvectors", [["1", "0", "0"], ["2", "0", "0"]])), "the same vector twice", REJECTED
    yield "zero_temperature_zero_vector", changed(good, put(3, "eigenvectors", [["0", "0"]])), "the zero vector", REJECTED
    yield "zero_temperature_bound", changed(good, put(4, "bound", "1/10")), "an eigenvalue lies above", REJECTED
    yield "zero_temperature_bound_above", changed(zero_temperature("negative"), put(4, "bound", "-1/2"), put(4, "form", [["-1", "0"], ["0", "-1"]])), "a bound above lambda", REJECTED
    yield "zero_temperature_form", changed(good, put(4, "form", 0, 0, "256")), "a form that falls", REJECTED
    yield "zero_temperature_asymmetric", changed(good, put(4, "form", 0, 1, "1")), "a form that is not symmetric", REJECTED
    yield "zero_temperature_subspace", changed(good, put(4, "subspace", [["0", "1"]])), "a subspace on which the form is positive", REJECTED
    yield "zero_temperature_subspace_short", changed(spiral := zero_temperature("spiral"), put(4, "subspace", spiral[4]["subspace"][:1])), "too few vectors", MALFORMED
    yield "zero_temperature_projector", changed(golden, put(-2, "projector", 0, 0, 0, "1/5")), "a digit of the projector", REJECTED
    yield "zero_temperature_left", changed(zero_temperature("jordan_below"), left), "the image is right, the kernel is not", REJECTED
    yield "zero_temperature_right", changed(zero_temperature("jordan_below"), right), "the kernel is right, the image is not", REJECTED
    yield "zero_temperature_trace", changed(good, put(5, "projector", [[["0", "0"], ["0", "2"]]])), "twice the projector", REJECTED
    yield "zero_temperature_square", changed(plane, put(5, "projector", [[["2", "0", "0"], ["0", "0", "0"], ["0", "0", "0"]]])), "trace 2, but not its own square", REJECTED
    yield "zero_temperature_square_golden", changed(twice, doubled), "the same over Q(lambda)", REJECTED
    yield "zero_temperature_singular", changed(good, put(1, "K", [["0", "0"], ["0", "1"]])), "B is singular", REJECTED
    yield "zero_temperature_heights", changed(good, put(1, "Q", [["1", "0"]])), "as many queries as keys", MALFORMED
    yield "zero_temperature_degree", changed(good, put(0, "multiplicity", 3), put(3, "eigenvectors", [["0", "1"], ["0", "2"], ["0", "3"]])), "more eigenvectors than dimensions", REJECTED
    yield "zero_temperature_keys", changed(good, drop(6, "norm")), "a rate without norm", MALFORMED
    yield "zero_temperature_old_version", changed(good, put(0, "version", [1, 0])), "a claim of version 1.1", MALFORMED
    yield "zero_temperature_other_data", good, "the caller's system is another one", REJECTED | {"data": system("2")}
    yield "zero_temperature_data_keys", good, "no system file", MALFORMED | {"data": {**system("1"), "A": EYE}}


def left(lines: Lines) -> None:
    """The orthogonal projector onto E in place of the spectral one."""
    orthogonal(lines, [F(x) for x in lines[3]["eigenvectors"][0]])


def right(lines: Lines) -> None:
    """The orthogonal projector with the kernel of the spectral one."""
    orthogonal(lines, next([F(x) for x in row] for row in lines[-2]["projector"][0] if any(map(F, row))))


def orthogonal(lines: Lines, u: list[Fraction]) -> None:
    length = sum(x * x for x in u)
    lines[-2]["projector"] = [[[str(x * y / length) for y in u] for x in u]]


def doubled(lines: Lines) -> None:
    """Twice the projector on one of two equal blocks, nothing on the other."""
    for part in lines[-2]["projector"]:
        for i in range(4):
            for j in range(4):
                part[i][j] = str(2 * F(part[i][j])) if i < 2 and j < 2 else "0"


def system(first: str) -> dict[str, Any]:
    return {"exactformer": "system", "version": [1, 0], "V": [[first, 0], [0, ".5"]], "Q": [[1, "0"], [0, 1]], "K": [["2/10", 0], [0, 1]]}


def wrong_bounds() -> Iterator[Simple]:
    good, sphere = laplace(PYTHAGORAS, ["3/5", "-4/5"], "7/2"), laplace(SQUARE, [1, 0], 10)
    yield "laplace_bound", changed(good, put(2, "bound", "1/100")), "a bound that is too small", REJECTED
    yield "laplace_beta", changed(good, put(2, "beta", "1/100")), "a temperature too high for the bound", REJECTED
    yield "laplace_beta_zero", changed(sphere, put(2, "beta", "0"), put(2, "bound", "2")), "an infinite temperature", REJECTED
    yield "laplace_negative_bound", changed(sphere, put(2, "bound", "-1/5")), "a negative bound", REJECTED
    yield "laplace_off_the_sphere", changed(good, put(1, "tokens", 0, ["1", "1"]), put(2, "bound", "3")), "a token that is not on the sphere", REJECTED
    yield "laplace_no_direction", changed(good, put(1, "x", ["0", "0"])), "no direction", REJECTED
    yield "laplace_tokens", changed(good, put(0, "tokens", 5)), "another number of tokens", MALFORMED
    yield "laplace_no_bits", changed(good, put(0, "bits", 0)), "no bits", MALFORMED
    yield "laplace_few_bits", changed(good, put(0, "bits", 1)), "one bit shows nothing", REJECTED
    short = [put(0, "bits", 1), put(1, "x", ["1/1000", "0"]), put(2, "bound", "2")]
    yield "laplace_short_direction", changed(sphere, *short), "A x is shorter than the precision", REJECTED
    yield "laplace_other_data", good, "the caller's tokens are others", REJECTED | {"data": {"exactformer": "tokens", "version": [1, 0], "tokens": SQUARE}}
    yield "laplace_bits", changed(good, put(0, "bits", 300)), "limit: more bits than allowed", DECLINED | {"options": ["--max-bits", "200"]}


FALSE: dict[str, tuple[str, dict[str, Any]]] = {
    "pair": ("complex-pair", {"V": [[0, -1], [1, 0]]}),
    "pair_in_space": ("complex-pair", {"V": [[1, -2, 0], [2, 1, 0], [5, 0, "1/2"]], "B": [[1, 0, 0], [0, 1, 0], [0, 0, "1/2"]]}),
    "pair_irrational": ("complex-pair", {"V": [[0, 0, -2], [1, 0, 0], [0, 1, 0]]}),
    "pair_long": ("complex-pair", {"V": [[0, 0, 0, 0, -2], [1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0]]}),
    "jordan": ("jordan-block", {"V": [[0, 1], [0, 0]]}),
    "jordan_in_space": ("jordan-block", {"V": [[2, 1, 0], [0, 2, 0], [3, 0, -1]]}),
    "kernel": ("mass-on-kernel", {"V": [[1, 0], [0, "1/2"]], "tokens": [[1, 1], [0, 1]]}),
    "kernel_golden": ("mass-on-kernel", {"V": [[1, 1, 0], [1, 0, 0], [0, 0, 1]], "tokens": [[0, 0, 3]]}),
    "near_kernel": ("mass-near-kernel", {"V": [[1, "1/2"], ["1/2", 3]], "constant": 7, "rate": "1/3"}),
    "cone": ("cone-support", {"V": [[1, 0], [0, 1]], "B": [[1, 0], [0, 2]], "tokens": [[10, 1], [10, -1], [20, 1]]}),
    "gap": ("w2-rate-is-gap", {"V": [[1, 0], [0, "1/2"]], "constant": 10}),
    "symmetric": ("symmetric-data", {"V": [[1, 0], [0, "1/2"]], "B": [["1/5", 0], [0, 1]], "tokens": [[0, 1], [3, 4], [-3, 4]]}),
}


def refuted(name: str) -> Lines:
    """The counterexample certificate of an instance."""
    from exactformer.conjectures.given_instance import judge
    from exactformer.instances.kinds import read_instance

    statement, content = FALSE[name]
    return certified(judge(f"meanfield-{statement}", read_instance({"exactformer": "mean-field", **content})))


def counterexamples() -> Iterator[tuple[str, Lines, str]]:
    for name in FALSE:
        yield f"false_meanfield_{name}", refuted(name), "what fails without a hypothesis of the mean field"
    yield "false_meanfield_pair_factors", changed(refuted("pair_irrational"), put(3, "exponent", 3)), "more factors than needed"


def wrong_counterexamples() -> Iterator[Simple]:
    pair, space, jordan, below = (refuted(name) for name in ("pair", "pair_in_space", "jordan", "jordan_in_space"))
    yield "false_meanfield_pair_real", changed(pair, put(1, "V", [["0", "1"], ["1", "0"]]), put(2, "determinant", "-1")), "real eigenvalues", REJECTED
    yield "false_meanfield_pair_plane", changed(pair, put(2, "trace", "1")), "no invariant plane", REJECTED
    yield "false_meanfield_pair_zero", changed(pair, put(2, "vector", ["0", "0"])), "the zero vector", REJECTED
    yield "false_meanfield_pair_below", changed(space, put(3, "bound", "50"), put(3, "form", [["-1", "0", "0"], ["0", "-1", "0"], ["0", "0", "-1"]])), "a bound above the pair", REJECTED
    cubic = refuted("pair_irrational")
    yield "false_meanfield_pair_above", changed(cubic, put(3, "above", cubic[2]["subspace"][0])), "the form is negative there", REJECTED
    yield "false_meanfield_pair_polynomial", changed(cubic, put(3, "polynomial", 0, "5")), "a polynomial that does not vanish", REJECTED
    yield "false_meanfield_pair_exponent", changed(cubic, put(3, "polynomial", ["-6", "2", "0", "-3", "1"])), "a polynomial with a real root above", REJECTED
    yield "false_meanfield_pair_no_count", changed(cubic, put(3, "exponent", "1")), "a string for a count", MALFORMED
    yield "false_meanfield_pair_scale", real_leaders(), "a scale that looks to the left", REJECTED
    yield "false_meanfield_pair_rational", changed(cubic, put(0, "rational", 1)), "a number for a truth", MALFORMED
    yield "false_meanfield_singular", changed(pair, put(1, "B", [["1", "1"], ["1", "1"]])), "B is singular", REJECTED
    yield "false_meanfield_jordan_eigenvector", changed(jordan, put(1, "V", [["0", "0"], ["0", "0"]])), "all vectors are eigenvectors", REJECTED
    yield "false_meanfield_jordan_no_block", changed(jordan, put(1, "V", [["0", "1"], ["1", "0"]])), "no block", REJECTED
    yield "false_meanfield_jordan_space", changed(below, put(2, "generalised", 0, ["0", "0", "1"])), "a vector of another eigenvalue", REJECTED
    yield "false_meanfield_jordan_below", changed(below, put(3, "bound", "50"), put(3, "form", [["-1", "0", "0"], ["0", "-1", "0"], ["0", "0", "-1"]])), "a bound above the block", REJECTED
    kernel, near, cone, gap, mirror = (refuted(name) for name in ("kernel", "near_kernel", "cone", "gap", "symmetric"))
    yield "false_meanfield_kernel_token", changed(kernel, put(-1, "token", 0)), "a token off the kernel", REJECTED
    yield "false_meanfield_kernel_zero", changed(kernel, put(1, "tokens", 1, ["0", "0"])), "the zero vector is no direction", REJECTED
    yield "false_meanfield_kernel_bound", not_dominant(), "a bound above lambda, which does not dominate", REJECTED
    yield "false_meanfield_kernel_index", changed(kernel, put(-1, "token", 2)), "no such token", MALFORMED
    yield "false_meanfield_near_gap", changed(near, put(2, "gap", "2")), "the gap is larger", REJECTED
    yield "false_meanfield_near_time", changed(near, put(2, "time", "1/1000")), "too early", REJECTED
    yield "false_meanfield_near_negative", changed(near, put(1, "constant", "1/10"), put(2, "time", "-1/7")), "a time before the start", REJECTED
    yield "false_meanfield_near_rate", changed(near, put(1, "rate", "-1")), "a negative rate", REJECTED
    yield "false_meanfield_near_symmetric", changed(near, put(1, "V", 0, 1, "1")), "V is not symmetric", REJECTED
    yield "false_meanfield_near_multiple", changed(near, put(1, "V", [["1", "0"], ["0", "1"]])), "one eigenvalue only", REJECTED
    yield "false_meanfield_cone_normal", changed(cone, put(-1, "excludes", ["0", "1"])), "a half-space that leaves out a token", REJECTED
    yield "false_meanfield_cone_includes", changed(cone, put(-1, "excludes_opposite", cone[-1]["excludes"])), "a half-space that contains the point", REJECTED
    yield "false_meanfield_cone_values", changed(cone, put(1, "V", [["2", "0"], ["0", "1"]]), put(1, "B", [["1/2", "0"], ["0", "2"]])), "V is no multiple of the identity", REJECTED
    yield "false_meanfield_cone_direction", changed(cone, put(-1, "direction", ["1", "1"]), put(-1, "excludes", ["1", "-10"]), put(-1, "excludes_opposite", ["1", "0"])), "a direction that is not in E", REJECTED
    yield "false_meanfield_cone_span", changed(cone, put(0, "tokens", 1), put(1, "tokens", [["10", "1"]])), "tokens on a line", REJECTED
    yield "false_meanfield_cone_kernel", changed(cone, put(1, "tokens", 2, ["1", "0"])), "a token in the kernel", REJECTED
    yield "false_meanfield_cone_plane", changed(cone, put(0, "multiplicity", 2)), "E is no line", REJECTED
    yield "false_meanfield_gap_decay", changed(gap, put(2, "decay", "1/2")), "too early", REJECTED
    yield "false_meanfield_gap_large", changed(gap, put(1, "constant", "1/100"), put(2, "decay", "-1")), "a negative decay", REJECTED
    yield "false_meanfield_gap_space", changed(gap, put(0, "dim", 3)), "no circle", REJECTED
    yield "false_meanfield_symmetric_reflection", changed(mirror, put(-1, "reflection", [["-2", "0"], ["0", "1"]])), "no reflection", REJECTED
    yield "false_meanfield_symmetric_commutes", changed(mirror, put(1, "B", [["1", "1"], ["0", "1"]])), "R does not commute with B", REJECTED
    yield "false_meanfield_symmetric_tokens", changed(mirror, put(1, "tokens", 2, ["-3", "5"])), "tokens without their image", REJECTED
    yield "false_meanfield_symmetric_fixed", changed(mirror, put(-1, "token", 1)), "R moves the token", REJECTED
    yield "false_meanfield_symmetric_turned", changed(mirror, put(1, "tokens", [["1", "0"], ["3", "4"], ["3", "-4"]]), put(-1, "reflection", [["1", "0"], ["0", "-1"]])), "R fixes the dominant eigenspace", REJECTED
    yield "false_meanfield_symmetric_excited", changed(mirror, put(0, "tokens", 1), put(1, "tokens", [["0", "1"]])), "no token has a part in it", REJECTED
    yield "false_meanfield_symmetric_degree", irrational(), "an irrational eigenvalue", REJECTED
    yield "false_meanfield_symmetric_index", changed(mirror, put(-1, "token", 7)), "no such token", MALFORMED
    yield "false_meanfield_symmetric_orthogonal", oblique(), "an oblique reflection", REJECTED
    yield "false_meanfield_constant", changed(gap, put(1, "constant", "-10")), "a negative constant", REJECTED


def real_leaders() -> Lines:
    """Real eigenvalues 1 and 2 above 0, a pair below: positive for x <= 0 only."""
    V = [[-1, -1, 0, 0], [1, -1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 2]]
    lines = changed(refuted("pair_irrational"), put(0, "dim", 4), put(1, "V", [[str(x) for x in row] for row in V]))
    one = [[str(int(i == j)) for j in range(4)] for i in range(4)]
    form = [[str((-1 if i < 2 else 1) * (i == j)) for j in range(4)] for i in range(4)]
    edits = (put(1, "B", one), put(2, "bound", "0"), put(2, "form", form), put(2, "subspace", one[:2]), put(3, "above", one[2]))
    return changed(lines, *edits, put(3, "polynomial", ["4", "-2", "-2", "-1", "1"]), put(3, "scale", "-1"), put(3, "exponent", 4))


def irrational() -> Lines:
    """Symmetric tokens about an irrational eigenspace."""
    tokens = [["0", "0", "3"], ["1", "0", "0"], ["-1", "0", "0"]]
    lines = changed(refuted("kernel_golden"), put(0, "statement", "meanfield-symmetric-data"), put(0, "tokens", 3), put(1, "tokens", tokens))
    return [*lines[:-1], {"reflection": [["-1", "0", "0"], ["0", "-1", "0"], ["0", "0", "1"]], "token": 0}]


def oblique() -> Lines:
    """An involution that is not orthogonal but satisfies all else."""
    from exactformer.conjectures.given_instance import judge
    from exactformer.instances.kinds import read_instance

    tokens = [[0, 1, 0], [0, 0, 1], [0, 1, -1], [1, 0, 0], [-1, 0, 0]]
    content = {"exactformer": "mean-field", "V": [[1, 0, 0], [0, "1/2", 0], [0, 0, "1/2"]], "tokens": [*tokens, [0, -1, 1], [0, 0, -1]]}
    lines = certified(judge("meanfield-symmetric-data", read_instance(content)))
    edits = (put(0, "tokens", 5), put(1, "tokens", [[str(x) for x in row] for row in tokens]))
    return changed(lines, *edits, put(-1, "reflection", [["-1", "0", "0"], ["0", "1", "0"], ["0", "1", "-1"]]), put(-1, "token", 0))


def not_dominant() -> Lines:
    """The smaller of two eigenvalues, with a form whose bound lies above both."""
    lines = changed(refuted("kernel"), put(1, "V", [["-1", "0"], ["0", "-2"]]), put(1, "tokens", 1, ["1", "0"]))
    edits = (put(2, "polynomial", ["2", "1"]), put(2, "low", "-2"), put(3, "eigenvectors", [["0", "1"]]))
    form = (put(4, "bound", "-1/2"), put(4, "form", [["-1", "0"], ["0", "-1"]]))
    return changed(lines, *edits, *form, put(5, "projector", [[["0", "0"], ["0", "1"]]]))


def with_data() -> Iterator[tuple[str, Lines, str, dict[str, Any]]]:
    """True claims about the caller's own files."""
    yield "zero_temperature_data", zero_temperature("metastable"), "the caller's system, written with decimals", {"data": system("1")}
    yield "laplace_data", laplace(SQUARE, [1, 0], 10), "the caller's tokens", {"data": {"exactformer": "tokens", "version": [1, 0], "tokens": SQUARE}}


def tight_mean_fields(tight: Callable[..., dict[str, Any]]) -> Iterator[Simple]:
    a, b = F(1, 5**40), F(1, 7**40)
    spent = {"zero_temperature": zero_temperature("golden_twice"), "zero_temperature_long": long_system(a, b), "laplace": laplace(PYTHAGORAS, [1, 2], 100, [[1, "1/3"], [-2, 1]])}
    spent |= {f"meanfield_{name}": refuted(name) for name in ("cone", "near_kernel", "symmetric", "pair_irrational", "pair_long")}
    spent["meanfield_pair_factors"] = changed(refuted("pair_irrational"), put(3, "exponent", 30))
    long_scale = changed(refuted("pair_irrational"), put(3, "scale", str(F(10**41 + 7, 10**41))), put(3, "exponent", 40))
    yield "tight_bits_meanfield_scale", long_scale, "limit: a long scale", tight(long_scale, "bits")
    for name, lines in spent.items():
        yield f"tight_operations_{name}", lines, "limit: one operation too many", tight(lines, "operations")
    yield "tight_bits_eigenvector", (lines := changed(zero_temperature("metastable"), put(3, "eigenvectors", 0, 1, str(10**60 + 7)))), "limit: a long vector", tight(lines, "bits")
    yield "tight_bits_low", (lines := changed(zero_temperature("cubic"), put(2, "low", str(F(12599210498948 * 10**60 + 7, 10**73))))), "limit: a long number in a polynomial", tight(lines, "bits")
    for option in ("bits", "memory"):
        yield f"tight_{option}_zero_temperature", spent["zero_temperature_long"], f"limit: {option}", tight(spent["zero_temperature_long"], option)


def long_system(a: Fraction, b: Fraction) -> Lines:
    from exactformer.studies.mean_field.system import System
    from exactformer.studies.mean_field.zero_temperature import limit

    return certified(limit(System.of([[1 + a, b], [a, F(1, 2)]], [[1, b], [0, 1]])))
