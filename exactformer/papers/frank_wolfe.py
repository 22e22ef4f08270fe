"""2508.09628, on attention as a Frank-Wolfe step: its theorems, propositions and remarks, in the first version."""

from __future__ import annotations

from functools import partial

from exactformer.papers.statement import Paper, PaperCommand, PaperStatement, accepted, hunted, refuted, unread

NUMBER = "2508.09628"
row = partial(PaperStatement, NUMBER)
of = PaperCommand.of

STATEMENTS = (
    row(
        "single-leader", "Lemma, single leaders", "For B invertible and almost all tokens, every token follows exactly"
        " one point at every layer.", "validated", "20 tokens drawn at random, 30 layers, B = I: 620 follower sets of"
        " one token", "read", "ties, which have measure zero and occur in practice, are kept exactly",
        commands=(of("exactformer sample generic -n 20 -d 3 --seed 1 -o generic.json"),
                  of("exactformer simulate generic.json --layers 30", "layers.# == 31", "layers.*.follows.*.# == 1")),
    ),
    row(
        "hulls", "Lemma, hulls decrease", "For steps in (0, 1) the convex hull of the tokens never grows.",
        "machine-checked", "proved in Rocq for a constant step and B symmetric positive definite; true on 300 of 300"
        " instances", "read", "", "lemma3", hunted("lemma-3", 300),
    ),
    row(
        "theorem-3.1", "Theorem 3.1, negative case", "For B = -B*, B* >= 0, steps 2/(t+2) and 0 in the first hull, the"
        " energy of every token is at most 2/(t+1) lambda_max(B*) diam^2.", "refuted",
        "by the tokens 3 and -1 with B* = 1 (first violated at t = 575), certified; search finds 0 and 1 (t = 144)",
        "read", "the cause: 0 in the first hull does not keep 0 in the later ones; the published version may differ",
        commands=(of("exactformer hunt frank-wolfe-negative --instance frank-wolfe.json -o theorem-3.1",
                     'verdict == "false"', "witness.layer == 575", code=1),
                  accepted("theorem-3.1.jsonl", "counterexample")),
    ),
    row(
        "theorem-3.1-search", "Theorem 3.1, found without being told", "The same statement, given to the search.",
        "refuted", "by the tokens 0 and 1 with B* = 1 at t = 144, certified", "read", "",
        commands=refuted("frank-wolfe-negative", '[["0"], ["1"]]'), quick=False,
    ),
    row(
        "theorem-3.1-repaired", "Theorem 3.1, repaired", "The same bound where 0 lies in the hull of every layer.",
        "validated", "300 instances", "ours", "one more hypothesis makes it true",
        commands=hunted("frank-wolfe-negative-repaired", 300), quick=False,
    ),
    row(
        "theorem-4.2", "Theorem 4.2, closed form on cells", "If every vertex lies in its own cell only and every token"
        " in exactly one, then x_i(t) = p_t x_i(0) + (1 - p_t) v.", "validated", "300 instances", "read",
        "positive definiteness of B is not needed", commands=hunted("closed-form-on-cells", 300), quick=False,
    ),
    row(
        "theorem-4.2-rate", "Theorem 4.2, at least exponentially fast", "For any steps in (0, 1) tokens tend to their"
        " vertices at least exponentially fast.", "refuted", "by steps that shrink geometrically: the product of 1 - g_t"
        " stays positive, so the token does not even arrive; found by search and certified", "read",
        "true for steps >= c > 0", commands=refuted("exponentially-fast", '[["2"], ["-1"], ["1"]]'), quick=False,
    ),
    row(
        "proposition-4.5", "Proposition 4.5, Voronoi cells", "If all <B v, v> are equal, the cells are the Voronoi"
        " cells of the vertices in the norm of B.", "validated", "100 instances", "read", "",
        commands=hunted("voronoi-cells", 100), quick=False,
    ),
    unread(NUMBER, "icml", "The statements of the published version", "hypotheses that differ from those of the first"
           " version could not be read"),
)  # fmt: skip

PAPER = Paper(
    NUMBER,
    "frank-wolfe",
    "Attention's forward pass and Frank-Wolfe",
    "Alcalde, Geshkovski, Ruiz-Balet (ICML 2026)",
    "the statements of the first version, as others quote them label by label",
    STATEMENTS,
    (
        "hulls for a general matrix V: false, conv{0, e1, e2} with P = diag(3/5, 7/10) is left at (2/5, 7/10)",
        "the proposition on the least Frank-Wolfe gap",
        "the remarks on when vertices own their cells, and on vertices drawn at random in high dimension",
        "the theorem on the differential equation, and the convergence of softmax dynamics to one point",
        "Theorems 5.2 and 5.4, clustering and metastability of the random softmax dynamics",
    ),
)
