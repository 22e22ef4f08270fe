"""Which tests pass through a line: measured once by coverage, kept below .mutants/, and measured anew for tests that changed.

What a test runs is kept by function and line of the function. A function whose text has changed since keeps its tests,
all on every line; a new function of a known module has the tests of the module.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from operators import FUNCTIONS, MODULE_LEVEL, Mutant, module_of
from planting import ROOT

KEPT_FILE = ROOT / ".mutants" / "tests_by_line.json"
PACKAGES = ("exactformer", "proofs_check")
#: tests kept for a line, and the seconds they may take together under coverage, some five times what they take; the first few are tried before the others
TESTS, SECONDS, FIRST = 100, 40.0, 6
#: the offset of tests that ran the function when its text was another
ANYWHERE = -1
#: they measure coverage themselves
LEFT_OUT = ("tests/checker/test_coverage.py",)
COVERAGE = """[run]
source = exactformer,proofs_check
parallel = true
patch = subprocess
context = ${{PYTEST_CURRENT_TEST-}}
data_file = {folder}/data
"""


def package_files() -> list[str]:
    """Every module that mutants are made of, as a path below the root."""
    return sorted(str(path.relative_to(ROOT)) for name in PACKAGES for path in (ROOT / name).rglob("*.py"))


@dataclass(frozen=True)
class Span:
    """A function of a file: its lines, and a digest of its text."""

    name: str
    first: int
    last: int
    digest: str


def spans(source: str) -> list[Span]:
    """The functions of a module, the outer before the inner."""
    lines, found = source.splitlines(), []

    def visit(node: ast.AST, path: tuple[str, ...]) -> None:
        for child in ast.iter_child_nodes(node):
            inner = path
            if isinstance(child, (*FUNCTIONS, ast.ClassDef)):
                inner = (*path, child.name)
            if isinstance(child, FUNCTIONS):
                first = min([child.lineno, *(d.lineno for d in child.decorator_list)])
                text = "\n".join(lines[first - 1 : child.end_lineno])
                found.append(Span(".".join(inner), first, child.end_lineno or first, digest(text)))
            visit(child, inner)

    visit(ast.parse(source), ())
    return found


def digest(text: str) -> str:
    """A short name of a text."""
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


@dataclass
class Function:
    """The tests through a function: its digest then, and for every offset from its first line the tests, best first."""

    digest: str
    lines: dict[int, list[str]] = field(default_factory=dict)

    def tests(self) -> set[str]:
        """The tests through any of its lines."""
        return set().union(*self.lines.values())


@dataclass
class LineMap:
    """Module -> function -> line -> tests; the seconds of every test; a digest of every file of tests."""

    modules: dict[str, dict[str, Function]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)

    def waves(self, mutant: Mutant) -> tuple[tuple[str, ...], ...]:
        """The tests for a mutant, in two waves; none where no known test passes through its module."""
        chosen, spent = [], 0.0
        for test in self._preferred(self._through(mutant), mutant.file)[:TESTS]:
            if not chosen or spent + self.seconds[test] <= SECONDS:
                chosen.append(test)
                spent += self.seconds[test]
        return tuple(wave for wave in (tuple(chosen[:FIRST]), tuple(chosen[FIRST:])) if wave)

    def patience(self, waves: Iterable[Iterable[str]]) -> float:
        """Seconds after which these tests hang."""
        return 20.0 + 6.0 * sum(self.seconds[test] for wave in waves for test in wave)

    def _through(self, mutant: Mutant) -> set[str]:
        known = self.modules.get(mutant.address.module, {})
        function = known.get(mutant.address.function)
        everyone = set().union(*(f.tests() for f in known.values()))
        if mutant.address.function == MODULE_LEVEL:
            return everyone | self._of_room(mutant.address.module)
        if function is None:
            return everyone
        first = {span.name: span for span in spans((ROOT / mutant.file).read_text("utf-8"))}[mutant.address.function]
        lines = function.lines if first.digest == function.digest else {}
        for line in mutant.lines:
            if here := {*lines.get(line - first.first, ()), *lines.get(ANYWHERE, ())}:
                return here
        return function.tests() or everyone

    def _of_room(self, module: str) -> set[str]:
        """The tests through the modules of the same folder: what stands in no function runs in whichever test comes first."""
        folder = module.rpartition(".")[0]
        rooms = (functions for name, functions in self.modules.items() if name.rpartition(".")[0] == folder)
        return set().union(*(f.tests() for functions in rooms for f in functions.values()))

    def _preferred(self, tests: set[str], file: str) -> list[str]:
        """The tests in the order in which they are tried: those of the module's own file, kept outputs, of every other its fastest case."""
        cases: dict[str, list[str]] = defaultdict(list)
        for test in sorted(tests & self.seconds.keys(), key=lambda test: (self.seconds[test], test)):
            cases[test.partition("[")[0]].append(test)
        rank = {test: k for group in cases.values() for k, test in enumerate(group)}

        def key(test: str) -> tuple[int, bool, bool, float, str]:
            home, kept = _is_home(test, file), test.startswith("tests/golden")
            return max(0, rank[test] - (4 if home or kept else 0)), not home, not kept, self.seconds[test], test

        return sorted(rank, key=key)

    def refresh(self, workers: int, say: Any = print) -> None:
        """Measures the files of tests that are new or changed, and forgets the tests that are no more."""
        there, now = collected(), test_files()
        stale = {file for file, text in now.items() if self.files.get(file) != text}
        self._forget({test for test in self.seconds if test not in there or test.partition("::")[0] in stale})
        # tests before examples: a module that is collected for its examples before anyone imports it is loaded twice
        wanted = sorted({test.partition("::")[0] for test in there} & stale, reverse=True)
        if wanted:
            say(
                f"measuring which lines {len(wanted)} of {len(now)} files of tests run (kept in {KEPT_FILE.parent.name}/)",
                flush=True,
            )
            self._add(*measured(wanted, workers))
        self.files = now
        self.write()

    def _forget(self, gone: set[str]) -> None:
        self.seconds = {test: s for test, s in self.seconds.items() if test not in gone}
        for function in (f for functions in self.modules.values() for f in functions.values()):
            function.lines = {k: [t for t in tests if t not in gone] for k, tests in function.lines.items()}

    def _add(self, contexts: dict[str, dict[int, set[str]]], seconds: dict[str, float]) -> None:
        self.seconds |= seconds
        for file in package_files():
            functions, texts = self.modules.setdefault(module_of(file), {}), spans((ROOT / file).read_text("utf-8"))
            for span in texts:
                function = functions.setdefault(span.name, Function(span.digest))
                if function.digest != span.digest:
                    function.lines = {ANYWHERE: self._preferred(function.tests(), file)[:TESTS]}
                    function.digest = span.digest
            new: dict[tuple[str, int], set[str]] = defaultdict(set)
            for line, tests in contexts.get(file, {}).items():
                inside = [span for span in texts if span.first <= line <= span.last]
                if inside:
                    new[inside[-1].name, line - inside[-1].first] |= tests
            for (name, offset), tests in new.items():
                lines = functions[name].lines
                lines[offset] = self._preferred(tests | set(lines.get(offset, ())), file)[:TESTS]

    def write(self) -> None:
        """Keeps the map."""
        numbers = {test: k for k, test in enumerate(self.seconds)}
        modules = {
            module: {
                name: [f.digest, {k: [numbers[t] for t in tests] for k, tests in f.lines.items() if tests}]
                for name, f in functions.items()
            }
            for module, functions in self.modules.items()
        }
        KEPT_FILE.parent.mkdir(exist_ok=True)
        partial = KEPT_FILE.with_suffix(".partial")
        partial.write_text(json.dumps({"files": self.files, "seconds": self.seconds, "modules": modules}), "utf-8")
        partial.replace(KEPT_FILE)


