"""How many lines stand behind an acceptance, for each of the three checkers: python tests/checker/trusted_lines.py [--show]

Of Rocq these are the definitions that the statements of the theorems in Verified.v need, and those of Lines.v: whatever else
is in the theories is proved. With --show they are printed, to be read. They are followed from name to name through the files (.glob) that coqc writes beside its own.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

CHECKER = Path(__file__).resolve().parents[2] / "proofs_check"
THEORIES = CHECKER / "rocq" / "theories"
#: the OCaml that is not extracted and not checked by `text.ml` (README.md there, "What you must believe")
DRIVER = ("text.ml", "arithmetic.ml", "claims.ml", "command.ml")

DEFINED = re.compile(r"(?!binder|sec|mod)\w+ (\d+):\d+ (\S+) (\S+)")
USED = re.compile(r"R(\d+):\d+ Exactformer\.(\S+) (\S+) (\S+) \w+")
#: a module and a name, with its section before it where it is a variable of one
Name = tuple[str, str]
#: a module, and where a sentence begins and ends in it
Sentence = tuple[str, int, int]


@cache
def sentences(module: str) -> list[Sentence]:
    """The sentences of a theory: each ends with a full stop before a blank; comments belong to none."""
    text = re.sub(r"\(\*.*?\*\)", lambda found: re.sub(r"[^\n]", " ", found[0]), source(module), flags=re.DOTALL)
    ends = [found.end() for found in re.finditer(r"\.(?=\s)", text)]
    starts = [0, *ends]
    return [
        (module, start + len(text[start:end]) - len(text[start:end].lstrip()), end)
        for start, end in zip(starts, ends, strict=False)
    ]


def source(module: str) -> str:
    """The text of a theory, a character a byte, as coqc counts."""
    return (THEORIES / f"{module}.v").read_bytes().decode("latin-1")


def sentence_at(module: str, place: int) -> Sentence:
    """The sentence of a theory that a place is in."""
    return next(one for one in sentences(module) if one[1] <= place < one[2])


@cache
def names(module: str) -> list[tuple[str, Sentence]]:
    """What a theory defines, and where, in order."""
    found = (DEFINED.fullmatch(line) for line in records(module))
    return [(full(one[2], one[3]), sentence_at(module, int(one[1]))) for one in found if one]


def definition(name: Name, before: Sentence) -> Sentence | None:
    """The sentence that a name means in a sentence: of several in its own theory, as in two sections, the last before."""
    found = [one for word, one in names(name[0]) if word == name[1]]
    earlier = [one for one in found if one[0] == before[0] and one[1] <= before[1]]
    return next(reversed(earlier or found), None)


def full(section: str, name: str) -> str:
    """A name with its section, if it has one."""
    return name if section == "<>" else f"{section}.{name}"


def records(module: str) -> list[str]:
    """What coqc noted of a theory: every name, and every use of one."""
    return (THEORIES / f"{module}.glob").read_text().splitlines()


@cache
def uses(module: str) -> list[tuple[int, Name]]:
    """Where a theory uses which name of these theories."""
    found = (USED.fullmatch(line) for line in records(module))
    return [(int(one[1]), (one[2], full(one[3], one[4]))) for one in found if one]


def named_in(sentence: Sentence) -> Iterator[Name]:
    """The names of these theories in a sentence."""
    module, start, end = sentence
    return (name for place, name in uses(module) if start <= place < end)


def roots() -> Iterator[Sentence]:
    """The statements of Verified.v, without the functions that they are about, and the functions of Lines.v that are extracted."""
    for name, sentence in names("Verified"):
        if name.endswith("_sound"):
            yield sentence
    extracted = (CHECKER / "verified" / "Extract.v").read_text()
    for name, sentence in names("Lines"):
        if re.search(rf"\b{name}\b", extracted):
            yield sentence


def definitions() -> set[Sentence]:
    """The sentences that say what is proved: all that the roots name, and all that these name."""
    todo, found = list(roots()), set[Sentence]()
    while todo:
        sentence = todo.pop()
        found.add(sentence)
        meant = (name for name in named_in(sentence) if name[0] != "Verified")
        near = (definition(name, sentence) for name in meant)
        todo += [one for one in near if one is not None and one not in found]
    return found


def definition_lines() -> Counter[str]:
    """Lines of definitions for each theory, without blank ones and comments."""
    places = {(module, line) for module, start, end in definitions() for line in lines_between(module, start, end)}
    return Counter(module for module, _ in places)


def lines_between(module: str, start: int, end: int) -> range:
    text = source(module)
    return range(text.count("\n", 0, start), text.count("\n", 0, end) + 1)


def size(*paths: Path) -> int:
    """Lines of some files."""
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


def counts() -> dict[str, int]:
    """Lines by what has to be believed; of Rocq only where the theories are built."""
    verified = CHECKER / "verified"
    found = {
        "Python": size(*CHECKER.glob("*.py"), *CHECKER.glob("*/*.py")),
        "JavaScript": size(*CHECKER.glob("js/*.js")),
        "OCaml": size(*(verified / name for name in DRIVER)),
        "maps": size(verified / "Extract.v"),
    }
    return found | ({"Rocq": definition_lines().total()} if (THEORIES / "Verified.glob").exists() else {})


if __name__ == "__main__":
    if sys.argv[1:] == ["--show"]:
        for module, start, end in sorted(definitions()):
            print(f"(* {module} *) {source(module)[start:end]}\n")
    else:
        for what, lines in counts().items():
            print(f"{what}: {lines}")
        print(*(f"{module}.v {lines}" for module, lines in sorted(definition_lines().items())), sep=", ")
