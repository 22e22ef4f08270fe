"""Tests of `exactformer.studies.sentiment.reviews`."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from kits.few_reviews import few_reviews

from exactformer.errors import InvalidInput, Malformed
from exactformer.studies.sentiment.families import reviews_csv, sample_reviews
from exactformer.studies.sentiment.reviews import LENGTH, _usable, least_count, read_reviews, reviews_of
from exactformer.studies.sentiment.reviews_file import write_bags

DATA = Path(__file__).parents[5] / "shared" / "data" / "reviews"


def test_vocabulary_comes_from_the_train_part() -> None:
    rows = [(True, "shown shown great"), (False, "shown awful awful"), (True, "hidden hidden hidden")]
    found = reviews_of(rows, min_count=2, part=lambda text: 2 if "hidden" in text else 0)
    assert found.words == ["shown", "awful"]
    assert found.bag(2) == {}


def test_tables_folders_and_bags_give_the_same_reviews(tmp_path: Path) -> None:
    rows = list(sample_reviews(120, 3))
    (tmp_path / "a.csv").write_text(reviews_csv(120, 3))
    tsv = "".join(f"{'Positive' if label else '0'}\t{text}\n" for label, text in rows)
    (tmp_path / "a.tsv").write_text(tsv)
    for part in ("train", "test"):
        for name in ("neg", "pos"):
            (tmp_path / "aclImdb" / part / name).mkdir(parents=True)
    for k, (label, text) in enumerate(rows):
        (tmp_path / "aclImdb" / ("train" if k % 2 else "test") / ("pos" if label else "neg") / f"{k}_7.txt").write_text(
            text
        )
    table = read_reviews(tmp_path / "a.csv")
    write_bags(table, tmp_path / "a.bags.xz")
    bags = [read_reviews(tmp_path / name, min_count=2) for name in ("a.csv", "a.tsv", "a.bags.xz")]
    assert [bag.words for bag in bags[1:]] == [table.words] * 2
    for other in bags:
        assert all(np.array_equal(getattr(other, n), getattr(table, n)) for n in ("labels", "parts", "ids", "counts"))
    folder = read_reviews(tmp_path / "aclImdb")
    assert sorted(folder.words) == sorted(table.words)
    assert folder.part_sizes == table.part_sizes


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"label,text\nmaybe,a film\n", "maybe"),
        (b"label,text\npos,good film,again\n", "two fields"),
        (b"pos,great film\n", "parts"),
        ("pos,caf\xe9\n".encode("latin-1"), "UTF-8"),
        (b"\xff\xfep\x00o\x00s\x00", "UTF-8"),
        (b"", "none"),
        (b'pos,"no end\n', "table"),
    ],
)
def test_bad_tables_are_refused(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_bytes(content)
    with pytest.raises((InvalidInput, Malformed), match=message):
        read_reviews(tmp_path / "bad.csv")


def test_one_label_only_is_refused(tmp_path: Path) -> None:
    text = "".join(f"pos,a great film number {k}\n" for k in range(60))
    (tmp_path / "one.csv").write_text(text)
    with pytest.raises(InvalidInput, match="one label"):
        read_reviews(tmp_path / "one.csv")


def test_missing_files_and_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot read"):
        read_reviews(tmp_path / "none.csv")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidInput, match="train/neg"):
        read_reviews(tmp_path / "empty")


def test_pairs_need_texts(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(reviews_csv(120, 3))
    reviews = read_reviews(tmp_path / "a.csv")
    write_bags(reviews, tmp_path / "a.bags.xz")
    with pytest.raises(InvalidInput, match="order"):
        read_reviews(tmp_path / "a.bags.xz", pairs=True)
    rows = [(k % 2 == 0, f"{'never' if k % 2 else 'so'} good") for k in range(8)]
    assert "not_good" in reviews_of(rows, min_count=1, pairs=True, part=lambda _: 0).words


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no {DATA}")
def test_shared_collections() -> None:
    snippets = read_reviews(DATA / "rt-polarity.bags.xz")
    assert snippets.part_sizes == [6401, 1048, 3213]


def test_the_train_part_alone_needs_both_labels() -> None:
    part = {"t": 0, "v": 1, "w": 2}
    rows = [(True, "t good film"), (False, "t bad film"), (True, "v good film"), (False, "w bad film")]
    found = reviews_of(rows, min_count=1, part=lambda text: part[text[0]])
    assert _usable(found, "x") is found
    rows = [(True, "t good film"), (True, "t bad film"), (True, "v good film"), (False, "v bad film"), (False, "w bad")]
    with pytest.raises(InvalidInput, match="x: expected positive and negative reviews"):
        _usable(reviews_of(rows, min_count=1, part=lambda text: part[text[0]]), "x")
    rows = [(True, "t good film"), (False, "t bad film"), (True, "v unheard"), (False, "w bad film")]
    with pytest.raises(InvalidInput, match=r"none in the validation part \(4 reviews, 3 words\)"):
        _usable(reviews_of(rows, min_count=1, part=lambda text: part[text[0]]), "x")


def test_a_smaller_vocabulary_keeps_how_reviews_were_read() -> None:
    found = reviews_of([(True, "good not good film"), (False, "bad film")], min_count=1, part=lambda text: 0)
    for length, pairs in ((64, True), (200, False)):
        fewer = replace(found, length=length, pairs=pairs).restricted(2)
        assert (fewer.length, fewer.pairs) == (length, pairs)
        assert (fewer.words, fewer.bag(0), fewer.bag(1)) == (["film", "good"], {"film": 1, "good": 2}, {"film": 1})


def test_unknown_words_do_not_count_for_the_length_of_a_review() -> None:
    """Rare words in front are left out of the vocabulary, and the first 128 known ones are kept behind them."""
    rare = " ".join(f"rare{chr(97 + k // 26)}{chr(97 + k % 26)}" for k in range(200))
    rows = [(True, "t " + "good " * 100 + "film " * 100), (False, "v " + rare + " good" * 100 + " film" * 100)]
    found = reviews_of(rows, min_count=2, part=lambda text: int(text[0] == "v"))
    assert [found.bag(k) for k in range(2)] == [{"film": 28, "good": 100}] * 2


def test_words_are_ordered_by_frequency_in_the_train_part_and_then_by_their_letters() -> None:
    found = few_reviews()
    assert found.words == ["good", "bad", "film"]  # 4, 3, 2; the plot of the validation part does not count
    assert [found.bag(k) for k in range(5)] == [
        {"good": 2, "film": 1},
        {"bad": 1, "film": 1},
        {},
        {"good": 1, "bad": 3},
        {"good": 1, "film": 1},
    ]
    assert (found.labels.tolist(), found.sizes.tolist()) == ([1, 0, 1, 0, 1], [2, 2, 0, 2, 2])
    assert (found.of_part(0).tolist(), found.of_part(1).tolist(), found.of_part(1, 0).tolist()) == (
        [0, 3, 4],
        [1],
        [0, 1, 3, 4],
    )
    assert found.part_sizes == [4, 1, 0]
    tied = reviews_of([(True, "zebra apple mango")], min_count=1, part=lambda text: 0)
    assert tied.words == ["apple", "mango", "zebra"]


def test_restricted_reviews_are_those_of_the_smaller_vocabulary() -> None:
    whole = reviews_of(list(sample_reviews(60, 2)), min_count=1)
    for least in (1, 3, 9):
        fewer, direct = whole.restricted(least), reviews_of(list(sample_reviews(60, 2)), min_count=least)
        assert set(fewer.words) == set(direct.words)
        assert [fewer.bag(k) for k in range(60)] == [direct.bag(k) for k in range(60)]
        totals = Counter[str]()
        for k in np.flatnonzero(whole.parts == 0).tolist():
            totals.update(whole.bag(k))
        assert all(totals[word] >= least for word in fewer.words)
        assert [totals[word] for word in fewer.words] == sorted((totals[w] for w in fewer.words), reverse=True)


def test_the_first_words_of_a_long_review_are_kept() -> None:
    text = "good " * (LENGTH - 1) + "bad " + "film " * 5
    found = reviews_of([(True, text)], min_count=1, part=lambda text: 0)
    assert found.bag(0) == {"good": LENGTH - 1, "bad": 1}


@pytest.mark.parametrize(("train", "least"), [(0, 2), (4000, 2), (5999, 2), (6000, 3), (20_000, 10), (35_000, 10)])
def test_words_must_occur_more_often_in_larger_collections(train: int, least: int) -> None:
    assert least_count(train) == least