def kept_map() -> LineMap:
    """The map that was kept; an empty one where there is none."""
    if not KEPT_FILE.exists():
        return LineMap()
    kept = json.loads(KEPT_FILE.read_text("utf-8"))
    names = list(kept["seconds"])
    modules = {
        module: {
            name: Function(text, {int(k): [names[t] for t in tests] for k, tests in lines.items()})
            for name, (text, lines) in functions.items()
        }
        for module, functions in kept["modules"].items()
    }
    return LineMap(modules, kept["seconds"], kept["files"])


def _is_home(test: str, file: str) -> bool:
    """Whether a test stands in the file of tests of a module, or in its docstrings."""
    path = Path(file)
    return test.startswith(f"{file}::") or test.partition("::")[0].endswith(f"{path.parent.name}/test_{path.name}")


def test_files() -> dict[str, str]:
    """Every file that holds tests, docstrings included, with a digest of what it says."""
    tests = sorted((ROOT / "tests").rglob("test_*.py"))
    found = {str(path.relative_to(ROOT)): digest(path.read_text("utf-8")) for path in tests}
    return found | {file: digest(docstrings((ROOT / file).read_text("utf-8"))) for file in package_files()}


def docstrings(source: str) -> str:
    """The examples of a module."""
    holders = (*FUNCTIONS, ast.ClassDef, ast.Module)
    return "\n".join(ast.get_docstring(n) or "" for n in ast.walk(ast.parse(source)) if isinstance(n, holders))


