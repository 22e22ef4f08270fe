"""Questions about transformers: a construction for the data on the screen, how its layers act, its certificate."""

from __future__ import annotations

from exactformer.constructions.built_transformer import Built
from exactformer.constructions.pipeline import construct
from exactformer.errors import InvalidInput, Malformed, NoConstruction
from exactformer.io.json_lines import strict_json
from exactformer.model.dataset import Dataset, Sequence
from exactformer.model.matrix import Row
from exactformer.model.transformer import Block, Transformer
from exactformer.play.query import Answer, Query, bytes_of, verdict_on
from exactformer.report.block_frames import states_of

#: methods that the page offers
OFFERED = ("shallow", "deep", "leaders", "paper", "compact")
#: moments of the film; a deeper transformer is shown from block to block, and then only so many blocks
MOMENTS = 60


def answer_construct(body: bytes, options: Query) -> Answer:
    """The transformer for the data, how its layers act, the verdict on its certificate; or why there is none."""
    try:
        built = _built(body, options)
    except NoConstruction as refusal:
        reasons = [{"kind": r.kind, "sequences": r.sequences, "why": r.why} for r in refusal.reasons]
        return {"feasible": False, "reasons": reasons}
    names, states = _moments(built)
    return {
        "feasible": True,
        "report": built.report.json(),
        "moments": names,
        "states": states,
        "verdict": verdict_on(bytes_of(built.certify)),
    }


def answer_transformer(body: bytes, options: Query) -> Answer:
    """The certificate of the transformer for the data."""
    return bytes_of(_built(body, options).certify)


def _built(body: bytes, options: Query) -> Built:
    method = options.get("method", "shallow")
    if method not in OFFERED:
        raise InvalidInput(f"method: expected one of {', '.join(OFFERED)}, got {method!r:.40}")
    robust = options.get("robust") == "yes" and method in ("shallow", "deep")
    return construct(data_of(body), method=method, robust=robust)


def data_of(body: bytes) -> Dataset:
    """The data set {"sequences": [{"label", "tokens"}, ..]} of the page.

    >>> data_of(b'{"sequences": [{"label": "a", "tokens": [["1", "0.5"]]}]}')
    Dataset(1 sequence of 1 token in dimension 2, label 'a')
    """
    content = strict_json(body, "the data of the page")
    sequences = content.get("sequences") if isinstance(content, dict) else None
    if not isinstance(sequences, list) or not sequences or not all(map(_is_sequence, sequences)):
        raise Malformed(
            'the data of the page: expected {"sequences": [{"label": "..", "tokens": [["1", "2"], ..]}, ..]}'
        )
    return Dataset.of([Sequence.of(line["tokens"], label=line["label"]) for line in sequences])


def _is_sequence(line: object) -> bool:
    return isinstance(line, dict) and set(line) == {"label", "tokens"} and isinstance(line["label"], str)


def _moments(built: Built) -> tuple[list[str], list[list[list[Row]]]]:
    """The input, then the data after every feed-forward layer and every attention; exact points."""
    parts: list[tuple[str, Block]] = []
    for k, block in enumerate(built.transformer):
        if block.feed_forward is not None:
            parts.append((f"block {k + 1}: feed-forward", Block(block.feed_forward, None)))
        if block.self_attention is not None:
            parts.append((f"block {k + 1}: attention", Block(None, block.self_attention)))
    if len(parts) > MOMENTS:
        parts = [(f"block {k + 1}", block) for k, block in enumerate(built.transformer)]
    halves = Transformer(built.transformer.dim, [block for _, block in parts])
    states = states_of(halves, built.data)
    every = max(1, -(-len(parts) // MOMENTS))
    chosen = [*range(0, len(parts), every), len(parts)]
    names = ["the data", *(name for name, _ in parts)]
    return [names[k] for k in chosen], [[state.rows() for state in states[k]] for k in chosen]
