"""False statements about tokens, and what refutes them (FORMAT.md, section 6)."""

from collections.abc import Callable
from itertools import repeat
from typing import NamedTuple

from ..core.certificate import Certificate
from ..core.dynamics import Layer, last_layer, layers
from ..core.geometry import definiteness, verify_no_vertex, verify_vertex
from ..core.limit import prove_limits
from ..core.lines import count, exact_keys, has_key
from ..core.points import Point, dot, origin, over_one_denominator, plus
from ..core.shapes import combination, read_weights
from ..core.subject import System, system
from ..core.verdict import holds, well_formed


class Hypotheses(NamedTuple):
    """What a statement assumes: of A (definiteness is that of A + A': 1, 0 or -1), and of the tokens."""

    symmetric: bool = True
    definiteness: int = 1
    zero_token: bool = False
    equal_tokens: bool = False

    def verify(self, given: System, file: Certificate) -> None:
        """The hypotheses hold."""
        A, budget = over_one_denominator(given.A, file.budget)[0], file.budget
        transposed = list(zip(*A))
        holds((transposed == A) == self.symmetric, "symmetry of A")
        twice = [(*map(int.__add__, row, column), 1) for row, column in zip(A, transposed)]
        holds(definiteness(twice, budget) == self.definiteness, "A is not as definite as the hypotheses say")
        zero, equal = origin(file.dim) in given.tokens, len(budget.distinct(given.tokens)) < len(given.tokens)
        holds(zero == self.zero_token, "a token is zero, or for boundary-with-zero none is")
        holds(equal == self.equal_tokens, "tokens coincide, or for leader-duplicates none do")


def no_leader(file: Certificate, given: System) -> None:
    """No C_i = {i} at layer 0."""
    well_formed(file.header["layers"] == 0, "layers must be 0")
    first = next(layers(given.A, given.tokens, [], file.budget))
    holds(not first.leaders, "there is a leader at layer 0")


def three_layers(file: Certificate, given: System) -> tuple[Layer, Layer, Layer]:
    """Layers 0, K-1 and K."""
    K = file.header["layers"]
    run = enumerate(layers(given.A, given.tokens, repeat(given.step, K), file.budget))
    kept = [layer for k, layer in run if k in (0, K - 1, K)]
    return kept[0], kept[-2:][0], kept[-1]


def late_leader(file: Certificate, given: System) -> None:
    """A token that leads at layer K, not at layer 0."""
    first, _, last = three_layers(file, given)
    verify_leads_late(file, first, last)


def leader_after_n(file: Certificate, given: System) -> None:
    """A token that leads at layer K > n, at no earlier one."""
    _, before, last = three_layers(file, given)
    verify_beyond_n(file)
    verify_leads_late(file, before, last)


def verify_leads_late(file: Certificate, before: Layer, last: Layer) -> None:
    """The token stated is a leader at the last layer and not at the one before."""
    i = count(file.lines.field("token"), 0, file.header["tokens"])
    holds(i in last.leaders, "the token is no leader at the last layer")
    holds(i not in before.leaders, "the token leads before")


def changing_graph(file: Certificate, given: System) -> None:
    """The follower sets differ at layers K-1 and K, K-1 >= n."""
    _, before, last = three_layers(file, given)
    verify_beyond_n(file)
    holds(last.follows != before.follows, "the follower sets of the last two layers are equal")


def verify_beyond_n(file: Certificate) -> None:
    """K > n."""
    holds(file.header["tokens"] < file.header["layers"], "the layers must go beyond n")


def interior_limit(file: Certificate, given: System) -> None:
    """A limit that is a strictly positive combination of leading positions which affinely span R^d."""
    at, limits = prove_limits(file, given, file.header["layers"])
    token, stated = file.lines.fields("token", "weights")
    i, weights = count(token, 0, len(limits)), read_weights(stated, len(limits), file)
    leads = all(j in at.leading for j, _ in weights)
    holds(leads, "the weights use a token that is at no leading position")
    holds(combination(weights, at.tokens, file.budget) == limits[i], "the weights do not give the limit")
    verify_spanning([at.tokens[j] for j, _ in weights], file)


def verify_spanning(corners: list[Point], file: Certificate) -> None:
    """The differences to the first point have rank d: the Gram matrix of their coordinates is positive definite."""
    differences = [plus(corners[0], p, -1) for p in corners]
    edges = [(*row, 1) for row in zip(*over_one_denominator(differences, file.budget)[0])]
    gram = [(*[int(dot(x, y)) for y in edges], 1) for x in edges]
    holds(definiteness(gram, file.budget) == 1, "the points of the weights do not span the space")


def leaders_not_vertices(file: Certificate, given: System) -> None:
    """A leader that starts at no vertex of the initial hull, or a vertex that never leads."""
    at, _ = prove_limits(file, given, file.header["layers"])
    row = file.lines.value()
    leads = has_key(row, "leader") and row["leader"] is True
    exact_keys(row, "token", "leader", "weights" if leads else "normal")
    well_formed(type(row["leader"]) is bool, '"leader" must be true or false')
    i = count(row["token"], 0, len(given.tokens))
    holds((i in at.leaders) == leads, "the token is a leader, or is none, against what is stated")
    if leads:
        verify_no_vertex(i, given.tokens, row["weights"], file)
    else:
        verify_vertex(i, given.tokens, row["normal"], file)


