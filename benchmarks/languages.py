"""Recognisers of languages: proved for all lengths, certified, checked; words up to a length beside the definition.

    python benchmarks/languages.py [FOLDER]      FOLDER holds another implementation (modules languages, cascade, brasp,
                                                 dfa, product, bounded, certificate and checker), which is timed beside

CPU seconds of one core, all of this run.
"""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import reduce
from itertools import islice
from pathlib import Path
from typing import Any

from exactformer.languages.automaton import Automaton
from exactformer.languages.compiled import compile_language
from exactformer.languages.literature import dyck_1, dyck_by_passes, majority, parity
from exactformer.languages.named import language
from exactformer.languages.program_weights import recogniser_of_program
from exactformer.languages.prove import Recognition, prove
from exactformer.languages.recogniser import Recogniser
from proofs_check import check

LETTERS = "abcdefghij"
SECOND = Path(__file__).parents[1] / "proofs_check" / "js" / "check.js"


def seconds(action: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of one run, and what it returned."""
    start = time.process_time()
    found = action()
    return time.process_time() - start, found


def all_letters(k: int) -> tuple[Recogniser, Automaton]:
    """All of k letters occurred, from a formula; and its automaton with 2^k states."""
    formula = " & ".join(f"({a} | O {a})" for a in LETTERS[:k])
    target = Automaton.of(LETTERS[:k], frozenset[str](), lambda seen, a: seen | {a}, lambda seen: len(seen) == k)
    return compile_language(ltl=formula).recogniser, target


def all_lengths() -> None:
    """Proofs for all lengths, certificates, both checkers."""
    print("all lengths: seconds to prove, to write, to check (Python, JavaScript with its start)")
    for name in ("dyck-2-2", "dyck-1-5", "dyck-2-3", "dyck-3-2"):
        spent, compiled = seconds(lambda name=name: compile_language(name))
        report(f"{name}, past only (compiled and proved in {spent:.2f} s)", compiled.recogniser, language(name))
    for types, depth in ((2, 2), (2, 3), (1, 4)):
        r = recogniser_of_program(dyck_by_passes(types, depth))
        report(f"dyck-{types}-{depth}, both directions", r, language(f"dyck-{types}-{depth}"), depth < 3)
    report("all ten letters", *all_letters(10))


def report(name: str, r: Recogniser, target: Automaton, certified: bool = True) -> None:
    """One line: size, states, seconds, bytes."""
    spent, found = seconds(lambda: prove(r, target))
    line = f"  {name}: d = {r.dim}, {len(r.blocks)} blocks, {found.product_states} states, proved {spent:.2f}"
    if certified:
        with tempfile.TemporaryDirectory() as folder:
            line += certificate(found, Path(folder) / "c.jsonl")
    print(line, flush=True)


def certificate(found: Recognition, path: Path) -> str:
    """Seconds of writing and checking, size, verdicts."""
    written, _ = seconds(lambda: found.certify(path))
    spent, verdict = seconds(lambda: check(str(path)))
    text = f", written {written:.2f}, checked {spent:.2f} ({verdict.verdict})"
    node = shutil.which("node")
    if node is not None:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run([node, str(SECOND), "--json", str(path)], capture_output=True, text=True)
        spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        text += f", {spent:.2f} ({json.loads(done.stdout)['verdict']})"
    return f"{text}, {path.stat().st_size / 1000:.1f} kB"


def up_to_a_length() -> None:
    """Words up to a length by the plan that the conditions choose, and the definition on some of them."""
    print("up to a length: seconds, and microseconds per word beside the definition's")
    cases = (("dyck-1", dyck_1(), 14), ("parity", parity(), 60), ("majority", majority(), 60))
    for name, r, n in cases:
        target = language(name, up_to=n)
        spent, found = seconds(lambda r=r, target=target, n=n: prove(r, target, up_to=n))
        words = list(islice((w for w in target.words(10) if len(w) == 10), 100))
        plain, _ = seconds(lambda r=r, words=words: [r.verdict(w) for w in words])
        each = spent / found.words
        print(
            f"  {name} to n = {n}: {found.words} words by {found.plan} in {spent:.2f} s, {each * 1e6:.0f} per word; "
            f"by definition {plain / len(words) * 1e6:.0f} at n = 10",
            flush=True,
        )


def compare(name: str, theirs: Callable[[], Any], ours: Callable[[], Any]) -> None:
    """One line: seconds of the other implementation, seconds here, the ratio."""
    spent, _ = seconds(theirs)
    mine = min(seconds(ours)[0] for _ in range(3))
    print(f"  {name}: {spent:.2f}, here {mine:.3f}, ratio {spent / mine:.0f}", flush=True)


def compare_checkers(other: Any) -> None:
    """The certificate of Dyck-(2,2) in both directions, by the other writer and checker, and by these."""
    import certificate as writer  # type: ignore[import-not-found]
    import checker  # type: ignore[import-not-found]

    with tempfile.TemporaryDirectory() as folder:
        theirs, mine = str(Path(folder) / "theirs.jsonl"), str(Path(folder) / "mine.jsonl")
        writer.certify_all(other.dyck_bounded(2, 2), other.dyck_dfa(2, 2), theirs)
        prove(recogniser_of_program(dyck_by_passes(2, 2)), language("dyck-2-2")).certify(mine)
        sizes = [Path(path).stat().st_size / 1000 for path in (theirs, mine)]
        name = f"dyck-2-2, both directions, checked ({sizes[0]:.0f} kB, here {sizes[1]:.0f} kB)"
        compare(name, lambda: checker.check(theirs), lambda: check(mine))


def beside(folder: str) -> None:
    """The same questions to another implementation, and how many times longer it takes."""
    sys.path.insert(0, folder)
    import bounded  # type: ignore[import-not-found]
    import brasp  # type: ignore[import-not-found]
    import cascade  # type: ignore[import-not-found]
    import dfa  # type: ignore[import-not-found]
    import languages as other  # type: ignore[import-not-found]
    from product import Machine  # type: ignore[import-not-found]

    print("another implementation: seconds, and the ratio")

    for types, depth in ((2, 2), (1, 4), (1, 5)):
        target, name = other.dyck_dfa(types, depth), f"dyck-{types}-{depth}"
        r = brasp.compile_program(cascade.program(target)[0], target.letters, empty=True)
        mine, automaton = compile_language(name).recogniser, language(name)
        compare(
            f"{name}, past only, proved",
            lambda r=r, target=target: Machine(r).explore(target, "nonpositive"),
            lambda mine=mine, automaton=automaton: prove(mine, automaton),
        )
    for types, depth in ((2, 2), (2, 3)):
        r, target, name = other.dyck_bounded(types, depth), other.dyck_dfa(types, depth), f"dyck-{types}-{depth}"
        mine, automaton = recogniser_of_program(dyck_by_passes(types, depth)), language(name)
        compare(
            f"{name}, both directions, proved",
            lambda r=r, target=target: Machine(r).explore(target),
            lambda mine=mine, automaton=automaton: prove(mine, automaton),
        )
    k = LETTERS[:8]
    seen_now = [("or", ("letter", a), ("O", ("letter", a))) for a in k]
    r = brasp.compile_program(brasp.ltl(reduce(lambda f, g: ("and", f, g), seen_now), k), k)
    target = dfa.from_function(k, frozenset(), lambda seen, a: seen | {a}, lambda seen: len(seen) == len(k))
    mine, automaton = all_letters(len(k))
    compare(
        "all eight letters, proved",
        lambda r=r, target=target: Machine(r).explore(target, "nonpositive"),
        lambda mine=mine, automaton=automaton: prove(mine, automaton),
    )
    compare_checkers(other)
    mine, automaton = dyck_1(), language("dyck-1", up_to=12)
    compare(
        "dyck-1 to n = 12",
        lambda: bounded.check(other.dyck1(), other.balanced, 12, "nonpositive"),
        lambda: prove(mine, automaton, up_to=12),
    )
    compare(
        "parity to n = 30",
        lambda: bounded.check(other.parity(), lambda w: list(w).count("1") % 2 == 1, 30, "nonpositive"),
        lambda: prove(parity(), language("parity"), up_to=30),
    )


if __name__ == "__main__":
    all_lengths()
    up_to_a_length()
    if len(sys.argv) > 1:
        beside(sys.argv[1])
