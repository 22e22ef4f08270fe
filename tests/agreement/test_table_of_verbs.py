"""Which result has which verb: the table of the Python page is what the classes have, and every verb does its work."""

from __future__ import annotations

import importlib
import pkgutil
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactformer as ef
from exactformer.conjectures.given_instance import judge
from exactformer.display import verbs
from exactformer.studies.mean_field.approx_run import Run, Simulation
from exactformer.studies.sentiment.classifier import ReviewClassifier

pytest.importorskip("pandas")
pytest.importorskip("sklearn")

PAGE = Path(__file__).parents[2] / "docs" / "api" / "index.md"
VERBS = (
    *("certify", "check", "predict", "score", "plot", "write_report", "export", "save"),
    *("json", "to_pandas", "to_numpy", "_repr_html_"),
)
#: shared parts of results, which are none themselves, and what is shown in a notebook without being a result
PARTS = {"Listed", "Drawn", "Reported", "Certified", "Exported", "FittedTransformer", "PlayWidget"}

SEQUENCES = [[[0, 1], [2, 0]], [[1, 1]], [[3, -2], [0, 0], [1, 5]], [[4, 4], [1, 0]]]
LABELS = [1, 0, 1, 7]
POINTS = {0: [1, 0], 1: [2, 0], 7: [3, 0]}


def is_result(kind: object, home: str) -> bool:
    own = isinstance(kind, type) and kind.__module__ == home and kind.__name__ not in PARTS
    return own and hasattr(kind, "_repr_html_")


