"""The false statements that certificates refute, in words."""

from __future__ import annotations

_LEADER = "There is a leader at layer 0"

#: name of the statement in a certificate -> the statement
STATEMENTS = {
    "leader-without-symmetry": f"{_LEADER}, even if A is not symmetric (its symmetric part positive definite).",
    "leader-indefinite": f"{_LEADER}, even if A is symmetric but not positive semidefinite.",
    "leader-semidefinite": f"{_LEADER}, even if A is only positive semidefinite.",
    "leader-duplicates": f"{_LEADER}, even if tokens coincide.",
    "boundary-with-zero": "Every limit lies on the boundary of the polytope of the leaders, even if one token is zero.",
    "leaders-are-initial-vertices": "The leaders are exactly the tokens that are vertices of the initial hull.",
    "every-token-tends-to-a-leader": "Every token tends to the position of a leader.",
    "every-leader-leads-at-once": "Every leader is a leader at layer 0.",
    "graph-constant-after-n": "The follower sets are constant from layer n on, n the number of tokens.",
    "last-leader-within-n": "Every leader is one at layer n, n the number of tokens.",
    "frank-wolfe-negative": "With steps 2/(t+2) and B = -B*, every token satisfies "
    "<B* x, x>/2 <= 2/(t+1) lambda_max(B*) D at every layer t, if 0 lies in the first hull of squared diameter D.",
    "exponentially-fast": "With any steps in (0, 1), tokens in one cell each converge to their vertices at least "
    "exponentially fast.",
    "one-block-suffices": "Every feasible data set is interpolated by one block.",
}
