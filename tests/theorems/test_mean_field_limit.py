"""The limit at zero temperature: projectors satisfy their identities, rates are proved, on systems of every kind."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import proofs_check
from exactformer.arithmetic.ball import ends
from exactformer.errors import Declined, InvalidInput, Undecided
from exactformer.studies.mean_field import random_instances
from exactformer.studies.mean_field.lyapunov import Below
from exactformer.studies.mean_field.no_dominant import NoDominant, leading_space
from exactformer.studies.mean_field.rate import certified_rate, norm_above, verify_norm
from exactformer.studies.mean_field.spectrum import Dominant, dominant
from exactformer.studies.mean_field.system import System, matrix_product, transpose
from exactformer.studies.mean_field.zero_temperature import ZeroTemperature, limit, limit_of_matrix

F = Fraction


def identity(n: int) -> list[list[int]]:
    return [[int(i == j) for j in range(n)] for i in range(n)]


def shift(n: int, top: Any, entries: list[Any], above: Any) -> list[list[Any]]:
    """A line at `top`, then an upper bidiagonal block with these entries."""
    rows = [[0] * n for _ in range(n)]
    rows[0][0] = top
    for k, entry in enumerate(entries):
        rows[k + 1][k + 1] = entry
        if k + 2 < n:
            rows[k + 1][k + 2] = above
    return rows


#: matrices with a real semisimple dominant eigenvalue: (matrix, its multiplicity, its degree)
ADVERSARIAL: dict[str, tuple[Any, int, int]] = {
    "irrational": ([[1, 1], [1, 0]], 1, 2),
    "irrational twice": ([[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 1], [0, 0, 1, 0]], 2, 2),
    "cubic": ([[0, 0, 2], [1, 0, 0], [0, 1, 0]], 1, 3),
    "a plane": ([[1, 0, 0], [0, 1, 0], [0, 0, F(1, 2)]], 2, 1),
    "all of it": ([[3, 0], [0, 3]], 2, 1),
    "zero": ([[0, 0], [0, 0]], 2, 1),
    "negative": ([[-1, 0], [0, -2]], 1, 1),
    "opposite": ([[1, 0, 0], [0, -1, 0], [0, 0, 0]], 1, 1),
    "clustered": ([[1, 0], [0, 1 - F(1, 10**60)]], 1, 1),
    "huge": ([[10**40, 1, 0], [0, 1, 3], [0, 0, F(1, 10**30)]], 1, 1),
    "tiny": ([[F(1, 10**40), 0], [0, F(1, 10**41)]], 1, 1),
    "long Jordan block below": (shift(8, 2, [1] * 7, 5), 1, 1),
    "nearly a Jordan block": (shift(6, 1 + F(1, 10**5), [1 - k * F(1, 10**5) for k in range(5)], 1), 1, 1),
    "spiral below": ([[1, 0, 0], [0, F(1, 2), -3], [0, 3, F(1, 2)]], 1, 1),
    "oblique": ([[3, 1, 0], [0, 1, 7], [0, -1, 1]], 1, 1),
}


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_adversarial_matrices(name: str, tmp_path: Path) -> None:
    M, k, m = ADVERSARIAL[name]
    found = limit_of_matrix(M)
    assert isinstance(found, ZeroTemperature)
    assert (found.dimension, len(found.dominant.polynomial) - 1) == (k, m)
    verify_identities(found.dominant)
    gap = found.dominant.gap(512)
    assert (gap is None) == (k == len(M)) == (found.rate is None)
    if gap is not None and found.rate is not None:
        assert gap * F(99, 100) < found.rate
        assert gap > found.rate
    found.certify(tmp_path / "c.jsonl")
    assert proofs_check.check(str(tmp_path / "c.jsonl")).verdict == "accepted"


def verify_identities(found: Dominant) -> None:
    """Pi^2 = Pi, M Pi = Pi M = lambda Pi and trace Pi = k in Q(lambda), by plain arithmetic of algebraic numbers."""
    M, Pi = found.matrix, found.projector
    square, left, right = matrix_product(Pi, Pi), matrix_product(M, Pi), matrix_product(Pi, M)
    assert square == Pi
    scaled = tuple(tuple(found.eigenvalue * x for x in row) for row in Pi)
    assert left == scaled
    assert right == scaled
    assert sum((Pi[i][i] for i in range(len(M))), F(0)) == found.dimension
    found.verify()


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("line", "real-semisimple"), ("plane", "real-semisimple"), ("jordan", "real-defective"), ("pair", "complex")],
)
def test_kinds_and_projectors_of_random_matrices(kind: str, expected: str) -> None:
    kinds_of_random_matrices(kind, expected, 40)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "expected"),
    [("line", "real-semisimple"), ("plane", "real-semisimple"), ("jordan", "real-defective"), ("pair", "complex")],
)
def test_two_hundred_matrices_of_each_kind(kind: str, expected: str) -> None:
    kinds_of_random_matrices(kind, expected, 200)


def kinds_of_random_matrices(kind: str, expected: str, count: int) -> None:
    rng = Random(f"{kind}/{count}")
    for _ in range(count):
        M, S, dim = random_instances.matrix_led_by(rng, kind)
        found = dominant(M)
        assert found.kind == expected
        if isinstance(found, Dominant):
            assert found.dimension == (1 if kind == "line" else 2)
            verify_identities(found)
            columns = transpose(S)
            for j in range(dim):  # the first columns of S span E, the others ker Pi
                wanted = columns[j] if j < found.dimension else (F(0),) * dim
                assert tuple(row[0] for row in matrix_product(found.projector, [[x] for x in columns[j]])) == wanted
        else:
            verify_no_dominant(found)


def verify_no_dominant(found: NoDominant) -> None:
    """The leading space is invariant under M, and a defective eigenvalue has its vector."""
    M, P = found.matrix, leading_space(found)
    assert matrix_product(P, P) == P
    assert matrix_product(M, P) == matrix_product(P, M)
    if found.vector is not None:
        c0, c1 = found.polynomials[0][0], found.polynomials[0][1:]
        assert c1 == (1,)
        N = [[x + c0 * (i == j) for j, x in enumerate(row)] for i, row in enumerate(M)]
        once = matrix_product(N, [[x] for x in found.vector])
        assert any(row[0] for row in once)
        assert not any(row[0] for row in matrix_product(N, once))


@pytest.mark.parametrize("seed", range(6))
def test_general_matrices_agree_with_floats(seed: int) -> None:
    """Eigenvalue, multiplicity and projector of random matrices, symmetric or not, against NumPy."""
    rng = np.random.default_rng(seed)
    n = 2 + seed
    rows = rng.integers(-9, 10, (n, n))
    rows = rows + rows.T if seed % 2 else rows
    found, values = dominant(rows.tolist()), np.linalg.eigvals(rows.astype(float))
    top = values[np.argmax(values.real)]
    assert (found.kind == "complex") == (abs(top.imag) > 1e-9)
    if isinstance(found, Dominant):
        assert float(found.eigenvalue) == pytest.approx(top.real)
        verify_identities(found)
        floats, right = np.linalg.eig(rows.astype(float))
        k = int(np.argmax(floats.real))
        expected = np.outer(right[:, k], np.linalg.inv(right)[k]).real
        assert np.allclose([[float(x) for x in row] for row in found.projector], expected, atol=1e-8)


def test_ties_of_different_eigenvalues_are_decided() -> None:
    """A real eigenvalue and pairs of the same real part, of different factors, some of them irrational."""
    tied = [[1, 0, 0], [0, 1, -1], [0, 1, 1]]
    assert dominant(tied).kind == "complex"
    assert dominant([[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, -2], [0, 0, 2, 0]]).kind == "complex"
    assert dominant([[0, 0, 0, -5], [1, 0, 0, 0], [0, 1, 0, -5], [0, 0, 1, 0]]).kind == "complex"
    golden_and_pair = [[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, F(1, 2), -1], [0, 0, F(9, 4), F(1, 2)]]
    assert dominant(golden_and_pair).kind == "real-semisimple"


def test_limits_are_those_of_the_flow_in_time() -> None:
    """RK4 of xdot = P_x M x/|B'x| from random points comes to T(x), no later than the rate says."""
    system = System([[1, 2, 0], [0, "1/3", 1], [0, "-1", "1/5"]], identity(3), [[1, 0, "1/2"], [0, 2, 0], [1, 0, 1]])
    found = limit(system)
    assert isinstance(found, ZeroTemperature)
    assert found.rate is not None
    V, B = system.floats()
    M, x0 = V @ B.T, np.array([0.6, 0.64, 0.48])

    def velocity(x: Any) -> Any:
        value = M @ x / np.linalg.norm(B.T @ x)
        return value - (x @ value) * x

    x, h = x0.copy(), 0.01
    errors = []
    target = np.array([float(ball) for ball in found.T(["0.6", "0.64", "0.48"])])
    for _ in range(int(12 / float(found.rate) / h)):
        a = velocity(x)
        b = velocity(x + h / 2 * a)
        c = velocity(x + h / 2 * b)
        x = x + h / 6 * (a + 2 * b + 2 * c + velocity(x + h * c))
        errors.append(np.linalg.norm(x - target))
    times = h * np.arange(1, len(errors) + 1)
    assert errors[-1] < 1e-3
    assert np.all(errors <= 20 * np.exp(-float(found.rate) * times) + 1e-9)


