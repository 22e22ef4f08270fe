"""`exactformer demo`: a limit that floats get wrong, labels in few numbers, a certified transformer, a refutation."""

from __future__ import annotations

import json
import time
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.cli.common import echo, json_option, make_folder, say
from exactformer.cli.presenter import AnswerTable, present, print_shown

if TYPE_CHECKING:
    from exactformer.constructions.built_transformer import Built
    from exactformer.model.dataset import Dataset
    from exactformer.model.tokens import Tokens
    from exactformer.report.page import Section

#: what the first act is about
LIMIT_STORY = """1. Where do tokens end?
   In every layer a token z moves towards the token w with the largest inner product <z, w>, or towards the mean of
   several that tie: alpha/(1 + alpha) of the way, here alpha = 1/2, a third of it.
   Tokens 0-3 are the corners of a square, tilted by a rational rotation; tokens 4-10 start inside.
   A leader is a token that follows itself alone. It never moves again; here the leaders are the corners.
"""
#: sequences of the third act, and the layers of the first one
SEQUENCES, LAYERS = 24, 40
#: labels of the second act, in as few numbers as can be and in a single one
LABELS, IN_ONE = 1000, 64
#: the conjecture of the fourth act, and the seed of its hunt
CONJECTURE, SEED = "every-leader-leads-at-once", 1


@click.command("demo")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("demo"),
    show_default=True,
    help="Folder.",
)
@json_option
def command(output: Path, as_json: bool) -> int:
    """A one-minute tour: a proved limit, a compressed classifier, an exact transformer, a counterexample.

    Writes pictures, certificates and report.html into a folder. Every certificate is checked by the independent
    checker; the exit code is 0 only if it accepts them all.

    Example: exactformer demo -o demo
    """
    from exactformer.report.page import write_page

    start = time.perf_counter()
    make_folder(output)
    acts = [act(output, as_json) for act in (limit_act, memory_act, transformer_act, refutation_act)]
    title = "A tour of exact arithmetic"
    words = "A limit that float64 gets wrong, a compressed classifier, a transformer in two blocks, a counterexample."
    write_page(acts, output / "report.html", title=title, words=words)
    verdicts = {act.files[0].name: act.verdict.verdict for act in acts}
    table = AnswerTable("independent checker", ["certificate", "verdict"], verdicts.items())
    words = f"Open {output / 'report.html'}: pictures, tables and the certificates themselves."
    present(as_json, lambda: {"folder": str(output), "verdicts": verdicts}, [table, words])
    say(f"{time.perf_counter() - start:.1f} s", quiet=as_json)
    return 0 if set(verdicts.values()) == {"accepted"} else 1


def limit_act(folder: Path, quiet: bool) -> Section:
    """A tilted square with tokens over the middles of its sides: exact limits, and where float64 ends."""
    from exactformer.dynamics.limits import limit
    from exactformer.float_comparison.dynamics import crosscheck_dynamics
    from exactformer.report.page import section_of
    from exactformer.report.plot import plot

    tokens = tilted_square()
    proved = limit(tokens)
    proved.certify(folder / "limit.jsonl")
    _write_json(folder / "tokens.json", tokens.json())
    check = crosscheck_dynamics(tokens, layers=LAYERS)
    plot(tokens, "orbit", layers=LAYERS, path=folder / "orbit.png", title="exact orbit")
    plot(tokens, "float", layers=LAYERS, path=folder / "float.png")
    if not quiet:
        echo(LIMIT_STORY)
        homes = {i: cluster for cluster in check.clusters_float for i in cluster}
        rows = [
            [i, point, kind, _corner(i, homes[i])]
            for i, (point, kind) in enumerate(zip(proved.points, proved.kinds, strict=True))
        ]
        columns = ["token", "limit, proved for all layers", "kind", "float64 says"]
        print_shown([AnswerTable("limits", columns, rows[4:])])
        wrong = sum(kind == "projection" and len(homes[i]) > 1 for i, kind in enumerate(proved.kinds))
        echo(
            f"float64 first follows a wrong token at layer {check.first_difference} and puts {wrong} tokens into wrong "
            f"clusters.\n"
        )
    section = section_of(folder / "limit.jsonl", data=folder / "tokens.json")
    section.pictures.append((folder / "float.png", f"float64 beside exact arithmetic, after {LAYERS} layers"))
    return section


def tilted_square() -> Tokens:
    """The square (+-1, +-1) and seven tokens inside, turned by the rotation with cosine 5/13 and sine 12/13."""
    from exactformer.model.tokens import Tokens

    corners = [("1", "1"), ("-1", "1"), ("-1", "-1"), ("1", "-1")]
    middles = [("1/2", "0"), ("0", "1/2"), ("-1/3", "0"), ("0", "-2/3")]
    others = [("1/5", "1/7"), ("-1/2", "1/5"), ("-1/4", "-1/4")]
    cosine, sine = Fraction(5, 13), Fraction(12, 13)
    plane = [(Fraction(x), Fraction(y)) for x, y in corners + middles + others]
    return Tokens([(cosine * x - sine * y, sine * x + cosine * y) for x, y in plane], alpha="1/2")


def _corner(i: int, cluster: tuple[int, ...]) -> str:
    corners = [j for j in cluster if j < 4 and j != i]
    return f"at corner {corners[0]}" if corners else "alone"


