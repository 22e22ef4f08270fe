"""What a certificate says, for a reader: the claim in words, its figures, tables and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

from exactformer.arithmetic.state import State
from exactformer.certificates.certificate import Certificate, tokens_of_line
from exactformer.certificates.envelope import CertificateLine
from exactformer.conjectures.catalogue import catalogue
from exactformer.display.html import ROWS, Markup, number, point_text
from exactformer.dynamics.orbit import Orbit, simulate
from exactformer.io.canonical import from_canonical_row
from exactformer.io.json_lines import PathLike
from exactformer.io.untyped import JsonValue
from exactformer.model.tokens import Tokens
from exactformer.model.transformer import Block, Transformer
from exactformer.report.block_frames import EVERYTHING, BlockFrames, Choice, block_frames
from exactformer.report.delay_summary import positive_window_parts, recurrence_parts
from exactformer.report.interactive import InteractivePicture, block_stage, orbit_stage, points_stage
from exactformer.report.language_summary import no_recogniser_parts, recognition_parts
from exactformer.report.mean_field_summary import (
    NamedValue,
    ShownTable,
    instance_tables,
    laplace_parts,
    zero_temperature_parts,
)
from exactformer.report.network_summary import network_parts
from exactformer.report.stages_summary import number_of, stages_words
from exactformer.report.weights import block_weights

Lines = Iterator[CertificateLine]

#: blocks whose weights are shown
FOLDED = 12
#: layers shown after the one from which a limit is proved, and the most layers simulated for a picture
AFTER, MOST = 10, 200


@dataclass
class ClaimSummary:
    """The claim in words, facts (name, value), tables (title, columns, rows), and what can be drawn."""

    title: str
    words: str
    facts: list[NamedValue] = field(default_factory=list)
    tables: list[ShownTable] = field(default_factory=list)
    stage: InteractivePicture | None = None
    orbit: Orbit | None = None
    graph_layer: int = 0
    folded: list[tuple[str, Markup]] = field(default_factory=list)
    picture_title: str = ""


def claim_summary(path: PathLike, names: list[str] | None = None) -> ClaimSummary:
    """The summary of a certificate; raises Malformed where the file is none. `names` are those of its sequences."""
    opened = Certificate.open(path)
    if opened.claim == "interpolation":
        return _interpolation(opened, names)
    if opened.claim == "loss":
        return _loss(opened, names)
    readers: dict[str, Callable[[CertificateLine, Lines], ClaimSummary]] = {
        "limit": _limit,
        "orbit": _orbit,
        "decision": _decision,
        "infeasible": _infeasible,
        "counterexample": _counterexample,
        "recurrence": lambda header, lines: ClaimSummary(*recurrence_parts(header, lines)),
        "positive-window": lambda header, lines: ClaimSummary(*positive_window_parts(header, lines)),
        "zero-temperature": lambda header, lines: ClaimSummary(*zero_temperature_parts(header, lines)),
        "laplace": lambda header, lines: ClaimSummary(*laplace_parts(header, lines)),
        "recognition": lambda header, lines: ClaimSummary(*recognition_parts(header, lines)),
        "no-recogniser": lambda header, lines: ClaimSummary(*no_recogniser_parts(header, lines)),
        **dict.fromkeys(("argmax", "enclosure"), lambda header, lines: ClaimSummary(*network_parts(header, lines))),
    }
    return readers.get(str(opened.claim), _geometry)(opened.header, opened.lines())


def _interpolation(opened: Certificate, names: list[str] | None) -> ClaimSummary:
    transformer, header = opened.transformer, opened.header
    summary = ClaimSummary(
        f"A transformer that interpolates {header['sequences']} sequences exactly",
        f"The {header['attention']} transformer in this file has {len(transformer)} blocks. For each of the "
        f"{header['sequences']} sequences of tokens in Q^{transformer.dim} the set of its output tokens equals the "
        "set of its targets, exactly: no rounding, no tolerance.",
        _figures(transformer, header),
    )
    if opened.margin is not None:
        summary.words += " This stays so when every token moves by at most the margin in every coordinate."
        summary.facts.append(("margin", opened.margin))
    summary.tables.append(("Blocks", *_blocks(transformer)))
    summary.tables.append(("Sequences", *_sequences(opened, names)))
    blocks = enumerate(transformer.blocks[:FOLDED])
    summary.folded = [(f"Weights of block {k}", block_weights(block)) for k, block in blocks]
    if "beta" not in header:  # tokens between the blocks are rational numbers
        summary.stage = block_stage(certificate_frames(opened, names=names))
        return summary
    low, high = header["beta"]
    summary.words += f" This holds {_temperatures(low, high)}; between the blocks tokens are known by enclosures only."
    return summary


def _loss(opened: Certificate, names: list[str] | None) -> ClaimSummary:
    transformer, header = opened.transformer, opened.header
    side = "below" if "below" in header else "above"
    summary = ClaimSummary(
        f"A regularised loss {side} a bound",
        f"E + eps|Theta|^2 of the softmax transformer in this file, {_temperatures(*header['beta'])}, is {side} the "
        "bound. E is the mean, over the sequences, of the squared Hausdorff distance between the output tokens and the "
        "targets, |Theta|^2 the sum of the squares of all weights. Together with a transformer of the same shape whose "
        "loss, for the same data and eps, is below a number that this one is above, it proves that this one is not a "
        "global minimiser.",
        [("bound", header[side]), ("eps", header["eps"]), *_figures(transformer, header)],
    )
    summary.tables = [("Blocks", *_blocks(transformer)), ("Sequences", *_sequences(opened, names))]
    blocks = enumerate(transformer.blocks[:FOLDED])
    summary.folded = [(f"Weights of block {k}", block_weights(block)) for k, block in blocks]
    return summary


def _temperatures(low: str, high: str | None) -> str:
    """The temperatures of a softmax claim, in words."""
    if high is None:
        return f"for every inverse temperature from {low} on, and for hardmax"
    return f"at the inverse temperature {low}" if low == high else f"for inverse temperatures from {low} to {high}"


def certificate_frames(
    opened: Certificate,
    *,
    axes: tuple[int, int] | None = None,
    choice: Choice = EVERYTHING,
    names: list[str] | None = None,
) -> BlockFrames:
    """The frames of the sequences of an interpolation certificate; `names` are those of the user's file."""
    data, targets = opened.data, opened.dataset()
    named = replace(data, names=names) if names is not None and len(names) == len(data) else data
    return block_frames(opened.transformer, named, targets.targets_of, axes=axes, choice=choice)