def test_the_gap_itself_is_not_certified() -> None:
    """With the bound at the real part of another eigenvalue no form can be verified; nor for a form that falls."""
    matrix = ((F(2), F(0)), (F(0), F(1)))
    rate = certified_rate(dominant(matrix), matrix)  # type: ignore[arg-type]
    assert rate is not None
    rate.below.verify(matrix)
    for wrong in (
        Below(F(1), rate.below.form, rate.below.subspace),
        Below(rate.below.bound, ((F(1), F(0)), (F(0), F(1))), rate.below.subspace),
        Below(rate.below.bound, rate.below.form, ((F(1), F(0)),)),
    ):
        with pytest.raises(InvalidInput, match="expected"):
            wrong.verify(matrix)


def test_norms_are_bounds_and_nearly_least() -> None:
    rng = np.random.default_rng(5)
    for n in (2, 3, 5):
        B = tuple(tuple(F(int(x), 7) for x in row) for row in rng.integers(-20, 20, (n, n)))
        norm = norm_above(B)
        verify_norm(norm, B)
        exactly = np.linalg.norm(np.array([[float(x) for x in row] for row in B]), 2)
        assert exactly * (1 - 1e-12) <= float(norm) <= exactly * 1.01
        with pytest.raises(InvalidInput, match=r"\|B\|"):
            verify_norm(norm * F(98, 100), B)
    huge = ((F(10**400), F(0)), (F(0), F(1)))
    assert norm_above(huge) == 10**400


