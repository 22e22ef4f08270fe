"""Kept values of functions, by digest: python tests/golden/values.py --record

What a seed draws, what a statement says of it, how an instance is varied and simplified, and exact answers on ties and
degenerate input. Every case yields keys with values; values.json keeps a digest of each, and whoever is told that one
changed sees the value by `python tests/golden/values.py CASE KEY`. Values of what is new, a statement say, are kept
with the next record.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import combinations, islice, product
from pathlib import Path
from random import Random
from zlib import crc32

import numpy as np

import exactformer as ef
from exactformer.arithmetic import interval, power_sum, rational, short_text, text
from exactformer.arithmetic.algebraic import Algebraic, in_one_field
from exactformer.arithmetic.grammar import parse
from exactformer.conjectures.catalogue import catalogue
from exactformer.display.latex import latex_number
from exactformer.dynamics.float_filter import Shadow
from exactformer.dynamics.graph import follower_graph, write_graph
from exactformer.dynamics.lemmas import check_lemmas
from exactformer.dynamics.score_form import ScoreForm
from exactformer.errors import ExactformerError
from exactformer.geometry import (
    active_set,
    alternative,
    hull,
    linear_algebra,
    points,
    projection,
    separation,
    simplest,
    simplex,
)
from exactformer.geometry.propose import ProposedDirection
from exactformer.instances.dataset_families import FAMILIES as DATA
from exactformer.instances.kinds import kind_of
from exactformer.instances.token_families import FAMILIES as TOKENS
from exactformer.languages import (
    automaton,
    compiled,
    expressions,
    literature,
    named,
    program_automaton,
    program_files,
    program_weights,
    temporal,
    transitions,
)
from exactformer.languages.prove import prove
from exactformer.languages.recogniser import Recogniser
from exactformer.languages.recogniser_files import recogniser_line
from exactformer.languages.word_verdicts import WordVerdicts
from exactformer.model.head_files import heads_block_line
from exactformer.studies.mean_field import counterexamples, rate, spectrum, zero_temperature
from exactformer.studies.mean_field.families import sample_system

KEPT = Path(__file__).parent / "values.json"
Values = Iterator[tuple[str, object]]


def plain(value: object) -> object:
    """A value as JSON: exact numbers as text, floats by nine digits, objects by their fields."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if abs(value) < 1 << 64 else hex(value)
    if isinstance(value, Fraction):
        return f"{plain(value.numerator)}/{plain(value.denominator)}"
    if isinstance(value, (float, np.floating)):
        return f"{float(value):.9g}"
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(part) for key, part in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(map(str, map(plain, value)))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value) if not callable(f.type)}
        return {type(value).__name__: fields}
    if isinstance(value, Iterable):
        return [plain(part) for part in value]
    return str(value)


def said(function: Callable[..., object], *given: object, **options: object) -> object:
    """What a function returns, or the words with which it refuses."""
    try:
        return plain(function(*given, **options))
    except ExactformerError as problem:
        return f"{type(problem).__name__}: {problem}"


def statements(names: Iterable[str]) -> Values:
    """Instances of statements, what is said of them, their neighbours and simplifications."""
    for name, seed in product(names, range(4)):
        statement = catalogue()[name]
        rng = Random(seed)
        instance = statement.generate(rng)
        kind = kind_of(instance)
        yield f"{name} {seed}", said(kind.json, instance)
        yield f"{name} {seed} judged", said(statement.judge, instance)
        yield f"{name} {seed} shown", [said(kind.size, instance), said(kind.latex, instance)]
        near = [kind.varied(instance, rng) for _ in range(12)]
        yield f"{name} {seed} varied", [said(kind.json, other) for other in near]
        yield f"{name} {seed} neighbours judged", [said(statement.judge, other) for other in near[:4]]
        yield f"{name} {seed} simpler", [kind.json(other) for other in islice(kind.simpler(instance), 150)]