def _sequences(opened: Certificate, names: list[str] | None) -> tuple[list[str], list[list[object]]]:
    """(columns, rows): every sequence, at most ROWS and how many more, with its label and its targets."""
    shown, total = opened.dataset(ROWS), opened.header["sequences"]
    rows: list[list[object]] = []
    for j, (sequence, label) in enumerate(zip(shown, opened.labels(ROWS), strict=True)):
        targets = shown.targets_of(j)
        name = names[j] if names is not None and len(names) == total else j
        rows.append([name, "-" if label is None else label, len(sequence), _target_cell(targets)])
    return ["sequence", "label", "tokens", "targets"], rows + [[]] * (total - len(rows))


def _target_cell(targets: State) -> object:
    return targets.rows()[0] if len(targets) == 1 else _points(targets)


def _points(state: State) -> str:
    return "{" + ", ".join(map(point_text, state.rows())) + "}"


def _figures(transformer: Transformer, header: CertificateLine) -> list[NamedValue]:
    return [
        ("attention", header["attention"]),
        ("dimension", transformer.dim),
        ("sequences", header["sequences"]),
        ("blocks", len(transformer)),
        ("width", transformer.width),
        ("parameters (nonzero numbers stored)", transformer.parameters),
        ("bits of the largest number", transformer.bits),
    ]


def _blocks(transformer: Transformer) -> tuple[list[str], list[list[object]]]:
    rows = [[k, block.width, *_attention(block, transformer.dim), block.bits] for k, block in enumerate(transformer)]
    return ["block", "units", "attention", "rho", "bits"], rows


def _attention(block: Block, dim: int) -> tuple[str, object]:
    layer = block.self_attention
    if layer is None:
        return "none", "-"
    return ("mean of all tokens" if layer.is_uniform else f"scores of rank {layer.score_rank(dim)}"), layer.rho


def _system(lines: Lines) -> Tokens:
    return tokens_of_line(next(lines, {}), "the certificate")