def test_a_token_in_the_kernel_has_no_limit_in_e() -> None:
    found = dominant([[2, 0], [0, 1]])
    assert isinstance(found, Dominant)
    with pytest.raises(InvalidInput, match="ker Pi"):
        found.direction([0, 1])
    with pytest.raises(InvalidInput, match="2 coordinates"):
        found.T([1, 2, 3])


@pytest.mark.parametrize("name", ["irrational", "a plane", "oblique"])
def test_changed_numbers_are_refused(name: str, tmp_path: Path) -> None:
    """Every number of the witness lines of a certificate, raised by one, is noticed, unless the claim stays proved."""
    from checker_kit import opened, sealed

    found = limit_of_matrix(ADVERSARIAL[name][0])
    assert isinstance(found, ZeroTemperature)
    path = tmp_path / "c.jsonl"
    found.certify(path)
    lines = opened(path.read_bytes())
    refused = 0
    for where in ("polynomial", "projector"):
        k = next(i for i, line in enumerate(lines) if where in line)
        for spoilt in spoilt_values(lines[k][where]):
            path.write_bytes(sealed([*lines[:k], {**lines[k], where: spoilt}, *lines[k + 1 :]]))
            assert proofs_check.check(str(path)).verdict in ("rejected", "malformed"), (where, spoilt)
            refused += 1
    assert refused >= 5


def spoilt_values(value: Any) -> list[Any]:
    """Copies of nested lists of numbers with one number raised by one."""
    if isinstance(value, str):
        return [str(F(value) + 1)]
    return [[*value[:i], spoilt, *value[i + 1 :]] for i, part in enumerate(value) for spoilt in spoilt_values(part)]


def test_matrices_that_would_take_hours_are_declined() -> None:
    with pytest.raises(Declined, match="300-by-300 matrix with numbers of 1 bits"):
        dominant([[int(i == j) for j in range(300)] for i in range(300)])
    with pytest.raises(Declined, match="round the numbers"):
        dominant([[10**19999, 1], [1, 0]])


def conjugated(J: Any) -> tuple[Any, Any]:
    """(S J S^-1, the projector onto the first two coordinates, conjugated alike) for a fixed unimodular S."""
    S = [[1, 2, 0, -1], [0, 1, 3, 0], [0, 0, 1, 2], [0, 0, 0, 1]]
    inverse = [[F(round(x)) for x in row] for row in np.linalg.inv(np.array(S, dtype=float)).tolist()]
    onto = [[F(int(i == j < 2)) for j in range(4)] for i in range(4)]
    M, P = (matrix_product(matrix_product([[F(x) for x in row] for row in S], part), inverse) for part in (J, onto))
    return M, P


