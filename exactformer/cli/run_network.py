"""`exactformer run NETWORK INPUTS`: what a trained network decides, proved; where float programs decide otherwise."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.cli.common import given_network, progress
from exactformer.cli.presenter import AnswerTable, Shown, present
from exactformer.errors import InvalidInput, Undecided

if TYPE_CHECKING:
    from exactformer.evaluate.approx_network import AnyFloats
    from exactformer.evaluate.network_answer import NetworkAnswer
    from exactformer.io.json_lines import JsonObject
    from exactformer.model.network import Network

_TRUTH = "about real arithmetic, not about what a device returns"
#: inputs that are decided together
_TOGETHER = 256


@dataclass(frozen=True)
class _Question:
    """One output that is asked for: that of an input at a position, or the one that the network reads."""

    index: int
    ids: list[int]
    at: int | None


def run_network(
    path: Path,
    inputs: Path,
    *,
    compare: str | None,
    neighbours: Path | None,
    tokenizer: Path | None,
    output: Path | None,
    beta: str | None,
    as_json: bool,
) -> int:
    """Prints the decisions, or the enclosed outputs where there is no head; the exit code."""
    kinds = _formats(compare)
    network = given_network(path)
    if beta is not None:
        from exactformer.model.temperatures import inverse_temperature

        network = network.at_temperature(inverse_temperature(beta, "--beta"))
    rows = _rows(network, inputs, tokenizer)
    if neighbours is not None and network.architecture.head != "none":
        raise click.UsageError("--neighbours is for networks without a head; this one has classes to decide between")
    questions = [_Question(i, ids, at) for i, ids in enumerate(rows) for at in _places(network, ids)]
    others = None if neighbours is None else _rows(network, neighbours, tokenizer)
    if network.architecture.head == "none":
        answers = _outputs(network, questions)
        if others is not None:
            _add_neighbours(network, answers, others)
    else:
        answers = _decisions(network, questions)
    _add_floats(network, answers, kinds, others)
    decided = all(a.get("argmax", a.get("neighbour", 0)) is not None for a in answers)
    if output is not None and decided:
        network.certify(output, rows)
    inputs_json = [{key: value for key, value in a.items() if not key.startswith("_")} for a in answers]
    present(as_json, lambda: {"inputs": inputs_json}, _shown(network, answers, kinds))
    return 0 if decided else 4


def _formats(compare: str | None) -> list[str]:
    from exactformer.evaluate.approx_network import FORMATS

    kinds = [] if compare is None else [kind.strip() for kind in compare.split(",")]
    if not set(kinds) <= set(FORMATS) or len(set(kinds)) < len(kinds):
        raise click.UsageError(f"--compare: expected some of {', '.join(FORMATS)}, got {compare!r:.60}")
    return kinds


def _rows(network: Network, path: Path, tokenizer: Path | None) -> list[list[int]]:
    """The ids of a file, or of the texts in it, which the network can read."""
    from exactformer.model.id_rows import read_id_rows, read_texts

    rows = read_id_rows(path) if tokenizer is None else read_texts(path, tokenizer)
    for i, ids in enumerate(rows):
        try:
            network.verify_ids(ids)
        except InvalidInput as problem:
            raise InvalidInput(f"{path}, input {i}: {problem}") from problem
    return rows


def _places(network: Network, ids: list[int]) -> list[int | None]:
    return list(range(len(ids))) if network.read == "all" else [None]


def _key(question: _Question) -> JsonObject:
    place = {} if question.at is None else {"at": question.at}
    return {"ids": question.ids, **place, "_input": question.index}


def _decisions(network: Network, questions: list[_Question]) -> list[JsonObject]:
    """What is proved about the largest logit; inputs of one length are decided together."""
    import numpy as np

    from exactformer.evaluate.decisions import LEVELS
    from exactformer.evaluate.network_answer import decide_batch

    groups: dict[tuple[int, int | None], list[int]] = defaultdict(list)
    for j, question in enumerate(questions):
        groups[len(question.ids), question.at].append(j)
    answers: list[JsonObject] = [_key(question) for question in questions]
    done = 0
    with progress("run", len(questions)) as update:
        for (_, at), members in groups.items():
            for start in range(0, len(members), _TOGETHER):
                part = members[start : start + _TOGETHER]
                found = decide_batch(network, np.array([questions[j].ids for j in part]), at=at)
                for k, j in enumerate(part):
                    known = math.isfinite(found.radius[k])
                    answers[j] |= {
                        "argmax": int(found.argmax[k]) if found.decided[k] else None,
                        "runner_up": int(found.runner_up[k]) if known else None,
                        "gap": [Fraction(float(found.low[k])), Fraction(float(found.high[k]))] if known else None,
                        "radius": _short(Fraction(float(found.radius[k]))) if known else None,
                        "level": LEVELS[found.level[k]] if known else None,
                    }
                done += len(part)
                update(done)
    return answers


def _outputs(network: Network, questions: list[_Question]) -> list[JsonObject]:
    """The outputs themselves, where there are no classes."""
    answers = []
    with progress("run", len(questions)) as update:
        for j, question in enumerate(questions):
            try:
                seen = network(question.ids, at=question.at)
            except Undecided as problem:
                raise Undecided(f"input {question.index}: {problem}") from problem
            ends = [_ends(c - seen.radius, c + seen.radius) for c in seen.centre]
            found = {"embedding": ends, "radius": _short(seen.distance), "level": seen.level, "_seen": seen}
            answers.append({**_key(question), **found})
            update(j + 1)
    return answers


def _short(bound: Fraction) -> Fraction:
    """A bound that is at least this one, with three digits."""
    if not bound:
        return bound
    places = 3 - math.floor(math.log10(bound.numerator) - math.log10(bound.denominator))
    unit = Fraction(10) ** -places
    return math.ceil(bound / unit) * unit


def _ends(low: Fraction, high: Fraction) -> list[Fraction]:
    """Ends of an interval around this one, at most a hundredth wider, with few digits."""
    width = high - low
    if not width:
        return [low, high]
    unit = Fraction(2) ** (math.floor(math.log2(width.numerator) - math.log2(width.denominator)) - 8)
    return [math.floor(low / unit) * unit, math.ceil(high / unit) * unit]


def _add_neighbours(network: Network, answers: list[JsonObject], others: list[list[int]]) -> None:
    """The nearest of the other inputs by cosine, itself and repetitions left out."""
    from exactformer.evaluate.neighbours import UnitVectors

    if network.read == "all":
        raise InvalidInput("--neighbours: expected one vector per input; import the network with --read mean")
    first: dict[tuple[int, ...], int] = {}
    for j, ids in enumerate(others):
        first.setdefault(tuple(ids), j)
    kept = list(first.values())
    vectors: list[NetworkAnswer] = []
    with progress("neighbours", len(kept)) as update:
        for j in kept:
            vectors.append(network(others[j]))
            update(len(vectors))
    units = UnitVectors(vectors)
    for i, answer in enumerate(answers):
        allowed = [k for k, j in enumerate(kept) if others[j] != answer["ids"]]
        if not allowed:
            raise InvalidInput(f"--neighbours: expected another input than input {i}, got only the same")
        found = units.nearest(answer["_seen"], allowed)
        answer |= {
            "neighbour": None if found.index is None else kept[found.index],
            "runner_up": None if found.runner_up is None else kept[found.runner_up],
            "cosine": _ends(*found.cosine),
            "gap": None if found.gap is None else _ends(*found.gap),
            "_nearest": kept[found.nearest],
            "_allowed": [kept[k] for k in allowed],
        }


def _add_floats(network: Network, answers: list[JsonObject], kinds: list[str], others: list[list[int]] | None) -> None:
    """What float programs return: the largest logit or the nearest neighbour, and how far an output is off."""
    import numpy as np

    from exactformer.evaluate.approx_network import ApproxNetwork

    for kind in kinds:
        program = network.remembered(ApproxNetwork, kind)
        place = {"last": -1, "first": 0}.get(network.read)
        vectors = None if others is None else np.array([program.approx_read(ids, place) for ids in others])
        for answer in answers:
            output = program.approx_read(answer["ids"], answer.get("at", place))
            if "_seen" in answer:
                off = np.abs(output.astype(np.float64) - np.array([float(c) for c in answer["_seen"].centre])).max()
                answer.setdefault("approx_off", {})[kind] = float(off) if np.isfinite(off) else None
            if vectors is not None:
                allowed = answer["_allowed"]
                found = _largest(program.approx_cosines(output, vectors[allowed]))
                answer.setdefault("compare", {})[kind] = None if found is None else allowed[found]
            elif "_seen" not in answer:
                answer.setdefault("compare", {})[kind] = _largest(output)
                _add_loss(network, answer, kind)


def _add_loss(network: Network, answer: JsonObject, kind: str) -> None:
    """By how much the true logit of the class that a float program chose is below that of the proved one."""
    truth, found = answer["argmax"], answer["compare"][kind]
    if truth is None or found in (None, truth):
        return
    seen = network(answer["ids"], at=answer.get("at"))
    lead, width = seen.centre[truth] - seen.centre[found], 2 * seen.radius
    answer.setdefault("loses", {})[kind] = _ends(max(lead - width, answer["gap"][0]), lead + width)


def _largest(scores: AnyFloats) -> int | None:
    """The place of the largest number, the first of several; None where not all are numbers."""
    import numpy as np

    return int(scores.argmax()) if np.isfinite(scores).all() else None


def _shown(network: Network, answers: list[JsonObject], kinds: list[str]) -> Shown:
    """A table for a person."""
    classes = network.architecture.head != "none"
    columns = ["input", "ids", *(["argmax", "lead, at least"] if classes else _other_columns(answers))]
    rows, wrong = [], dict.fromkeys(kinds, 0)
    for a in answers:
        ids = " ".join(map(str, a["ids"][:12])) + (" .." if len(a["ids"]) > 12 else "")
        row = [a["_input"] if "at" not in a else f"{a['_input']} at {a['at']}", ids]
        if classes:
            lead = "undecided" if a["argmax"] is None else f"{float(a['gap'][0]):.3e} over {a['runner_up']}"
            row += ["-" if a["argmax"] is None else a["argmax"], lead]
        elif "_nearest" in a:
            row += [f"{a['_nearest']}{' ?' if a['neighbour'] is None else ''}", f"{float(sum(a['cosine'])) / 2:.9f}"]
            row += ["-" if a["gap"] is None else f"{float(a['gap'][0]):.3e} over {a['runner_up']}"]
        else:
            row += [", ".join(f"{float(low + high) / 2:.6g}" for low, high in a["embedding"][:4]) + " .."]
        row += ["-" if a["radius"] is None else f"{float(a['radius']):.1e}", a["level"] or "-"]
        for kind in kinds:
            cell, differs = _cell(a, kind)
            wrong[kind] += differs
            row.append(cell)
        rows.append(row)
    note = f"Proved, {_TRUTH}."
    if kinds and "compare" in answers[0]:
        note += "".join(
            f"\n{kind} differs from the proved decision on {n} of {len(rows)}." for kind, n in wrong.items()
        )
    yield AnswerTable(repr(network), [*columns, "radius", "level", *kinds], rows, note)


def _other_columns(answers: list[JsonObject]) -> list[str]:
    return ["nearest", "cosine", "lead, at least"] if "_nearest" in answers[0] else ["output"]


def _cell(answer: JsonObject, kind: str) -> tuple[str, bool]:
    """What a float program says, and whether that is another decision than the proved one."""
    off = answer.get("approx_off", {}).get(kind)
    shown = [] if off is None else [f"off by {off:.1e}"]
    if "compare" not in answer:
        return ", ".join(shown) or "no number", False
    found, truth = answer["compare"][kind], answer.get("argmax", answer.get("neighbour"))
    differs = truth is not None and found != truth
    if differs:
        loses = answer.get("loses", {}).get(kind)
        shown.insert(0, "wrong" if loses is None else f"wrong by {float(loses[0]):.1e}")
    return ", ".join(["no number" if found is None else str(found), *shown]), differs