def _instance_facts(tokens: Tokens) -> list[NamedValue]:
    matrix = "; ".join(", ".join(map(number, row)) for row in tokens.A)
    return [("tokens", len(tokens)), ("dimension", tokens.dim), ("A (rows)", matrix), ("alpha", tokens.alpha)]


def _limit(header: CertificateLine, lines: Lines) -> ClaimSummary:
    tokens = _system(lines)
    found = list(lines)
    leaders = [i if isinstance(i, int) else i[0] for i in found[-1]["leaders"]]
    stages = [line for line in found if "stage" in line]
    layer = header["layer"] + (stages[-1]["time"] if stages else 0)
    changes = stages_words(header, stages) + " " if stages else ""
    summary = ClaimSummary(
        f"Where {len(tokens)} tokens end, proved for all layers",
        f"{changes}From layer {layer} on the follower sets never change. Every token converges to the point in the "
        f"table, and the leaders of all layers are exactly the tokens {', '.join(map(str, leaders))}. A limit is a "
        "vertex of the polytope of the leaders, or the projection of the origin onto a face of it in the norm of A.",
        [*_instance_facts(tokens), ("leaders", ", ".join(map(str, leaders))), ("proved from layer", layer)],
    )
    rows = [_limit_row(line, tokens, leaders) for line in found if "token" in line]
    summary.tables.append(("Limits", ["token", "starts at", "limit", "kind", "leader", "proof"], rows))
    summary.orbit = simulate(tokens, layers=min(layer + AFTER, MOST), unchecked=True)
    summary.graph_layer = min(layer, MOST)
    summary.stage = orbit_stage(summary.orbit)
    return summary


def _limit_row(line: CertificateLine, tokens: Tokens, leaders: list[int]) -> list[object]:
    i = line["token"]
    in_stages = "lock" not in line and "from" not in line
    limit = list(map(number_of, line["limit"])) if in_stages else from_canonical_row(line["limit"])
    proof = "in stages" if in_stages else "locked"
    if "from" in line:
        proof = f"closed form, positive from k = {line['from']}"
    return [
        i,
        tokens.state[i],
        limit,
        line["kind"],
        "leader" if i in leaders else "",
        proof,
    ]


def _orbit(header: CertificateLine, lines: Lines) -> ClaimSummary:
    tokens = _system(lines)
    last = header["layers"]
    final: CertificateLine = {}
    for line in lines:
        final = line
    summary = ClaimSummary(
        f"{last} layers of {len(tokens)} tokens",
        f"The file lists the tokens, follower sets and leaders of the layers 0 to {last}, exactly.",
        [*_instance_facts(tokens), ("layers", last), ("leaders", ", ".join(map(str, final["leaders"])))],
    )
    rows = [
        [i, tokens.state[i], from_canonical_row(final["tokens"][i]), final["follows"][i]] for i in range(len(tokens))
    ]
    summary.tables.append((f"Layer {last}", ["token", "starts at", "is at", "follows"], rows))
    summary.orbit = simulate(tokens, layers=min(last, MOST), unchecked=True)
    summary.stage = orbit_stage(summary.orbit)
    return summary


def _decision(header: CertificateLine, lines: Lines) -> ClaimSummary:
    tokens = _system(lines)
    decoder, decision = list(lines)
    sign, leaders = "positive" if decision["positive"] else "negative", set(decision["leaders"])
    depth = f"after {header['layers']} layers" + (" and at every larger depth" if decision.get("deeper") else "")
    v, (b,) = from_canonical_row(decoder["v"]), from_canonical_row([decoder["b"]])
    summary = ClaimSummary(
        f"A decision: {sign}",
        f"{sum(decoder['counts'])} words move {depth}, and b + <v, mean of all words> is {sign}, exactly. "
        "The counts are those of the certificate; whether a text has them is not proved.",
        [*_instance_facts(tokens), ("v", v), ("b", b), ("layers", header["layers"])],
    )
    rows = [
        [word, count, tokens.state[i], "leader" if i in leaders else ""]
        for i, (word, count) in enumerate(zip(decoder["words"], decoder["counts"], strict=True))
    ]
    summary.tables.append(("Words", ["word", "count", "starts at", ""], rows))
    return summary


