"""Tests of `exactformer.studies.sentiment.reviews_file`."""

from __future__ import annotations

import json
import lzma
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from exactformer.errors import Declined, Malformed
from exactformer.studies.sentiment.families import sample_reviews
from exactformer.studies.sentiment.reviews import reviews_of
from exactformer.studies.sentiment.reviews_file import _varint, _varints, read_bags, unpacked, write_bags


def test_review_files_keep_every_array(tmp_path: Path) -> None:
    reviews = reviews_of(
        [(True, "zz yy xx " + "ww " * 100), (False, ""), (False, "xx xx"), (True, "vv")],
        min_count=1,
        part=lambda text: len(text) % 3,
    )
    write_bags(replace(reviews, length=77), tmp_path / "r.bags.xz")
    again = read_bags(tmp_path / "r.bags.xz")
    assert (again.words, again.length) == (reviews.words, 77)
    for name in ("labels", "parts", "offsets", "ids", "counts"):
        assert getattr(again, name).tolist() == getattr(reviews, name).tolist(), name


def test_counts_of_a_review_file_end_below_a_byte(tmp_path: Path) -> None:
    reviews = reviews_of([(True, "zz yy")], min_count=1, part=lambda text: 0)
    for most in (255, 0):  # 256 occurrences are written as 255, and read as none
        wide = replace(reviews, counts=np.array([1, most], dtype=np.uint8))
        write_bags(wide, tmp_path / "r.bags.xz")
        if most:
            assert read_bags(tmp_path / "r.bags.xz").counts.tolist() == [1, 255]
        else:
            with pytest.raises(Malformed, match="at most 255"):
                read_bags(tmp_path / "r.bags.xz")


def bag_file(tmp_path: Path) -> tuple[Path, bytes]:
    path = tmp_path / "r.bags.xz"
    write_bags(reviews_of(sample_reviews(40, 1), min_count=1), path)
    return path, lzma.decompress(path.read_bytes())


@pytest.mark.parametrize(
    "forged",
    [
        lambda head, rest: (head | {"reviews": head["reviews"] + 1}, rest),
        lambda head, rest: (head | {"words": head["words"] + 1}, rest),
        lambda head, rest: (head | {"streams": head["streams"][:-1]}, rest),
        lambda head, rest: (head | {"streams": [["label", -1], *head["streams"][1:]]}, rest),
        lambda head, rest: (head | {"version": [9, 9]}, rest),
        lambda head, rest: (head | {"exactformer": "tokens"}, rest),
        lambda head, rest: (head, rest[:-5]),
        lambda head, rest: (head, b"\x07" + rest[1:]),
        lambda head, rest: (head, rest + b"x"),
        lambda head, rest: ([], rest),
    ],
)  # fmt: skip
def test_forged_review_files_are_refused(forged: object, tmp_path: Path) -> None:
    path, content = bag_file(tmp_path)
    head, _, rest = content.partition(b"\n")
    new, body = forged(json.loads(head), rest)  # type: ignore[operator]
    path.write_bytes(lzma.compress(json.dumps(new).encode() + b"\n" + body))
    with pytest.raises(Malformed):
        read_bags(path)


def test_truncated_and_overlong_files_are_refused(tmp_path: Path) -> None:
    path, _ = bag_file(tmp_path)
    whole = path.read_bytes()
    for data in (whole[:-9], whole[: len(whole) // 2], b"", b"no xz", whole + b"tail"):
        path.write_bytes(data)
        with pytest.raises(Malformed):
            read_bags(path)
    path.write_bytes(lzma.compress(bytes(64_001)))
    with pytest.raises(Declined, match="64,000 bytes"):
        unpacked(path, 1000)


def test_word_numbers_of_a_review_file_end_with_its_words(tmp_path: Path) -> None:
    found = reviews_of([(True, "good film"), (False, "bad film")], min_count=1, part=lambda text: 0)
    path = tmp_path / "r.bags.xz"
    write_bags(found, path)
    assert int(read_bags(path).ids.max()) == 2
    write_bags(replace(found, ids=np.array([0, 3, 0, 1], dtype=np.int32)), path)
    with pytest.raises(Malformed, match="word numbers below"):
        read_bags(path)


def test_varints_have_four_bytes_at_most() -> None:
    assert _varints(np.array([255, 255, 255, 127, 5], dtype=np.uint8), "x").tolist() == [2**28 - 1, 5]
    with pytest.raises(Malformed, match="at most four bytes"):
        _varints(np.array([5, 128, 128, 128, 128, 1], dtype=np.uint8), "x")


def test_varints_of_every_length_come_back() -> None:
    numbers = [0, 1, 127, 128, 129, 16_383, 16_384, 2**21 - 1, 2**21, 2**28 - 1]
    data = b"".join(map(_varint, numbers))
    assert [len(_varint(n)) for n in numbers] == [1, 1, 1, 2, 2, 2, 3, 3, 4, 4]
    assert _varints(np.frombuffer(data, np.uint8), "here").tolist() == numbers
