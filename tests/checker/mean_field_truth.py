"""Is a claim about the mean field true? Spectra by factored characteristic polynomials, the rest by definition in mpmath."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

import mpmath
import sympy
from checker_kit import Lines
from softmax_truth import number

DIGITS, NOTHING = 120, mpmath.mpf(10) ** -50


class Leader(NamedTuple):
    """A real eigenvalue above all other real parts, its algebraic and geometric multiplicity, the largest other one."""

    value: Any
    multiplicity: int
    eigenvectors: int
    below: Any


def exact(rows: Any) -> Any:
    return sympy.Matrix([[sympy.Rational(x) for x in row] for row in rows])


def digits(rows: Any) -> Any:
    return mpmath.matrix([[number(str(x)) for x in row] for row in rows.tolist()])


def roots(polynomial: Any) -> list[Any]:
    """The complex roots of an irreducible polynomial."""
    coefficients = [number(str(c)) for c in polynomial.all_coeffs()]
    return list(mpmath.polyroots(coefficients, maxsteps=500, extraprec=1000))


def spectrum(M: Any) -> list[tuple[Any, int, int]]:
    """Every eigenvalue with its algebraic and geometric multiplicity: from the factors p of det(x - M), ranks of p(M)."""
    found = []
    for p, power in sympy.factor_list(M.charpoly())[1]:
        value = sympy.zeros(*M.shape)
        for c in p.all_coeffs():
            value = value * M + c * sympy.eye(M.rows)
        geometric = (M.rows - value.rank()) // p.degree()
        found += [(z, power, geometric) for z in roots(p)]
    return sorted(found, key=lambda item: -mpmath.re(item[0]))


def leader(M: Any) -> Leader | None:
    """The eigenvalue that dominates, None where the largest real part is not that of one real eigenvalue."""
    (first, power, geometric), *others = spectrum(M)
    below = max((mpmath.re(z) for z, *_ in others), default=-mpmath.inf)
    alone = abs(mpmath.im(first)) < NOTHING and below < mpmath.re(first) - NOTHING
    return Leader(mpmath.re(first), power, geometric, below) if alone else None


def eigenspaces(M: Any, found: Leader) -> tuple[Any, Any]:
    """Orthonormal bases of ker(M - lambda) and ker(M' - lambda): the singular vectors of the value 0."""
    left, _, right = mpmath.svd_r(digits(M) - found.value * mpmath.eye(M.rows))
    d, k = M.rows, found.eigenvectors
    return right[d - k : d, :].T, left[:, d - k : d]


def projector(M: Any, found: Leader) -> Any:
    """Onto the eigenspace, along the other generalised ones, which the left eigenvectors annihilate."""
    right, left = eigenspaces(M, found)
    return right * (left.T * right) ** -1 * left.T


def size(A: Any) -> Any:
    return max(map(abs, A))


def value_at(polynomial: Any, x: Any) -> Any:
    return mpmath.polyval([number(c) for c in reversed(polynomial)], x)


def semisimple(M: Any, top: Any) -> Leader | None:
    """The dominant eigenvalue, if it is semisimple and of the multiplicity of the header."""
    found = leader(M)
    return found if found and found.multiplicity == found.eigenvectors == top["multiplicity"] else None


def dominance_holds(M: Any, found: Leader, lines: Lines) -> bool:
    """lambda >= low is the largest real root of f, the bound is above the others, and Pi is the projector."""
    f, low, parts = lines[0]["polynomial"], number(lines[0]["low"]), lines[-1]["projector"]
    x = sympy.Symbol("x")
    factors = sympy.factor_list(sympy.Poly([sympy.Rational(c) for c in reversed(f)], x))[1]
    real = [mpmath.re(z) for p, _ in factors for z in roots(p) if abs(mpmath.im(z)) < NOTHING]
    if not real or abs(max(real) - found.value) > NOTHING or low > found.value + NOTHING:
        return False
    if found.multiplicity < M.rows and not found.below < number(lines[2]["bound"]) < low:
        return False
    slope = value_at([str(i * sympy.Rational(c)) for i, c in enumerate(f)][1:], found.value)
    stated = mpmath.matrix(M.rows, M.rows)
    for i, part in enumerate(parts):
        stated += digits(exact(part)) * (found.value**i / slope)
    return bool(size(stated - projector(M, found)) < NOTHING * (1 + size(stated)))


def zero_temperature(lines: Lines) -> bool:
    """The limit map, and a rate that is at most gap/|B'T| for every unit vector T of E; |B| at most the norm."""
    top, given, last = lines[0], lines[1], lines[-1]
    B = exact(given["Q"]).T * exact(given["K"])
    M = exact(given["V"]) * B.T
    with mpmath.workdps(DIGITS):
        found = semisimple(M, top)
        if not B.det() or found is None:
            return False
        if found.multiplicity == M.rows:
            return dominance_holds(M, found, lines[2:])
        slowest = max(mpmath.svd_r(digits(B.T) * eigenspaces(M, found)[0], compute_uv=False))
        rate = 0 < number(last["rate"]) <= (found.value - found.below) / slowest + NOTHING
        norm = max(mpmath.svd_r(digits(B), compute_uv=False)) <= number(last["norm"]) + NOTHING
        return bool(rate and norm and dominance_holds(M, found, lines[2:-1]))


def mean(scores: list[Any], tokens: list[Any]) -> Any:
    """The mean of the tokens with the weights e^score."""
    weights = [mpmath.exp(s - max(scores)) for s in scores]
    total = sum((w * y for w, y in zip(weights, tokens, strict=True)), 0 * tokens[0])
    return total / mpmath.fsum(weights)


def laplace(lines: Lines) -> bool:
    """Tokens on the sphere, and the bound at some temperatures of the range: a necessary condition."""
    given, stated = lines[1], lines[2]
    tokens, w = [exact([y]).T for y in given["tokens"]], exact(given["A"]) * exact([given["x"]]).T
    if any(y.dot(y) != 1 for y in tokens) or not any(w) or sympy.Rational(stated["beta"]) <= 0:
        return False
    with mpmath.workdps(DIGITS):
        beta, bound, points = number(stated["beta"]), number(stated["bound"]), list(map(digits, tokens))
        u, scores = digits(w) / mpmath.norm(digits(w)), [number(str(w.dot(y))) for y in tokens]
        errors = [mpmath.norm(mean([c * beta * s for s in scores], points) - u) for c in (1, 2, 10, 1000)]
        return bool(max(errors) <= bound + NOTHING)


def complex_pair(top: Any, V: Any, B: Any, given: Any) -> bool:
    """The eigenvalues of the largest real part are not real."""
    found = spectrum(V * B.T)
    return all(abs(mpmath.im(z)) > NOTHING for z, *_ in found if mpmath.re(z) > mpmath.re(found[0][0]) - NOTHING)


def jordan_block(top: Any, V: Any, B: Any, given: Any) -> bool:
    """One real eigenvalue dominates and has too few eigenvectors."""
    found = leader(V * B.T)
    return found is not None and found.eigenvectors < found.multiplicity == top["multiplicity"]


def parts_of(M: Any, found: Leader, given: Any) -> list[Any]:
    """The lengths of Pi x, for the tokens x as points of the sphere."""
    return [mpmath.norm(projector(M, found) * x) for x in directions(given)]


def directions(given: Any) -> list[Any]:
    tokens = [digits(exact([y]).T) for y in given["tokens"]]
    return [x / mpmath.norm(x) for x in tokens]


def mass_on_kernel(top: Any, V: Any, B: Any, given: Any) -> bool:
    """A token with Pi x = 0."""
    found = semisimple(V * B.T, top)
    return found is not None and min(parts_of(V * B.T, found, given)) < NOTHING


def cone_support(top: Any, V: Any, B: Any, given: Any) -> bool:
    """V = v > 0, E a line, and neither of its directions a combination of tokens with coefficients >= 0."""
    found, tokens = semisimple(V * B.T, top), exact(given["tokens"])
    scalar = V[0, 0] * sympy.eye(V.rows) == V and V[0, 0] > 0
    if found is None or found.multiplicity > 1 or not scalar or tokens.rank() < V.rows:
        return False
    e = eigenspaces(V * B.T, found)[0]
    bases = [A for A in (tokens[list(rows), :].T for rows in combinations(range(tokens.rows), V.rows)) if A.det()]
    inside = any(min(sign * c for c in digits(A) ** -1 * e) > -NOTHING for A in bases for sign in (1, -1))
    return min(parts_of(V * B.T, found, given)) > NOTHING and not inside


def flow(V: Any, B: Any, tokens: list[Any], beta: Any) -> Iterator[list[Any]]:
    """Steps of xdot = V m - <V m, x> x on the sphere, m the mean with the weights e^(beta x'By)."""
    for _ in range(25):
        yield tokens
        means = [mean([beta * (x.T * B * y)[0] for y in tokens], tokens) for x in tokens]
        moved = [x + V * m / 5 - x * (x.T * V * m)[0] / 5 for x, m in zip(tokens, means, strict=True)]
        tokens = [x / mpmath.norm(x) for x in moved]


def symmetric_data(top: Any, V: Any, B: Any, given: Any) -> bool:
    """A token has a part in E, and one is orthogonal to E at every step, at three temperatures; E that of V."""
    found = semisimple(V, top)
    if found is None or max(parts_of(V, found, given)) < NOTHING:
        return False
    E, never = eigenspaces(V, found)[0], set(range(len(given["tokens"])))
    for beta in ("1/3", "1", "4"):
        for state in flow(digits(V), digits(B), directions(given), number(beta)):
            never &= {i for i, x in enumerate(state) if size(E.T * x) < NOTHING}
    return bool(never)


def gap_of(V: Any) -> Any:
    """The difference of two different eigenvalues of a symmetric matrix on the circle; None for other matrices."""
    if V.shape != (2, 2) or V != V.T or V[0, 0] * sympy.eye(2) == V:
        return None
    return mpmath.sqrt(number(str(V.trace() ** 2 - 4 * V.det())))


def w2_rate_is_gap(given: Any) -> bool:
    """W2 > C a at a = e^(-gs) = 1/(100 + 100 C^2), each angle turned from t to atan(a tan t)."""
    C = number(given["constant"])
    if gap_of(exact(given["V"])) is None or C <= 0:
        return False
    a = 1 / (100 + 100 * C * C)
    moved = mpmath.quad(
        lambda t: (2 - 2 * mpmath.cos(t)) * a / ((a * mpmath.cos(t)) ** 2 + mpmath.sin(t) ** 2),
        [0, a, 10 * a, mpmath.sqrt(a), mpmath.pi / 2],
    )
    return bool(moved * 2 / mpmath.pi > (C * a) ** 2)


def mass_near_kernel(given: Any) -> bool:
    """W2 > C e^(-cs) at a late time, L = log(1/r) of density 1/(1 + L)^2 and the angle atan(e^(L - gs)) to E."""
    C, c, g = number(given["constant"]), number(given["rate"]), gap_of(exact(given["V"]))
    if g is None or min(C, c) <= 0:
        return False
    late = 100 * (1 + abs(mpmath.log(C)) + abs(mpmath.log(c)) + abs(mpmath.log(g)))
    s = late / c
    moved = mpmath.quad(
        lambda L: (2 - 2 * mpmath.cos(mpmath.atan(mpmath.exp(L)))) / (1 + L + g * s) ** 2, [0, 1, 10, 100, mpmath.inf]
    )
    return bool(moved > (C * mpmath.exp(-c * s)) ** 2)


CIRCLE = {"meanfield-w2-rate-is-gap": w2_rate_is_gap, "meanfield-mass-near-kernel": mass_near_kernel}
SPECTRAL = {
    "meanfield-complex-pair": complex_pair,
    "meanfield-jordan-block": jordan_block,
    "meanfield-mass-on-kernel": mass_on_kernel,
    "meanfield-cone-support": cone_support,
    "meanfield-symmetric-data": symmetric_data,
}


def refuted(lines: Lines) -> bool:
    """Whether the instance of a statement about the mean field is one on which it fails."""
    top, given = lines[0], lines[1]
    if len(given["V"]) != top["dim"]:
        return False
    with mpmath.workdps(DIGITS // 4 if top["statement"] in CIRCLE else DIGITS):
        if top["statement"] in CIRCLE:
            return CIRCLE[top["statement"]](given)
        V, B = exact(given["V"]), exact(given["B"])
        zero = any(not any(exact([x])) for x in given.get("tokens", []))
        return bool(B.det()) and not zero and bool(SPECTRAL[top["statement"]](top, V, B, given))
