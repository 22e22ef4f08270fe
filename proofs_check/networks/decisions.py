"""The claims `argmax` and `enclosure` (FORMAT.md, section 16, rules 6 and 7): what is claimed, and its verdict.

Everything is read before anything is computed.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from ..core.certificate import Certificate
from ..core.lines import count, entries
from ..core.numbers import number
from ..core.verdict import Refusal, holds, well_formed
from .architecture import Architecture, read_architecture
from .cases import Case, Domain, read_case, read_domain, read_indices
from .evaluation import Network, Undecided
from .linear import Token
from .weights import read_weights

REAL = "in real arithmetic, which is not what a device computes"


class Ball(NamedTuple):
    """Position, centre and radius of an enclosure."""

    at: int
    centre: list[Fraction]
    radius: Fraction


class Judge:
    """The verdicts on inputs one after another: the first false one rejects, else the first undecided one declines."""

    def __init__(self, network: Network) -> None:
        self.network, self.undecided = network, ""

    def see(self, name: str, case: Case, wanted: Sequence[int], verify: Callable[[list[Token]], None]) -> None:
        """Verifies what is claimed about the outputs of one input at the positions wanted."""
        try:
            verify(self.network.outputs(case.ids, case.types, wanted))
        except Undecided as reason:
            self.undecided = self.undecided or f"{name}: {reason}"
        except Refusal as refusal:
            verdict, why = refusal.args
            raise Refusal(verdict, f"{name}: {why}") from None

    def end(self) -> None:
        """Declines if any input was undecided."""
        if self.undecided:
            raise Refusal("declined", f'undecided at {self.network.p} bits, larger "bits" may decide: {self.undecided}')


def is_largest(output: Token, k: int) -> bool:
    """Class k is the only maximiser: True if it is known; rejects if it is not."""
    m, r = output
    most = max([y for j, y in enumerate(m) if j != k])
    holds(most - m[k] <= 2 * r, f"class {k} is not the largest")
    return m[k] - most > 2 * r


def verify_ball(ball: Ball, p: int, found: Sequence[Token]) -> None:
    """Every class is at most the radius away from the centre; rejects, or raises Undecided."""
    [(m, r)] = found
    away = max([abs(y - centre * 2**p) for y, centre in zip(m, ball.centre)])
    holds(away - r <= ball.radius * 2**p, "a class is farther from the centre than the radius")
    if away + r > ball.radius * 2**p:
        raise Undecided("a class may be farther from the centre than the radius")


def read_classes(value: object, every: bool, length: int, net: Architecture) -> list[int]:
    """The classes claimed: one for every position, or that of the last."""
    return read_indices(value, length, length, net.classes) if every else [count(value, 0, net.classes)]


def argmax(file: Certificate) -> str:
    """What an `argmax` certificate proves, in words."""
    header, net = file.header, read_architecture(file.header, file.budget)
    every = header["at"] == "every"
    well_formed(net.classes >= 2, "an argmax needs two classes")
    well_formed(not every or header["domains"] == 0, 'domains need "at":"last"')
    well_formed(net.types <= 1 or header["domains"] == 0, "domains need at most one type")
    weights = read_weights(file, net)
    cases = list[tuple[Case, list[int]]]()
    for i in range(header["cases"]):
        case, [claimed] = read_case(file, net, i, "argmax")
        cases.append((case, read_classes(claimed, every, len(case.ids), net)))
    domains = [read_domain(file, net, i) for i in range(header["domains"])]
    tuples = sum([domain.tuples(file.budget) for domain in domains])
    file.budget.within(tuples, "operations")
    judge = Judge(Network(net, weights, file.budget))
    for i, (case, classes) in enumerate(cases):
        last = len(case.ids) - 1
        judge.see(f"case {i}", case, range(last + 1) if every else [last], partial(verify_all, classes))
    for i, domain in enumerate(domains):
        see_domain(judge, i, domain, net)
    judge.end()
    subject = f"{len(cases)} cases and {tuples} tuples of {len(domains)} domains"
    return f"{subject} have the classes stated {REAL}; {named(file)}"


def verify_all(classes: Sequence[int], found: Sequence[Token]) -> None:
    """At every position asked for, its class is the only maximiser: rejects by the first that is not."""
    unknown = [k for output, k in zip(found, classes) if not is_largest(output, k)]
    if unknown:
        raise Undecided(f"class {unknown[0]} may not be the only largest one")


def see_domain(judge: Judge, number: int, domain: Domain, net: Architecture) -> None:
    """Every tuple of a domain has its class."""
    n = len(domain.ranges)
    types = [0] * n if net.types else []
    for ids, k in domain.classified():
        judge.network.budget.spend(40 + 4 * n)
        name = f"domain {number}, ids {list(ids[:20])}"
        judge.see(name, Case(ids, types), [n - 1], partial(verify_all, [k]))


def enclosure(file: Certificate) -> str:
    """What an `enclosure` certificate proves, in words."""
    header, net = file.header, read_architecture(file.header, file.budget)
    well_formed(header["domains"] == 0, "an enclosure has no domains")
    weights, cases = read_weights(file, net), list[tuple[Case, Ball]]()
    for i in range(header["cases"]):
        case, [at, centre, radius] = read_case(file, net, i, "at", "centre", "radius")
        middle = [number(x, file.budget) for x in entries(centre, net.classes)]
        file.budget.hold(len(middle), 2000)
        cases.append((case, Ball(count(at, 0, len(case.ids)), middle, number(radius, file.budget))))
    judge = Judge(Network(net, weights, file.budget))
    for i, (case, ball) in enumerate(cases):
        file.budget.spend(200 * net.classes)
        judge.see(f"case {i}", case, [ball.at], partial(verify_ball, ball, net.bits))
    judge.end()
    return f"{len(cases)} outputs are within their radii {REAL}; {named(file)}"


def named(file: Certificate) -> str:
    """The digest of the weights."""
    return f"weights sha256 {file.header['weights']}"