@pytest.mark.parametrize("below", [((0, 1), (0, 0)), ((-1, 0), (0, -1)), ((0, -3), (1, 0))])
def test_the_plane_of_a_leading_pair_lies_along_all_the_others(below: Any) -> None:
    (a, b), (c, d) = below
    J = [[1, -2, 0, 0], [2, 1, 0, 0], [0, 0, a, b], [0, 0, c, d]]
    M, P = conjugated([[F(x) for x in row] for row in J])
    found = dominant(M)
    assert isinstance(found, NoDominant)
    assert (found.kind, found.multiplicity, found.is_simple_pair, found.polynomials) == (
        "complex",
        1,
        True,
        ((5, -2, 1),),
    )
    assert leading_space(found) == P
    for row, wanted in zip(found.pair_balls(128).tolist(), P, strict=True):
        for ball, x in zip(row, wanted, strict=True):
            low, high = ends(ball)
            assert low <= x <= high
            assert high - low < F(1, 2**90)
    low, high = found.gap_ends()
    assert max(np.linalg.eigvals(np.array(below, dtype=float)).real) - 1e-9 <= low < high <= 1


def test_leading_eigenvalues_are_enclosed_in_what_is_shown() -> None:
    """x^3 + 2 has the roots -c and c(1 +- i sqrt 3)/2, c^3 = 2."""
    found = dominant([[0, 0, -2], [1, 0, 0], [0, 1, 0]])
    assert isinstance(found, NoDominant)
    shown = found.json()
    assert shown["eigenvalue"] == shown["leading"][0]
    for (real, turn), pair in zip(found.roots, shown["leading"], strict=True):
        for ball, (low, high) in ((real, pair["real"]), (turn, pair["imaginary"])):
            inner = ends(ball.arb)
            assert low <= inner[0] <= inner[1] <= high
            assert high - low < F(1, 10**11)
    x, y = shown["eigenvalue"]["real"], shown["eigenvalue"]["imaginary"]
    assert (2 * x[0]) ** 3 <= 2 <= (2 * x[1]) ** 3
    assert float(abs(y[0])) == pytest.approx(3**0.5 / 2 * 2 ** (1 / 3))
    assert {(float(y) > 0) for _, y in found.roots} == {True, False}
    rest = {key: shown[key] for key in ("kind", "dimension", "projector", "rate", "counterexample")}
    assert rest == {
        "kind": "complex",
        "dimension": None,
        "projector": None,
        "rate": None,
        "counterexample": "meanfield-complex-pair",
    }


def test_ties_are_compared_up_to_the_largest_degree(monkeypatch: pytest.MonkeyPatch) -> None:
    """1 and 1 +- i: factors of degree 3 together."""
    M = [[1, 0, 0], [0, 1, -1], [0, 1, 1]]
    monkeypatch.setattr("exactformer.studies.mean_field.roots.LARGEST_DEGREE", 3)
    assert dominant(M).kind == "complex"
    monkeypatch.setattr("exactformer.studies.mean_field.roots.LARGEST_DEGREE", 2)
    with pytest.raises(Undecided, match="degree 3"):
        dominant(M)


def lead(M: Any) -> Dominant:
    found = dominant(M)
    assert isinstance(found, Dominant)
    return found


@pytest.mark.parametrize(
    ("name", "limit", "says"),
    [
        ("MAX_DEGREE", 3, "degree 3: the limit is 2"),
        ("MAX_WORK", 3**5 * 2 + 3**3 * 2**2, "3-by-3 matrix with numbers of 2 bits"),
        ("MAX_BITS", 9 * 3 * 3 * 2, "27 numbers of 6 bits"),
    ],
)
def test_limits_are_reached_and_not_exceeded(name: str, limit: int, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The companion matrix of x^3 - 2: degree 3, numbers of two bits."""
    M = [[0, 0, 2], [1, 0, 0], [0, 1, 0]]
    monkeypatch.setattr(f"exactformer.studies.mean_field.spectrum.{name}", limit)
    assert float(lead(M).projector[0][0]) == pytest.approx(1 / 3)
    monkeypatch.setattr(f"exactformer.studies.mean_field.spectrum.{name}", limit - 1)
    with pytest.raises(Declined, match=says):
        _ = lead(M).projector


def test_the_rate_is_at_least_99_percent_of_the_gap() -> None:
    """|B| is bounded by a simple number that is not far above it, whatever the entries."""
    cases = [([[1, 0], [0, 0]], [[1, Fraction(13, 25)], [Fraction(13, 25), 1]])]
    rng = np.random.default_rng(11)
    for _ in range(12):
        V, K = rng.integers(-5, 6, (2, 3, 3))
        cases.append(((V + V.T).tolist(), (K @ K.T + np.eye(3, dtype=int)).tolist()))
    seen = 0
    for V, B in cases:
        found = limit(System.of(V, B))
        if isinstance(found, NoDominant) or found.rate is None:
            continue
        matrix = np.array(B, dtype=float)
        values = np.sort(np.linalg.eigvals(np.array(V, dtype=float) @ matrix.T).real)
        gap = values[-1] - values[-1 - found.dimension]
        assert 0.99 <= float(found.rate) * np.linalg.norm(matrix, 2) / gap <= 1 + 1e-9
        seen += 1
    assert seen > 8
