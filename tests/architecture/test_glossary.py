"""The glossary: every name it gives exists, no word stands twice, and words that told nothing do not come back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import reduce
from importlib import import_module
from pathlib import Path

import click

import exactformer
from exactformer.cli.main import group

ROOT = Path(exactformer.__file__).parent
PAGE = ROOT.parent / "docs" / "glossary.md"
#: names of modules that did not tell what is inside, each with a better one in the glossary
RETIRED = {
    "accounts", "allowance", "axis", "built", "course", "dial_plot", "film", "judgement", "line", "nodes", "opened",
    "passage", "prepared_instance", "proved_fate", "scenes", "studies", "workers",
}  # fmt: skip


def entries() -> list[tuple[str, str]]:
    """(word, the name in Python) of every row."""
    rows = [line.strip("|\n ").split(" | ") for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ")]
    return [(row[0].strip(), row[2].strip().strip("`")) for row in rows[2:]]


def found(name: str) -> object:
    """What a dotted name below exactformer stands for: the longest module, then attributes."""
    parts = name.split(".")
    split = next(k for k in range(len(parts), 0, -1) if (ROOT / Path(*parts[:k])).with_suffix(".py").exists())
    return reduce(getattr, parts[split:], import_module(".".join(["exactformer", *parts[:split]])))


def test_every_name_of_the_glossary_exists() -> None:
    assert len(entries()) > 30
    for _, name in entries():
        assert found(name) is not None


def test_no_word_stands_twice() -> None:
    words, names = zip(*entries(), strict=True)
    assert len(set(words)) == len(words)
    assert len(set(names)) == len(names)


def test_retired_words_name_no_module() -> None:
    modules = {path.stem for path in ROOT.rglob("*.py")} | {path.name for path in ROOT.rglob("*/*") if path.is_dir()}
    assert modules & RETIRED == set()


def test_rooms_of_the_map_are_the_rooms_there_are() -> None:
    text = (ROOT.parent / "docs" / "contribute.md").read_text("utf-8")
    drawn = set(re.findall(r"^      (\w+)/ ", text, flags=re.MULTILINE))
    there = {path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()}
    assert drawn == there


def test_paths_named_for_contributors_exist() -> None:
    root = ROOT.parent
    pages = [root / "docs" / "contribute.md", root / "docs" / "inside.md", ROOT / "evaluate" / "README.md"]
    named = {path for page in pages for path in re.findall(r"`([\w/]+(?:/|\.py|\.md))`", page.read_text("utf-8"))}
    assert len(named) > 50
    homes = [root, ROOT, *ROOT.iterdir()]
    assert [path for path in sorted(named) if not any((home / path).exists() for home in homes)] == []


#: a term as help texts write it -> its entry, where that has another form
TERMS = {
    "tie": "hardmax", "inverse temperature": "softmax", "interpolates": "interpolate", "units": "unit", "width": "unit",
    "clusters": "cluster", "enclosed": "enclosure", "radius": "lead", "leaders": "leader", "blocks": "block",
    "follower sets": "follower set", "declined": "declined", "expression": "automaton", "heads": "head rule",
    "certificate": "certificate", "domain": "domain", "margin": "margin", "data set": "data set", "tokens": "token",
    "family": "family", "instances": "instance", "conjecture": "statement", "layers": "orbit", "limit": "limit",
    "recogniser": "recogniser", "automaton": "automaton", "network file": "network", "system": "system",
}  # fmt: skip


def help_texts(command: click.Command, name: str) -> Iterator[str]:
    """The help of a command and of those below it."""
    context = click.Context(command, info_name=name)
    yield command.get_help(context)
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None
            yield from help_texts(found, inner)


def test_terms_of_the_help_texts_are_explained() -> None:
    page = PAGE.read_text("utf-8")
    explained = {word for word, _ in entries()} | set(re.findall(r"^\{: #([\w-]+) \}$", page, re.MULTILINE))
    helped = re.sub(r"\s+", " ", " ".join(help_texts(group, "exactformer")))
    assert set(TERMS.values()) - explained == set()
    assert [term for term in TERMS if not re.search(rf"\b{term}", helped)] == []


def test_mathematical_words_are_linked_where_a_page_first_uses_them() -> None:
    defined = re.findall(r"^\{: #(\w+) \}$", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    assert {"margin", "bound", "hinge", "measure", "looped", "locked", "stage"} <= set(defined)
    for word in ("hinge", "looped", "locked"):  # those that are no everyday English
        for page in (PAGE.parent / "mathematics").glob("*.md"):
            prose = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.DOTALL)
            first = re.search(rf"\b{word}s?\b", prose)
            assert first is None or prose.startswith(f"](../glossary.md#{word})", first.end()), (page.name, word)