def _sequence_table(lines: list[CertificateLine]) -> ShownTable:
    rows = [
        [
            line["sequence"],
            _points(State.of([from_canonical_row(x) for x in line["tokens"]])),
            line.get("label", _targets(line)),
        ]
        for line in lines
    ]
    return "Sequences", ["sequence", "tokens", "label or targets"], rows


def _targets(line: CertificateLine) -> str:
    return _points(State.of([from_canonical_row(y) for y in line["targets"]])) if "targets" in line else ""


def _infeasible(header: CertificateLine, lines: Lines) -> ClaimSummary:
    witness = ", ".join(map(str, header["witness"]))
    why = {
        "measure": f"sequences {witness} have the same empirical measure and different targets, so no transformer, "
        "hardmax or softmax, can tell them apart",
        "set": f"sequences {witness} have the same set of tokens and different targets, so no leader method can "
        "tell them apart; this says nothing about transformers with mean pooling",
        "targets": f"sequence {witness} has more targets than distinct tokens",
    }
    named = [line for line in lines if line["sequence"] in header["witness"]]
    return ClaimSummary(
        "These data cannot be interpolated",
        f"No construction exists: {why.get(header['condition'], header['condition'])}.",
        [("condition", header["condition"]), ("sequences", header["sequences"]), ("dimension", header["dim"])],
        [_sequence_table(named)],
    )


def _counterexample(header: CertificateLine, lines: Lines) -> ClaimSummary:
    name = header["statement"]
    known = catalogue()
    words = known[name].in_words if name in known else str(name)
    summary = ClaimSummary(
        "Refuted by a counterexample",
        f"this is false: \N{LEFT DOUBLE QUOTATION MARK}{words}\N{RIGHT DOUBLE QUOTATION MARK} The instance below "
        "satisfies every hypothesis, and the conclusion fails on it.",
        [("statement", name)],
    )
    first = next(lines)
    if "alpha" in first:
        tokens = _system(iter([first]))
        summary.facts += _instance_facts(tokens)
        summary.tables.append(("Tokens", ["token", "starts at"], [[i, row] for i, row in enumerate(tokens.state)]))
        shown = min(header.get("layers", 0), MOST)
        summary.orbit = simulate(tokens, layers=shown + 1, unchecked=True)
        summary.graph_layer = shown
        summary.stage = orbit_stage(summary.orbit)
        summary.picture_title = f"refuted: {words}"
    elif "V" in first:
        summary.tables += instance_tables(first)
        summary.facts += [(key, first[key]) for key in ("constant", "rate") if key in first]
    elif "sequence" in first:
        summary.tables.append(_sequence_table([line for line in (first, *lines) if "sequence" in line]))
    else:
        rows = [[i, from_canonical_row(row)] for i, row in enumerate(first["tokens"])]
        summary.facts += [("layers", header["layers"])] if "layers" in header else []
        summary.tables.append(("Tokens", ["token", "starts at"], rows))
    return summary


def _geometry(header: CertificateLine, lines: Lines) -> ClaimSummary:
    words = {
        "vertex": "The chosen point is a vertex of the convex hull of the points, or it is not, as the file says.",
        "separation": "The hulls of the two lists are separated by a hyperplane, or they meet, as the file says.",
        "projection": "The point is the projection of the origin, in the norm of A, onto the hull of the points.",
    }
    claim = str(header.get("claim"))
    summary = ClaimSummary(f"A {claim}", words.get(claim, ""))
    summary.facts = [(k, v) for k, v in header.items() if k not in ("exactformer", "version", "claim")]
    lists: dict[str, list[tuple[Fraction, ...]]] = {}
    for line in lines:
        for key, value in line.items():
            if isinstance(value, list) and value and isinstance(value[0], list):
                summary.tables.append((key, ["", ""], [[i, _row(row)] for i, row in enumerate(value)]))
                if key in ("points", "left", "right"):
                    lists[key] = [from_canonical_row(row) for row in value]
            else:
                summary.facts.append((key, _row(value) if isinstance(value, list) else value))
            if key == "projection":
                lists[key] = [from_canonical_row(value)]
    if lists:
        summary.stage = points_stage(lists)
    return summary


def _row(row: list[JsonValue]) -> object:
    """A vector as numbers, a weight [index, number] in words."""
    return from_canonical_row(row) if all(isinstance(v, str) for v in row) else f"{row[1]} of point {row[0]}"
