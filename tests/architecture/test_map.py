"""The map of docs/contribute.md is the listing of the package."""

from __future__ import annotations

import re
from pathlib import Path

import exactformer

ROOT = Path(exactformer.__file__).parent
PAGE = (ROOT.parent / "docs" / "contribute.md").read_text("utf-8")


def rooms() -> set[str]:
    """The folders with modules in them, and the modules beside them, but for what Python itself asks for."""
    folders = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    return folders | {path.name for path in ROOT.glob("*.py") if not path.name.startswith("__")}


def test_every_room_is_on_the_map_and_in_the_line_of_dependencies() -> None:
    drawn = {name.rstrip("/") for name in re.findall(r"^      (\w+/|\w+\.py) ", PAGE, re.M)}
    assert drawn == rooms()
    (line,) = re.findall(r"^    (errors <- .*)$", PAGE, re.M)
    assert set(re.split(r" <- | \| ", line)) == {name.removesuffix(".py") for name in rooms()}


def test_every_evaluator_is_on_its_page() -> None:
    page = (ROOT / "evaluate" / "README.md").read_text("utf-8")
    modules = [path.name for path in (ROOT / "evaluate").glob("*.py") if path.name != "__init__.py"]
    assert [name for name in modules if f"`{name}`" not in page] == []
