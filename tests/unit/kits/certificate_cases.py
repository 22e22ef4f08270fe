"""One call of every writer of certificates, with the lines it must write."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from exactformer.arithmetic.power_sum import power
from exactformer.arithmetic.state import State
from exactformer.certificates.interpolation import write_interpolation
from exactformer.conjectures import counterexample_claim as counterexample
from exactformer.constructions.infeasible_claim import write_infeasible
from exactformer.dynamics import limit_claim
from exactformer.dynamics import stages_claim as limit_stages
from exactformer.dynamics.orbit_claim import write_orbit
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Outer, Scalar, Zero
from exactformer.model.temperatures import SoftmaxProof, Temperatures
from exactformer.model.transformer import Block, Transformer
from exactformer.studies.mean_field import claims as mean_field
from exactformer.studies.sentiment.claims import write_decision
from exactformer.studies.time_delay.claims import MODULUS, write_positive_window, write_recurrence
from exactformer.training.loss_claim import write_loss

F = Fraction


A = ((F(2), F(1, 2)), (F(1, 3), F(3)))


B = ((F(5), F(6)), (F(7), F(8)))


TOKENS = ((F(1), F(2)), (F(3), F(4, 5)), (F(-1), F(0)))


TEXTS_A, TEXTS_B = [["2", "1/2"], ["1/3", "3"]], [["5", "6"], ["7", "8"]]


TEXTS = [["1", "2"], ["3", "4/5"], ["-1", "0"]]


FORM = SimpleNamespace(bound=F(1, 9), form=((F(1), F(2)), (F(3), F(4))), subspace=((F(5), F(6)),))


TEXTS_FORM = {"bound": "1/9", "form": [["1", "2"], ["3", "4"]], "subspace": [["5", "6"]]}


SYSTEM = {"A": TEXTS_A, "alpha": "1/7", "tokens": TEXTS}


LAYER = FeedForward("1/2", Outer([1, 2], [3]), [4, 5], [[6, 7]])


LONELY_ATTENTION = SelfAttention(8, Scalar(9), Zero(), [[10]])


NETWORK = Transformer(1, [Block(LAYER, LONELY_ATTENTION), Block()])


BLOCKS = [
    {
        "block": 0,
        "feed_forward": {"eta": "1/2", "U": {"outer": [["1", "2"], ["3"]]}, "b": ["4", "5"], "W": [["6", "7"]]},
        "self_attention": {"rho": "8", "V": {"scalar": "9"}, "Q": {"zero": True}, "K": [["10"]]},
    },
    {"block": 1, "feed_forward": None, "self_attention": None},
]


DATA: dict[str, Any] = {
    "tokens": State.of([[1], ["1/2"], [3]]),
    "offsets": np.array([0, 2, 3]),
    "targets": lambda j: State.of([[j], [j], [F(1, 3)]]),
    "labels": ["p", "q"],
}


SEQUENCES = [
    {"sequence": 0, "tokens": [["1"], ["1/2"]], "targets": [["0"], ["1/3"]], "label": "p"},
    {"sequence": 1, "tokens": [["3"]], "targets": [["1"], ["1/3"]], "label": "q"},
]


PROOF = SoftmaxProof(Temperatures.of("1/2", 3), 77)


HALF_POWER: Any = power(F(1, 2), 600)


Writer = Callable[[Path], None]


def given(claim: str, version: list[int], /, **header: Any) -> dict[str, Any]:
    return {"exactformer": "certificate", "version": version, "claim": claim, **header}


LATER = "interior-tokens-never-lead"  # a statement that version [1, 0] does not know
CASES: dict[str, tuple[Writer, list[dict[str, Any]]]] = {
    "token counterexample": (
        lambda p: counterexample.write_token_counterexample(p, "s", A, F(1, 7), TOKENS, 9, [{"w": F(1, 2)}]),
        [given("counterexample", [1, 0], statement="s", dim=2, tokens=3, layers=9), SYSTEM, {"w": "1/2"}],
    ),
    "newer token counterexample": (
        lambda p: counterexample.write_token_counterexample(p, LATER, A, F(1, 7), TOKENS, 9),
        [given("counterexample", [1, 1], statement=LATER, dim=2, tokens=3, layers=9), SYSTEM],
    ),
    "Frank-Wolfe": (
        lambda p: counterexample.write_frank_wolfe_counterexample(p, B, TOKENS, 9, [(2, "1/4"), (0, F(3, 4))], F(5), 1),
        [
            given("counterexample", [1, 0], statement="frank-wolfe-negative", dim=2, tokens=3, layers=9),
            {"B": TEXTS_B, "tokens": TEXTS},
            {"zero": [[0, "3/4"], [2, "1/4"]], "lambda": "5", "token": 1},
        ],
    ),
    "slow steps": (
        lambda p: counterexample.write_slow_steps_counterexample(
            p, B, TOKENS, (F(1, 2), F(1, 3)), 1, 4, [(2, [(1, F(1, 6)), (0, F(5, 6))]), (0, [(1, F(1))])]
        ),
        [
            given("counterexample", [1, 0], statement="exponentially-fast", dim=2, tokens=3),
            {"B": TEXTS_B, "tokens": TEXTS, "step": {"c": "1/2", "q": "1/3"}},
            {
                "token": 1,
                "split": 4,
                "inside": [{"token": 0, "weights": [[1, "1"]]}, {"token": 2, "weights": [[0, "5/6"], [1, "1/6"]]}],
            },
        ],
    ),
    "one block": (
        lambda p: counterexample.write_one_block_counterexample(
            p, [(TOKENS[:1], TOKENS[1:2]), (TOKENS, TOKENS[2:])], (F(1), F(-1, 2))
        ),
        [
            given("counterexample", [1, 0], statement="one-block-suffices", dim=2, sequences=2),
            {"sequence": 0, "tokens": TEXTS[:1], "targets": TEXTS[1:2]},
            {"sequence": 1, "tokens": TEXTS, "targets": TEXTS[2:]},
            {"normal": ["1", "-1/2"]},
        ],
    ),
    "decision": (
        lambda p: write_decision(
            p,
            system=(A, F(1, 7), TOKENS),
            layers=9,
            counts=[4, 5, 6],
            words=["a", "b", "c"],
            decoder=((F(1), F(-2)), F(1, 8)),
            leaders=[0, 2],
            positive=True,
        ),
        [
            given("decision", [1, 1], dim=2, tokens=3, layers=9),
            SYSTEM,
            {"counts": [4, 5, 6], "v": ["1", "-2"], "b": "1/8", "words": ["a", "b", "c"]},
            {"leaders": [0, 2], "positive": True},
        ],
    ),
    "infeasible": (
        lambda p: write_infeasible(p, condition="targets", witness=[np.int64(1)], **DATA),
        [given("infeasible", [1, 0], condition="targets", dim=1, sequences=2, witness=[1]), *SEQUENCES],
    ),
    "interpolation": (
        lambda p: write_interpolation(p, transformer=NETWORK, **DATA),
        [given("interpolation", [1, 0], attention="hardmax", dim=1, blocks=2, sequences=2), *BLOCKS, *SEQUENCES],
    ),
    "interpolation with a margin at temperatures": (
        lambda p: write_interpolation(
            p, transformer=NETWORK, **DATA, attention="softmax", softmax=PROOF, margin=F(1, 9)
        ),
        [
            given(
                "interpolation",
                [1, 1],
                attention="softmax",
                beta=["1/2", "3"],
                bits=77,
                dim=1,
                blocks=2,
                sequences=2,
            ),
            {"margin": "1/9"},
            *BLOCKS,
            *SEQUENCES,
        ],
    ),
    "loss": (
        lambda p: write_loss(p, transformer=NETWORK, **DATA, softmax=PROOF, eps=F(1, 10), side="above", bound=F(5, 2)),
        [
            given(
                "loss",
                [1, 1],
                attention="softmax",
                beta=["1/2", "3"],
                bits=77,
                eps="1/10",
                above="5/2",
                dim=1,
                blocks=2,
                sequences=2,
            ),
            *BLOCKS,
            *SEQUENCES,
        ],
    ),
    "laplace": (
        lambda p: mean_field.write_laplace(p, A, TOKENS, (F(3, 5), F(4, 5)), F(6), F(1, 7), 64),
        [
            given("laplace", [1, 1], dim=2, tokens=3, bits=64),
            {"A": TEXTS_A, "tokens": TEXTS, "x": ["3/5", "4/5"]},
            {"beta": "6", "bound": "1/7"},
        ],
    ),
    "limit": (
        lambda p: limit_claim.write_limit(
            p,
            A,
            F(1, 7),
            TOKENS,
            4,
            [
                limit_claim.token_line(0, (F(1), F(2)), limit_claim.lock(), None),
                limit_claim.token_line(
                    1,
                    (F(3), F(5)),
                    limit_claim.closed_form_proof([(F(1), 0, (F(1), F(0))), (F(5, 8), 2, (F(-1), F(7)))], 6),
                    ((F(1), F(1, 2)), [(2, "1/3"), (0, F(2, 3))]),
                ),
            ],
            [0, 2],
        ),
        [
            given("limit", [1, 0], dim=2, tokens=3, layer=4),
            SYSTEM,
            {"token": 0, "kind": "vertex", "limit": ["1", "2"], "lock": True},
            {
                "token": 1,
                "kind": "projection",
                "limit": ["3", "5"],
                "form": [
                    {"base": "1", "power": 0, "vector": ["1", "0"]},
                    {"base": "5/8", "power": 2, "vector": ["-1", "7"]},
                ],
                "from": 6,
                "normal": ["1", "1/2"],
                "weights": [[2, "1/3"], [0, "2/3"]],
            },
            {"leaders": [0, 2]},
        ],
    ),
    "limit in stages": (
        lambda p: limit_stages.write_limit_in_stages(
            p,
            (A, F(1, 7), TOKENS),
            4,
            [
                limit_stages.stage_line(0, 0, [(0, [1, 2]), (2, [2])], {(2, 1): [5], (0, 1): [3, 4], (1, 0): []}),
                limit_stages.stage_line(1, 12, [(1, (0,))], {}),
            ],
            [
                limit_stages.for_ever_line(30, {(0, 2): [40]}),
                limit_stages.limit_line(0, (F(0), F(1, 2) - 3 * HALF_POWER), None),
                limit_stages.limit_line(1, (F(5), 1 / F(3)), [(2, "1/3"), (0, F(2, 3))]),
            ],
            {2: 7, 0: 3},
        ),
        [
            given("limit", [1, 1], dim=2, tokens=3, layer=4, stages=2),
            SYSTEM,
            {"stage": 0, "time": 0, "renewed": [[0, [1, 2]], [2, [2]]], "cuts": [[0, 1, 3, 4], [2, 1, 5]]},
            {"stage": 1, "time": 12, "renewed": [[1, [0]]], "cuts": []},
            {"from": 30, "cuts": [[0, 2, 40]]},
            {"token": 0, "kind": "vertex", "limit": [[], [["1/2"], ["-3", ["1/2", 600]]]]},
            {
                "token": 1,
                "kind": "projection",
                "limit": [[["5"]], [["1/3"]]],
                "weights": [[2, "1/3"], [0, "2/3"]],
            },
            {"leaders": [[0, 3], [2, 7]]},
        ],
    ),
    "orbit": (
        lambda p: write_orbit(p, A, F(1, 7), TOKENS, [(TOKENS, [[0], [0, 2], [1]], [0]), (B, [[1], [0]], [])], 1),
        [
            given("orbit", [1, 0], dim=2, tokens=3, layers=1),
            SYSTEM,
            {"layer": 0, "tokens": TEXTS, "follows": [[0], [0, 2], [1]], "leaders": [0]},
            {"layer": 1, "tokens": TEXTS_B, "follows": [[1], [0]], "leaders": []},
        ],
    ),
    "positive window": (
        lambda p: write_positive_window(
            p, (F(1), F(2), F(3)), F(1, 4), -1, (F(1, 5), F(4, 5), F(0)), [((F(6),), (F(7),)), ((F(8),), (F(9),))]
        ),
        [
            given("positive-window", [1, 1], dim=1, degree=2, window=4),
            {"polynomial": ["1", "2", "3"]},
            {"window": 2, "plus": ["6"], "minus": ["7"]},
            {"window": 3, "plus": ["8"], "minus": ["9"]},
            {"newest": "1/4", "sign": "-1", "weights": ["1/5", "4/5", "0"]},
        ],
    ),
    "recurrence with a minor": (
        lambda p: write_recurrence(
            p,
            TOKENS,
            True,
            [[(0, F(1)), (3, F(-1))], [(1, F(2))]],
            SimpleNamespace(coefficients=(A, B), intercept=(F(1), F(2)), minor=(0, 2), kernel=None),
        ),
        [
            given("recurrence", [1, 1], dim=2, rows=3, intercept=True, refuted=2, holds=True),
            {"series": TEXTS},
            {"order": 1, "weights": [[0, "1"], [3, "-1"]]},
            {"order": 2, "weights": [[1, "2"]]},
            {"coefficients": [TEXTS_A, TEXTS_B], "intercept": ["1", "2"]},
            {"minor": [0, 2], "modulus": str(MODULUS)},
        ],
    ),
    "recurrence with a kernel": (
        lambda p: write_recurrence(
            p,
            TOKENS,
            False,
            [],
            SimpleNamespace(coefficients=(A,), intercept=(), minor=None, kernel=(F(1), F(-3))),
        ),
        [
            given("recurrence", [1, 1], dim=2, rows=3, intercept=False, refuted=0, holds=True),
            {"series": TEXTS},
            {"coefficients": [TEXTS_A], "intercept": []},
            {"kernel": ["1", "-3"]},
        ],
    ),
    "no recurrence": (
        lambda p: write_recurrence(p, TOKENS, False, [[(0, F(1))]], None),
        [
            given("recurrence", [1, 1], dim=2, rows=3, intercept=False, refuted=1, holds=False),
            {"series": TEXTS},
            {"order": 1, "weights": [[0, "1"]]},
        ],
    ),
    "zero temperature": (
        lambda p: mean_field.write_zero_temperature(
            p,
            (A, B, A),
            mean_field.dominance_lines((F(1), F(2)), F(3, 4), [TOKENS[0]], FORM, [A, B]),
            (5, 6),
            (F(7), F(8)),
        ),
        [
            given("zero-temperature", [1, 1], dim=2, degree=5, multiplicity=6),
            {"V": TEXTS_A, "Q": TEXTS_B, "K": TEXTS_A},
            {"polynomial": ["1", "2"], "low": "3/4"},
            {"eigenvectors": TEXTS[:1]},
            TEXTS_FORM,
            {"projector": [TEXTS_A, TEXTS_B]},
            {"norm": "7", "rate": "8"},
        ],
    ),
    "zero temperature without a rate": (
        lambda p: mean_field.write_zero_temperature(
            p, (B, A, B), mean_field.dominance_lines((F(1),), F(3, 4), [], None, []), (1, 2), None
        ),
        [
            given("zero-temperature", [1, 1], dim=2, degree=1, multiplicity=2),
            {"V": TEXTS_B, "Q": TEXTS_A, "K": TEXTS_B},
            {"polynomial": ["1"], "low": "3/4"},
            {"eigenvectors": []},
            {"projector": []},
        ],
    ),
    "complex pair": (
        lambda p: mean_field.write_complex_pair(p, (A, B), (F(1), F(2)), (F(3), F(4)), FORM),
        [
            given("counterexample", [1, 1], statement="meanfield-complex-pair", dim=2, rational=True),
            {"V": TEXTS_A, "B": TEXTS_B},
            {"vector": ["1", "2"], "trace": "3", "determinant": "4"},
            TEXTS_FORM,
        ],
    ),
    "leading pair": (
        lambda p: mean_field.write_leading_pair(p, (A, B), FORM, (F(1), F(2)), [F(3), F(4), F(5)], (F(6), 7)),
        [
            given("counterexample", [1, 1], statement="meanfield-complex-pair", dim=2, rational=False),
            {"V": TEXTS_A, "B": TEXTS_B},
            TEXTS_FORM,
            {"above": ["1", "2"], "polynomial": ["3", "4", "5"], "scale": "6", "exponent": 7},
        ],
    ),
    "Jordan block": (
        lambda p: mean_field.write_jordan_block(p, (A, B), F(1, 2), TOKENS, None),
        [
            given("counterexample", [1, 1], statement="meanfield-jordan-block", dim=2, multiplicity=3),
            {"V": TEXTS_A, "B": TEXTS_B},
            {"eigenvalue": "1/2", "generalised": TEXTS},
        ],
    ),
    "dominated": (
        lambda p: mean_field.write_dominated(p, "s", (A, B), TOKENS, (5, 6), [{"d": F(1, 2)}], {"w": F(1, 3)}),
        [
            given("counterexample", [1, 1], statement="s", dim=2, tokens=3, degree=5, multiplicity=6),
            {"V": TEXTS_A, "B": TEXTS_B, "tokens": TEXTS},
            {"d": "1/2"},
            {"w": "1/3"},
        ],
    ),
    "circle": (
        lambda p: mean_field.write_circle(p, "s", A, {"c": F(1, 2)}, {"time": F(1, 3)}),
        [
            given("counterexample", [1, 1], statement="s", dim=2),
            {"V": TEXTS_A, "c": "1/2"},
            {"time": "1/3"},
        ],
    ),
}