def _pytest(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


def collected() -> set[str]:
    """Every test of the default suite."""
    done = _pytest("--collect-only", "-p", "no:xdist")
    if done.returncode:
        raise SystemExit(f"the tests cannot be collected:\n{done.stdout[-3000:]}{done.stderr[-1000:]}")
    found = {line for line in done.stdout.splitlines() if "::" in line}
    return {test for test in found if not test.startswith(LEFT_OUT)}


def measured(files: list[str], workers: int) -> tuple[dict[str, dict[int, set[str]]], dict[str, float]]:
    """(file of the package -> line -> the tests through it, test -> seconds), of the tests of these files."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        config, times = Path(folder) / "coveragerc", Path(folder) / "seconds.json"
        config.write_text(COVERAGE.format(folder=folder), "utf-8")
        done = _pytest(
            *("-n", str(workers), "--dist", "worksteal", "-p", "seconds_of_tests"),
            *("--cov", f"--cov-config={config}", "--cov-context=test", "--cov-report="),
            *files,
            PYTHONPATH=str(Path(__file__).parent),
            SECONDS_OF_TESTS=str(times),
            OMP_NUM_THREADS="1",
        )
        if done.returncode not in (0, 5):
            print(f"some tests fail, or cannot be run:\n{done.stdout[-3000:]}{done.stderr[-1000:]}")
        seconds = json.loads(times.read_text("utf-8")) if times.exists() else {}
        return dict(contexts(Path(folder) / "data")), seconds


def contexts(data_file: Path) -> Iterator[tuple[str, dict[int, set[str]]]]:
    """The tests through every line of every file of the package, from what coverage wrote."""
    import coverage

    data = coverage.CoverageData(str(data_file))
    data.read()
    for path in data.measured_files():
        if Path(path).is_relative_to(ROOT):
            by_line = data.contexts_by_lineno(path)
            yield str(Path(path).relative_to(ROOT)), {k: {_test(n) for n in names if n} for k, names in by_line.items()}


def _test(context: str) -> str:
    """The test of a context: `test|run` in the process of pytest, `test (call)` in those it starts."""
    for end in ("|run", "|setup", "|teardown", " (call)", " (setup)", " (teardown)"):
        context = context.removesuffix(end)
    return context
