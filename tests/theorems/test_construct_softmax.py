"""Theorems SL and ST: built or refused on every family, within the bounds, and right by definition in mpmath."""

from __future__ import annotations

import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from softmax_definition import distance, image, number

import exactformer as ef
from exactformer.constructions.built_transformer import Built
from exactformer.errors import InvalidInput, NoConstruction
from exactformer.evaluate.box_attention import BoxTransformer
from exactformer.evaluate.boxes import Boxes
from exactformer.instances.dataset_families import FAMILIES, sample
from exactformer.model.dataset import Dataset, Sequence
from exactformer.model.temperatures import Temperatures

SIZES = [(3, 1), (6, 2), (8, 3)]


def soft_leaders(data: Dataset, beta: Fraction | int = 1, width: int = 4) -> Built:
    return ef.construct(data, method="leaders", attention="softmax", beta=beta, width=width)


def verify_in_mpmath(built: Built, betas: list[Fraction | int], sequences: int = 3) -> None:
    """Every output is a target at these temperatures, to 40 of 50 digits relative to the largest number on the way."""
    size = 1 + max(abs(int(v)) for row in built.targets.points.tolist() for v in row)
    with mpmath.workdps(50 + 2 * len(str(2**built.report.max_bits))):
        for j in range(min(sequences, len(built.data))):
            tokens, targets = built.data[j].tokens.rows(), built.targets.state(j).rows()
            for beta in betas:
                error = distance(image(built.transformer, tokens, number(Fraction(beta))), targets)
                assert error < mpmath.mpf(10) ** -40 * size, (j, beta, error)


def random_data(rng: random.Random) -> Dataset:
    """Shared tokens, repetitions, several targets, d from 1 to 3."""
    d, pool = rng.choice([1, 1, 2, 3]), set[tuple[Fraction, ...]]()
    while len(pool) < rng.randint(6, 12):
        pool.add(tuple(Fraction(rng.randint(-40, 40), rng.choice([1, 2, 3, 5])) for _ in range(d)))
    tokens, used, rows = sorted(pool), set[frozenset[tuple[Fraction, ...]]](), []
    most = rng.choice([1, 1, 2, 4])
    for _ in range(rng.randint(1, 8)):
        x = rng.sample(tokens, rng.randint(1, min(len(tokens), 7)))
        if frozenset(x) in used:
            continue
        used.add(frozenset(x))
        targets = {tuple(Fraction(rng.randint(-9, 9), rng.choice([1, 2])) for _ in range(d)) for _ in range(most)}
        repeated = x + [rng.choice(x) for _ in range(rng.randint(0, 3))]
        rng.shuffle(repeated)
        rows.append(Sequence.of(repeated, targets=sorted(targets)[: len(x)]))
    return Dataset.of(rows)


@pytest.mark.parametrize("family", FAMILIES)
def test_soft_leaders_on_every_family(family: str) -> None:
    for n, d in SIZES:
        data = sample(family, n, d, seed=11)
        if family == "multiplicities":
            with pytest.raises(NoConstruction, match=r"same set of tokens.*shallow") as refused:
                soft_leaders(data)
            assert refused.value.reasons[0].sequences
            assert ("temperature" in str(refused.value)) == (d > 1)
            continue
        built = soft_leaders(data)
        assert built.report.blocks <= built.report.bound < built.report.paper_bound
        assert built.report.width <= 4
        assert built.report.attention_rank <= 1
        if d == 2:
            verify_in_mpmath(built, [1, 10], sequences=1)


@pytest.mark.parametrize("family", FAMILIES)
def test_temperature_on_every_family(family: str) -> None:
    for n, d in SIZES[1:]:
        built = ef.construct(sample(family, n, d, seed=11), method="temperature", beta="5/7")
        total = sum(len(built.targets.sets[j]) for j in range(len(built.data)))
        assert built.report.blocks == 2
        assert built.report.width <= max(2, 2 * total - 1)
        verify_in_mpmath(built, [Fraction(5, 7)], sequences=1)


@pytest.mark.parametrize("beta", ["1/8", "1", "7/3", "50"])
def test_one_set_of_weights_serves_every_temperature_from_beta_on(beta: str) -> None:
    low = Fraction(beta)
    for family in ("random-targets", "nested"):
        built = soft_leaders(sample(family, 5, 2, seed=3), low)
        verify_in_mpmath(built, [low, 2 * low, 10 * low, 1000 * low])
        for j in range(len(built.data)):  # and hardmax, exactly
            assert set(built.transformer(built.data[j].tokens).rows()) == set(built.targets.state(j).rows())


