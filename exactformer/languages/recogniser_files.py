"""Recognisers as files: a header with the letters, the recogniser line and the block lines of a certificate."""

from __future__ import annotations

from collections.abc import Iterator

from exactformer.errors import InvalidInput, Malformed
from exactformer.io.canonical import from_canonical_row
from exactformer.io.json_lines import JsonObject, LineWriter, PathLike, read_lines
from exactformer.io.untyped import JsonValue
from exactformer.io.versions import since
from exactformer.languages.recogniser import Feature, Periodic, Polynomial, Ratio, Recogniser
from exactformer.model.head_files import heads_block_line, read_heads_block
from exactformer.model.matrix import Row

_KEYS = {"tokens", "begin", "end", "features", "at", "accept", "threshold", "zero", "empty"}


def recogniser_line(r: Recogniser) -> JsonObject:
    """The recogniser line of a certificate; numbers are exact scalars, which the writer turns into canonical text."""
    return {
        "tokens": [list(x) for x in r.tokens],
        "begin": None if r.begin is None else list(r.begin),
        "end": None if r.end is None else list(r.end),
        "features": [_feature_json(f) for f in r.features],
        "at": r.at,
        "accept": list(r.accept),
        "threshold": r.threshold,
        "zero": r.zero,
        "empty": r.empty,
    }


def write_recogniser(r: Recogniser, path: PathLike) -> None:
    """Writes a recogniser file."""
    with LineWriter(path) as out:
        names = list(r.letters)
        header = {"exactformer": "recogniser", "version": since("recogniser"), "dim": r.dim, "blocks": len(r.blocks)}
        out.write({**header, "letters": names})
        out.write(recogniser_line(r))
        for k, block in enumerate(r.blocks):
            out.write(heads_block_line(k, block))


def read_recogniser(path: PathLike) -> Recogniser:
    """The recogniser of a recogniser file, or of a certificate of the claim recognition; Malformed where it is none."""
    lines, where = read_lines(path), str(path)
    header = next(lines, {})
    form, certified = header.get("exactformer"), header.get("claim") == "recognition"
    known = form == "recogniser" or (form == "certificate" and certified)
    if not known or header.get("version") != since("recogniser"):
        got = f"{form!r:.60}, version {header.get('version')!r:.20}"
        remedy = "; an automaton or an expression becomes one by `language compile`" if form is None else ""
        raise Malformed(f"{where}: expected a recogniser file of version {since('recogniser')}, got {got}{remedy}")
    dim, count = header.get("dim"), header.get("blocks")
    if type(dim) is not int or type(count) is not int or dim < 1 or count < 0:
        raise Malformed(f"{where}, line 1: expected integers dim >= 1 and blocks >= 0, got {dim!r} and {count!r}")
    letters = (next(lines, {}) if certified else header).get("letters")
    if not isinstance(letters, list) or not all(isinstance(a, str) for a in letters):
        raise Malformed(f"{where}: expected letters as a list of strings, got {letters!r:.60}")
    found = recogniser_of_lines(lines, letters, dim, count, where)
    rest = sum(1 for _ in lines)  # to the end, where the digest is verified
    if rest and not certified:
        raise Malformed(f"{where}: expected {count} block lines and the end line, got more")
    return found


def recogniser_of_lines(
    lines: Iterator[JsonObject], letters: list[str], dim: int, count: int, where: str
) -> Recogniser:
    """The recogniser of a recogniser line and `count` block lines."""
    line = next(lines, {})
    if line.keys() != _KEYS:
        raise Malformed(f"{where}: expected the recogniser line with {', '.join(sorted(_KEYS))}, got {sorted(line)}")
    if line["empty"] not in (True, False, None) or type(line["empty"]) is int:
        raise Malformed(f"{where}: expected empty true, false or null, got {line['empty']!r:.60}")
    blocks = [read_heads_block(next(lines, {}), k, dim, f"{where}, block {k}") for k in range(count)]
    try:
        found = Recogniser(
            letters,
            [_vector(x, where) for x in _list(line["tokens"], where)],
            blocks,
            _vector(line["accept"], where),
            _vector([line["threshold"]], where)[0],
            at=line["at"],
            begin=None if line["begin"] is None else _vector(line["begin"], where),
            end=None if line["end"] is None else _vector(line["end"], where),
            features=[_feature(f, where) for f in _list(line["features"], where)],
            zero=line["zero"],
            empty=line["empty"],
        )
    except InvalidInput as problem:
        raise Malformed(f"{where}: {problem}") from problem
    if found.dim != dim:
        raise Malformed(f"{where}: expected vectors of dimension {dim}, got {found.dim}")
    return found


def _feature_json(feature: Feature) -> JsonObject:
    if isinstance(feature, Periodic):
        return {"coordinate": feature.coordinate, "period": list(feature.values)}
    parts = [[list(term) for term in p.terms] for p in (feature.numerator, feature.denominator)]
    return {"coordinate": feature.coordinate, "ratio": parts}


def _feature(value: JsonValue, where: str) -> Feature:
    keys = value.keys() if isinstance(value, dict) else set()
    if "coordinate" not in keys or type(value["coordinate"]) is not int or len(keys) != 2:
        raise Malformed(f'{where}: expected a feature with "coordinate" and "period" or "ratio", got {value!r:.80}')
    if "period" in keys:
        return Periodic(value["coordinate"], _vector(value["period"], where))
    if "ratio" in keys and len(_list(value["ratio"], where)) == 2:
        above, below = (_polynomial(p, where) for p in value["ratio"])
        return Ratio(value["coordinate"], above, below)
    raise Malformed(f'{where}: expected "period": [..] or "ratio": [P, D], got {value!r:.80}')


def _polynomial(value: object, where: str) -> Polynomial:
    """Terms [x, a, b], the exponents (a, b) strictly increasing."""
    terms = [_list(term, where) for term in _list(value, where)]
    if any(len(term) != 3 or type(term[1]) is not int or type(term[2]) is not int for term in terms):
        raise Malformed(f"{where}: expected terms [x, a, b] with integer exponents, got {value!r:.80}")
    exponents = [(a, b) for _, a, b in terms]
    if sorted(set(exponents)) != exponents:
        raise Malformed(f"{where}: expected exponents that differ and increase, got {exponents!r:.80}")
    return Polynomial(dict(zip(exponents, _vector([x for x, _, _ in terms], where), strict=True)))


def _vector(value: object, where: str) -> Row:
    numbers = _list(value, where)
    try:
        return from_canonical_row(numbers)
    except Malformed as problem:
        raise Malformed(f"{where}: {problem}") from problem


def _list(value: object, where: str) -> list[JsonValue]:
    if not isinstance(value, list):
        raise Malformed(f"{where}: expected a list, got {value!r:.60}")
    return value
