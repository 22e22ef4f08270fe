"""2605.10931, on concentration at low temperature: what the abstract announces."""

from __future__ import annotations

from functools import partial

from exactformer.papers.statement import Paper, PaperCommand, PaperStatement, accepted, hunted, refuted, unread

NUMBER = "2605.10931"
row = partial(PaperStatement, NUMBER)
of = PaperCommand.of

SYSTEM = of("exactformer meanfield sample metastable -o system.json")
RUN = "exactformer meanfield run system.json --beta 10,30,100,300 -n 600 --time 25 --step 1/10"

LIMIT = (
    row(
        "projection", "Abstract: the projection map", "At zero temperature tokens tend to the push-forward of their"
        " distribution under a projection map that keys, queries and values induce.", "certified on instances",
        "a system on the circle: projector onto e2, with the rate exp(-20/67 t) or faster", "read",
        "the projector is exact, irrational eigenvalues included; the certificate needs no roots",
        commands=(SYSTEM, of("exactformer meanfield limit system.json -o zero.jsonl", "kind == real-semisimple",
                             'projector == [["0", "0"], ["0", "1"]]', "rate >= 29/100"),
                  accepted("zero.jsonl", "zero-temperature")),
    ),
    row(
        "irrational", "Abstract: the projection map, irrational", "The same where the dominant eigenvalue is the golden"
        " ratio.", "certified on instances", "the projector over Q(sqrt 5), with the rate exp(-521/234 t) or faster",
        "ours", "",
        commands=(of("exactformer meanfield sample golden -o golden.json"),
                  of("exactformer meanfield limit golden.json -o golden.jsonl", "kind == real-semisimple",
                     "rate >= 22/10"), accepted("golden.jsonl", "zero-temperature")),
    ),
    row(
        "dimension-two", "Abstract: the projection map, several dimensions", "The same where the dominant eigenvalue has"
        " multiplicity two: the limit is a distribution on a circle of the sphere.", "certified on instances",
        "a system on the 2-sphere, with the rate exp(-23/33 t) or faster", "ours", "",
        commands=(of("exactformer meanfield sample plane -o plane.json"),
                  of("exactformer meanfield limit plane.json -o plane.jsonl", "dimension == 2", "rate >= 69/100"),
                  accepted("plane.jsonl", "zero-temperature")),
    ),
    row(
        "laplace", "Abstract: a quantitative Laplace principle", "At low temperature the mean of softmax is near the"
        " direction of the scores.", "certified on instances", "200 rational tokens on the circle: within 1409/17769 ="
        " .0793 for every inverse temperature from 100 on", "read",
        "one evaluation proves all lower temperatures; the best constant before sqrt(log(beta+1)/beta) is sqrt(d-1)",
        commands=(of("exactformer meanfield sample circle -n 200 -o circle.json"),
                  of("exactformer meanfield laplace circle.json --x 3/5,4/5 --beta 100 -o laplace.jsonl",
                     'bound.1 == "1409/17769"', 'beta == ["100", null]'), accepted("laplace.jsonl", "laplace")),
    ),
)  # fmt: skip

PHASES = (
    row(
        "time-scale", "Abstract: time scales of order log beta", "The distribution is nearest to the limit at a time of"
        " order log beta.", "reproduced", "times of the least W2 at beta = 10 to 300 have slope 1.615 in log beta,"
        " predicted 1/(2c) = 1.667 (3 % less); 600 tokens on the circle", "read", "the slope is predicted from the"
        " spectral gap", commands=(SYSTEM, of(RUN, "runs.# == 4", "approx_slopes.t_min > 1.58",
                                              "approx_slopes.t_min < 1.75", "predicted_slopes.t_min > 1.66")),
        quick=False,
    ),
    row(
        "distance", "Abstract: how near it comes", "The Wasserstein distance scales like sqrt(log(beta+1)/beta) exp(Ct) +"
        " exp(-ct).", "reproduced", "the least W2 falls from .391 to .058, with slope -.555 in log beta, predicted -1/2;"
        " 600 tokens are few beyond beta = 60", "read", "the same form is proved here under stated hypotheses",
        commands=(SYSTEM, of(RUN, "approx_slopes.w2_min > -0.65", "approx_slopes.w2_min < -0.45",
                             "runs.0.approx_w2_min > 0.38", "runs.3.approx_w2_min < 0.06")),
        quick=False,
    ),
    row(
        "terminal", "Abstract: a terminal phase, by the values", "For finite beta and large times the dynamics leave the"
        " limit for another one, dominated by the spectrum of V.", "reproduced", "tokens leave (W2 > .7) at t = 8.2,"
        " 11.1, 14.2 and 17.1 for beta = 10, 30, 100 and 300; slope 2.639, predicted 2.667 (1 % less)", "read",
        "the slope is predicted from both spectral gaps",
        commands=(SYSTEM, of(RUN, "runs.*.approx_escape > 8", "approx_slopes.escape > 2.55",
                             "approx_slopes.escape < 2.75")),
        quick=False,
    ),
    row(
        "metastable", "Abstract: metastable for moderate times", "The distribution stays near the limit for moderate"
        " times.", "reproduced", "at beta = 100 W2 is least at t = 8.8 and exceeds .7 from t = 14.2 on", "read", "",
        commands=(SYSTEM, of(RUN, "runs.2.beta == 100", "runs.2.approx_t_min > 8", "runs.2.approx_t_min < 9.5",
                             "runs.2.approx_escape > 13.5")),
        quick=False,
    ),
    row(
        "symmetric", "After the terminal phase: does it always come?", "Tokens that a reflection maps onto themselves,"
        " where V and B commute with it, never enter the terminal phase.", "validated", "2 runs, beta = 10 and 100, up"
        " to t = 25: W2 falls below 3e-5; proved for the mean field", "ours",
        "data must be asymmetric for the phase to be seen",
        commands=(SYSTEM, of("exactformer meanfield run system.json --beta 10,100 -n 600 --time 25 --step 1/10 --density 1",
                             "runs.*.approx_escape == null", "runs.*.approx_w2_min < 1e-4")),
        quick=False,
    ),
)  # fmt: skip


