"""The performance page: for every claim a sentence, a chart of the recorded figures, and what was printed, folded."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from matplotlib.ticker import NullFormatter

from exactformer.report.canvas import new_figure, quiet, save
from exactformer.report.palette import COLOURS

DOCS = Path(__file__).parent
RECORDED = DOCS / "benchmarks"

INTRODUCTION = """\
# Performance

For readers who want to know what exactness costs before they rely on it. Each section has one conclusion and one chart;
the output of the benchmark is folded below it. Ratios are measured within one run on one machine, with one BLAS thread,
as the best of several. Orange marks are goals that were set before measuring. `make bench-docs` runs all benchmarks and
rewrites this page.
"""


@dataclass(frozen=True)
class Bar:
    """A bar: what it shows, where its figure stands in the recorded output, and the goal (none: no mark)."""

    label: str
    pattern: str
    goal: float | None = None


@dataclass(frozen=True)
class Claim:
    """What is concluded from recorded outputs; `{0}`, `{1}`, .. in the sentence are the figures of bars, then more."""

    title: str
    sentence: str
    axis: str
    bars: tuple[Bar, ...]
    records: tuple[str, ...] = ()
    more: tuple[str, ...] = ()


CLAIMS = {
    "dynamics": Claim(
        "Exact layers against NumPy float64",
        "Over many layers the exact engine takes {0} to {3} of the time of NumPy in float64, since tokens lock to "
        "their leaders and a locked layer costs nothing; a single layer of 16 tokens costs {4} times as much.",
        "time / NumPy float64",
        (
            Bar("1000 tokens, d = 64, 10 layers", r" 1000   64     10     1 .* ([\d.]+) +[\d.]+\n", 0.4),
            Bar("5000 tokens, d = 16, 5 layers", r" 5000   16      5     1 .* ([\d.]+) +[\d.]+\n", 0.3),
            Bar("128 tokens, d = 8, 30 layers", r"  128    8     30     1 .* ([\d.]+) +[\d.]+\n", 0.5),
            Bar("16 tokens, d = 2, 50 layers", r"   16    2     50     1 .* ([\d.]+) +[\d.]+\n", 1.0),
            Bar("16 tokens, d = 2, one layer", r"   16    2      1     1 .* ([\d.]+) +[\d.]+\n", 5.0),
        ),
    ),
    "limits": Claim(
        "Limits proved for all layers",
        "A proof for all layers takes {0} ms in the median for generic tokens and {2} ms where leaders emerge late.",
        "milliseconds, median",
        (
            Bar("generic", r"generic +\d+ +\S+ +([\d.]+)", 10),
            Bar("integer grid", r"integer-grid +\d+ +\S+ +([\d.]+)", 10),
            Bar("emerging leader", r"emerging-leader +\d+ +\S+ +([\d.]+)"),
            Bar("metastable ties", r"metastable-ties +\d+ +\S+ +([\d.]+)"),
        ),
    ),
    "small_steps": Claim(
        "Small steps, late leaders",
        "Time does not grow with the number of layers: a leader that appears at layer 500,002 is proved in {1} ms.",
        "milliseconds",
        (
            Bar("leader at layer 10,002", r"a leader at layer 10002 .*: limit (\d+) ms"),
            Bar("leader at layer 500,002", r"a leader at layer 500002 .*: limit (\d+) ms"),
            Bar("1/alpha = 50,000, last change at layer 200,001", r"50000 +200001 +(\d+)"),
        ),
    ),
    "evaluate": Claim(
        "A transformer on ten thousand sequences",
        "Equal tokens are evaluated once, so that exact evaluation takes {0} of the time of dense float64.",
        "ratio",
        (
            Bar("time / NumPy float64, dense", r"exact / NumPy float64 dense +([\d.]+)"),
            Bar("memory beyond the input / input, in parts", r"beyond the input / input +([\d.]+)", 3),
            Bar("memory beyond the input / input, all images", r"all images kept +([\d.]+)", 3),
        ),
    ),
    "reading": Claim(
        "Reading floats exactly",
        "To read an array exactly costs less than to simulate it: {0} to {1} of that time.",
        "reading / simulating",
        (
            Bar("5000 tokens, d = 16", r" 5000   16 .* ([\d.]+) +[\d.]+\n?$", 1.0),
            Bar("16 tokens, d = 2", r"   16    2 .* ([\d.]+) +[\d.]+\n", 1.0),
        ),
    ),
    "construct": Claim(
        "Building exact transformers",
        "Building and verifying takes {0} to {2} times what `json.load` needs to read the data, and grows linearly.",
        "time / json.load of the data",
        (
            Bar("10,000 labelled sequences", r"shallow N = 10000, n = 20, d = 2, .*? = ([\d.]+) x", 15),
            Bar("40,000 labelled sequences", r"shallow N = 40000, .*? = ([\d.]+) x", 15),
            Bar("10,000 sequences with 5 targets each", r"m = 5: .*? = ([\d.]+) x", 25),
        ),
    ),
    "compact": Claim(
        "Labels in few numbers",
        "For 10,000 random labels method compact stores {0} numbers where method shallow stores {1}.",
        "numbers stored for 10,000 labels",
        (
            Bar("compact", r"N = 10,000, 2 classes: (\d+) numbers", 950),
            Bar("shallow", r"N = 10,000, 2 classes: .*? shallow (\d+)"),
        ),
    ),
    "scale": Claim(
        "Ten million sequences",
        "Ten million sequences are built, verified and certified in {0} s of CPU time, and checked in {1} s.",
        "seconds of CPU",
        (
            Bar("construct and certify 10^7", r"N = 10000000.*\n.*?: ([\d.]+) s CPU"),
            Bar("check 10^7", r"N = 10000000.*\n.*\n  check, 2 workers: ([\d.]+) s CPU"),
        ),
        ("scale", "scale_two_workers", "scale_long_sequences", "scale_ten_million"),
    ),
    "check": Claim(
        "The independent checker",
        "The checker of the standard library takes {0} and {1} times what `json.loads` needs for the same lines.",
        "time / json.loads",
        (
            Bar("10,000 sequences, 5 targets each", r"m = 5: .*? = ([\d.]+) x", 12),
            Bar("10,000 sequences, labels", r"labels: .*? = ([\d.]+) x", 12),
        ),
    ),
    "softmax": Claim(
        "Softmax at every temperature",
        "One set of weights that is exact at every temperature needs {0} of the blocks of the existence theorem.",
        "blocks / the theorem's bound",
        (
            Bar("14 families of data", r"2\*sum m \+ 3N \d+: ratio ([\d.]+)"),
            Bar("60 random data sets", r"60 random .*\n.*ratio ([\d.]+)"),
        ),
    ),
    "hunt": Claim(
        "Hunting counterexamples",
        "One core judges {0} instances of Lemma 3 and {1} of Lemma 5 a second, exactly.",
        "judgements per second and core",
        (
            Bar("lemma 3", r"lemma-3 .*?(\d+)\s*(?:\(|\n|$)"),
            Bar("lemma 5", r"lemma-5 .*?(\d+)\s*(?:\(|\n|$)"),
        ),
    ),
    "independent": Claim(
        "A billion instances",
        "Independent instances of Lemmas 0, 3 and 5 are judged in arrays {0}, {1} and {2} times faster than in a "
        "search, so that a billion instances of Lemma 3 take {5} hours on two cores (projected). The factor is {4} for "
        "Theorem 1.1, which needs limits, and {3} for every-leader-leads-at-once, where one instance in a thousand "
        "needs closed forms.",
        "judgements per second / those of a search",
        (
            Bar("lemma 0", r"lemma-0 .* ([\d.]+) +[\d.]+\n", 20),
            Bar("lemma 3", r"lemma-3 .* ([\d.]+) +[\d.]+\n", 20),
            Bar("lemma 5", r"lemma-5 .* ([\d.]+) +[\d.]+\n", 20),
            Bar("every-leader-leads-at-once", r"every-leader-leads-at-once .* ([\d.]+) +[\d.]+\n", 20),
            Bar("theorem 1.1 (limits)", r"theorem-1.1 .* ([\d.]+) +[\d.]+\n", 5),
        ),
        ("independent", "independent_campaign"),
        more=(r"10\^9 in ([\d.]+) hours",),
    ),
    "networks": Claim(
        "Trained networks",
        "A certified output of MiniLM costs {0} times what NumPy takes for the plain one; the 12,769 inputs of a "
        "network that adds modulo 113 are proved in {2} times the time that torch takes to evaluate them.",
        "time / plain floats",
        (
            Bar("MiniLM, 20 tokens", r"MiniLM.*\n.*ratio ([\d.]+)", 15),
            Bar("GPT-2, 3 blocks, 32 tokens", r"net\(ids\).*ratio ([\d.]+)", 10),
            Bar("12,769 inputs mod 113", r"proof .*ratio ([\d.]+)", 6),
        ),
        ("networks", "network_proofs"),
    ),
    "network_proofs": Claim(
        "Certificates of networks",
        "The certificate of those 12,769 inputs is checked in {1} s in Python and {2} s in JavaScript.",
        "seconds",
        (
            Bar("ALBERT, 12 blocks, by integers", r"integers: ([\d.]+) s", 10),
            Bar("mod 113, Python checker", r"Python checker: accepted in ([\d.]+) s", 60),
            Bar("mod 113, JavaScript checker", r"JavaScript checker: accepted in ([\d.]+) s", 45),
        ),
        ("networks", "network_proofs"),
    ),
    "languages": Claim(
        "Languages, for all lengths",
        "A recogniser of brackets of two kinds, two deep, is proved for words of every length and checked in {0} s; "
        "the proof that all ten letters occurred takes {1} s.",
        "seconds",
        (
            Bar("Dyck-(2,2), both directions, checked", r"dyck-2-2, both directions.*?checked ([\d.]+)", 3),
            Bar("all ten letters, proved", r"all ten letters.*?proved ([\d.]+)", 5),
            Bar("Dyck-1, all words to length 14", r"dyck-1 to n = 14.*? in ([\d.]+) s", 4),
            Bar("PARITY, all words to length 60", r"parity to n = 60.*? in ([\d.]+) s", 5),
        ),
    ),
    "play": Claim(
        "Play",
        "The proof of a limit comes back in {0} ms; while a token is dragged, 40 exact layers take {1} ms.",
        "milliseconds, median",
        (
            Bar("proof, certificate and verdict", r"\n  median ([\d.]+) ms", 100),
            Bar("exact and float layers, 20 tokens", r"exact and float layers ([\d.]+) ms", 16),
        ),
    ),
    "geometry": Claim(
        "Vertices of polytopes",
        "Whether a point is a vertex is decided, with a witness, in {0} ms in the median, even 1e-12 from a facet.",
        "milliseconds, median",
        (
            Bar("all kinds", r"\nall +\d+ +([\d.]+)"),
            Bar("1e-12 outside a facet", r"1e-12 outside a facet +\d+ +([\d.]+)"),
        ),
    ),
    "training": Claim(
        "Training with guarantees",
        "For the published data an exact interpolant has a squared norm {0} times smaller than the generating weights.",
        "times smaller",
        (Bar("squared norm, published data", r", ([\d.]+) times smaller", 1),),
    ),
    "sentiment": Claim(
        "Sentiment analysis",
        "An exact decision takes {0} of the time of float64 by definition, and is certified.",
        "time / float64 by definition",
        (
            Bar("d = 2", r"by definition, d = 2: ([\d.]+)", 2),
            Bar("d = 16", r"by definition, d = 16: ([\d.]+)", 4),
        ),
    ),
    "mean_field": Claim(
        "Many tokens at low temperature",
        "With bounds on the error, 100,000 tokens on the circle are simulated {0} times faster than by all pairs.",
        "times faster than all pairs",
        (
            Bar("circle, beta = 1000", r"d = 2, beta = 1000, spread: .*?, (\d+) times"),
            Bar("sphere, beta = 10", r"d = 3, beta = 10, spread: .*?, (\d+) times"),
            Bar("sphere, beta = 100", r"d = 3, beta = 100, spread: .*?, (\d+) times"),
        ),
    ),
    "delay": Claim(
        "Time-delayed transformers",
        "200 steps of the Lorenz system are enclosed at 128 bits in {1} s of CPU time.",
        "seconds of CPU",
        (
            Bar("least windows of 1 to 4 tones", r"refused: .*?, ([\d.]+) s CPU"),
            Bar("Lorenz, 200 steps, 128 bits", r"128 bits: .*?, ([\d.]+) s CPU"),
        ),
    ),
    "comparison": Claim(
        "All methods compared",
        "Every method is built, verified and certified at 10,000 sequences in at most {4} s of CPU time, the 12,502 "
        "blocks of the existence theorem's stages in {0} s. From 1,000 sequences on, time grows as $N^{{{6}}}$ for "
        "compact and as $N^{{{7}}}$ for extraction.",
        "seconds of CPU for 10,000 sequences",
        tuple(
            Bar(name, rf"10000 {name} +(?:\d+ +){{5}}([\d.]+)", 60)
            for name in ("paper", "leaders", "compact", "extraction", "softmax leaders", "temperature")
        ),
        more=(r"growth of compact .*N\^([\d.]+)", r"growth of extraction .*N\^([\d.]+)"),
    ),
    "verified": Claim(
        "The checker proved correct",
        "The verified checker, native code, takes {0} times the CPU time of the Python checker at 10,000 sequences and "
        "{1} times at 200,000.",
        "time / Python checker",
        (
            Bar("N = 10,000", r"N = 10,?000\b.*?ratio ([\d.]+)", 1.5),
            Bar("N = 200,000", r"N = 200,?000\b.*?ratio ([\d.]+)", 1.5),
        ),
    ),
}


#: figures in sentences of other pages, as `<!-- figure NAME -->..<!-- -->`: the record, and where it stands there
QUOTED = {
    "hours-for-a-billion": ("independent_campaign", r"10\^9 in ([\d.]+) hours"),
    "lemma-per-second": ("independent_campaign", r"; (\d+) in a second of CPU"),
    "growth-of-compact": ("comparison", r"growth of compact .*N\^([\d.]+)"),
    "growth-of-extraction": ("comparison", r"growth of extraction .*N\^([\d.]+)"),
    "compact-thousand": ("compact", r"N = 1,000, 2 classes: (\d+) numbers"),
    "compact-ten-thousand": ("compact", r"N = 10,000, 2 classes: (\d+) numbers"),
    "two-workers": ("scale_two_workers", r"check in ([\d.]+) of the time of one"),
    "projector": ("mean_field", r"eigenvalue of degree 8: ([\d.]+) s"),
    "radii-per-step": ("mean_field", r"radii grow by ([\d.]+) a step"),
    "slow-least": ("mean_field", r"slow beside the kernel.*t_min ([\d.]+)"),
    "slow-escape": ("mean_field", r"slow beside the kernel.*escape ([\d.]+)"),
}


def figures(stem: str) -> list[str]:
    """The figures of the bars of a claim and those of its sentence, as printed; SystemExit where one is not found."""
    claim = CLAIMS[stem]
    return [found(claim.records or (stem,), p) for p in (*(bar.pattern for bar in claim.bars), *claim.more)]


def figure(name: str) -> str:
    """A figure that another page quotes."""
    record, pattern = QUOTED[name]
    return found((record,), pattern)


def found(records: tuple[str, ...], pattern: str) -> str:
    """The figure that a pattern finds in recorded outputs."""
    text = "".join((RECORDED / f"{name}.txt").read_text(encoding="utf-8") for name in records)
    match = re.search(pattern, text, flags=re.MULTILINE)
    if match is None:
        raise SystemExit(f"docs/benchmarks/{records[0]}.txt: no figure for {pattern}")
    return match[1]


def draw(stem: str, values: list[str]) -> None:
    """The chart of a claim: bars, on a logarithmic axis if they differ much, with their figures; goals as marks."""
    claim = CLAIMS[stem]
    figure = new_figure(6.4, 0.55 + 0.3 * len(values))
    ax = figure.subplots()
    numbers = [max(float(value), 1e-3) for value in values]
    goals = [bar.goal for bar in claim.bars if bar.goal is not None]
    for row, (bar, number) in enumerate(zip(claim.bars, numbers, strict=True)):
        ax.barh(row, number, height=0.55, color=COLOURS[0])
        if bar.goal is not None:
            ax.vlines(bar.goal, row - 0.4, row + 0.4, color=COLOURS[1], linewidth=2)
    ax.set_yticks(
        range(len(values)), [f"{bar.label}: {value}" for bar, value in zip(claim.bars, values, strict=True)], fontsize=7
    )
    ax.invert_yaxis()
    low, high = min([*numbers, *goals]), max([*numbers, *goals])
    if high > 8 * low:
        ax.set_xscale("log")
        ax.set_xlim(low / 3, 1.6 * high)
        ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel(f"{claim.axis}{' (logarithmic)' if high > 8 * low else ''}", fontsize=7)
    quiet(ax)
    ax.tick_params(axis="y", labelsize=7)
    save(figure, DOCS / "pictures" / f"performance_{stem}.png")


def section(script: Path) -> str:
    """The section of a benchmark."""
    stem = script.stem
    docstring = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or stem
    values = figures(stem)
    claim = CLAIMS[stem]
    draw(stem, values[: len(claim.bars)])
    sentence = claim.sentence.format(*values)
    logs = [name for name in claim.records or (stem,) if name == stem or name.startswith(f"{stem}_")]
    quoted = "".join(f"<!-- from docs/benchmarks/{name}.txt -->\n```\n```\n" for name in logs)
    return (
        f"\n## {claim.title}\n\n{sentence}\n\n![{claim.title}: {claim.axis}](pictures/performance_{stem}.png)\n\n"
        f'<details markdown="1"><summary>Output of <code>benchmarks/{script.name}</code></summary>\n\n'
        f"{docstring.splitlines()[0]}\n\n{quoted}\n</details>\n"
    )


def write() -> None:
    """Writes the page, in the order of the claims."""
    scripts = {path.stem: path for path in sorted((DOCS.parent / "benchmarks").glob("[a-z]*.py"))}
    unknown = sorted(set(scripts) - set(CLAIMS))
    if unknown:
        raise SystemExit(f"docs/performance.py: no claim for benchmarks/{unknown[0]}.py")
    text = INTRODUCTION + "".join(section(scripts[stem]) for stem in CLAIMS if stem in scripts)
    (DOCS / "performance.md").write_text(text, encoding="utf-8")
