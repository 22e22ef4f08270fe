"""Hopcroft's algorithm: the states of an automaton that no word tells apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactformer.languages.effort import keep, spend

if TYPE_CHECKING:
    from exactformer.languages.automaton import Automaton


def classes(automaton: Automaton) -> dict[int, int]:
    """For every state that can be reached, the number of its class of equivalent states.

    Classes are split by "the next state on letter k lies in this class"; of the two parts of a class only the smaller
    has to split others in turn, which makes the work n log n per letter (Hopcroft 1971).
    """
    reached = _reached(automaton)
    transitions = len(reached) * len(automaton.letters)
    spend(10 * transitions)
    keep(100 * (transitions + len(reached)))
    into: list[dict[int, list[int]]] = [{} for _ in automaton.letters]
    for q in reached:
        for k, r in enumerate(automaton.next[q]):
            into[k].setdefault(r, []).append(q)
    accepting = {q for q in reached if q in automaton.accepting}
    parts = [part for part in (accepting, set(reached) - accepting) if part]
    number = {q: c for c, part in enumerate(parts) for q in part}
    todo = set(range(len(parts)))
    while todo:
        splitter = list(parts[todo.pop()])
        spend(len(into) * (2 + 2 * len(splitter)))
        for moves in into:
            hit: dict[int, set[int]] = {}
            for r in splitter:
                for q in moves.get(r, ()):
                    hit.setdefault(number[q], set()).add(q)
            for c, inside in hit.items():
                spend(2 * len(inside))
                if len(inside) == len(parts[c]):
                    continue
                small = inside if 2 * len(inside) <= len(parts[c]) else parts[c] - inside
                parts[c] -= small
                for q in small:
                    number[q] = len(parts)
                todo.add(len(parts))  # where c waits, both parts wait now; where not, the smaller is enough
                parts.append(small)
    return number


def _reached(automaton: Automaton) -> list[int]:
    seen, found = {automaton.start}, [automaton.start]
    for q in found:
        spend(5 + len(automaton.letters))
        for r in automaton.next[q]:
            if r not in seen:
                seen.add(r)
                found.append(r)
    return found
