"""Words, reviews, review files and model files of the sentiment study: round trips, and what is refused."""

from __future__ import annotations

import json
import lzma
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from exactformer.errors import Declined, InvalidInput, Malformed
from exactformer.studies.sentiment import load, train
from exactformer.studies.sentiment.classifier import ReviewClassifier
from exactformer.studies.sentiment.classifier_file import model_json
from exactformer.studies.sentiment.families import reviews_csv, sample_reviews
from exactformer.studies.sentiment.reviews import _usable, read_reviews, reviews_of
from exactformer.studies.sentiment.reviews_file import _varints, read_bags, unpacked, write_bags
from exactformer.studies.sentiment.reviews_text import table_rows
from exactformer.studies.sentiment.text import decoded, part_of, places, words

DATA = Path(__file__).parents[3] / "shared" / "data" / "reviews"


def test_cleaning() -> None:
    text = "It&#39;s <i>not</i> the DIRECTOR\u2019s best\u2014don`t watch, e.g. <br /><br />Mr. O'Neill's 10/10 a b"
    assert words(text) == ["not", "director", "best", "don't", "watch", "mr", "o'neill"]
    assert words("&lt;script&gt;alert(1)&lt;/script&gt;") == ["alert"]
    assert words("") == words("the of and") == []


def test_places_are_where_the_words_stand() -> None:
    text = decoded("<b>\u0130stanbul</b> was GREAT &amp; the film\u2019s end dull")
    assert [text[p.start : p.stop].lower() for p in places(text)][1:] == ["great", "film", "end", "dull"]


def test_tags_without_an_end_are_read_in_linear_time() -> None:
    assert words("<" * 200_000 + " great") == ["great"]


def test_the_split_depends_on_the_text_alone() -> None:
    parts = [part_of(f"review {k}") for k in range(3000)]
    shares = [parts.count(p) / 3000 for p in range(3)]
    assert shares == pytest.approx([0.6, 0.1, 0.3], abs=0.03)
    assert part_of("review 7") == part_of("review 7")


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


def test_a_model_is_read_as_it_was_written(tmp_path: Path) -> None:
    model = load()
    model.write(tmp_path / "m.xz")
    again = ReviewClassifier.read(tmp_path / "m.xz")
    assert model_json(again) == model_json(model)
    assert (tmp_path / "m.xz").stat().st_size < 140_000


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("words", ["good"] * 3), ("words", 7), ("embeddings", [[1, 2]]), ("embeddings", [[1, 2, 2**40], [1, 1, 1]]),
        ("embeddings", [[1.5, 2, 3], [1, 1, 1]]), ("v", []), ("b", "1"), ("alpha", "0"), ("alpha", "x"), ("layers", -1),
        ("denominator", 0), ("A", [["1", "0"]]), ("A", [["1", "0"], ["0", "-1"]]), ("length", True), ("about", []),
        ("more", 1),
    ],
)  # fmt: skip
def test_forged_models_are_refused(key: str, value: object, tmp_path: Path) -> None:
    model = ReviewClassifier(("good", "bad", "film"), np.array([[1, 2], [3, 4], [5, 6]]), (1, 1), 0)
    path = tmp_path / "m.xz"
    model.write(path)
    assert model_json(ReviewClassifier.read(path)) == model_json(model)
    path.write_bytes(lzma.compress(json.dumps(model_json(model) | {key: value}).encode()))
    with pytest.raises((Malformed, InvalidInput)):
        ReviewClassifier.read(path)


def test_a_truncated_model_is_refused(tmp_path: Path) -> None:
    load().write(tmp_path / "m.xz")
    data = (tmp_path / "m.xz").read_bytes()
    (tmp_path / "m.xz").write_bytes(data[:-100])
    with pytest.raises(Malformed, match="cut"):
        ReviewClassifier.read(tmp_path / "m.xz")


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no {DATA}")
def test_shared_collections() -> None:
    snippets = read_reviews(DATA / "rt-polarity.bags.xz")
    assert snippets.part_sizes == [6401, 1048, 3213]


