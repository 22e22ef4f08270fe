"""Every check of the checker is switched off in turn; the corpus notices each time. Trivial checkers fail it."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from checker_kit import CORPUS, opened
from planted import Check, checker, checks

INDEX: list[dict[str, Any]] = json.loads((CORPUS / "index.json").read_text())


def verdict(package: Any, entry: dict[str, Any]) -> str:
    given = entry.get("options", [])
    limits = {given[k].removeprefix("--max-"): int(given[k + 1]) for k in range(0, len(given), 2)}
    data = str(CORPUS / entry["data"]) if "data" in entry else None
    weights = str(CORPUS / entry["weights"]) if "weights" in entry else None
    try:
        return str(package.check(str(CORPUS / entry["file"]), data, package.Limits(**limits), 1, weights).verdict)
    except Exception as error:
        return type(error).__name__


@cache
def refused_at() -> dict[tuple[str, int], list[dict[str, Any]]]:
    """The entries refused by each check: (file, line) of every frame when a refusal, or a reason for one, is made."""
    package = checker(None)
    refusal = sys.modules["planted_check.core.verdict"].Refusal
    found: dict[tuple[str, int], list[dict[str, Any]]] = {}
    stack: list[tuple[str, int]] = []

    def recorded(self: Exception, *arguments: Any) -> None:
        stack.extend([(frame.filename, frame.lineno or 0) for frame in traceback.extract_stack()])

    refusal.__init__ = recorded
    sys.modules["planted_check.networks.evaluation"].Undecided.__init__ = recorded  # becomes a refusal at the end
    for entry in INDEX:
        stack.clear()
        assert verdict(package, entry) == entry["verdict"], entry["file"]
        for place in set(stack):
            found.setdefault(place, []).append(entry)
    return found


def concerned(check: Check) -> list[dict[str, Any]]:
    """The entries that may notice that a check is off; what is not spent or held here may be missed elsewhere."""
    found = refused_at().get((check.file, check.line), [])
    option = {"spend": "operations", "products": "operations", "divisions": "operations", "hold": "memory"}
    for method, limit in option.items():
        if f".{method}(" in check.text:
            return found + [entry for entry in INDEX if entry.get("options", [""])[0] == f"--max-{limit}"]
    return found


@pytest.mark.parametrize("check", checks(), ids=str)
def test_every_check_is_needed(check: Check) -> None:
    entries, package = concerned(check), checker(check)
    assert any(verdict(package, entry) != entry["verdict"] for entry in entries), check.text


def test_there_are_many_checks() -> None:
    assert len(checks()) > 150


def parse_only(entry: dict[str, Any]) -> str:
    try:
        opened((CORPUS / entry["file"]).read_bytes())
    except (ValueError, RecursionError):
        return "malformed"
    return "accepted"


TRIVIAL: dict[str, Callable[[dict[str, Any]], str]] = {
    "accept all": lambda entry: "accepted",
    "refuse all": lambda entry: "rejected",
    "malformed all": lambda entry: "malformed",
    "parse only": parse_only,
}


@pytest.mark.parametrize("name", TRIVIAL)
def test_trivial_checkers_fail_the_corpus(name: str) -> None:
    assert sum(TRIVIAL[name](entry) != entry["verdict"] for entry in INDEX) > 70
