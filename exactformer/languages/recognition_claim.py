"""Certificates of the claims recognition and no-recogniser (proofs_check/FORMAT.md, section 17)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from exactformer.io.json_lines import JsonObject, LineWriter, PathLike
from exactformer.io.versions import since
from exactformer.languages.automaton import Automaton, Word
from exactformer.languages.live_blocks import FastNumber, LiveVector
from exactformer.languages.machine import Machine
from exactformer.languages.recogniser import Recogniser, WordVerdict
from exactformer.languages.recogniser_files import recogniser_line
from exactformer.languages.summaries import MIXED, HeadTable
from exactformer.languages.transitions import Counter
from exactformer.model.head_files import heads_block_line


def certify_all(
    r: Recogniser,
    target: Automaton,
    machine: Machine,
    states: Iterable[tuple[int, WordVerdict | None, int]],
    path: PathLike,
) -> None:
    """Writes that the verdict on every word is the automaton's: tables of the heads, and the closed set of states.

    The machine is that of all coordinates, the states are those of its product with the target.
    """
    listed = list(states)
    with LineWriter(path) as out:
        _write_subject(out, r, target, {"scope": "all"}, {"product": len(listed)})
        for b, stage in enumerate(machine.stages):
            for h, table in enumerate(stage.tables):
                out.write({"block": b, "head": h, **_table_json(table)})
        for k, (s, said, q) in enumerate(listed):
            residue, held = machine.components(s)
            heads = [list(c) if isinstance(c, tuple) else c for c in held]
            out.write({"state": k, "heads": heads, "out": said, "residue": residue, "automaton": q})


def certify_word(r: Recogniser, target: Automaton, word: Word, path: PathLike) -> None:
    """Writes that the verdict on one word is not the automaton's."""
    with LineWriter(path) as out:
        _write_subject(out, r, target, {"scope": "word"}, {"length": len(word)})
        out.write({"word": target.indices(word)})


def certify_up_to(r: Recogniser, target: Automaton, most: int, path: PathLike) -> None:
    """Writes that the verdict on every word of at most so many letters is the automaton's."""
    with LineWriter(path) as out:
        _write_subject(out, r, target, {"scope": "upto"}, {"length": most})


def certify_no_recogniser(target: Automaton, counter: Counter, period: int | None, path: PathLike) -> None:
    """Writes that no recogniser with unique ties and features of that period (None: of any) recognises the language."""
    x, u, z = (target.indices(word) for word in (counter.x, counter.u, counter.z))
    e = {} if period is not None or counter.e is None else {"e": target.indices(counter.e)}
    with LineWriter(path) as out:
        counts = {"letters": len(target.letters), "states": len(target)}
        out.write(_header("no-recogniser", {"dim": 1, **counts, "period": period}))
        out.write(target.json())
        out.write({"x": x, "u": u, **e, "p": counter.p, "z": z})


def _header(claim: str, more: JsonObject) -> JsonObject:
    return {"exactformer": "certificate", "version": since(claim), "claim": claim, **more}


def _write_subject(out: LineWriter, r: Recogniser, target: Automaton, scope: JsonObject, size: JsonObject) -> None:
    counts = {"dim": r.dim, "blocks": len(r.blocks), "letters": len(r.letters), "states": len(target)}
    out.write(_header("recognition", {**scope, **counts, **size}))
    out.write(target.json())
    out.write(recogniser_line(r))
    for k, block in enumerate(r.blocks):
        out.write(heads_block_line(k, block))


def _table_json(table: HeadTable) -> JsonObject:
    """The queries, values, pairs and summaries of a head; the value null stands for a mean of different ones."""
    mixed = len(table.vectors)

    def entry(e: tuple[FastNumber, int] | None) -> list[object] | None:
        return None if e is None else [_number(e[0]), mixed if e[1] == MIXED else e[1]]

    summaries = [[entry(e) for e in summary] for summary in table.summaries]
    has_mixed = any(e is not None and e[1] == mixed for summary in summaries for e in summary)
    return {
        "queries": [list(_numbers(q)) for q in table.queries],
        "values": [*(list(_numbers(v)) for v in table.vectors), *([None] if has_mixed else [])],
        "pairs": [[list(_numbers(key)), v] for key, v in table.pairs],
        "summaries": summaries,
        "guessed": len(table.guesses),
    }


def _numbers(vector: LiveVector) -> Iterator[Fraction]:
    return (_number(x) for x in vector)


def _number(x: FastNumber) -> Fraction:
    """A number for the writer, for which Python's integers are counts."""
    return Fraction(x) if isinstance(x, int) else Fraction(int(x.p), int(x.q))