def dropped(
    key: str, name: str, words: str, instance: str, commands: tuple[PaperCommand, ...], quick: bool = True
) -> PaperStatement:
    """A statement in the abstract's form without a hypothesis that we need."""
    return row(key, f"Without a hypothesis: {name}", words, "refuted", f"by {instance}; certified", "ours",
               "the paper's own hypotheses could not be read", commands=commands, quick=quick)  # fmt: skip


HYPOTHESES = (
    row(
        "zero-temperature", "Zero temperature, the limit", "If B is invertible and the dominant eigenvalue of V B' is real"
        " and semisimple, every token with Pi x != 0 tends to Pi x/|Pi x|.", "validated", "300 instances", "ours",
        "proved on the page about the mean field", commands=hunted("meanfield-limit", 300), quick=False,
    ),
    dropped("complex-pair", "a real dominant eigenvalue", "Almost every solution at zero temperature converges.",
            "V a rotation, B = I", refuted("meanfield-complex-pair", '[["0", "-1"], ["1", "0"]]', "V")),
    dropped("jordan-block", "a semisimple one", "Almost every solution that converges does so exponentially fast.",
            "V = ((0, 1), (0, 0)), B = I", refuted("meanfield-jordan-block", '[["0", "1"], ["0", "0"]]', "V")),
    dropped("mass-on-kernel", "no token in the kernel of Pi", "Every token tends to the dominant eigenspace.",
            "V = diag(1, 0), B = I and the token (0, 1)", refuted("meanfield-mass-on-kernel", '[["0", "1"]]')),
    dropped("mass-near-kernel", "little mass near the kernel", "W2 <= C exp(-ct) at zero temperature, also with mass"
            " 1/(1 + log(1/r)) within r of the kernel.", "V = ((0, 1), (1, 0)), B = I, C = c = 1",
            refuted("meanfield-mass-near-kernel", '[["0", "1"], ["1", "0"]]', "V")),
    dropped("cone-support", "full support", "For large beta tokens come as near to the limit as one likes, also if they"
            " fill a cone only.", "V = 4/3 I, B = diag(1, -1) and the directions (1, -1), (1, -2)",
            refuted("meanfield-cone-support", '[["1", "-1"], ["1", "-2"]]'), quick=False),
    dropped("rate-is-gap", "the rate in W2 is the spectral gap", "W2 <= C exp(-gt) for the uniform law on the circle, g"
            " the gap.", "V = diag(0, 1), B = I, C = 1: the rate is half the gap",
            refuted("meanfield-w2-rate-is-gap", '[["0", "0"], ["0", "1"]]', "V")),
    dropped("terminal-always", "asymmetry", "At every beta all tokens come near the dominant eigenspace of V in the end.",
            "V = diag(0, 1), B = I and the directions (1, 0), (3, -1), (3, 1)",
            refuted("meanfield-symmetric-data", '[["1", "0"], ["3", "-1"], ["3", "1"]]')),
)  # fmt: skip

PAPER = Paper(
    NUMBER,
    "mean-field",
    "Quantifying Concentration Phenomena of Mean-Field Transformers in the Low-Temperature Regime",
    "Alcalde, Bungert, Riedl et al. (2026)",
    "the abstract; the rest second-hand. The hypotheses of our statements are ours",
    (
        *LIMIT,
        *PHASES,
        *HYPOTHESES,
        unread(NUMBER, "theorem-1", "Theorem 1, hypotheses and constants", "they could not be read"),
        unread(NUMBER, "lyapunov", "Lyapunov-type estimates", "the functional of the paper could not be read"),
        unread(NUMBER, "experiments", "Numerical experiments", "matrices, numbers of tokens, temperatures, steps and"
               " figures could not be read"),
    ),
)  # fmt: skip
