"""Blocks with heads as JSON: the block lines of recogniser files and of certificates of version [1,2]."""

from __future__ import annotations

from exactformer.errors import InvalidInput, Malformed
from exactformer.io.canonical import from_canonical, from_canonical_row
from exactformer.io.json_lines import JsonObject
from exactformer.io.untyped import JsonValue
from exactformer.model.feed_forward import FeedForward
from exactformer.model.heads import Head, MultiHeadAttention, MultiHeadBlock
from exactformer.model.matrix import Dense, Matrix, Outer, Scalar, Sparse, Zero


def heads_block_line(k: int, block: MultiHeadBlock) -> JsonObject:
    """The line of block k; numbers are exact scalars, which the writer turns into canonical text."""
    ff, sa = block.feed_forward, block.self_attention
    layer = None if ff is None else {"eta": ff.eta, "U": ff.U.json(), "b": list(ff.b), "W": ff.W.json()}
    attention = None if sa is None else {"rho": sa.rho, "heads": [_head_json(head) for head in sa.heads]}
    return {"block": k, "feed_forward": layer, "self_attention": attention}


def read_heads_block(line: JsonObject, k: int, dim: int, where: str) -> MultiHeadBlock:
    """The block of line k in dimension `dim`; Malformed where it is none."""
    _verify_keys(line, ("block", "feed_forward", "self_attention"), where)
    if line["block"] != k or type(line["block"]) is not int:
        raise Malformed(f"{where}: expected the line of block {k}, got that of {line['block']!r:.60}")
    try:
        block = MultiHeadBlock(
            _feed_forward(line["feed_forward"], dim, where), _attention(line["self_attention"], dim, where)
        )
        block.verify_shape(dim, where)
    except InvalidInput as problem:
        raise Malformed(f"{where}: {problem}") from problem
    return block


def _head_json(head: Head) -> JsonObject:
    matrices = {"V": head.V.json(), "Q": head.Q.json(), "K": head.K.json()}
    return {**matrices, "mask": head.mask, "ties": head.ties}


def _feed_forward(value: JsonValue, dim: int, where: str) -> FeedForward | None:
    if value is None:
        return None
    _verify_keys(value, ("eta", "U", "b", "W"), where)
    bias = from_canonical_row(_list(value["b"], where))
    U, W = read_matrix(value["U"], dim, where), read_matrix(value["W"], len(bias), where)
    return FeedForward(from_canonical(value["eta"]), U, bias, W)


def _attention(value: JsonValue, dim: int, where: str) -> MultiHeadAttention | None:
    if value is None:
        return None
    _verify_keys(value, ("rho", "heads"), where)
    heads = [_read_head(head, dim, f"{where}, head {h}") for h, head in enumerate(_list(value["heads"], where))]
    return MultiHeadAttention(from_canonical(value["rho"]), heads)


def _read_head(value: JsonValue, dim: int, where: str) -> Head:
    _verify_keys(value, ("V", "Q", "K", "mask", "ties"), where)
    V, Q, K = (read_matrix(value[key], dim, f"{where}, {key}") for key in "VQK")
    return Head(V, Q, K, value["mask"], value["ties"])


def read_matrix(value: JsonValue, columns: int, where: str) -> Matrix:
    """The matrix with so many columns in one of the five forms, its numbers canonical; Malformed where it is none."""
    if isinstance(value, list):
        return Dense([from_canonical_row(_list(row, where)) for row in value])
    form: object = next(iter(value)) if isinstance(value, dict) and len(value) == 1 else None
    content: JsonValue = value[form] if form is not None else None
    if form == "rows":
        return Sparse([_sparse_row(row, where) for row in _list(content, where)], columns)
    if form == "outer" and len(_list(content, where)) == 2:
        return Outer(*[from_canonical_row(_list(row, where)) for row in content])
    if form == "scalar":
        return Scalar(from_canonical(content))
    if form == "zero" and content is True:
        return Zero()
    forms = '{"rows": ..}, {"outer": [column, row]}, {"scalar": c} or {"zero": true}'
    raise Malformed(f"{where}: expected rows of numbers, {forms}, got {value!r:.60}")


def _sparse_row(row: object, where: str) -> dict[int, object]:
    """Column -> number; the columns strictly increasing, no number zero."""
    entries: dict[int, object] = {}
    last = -1
    for entry in _list(row, where):
        column, number = _list(entry, where) if len(_list(entry, where)) == 2 else (None, None)
        if type(column) is not int or column <= last or not isinstance(number, str) or number == "0":
            raise Malformed(f"{where}: expected [column, nonzero number], columns increasing, got {entry!r:.60}")
        entries[column], last = from_canonical(number), column
    return entries


def _list(value: object, where: str) -> list[JsonValue]:
    if not isinstance(value, list):
        raise Malformed(f"{where}: expected a list, got {value!r:.60}")
    return value


def _verify_keys(value: object, keys: tuple[str, ...], where: str) -> None:
    if not isinstance(value, dict) or value.keys() != set(keys):
        got = sorted(value) if isinstance(value, dict) else f"{value!r:.60}"
        raise Malformed(f"{where}: expected the keys {', '.join(keys)}, got {got}")