def memory_act(folder: Path, quiet: bool) -> Section:
    """Random labels in fewer numbers than there are labels, and in one: exact, certified, and beyond floats."""
    from exactformer.constructions.pipeline import construct
    from exactformer.report.page import section_of

    rows = []
    for name, count, groups in (("few numbers", LABELS, None), ("one number", IN_ONE, 1)):
        data = random_labels(count)
        built = construct(data, method="compact", groups=groups, attention="softmax")
        if groups is None:
            _write_json(folder / "labels.json", data.json())
            built.certify(folder / "labels.jsonl")
        right = [_right_in_floats(built, dtype) for dtype in ("float32", "float64")]
        report = built.report
        rows.append([name, count, report.parameters, report.looped_parameters, report.max_bits, *right])
    if not quiet:
        echo(f"2. {LABELS} sequences with random labels a or b (labels.json): how few numbers can hold the labels?\n")
        columns = ["labels in", "labels", "numbers", "looped", "longest (bits)", "right in float32", "right in float64"]
        print_shown([AnswerTable("method compact, exact on every sequence", columns, rows)])
        echo("The slopes of one piecewise-linear function are the memory: longer numbers, fewer of them. Past the 24")
        echo("bits of float32 or the 53 of float64 the float copy of the network is worthless.\n")
    return section_of(folder / "labels.jsonl", data=folder / "labels.json")


def _right_in_floats(built: Built, dtype: str) -> int:
    """How many sequences the float copy of the network sends nearest to their own label point, 0 or 1 on an axis."""
    import numpy as np

    from exactformer.evaluate.floats import ApproxTransformer, Backend, pad

    backend, data = Backend.of("numpy", dtype), built.data
    with np.errstate(all="ignore"):
        outputs = ApproxTransformer(built.transformer, backend)(*pad(data.tokens, data.offsets, backend))
    wanted = np.array([label == "b" for label in data.label_texts or ()])
    return int(((outputs[:, 0, 0] > 0.5) == wanted).sum())


def random_labels(count: int) -> Dataset:
    """Sequences of three random points of the plane with four decimals, labels drawn at random."""
    import random

    from exactformer.model.dataset import Dataset, Sequence

    draw = random.Random(0)
    points = [[[Fraction(draw.randrange(10**4), 10**4) for _ in range(2)] for _ in range(3)] for _ in range(count)]
    return Dataset.of([Sequence.of(tokens, label=draw.choice("ab")) for tokens in points])


def transformer_act(folder: Path, quiet: bool) -> Section:
    """Sequences that share all tokens but one, turned into a two-block transformer with a certificate."""
    from exactformer.constructions.pipeline import construct
    from exactformer.model.dataset import Dataset
    from exactformer.report.page import section_of
    from exactformer.report.plot import plot

    (folder / "data.csv").write_text(all_but_one_csv(), encoding="utf-8")
    data = Dataset.read(folder / "data.csv")
    built = {method: construct(data, method=method) for method in ("shallow", "deep", "leaders")}
    built["shallow"].certify(folder / "transformer.jsonl")
    plot(built["shallow"], path=folder / "transformer.png")
    if not quiet:
        echo(
            f"3. {SEQUENCES} sequences of {SEQUENCES - 1} tokens that differ in one token each, with three labels "
            "(data.csv).\n   A transformer is built that maps every sequence onto the point of its label, exactly.\n"
        )
        rows = [[m, b.report.blocks, b.report.width, b.report.parameters, b.report.max_bits] for m, b in built.items()]
        rows.append(["existence theorem", f"<= {built['shallow'].report.paper_bound}", 4, "-", "-"])
        columns = ["method", "blocks", "width", "parameters", "bits"]
        print_shown([AnswerTable("transformers that map every sequence exactly onto its label", columns, rows)])
        echo("")
    return section_of(folder / "transformer.jsonl", data=folder / "data.csv")


def all_but_one_csv() -> str:
    """Sequence j is every point of a parabola but point j; its label is one of three."""
    rows = [f"s{j},{'abc'[j % 3]},{x}/4,{x * x}/100" for j in range(SEQUENCES) for x in range(SEQUENCES) if x != j]
    return "\n".join(["sequence,label,x1,x2", *rows]) + "\n"


def _write_json(path: Path, content: object) -> None:
    from exactformer.io.canonical import canonical

    path.write_text(json.dumps(content, default=canonical) + "\n", encoding="utf-8")


def refutation_act(folder: Path, quiet: bool) -> Section:
    """A false conjecture, refuted by an instance small enough for a blackboard."""
    from exactformer.conjectures.hunt import hunt
    from exactformer.errors import Undecided
    from exactformer.report.page import section_of
    from exactformer.report.plot import plot

    report = hunt(CONJECTURE, seed=SEED)
    finding = report.counterexample
    if finding is None:
        raise Undecided(f"{report}; a larger budget continues")
    finding.certify(folder / "counterexample.jsonl")
    plot(finding, path=folder / "counterexample.png")
    if not quiet:
        echo(f"4. A conjecture: {report.statement.words}\n")
        title = f"refuted by instance {finding.index} (seed {SEED}), made smaller; alpha = {finding.small.alpha}"
        print_shown([AnswerTable(title, ["token", "starts at"], enumerate(finding.small.state))])
        late, layer = finding.verdict.witness["token"], finding.verdict.witness["layers"]
        echo(f"Token {late} is no leader at layer 0 and becomes one at layer {layer}.\n")
    return section_of(folder / "counterexample.jsonl")