def random_sets(count: int, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(count):
        data, width = random_data(rng), rng.choice([4, 5, 6, 1000])
        built = soft_leaders(data, rng.choice([Fraction(1, 8), Fraction(1), Fraction(7, 3), Fraction(50)]), width)
        assert built.report.blocks <= built.report.bound
        assert built.report.width <= width
        assert built.report.softmax is not None
        verify_in_mpmath(built, [built.report.softmax.temperatures.low], sequences=2)


def test_random_data_sets_are_proved() -> None:
    random_sets(8, seed=1)


@pytest.mark.slow
def test_sixty_random_data_sets_are_proved() -> None:
    random_sets(60, seed=2)


def test_the_scale_is_not_far_from_what_is_needed() -> None:
    """A scale much too large would be right and useless: at a 1024th of beta the proof fails, and the claim too."""
    built = soft_leaders(sample("nested", 6, 2, seed=3))
    for factor, fails in ((1, False), (1024, True)):
        enclosed = BoxTransformer(built.transformer, Temperatures.of(Fraction(1, factor), None))
        assert fails != all(enclosed.enclose(Boxes.of(s.tokens), 128).are_points for s in built.data)
    cold = mpmath.mpf(1) / 1024
    errors = [
        distance(image(built.transformer, s.tokens.rows(), cold), built.targets.state(j).rows())
        for j, s in enumerate(built.data)
    ]
    assert max(errors) > 1e-3


def test_rule_b_proves_what_rule_a_proves() -> None:
    built = soft_leaders(sample("random-targets", 4, 2, seed=1))
    for high in (1, Fraction(3, 2)):
        enclosed = BoxTransformer(built.transformer, Temperatures.of(1, high))
        for j, sequence in enumerate(built.data):
            assert enclosed.enclose(Boxes.of(sequence.tokens), 128).points() == set(built.targets.state(j).rows())


def test_different_measures_on_one_set_need_temperature_or_uniform_attention() -> None:
    rows = [([[0, 0], [1, 1]], "a"), ([[0, 0], [0, 0], [1, 1]], "b")]
    data = Dataset.of([Sequence.of(x, label=y) for x, y in rows])
    with pytest.raises(NoConstruction, match="temperature"):
        soft_leaders(data)
    built = ef.construct(data, method="temperature", beta="1/3")
    assert built.report.measures == 2
    verify_in_mpmath(built, [Fraction(1, 3)])


def test_means_that_differ_late_are_refined() -> None:
    """Softmax means of 1 and of 1 + 10^-40 are the same to 64 bits."""
    rows = [([[0, 0], [1, 0]], "a"), ([[0, 0], [1 + Fraction(1, 10**40), 0]], "b")]
    built = ef.construct(Dataset.of([Sequence.of(x, label=y) for x, y in rows]), method="temperature", beta=1)
    verify_in_mpmath(built, [1])


def test_gaps_of_twenty_thousand_digits_are_proved() -> None:
    """The bits of the enclosures go as far as the weights are long."""
    rows = [([[0]], [[0]]), ([[0], [Fraction(1, 10**20000)]], [[1]])]
    built = soft_leaders(Dataset.of([Sequence.of(x, targets=y) for x, y in rows]))
    assert built.softmax is not None
    assert built.softmax.bits > 1 << 16


def test_temperature_needs_a_second_dimension_and_says_so() -> None:
    data = Dataset.of([Sequence.of([[0], [1]], label="a"), Sequence.of([[0]], label="b")])
    with pytest.raises(NoConstruction, match=r"dimension >= 2.*shallow"):
        ef.construct(data, method="temperature", beta=1)
    assert ef.construct(data, method="temperature", beta=1, positions=True).report.blocks == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "leaders", "attention": "softmax", "beta": 0}, "> 0, got 0"),
        ({"method": "leaders", "attention": "softmax", "beta": "-1/2"}, "> 0, got -1/2"),
        ({"method": "leaders", "attention": "softmax", "beta": "warm"}, "warm"),
        ({"method": "leaders", "attention": "softmax", "beta": np.nan}, "finite"),
        ({"method": "leaders", "attention": "softmax", "width": 3}, "width >= 4"),
        ({"method": "leaders", "beta": 1}, "softmax"),
        ({"method": "temperature"}, "give beta"),
        ({"method": "temperature", "beta": 1, "attention": "hardmax"}, "softmax"),
        ({"method": "temperature", "beta": 1, "robust": True}, "robust"),
        ({"method": "paper", "attention": "softmax"}, "hardmax only"),
        ({"method": "shallow", "attention": "sparsemax"}, "hardmax or softmax"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: dict[str, object], message: str) -> None:
    data = sample("nested", 3, 2, seed=0)
    with pytest.raises(InvalidInput, match=message):
        ef.construct(data, **options)  # type: ignore[arg-type]