def test_pairs_tell_not_good_from_good() -> None:
    """Where negation turns the label, single words say nothing and pairs everything."""
    import random

    source, rows = random.Random(4), []
    for _ in range(600):
        positive, negated = source.random() < 0.5, source.random() < 0.5
        verdict = ("not " if negated else "truly ") + ("good" if positive != negated else "bad")
        rows.append((positive, f"film {source.randrange(10**9)} {verdict} plot"))
    plain, pairs = (train(reviews_of(rows, pairs=flag)).about for flag in (False, True))
    assert pairs["test"] > 0.95
    assert pairs["without_attention"]["test"] > 0.95
    assert max(plain["test"], plain["without_attention"]["test"]) < 0.8


def test_every_part_of_a_model_comes_back_from_its_file(tmp_path: Path) -> None:
    A = ((Fraction(2), Fraction(1, 3)), (Fraction(1, 3), Fraction(5)))
    model = ReviewClassifier(
        ("good", "not_good", "film"),
        np.array([[1, -2], [3, 4], [5, 2**31 - 1]]),
        (7, -8),
        1 - 2**31,
        denominator=10,
        alpha=Fraction(2, 7),
        layers=1000,
        A=A,
        length=1,
        pairs=True,
        about={"test": 0.25, "recipe": {"leaders": "few", "list": [1, "x", 0.5]}},
    )
    model.write(tmp_path / "m.xz")
    again = ReviewClassifier.read(tmp_path / "m.xz")
    for name in ("words", "v", "b", "denominator", "alpha", "layers", "A", "length", "pairs", "about"):
        assert getattr(again, name) == getattr(model, name), name
    assert again.embeddings.tolist() == model.embeddings.tolist()


@pytest.mark.parametrize(
    ("key", "value", "problem", "says"),
    [
        ("layers", 1001, Declined, "at most 1000"),
        ("b", 2**31, Malformed, "below 2147483648"),
        ("b", -(2**31), Malformed, "below 2147483648"),
        ("v", [2**31, 1], Malformed, "below 2147483648"),
        ("length", 0, Malformed, "length: expected an integer >= 1"),
        ("denominator", 2**31, Malformed, "denominator"),
        ("alpha", "-1", Malformed, "rational number > 0"),
        ("A", [["1", "0"], ["0"]], Malformed, "2 rows of 2"),
    ],
)
def test_numbers_beyond_the_limits_of_model_files(
    key: str, value: object, problem: type[Exception], says: str, tmp_path: Path
) -> None:
    model = ReviewClassifier(("good", "bad"), np.array([[1, 2], [3, 4]]), (1, 1), 0)
    path = tmp_path / "m.xz"
    path.write_bytes(lzma.compress(json.dumps(model_json(model) | {key: value}).encode()))
    with pytest.raises(problem, match=says):
        ReviewClassifier.read(path)


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


def test_a_mark_of_the_byte_order_is_no_part_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    for text in ("label,text\npos,good film\n0,bad\n", "pos,good film\n0,bad\n"):
        path.write_bytes(text.encode("utf-8-sig"))
        assert list(table_rows(path)) == [(True, "good film"), (False, "bad")]


def test_unknown_words_do_not_count_for_the_length_of_a_review() -> None:
    """Rare words in front are left out of the vocabulary, and the first 128 known ones are kept behind them."""
    rare = " ".join(f"rare{chr(97 + k // 26)}{chr(97 + k % 26)}" for k in range(200))
    rows = [(True, "t " + "good " * 100 + "film " * 100), (False, "v " + rare + " good" * 100 + " film" * 100)]
    found = reviews_of(rows, min_count=2, part=lambda text: int(text[0] == "v"))
    assert [found.bag(k) for k in range(2)] == [{"film": 28, "good": 100}] * 2
