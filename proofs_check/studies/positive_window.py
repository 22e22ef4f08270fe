"""The claim `positive-window`: the least window of frozen positive attention (FORMAT.md, section 12)."""

from ..core.budget import Budget
from ..core.certificate import Certificate
from ..core.geometry import charge_dots
from ..core.lines import count, entries
from ..core.numbers import number, over_common
from ..core.points import Point, bits, dot, lowest, origin, plus, sum_cost
from ..core.verdict import Json, holds, well_formed


def positive_window(file: Certificate) -> str:
    """Windows 2, .., m-1 are refuted for both signs, and window m has weights."""
    degree, window = file.header["degree"], file.header["window"]
    well_formed(window > 1 and file.dim == 1, "a window is at least 2, of a series of numbers")
    polynomial = read_row(file.lines.field("polynomial", subject=True), degree + 1, file)
    well_formed(polynomial[-2] == polynomial[-1], "the polynomial is not monic")
    powers = powers_modulo(polynomial, window + 1, file.budget)
    for smaller in range(2, window):
        stated, *vectors = file.lines.fields("window", "plus", "minus")
        count(stated, smaller, smaller + 1)
        for sign, vector in zip((1, -1), vectors):
            verify_refuted(read_row(vector, degree, file), sign, powers[: smaller + 1], file.budget)
    verify_weights(file.lines.fields("newest", "sign", "weights"), powers, file)
    return (
        f"series with this characteristic polynomial of degree {degree} obey a recurrence over a window of {window} "
        "whose older coefficients have one sign, and over no smaller window"
    )


def read_row(row: object, length: int, file: Certificate) -> Point:
    """A list of so many numbers."""
    return lowest(over_common(*file.ratios(entries(row, length)), file.budget))


def powers_modulo(polynomial: Point, total: int, budget: Budget) -> list[Point]:
    """The coefficients of x^0, .., x^(total-1) modulo a monic polynomial: x^degree = -(c_0 + c_1 x + ..)."""
    degree = len(polynomial) - 2
    rest = lowest((*polynomial[:degree], polynomial[-1]))
    power: Point = (1, *origin(degree - 1))
    found = []
    for _ in range(total):
        found.append(power)
        budget.spend(100 + sum_cost(degree, bits(power) + bits(rest)))
        budget.hold(degree + 4, 256 + bits(power))
        shifted = lowest((0, *power[: degree - 1], power[-1]))
        power = plus(rest, shifted, -power[degree - 1], power[-1])
        budget.within(bits(power), "bits")
    return found


def verify_refuted(y: Point, sign: int, powers: list[Point], budget: Budget) -> None:
    """<y, x^m> > 0, <y, x^(m-1)> = 0 and sign * <y, x^j> <= 0 for j < m-1: no weights for this window (Farkas)."""
    charge_dots(y, powers, budget)
    *older, newest, target = (dot(y, power) for power in powers)
    holds(target > 0, "the vector does not see the next power")
    holds(newest == 0, "the vector sees the newest power, whose coefficient is free")
    holds(all(sign * value <= 0 for value in older), "an older power could be used with a weight of this sign")


def verify_weights(stated: list[Json], powers: list[Point], file: Certificate) -> None:
    """x^m = alpha x^(m-1) + sign * sum a_j x^j modulo the polynomial, all a_j >= 0."""
    alpha, sign = (number(text, file.budget) for text in stated[:2])
    *older, newest, target = powers
    weights = read_row(stated[2], len(older), file)
    well_formed(abs(sign) == 1, "a sign is 1 or -1")
    holds(min(weights) >= 0, "a weight is negative")
    total = plus(newest, origin(len(newest) - 1), *alpha.as_integer_ratio())
    for weight, power in zip(weights, older):
        file.budget.spend(sum_cost(len(power), bits(total) + bits(power) + bits(weights)))
        total = plus(power, total, int(sign) * weight, weights[-1])
    holds(total == target, "the weights do not give the next power")