@cache
def results() -> dict[str, type]:
    """Every class of the package that a notebook shows as a table, by name."""
    found: dict[str, type] = {}
    for module in pkgutil.walk_packages(ef.__path__, "exactformer."):
        if ".cli" not in module.name and not module.name.endswith("__main__"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                here = importlib.import_module(module.name)
            found |= {name: kind for name, kind in vars(here).items() if is_result(kind, module.name)}
    return found


def table() -> dict[str, dict[str, bool]]:
    """The rows of the page: class -> verb -> whether it has it."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    at = next(i for i, line in enumerate(lines) if "`certify`" in line)
    head = [cell.strip(" `") for cell in lines[at].strip("|").split("|")]
    rows = {}
    for line in lines[at + 2 :]:
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        rows[name.split("`")[1]] = {verb: cell != "" for verb, cell in zip(head[1:], cells, strict=True)}
    return rows


def of_introspection() -> dict[str, dict[str, bool]]:
    return {name: {verb: hasattr(kind, verb) for verb in VERBS} for name, kind in results().items()}


def test_the_table_of_the_page_is_what_the_classes_have() -> None:
    page, found = table(), of_introspection()
    assert sorted(page) == sorted(found)
    assert {name: row for name, row in page.items() if row != found[name]} == {}


def test_verbs_come_together() -> None:
    for name, has in of_introspection().items():
        kind = results()[name]
        if issubclass(kind, verbs.Certified):
            assert all(has[verb] for verb in ("certify", "check", "save", "write_report")), name
        assert has["predict"] == has["score"], name
        assert has["json"] or name == "ExactClassifier", f"{name}: a notebook shows what --json prints"


def made(folder: Path) -> Iterator[Any]:
    """One result of every kind."""
    built = ef.construct(SEQUENCES, LABELS)
    certificate = built.certify(folder / "built.jsonl")
    tokens = ef.Tokens([["7/5", "1/5"], [1, 1], [0, 0]])
    yield from (built, built.transformer, built.data, tokens, ef.limit(tokens), ef.simulate(tokens, layers=3))
    yield from (ef.repair(built, SEQUENCES, LABELS, label_targets=POINTS), ef.load(certificate), ef.check(certificate))
    yield from (ef.crosscheck(tokens, layers=3), ef.crosscheck(certificate))
    report = ef.hunt("leader-indefinite", budget=500)
    yield from (report, report.counterexample, judge("leader-indefinite", report.counterexample.small))
    shape = ef.Architecture(dim=2, heads=1, hidden=1, blocks=0, vocabulary=4, positions=3, classes=3, norm="none")
    weights = {name: np.arange(np.prod(s), dtype=np.float32).reshape(s) for name, s in shape.shapes.items()}
    network = ef.Network(shape, weights)
    yield from (network, network([0, 1, 2]), network.decide("sum-mod:3"))
    compiled = ef.languages.compile("(ab)*")
    yield from (compiled, compiled.recognition, compiled.recogniser, compiled.automaton)
    yield ef.languages.attend(compiled.recogniser, "abab")
    yield ef.delay.least_order([1, 1, 2, 3, 5, 8, 13])
    yield ef.delay.least_order([1, 1, 2, 3, 5, 8, 13, 2], cap=2)
    yield ef.delay.least_window(ef.delay.polynomial_of_tones([Fraction(4, 5)]))
    system = ef.meanfield.System([[1, 0], [0, "1/2"]])
    square = ef.Tokens([[1, 0], [0, 1], [-1, 0], [0, -1]])
    yield from (system, ef.meanfield.limit(system), ef.meanfield.laplace_bound(square, ["3/5", "4/5"], 5))
    yield ef.meanfield.limit(ef.meanfield.System([[0, 1], [-1, 0]]))
    t = np.linspace(0, 5, 11)
    shown = np.stack([np.cos(t), np.sin(t)], axis=1)[:, None]
    yield Simulation((Run(10.0, t, np.exp(-t), np.exp(-t), shown),), Run(None, t, np.exp(-t), np.exp(-t), shown), None)
    yield ReviewClassifier(("good", "bad"), np.array([[2, 0], [-1, 1]]), (3, 1), 2, denominator=1).explain("good bad")
    yield ef.regularised_loss(built.transformer, SEQUENCES, LABELS, label_targets=POINTS, eps="1/10")
    pytest.importorskip("torch")
    training = ef.train([[[0, 1], [1, 0]], [[1, 1]]], [0, 1], eps=["1/10"], epochs=3)
    yield from (training, training.runs[0])
    yield ef.sklearn.ExactClassifier().fit([[0.0], [1.0]], ["a", "b"])


def is_about(kind: type) -> Callable[[Any], bool]:
    return lambda answer: isinstance(answer, kind)


def arguments(thing: Any, verb: str, folder: Path) -> tuple[tuple[object, ...], dict[str, object]]:
    """What a verb of this result is called with."""
    path = folder / "out.jsonl"
    match type(thing).__name__, verb:
        case "Transformer", "certify":
            return (ef.Dataset.of(SEQUENCES, LABELS), path), {}
        case "Network", "certify":
            return (path, [[0, 1, 2]]), {}
        case "RegularisedLoss", "certify":
            return (path,), {"below": 1000}
        case "ExactClassifier", "predict":
            return ([[0.0]],), {}
        case "ExactClassifier", "score":
            return ([[0.0]], ["a"]), {}
        case _, "certify" | "save":
            return (path,), {}
        case _, "write_report":
            return (folder / "out.html",), {}
        case _, "export":
            return (folder / "out.npz",), {}
        case _, "predict":
            return (SEQUENCES,), {}
        case _, "score":
            return (SEQUENCES, thing.predict(SEQUENCES)), {}
    return (), {}


def test_every_verb_of_every_result_does_its_work(tmp_path: Path) -> None:
    """Paths are paths of files that were written, verdicts accepted, pictures figures: no verb is there to refuse."""
    from matplotlib.figure import Figure
    from pandas import DataFrame

    right: dict[str, Callable[[Any], bool]] = {
        **dict.fromkeys(("certify", "save", "export"), lambda path: isinstance(path, Path) and path.stat().st_size > 0),
        **dict.fromkeys(("check", "write_report"), bool),
        "predict": len,
        "score": lambda share: share == 1,
        "plot": is_about(Figure),
        "json": is_about(dict),
        "to_pandas": lambda frame: isinstance(frame, DataFrame) and len(frame) > 0,
        "to_numpy": lambda array: array.dtype == object and array.size > 0,
        "_repr_html_": lambda text: text.startswith("<"),
    }
    seen, wrong = set(), []
    for k, thing in enumerate(made(tmp_path)):
        seen.add(type(thing).__name__)
        if len(repr(thing)) > 250 or "\n" in repr(thing):
            wrong.append(f"repr: {thing!r}")
        for verb in VERBS:
            if hasattr(thing, verb):
                (folder := tmp_path / f"{k}{verb}").mkdir()
                positional, named = arguments(thing, verb, folder)
                if not right[verb](getattr(thing, verb)(*positional, **named)):
                    wrong.append(f"{verb} of {thing!r}")
    assert wrong == []
    assert set(results()) == seen
