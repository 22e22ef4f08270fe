"""The claims about languages by definition: words are run one by one."""

from __future__ import annotations

from checker_kit import Lines
from recogniser_kit import words

from exactformer.languages.automaton import Automaton
from exactformer.languages.recogniser_files import recogniser_of_lines

#: words of at most so many letters stand for those of every length
MOST = 6


def automaton_of(line: dict) -> Automaton:
    """The automaton with its letters under other names: in a certificate a letter may be the empty string."""
    letters = tuple(f"letter {name}" for name in line["letters"])
    return Automaton(letters, tuple(map(tuple, line["next"])), frozenset(line["accepting"]), line["start"])


def recognition(lines: Lines) -> bool:
    """Recogniser and automaton agree on all words of the scope, or differ on the one that is stated."""
    top, target = lines[0], automaton_of(lines[1])
    r = recogniser_of_lines(iter(lines[2 : 3 + top["blocks"]]), target.letters, top["dim"], top["blocks"], "")
    if top["scope"] == "word":
        some = [tuple(target.letters[k] for k in lines[-1]["word"])]
    else:
        most = MOST if len(target.letters) < 4 else 4
        some = words(target.letters, most if top["scope"] == "all" else min(most, top["length"]))
    wrong = any(r.is_wrong(r.verdict(word), target.accepts(word)) for word in some)
    return wrong is (top["scope"] == "word")


def no_recogniser(lines: Lines) -> bool:
    """Reading u goes round p states that e does not move, seen by all short continuations; z tells xz and xuz apart."""
    top, target, found = lines[0], automaton_of(lines[1]), lines[2]
    x, u, z = (tuple(target.letters[k] for k in found[key]) for key in "xuz")
    e = tuple(target.letters[k] for k in found.get("e", []))
    if (len(e) != len(u)) if top["period"] is None else len(u) % top["period"]:
        return False

    def same(one: tuple[str, ...], two: tuple[str, ...]) -> bool:
        return all(target.accepts(one + w) == target.accepts(two + w) for w in words(target.letters, 4))

    around = all(same(x + k * u, x + k * u + e) for k in range(found["p"]))
    return bool(u) and around and same(x, x + found["p"] * u) and target.accepts(x + z) != target.accepts(x + u + z)
