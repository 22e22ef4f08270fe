"""The exact vote (W), the derivative (G), padding (P) and locks (L) of the sentiment classifier, by definition."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import proofs_check
from exactformer.arithmetic.state import State
from exactformer.dynamics.score_form import ScoreForm
from exactformer.studies.sentiment.approx_comparison import approx_hardmax, approx_softmax, compare
from exactformer.studies.sentiment.approx_hardmax import approx_follow, approx_weights, f32
from exactformer.studies.sentiment.approx_training import SentimentRecipe, SentimentWeights, Snapshot, gradient
from exactformer.studies.sentiment.classifier import ReviewClassifier
from exactformer.studies.sentiment.evaluation import evaluate
from exactformer.studies.sentiment.explanation import Explanation
from exactformer.studies.sentiment.resume import Resume
from exactformer.studies.sentiment.reviews import reviews_of
from exactformer.studies.sentiment.votes import Ballot

NAMES = tuple(f"z{chr(97 + i)}" for i in range(12))


def model_of(rows: list[list[int]], v: list[int], b: int = 1, **options: object) -> ReviewClassifier:
    options = {"denominator": 4, "layers": 5, **options}
    return ReviewClassifier(NAMES[: len(rows)], np.array(rows, dtype=np.int64), tuple(v), b, **options)  # type: ignore[arg-type]


def by_definition(
    model: ReviewClassifier, bag: Mapping[str, int], layers: int
) -> tuple[Fraction, list[list[set[int]]]]:
    """The decision value and the follower sets, every occurrence a token, Fractions only."""
    A = model.matrix
    Z = [list(model.embedding(word)) for word, count in bag.items() for _ in range(count)]
    a, history = model.share, []
    for _ in range(layers):
        images = [[sum(x * y for x, y in zip(row, z, strict=True)) for row in A] for z in Z]
        scores = [[sum(x * y for x, y in zip(left, y_, strict=True)) for y_ in Z] for left in images]
        sets = [{j for j, s in enumerate(row) if s == max(row)} for row in scores]
        means = [[sum(Z[j][k] for j in C) / len(C) for k in range(model.dim)] for C in sets]
        Z = [[(1 - a) * x + a * m for x, m in zip(z, mean, strict=True)] for z, mean in zip(Z, means, strict=True)]
        history.append(sets)
    mean = [sum(z[k] for z in Z) / len(Z) for k in range(model.dim)]
    return model.value_at([Fraction(x) for x in mean]), history


def explained(model: ReviewClassifier, bag: Mapping[str, int]) -> Explanation:
    return model.explain(" ".join(word for word, count in bag.items() for _ in range(count)))


#: small integer embeddings tie, coincide and vanish often
instances = st.integers(1, 3).flatmap(
    lambda d: st.tuples(
        st.lists(st.lists(st.integers(-3, 3), min_size=d, max_size=d), min_size=1, max_size=6),
        st.lists(st.integers(-4, 4), min_size=d, max_size=d),
        st.lists(st.integers(1, 3), min_size=6, max_size=6),
        st.sampled_from(["1/2", "1", "3"]),
    )
)


@settings(max_examples=60, deadline=None)
@given(instances)
def test_votes_add_up_and_agree_with_the_definition(
    instance: tuple[list[list[int]], list[int], list[int], str],
) -> None:
    rows, v, counts, alpha = instance
    model = model_of(rows, v, alpha=Fraction(alpha))
    bag = dict(zip(model.words, counts, strict=False))
    found = explained(model, bag)
    value, history = by_definition(model, bag, model.layers)
    assert found.value == value
    assert sum(word.weight for word in found.words) == 1
    assert min(word.weight for word in found.words) >= 0
    assert found.bias + sum(word.vote for word in found.words) == value
    owner = [i for i, count in enumerate(bag.values()) for _ in range(count)]
    for layer, sets in enumerate(history):
        follows = found.follows(layer)
        assert [{owner[j] for j in C} for C in sets] == [set(follows[i]) for i in owner]


@settings(max_examples=60, deadline=None)
@given(instances)
def test_leaders_are_positions_that_follow_themselves(
    instance: tuple[list[list[int]], list[int], list[int], str],
) -> None:
    rows, v, counts, alpha = instance
    model = model_of(rows, v, alpha=Fraction(alpha))
    bag = dict(zip(model.words, counts, strict=False))
    found = explained(model, bag)
    _, history = by_definition(model, bag, model.layers)
    owner = [i for i, count in enumerate(bag.values()) for _ in range(count)]
    for i, word in enumerate(found.words):
        place = {j for j in range(len(rows)) if rows[j] == rows[i]}
        own = {k for k, o in enumerate(owner) if o in place}
        layers = [k for k, sets in enumerate(history) if sets[owner.index(i)] == own]
        assert word.leads_from == (layers[0] if layers else None)


@settings(max_examples=60, deadline=None)
@given(instances)
def test_a_proved_depth_holds_at_every_larger_depth(
    instance: tuple[list[list[int]], list[int], list[int], str],
) -> None:
    rows, v, counts, alpha = instance
    model = model_of(rows, v, alpha=Fraction(alpha))
    bag = dict(zip(model.words, counts, strict=False))
    found = explained(model, bag)
    if found.same_from is None:
        return
    for depth in [*range(found.same_from, model.layers + 6), 40]:
        assert model.value_at(*found.ballot.mean(depth)) * found.value > 0


def test_a_decision_that_turns_with_depth_is_not_called_the_same() -> None:
    model = model_of([[4, 1], [1, 4], [1, 0]], [4, -5], b=-1, layers=0, alpha=Fraction(1))
    found = explained(model, {"za": 1, "zb": 1, "zc": 3})
    values = [model.value_at(*found.ballot.mean(k)) for k in range(6)]
    assert values[0] < 0 < values[5]
    assert found.same_from is None


def test_order_and_copies_change_nothing() -> None:
    model = model_of([[3, 1], [-2, 2], [1, 1], [0, -3], [3, 1]], [2, -1])
    bag = {"za": 1, "zb": 2, "zc": 1, "zd": 3, "ze": 1}
    backwards = dict(reversed(bag.items()))
    assert model.value(bag) == model.value(backwards) == model.value({word: 2 * count for word, count in bag.items()})


def test_a_matrix_is_the_identity_after_a_change_of_coordinates() -> None:
    """<A x, y> with A = L L' is <L'x, L'y>: embeddings L'e and the direction L^-1 v give the same function."""
    rows, v = [[3, -3], [1, 2], [2, 1], [-2, -1]], [2, -1]
    with_matrix = model_of(rows, v, A=((Fraction(4), Fraction(2)), (Fraction(2), Fraction(2))))  # L = [[2, 0], [1, 1]]
    moved = [[2 * x + y, y] for x, y in rows]
    plain = model_of(moved, [1, -2])  # L^-1 (2, -1) = (1, -2)
    bag = {"za": 1, "zb": 2, "zc": 1, "zd": 3}
    assert with_matrix.value(bag) == plain.value(bag)
    assert with_matrix.value(bag) != model_of(rows, v).value(bag)


def test_the_derivative_is_the_weight_times_v() -> None:
    """D(E + h) - D(E) = h u_j v exactly, as long as the follower sets stay."""
    rows, v = [[13, 2], [-9, 6], [4, 4], [1, -11]], [5, -3]
    model = model_of(rows, v, denominator=64)
    bag = {"za": 1, "zb": 2, "zc": 1, "zd": 3}
    found = explained(model, bag)
    for j, k in ((0, 0), (2, 1), (3, 0)):
        moved = [list(row) for row in rows]
        moved[j][k] += 1
        other = explained(model_of(moved, v, denominator=64), bag)
        assert [other.follows(layer) for layer in range(5)] == [found.follows(layer) for layer in range(5)]
        assert other.value - found.value == found.words[j].weight * Fraction(v[k], 64) / 64


def test_the_gradient_of_the_training_is_that_derivative() -> None:
    random = np.random.default_rng(3)
    weights = SentimentWeights(
        np.vstack([np.zeros((1, 3)), random.standard_normal((9, 3))]), random.standard_normal(3), 0.2
    )
    numbers, shares = np.array([[1, 2, 3, 4], [5, 6, 9, 0]]), np.array([[0.25] * 4, [0.5, 0.25, 0.25, 0.0]])
    labels = np.array([1, 0])

    def loss(w: SentimentWeights) -> float:
        votes, _ = w.votes(numbers, shares, 6, 0.7)
        values = (votes.astype(float) * (w.E @ w.v)[numbers]).sum(1) + w.b
        return float(np.mean(np.logaddexp(0, values) - labels * values))

    slope = gradient(weights, numbers, weights.votes(numbers, shares, 6, 0.7)[0], labels)
    for word, k in ((1, 0), (6, 2), (9, 1)):
        step = np.zeros_like(weights.E)
        step[word, k] = 1e-4
        change = (loss(replace(weights, E=weights.E + step)) - loss(replace(weights, E=weights.E - step))) / 2e-4
        assert slope.E[word, k] == pytest.approx(change, rel=2e-3, abs=1e-5)
    change = (loss(replace(weights, b=weights.b + 1e-4)) - loss(replace(weights, b=weights.b - 1e-4))) / 2e-4
    assert slope.b == pytest.approx(change, rel=1e-3)


def distinct_models(seed: int, dim: int) -> ReviewClassifier:
    random = np.random.default_rng(seed)
    rows = random.integers(-600, 600, (12, dim))
    return ReviewClassifier(NAMES, rows, tuple(random.integers(-600, 600, dim).tolist()), 3, layers=8)


@pytest.mark.parametrize("dim", [2, 3, 8])
def test_float_batches_agree_with_the_exact_run_on_the_grid(dim: int) -> None:
    """Locked reviews that leave the loop, padding in front and behind, and the plain exact loop: one answer."""
    for seed in range(8):
        model = distinct_models(seed, dim)
        E = np.vstack([np.zeros((1, dim)), model.embeddings / 256]).astype(f32)
        weights = SentimentWeights(E, (np.array(model.v) / 256).astype(f32), model.b / 256)
        random = np.random.default_rng(seed)
        numbers, shares = np.zeros((6, 10), dtype=np.int64), np.zeros((6, 10), dtype=f32)
        bags = []
        for row in range(6):
            chosen = random.permutation(12)[: random.integers(1, 9)]
            at = np.sort(random.permutation(10)[: len(chosen)])
            numbers[row, at], shares[row, at] = chosen + 1, 1 / len(chosen)
            bags.append({NAMES[i]: 1 for i in chosen.tolist()})
        votes, followed = weights.votes(numbers, shares, 8, 3.0)
        assert followed is not None
        assert votes.sum(1) == pytest.approx(1, abs=1e-5)
        for row, bag in enumerate(bags):
            found = explained(model, bag)
            of = {word.word: word for word in found.words}
            for place in np.flatnonzero(numbers[row]).tolist():
                word = of[NAMES[numbers[row, place] - 1]]
                assert votes[row, place] == pytest.approx(float(word.weight), abs=2e-5)
                assert followed.leads[row, place] == (word.leads_from is not None)
            assert weights.values(numbers, votes)[row] == pytest.approx(float(found.value), abs=2e-3)


def test_nobody_follows_an_empty_place() -> None:
    states = np.array([[[1.0, 0], [0, 0], [-1, 2], [0, 0]]], dtype=f32)
    empty = np.array([[False, True, False, True]])
    followed = approx_follow(states, empty, 4, 0.25)
    assert set(followed.layers[0].follows[0, [0, 2]].tolist()) <= {0, 2}
    weights = approx_weights(followed, np.array([[0.5, 0, 0.5, 0]], dtype=f32))
    assert weights[0, [1, 3]].tolist() == [0, 0]


def test_a_word_that_leads_first_at_the_last_depth_is_no_leader() -> None:
    """Leaders are those of layers below K, also after layer K was looked at."""
    rows = [[60, 20], [-5, 5], [-60, -60], [0, 15], [-18, -42], [-36, -54], [48, 6], [36, 9]]  # an emerging leader
    model = model_of(rows, [1, 2], layers=1, alpha=Fraction(1, 2), denominator=60)
    found = explained(model, dict.fromkeys(model.words, 1))
    found.ballot.follows(3)
    assert found.ballot.engine.leads_from.tolist()[1] == 1
    assert found.words[1].leads_from is None
    deeper = explained(replace(model, layers=2), dict.fromkeys(model.words, 1))
    assert deeper.words[1].leads_from == 1


def test_a_tie_that_will_part_is_not_locked() -> None:
    """(1,1) ties between (3,0) and (1,2), which lead; from their mean (2,1) the first alone is seen. At (1,0) and
    (2,2), (2,-2) it is the mean of both that is seen, and both of them for ever."""
    parting = Ballot(State.of([[3, 0], [1, 2], [1, 1]]), [1, 1, 1], ScoreForm([[1, 0], [0, 1]]), Fraction(1, 2), 0)
    staying = Ballot(State.of([[2, 2], [2, -2], [1, 0]]), [1, 1, 1], ScoreForm([[1, 0], [0, 1]]), Fraction(1, 2), 0)
    assert [parting.follows(0)[2].tolist(), staying.follows(0)[2].tolist()] == [[0, 1], [0, 1]]
    assert not parting.locked_plainly()
    assert staying.locked_plainly()


def test_of_all_smallest_sets_the_one_that_goes_furthest_changes_the_decision() -> None:
    for signs in (1, -1):
        model = model_of([[5 * signs], [4 * signs], [-3 * signs], [-3 * signs]], [1], 0, layers=0)
        found = explained(model, dict.fromkeys(NAMES[:4], 1)).counterfactual()
        rest = {words: model.value(dict.fromkeys(words, 1)) for words in combinations(NAMES[:4], 3)}
        changed = {words: value for words, value in rest.items() if value * signs < 0}
        assert len(changed) == 2
        furthest = min(changed, key=lambda words: changed[words] * signs)
        assert found.words == tuple(set(NAMES[:4]) - set(furthest)) == (NAMES[0],)
        assert (found.value, found.proved_up_to, found.examined) == (changed[furthest], 1, 4)


def test_a_prediction_that_rounding_turns_is_counted_for_every_type() -> None:
    """1/10 is rounded: -1/10 + (1/10 + 1/10 + 1/10)/3 is 0 exactly, and not in floats."""
    model = model_of([[1], [1], [1]], [10], -1, denominator=10, layers=0)
    bag = dict.fromkeys(NAMES[:3], 1)
    row = np.full((3, 1), 0.1)
    differ = {}
    for kind in (np.float32, np.float64):
        Z = row.astype(kind)
        differ[kind.__name__] = int(Z.mean(0)[0] * kind(1) + kind(-0.1) > 0)
    assert model.value(bag) == 0
    found = compare(model, [bag, bag])
    assert {kind: found["predictions"][kind] for kind in differ} == {kind: 2 * n for kind, n in differ.items()}
    assert differ["float64"] == 1


def test_a_saved_training_is_of_its_own_reviews_alone(tmp_path: Path) -> None:
    reviews = reviews_of([(True, "good good film"), (False, "bad film")], min_count=1, part=lambda text: 0)
    recipe = SentimentRecipe(1, 1, 0.1, 0.0, 0.1)
    weights = SentimentWeights(np.zeros((4, 1)), np.ones(1), 0.5)
    saved = Snapshot(weights, weights, weights, 3, (0.25, 0.5))
    Resume(tmp_path, reviews).save(saved, recipe, (0,))
    found = Resume(tmp_path, reviews).load(recipe, (0,))
    assert found is not None
    assert (found.steps, found.accuracies, found.weights.b) == (3, (0.25, 0.5), 0.5)
    assert Resume(tmp_path, reviews).load(recipe, (0, 1)) is None
    assert Resume(tmp_path, reviews).load(replace(recipe, seed=1), (0,)) is None
    for name in ("labels", "parts", "offsets", "ids", "counts"):
        other = replace(reviews, **{name: getattr(reviews, name) + 1})
        assert Resume(tmp_path, other).load(recipe, (0,)) is None, name
    assert Resume(tmp_path, replace(reviews, words=["x", *reviews.words[1:]])).load(recipe, (0,)) is None


def test_an_evaluation_by_its_definition() -> None:
    model = model_of([[4, 0], [-4, 1], [1, 1], [0, -2], [0, 0]], [2, 1], 0)
    bags = [{NAMES[i]: n for i, n in enumerate(counts) if n} for counts in product(range(3), repeat=5)]
    reviews = [(k % 3 > 0, bag) for k, bag in enumerate(bags)]
    found = evaluate(model, reviews, sample=len(reviews), seed=2).json(top=4)
    values = [model.value(bag) if bag else Fraction(0) for bag in bags]
    right = [value != 0 and (value > 0) == label for value, (label, _) in zip(values, reviews, strict=True)]
    assert found["reviews"] == len(reviews)
    assert found["declined"] == values.count(0) > 1
    assert found["accuracy"] == round(sum(right) / len(reviews), 4)
    leading, same, tested = [], Counter[str](), 0
    words = Counter[str]()
    for value, bag, ok in zip(values, bags, right, strict=True):
        if not value:
            continue
        said = explained(model, bag)
        leaders = [said.words[i] for i in said.leaders]
        places = {model.embedding(word.word): word.leads_from for word in leaders}
        leading.append((len(places), sum(start == 0 for start in places.values())))
        words.update(word.word for word in leaders if ok)
        alone = {word.word: word.count for word in leaders}
        others = {word: n for word, n in bag.items() if word not in alone}
        if alone and others:
            tested += 1
            for name, rest in (("only_leaders", alone), ("without_leaders", others)):
                same[name] += (model.value(rest) > 0) == (value > 0)
    counts, initial = np.array(leading).T
    some = counts > 0
    assert found["leaders"] == {
        "mean": round(float(counts.mean()), 4),
        "std": round(float(counts.std()), 4),
        "min": counts.min(),
        "max": counts.max(),
        "fraction_initial": round(float((initial[some] / counts[some]).mean()), 4),
    }
    assert {tuple(pair) for pair in found["top"]} == {(word, n) for word, n in words.most_common(4)}
    assert found["faithfulness_reviews"] == tested
    for name in ("only_leaders", "without_leaders"):
        assert found["faithfulness"][name] == round(same[name] / tested, 4)
    fewer = evaluate(model, reviews, sample=5, seed=2).json()
    assert fewer["faithfulness_reviews"] <= 5
    assert fewer["accuracy"] == found["accuracy"]


#: rows, v, b and options: ties that part in floats at some layers; exact followers that change from layer to layer
COMPARED: list[tuple[list[list[int]], list[int], int, dict[str, Any]]] = [
    ([[-4, -3], [-2, -4], [4, -1]], [-1, -1], 2, {"A": ((3, -2), (-2, 2)), "denominator": 3}),
    (
        [[60, 20], [-5, 5], [-60, -60], [0, 15], [-18, -42], [-36, -54], [48, 6], [36, 9]],
        [1, 2],
        1,
        {"denominator": 60},
    ),
]


@pytest.mark.parametrize(("rows", "v", "b", "options"), COMPARED)
def test_floats_are_compared_with_the_definition_layer_by_layer(
    rows: list[list[int]], v: list[int], b: int, options: dict[str, Any]
) -> None:
    A = tuple(tuple(map(Fraction, row)) for row in options.get("A", ((1, 0), (0, 1))))
    model = model_of(rows, v, b, layers=3, alpha=Fraction(1, 2), **options | {"A": A})
    counts = product(range(3), repeat=3) if len(rows) == 3 else [[1] * 8, [2, 1, 1, 3, 1, 1, 1, 1]]
    bags = [{NAMES[i]: n for i, n in enumerate(row) if n} for row in counts if any(row)]
    rest = (np.array(A, dtype=float), np.array(v) / model.denominator, b / model.denominator, float(model.share), 3)
    wanted, gap = Counter[str](), 0.0
    for bag in bags:
        value, history = by_definition(model, bag, 3)
        words = [word for word, n in bag.items() for _ in range(n)]
        Z = np.array([model.embeddings[NAMES.index(word)] for word in words]) / model.denominator
        own = {word: {k for k, other in enumerate(words) if other == word} for word in bag}
        leads = {word: any(sets[words.index(word)] == own[word] for sets in history) for word in bag}
        for kind in (np.float32, np.float64):
            found, follows = approx_hardmax(Z.astype(kind), *rest)
            seen = [[set(np.flatnonzero(row).tolist()) for row in C] for C in follows]
            wanted[f"predictions {kind.__name__}"] += (found > 0) != (value > 0)
            wanted[f"sets {kind.__name__}"] += seen != history
            wanted[f"leaders {kind.__name__}"] += leads != {
                word: any(sets[words.index(word)] <= own[word] for sets in seen) for word in bag
            }
        soft = approx_softmax(Z, *rest)
        wanted["predictions softmax"] += (soft > 0) != (value > 0)
        gap += abs(soft - float(value))
    told = compare(model, bags)
    kinds = ("float32", "float64")
    assert told["predictions"] == {kind: wanted[f"predictions {kind}"] for kind in (*kinds, "softmax")}
    assert told["follower_sets"] == {kind: wanted[f"sets {kind}"] for kind in kinds}
    assert told["leaders"] == {kind: wanted[f"leaders {kind}"] for kind in kinds}
    assert told["approx_softmax_gap"] == round(gap / len(bags), 6)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_values_in_floats_are_near_the_definition_whatever_the_matrix(kind: Any) -> None:
    A = ((Fraction(1), Fraction(0)), (Fraction(0), Fraction(9)))
    model = model_of([[8, 3], [3, 5], [2, -5]], [-3, 4], 9, A=A, layers=3, alpha=Fraction(1))
    bag = {"za": 2, "zb": 1, "zc": 3}
    rows = np.repeat(model.embeddings, [2, 1, 3], axis=0) / 4
    rest = (np.array(A, dtype=float), np.array([-0.75, 1.0]), 2.25, 0.5, 3)
    value, history = by_definition(model, bag, 3)
    found, follows = approx_hardmax(rows.astype(kind), *rest)
    assert found == pytest.approx(float(value), rel=1e-5)
    assert [[set(np.flatnonzero(row).tolist()) for row in C] for C in follows] == history
    assert approx_softmax(rows, *rest) == pytest.approx(float(value), rel=1e-5)
    assert by_definition(replace(model, A=None), bag, 3)[0] != value


def test_a_training_with_a_matrix_goes_on_with_it(tmp_path: Path) -> None:
    reviews = reviews_of([(True, "good good film"), (False, "bad film")], min_count=1, part=lambda text: 0)
    recipe = SentimentRecipe(2, 1, 0.1, 0.0, 0.1, matrix=((320, 64), (64, 192)))
    start = SentimentWeights.start(3, recipe)
    assert start.lens is not None
    assert start.lens @ start.lens.T == pytest.approx(np.array([[320, 64], [64, 192]]) / 256)
    other = SentimentWeights(start.E + 1, start.v + 2, 0.75)
    saved = Snapshot(start, other, replace(other, b=0.25), 3, (0.25,))
    Resume(tmp_path, reviews).save(saved, recipe, (0,))
    found = Resume(tmp_path, reviews).load(recipe, (0,))
    assert found is not None
    assert found.weights.lens == pytest.approx(start.lens)
    for name in ("weights", "first", "second"):
        one, two = getattr(found, name), getattr(saved, name)
        assert (one.E.tolist(), one.v.tolist(), one.b) == (two.E.tolist(), two.v.tolist(), two.b)
    plain = replace(recipe, matrix=None)
    assert Resume(tmp_path, reviews).load(plain, (0,)) is None
    Resume(tmp_path, reviews).save(saved, plain, (0,))
    again = Resume(tmp_path, reviews).load(plain, (0,))
    assert again is not None
    assert again.weights.lens is None


def test_a_certificate_speaks_of_larger_depths_where_locks_alone_prove_it(tmp_path: Path) -> None:
    """(0) follows everyone, also those who do not lead: the decision is proved to stay, but not by locks alone."""
    for rows, deeper in (([[1], [0], [-1]], False), ([[2], [1], [-1]], True)):
        model = model_of(rows, [-1], -9, layers=1, denominator=1, alpha=Fraction(1))
        found = explained(model, {"za": 1, "zb": 2, "zc": 1})
        assert found.same_from == 0
        assert found.ballot.locked_plainly() is deeper
        found.certify(tmp_path / "c.jsonl")
        assert proofs_check.check(str(tmp_path / "c.jsonl")).verdict == "accepted"
        said = next(
            line for line in map(json.loads, (tmp_path / "c.jsonl").read_text().splitlines()) if "leaders" in line
        )
        assert said == {"leaders": [0, 2], "positive": False} | ({"deeper": True} if deeper else {})


def test_words_follow_at_the_last_layer_whom_the_definition_says() -> None:
    rows = [[60, 20], [-5, 5], [-60, -60], [0, 15], [-18, -42], [-36, -54], [48, 6], [36, 9]]
    bag = dict.fromkeys(NAMES[:8], 1)
    seen = []
    for layers in (1, 2, 3):
        model = model_of(rows, [1, 2], layers=layers, alpha=Fraction(1, 2), denominator=60)
        found, (value, history) = explained(model, bag), by_definition(model, bag, layers)
        assert [set(word.follows) for word in found.words] == history[-1]
        assert [[set(members) for members in layer] for layer in found.json()["layers"]] == history
        assert found.value == value
        seen.append(history[-1])
    assert seen[0] != seen[1]


def test_the_limit_of_the_mean_is_known_from_the_layer_of_the_locks_on() -> None:
    """(4,0) and (0,4) lead, (2,1) follows the first of them: it ends there, whatever the depth."""
    form = ScoreForm([[1, 0], [0, 1]])
    for depth in range(4):
        ballot = Ballot(State.of([[4, 0], [0, 4], [2, 1]]), [1, 3, 1], form, Fraction(1, 3), depth)
        assert ballot.limit_mean() == [Fraction(8, 5), Fraction(12, 5)]
        assert ballot.locked_plainly()
        tied = Ballot(State.of([[4, 3], [4, -1], [1, 0]]), [1, 3, 2], form, Fraction(1, 3), depth)
        assert tied.follows(0)[2].tolist() == [0, 1]  # for ever: from their mean (4, 0) they are seen alike
        assert tied.limit_mean() == [4, 0]
        assert tied.locked_plainly()


def test_what_is_locked_does_not_depend_on_how_far_one_looked() -> None:
    rows = [[60, 20], [-5, 5], [-60, -60], [0, 15], [-18, -42], [-36, -54], [48, 6], [36, 9]]
    for count in (2, 4, 8):
        for depth in range(4):
            before, after = (
                Ballot(State.of(rows[:count]), [1] * count, ScoreForm([[1, 0], [0, 1]]), Fraction(1, 3), depth)
                for _ in range(2)
            )
            after.follows(9)
            assert before.locked_plainly() == after.locked_plainly()
            assert before.limit_mean() == after.limit_mean() or before.limit_mean() is None


def test_leaders_of_an_evaluation_are_told_from_those_of_the_first_layer() -> None:
    rows, v, b, options = COMPARED[1]
    model = model_of(rows, v, b, layers=2, alpha=Fraction(1, 2), **options)
    bags = [dict.fromkeys(NAMES[:8], 1), {NAMES[0]: 1, NAMES[6]: 2}]
    starts = [model.ballot(bag).leads_from for bag in bags]
    found = evaluate(model, [(True, bag) for bag in bags])
    assert found.leaders == [sum(start is not None for start in own) for own in starts]
    assert found.initial == [sum(start == 0 for start in own) for own in starts]
    assert found.initial != found.leaders
    shares = [first / all_ for first, all_ in zip(found.initial, found.leaders, strict=True)]
    assert found.json()["leaders"]["fraction_initial"] == round(sum(shares) / 2, 4)


def test_a_value_that_tends_to_zero_decides_alike_at_every_depth() -> None:
    """The mean rises from 5/2 to 4, where the value is 0; it is negative at every depth."""
    for layers in (0, 1, 3):
        found = explained(model_of([[4], [1]], [1], -4, layers=layers, denominator=1), {"za": 1, "zb": 1})
        assert found.value < 0
        assert found.ballot.limit_mean() == [4]
        assert found.same_from == 0
