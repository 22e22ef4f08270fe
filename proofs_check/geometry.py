"""Hulls, hyperplanes, projections and definite matrices (FORMAT.md, section 5)."""
from fractions import Fraction
from operator import mul
from typing import Any

from .envelope import Point, Reader, count, fractions, holds, indices, items


def dot(x: Point, y: Point) -> Fraction:
    return sum(map(mul, x, y), Fraction(0))
def weights(value: Any, length: int, reader: Reader) -> list[tuple[int, Fraction]]:
    """Pairs of an index and a positive number, the indices strictly increasing, the numbers with sum 1."""
    pairs = [items(pair, 2) for pair in items(value)]
    given = reader.over_common(*reader.ratios([w for _, w in pairs]))
    holds(min(given) > 0, "weights must be positive")
    holds(sum(given[:-1]) == given[-1], "the sum of the weights is not 1")
    return list(zip(indices([i for i, _ in pairs], length), fractions(given)))
def combination(given: list[tuple[int, Fraction]], over: list[Point], reader: Reader) -> Point:
    total = [Fraction(0)] * reader.dim
    for i, w in given:
        total = [t + w * x for t, x in zip(total, over[i])]
        reader.bits(*[t.denominator for t in total])
    return total

def definiteness(A: list[Point], reader: Reader) -> int | None:
    """1, 0, -1 for A positive definite, only semidefinite, neither, by elimination; None if A is not symmetric."""
    rows, sign = [list(row) for row in A], 1
    reader.spend(len(A) ** 3)
    for k, top in enumerate(rows):
        if top[k] < 0 or (top[k] == 0 and any(top[k:])):
            sign = -1
            break
        sign = sign if top[k] else 0
        for row in rows[k + 1 :] if top[k] else ():
            factor = row[k] / top[k]
            row[k:] = [x - factor * y for x, y in zip(row[k:], top[k:])]
            reader.bits(*[x.denominator for x in row])
    return sign if all(A[i][j] == x for j, row in enumerate(A) for i, x in enumerate(row)) else None

def verify_vertex(i: int, over: list[Point], normal: Any, reader: Reader) -> None:
    (h,) = reader.points([normal])
    top = dot(h, over[i])
    holds(all(dot(h, q) < top for q in over if q != over[i]), "the normal does not separate the point strictly")
def verify_no_vertex(i: int, over: list[Point], given: Any, reader: Reader) -> None:
    read = weights(given, len(over), reader)
    holds(all(over[j] != over[i] for j, _ in read), "the weights use the point itself")
    holds(combination(read, over, reader) == over[i], "the weights do not give the point")
def verify_projection(A: list[Point], x: Point, hull: list[Point], given: Point) -> None:
    holds(given == x, "the weights do not give the projection")
    form = [dot(row, x) for row in A]
    holds(min(dot(form, p) for p in hull) >= dot(form, x), "a point of the hull is nearer to the origin")

def vertex(reader: Reader, header: dict[str, Any]) -> str:
    rows, i = reader.line("points", "point", subject=True)
    over, i, yes = reader.points(rows, header["points"]), count(i, 0, header["points"]), header["vertex"]
    (verify_vertex if yes else verify_no_vertex)(i, over, reader.line("normal" if yes else "weights"), reader)
    return f"point {i} of {len(over)} points in Q^{reader.dim} is {'a' if yes else 'no'} vertex of their convex hull"
def separation(reader: Reader, header: dict[str, Any]) -> str:
    left, right = (reader.points(reader.line(side, subject=True), header[side]) for side in ("left", "right"))
    about = f"{len(left)} and {len(right)} points in Q^{reader.dim}"
    if not header["separated"]:
        given = reader.line("left_weights", "right_weights")
        p, q = (combination(weights(w, len(side), reader), side, reader) for w, side in zip(given, (left, right)))
        holds(p == q, "the two combinations are different points")
        return f"the convex hulls of {about} have a common point"
    normal, offset = reader.line("normal", "offset")
    (h,), height = reader.points([normal]), reader.number(offset)
    holds(all(dot(h, p) > height for p in left), "a left point is not strictly above the hyperplane")
    holds(all(dot(h, q) < height for q in right), "a right point is not strictly below the hyperplane")
    return f"a hyperplane strictly separates {about}"
def projection(reader: Reader, header: dict[str, Any]) -> str:
    rows, hull = reader.line("A", "points", subject=True)
    A, over = reader.points(rows, reader.dim), reader.points(hull, header["points"])
    holds(definiteness(A, reader) == 1, "A is not symmetric positive definite")
    stated, given = reader.line("projection", "weights")
    (x,), w = reader.points([stated]), weights(given, len(over), reader)
    verify_projection(A, x, over, combination(w, over, reader))
    return f"the A-projection of the origin onto the hull of {len(over)} points in Q^{reader.dim} is as stated"
