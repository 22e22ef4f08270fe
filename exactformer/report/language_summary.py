"""What certificates of recognisers and counters say, for their pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from exactformer.certificates.envelope import CertificateLine
from exactformer.io.json_lines import JsonObject
from exactformer.languages.automaton import spell
from exactformer.report.mean_field_summary import NamedValue, SummaryParts

_Table = tuple[str, list[str], Sequence[Sequence[object]]]
#: states and letters of an automaton that are shown
SHOWN, LETTERS = 60, 12


def recognition_parts(header: JsonObject, lines: Iterator[CertificateLine]) -> SummaryParts:
    """A recogniser, the automaton that it is compared with, and on which words they agree or do not."""
    automaton, recogniser = next(lines), next(lines)
    blocks = [next(lines) for _ in range(header["blocks"])]
    heads = [head for line in blocks for head in (line["self_attention"] or {"heads": []})["heads"]]
    facts: list[NamedValue] = [
        ("letters", " ".join(automaton["letters"])),
        ("states of the automaton", header["states"]),
        ("blocks", header["blocks"]),
        ("heads", len(heads)),
        ("dimension", header["dim"]),
        ("verdict at", f"the {recogniser['at']} position"),
    ]
    tables = [_automaton_table(automaton), *([_heads_table(blocks)] if heads else [])]
    if header["scope"] == "all":
        title = "A recogniser of a language, proved for words of every length"
        words = "On every word the verdict of the recogniser is that of the automaton."
        return title, words, [*facts, ("states of the proof", header["product"])], tables
    if header["scope"] == "upto":
        title = f"A recogniser of a language on all words of at most {header['length']} letters"
        return title, "On each of these words the verdict of the recogniser is that of the automaton.", facts, tables
    word = spell([automaton["letters"][k] for k in next(lines)["word"]])
    title = "A word on which a recogniser is wrong"
    words = f"On the word {word!r} the verdict of the recogniser is not that of the automaton."
    return title, words, [*facts, ("word", str(word))], tables


def no_recogniser_parts(header: JsonObject, lines: Iterator[CertificateLine]) -> SummaryParts:
    """An automaton that counts, and the words that show it."""
    automaton, counter = next(lines), next(lines)
    period = header["period"]
    which = "of any periods" if period is None else f"of periods that divide {period}"
    words = (
        f"No transformer whose heads have unique ties and whose positional features are periodic, {which}, recognises "
        "the language: on x u^n z its verdict does not depend on n from some n on, and membership does."
    )
    spelled: list[NamedValue] = [
        (key, str(spell([automaton["letters"][k] for k in counter[key]])) or "the empty word")
        for key in "xuez"
        if key in counter
    ]
    facts = [("letters", " ".join(automaton["letters"])), ("states", header["states"]), *spelled, ("p", counter["p"])]
    return "A language that no such transformer recognises", words, facts, [_automaton_table(automaton)]


def _automaton_table(line: CertificateLine) -> _Table:
    letters = line["letters"][:LETTERS]
    rows: list[list[object]] = [
        [
            f"{q}{', start' if q == line['start'] else ''}{', accepting' if q in line['accepting'] else ''}",
            *row[:LETTERS],
        ]
        for q, row in enumerate(line["next"][:SHOWN])
    ]
    return "Automaton", ["state", *letters], rows


def _heads_table(blocks: list[CertificateLine]) -> _Table:
    rows: list[list[object]] = [
        [b, h, head["mask"] or "everything", head["ties"]]
        for b, line in enumerate(blocks)
        if line["self_attention"] is not None
        for h, head in enumerate(line["self_attention"]["heads"])
    ]
    return "Heads", ["block", "head", "sees", "ties"], rows[:SHOWN]
