"""The sentiment study step by step: words, parts, batches, Adam, the protocol of a training, deletions in a review."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import asdict, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactformer.errors import InvalidInput
from exactformer.studies.sentiment import trainer
from exactformer.studies.sentiment.approx_hardmax import batch, f32
from exactformer.studies.sentiment.approx_matrix import _rounded, propose_matrix
from exactformer.studies.sentiment.approx_training import (
    Recipe,
    Snapshot,
    Weights,
    adam,
    approx_scores,
    batches,
    begin,
    capped,
    epoch,
)
from exactformer.studies.sentiment.classifier import ReviewClassifier, classifier_of
from exactformer.studies.sentiment.evaluation import evaluate, labelled_reviews
from exactformer.studies.sentiment.families import reviews_csv, sample_reviews
from exactformer.studies.sentiment.resume import Resume
from exactformer.studies.sentiment.reviews import LENGTH, Reviews, least_count, read_reviews, reviews_of
from exactformer.studies.sentiment.reviews_file import _varint, _varints, write_bags
from exactformer.studies.sentiment.reviews_text import folder_rows, table_rows
from exactformer.studies.sentiment.text import NEGATIONS, decoded, negated, part_of, places, words
from exactformer.studies.sentiment.trainer import Kept

F = Fraction


def with_pairs(text: str) -> list[str]:
    return [place.word for place in negated(places(decoded(text)))]


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
    found = [(p.word, p.start, p.stop) for p in places("\u0130\u0130 film's end")]
    assert found[-2:] == [("film", 3, 7), ("end", 10, 13)]
    assert list(places("<b>film\u2019s</b> End")) == [("film", 3, 7), ("end", 14, 17)]


def test_parts_are_the_first_six_tenths_one_tenth_and_the_rest_of_the_digest() -> None:
    for k in range(400):
        text = f"review {k}"
        share = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") / 2**32
        assert part_of(text) == (share >= 0.6) + (share >= 0.7)
    assert part_of("\ud800") in (0, 1, 2)


# reviews ----------------------------------------------------------------------------------------------
def few_reviews() -> Reviews:
    rows = [
        (True, "good good film"),
        (False, "bad film plot"),
        (True, "zz"),
        (False, "bad bad bad good"),
        (True, "plot film good"),
    ]
    return reviews_of(rows, min_count=2, part=lambda text: {"zz": 0, "bad film plot": 1}.get(text, 0))


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


def test_varints_of_every_length_come_back() -> None:
    numbers = [0, 1, 127, 128, 129, 16_383, 16_384, 2**21 - 1, 2**21, 2**28 - 1]
    data = b"".join(map(_varint, numbers))
    assert [len(_varint(n)) for n in numbers] == [1, 1, 1, 2, 2, 2, 3, 3, 4, 4]
    assert _varints(np.frombuffer(data, np.uint8), "here").tolist() == numbers


def test_tables_and_folders_are_read_row_by_row(tmp_path: Path) -> None:
    for name, cut in (("a.csv", ","), ("a.tsv", "\t")):
        lines = ["Sentiment{}Review", " POS {}one", "", "negative{}two", "1{}three", "0{}text"]
        (tmp_path / name).write_text("\ufeff" + "\n".join(lines).format(*[cut] * 5) + "\n", encoding="utf-8")
        rows = [(True, "one"), (False, "two"), (True, "three"), (False, "text")]
        assert list(table_rows(tmp_path / name)) == rows
    (tmp_path / "b.csv").write_text("pos,text\n")  # its label makes it a review
    assert list(table_rows(tmp_path / "b.csv")) == [(True, "text")]
    for part in ("train", "test"):
        for name in ("neg", "pos"):
            (tmp_path / "c" / part / name).mkdir(parents=True)
            for file in ("10_1.txt", "9_1.txt", "x.txt"):
                (tmp_path / "c" / part / name / file).write_text(f"{part} {name} {file}")
    assert list(folder_rows(tmp_path / "c")) == [
        (name == "pos", f"{part} {name} {file}")
        for part in ("train", "test")
        for name in ("neg", "pos")
        for file in ("x.txt", "9_1.txt", "10_1.txt")
    ]


# batches and steps ------------------------------------------------------------------------------------
def test_batches_hold_every_chosen_review_once_and_similar_lengths() -> None:
    reviews = reviews_of(list(sample_reviews(90, 4)), min_count=1)
    chosen = reviews.of_part(0)
    groups = batches(reviews, chosen, 16, np.random.default_rng(1))
    assert sorted(k for group in groups for k in group.tolist()) == chosen.tolist()
    assert sorted(map(len, groups), reverse=True) == [16] * (len(chosen) // 16) + [len(chosen) % 16]
    means = sorted((float(reviews.sizes[group].mean()), len(group)) for group in groups)
    assert means[-1][0] - means[0][0] > 5
    assert all(np.ptp(reviews.sizes[group]) <= np.ptp(reviews.sizes[chosen]) for group in groups)
    assert [g.tolist() for g in groups] != [g.tolist() for g in batches(reviews, chosen, 16, np.random.default_rng(2))]


def test_a_batch_is_numbers_from_one_and_shares_by_count() -> None:
    reviews = few_reviews()
    numbers, shares = batch(reviews, np.array([3, 2, 0]))
    assert numbers.tolist() == [[1, 2], [0, 0], [1, 3]]
    assert shares == pytest.approx(np.array([[1 / 4, 3 / 4], [0, 0], [2 / 3, 1 / 3]]))
    numbers, shares = batch(reviews, np.array([0, 3]), lambda count: np.array([False, True, True, True]))
    assert (numbers.tolist(), shares.tolist()) == ([[3, 0], [1, 2]], [[1, 0], [0.25, 0.75]])


def test_the_step_of_the_dynamics_rises_geometrically_until_six_tenths_of_the_training() -> None:
    recipe = Recipe(2, 8, 0.01, 0.2, 0.02)
    found = [recipe.alpha_at(time) for time in (0.0, 0.3, 0.6, 0.8, 1.0)]
    assert found == pytest.approx([0.02, (0.02 * 3) ** 0.5, 3, 3, 3])


def test_a_training_starts_with_the_spread_of_its_recipe() -> None:
    recipe = Recipe(4, 8, 0.3, 0.2, 0.02, seed=5)
    start = begin(5000, recipe)
    assert start.weights.E.shape == (5001, 4)
    assert not start.weights.E[0].any()
    assert float(start.weights.E[1:].std()) == pytest.approx(0.3, rel=0.02)
    assert float(np.linalg.norm(start.weights.v)) == pytest.approx(3)
    assert (start.weights.b, start.steps, start.accuracies, start.first.E.any()) == (0, 0, (), False)
    assert not (begin(5000, replace(recipe, seed=6)).weights.E == start.weights.E).all()


def plain_adam(x: Any, g: Any, m: Any, q: Any, time: int, step: float) -> tuple[Any, Any, Any]:
    m, q = 0.9 * m + 0.1 * g, 0.999 * q + 0.001 * g * g
    return x - step * np.sqrt(1 - 0.999**time) / (1 - 0.9**time) * m / (np.sqrt(q) + 1e-8), m, q


def test_adam_is_adam() -> None:
    random = np.random.default_rng(0)
    x, first, second = (Weights(random.random((3, 2)), random.random(2), 0.5) for _ in range(3))
    for time in (1, 2, 7):
        slope = Weights(random.normal(size=(3, 2)), random.normal(size=2), -0.25)
        wanted = [plain_adam(*(getattr(w, n) for w in (x, slope, first, second)), time, 0.03) for n in ("E", "v", "b")]
        x, first, second = adam(x, slope, first, second, time, 0.03)
        for name, values in zip(("E", "v", "b"), wanted, strict=True):
            for weights, value in zip((x, first, second), values, strict=True):
                assert getattr(weights, name) == pytest.approx(value, rel=1e-5)


def test_only_embeddings_beyond_the_cap_are_scaled_back() -> None:
    found = capped(Weights(np.array([[0, 0], [3, 4], [0.3, 0.4], [6, 8]], dtype=f32), np.ones(2), 1.0), 5.0)
    assert pytest.approx(np.array([[0, 0], [3, 4], [0.3, 0.4], [3, 4]])) == found.E


def test_an_epoch_by_its_definition() -> None:
    """Without layers the model is linear: one pass over the batches, the steps falling to zero with the training."""
    reviews = reviews_of(list(sample_reviews(50, 6)), min_count=1)
    recipe, chosen = Recipe(2, 0, 0.3, 0.3, 0.05, epochs=3, size=7, seed=3), reviews.of_part(0)
    snapshot = begin(len(reviews.words), recipe)
    E, v, b = snapshot.weights.E.astype(float), snapshot.weights.v.astype(float), 0.0
    moments: dict[str, Any] = dict.fromkeys("Evb", (0.0, 0.0))
    done, told = 0, list[tuple[int, int]]()
    for number in range(2):
        random = np.random.default_rng([3, number])
        groups = batches(reviews, chosen, 7, random)
        for group in groups:
            numbers, shares = batch(reviews, group, lambda n, random=random: random.random(n, dtype=f32) >= 0.3)
            means = np.einsum("rp,rpd->rd", shares.astype(float), E[numbers])
            errors = (1 / (1 + np.exp(-(means @ v + b))) - reviews.labels[group]) / len(group)
            slopes = {"E": np.zeros_like(E), "v": errors @ means, "b": errors.sum()}
            np.add.at(slopes["E"], numbers, (errors[:, None] * shares)[:, :, None] * v)
            slopes["E"][0] = 0
            step = 0.05 * (1 - done / (3 * len(groups)))
            done += 1
            moved = {}
            for name, value in (("E", E), ("v", v), ("b", b)):
                moved[name], *both = plain_adam(value, slopes[name], *moments[name], done, step)
                moments[name] = tuple(both)
            E, v, b = moved["E"], moved["v"], moved["b"]
        snapshot = epoch(reviews, chosen, snapshot, recipe, lambda *steps: told.append(steps))
        snapshot = replace(snapshot, accuracies=(*snapshot.accuracies, 0.5))
    assert snapshot.steps == done
    assert told == [(k + 1, 3 * len(groups)) for k in range(done)]
    assert snapshot.weights.v == pytest.approx(v, rel=1e-3, abs=1e-4)
    assert snapshot.weights.b == pytest.approx(b, rel=1e-3, abs=1e-4)
    assert pytest.approx(E, rel=1e-3, abs=1e-4) == snapshot.weights.E


def test_scores_come_in_the_order_of_the_reviews_whatever_the_batches() -> None:
    reviews = reviews_of(list(sample_reviews(40, 7)), min_count=1)
    random = np.random.default_rng(1)
    model = ReviewClassifier(tuple(reviews.words), random.integers(-900, 900, (len(reviews.words), 2)), (300, -200), 40)
    chosen = reviews.of_part(0)[::-1]
    scores = [
        approx_scores(trainer.float_weights(model), reviews, chosen, model.layers, 3.0, size) for size in (3, 256)
    ]
    for found in scores:
        for place, k in enumerate(chosen.tolist()):
            ballot = model.ballot(reviews.bag(k))
            assert found.values[place] == pytest.approx(float(model.value(reviews.bag(k))), abs=1e-3)
            assert found.leaders[place] == sum(start is not None for start in ballot.leads_from)
            assert found.initial[place] == sum(start == 0 for start in ballot.leads_from)
    values = np.array([1.0, -1.0, 0.0, 2.0], dtype=f32)
    told = replace(scores[0], values=values)
    assert told.accuracy(np.array([1, 0, 0, 0])) == 0.75
    assert told.accuracy(np.array([1, 0, 1, 0])) == 0.5  # the value 0 is no positive review


def test_scores_after_few_layers_are_those_of_the_exact_run() -> None:
    reviews = reviews_of(list(sample_reviews(20, 7)), min_count=1)
    random = np.random.default_rng(2)
    model = ReviewClassifier(tuple(reviews.words), random.integers(-900, 900, (len(reviews.words), 2)), (300, -200), 40)
    chosen = np.flatnonzero(reviews.sizes > 0)
    for layers in (0, 1, 2):
        found = approx_scores(trainer.float_weights(model), reviews, chosen, layers, 3.0)
        exact = [float(replace(model, layers=layers).value(reviews.bag(k))) for k in chosen.tolist()]
        assert found.values == pytest.approx(np.array(exact), abs=1e-3)


def test_a_matrix_is_one_more_candidate_and_is_proposed_by_the_train_part() -> None:
    reviews = reviews_of(list(sample_reviews(90, 12)))
    kept = Kept(trainer.recipes(2, 2, "many", 0, 50)[0], 2, 0.5)
    weights = trainer.fit(reviews, (0,), kept, None, None)
    wanted = propose_matrix(weights, reviews, reviews.of_part(0), 2, 3, 0)
    assert trainer.with_matrix(reviews, kept, None) == replace(kept.recipe, matrix=wanted)
    for seed in (0, 1):
        plain, other = (trainer.train(reviews, layers=2, seed=seed, matrix=flag) for flag in (False, True))
        assert other.about["validation"] >= plain.about["validation"]
        assert (other.A is None) == (other.about["validation"] == plain.about["validation"])


def test_a_proposed_matrix_has_trace_d_is_definite_and_no_worse_than_the_identity() -> None:
    assert _rounded(np.array([[2.0, 1.0], [1.0, 6.0]])) == ((128, 64), (64, 384))
    assert _rounded(np.array([[1.0, 1.0], [1.0, 1.0]])) is None
    assert _rounded(np.array([[1.0, 0.994], [0.994, 1.0]])) is None  # definite, but by less than 1/100
    reviews = reviews_of(list(sample_reviews(60, 8)), min_count=1)
    weights = Weights.start(len(reviews.words), Recipe(2, 4, 1.0, 0.2, 0.02, seed=1))
    chosen = reviews.of_part(0)

    def loss(matrix: Any) -> float:
        values = approx_scores(weights.with_matrix(matrix), reviews, chosen, 4, 3.0).values
        return float(np.logaddexp(0, np.where(reviews.labels[chosen] > 0, -values, values)).mean())

    found = propose_matrix(weights, reviews, chosen, 4, 3.0, 0)
    assert found[0][1] == found[1][0]
    assert abs(found[0][0] + found[1][1] - 512) <= 1
    assert np.linalg.eigvalsh(np.array(found) / 256).min() >= 0.01
    assert loss(found) < loss(((256, 0), (0, 256)))


# the protocol -----------------------------------------------------------------------------------------
def test_recipes_of_every_kind() -> None:
    assert trainer.recipes(2, 8, "few", 5, 4000) == [
        Recipe(2, 8, 0.01, 0.2, 0.02, None, 3, 40, 3, 5),
        Recipe(2, 8, 0.01, 0.4, 0.02, None, 3, 40, 3, 5),
    ]
    some, many = (trainer.recipes(4, 6, leaders, 0) for leaders in ("some", "many"))
    assert [(r.drop, r.step, r.epochs) for r in some] == [(0.3, 0.04, 3), (0.5, 0.04, 6), (0.3, 0.02, 6)]
    assert {(r.spread, r.cap, r.size, r.layers, r.dim) for r in some} == {(0.3, None, 256, 6, 4)}
    assert many == [replace(r, spread=1.0, cap=2.0) for r in some]
    assert trainer.recipes(3, 0, "many", 1, 100) == [Recipe(3, 0, 0.01, 0.3, 0.02, epochs=8, size=16, seed=1)]
    sizes = [trainer.recipes(1, 1, "few", 0, n)[0].size for n in (0, 1699, 1700, 25_500, 25_600, 99_999)]
    assert sizes == [16, 16, 17, 255, 256, 256]
    for wrong in ((0, 1, "few"), (1, -1, "few"), (1, 1, "all"), (1, 0, "none")):
        with pytest.raises(InvalidInput, match="expected"):
            trainer.recipes(*wrong, 0)


@pytest.mark.parametrize(
    ("layers", "leaders", "epochs"), [(8, "few", 25), (8, "some", 37), (8, "many", 37), (0, "few", 32)]
)
def test_planned_epochs_are_those_of_all_candidates_and_of_the_longest_again(
    layers: int, leaders: str, epochs: int
) -> None:
    assert trainer.planned_epochs(2, layers, leaders) == epochs


def saved(folder: Path, reviews: Reviews, *accuracies: tuple[float, ...]) -> tuple[Resume, list[Recipe]]:
    """Trainings that are complete: `choose` has nothing to do but to choose."""
    resume, known = Resume(folder, reviews), []
    for k, told in enumerate(accuracies):
        known.append(Recipe(1, 1, 0.1, 0.1 * k, 0.1, epochs=len(told)))
        start = begin(len(reviews.words), known[-1])
        resume.save(replace(start, accuracies=told), known[-1], (0,))
    return resume, known


@pytest.mark.parametrize(
    ("accuracies", "candidate", "epochs", "best"),
    [
        (((0.5, 0.7, 0.6), (0.6, 0.65)), 0, 2, 0.7),
        (((0.5, 0.7, 0.7), (0.7, 0.7)), 0, 2, 0.7),
        (((0.5,), (0.4, 0.45, 0.5, 0.51)), 1, 4, 0.51),
        (((0.0, 0.0), (0.0,)), 0, 1, 0.0),
    ],
)
def test_the_validation_part_chooses_the_best_and_of_equal_ones_the_first(
    accuracies: Any, candidate: int, epochs: int, best: float, tmp_path: Path
) -> None:
    reviews = few_reviews()
    resume, known = saved(tmp_path / "r", reviews, *accuracies)
    assert trainer.choose(reviews, known, resume, None) == Kept(known[candidate], epochs, best)


def test_choices_of_nothing_and_between_two() -> None:
    with pytest.raises(InvalidInput, match="at least one recipe"):
        trainer.choose(few_reviews(), [], None, None)
    recipe = Recipe(1, 1, 0.1, 0.1, 0.1)
    one, equal, more = Kept(recipe, 1, 0.5), Kept(recipe, 2, 0.5), Kept(recipe, 3, 0.6)
    assert [trainer.better(one, equal), trainer.better(one, more), trainer.better(more, one)] == [one, more, more]


@pytest.mark.parametrize("length", [64, 128])
def test_a_rounded_model_is_nearest_on_the_grid_and_keeps_what_reviews_and_recipe_say(length: int) -> None:
    reviews = replace(few_reviews(), length=length, pairs=length == 64)
    E = np.array([[9, 9], [1 / 256 + 1e-4, -1.0], [0.25, 2 / 256 - 1e-4], [0, 3]])
    recipe = Recipe(2, 5, 0.1, 0.1, 0.1, matrix=((512, 64), (64, 256)))
    model = trainer.rounded(reviews, Weights(E, np.array([0.5, -0.25]), 0.125), recipe)
    assert model.embeddings.tolist() == [[1, -256], [64, 2], [0, 768]]
    assert (model.v, model.b, model.denominator, model.alpha) == ((128, -64), 32, 256, 3)
    assert (model.words, model.layers, model.length) == (("good", "bad", "film"), 5, length)
    assert model.pairs == (length == 64)
    assert ((F(2), F(1, 4)), (F(1, 4), F(1))) == model.A
    back = trainer.float_weights(model)
    assert pytest.approx(np.array([[0, 0], [1 / 256, -1], [1 / 4, 2 / 256], [0, 3]])) == back.E
    assert (back.v.tolist(), back.b) == ([0.5, -0.25], 0.125)
    assert back.lens is not None
    assert back.lens @ back.lens.T == pytest.approx(np.array([[2, 0.25], [0.25, 1]]), abs=1e-6)
    plain = trainer.rounded(reviews, Weights(E, np.array([0.5, -0.25]), 0.125), replace(recipe, matrix=None))
    assert plain.A is None
    assert trainer.float_weights(plain).lens is None


def test_the_table_of_leaders() -> None:
    found = trainer.leader_table(np.array([3, 0, 1, 4]), np.array([3, 0, 0, 2]))
    assert found == {"mean": 2.0, "std": 1.5811, "min": 0, "max": 4, "fraction_initial": 0.5}
    assert trainer.leader_table(np.zeros(2, int), np.zeros(2, int))["fraction_initial"] == 1.0


def test_the_protocol_of_a_training_by_hand() -> None:
    """Every candidate on the train part, the best on the validation part again on both, one look at the test part."""
    reviews = reviews_of(list(sample_reviews(240, 11)))
    model = trainer.train(reviews, dim=2, layers=3, seed=4)
    parts = {
        name: reviews.of_part(*p) for name, p in (("train", (0,)), ("seen", (1,)), ("both", (0, 1)), ("test", (2,)))
    }

    def trained(recipe: Recipe, chosen: Any, epochs: int) -> list[Snapshot]:
        found = [begin(len(reviews.words), recipe)]
        for _ in range(epochs):
            after = epoch(reviews, chosen, found[-1], recipe)
            found.append(replace(after, accuracies=(*after.accuracies, 0.0)))
        return found[1:]

    def share(weights: Weights, recipe: Recipe, chosen: Any) -> float:
        return round(approx_scores(weights, reviews, chosen, recipe.layers, 3).accuracy(reviews.labels[chosen]), 4)

    def best(layers: int) -> tuple[float, Recipe, int]:
        tried = []
        for recipe in trainer.recipes(2, layers, "few", 4, reviews.part_sizes[0]):
            for k, after in enumerate(trained(recipe, parts["train"], recipe.epochs), 1):
                tried.append((share(after.weights, recipe, parts["seen"]), recipe, k))
        return max(tried, key=lambda told: told[0])

    def decided_rightly(other: ReviewClassifier) -> float:
        chosen = parts["test"].tolist()
        return round(sum((other.value(reviews.bag(k)) > 0) == reviews.labels[k] for k in chosen) / len(chosen), 4)

    validation, recipe, epochs = best(3)
    weights = trained(recipe, parts["both"], epochs)[-1].weights
    again = classifier_of(reviews.words, weights.E[1:], weights.v, weights.b, layers=3)
    assert (again.embeddings.tolist(), again.v, again.b) == (model.embeddings.tolist(), model.v, model.b)
    plain_validation, plain, plain_epochs = best(0)
    without = trained(plain, parts["both"], plain_epochs)[-1].weights
    other = classifier_of(reviews.words, without.E[1:], without.v, without.b, layers=0)
    about = model.about
    assert (about["validation"], about["test"]) == (validation, decided_rightly(model))
    assert about["without_attention"] == {"validation": plain_validation, "test": decided_rightly(other)}
    assert about["attention_removed"] == decided_rightly(model.without_attention())
    assert (about["words"], about["reviews"]) == (len(reviews.words), reviews.part_sizes)
    assert about["recipe"] == asdict(recipe) | {"leaders": "few", "stopped_after": epochs}
    scores = approx_scores(trainer.float_weights(model), reviews, parts["test"], 3, 3.0)
    assert about["leaders"] == trainer.leader_table(scores.leaders, scores.initial)


# evaluation -------------------------------------------------------------------------------------------
def test_as_many_words_are_deleted_at_random_as_there_are_occurrences_of_leaders() -> None:
    """The leader stands there thrice: of four words one is left, and each of them in turn."""
    model = ReviewClassifier(("za", "zb"), np.array([[4, 8], [-1, 2]]), (1, 0), 0, denominator=1, layers=1)
    bag = {"za": 3, "zb": 1}
    assert model.ballot(bag).leads_from == [0, None]
    found = evaluate(model, [(True, bag)] * 40, sample=40, seed=3)
    random = np.random.default_rng(3)
    random.permutation(40)
    kept = [int(random.permutation(4)[3]) for _ in range(40)]
    same = sum(k < 3 for k in kept)  # za alone is positive like both, zb alone is not
    assert (found.tested, found.same["without_random"]) == (40, same)
    assert 0 < same < 40


def test_parts_of_reviews_are_read_from_every_kind_of_source(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(reviews_csv(60, 5))
    reviews = read_reviews(tmp_path / "r.csv", min_count=1)
    write_bags(reviews, tmp_path / "r.bags.xz")
    model = ReviewClassifier(tuple(reviews.words[::2]), np.ones((len(reviews.words[::2]), 1), dtype=np.int64), (1,), 0)
    for name in ("r.csv", "r.bags.xz"):
        for part in (None, 0, 1, 2):
            found = labelled_reviews(tmp_path / name, model, part)
            chosen = [k for k in range(60) if part is None or reviews.parts[k] == part]
            known = [{w: n for w, n in reviews.bag(k).items() if w in model.index} for k in chosen]
            assert [(label, dict(bag)) for label, bag in found] == [
                (bool(reviews.labels[k]), bag) for k, bag in zip(chosen, known, strict=True)
            ]
        assert len(labelled_reviews(tmp_path / name, model)) == reviews.part_sizes[2]
    with pytest.raises(InvalidInput, match="no order"):
        labelled_reviews(tmp_path / "r.bags.xz", replace(model, pairs=True))
    (tmp_path / "one.csv").write_text("pos,great film\n")
    with pytest.raises(InvalidInput, match="--part all"):
        labelled_reviews(tmp_path / "one.csv", model, (part_of("great film") + 1) % 3)
