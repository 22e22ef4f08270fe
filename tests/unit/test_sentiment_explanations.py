"""Explanations, counterfactuals, tables and comparisons of the sentiment study: exact outputs on small models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactformer.errors import Declined, InvalidInput, Malformed
from exactformer.studies.sentiment import paper
from exactformer.studies.sentiment.approx_comparison import approx_hardmax, approx_softmax, compare
from exactformer.studies.sentiment.classifier import ReviewClassifier, classifier_of, decision_of
from exactformer.studies.sentiment.classifier_file import model_json
from exactformer.studies.sentiment.counterfactual import counterfactual
from exactformer.studies.sentiment.evaluation import Evaluation, evaluate
from exactformer.studies.sentiment.families import BLAME, COMMON, PRAISE, reviews_csv, sample_reviews
from exactformer.studies.sentiment.reviews import reviews_of
from exactformer.studies.sentiment.reviews_file import read_bags, write_bags
from exactformer.studies.sentiment.reviews_text import table_rows
from exactformer.studies.sentiment.votes import grid

F = Fraction
NAMES = ("za", "zb", "zc", "zd", "ze")


def model_of(rows: Any, v: Any, b: int = 0, **options: Any) -> ReviewClassifier:
    options = {"denominator": 1, "layers": 2, **options}
    return ReviewClassifier(NAMES[: len(rows)], np.array(rows, dtype=np.int64), tuple(v), b, **options)


def text_of(bag: Mapping[str, int]) -> str:
    return " ".join(word for word, count in bag.items() for _ in range(count))


# the classifier ---------------------------------------------------------------------------------------
def test_numbers_of_a_classifier_are_over_its_denominator() -> None:
    model = model_of([[3, 1], [-2, 5]], [4, -6], 7, denominator=8, alpha=F(1, 2))
    assert (model.share, model.bias, model.direction) == (F(1, 3), F(7, 8), (F(1, 2), F(-3, 4)))
    assert (model.embedding("zb"), model.score("zb")) == ((F(-1, 4), F(5, 8)), F(-38, 64))
    assert model.value_at([F(1), F(2)]) == F(7, 8) + F(1, 2) - F(3, 2)
    assert model.value_at([3, 6], 3) == model.value_at([F(1), F(2)])
    assert (
        model.without_attention().value({"za": 1, "zb": 3}) == F(7, 8) + (model.score("za") + 3 * model.score("zb")) / 4
    )
    assert repr(model) == "ReviewClassifier(2 words in dimension 2, 2 layers)"
    default = ReviewClassifier(("za",), np.array([[1]]), (1,), 0)
    assert (default.denominator, default.alpha, default.layers, default.length, default.pairs) == (
        256,
        3,
        8,
        128,
        False,
    )


def test_a_bag_keeps_the_first_known_words_and_tells_the_others() -> None:
    model = model_of([[1], [2], [3]], [1], length=4)
    found = model.bag("zb xx za zb yy zc xx za zc")
    assert list(found.counts.items()) == [("zb", 2), ("za", 1), ("zc", 1)]
    assert (found.unknown, found.left_out) == (("xx", "yy"), 2)
    exactly = model.bag("za zb za zb")
    assert (dict(exactly.counts), exactly.left_out) == ({"za": 2, "zb": 2}, 0)


def test_zero_decides_nothing() -> None:
    assert (decision_of(F(1, 9)), decision_of(F(-1, 9))) == ("positive", "negative")
    with pytest.raises(Declined, match="exactly 0"):
        decision_of(F(0))
    with pytest.raises(Declined, match="vocabulary"):
        model_of([[1]], [1]).decide("nothing known")
    with pytest.raises(Declined, match="exactly 0"):
        model_of([[1], [-1]], [1]).decide("za zb")


def test_numbers_are_rounded_to_the_nearest_of_the_grid() -> None:
    assert grid(np.array([0.24, 0.26, -0.13, 0.125, 0.375]), 2).tolist() == [1, 1, -1, 0, 2]  # halves to even
    found = classifier_of(["za"], np.array([[0.3, -0.3]]), np.array([1.1, 0.0]), -0.6, bits=3)
    assert (found.embeddings.tolist(), found.v, found.b, found.denominator) == ([[2, -2]], (9, 0), -5, 8)


# explanations -----------------------------------------------------------------------------------------
def test_rows_of_the_leader_table_add_up_however_many_are_named() -> None:
    model = model_of([[9, 0], [0, 7], [-5, -1], [1, 1], [2, 0]], [3, 1], 2)
    found = model.explain("za zb zc zd zd ze")
    assert [w.word for w in found.words] == list(NAMES)
    leading = [w.word for w in found.words if w.leads_from is not None]
    assert leading == ["za", "zb", "zc"]
    votes = [abs(found.words[i].vote) for i in found.leaders]
    assert votes == sorted(votes, reverse=True)
    for most, labels in (
        (None, 3),
        (3, 3),
        (2, 2),
        (1, 1),
        (0, 0),
    ):
        rows = found.rows(most)
        names = [found.words[i].word for i in found.leaders[:labels]]
        rest = [f"{3 - labels} more leaders"] if labels < 3 else []
        assert [row.label for row in rows] == [*names, *rest, "all other words", "bias"]
        assert sum(row.vote for row in rows) == found.value
        assert sum(row.weight for row in rows if row.weight is not None) == 1
        assert rows[-1].vote == found.bias == 2
    first = found.rows()[0]
    word = found.words[found.leaders[0]]
    assert (first.leader, first.start, first.score, first.weight) == (found.leaders[0], 0, word.score, word.weight)
    assert first.followers == tuple(
        j for j, w in enumerate(found.words) if found.leaders[0] in w.follows and j != found.leaders[0]
    )
    assert first.decimals() == [f"{float(x):+.4f}" for x in (word.score, word.weight, word.vote)]
    assert found.rows()[-1].decimals() == ["", "", "+2.0000"]
    assert f"{float(found.value):+.4f}" in found._repr_html_()
    assert (
        repr(found)
        == f"Explanation({found.decision}, value {float(found.value):+.4f}, leaders: {', '.join(found.words[i].word for i in found.leaders)})"
    )


def test_an_explanation_in_json() -> None:
    model = model_of([[4, 8], [-1, 2]], [1, 0], 1)
    told = model.explain("zb za unknown za").json()
    assert list(told) == [
        "decision",
        "value",
        "bias",
        "words",
        "leaders",
        "unknown",
        "left_out",
        "layers",
        "same_from_depth",
    ]
    assert [(w["word"], w["count"], w["follows"]) for w in told["words"]] == [("zb", 1, [1]), ("za", 2, [1])]
    assert told["leaders"] == [{"word": 1, "from_layer": 0, "vote": told["words"][1]["weight"] * 4}]
    assert (told["unknown"], told["left_out"], told["layers"]) == (["unknown"], 0, [[[1], [1]]] * 2)
    # zb keeps 1/16 of its place: its weight is 1/3 of that
    assert [w["weight"] for w in told["words"]] == [F(1, 48), F(47, 48)]
    assert told["value"] == 1 + F(-1, 48) + F(4 * 47, 48)
    assert told["same_from_depth"] == 0


def test_the_depth_from_which_a_decision_is_the_same_is_the_first() -> None:
    """-1 + mean of 4 and -2 (thrice): -3/2 at depth 0; all go to 4 by quarters of the way that is left."""
    model = model_of([[4, 8], [-2, 3]], [2, 0], -1, layers=4)
    found = model.explain("za zb zb zb")
    values = [model.value_at(*found.ballot.mean(k)) for k in range(5)]
    assert values[0] < 0 < values[1]
    assert found.same_from == 1
    assert replace(model, layers=0).explain("za zb zb zb").same_from is None


# counterfactuals --------------------------------------------------------------------------------------
def test_counterfactuals_by_their_definition() -> None:
    rng = np.random.default_rng(1)
    sizes = set()
    for _ in range(12):
        model = model_of(rng.integers(-4, 5, (5, 2)), rng.integers(-3, 4, 2).tolist(), int(rng.integers(-2, 3)))
        bag = {name: int(n) for name, n in zip(NAMES, rng.integers(1, 3, 5), strict=True)}
        value = model.value(bag)
        if not value:
            continue
        found = counterfactual(model, bag)
        for size in range(1, 5):
            rest = {
                gone: model.value({w: n for w, n in bag.items() if w not in gone}) for gone in combinations(bag, size)
            }
            turned = {gone: other for gone, other in rest.items() if other * value < 0}
            if turned:
                assert found.words in turned
                assert found.value == turned[found.words] == (min if value > 0 else max)(turned.values())
                assert (found.proved_up_to, bool(found)) == (size, True)
                break
        else:
            assert (found.words, found.value, found.proved_up_to) == (None, None, 4)
        sizes.add(found.proved_up_to if found else 0)
    assert len(sizes) > 2


@pytest.mark.parametrize(
    ("budget", "proved", "examined"), [(1, 0, 0), (4, 0, 0), (5, 1, 5), (14, 1, 5), (15, 2, 15), (30, 4, 30)]
)
def test_a_size_is_begun_where_the_budget_allows_all_of_it(budget: int, proved: int, examined: int) -> None:
    model = model_of([[1], [2], [3], [4], [5]], [1])
    found = counterfactual(model, dict.fromkeys(NAMES, 1), budget=budget)
    assert (found.words, found.proved_up_to, found.examined) == (None, proved, examined)
    assert f"at most {proved} words" in str(found)


def test_counterfactuals_of_one_word_and_without_a_budget() -> None:
    model = model_of([[1], [-9]], [1])
    alone = counterfactual(model, {"za": 3})
    assert (alone.words, alone.proved_up_to, alone.examined) == (None, 0, 0)
    with pytest.raises(InvalidInput, match="at least 1"):
        counterfactual(model, {"za": 1}, budget=0)
    found = counterfactual(model, {"za": 1, "zb": 1})
    assert str(found) == "without zb the decision changes; no smaller set of words does that"


# comparisons ------------------------------------------------------------------------------------------
def test_softmax_beside_hardmax_by_hand() -> None:
    """Scores 0 and 1/1000 at the temperature 1/1000: weights 1 : e. With one layer and share a the token moves by a."""
    Z, one, v = np.array([[1.0, 0.0], [0.0, 1.0]]), np.eye(2), np.array([1.0, 3.0])
    far = approx_softmax(Z, one, v, 0.5, 0.75, 3)
    assert far == pytest.approx(2.5)  # each attends to itself
    near = np.array([[1.0], [1.001]])
    p = 1 / (1 + np.exp(-1.0))  # <1, 1.001> - <1, 1> = 1/1000
    q = 1 / (1 + np.exp(-1.001))
    mean = (1 + 1.001) / 2 * 0.25 + 0.75 * ((1 + 0.001 * p) + (1 + 0.001 * q)) / 2
    assert approx_softmax(near, np.eye(1), np.array([1.0]), 0.0, 0.75, 1) == pytest.approx(mean, abs=1e-6)
    value, follows = approx_hardmax(near, np.eye(1), np.array([1.0]), 0.0, 0.75, 1)
    assert value == pytest.approx((1.001 + 0.25 + 0.75 * 1.001) / 2)
    assert follows[0].tolist() == [[False, True], [False, True]]


def test_what_is_compared_is_counted_review_by_review() -> None:
    model = model_of([[4, 8], [-1, 2], [3, -5]], [1, 2], 1, denominator=4)
    bags = [{"za": 1, "zb": 2}, {"zc": 1}, {"za": 2, "zb": 1, "zc": 1}]
    told = list[int]()
    found = compare(model, bags, progress=told.append)
    assert told == [1, 2, 3]
    assert found["reviews"] == 3
    assert found["predictions"] == {"float32": 0, "float64": 0, "softmax": 0}
    assert found["follower_sets"] == found["leaders"] == {"float32": 0, "float64": 0}
    gaps = []
    for bag in bags:
        Z = np.array([model.embeddings[NAMES.index(w)] for w, n in bag.items() for _ in range(n)]) / 4
        soft = approx_softmax(Z, np.eye(2), np.array([0.25, 0.5]), 0.25, 0.75, 2)
        gaps.append(abs(soft - float(model.value(bag))))
    assert found["approx_softmax_gap"] == round(float(np.mean(gaps)), 6)
    assert set(found["approx_ms"]) == {"exact", "float32", "float64"}
    assert compare(model, [])["approx_softmax_gap"] == 0


# tables and files -------------------------------------------------------------------------------------
def test_an_evaluation_of_nothing_and_its_top_words() -> None:
    empty = Evaluation().json()
    assert (empty["accuracy"], empty["leaders"], empty["top"], empty["faithfulness_reviews"]) == (0, {}, [], 0)
    assert empty["faithfulness"] == {"only_leaders": 0, "without_leaders": 0, "without_random": 0}
    model = model_of([[4, 8], [-1, 2]], [1, 0])
    told = list[int]()
    found = evaluate(
        model, [(True, {"za": 3, "zb": 1}), (False, {"za": 1, "zb": 1}), (True, {"za": 1})], progress=told.append
    )
    assert told == [1, 2, 3]
    assert (found.right, found.declined, found.leaders, found.initial, dict(found.words)) == (
        2,
        0,
        [1, 1, 1],
        [1, 1, 1],
        {"za": 2},
    )
    assert found.json(top=0)["top"] == []
    assert found.json()["accuracy"] == 0.6667
    plain = evaluate(model.without_attention(), [(True, {"za": 3, "zb": 1})])
    assert (plain.tested, plain.leaders) == (0, [0])


def test_the_progress_of_an_evaluation_counts_reviews_that_are_declined() -> None:
    told = list[int]()
    found = evaluate(
        model_of([[1], [-1]], [1]), [(True, {"za": 1}), (True, {"za": 1, "zb": 1}), (False, {})], progress=told.append
    )
    assert (found.declined, told) == (2, [1, 2, 3])


def test_a_row_of_the_paper_beside_the_published_figures() -> None:
    about = {"validation": 0.5, "test": 0.6, "without_attention": {"test": 0.7}, "attention_removed": 0.8}
    told = {"accuracy": 0.9, "leaders": {"mean": 1}, "faithfulness": {"x": 1}, "top": [["za", 2]]}
    model = replace(model_of([[1, 2]], [1, 0]), about=about)
    for dim, best, epoch, final, option in (
        (2, 0.79145, 100, 0.79145, "few"),
        (8, 0.85049, 38, 0.81343, "many"),
        (3, None, None, None, "many"),
    ):
        found = paper.Row(dim, model, told, {"y": 2}).json()
        assert found == {
            "dim": dim,
            "leaders_option": option,
            "validation": 0.5,
            "test": 0.6,
            "test_exact": 0.9,
            "without_attention": {"test": 0.7},
            "attention_removed": 0.8,
            "published_best": best,
            "published_best_epoch": epoch,
            "published_final": final,
            "leaders": {"mean": 1},
            "faithfulness": {"x": 1},
            "top": [["za", 2]],
            "approx": {"y": 2},
        }
    assert paper.PUBLISHED[4] == (0.82281, 46, 0.80275)
    assert paper.PUBLISHED[16] == (0.88209, 20, 0.84572)


def test_clear_reviews_are_decided_rightly_and_beyond_the_least_value() -> None:
    model = model_of([[3], [-3]], [1], layers=0)
    bags = [
        (False, {"za": 20}),
        (True, {"za": 15, "zb": 5}),
        (True, {"za": 20}),
        (True, {"za": 21}),
        (False, {"zb": 22}),
    ]
    assert paper.clear_reviews(model, bags) == (text_of({"za": 20}), text_of({"zb": 22}))
    assert paper.clear_reviews(model, bags, 1.4) == (text_of({"za": 15, "zb": 5}), text_of({"zb": 22}))
    assert paper.clear_reviews(model, bags, 1.5) == (text_of({"za": 20}), text_of({"zb": 22}))
    assert paper.clear_reviews(model, bags, 3.0) == ("", "")


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


def test_generated_reviews_alternate_and_are_of_eight_to_thirty_words() -> None:
    found = list(sample_reviews(400, 9))
    assert [label for label, _ in found] == [k % 2 == 0 for k in range(400)]
    lengths, own, other = [], 0, 0
    for label, text in found:
        words = text.removeprefix("The ").partition(" in no. ")[0].split()
        lengths.append(len(words))
        assert set(words) <= {*PRAISE, *BLAME, *COMMON}
        praise, blame = (sum(w in kind for w in words) for kind in (PRAISE, BLAME))
        own, other = own + (praise if label else blame), other + (blame if label else praise)
    assert (min(lengths), max(lengths)) == (8, 30)
    assert own / sum(lengths) == pytest.approx(0.2, abs=0.02)
    assert other / sum(lengths) == pytest.approx(0.06, abs=0.015)
    assert list(sample_reviews(3, 9)) == found[:3] != list(sample_reviews(3, 10))


# what a stranger might change -------------------------------------------------------------------------
def test_a_depth_at_which_the_value_is_zero_does_not_decide_alike() -> None:
    model = model_of([[4, 8], [-2, 3]], [2, 0], -2, layers=4)
    found = model.explain("za zb")
    assert [model.value_at(*found.ballot.mean(k)) > 0 for k in range(3)] == [False, True, True]
    assert model.value_at(*found.ballot.mean(0)) == 0
    assert found.same_from == 1


def test_the_limit_of_the_mean_counts_every_occurrence() -> None:
    model = model_of([[4, 0], [-4, 1], [1, 0]], [1, 0])
    assert model.ballot({"za": 1, "zb": 3}).limit_mean() == [F(-2), F(3, 4)]
    assert model.ballot({"za": 1, "zb": 3, "zc": 4}).limit_mean() == [F(1), F(3, 8)]  # zc goes to za


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


def test_only_the_first_row_of_a_table_is_a_header(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("label,text\npos,one\nlabel,text\n")
    with pytest.raises(InvalidInput, match="line 3: expected a label"):
        list(table_rows(tmp_path / "r.csv"))


@pytest.mark.parametrize(("dim", "leaders"), [(2, "few"), (3, "many")])
def test_a_model_of_the_paper_is_trained_once_and_then_read(dim: int, leaders: str, tmp_path: Path) -> None:
    reviews = reviews_of(list(sample_reviews(40, 12)), min_count=1)
    path = tmp_path / "d.model.xz"
    model = paper._model(reviews, path, dim, 1, None)
    assert (model.dim, model.layers, model.about["recipe"]["leaders"], model.about["recipe"]["seed"]) == (
        dim,
        8,
        leaders,
        1,
    )
    assert [file.name for file in tmp_path.iterdir()] == ["d.model.xz"]
    assert model_json(paper._model(reviews, path, dim, 1, None)) == model_json(model)
    other = replace(model, b=model.b + 1)
    other.write(path)
    assert paper._model(reviews, path, dim, 1, None).b == other.b


def test_rows_of_the_paper_are_about_the_same_sample(tmp_path: Path) -> None:
    """A model that is there already is taken; floats are compared on a random sample, which the seed chooses."""
    source = tmp_path / "reviews.csv"
    source.write_text(reviews_csv(60, 4))
    reviews = paper.read_reviews(source)
    random = np.random.default_rng(3)
    about = {"validation": 0.5, "test": 0.6, "without_attention": {"test": 0.7}, "attention_removed": 0.8}
    E = random.integers(-20, 20, (len(reviews.words), 2))
    ReviewClassifier(tuple(reviews.words), E, (300, -200), 2, layers=2, about=about).write(tmp_path / "d2.model.xz")
    (row,) = paper.reproduce(source, tmp_path, dims=(2,), seed=1, sample=5)
    found = paper.labelled_reviews(source, row.model)
    order = np.random.default_rng(1).permutation(len(found))[:5].tolist()
    wanted = compare(row.model, [found[k][1] for k in order if found[k][1]])
    assert {key: row.floats[key] for key in wanted if key != "approx_ms"} == {
        key: value for key, value in wanted.items() if key != "approx_ms"
    }
    assert row.floats["approx_softmax_gap"] > 0
    assert row.evaluation == evaluate(row.model, found, sample=5, seed=1).json()
    assert row.evaluation != evaluate(row.model, found, sample=5, seed=0).json()
