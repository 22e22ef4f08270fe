"""The review file `.bags.xz`: one xz stream with a JSON header line and binary streams, read strictly.

Streams: `label`, `part`, `official`, `distinct`, one byte a review; `gaps`, varints of the increasing word numbers
w_1, w_2 - w_1 - 1, ..; `counts`, one byte a word, occurrences - 1; `vocabulary`, words separated by LF.
"""

from __future__ import annotations

import json
import lzma
import os

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.errors import Declined, Malformed
from exactformer.io.json_lines import JsonObject, read_bytes, strict_json, verify_header, write_atomically
from exactformer.io.read_limits import OPTION, allowance
from exactformer.io.versions import since
from exactformer.studies.sentiment.reviews import LENGTH, Reviews

STREAMS = ("label", "part", "official", "distinct", "gaps", "counts", "vocabulary")
#: a reader needs some times the unpacked content of a review file
WORK = 4


def read_bags(path: str | os.PathLike[str]) -> Reviews:
    """The reviews of a file; Malformed where a stream is cut, too long, or not what the header says."""
    where = str(path)
    header, streams = _streams(unpacked(path), where)
    label, part, distinct = (np.frombuffer(streams[name], np.uint8) for name in ("label", "part", "distinct"))
    words = streams["vocabulary"].decode("utf-8", "replace").split("\n") if streams["vocabulary"] else []
    counts = np.frombuffer(streams["counts"], np.uint8)
    gaps = _varints(np.frombuffer(streams["gaps"], np.uint8), where)
    offsets = np.concatenate([[0], np.cumsum(distinct, dtype=np.int64)])
    total = int(offsets[-1])
    _expect(where, len(label) == len(part) == len(distinct) == header["reviews"], "one byte a review in each stream")
    _expect(where, len(words) == header["words"] == len(set(words)), "as many different words as the header says")
    _expect(where, len(gaps) == len(counts) == total, "as many gaps and counts as distinct words")
    _expect(where, int(label.max(initial=0)) <= 1 and int(part.max(initial=0)) <= 2, "labels 0, 1 and parts 0, 1, 2")
    _expect(where, int(counts.max(initial=0)) < 255, "counts of at most 255")
    steps = np.cumsum(gaps + 1)
    before = np.concatenate([[0], steps])[offsets[:-1]]
    ids = steps - np.repeat(before, distinct) - 1
    _expect(where, int(ids.max(initial=-1)) < len(words), "word numbers below the number of words")
    length = header.get("length", LENGTH)
    return Reviews(words, label, part, offsets, ids.astype(np.int32), counts + np.uint8(1), length)


def write_bags(reviews: Reviews, path: str | os.PathLike[str]) -> None:
    """Writes the review file; reading it gives the same reviews."""
    starts = np.zeros(len(reviews.ids), dtype=bool)
    starts[reviews.offsets[:-1][reviews.sizes > 0]] = True
    ids = reviews.ids.astype(np.int64)
    gaps = np.where(starts, ids, ids - np.concatenate([[0], ids[:-1]]) - 1) if len(ids) else ids
    arrays = {
        "label": reviews.labels,
        "part": reviews.parts,
        "official": np.zeros(len(reviews)),
        "distinct": reviews.sizes,
    }
    streams = {name: array.astype(np.uint8).tobytes() for name, array in arrays.items()}
    streams["gaps"] = b"".join(_varint(gap) for gap in gaps.tolist())
    streams["counts"] = (reviews.counts - np.uint8(1)).astype(np.uint8).tobytes()
    streams["vocabulary"] = "\n".join(reviews.words).encode()
    header = {
        "exactformer": "reviews",
        "version": since("reviews"),
        "reviews": len(reviews),
        "words": len(reviews.words),
    }
    header |= {"length": reviews.length, "streams": [[name, len(data)] for name, data in streams.items()]}
    write_atomically(path, lzma.compress(json.dumps(header).encode() + b"\n" + b"".join(streams.values())))


def unpacked(path: str | os.PathLike[str], work: int = WORK) -> bytes:
    """The content of an xz file; Malformed where it is cut or no xz file, Declined where so many times its size are
    more than a file like this one may take (compressed zeros)."""
    packed = read_bytes(path)
    largest = allowance(len(packed)) // work
    decoder = lzma.LZMADecompressor(format=lzma.FORMAT_XZ)
    try:
        content = decoder.decompress(packed, largest + 1)
    except lzma.LZMAError as problem:
        raise Malformed(f"{path}: expected an xz file, got {problem}") from problem
    if len(content) > largest:
        raise Declined(
            f"{path}: more than {largest:,} bytes after decompression, which a file of this size is not allowed; set "
            f"{OPTION} to {work} times as many bytes as it has to read it all the same"
        )
    if not decoder.eof or decoder.unused_data:
        raise Malformed(f"{path}: expected one whole xz stream; the file was cut or something follows it")
    return content


def _streams(content: bytes, where: str) -> tuple[JsonObject, dict[str, bytes]]:
    first, _, rest = content.partition(b"\n")
    header = strict_json(first, where)
    _expect(where, isinstance(header, dict), "a header object in the first line")
    verify_header(header, "reviews", where)
    listed = header.get("streams")
    pairs = isinstance(listed, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in listed)
    _expect(where, pairs and [pair[0] for pair in listed] == list(STREAMS), f"the streams {', '.join(STREAMS)}")
    sizes = [pair[1] for pair in listed]
    numbers = [*sizes, header.get("reviews"), header.get("words"), header.get("length", LENGTH)]
    _expect(where, all(type(n) is int and n >= 0 for n in numbers), "counts that are integers >= 0")
    _expect(where, sum(sizes) == len(rest), f"{sum(sizes)} bytes after the header, got {len(rest)}")
    ends = np.cumsum([0, *sizes]).tolist()
    return header, {name: rest[ends[k] : ends[k + 1]] for k, name in enumerate(STREAMS)}


def _expect(where: str, condition: bool, what: str) -> None:
    if not condition:
        raise Malformed(f"{where}: expected {what}; the file was changed or cut")


def _varint(number: int) -> bytes:
    parts = bytearray()
    while number >= 128:
        parts.append(128 | number & 127)
        number >>= 7
    return bytes([*parts, number])


def _varints(data: Array, where: str) -> Array:
    """The numbers written with 7 bits a byte, lowest first; the high bit says that more follows."""
    stops = np.flatnonzero(data < 128)
    _expect(where, not len(data) or data[-1] < 128, "whole varints")
    starts = np.concatenate([[0], stops[:-1] + 1]) if len(stops) else stops
    lengths = stops - starts + 1
    _expect(where, int(lengths.max(initial=0)) <= 4, "varints of at most four bytes")
    numbers = np.zeros(len(stops), dtype=np.int64)
    for k in range(int(lengths.max(initial=0))):
        longer = lengths > k
        numbers[longer] |= (data[starts[longer] + k].astype(np.int64) & 127) << (7 * k)
    return numbers
