"""Definite matrices, and the claims `vertex`, `separation` and `projection` (FORMAT.md, section 5)."""

from collections.abc import Collection

from .budget import Budget
from .certificate import Certificate
from .lines import count
from .numbers import number
from .points import Point, bits, dot, over_one_denominator, times
from .shapes import combination, read_points, read_vector, read_weights
from .verdict import Json, holds


def symmetric(A: list[Point], budget: Budget) -> bool:
    """Whether A = A' for the matrix with these rows."""
    rows, _ = over_one_denominator(A, budget)
    return rows == list(zip(*rows))


def definiteness(A: list[Point], budget: Budget) -> int:
    """1, 0, -1 for a symmetric matrix that is positive definite, only semidefinite, neither.

    By elimination in integers: every entry stays a minor of the matrix (Bareiss), so the divisions leave no remainder.
    A pivot that is negative, or zero in a row that is not, belongs to a direction of negative value; zero rows are
    left out.
    """
    rows = [list(row) for row in over_one_denominator(A, budget)[0]]
    sign, before = 1, 1
    for k, top in enumerate(rows):
        if top[k] < 0 or (top[k] == 0 and any(top[k:])):
            return -1
        if top[k] == 0:
            sign = 0
            continue
        for row in rows[k + 1 :]:
            eliminate(row, top, k, before, budget)
        before = top[k]
    return sign


def eliminate(row: list[int], top: list[int], k: int, before: int, budget: Budget) -> None:
    """Row minus a multiple of the pivot row, such that column k becomes 0; times the pivot, over the pivot before."""
    size = bits(row) + bits(top)
    budget.within(size, "bits")
    budget.divisions(3 * (len(row) - k), size)
    pivot, head = top[k], row[k]
    row[k:] = [(pivot * x - head * y) // before for x, y in zip(row[k:], top[k:])]


def verify_definite(A: list[Point], budget: Budget) -> None:
    """A is symmetric positive definite."""
    definite = symmetric(A, budget) and definiteness(A, budget) == 1
    holds(definite, "A is not symmetric positive definite")


def verify_vertex(i: int, over: list[Point], normal: object, file: Certificate) -> None:
    """<h, p_i> > <h, q> for every point q that is not equal to p_i."""
    h = read_vector(normal, file)
    charge_dots(h, over, file.budget)
    top = dot(h, over[i])
    separated = all(dot(h, q) < top for q in over if q != over[i])
    holds(separated, "the normal does not separate the point strictly")


def verify_no_vertex(i: int, over: list[Point], stated: object, file: Certificate) -> None:
    """No point of the weights is equal to p_i, and their combination is p_i."""
    weights = read_weights(stated, len(over), file)
    holds(all(over[j] != over[i] for j, _ in weights), "the weights use the point itself")
    holds(combination(weights, over, file.budget) == over[i], "the weights do not give the point")


def verify_projection(A: list[Point], x: Point, hull: Collection[Point], combined: Point, budget: Budget) -> None:
    """x is the combination, and <A x, p> >= <A x, x> for every point p of the hull."""
    holds(combined == x, "the weights do not give the projection")
    charge_dots(x, A, budget)
    form = times(A, x)
    charge_dots(form, hull, budget)
    least = dot(form, x)
    holds(all(dot(form, p) >= least for p in hull), "a point of the hull is nearer to the origin")


def charge_dots(x: Point, over: Collection[Point], budget: Budget) -> None:
    """Charges <x, p> for every point p."""
    size = bits(x) + max(map(bits, over))
    budget.products(len(over) * len(x), size)
    budget.divisions(4 * len(over), size)


def vertex(file: Certificate) -> str:
    """A point is a vertex of the hull, by a normal; or it is none, by weights."""
    rows, point = file.lines.fields("points", "point", subject=True)
    over, i = read_points(rows, file, file.header["points"]), count(point, 0, file.header["points"])
    if file.header["vertex"]:
        verify_vertex(i, over, file.lines.field("normal"), file)
    else:
        verify_no_vertex(i, over, file.lines.field("weights"), file)
    is_vertex = "a" if file.header["vertex"] else "no"
    return f"point {i} of {len(over)} points in Q^{file.dim} is {is_vertex} vertex of their convex hull"


def separation(file: Certificate) -> str:
    """Two point lists are strictly separated by a hyperplane, or their hulls meet."""
    left = read_points(file.lines.field("left", subject=True), file, file.header["left"])
    right = read_points(file.lines.field("right", subject=True), file, file.header["right"])
    about = f"{len(left)} and {len(right)} points in Q^{file.dim}"
    if file.header["separated"]:
        verify_separated(left, right, file.lines.fields("normal", "offset"), file)
        return f"a hyperplane strictly separates {about}"
    verify_meeting(left, right, file.lines.fields("left_weights", "right_weights"), file)
    return f"the convex hulls of {about} have a common point"


def verify_separated(left: list[Point], right: list[Point], witness: list[Json], file: Certificate) -> None:
    """<h, p> > offset for every left point, <h, q> < offset for every right point."""
    normal, offset = witness
    h, height = read_vector(normal, file), number(offset, file.budget)
    charge_dots(h, left + right, file.budget)
    holds(all(dot(h, p) > height for p in left), "a left point is not strictly above the hyperplane")
    holds(all(dot(h, q) < height for q in right), "a right point is not strictly below the hyperplane")


def verify_meeting(left: list[Point], right: list[Point], witness: list[Json], file: Certificate) -> None:
    """The two combinations are the same point."""
    p, q = (
        combination(read_weights(weights, len(side), file), side, file.budget)
        for weights, side in zip(witness, (left, right))
    )
    holds(p == q, "the two combinations are different points")


def projection(file: Certificate) -> str:
    """x is the projection of the origin in the norm of A onto the hull of the points."""
    rows, hull = file.lines.fields("A", "points", subject=True)
    A, over = read_points(rows, file, file.dim), read_points(hull, file, file.header["points"])
    verify_definite(A, file.budget)
    stated, weights = file.lines.fields("projection", "weights")
    x, combined = read_vector(stated, file), combination(read_weights(weights, len(over), file), over, file.budget)
    verify_projection(A, x, over, combined, file.budget)
    return f"the A-projection of the origin onto the hull of {len(over)} points in Q^{file.dim} is as stated"
