"""2602.08478, on time-delayed transformers: what the abstract announces, and its four studies."""

from __future__ import annotations

from functools import partial

from exactformer.papers.statement import Paper, PaperCommand, PaperStatement, accepted, unread

NUMBER = "2602.08478"
row = partial(PaperStatement, NUMBER)
of = PaperCommand.of


def study(name: str, steps: int, *facts: str) -> tuple[PaperCommand, ...]:
    """One of the four studies, one seed; entries: TD-DMD, TD-TF from dmd, TD-TF from random, perceptron, reservoir."""
    line = f"exactformer delay paper --study {name} --seeds 1 --steps {steps} -o {name}"
    return (of(line, "entries.0.model == TD-DMD", "entries.2.model == TD-TF from random", *facts),)


THEORY = (
    row(
        "generalises", "Abstract: generalises TD-DMD", "A single-layer, single-head transformer contains time-delayed"
        " dynamic mode decomposition.", "validated", "a transformer started from TD-DMD has its one-step error, 2.95e-14,"
        " on one series; exactly, over the rationals, by the proof of D1", "read",
        "true with one embedding per position; with one embedding for all positions see the next row",
        commands=study("tones", 50, "entries.1.model == TD-TF from dmd", "entries.1.approx_one_step < 1e-13"),
        quick=False,
    ),
    row(
        "additive", "Our reading of the abstract: frozen attention, one head, one embedding for all positions",
        "With additive positions, attention that does not depend on the tokens and no second head, the window of TD-DMD"
        " suffices. (The abstract does not say this.)", "refuted",
        "by two tones (cosines 4/5, 12/13): TD-DMD needs a window of 4, frozen attention one of 10; every smaller one"
        " is refused with a proof", "ours", "least windows of 1 to 4 tones: 2, 10, 17, 26",
        commands=(of("exactformer delay window --cos 4/5,12/13 -o window.jsonl", "window == 10",
                     "refused == [2, 3, 4, 5, 6, 7, 8, 9]"), accepted("window.jsonl", "positive-window")),
    ),
    row(
        "linear-baseline", "TD-DMD, the linear baseline", "The recurrence of least order that a series obeys.",
        "certified on instances", "order 4 for two tones, with coefficients -1, 224/65, -322/65, 224/65", "read",
        "exact coefficients and a proof that no shorter recurrence exists",
        commands=(of("exactformer delay sample tones --count 2 -n 60 -o tones.csv"),
                  of("exactformer delay order tones.csv -o order.jsonl", "order == 4",
                     'coefficients == ["-1", "224/65", "-322/65", "224/65"]'), accepted("order.jsonl", "recurrence")),
    ),
    row(
        "small", "Abstract: a small parameter count", "A few thousand parameters.", "reproduced",
        "2,355 parameters for three coordinates and a window of 8", "read", "",
        commands=(of("exactformer delay sample lorenz -n 600 -o lorenz-small.csv"),
                  of("exactformer delay fit lorenz-small.csv --window 8 --model tf --start random --steps 20 -o small.json",
                     "parameters == 2355")),
        quick=False,
    ),
    row(
        "rollouts", "Autoregressive rollouts", "Predictions are fed back for long horizons.", "certified on instances",
        "20 steps of a trained network enclosed at 128 bits, each coordinate between two rationals", "second-hand",
        "200 steps of Lorenz '63 with a radius of 7.4e-28: the float64 rollout has a proved error",
        commands=(of("exactformer delay sample lorenz -n 600 -o lorenz-small.csv"),
                  of("exactformer delay fit lorenz-small.csv --window 8 --model tf --start random --steps 20 -o small.json"),
                  of("exactformer delay roll small.json lorenz-small.csv --steps 20 --bits 128", "values.# == 20")),
        quick=False,
    ),
)  # fmt: skip

STUDIES = (
    row(
        "tones", "Study 1, sinusoidal signals", "Reconstructed to near machine precision.", "reproduced",
        "one-step error 2.95e-14 from the start at TD-DMD; from a random start 2.7e-3 and 35 of 232 steps", "second-hand",
        "TD-DMD itself has 2.95e-14",
        commands=study("tones", 300, "entries.1.approx_one_step < 1e-13", "entries.1.approx_valid_steps == 232"),
        quick=False,
    ),
    row(
        "aerodynamics", "Study 2, unsteady aerodynamics", "Lift of an aerofoil, predicted with small error.",
        "analogous", "on a generated model of a pitching aerofoil, not on the paper's data: 232 of 232 steps against 79"
        " of TD-DMD", "second-hand", "a perceptron on the same window does as well (232)",
        commands=study("aerodynamics", 1000, "entries.0.approx_valid_steps < 120", "entries.2.approx_valid_steps > 200"),
        quick=False,
    ),
    row(
        "lorenz", "Study 3, Lorenz '63", "TD-TF outperforms linear baselines in chaos, and keeps the long-term"
        " statistics.", "reproduced", "valid for 300 steps against 14 of TD-DMD; distance of the marginals .017 against"
        " .77", "read", "a reservoir of 912 parameters does as well (330): the gain is nonlinearity, not attention",
        commands=study("lorenz", 2500, "entries.0.approx_valid_steps < 30", "entries.2.approx_valid_steps > 150",
                       "entries.0.approx_w1 > 0.5", "entries.2.approx_w1 < 0.1"),
        quick=False,
    ),
    row(
        "reaction-diffusion", "Study 4, reaction-diffusion", "TD-TF keeps the dominant modes where TD-DMD loses the"
        " phase.", "not reproduced", "on a lambda-omega spiral TD-DMD has the smaller error: .0035 against .083 after"
        " 112 steps, phase error .0003 against .0068", "second-hand", "",
        commands=study("reaction-diffusion", 1000, "entries.0.approx_rmse < 0.01", "entries.2.approx_rmse > 0.02",
                       "entries.0.approx_phase_error < 0.001"),
        quick=False,
    ),
    unread(NUMBER, "theorems", "Statements on interpretation", "how the paper derives TD-DMD from TD-TF could not be read"),
    unread(NUMBER, "settings", "Numbers of delays, widths, rates, data", "the settings of the studies could not be read"),
    unread(NUMBER, "tables", "Tables and figures of errors", "their values could not be read"),
)  # fmt: skip

PAPER = Paper(
    NUMBER,
    "delay",
    "Time-Delayed Transformers for Data-Driven Modeling of Low-Dimensional Dynamics",
    "Alcalde, Widhalm, Yilmaz (2026)",
    "the abstract; the rest second-hand. Settings of the studies are ours",
    THEORY + STUDIES,
    ("linear cost in the length of the window: measured by benchmarks/delay.py, no command shows it",),
)