def families() -> Values:
    """What a seed draws of every family."""
    for family, (n, d), seed in product([*TOKENS, *DATA], [(1, 1), (3, 1), (4, 2), (6, 3)], range(2)):
        drawn = said(lambda f=family, n=n, d=d, s=seed: ef.sample(f, n=n, d=d, seed=s).json())
        yield f"{family} n={n} d={d} seed={seed}", drawn


def limits() -> Values:
    """Orbits, limits and their certificates for tokens with ties, zeros and repeated points, and for any matrix."""
    for family, (n, d), seed in product(TOKENS, [(3, 1), (5, 2), (4, 3)], range(2)):
        if isinstance(said(ef.sample, family, n=n, d=d, seed=seed), str):
            continue
        tokens = ef.sample(family, n=n, d=d, seed=seed)
        yield from fate(f"{family} n={n} d={d} seed={seed}", tokens)
    for name, seed in product(("late-leader-family", "graph-stabilises", "leader-indefinite", "lemma-7"), range(6)):
        yield from fate(f"{name} {seed}", catalogue()[name].generate(Random(seed)))


def fate(key: str, tokens: ef.Tokens) -> Values:
    """What becomes of tokens."""
    yield key, said(lambda: ef.limit(tokens, unchecked=True, budget=60).json())
    yield f"{key} certificates", said(written, lambda path: ef.limit(tokens, unchecked=True, budget=60).certify(path))
    yield f"{key} case", said(ef.stabilisation_case, tokens)
    orbit = ef.simulate(tokens, layers=7, unchecked=True)
    yield f"{key} orbit", [said(orbit.json), said(written, orbit.certify)]
    yield f"{key} leads", said(lambda: [orbit.leads_from, orbit.graph_changes])
    yield f"{key} graph", [said(drawn, follower_graph(orbit, layer), end) for layer in (0, 3) for end in GRAPHS]
    yield f"{key} lemmas", said(check_lemmas, orbit)
    form = ScoreForm(tokens.A)
    shadow = Shadow.of(tokens.state.array, tokens.state.denominator * 3, form)
    later = shadow.moved(shadow.values[::-1], 0.25, 3)
    errors = [later.errors(form, later.values, later.error), later.largest_error(form)]
    yield f"{key} shadow", [shadow.error, shadow.size, shadow.exact, later.error, later.size, *errors]


GRAPHS = (".json", ".dot")


def drawn(graph: object, end: str) -> str:
    """The file of a graph."""
    with tempfile.TemporaryDirectory() as folder:
        write_graph(graph, path := Path(folder) / f"graph{end}")  # type: ignore[arg-type]
        return path.read_text("utf-8")


def written(write: Callable[[Path], object]) -> str:
    """The file that is written."""
    with tempfile.TemporaryDirectory() as folder:
        write(path := Path(folder) / "file.jsonl")
        return path.read_text("utf-8")


def clouds() -> Iterator[tuple[str, list[list[int]]]]:
    """Point sets with ties: few coordinates, repeated points, points on lines."""
    for (n, d), seed in product([(1, 1), (4, 1), (3, 2), (6, 2), (7, 3), (5, 4)], range(4)):
        rng = Random(100 * n + 10 * d + seed)
        reach = (1, 2, 5, 10**20)[seed]
        yield f"n={n} d={d} seed={seed}", [[rng.randint(-reach, reach) for _ in range(d)] for _ in range(n)]