def limit_without_leader(file: Certificate, given: System) -> None:
    """A limit at no leading position."""
    at, limits = prove_limits(file, given, file.header["layers"])
    i = count(file.lines.field("token"), 0, len(limits))
    holds(limits[i] not in at.corners, "the limit is a leading position")


def late_leader_at_large_steps(file: Certificate, given: System) -> None:
    """alpha >= 1, and a token that leads at layer K > n, at no earlier one."""
    holds(2 * given.step >= 1, "alpha is less than 1")
    leader_after_n(file, given)


def leading_interior_token(file: Certificate, given: System) -> None:
    """A token that leads at layer K, and starts as a strictly positive combination of others which span R^d."""
    last = last_layer(given, file.header["layers"], file.budget)
    token, stated = file.lines.fields("token", "weights")
    i, weights = count(token, 0, len(given.tokens)), read_weights(stated, len(given.tokens), file)
    holds(i in last.leaders, "the token is no leader at the last layer")
    holds(combination(weights, given.tokens, file.budget) == given.tokens[i], "the weights do not give the token")
    verify_spanning([given.tokens[j] for j, _ in weights], file)


def no_leader_up_to_n(file: Certificate, given: System) -> None:
    """No C_i = {i} at any of the layers 0..K, K >= n."""
    holds(file.header["tokens"] <= file.header["layers"], "the layers must go up to n")
    last = last_layer(given, file.header["layers"], file.budget)
    holds(not last.leaders, "there is a leader")


def leader_lost(file: Certificate, given: System) -> None:
    """A token that leads at layer K for alpha, and never for 2 alpha."""
    verify_leads_for_one(file, given, doubled(given))


def leader_gained(file: Certificate, given: System) -> None:
    """A token that leads at layer K for 2 alpha, and never for alpha."""
    verify_leads_for_one(file, doubled(given), given)


def doubled(given: System) -> System:
    """The same tokens with 2 alpha: its share of a step is 2a/(1+a)."""
    return System(given.A, 2 * given.step / (1 + given.step), given.tokens)


def verify_leads_for_one(file: Certificate, one: System, other: System) -> None:
    """The token stated leads at layer K of the one system, and is none of the leaders of the other, by its limit."""
    last = last_layer(one, file.header["layers"], file.budget)
    at, _ = prove_limits(file, other, count(file.lines.field("layer"), 0))
    i = count(file.lines.field("token"), 0, len(one.tokens))
    holds(i in last.leaders, "the token is no leader at the last layer")
    holds(i not in at.leaders, "the token leads for both steps")


class TokenStatement(NamedTuple):
    """A row of the table of section 6: the hypotheses, the rule that shows the conclusion false, and the version."""

    hypotheses: Hypotheses
    refute: Callable[[Certificate, System], None]
    since: tuple[int, int] = (1, 0)


TOKEN_STATEMENTS = {
    "leader-without-symmetry": TokenStatement(Hypotheses(symmetric=False), no_leader),
    "leader-indefinite": TokenStatement(Hypotheses(definiteness=-1), no_leader),
    "leader-semidefinite": TokenStatement(Hypotheses(definiteness=0), no_leader),
    "leader-duplicates": TokenStatement(Hypotheses(equal_tokens=True), no_leader),
    "boundary-with-zero": TokenStatement(Hypotheses(zero_token=True), interior_limit),
    "leaders-are-initial-vertices": TokenStatement(Hypotheses(), leaders_not_vertices),
    "every-token-tends-to-a-leader": TokenStatement(Hypotheses(), limit_without_leader),
    "every-leader-leads-at-once": TokenStatement(Hypotheses(), late_leader),
    "graph-constant-after-n": TokenStatement(Hypotheses(), changing_graph),
    "last-leader-within-n": TokenStatement(Hypotheses(), leader_after_n),
    "last-leader-within-n-large-alpha": TokenStatement(Hypotheses(), late_leader_at_large_steps, (1, 1)),
    "interior-tokens-never-lead": TokenStatement(Hypotheses(), leading_interior_token, (1, 1)),
    "leaders-grow-with-alpha": TokenStatement(Hypotheses(), leader_lost, (1, 1)),
    "leaders-shrink-with-alpha": TokenStatement(Hypotheses(), leader_gained, (1, 1)),
    "leader-by-layer-n-without-symmetry": TokenStatement(Hypotheses(symmetric=False), no_leader_up_to_n, (1, 1)),
    "leader-by-layer-n-indefinite": TokenStatement(Hypotheses(definiteness=-1), no_leader_up_to_n, (1, 1)),
    "leader-by-layer-n-semidefinite": TokenStatement(Hypotheses(definiteness=0), no_leader_up_to_n, (1, 1)),
    "leader-by-layer-n-duplicates": TokenStatement(Hypotheses(equal_tokens=True), no_leader_up_to_n, (1, 1)),
}


def token_statement(file: Certificate) -> str:
    """The hypotheses of the statement hold for the system, and its conclusion fails."""
    given, name = system(file), file.header["statement"]
    hypotheses, refute, _ = TOKEN_STATEMENTS[name]
    hypotheses.verify(given, file)
    refute(file, given)
    return refuted(file)


def refuted(file: Certificate) -> str:
    """What a counterexample proves, in words."""
    return f"{file.header['statement']} is false: its hypotheses hold and its conclusion fails on this instance"
