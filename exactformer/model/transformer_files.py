"""Transformers as files: the block lines that transformer files and certificates share."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from exactformer.errors import InvalidInput, Malformed
from exactformer.io.canonical import from_canonical, from_canonical_row
from exactformer.io.json_lines import JsonObject, LineWriter, PathLike, read_lines, verify_header
from exactformer.io.untyped import JsonValue
from exactformer.io.versions import since
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Matrix, Sparse, matrix
from exactformer.model.temperatures import Temperatures
from exactformer.model.transformer import Block, Transformer


def block_line(k: int, block: Block) -> JsonObject:
    """The line of block k; numbers are exact scalars, which the writer turns into canonical text."""
    ff, sa = block.feed_forward, block.self_attention
    return {
        "block": k,
        "feed_forward": None if ff is None else {"eta": ff.eta, "U": _form(ff.U), "b": list(ff.b), "W": _form(ff.W)},
        "self_attention": None if sa is None else {"rho": sa.rho, "V": _form(sa.V), "Q": _form(sa.Q), "K": _form(sa.K)},
    }


def _form(m: Matrix) -> object:
    """A matrix in one of the four forms of this file; sparse ones belong to files with heads."""
    return (m.as_dense() if isinstance(m, Sparse) else m).json()


def attention_header(transformer: Transformer) -> JsonObject:
    """The keys of a header that say which attention: hardmax, softmax, or softmax at one inverse temperature."""
    layers = [b.self_attention for b in transformer if b.self_attention is not None]
    betas = {layer.beta for layer in layers}
    if betas <= {None}:
        return {"version": since("transformer"), "attention": "hardmax"}
    if all(layer.is_uniform for layer in layers):
        return {"version": since("transformer"), "attention": "softmax"}
    if len(betas) > 1:
        raise InvalidInput("expected one temperature for all blocks, which is what a file can say, got several")
    beta = betas.pop()
    return {
        "version": since("transformer", "beta"),
        "attention": "softmax",
        "beta": Temperatures.of(beta, beta).json(),
    }


def write_transformer(transformer: Transformer, path: PathLike) -> None:
    """Writes a transformer file."""
    header = {
        "exactformer": "transformer",
        **attention_header(transformer),
        "dim": transformer.dim,
        "blocks": len(transformer),
    }
    with LineWriter(path) as out:
        out.write(header)
        for k, block in enumerate(transformer):
            out.write(block_line(k, block))


def read_transformer(path: PathLike) -> Transformer:
    """The transformer of a transformer file or of a certificate of claim interpolation or loss.

    The rest of the file is read too, so that its digest is verified.
    """
    lines = read_lines(path)
    header = next(lines, {})
    form = header.get("exactformer")
    verify_header(header, "certificate" if form == "certificate" else "transformer", str(path))
    if form == "certificate" and header.get("claim") not in ("interpolation", "loss"):
        raise Malformed(f"{path}: expected a certificate of claim interpolation or loss, got {header.get('claim')!r}")
    dim, count = header.get("dim"), header.get("blocks")
    if type(dim) is not int or type(count) is not int or dim < 1 or count < 0:
        raise Malformed(f"{path}, line 1: expected integers dim >= 1 and blocks >= 0, got {dim!r} and {count!r}")
    temperatures = read_temperatures(header, str(path))
    beta = temperatures.low if temperatures is not None and temperatures.high is not None else None
    found = (line for line in lines if line.keys() != {"margin"})
    blocks = [_block(next(found, {}), k, f"{path}, block {k}", beta) for k in range(count)]
    for _ in lines:
        pass
    try:
        return Transformer(dim, blocks)
    except InvalidInput as problem:
        raise Malformed(f"{path}: {problem}") from problem


def read_temperatures(header: JsonObject, where: str) -> Temperatures | None:
    """The temperatures a transformer file or certificate speaks of; None: hardmax, or uniform attention."""
    if "beta" not in header:
        return None
    value = header["beta"]
    if header.get("attention") != "softmax" or not isinstance(value, list) or len(value) != 2:
        raise Malformed(f'{where}, line 1: expected "beta":[low, high] of attention softmax, got {value!r:.60}')
    low, high = (None if v is None else from_canonical(v) for v in value)
    try:
        return Temperatures.of(low, high)
    except InvalidInput as problem:
        raise Malformed(f"{where}, line 1: {problem}") from problem


def _block(line: JsonObject, k: int, where: str, beta: Fraction | None) -> Block:
    if line.keys() != {"block", "feed_forward", "self_attention"} or line["block"] != k:
        raise Malformed(f"{where}: expected the line of block {k}, got {sorted(line)}")
    try:
        ff = _layer(line["feed_forward"], ("eta", "U", "b", "W"), where)
        sa = _layer(line["self_attention"], ("rho", "V", "Q", "K"), where)
        attention = None if sa is None else SelfAttention(**sa, beta=beta)
        return Block(None if ff is None else FeedForward(**ff), attention)
    except InvalidInput as problem:
        raise Malformed(f"{where}: {problem}") from problem


def _layer(value: object, keys: tuple[str, ...], where: str) -> JsonObject | None:
    if value is None:
        return None
    if not isinstance(value, dict) or value.keys() != set(keys):
        raise Malformed(f"{where}: expected a layer with the keys {', '.join(keys)}, got {value!r:.80}")
    scalar, *rest = keys
    layer: JsonObject = {scalar: from_canonical(value[scalar])}
    for key in rest:
        layer[key] = _canonical_row(value[key], where) if key == "b" else _canonical_matrix(value[key], where)
    return layer


def _canonical_matrix(value: JsonValue, where: str) -> Matrix:
    if isinstance(value, list):
        return matrix([_canonical_row(row, where) for row in value])
    if isinstance(value, dict) and value.keys() == {"outer"} and isinstance(value["outer"], list):
        return matrix({"outer": [_canonical_row(row, where) for row in value["outer"]]})
    if isinstance(value, dict) and value.keys() == {"scalar"}:
        return matrix({"scalar": from_canonical(value["scalar"])})
    return matrix(value)


def _canonical_row(values: object, where: str) -> tuple[Fraction, ...]:
    if not isinstance(values, Iterable) or isinstance(values, (str, dict)):
        raise Malformed(f"{where}: expected a row of canonical numbers, got {values!r:.60}")
    return from_canonical_row(values)
