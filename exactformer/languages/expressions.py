"""The automaton of a regular expression, made twice and compared; and an expression of an automaton."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from exactformer.errors import Declined, InvalidInput
from exactformer.languages.automaton import Automaton, spell
from exactformer.languages.derivatives import by_derivatives
from exactformer.languages.effort import one_question, spend
from exactformer.languages.position_automaton import by_positions
from exactformer.languages.syntax import LONGEST, parse, quoted


@one_question()
def of_expression(text: str, letters: Sequence[str] | None = None) -> Automaton:
    """The minimal automaton of an expression over `letters`, by default those that occur, sorted.

    It is made by derivatives and by positions and subsets; a difference would be a bug, and is never passed on.

    >>> of_expression("(ab)*").accepts("abab")
    True
    """
    tree = parse(text)
    occurring = tree.letters()
    alphabet = tuple(sorted(occurring)) if letters is None else tuple(letters)
    if not alphabet:
        said = "no letter occurs" if letters is None else "expected at least one letter, got an empty alphabet"
        raise InvalidInput(f"expression {text!r:.60}: {said}; say which letters there are, as in `letters` ab")
    foreign = sorted(occurring - set(alphabet))
    if foreign:
        raise InvalidInput(f"expression {text!r:.60}: expected letters of {spell(alphabet)!r}, got {foreign[0]!r}")
    found, again = by_derivatives(tree, alphabet), by_positions(tree, alphabet)
    if found != again:
        raise ArithmeticError(f"the two automata of {text!r} differ on {found.difference(again)!r}")
    return found


@one_question()
def expression_of(automaton: Automaton) -> str:
    """An expression of the automaton's language, by eliminating states; Declined where it grows too long.

    >>> expression_of(of_expression("(ab)*"))
    '(ab)*'
    """
    d = automaton.minimal()
    ways = _Ways()
    for q, row in enumerate(d.next):
        for letter, r in zip(d.letters, row, strict=True):
            ways.add(q, r, quoted(letter))
    begin, end = -1, -2
    ways.add(begin, d.start, "()")
    for q in d.accepting:
        ways.add(q, end, "()")
    left = set(range(len(d)))
    while left:
        spend(10 * len(left) + 3 * ways.count)
        state = min(left, key=lambda q: (ways.cost(q), q))
        left.remove(state)
        ways.eliminate(state)
    return ways.out[begin].get(end, "[]")


def graphviz(automaton: Automaton) -> str:
    """The automaton in the language of Graphviz.

    >>> print(graphviz(of_expression("a*")))
    digraph {
      rankdir=LR;
      start [shape=point];
      0 [shape=doublecircle];
      start -> 0;
      0 -> 0 [label="a"];
    }
    """
    lines = ["digraph {", "  rankdir=LR;", "  start [shape=point];"]
    for q in range(len(automaton)):
        lines.append(f"  {q} [shape={'doublecircle' if q in automaton.accepting else 'circle'}];")
    lines.append(f"  start -> {automaton.start};")
    for q in range(len(automaton)):
        for r, letters in automaton.moves(q).items():
            label = ",".join(letters).replace("\\", "\\\\").replace('"', '\\"')
            lines.append(f'  {q} -> {r} [label="{label}"];')
    return "\n".join([*lines, "}"])


class _Ways:
    """Expressions of the words between two states, by the state before and by the state after."""

    def __init__(self) -> None:
        self.out: defaultdict[int, dict[int, str]] = defaultdict(dict)
        self.into: defaultdict[int, dict[int, str]] = defaultdict(dict)
        self.count = 0

    def add(self, p: int, r: int, text: str) -> None:
        """One more way from p to r."""
        old = self.out[p].get(r)
        self.count += old is None
        text = _either(old, text)
        spend(10 + len(text) // 10)
        if len(text) > LONGEST:
            raise Declined(f"the expression has more than {LONGEST:,} characters; the automaton itself is shorter")
        self.out[p][r] = self.into[r][p] = text

    def cost(self, q: int) -> int:
        """How much text eliminating a state makes."""
        into = [len(text) for p, text in self.into[q].items() if p != q]
        out = [len(text) for r, text in self.out[q].items() if r != q]
        return sum(into) * len(out) + sum(out) * len(into) + len(self.out[q].get(q, "")) * len(into) * len(out)

    def eliminate(self, q: int) -> None:
        """Every way through q becomes a way around it."""
        into, out = self.into.pop(q, {}), self.out.pop(q, {})
        self.count -= len(into) + len(out) - (q in into)
        loop, _ = into.pop(q, None), out.pop(q, None)
        around = f"{_bracketed(loop, star=True)}*" if loop else ""
        for p in into:
            del self.out[p][q]
        for r in out:
            del self.into[r][q]
        firsts = {p: "" if text == "()" else _bracketed(text) for p, text in into.items()}
        lasts = {r: "" if text == "()" else _bracketed(text) for r, text in out.items()}
        for p, first in firsts.items():
            for r, last in lasts.items():
                self.add(p, r, first + around + last or "()")


def _either(one: str | None, two: str) -> str:
    return two if one is None or one == two else f"{one}|{two}"


def _bracketed(text: str, *, star: bool = False) -> str:
    """The text with brackets where an alternative, or with `star` anything but one letter, would come apart."""
    spend(20 * len(text))
    tree = parse(text)
    return f"({text})" if tree.operation == "or" or (star and tree.operation != "letter") else text