def geometry() -> Values:
    """Linear algebra and convexity on small integers, where rows depend on each other and points lie on faces."""
    for key, rows in clouds():
        d = len(rows[0])
        yield f"{key} echelon", said(lambda r=rows: linear_algebra.echelon(np.array(r, dtype=object)))
        yield f"{key} solve", [said(linear_algebra.solve, rows, [k % 3 - 1 for k in range(len(rows))])]
        yield f"{key} kernel", [said(linear_algebra.null_space, rows), said(linear_algebra.rank, rows)]
        square = [[sum(x * y for x, y in zip(a, b, strict=True)) for b in rows] for a in rows]
        for shift in (-1, 0, 1):
            moved = [[x + shift * (i == j) for j, x in enumerate(row)] for i, row in enumerate(square)]
            for question in (linear_algebra.positive_definite, linear_algebra.positive_semidefinite):
                yield f"{key} {question.__name__} {shift}", said(question, moved)
        yield f"{key} crooked", said(linear_algebra.symmetric, [[*row[:-1], 2 * row[-1] + 1] for row in square])
        M = np.array(rows, dtype=object).T
        for b in ([1] * d, [0] * d, [-1, *[2] * (d - 1)]):
            yield f"{key} nonnegative {b}", said(simplex.nonnegative_solution, M, np.array(b, dtype=object))
        yield f"{key} vertices", hull.vertices(rows).indices
        for start in ((), (0,), (len(rows) - 1, 0), tuple(range(len(rows)))):
            found = said(active_set.nearest_point, M.T, np.eye(d, dtype=int).astype(object), start)
            yield f"{key} active set {start}", found
        yield f"{key} face", said(projection.exposed_face, rows, [1, *[0] * (d - 1)])
        yield f"{key} nearest", [projection.project(rows, origin=o).point for o in ([0] * d, [3] * d)]
        M = np.array(rows, dtype=object)
        if all(map(any, rows)):
            for v, margin in product(rows[:3], (1e-9, 0.5)):
                weights = np.array([float(k + 1) if k < d else 0.0 for k in range(len(rows))])
                proposal = ProposedDirection(np.array(v, dtype=float) / max(map(abs, v)), margin, weights)
                yield f"{key} proposed {v} {margin}", said(alternative.judge_proposal, M, proposal)
        yield f"{key} primitive", [said(points.primitive, row) for row in rows if any(row)]
        half = max(1, len(rows) // 2)
        if rows[half:]:
            found = separation.separate(rows[:half], rows[half:])
            found.verify(rows[:half], rows[half:])
            yield f"{key} apart", type(found).__name__
    ends = sorted({Fraction(p, q) for q in (1, 2, 7) for p in range(-9, 10, 2)})
    yield "offsets", [said(simplest.simplest_offset, low, high) for low, high in combinations(ends, 2)]


NUMBERS = (
    "0", "1", "-1", "1/3", "-7/2", "0.1", "1e-3", "12345678901234567890", "sqrt(2)", "-sqrt(2)", "sqrt(2)+sqrt(3)",
    "sqrt(8)-2*sqrt(2)", "1/(1+sqrt(5))", "cos(2*pi/5)", "sin(pi/8)", "2**(1/3)", "(1+sqrt(5))/2", "sqrt(2)*sqrt(3)",
    "cbrt(2)", "sqrt(1/2)", "sqrt(-1)", "1/0", "cos(1)", "2**", "tan(pi/3)", "cos(pi/7)", "sqrt(2)-1.41421356237309504880",
)  # fmt: skip


def numbers() -> Values:
    """Numbers of every kind: read, written, compared, rounded, enclosed."""
    read = {written: said(text.exact, written) for written in NUMBERS}
    yield "read", read
    known = {w: text.exact(w) for w, found in read.items() if ":" not in str(found)}
    for written, x in known.items():
        yield f"{written} shown", [latex_number(x), short_text.show(x), text.brief(x, 5), repr(x), said(parse, written)]
        yield f"{written} rounded", [plain(float(x)), math.floor(x)]
        yield f"{written} power", [said(lambda x=x, n=n: x**n) for n in (-2, 0, 3)] if x else None
        if isinstance(x, Algebraic):
            ends = [plain(x.field.interval), plain(x.field.integer_minpoly)]
            yield f"{written} field", [*ends, plain(x.coefficients), plain(x.rational), x.sign()]
    for (a, x), (b, y) in combinations(known.items(), 2):
        yield f"{a} and {b}", [x < y, x == y, x <= y, str(x + y), str(x - y), str(x * y), str(x / y) if y else ""]
    yield "one field", said(lambda: [str(x) for x in in_one_field([text.exact("sqrt(2)"), text.exact("sqrt(3)"), 1])])
    yield from sums()
    yield from boxes()
    for low, high in product([None, *range(-3, 4), Fraction(1, 3), Fraction(22, 7)], repeat=2):
        if low is None or high is None or low <= high:
            yield f"simplest {low} {high}", said(rational.simplest_between, low, high)


def sums() -> Values:
    """Sums of powers: p/q to large exponents."""
    bases = [Fraction(2, 3), Fraction(3, 2), Fraction(1, 2), Fraction(5)]
    found = {f"{b}^{e}": power_sum.power(b, e) for b, e in product(bases, (-300, -2, 0, 1, 5, 300))}
    for (a, x), (b, y) in combinations(found.items(), 2):
        z = x - y
        yield f"{a} - {b}", [power_sum.sign_of(z), said(power_sum.sum_json, z), str(power_sum.written(z))[:200]]
        if isinstance(z, power_sum.PowerSum):
            yield f"{a} - {b} enclosed", [said(z.interval), said(z.interval, 20), said(z.json), repr(z)]
            yield f"{a} * {b}", [said(power_sum.sum_json, x * y), said(power_sum.sum_json, z * z), z == z + 0]


def boxes() -> Values:
    """Intervals with rational ends."""
    ends = [interval.rational(Fraction(k, 2)) for k in (-3, -1, 0, 1, 4)]
    parts = [(low, high) for low, high in product(ends, repeat=2) if low <= high]
    for (i, x), (j, y) in product(enumerate(parts), repeat=2):
        three = (interval.plus(x, y), interval.minus(x, y), interval.product(x, y))
        yield f"intervals {i} {j}", [str(part) for part in (*three, interval.hull([x, y]))]
    for k, bits in product(range(0, 40, 3), (8, 30, 64)):
        x = interval.exp_minus(interval.rational(Fraction(k, 7)), bits)
        yield f"exp(-{k}/7) {bits}", [str(x), str(interval.outward(x, bits // 2))]


EXPRESSIONS = (
    "a*", "(ab)*", "(aa)*", "a|b", "ab|ba", "(a|b)*abb", "~(a*)", "(a|b)*&~((a|b)*aa(a|b)*)", "a?b+", "(a|ba)*", "abc",
    "((a|b)(a|b))*", ".*a.*&.*b.*", "(.*a.*&.*b.*&.*c.*)|c*", "(aa)*&.*b.*", "a(a|b)*b", "()", "a**", "(a", "a&b", "(a*b*)*", "(b*ab*ab*)*",
)  # fmt: skip


def languages() -> Values:
    """Automata of expressions and names: minimal form, monoid, words, and what can be compiled and proved."""
    for written in EXPRESSIONS:
        yield f"{written} automaton", (found := said(lambda w=written: expressions.of_expression(w).json()))
        if isinstance(found, str):
            continue
        A = expressions.of_expression(written)
        yield f"{written} words", ["".join(word) for word in A.words(5)]
        yield (
            f"{written} written",
            [said(expressions.expression_of, A), expressions.graphviz(A), said(A.minimal().json)],
        )
        yield f"{written} star-free", [transitions.is_star_free(A), said(transitions.counter, A), A.is_commutative]
        yield f"{written} every period", said(transitions.counter_for_every_period, A)
        found = compiled.compile_language(A)
        yield f"{written} compiled", said(found.json)
        if found.possible:
            yield from recognised(written, found.recogniser, A)
    for name in ("parity", "dyck-1-2", "dyck-2-1", "majority", "first", "(ab)*", "nothing-known"):
        yield f"named {name}", said(lambda n=name: named.language(n).json())
    known = [expressions.of_expression(e, letters=("a", "b")) for e in ("a*", "(ab)*", "(a|b)*abb", "~(a*)")]
    for (i, A), (j, B) in combinations(enumerate(known), 2):
        yield f"different {i} {j}", said(A.difference, B)
        yield f"both {i} {j}", said(lambda A=A, B=B: A.combined(B, lambda x, y: x and y).minimal().json())
    for formula, at in product(FORMULAS, ("first", "last")):
        yield f"{formula} {at}", (found := said(lambda f=formula, at=at: temporal.program_of_formula(f, "ab", at=at)))
        if not isinstance(found, str):
            program = temporal.program_of_formula(formula, "ab", at=at)
            yield f"{formula} {at} written", program_files.text_of_program(program)
            A = program_automaton.automaton_of_program(program)
            yield from recognised(f"{formula} {at}", program_weights.recogniser_of_program(program), A)
    for model in (literature.first, literature.majority, literature.parity, literature.dyck_1):
        told = WordVerdicts(model())
        short = [word for n in range(6) for word in product((0, 1), repeat=n)]
        yield f"{model.__name__} verdicts", [told.of(word) for word in short]
    yield "spelled", [automaton.spell(word) for word in ((), ("a", "b"), ("ab", "c"))]


FORMULAS = ("a", "!a & O b", "b S a", "a U b", "H a", "G (a -> X b)", "F (a & Y b)", "a |", "true -> a", "X X a | c")


def recognised(written: str, model: Recogniser, A: automaton.Automaton) -> Values:
    """The weights of a recogniser and its proof, and what it says of short words."""
    yield (
        f"{written} weights",
        [recogniser_line(model), [heads_block_line(k, block) for k, block in enumerate(model.blocks)]],
    )
    yield f"{written} proved", said(lambda: prove(model, A).json())
    told = WordVerdicts(model)
    size = range(len(model.letters))
    yield f"{written} verdicts", [told.of(word) for n in range(5) for word in product(size, repeat=n)]


def mean_fields() -> Values:
    """Exact answers on the mean field: dominant eigenvalues, projectors, rates, limits at zero temperature."""
    systems = [sample_system(name, dim=dim, seed=seed) for name, dim, seed in SYSTEMS]
    matrices = [spectrum_matrix(seed) for seed in range(40)]
    for k, M in enumerate(matrices):
        found = said(spectrum.dominant, M)
        yield f"spectrum {k}", found if isinstance(found, str) else list(found.values())  # type: ignore[attr-defined]
        yield f"limit {k}", said(lambda M=M: zero_temperature.limit_of_matrix(M).json())
        yield f"norm {k}", said(rate.norm_above, M)
        yield f"gap {k}", said(counterexamples.gap_above, M)
    for (name, dim, seed), system in zip(SYSTEMS, systems, strict=True):
        yield f"{name} {dim} {seed}", [said(system.json), said(lambda s=system: zero_temperature.limit(s).json())]


SYSTEMS = [(name, dim, seed) for name in ("metastable", "golden", "random") for dim in (2, 3) for seed in range(3)]


def spectrum_matrix(seed: int) -> tuple[tuple[Fraction, ...], ...]:
    """A small matrix with few different entries, so that eigenvalues coincide."""
    rng, d = Random(seed), 2 + seed % 3
    rows = [[Fraction(rng.choice((-1, 0, 0, 1, 1, 2)), rng.choice((1, 1, 2))) for _ in range(d)] for _ in range(d)]
    if seed % 2:
        rows = [[max(rows[i][j], rows[j][i]) for j in range(d)] for i in range(d)]
    return tuple(map(tuple, rows))


CASES: dict[str, Callable[[], Values]] = {
    case.__name__: case for case in (families, limits, geometry, numbers, languages, mean_fields)
} | {f"statements {k}": partial(statements, [n for n in catalogue() if crc32(n.encode()) % 5 == k]) for k in range(5)}


def digests(name: str) -> dict[str, str]:
    """The digest of every value of a case."""
    return {key: digest(value) for key, value in CASES[name]()}


def digest(value: object) -> str:
    """A short name of a value."""
    return hashlib.blake2b(json.dumps(plain(value)).encode(), digest_size=5).hexdigest()


if __name__ == "__main__":
    if sys.argv[1:] == ["--record"]:
        KEPT.write_text(json.dumps({name: digests(name) for name in CASES}, indent=0) + "\n", "utf-8")
    else:
        case, wanted = sys.argv[1:]
        print(*(json.dumps(plain(value), indent=1) for key, value in CASES[case]() if key == wanted), sep="\n")
