"""Tests of `exactformer.studies.sentiment.text`."""

from __future__ import annotations

import hashlib

import pytest

from exactformer.studies.sentiment.text import NEGATIONS, decoded, negated, part_of, text_places, words


def test_cleaning() -> None:
    text = "It&#39;s <i>not</i> the DIRECTOR\u2019s best\u2014don`t watch, e.g. <br /><br />Mr. O'Neill's 10/10 a b"
    assert words(text) == ["not", "director", "best", "don't", "watch", "mr", "o'neill"]
    assert words("&lt;script&gt;alert(1)&lt;/script&gt;") == ["alert"]
    assert words("") == words("the of and") == []


def test_places_are_where_the_words_stand() -> None:
    text = decoded("<b>\u0130stanbul</b> was GREAT &amp; the film\u2019s end dull")
    assert [text[p.start : p.stop].lower() for p in text_places(text)][1:] == ["great", "film", "end", "dull"]


def test_tags_without_an_end_are_read_in_linear_time() -> None:
    assert words("<" * 200_000 + " great") == ["great"]


def test_the_split_depends_on_the_text_alone() -> None:
    parts = [part_of(f"review {k}") for k in range(3000)]
    shares = [parts.count(p) / 3000 for p in range(3)]
    assert shares == pytest.approx([0.6, 0.1, 0.3], abs=0.03)
    assert part_of("review 7") == part_of("review 7")


def with_pairs(text: str) -> list[str]:
    return [place.word for place in negated(text_places(decoded(text)))]


# words ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("wasn't good at all", ["wasn't", "not_good"]),
        ("don\u2019t watch it twice", ["don't", "not_watch", "twice"]),
        ("not never good film", ["not", "not_never", "not_good", "film"]),
        ("good film, not", ["good", "film", "not"]),
        ("hardly the best film", ["hardly", "not_best", "film"]),
        ("nothing good, knot good", ["nothing", "good", "knot", "good"]),
    ],
)
def test_a_word_right_after_a_negation_is_negated(text: str, found: list[str]) -> None:
    assert with_pairs(text) == found
    assert [word.removeprefix("not_") for word in found] == words(text)


def test_every_negation_negates_the_next_word_alone() -> None:
    assert {"not", "no", "never", "nor", "cannot", "without", "hardly", "neither"} == NEGATIONS
    for word in (*NEGATIONS, "isn't", "couldn't", "ain't"):
        assert with_pairs(f"{word} good film") == [word, "not_good", "film"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("good<br/>film", ["good", "film"]),
        ("good < film", ["good", "film"]),
        ("a<b>c</b>d ox", ["ox"]),
        ("ab<i>cd</i>ef", ["ab", "cd", "ef"]),
        ("x > <unclosed word", ["unclosed", "word"]),
        ("don`t don\x92t don\u2019t", ["don't"] * 3),
        ("the boys' film's a's", ["boys", "film"]),
        ("rock'n'roll", ["rock'n", "roll"]),
        ("Caf\u00e9 42nd", ["caf", "nd"]),
        ("fish&amp;chips &quot;yes&quot;", ["fish", "chips", "yes"]),
        ("movie-goers", ["movie", "goers"]),
    ],
)
def test_what_a_word_is(text: str, found: list[str]) -> None:
    assert words(text) == found


def test_places_end_before_the_genitive_and_count_characters_of_the_text() -> None:
    found = [(p.word, p.start, p.stop) for p in text_places("\u0130\u0130 film's end")]
    assert found[-2:] == [("film", 3, 7), ("end", 10, 13)]
    assert list(text_places("<b>film\u2019s</b> End")) == [("film", 3, 7), ("end", 14, 17)]


def test_parts_are_the_first_six_tenths_one_tenth_and_the_rest_of_the_digest() -> None:
    for k in range(400):
        text = f"review {k}"
        share = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") / 2**32
        assert part_of(text) == (share >= 0.6) + (share >= 0.7)
    assert part_of("\ud800") in (0, 1, 2)
