"""Hulls, hyperplanes, projections and definite matrices (FORMAT.md, section 5)."""

from fractions import Fraction
from operator import mul
from typing import Any

from .envelope import Point, Reader, fractions, holds, index, indices, items, well_formed

Weights = list[tuple[int, Fraction]]


def dot(x: Point, y: Point) -> Fraction:
    return sum(map(mul, x, y), Fraction(0))


def apply(A: list[Point], x: Point) -> Point:
    return [dot(row, x) for row in A]


def minus(x: Point, y: Point) -> Point:
    return [p - q for p, q in zip(x, y)]


def weights(value: Any, length: int, reader: Reader) -> Weights:
    """Pairs of an index and a positive number, the indices strictly increasing, the numbers with sum 1."""
    pairs = [items(pair, 2) for pair in items(value)]
    given = reader.over_common(*reader.ratios([w for _, w in pairs]))
    holds(min(given) > 0, "weights must be positive")
    holds(sum(given[:-1]) == given[-1], "the sum of the weights is not 1")
    return list(zip(indices([i for i, _ in pairs], length), fractions(given)))


def combination(given: Weights, over: list[Point], reader: Reader) -> Point:
    total = [Fraction(0)] * reader.dim
    for i, w in given:
        total = [t + w * x for t, x in zip(total, over[i])]
        reader.bits(*[t.denominator for t in total])
    return total


def definiteness(A: list[Point], reader: Reader) -> int:
    """1, 0, -1 for a symmetric A that is positive definite, only semidefinite, neither: elimination by pivots."""
    rows, sign = [list(row) for row in A], 1
    reader.spend(len(A) ** 3)
    for k, top in enumerate(rows):
        if top[k] < 0 or (top[k] == 0 and any(top[k:])):
            return -1
        sign = sign if top[k] else 0
        for row in rows[k + 1 :] if top[k] else ():
            factor = row[k] / top[k]
            row[k:] = [x - factor * y for x, y in zip(row[k:], top[k:])]
            reader.bits(*[x.denominator for x in row])
    return sign


def symmetric(A: list[Point]) -> bool:
    return A == [list(column) for column in zip(*A)]


def verify_positive_definite(A: list[Point], reader: Reader) -> None:
    holds(symmetric(A), "A is not symmetric")
    holds(definiteness(A, reader) == 1, "A is not positive definite")


def verify_vertex(i: int, over: list[Point], normal: Any, reader: Reader) -> None:
    h = reader.point(normal)
    top = dot(h, over[i])
    holds(all(dot(h, q) < top for q in over if q != over[i]), "the normal does not separate the point strictly")


def verify_no_vertex(i: int, over: list[Point], given: Any, reader: Reader) -> None:
    read = weights(given, len(over), reader)
    holds(all(over[j] != over[i] for j, _ in read), "the weights use the point itself")
    holds(combination(read, over, reader) == over[i], "the weights do not give the point")


def verify_projection(A: list[Point], x: Point, hull: list[Point], reader: Reader) -> None:
    form = apply(A, x)
    bound = dot(form, x)
    holds(all(dot(form, p) >= bound for p in hull), "a point of the hull is nearer to the origin")


def vertex(reader: Reader, header: dict[str, Any]) -> str:
    rows, i = reader.line("points", "point", subject=True)
    over, i, yes = reader.points(rows, header["points"]), index(i, header["points"]), header["vertex"]
    well_formed(type(yes) is bool, '"vertex" must be true or false')
    witness = reader.line("normal" if yes else "weights")
    (verify_vertex if yes else verify_no_vertex)(i, over, witness, reader)
    return f"point {i} of {len(over)} points in Q^{reader.dim} is {'a' if yes else 'no'} vertex of their convex hull"


def separation(reader: Reader, header: dict[str, Any]) -> str:
    left, right = (reader.points(reader.line(side, subject=True), header[side]) for side in ("left", "right"))
    well_formed(type(header["separated"]) is bool, '"separated" must be true or false')
    about = f"{len(left)} and {len(right)} points in Q^{reader.dim}"
    if not header["separated"]:
        given = reader.line("left_weights", "right_weights")
        p, q = (combination(weights(w, len(side), reader), side, reader) for w, side in zip(given, (left, right)))
        holds(p == q, "the two combinations are different points")
        return f"the convex hulls of {about} have a common point"
    normal, offset = reader.line("normal", "offset")
    h, height = reader.point(normal), reader.number(offset)
    holds(all(dot(h, p) > height for p in left), "a left point is not strictly above the hyperplane")
    holds(all(dot(h, q) < height for q in right), "a right point is not strictly below the hyperplane")
    return f"a hyperplane strictly separates {about}"


def projection(reader: Reader, header: dict[str, Any]) -> str:
    rows, hull = reader.line("A", "points", subject=True)
    A, over = reader.points(rows, reader.dim), reader.points(hull, header["points"])
    verify_positive_definite(A, reader)
    stated, given = reader.line("projection", "weights")
    x = reader.point(stated)
    holds(combination(weights(given, len(over), reader), over, reader) == x, "the weights do not give the projection")
    verify_projection(A, x, over, reader)
    return f"the A-projection of the origin onto the hull of {len(over)} points in Q^{reader.dim} is as stated"
