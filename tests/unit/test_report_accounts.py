"""The account of a certificate says what the object that wrote it knows: claim by claim, figure by figure."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactformer as ef
from exactformer.atlas.figures import leader_words
from exactformer.atlas.inputs import TOKENS
from exactformer.certificates.infeasible import write_infeasible
from exactformer.dynamics.families import sample
from exactformer.errors import NoConstruction
from exactformer.report.accounts import Account, account_of
from exactformer.report.gallery import configurations
from exactformer.report.geometry_plot import draw_attention, draw_moves
from exactformer.report.sentiment_plots import plot_accuracy, plot_planes, plot_words
from exactformer.studies.mean_field.families import sample_system
from exactformer.studies.mean_field.laplace import laplace_bound
from exactformer.studies.mean_field.system import System
from exactformer.studies.mean_field.zero_temperature import limit
from exactformer.studies.sentiment import load
from exactformer.studies.sentiment.families import sample_reviews
from exactformer.training.loss import regularised_loss

EMERGING = configurations()["emerging leader"]
DATA = ef.Dataset.of([[[0, 1], [2, 3]], [[0, 1]], [[5, "1/2"], [0, 1]]], labels=list("aba"))


def told(thing: Any, folder: Path, **options: Any) -> tuple[Account, dict[str, Any], dict[str, list[list[Any]]]]:
    """The account of what certifies itself, its facts and the rows of its tables."""
    thing.certify(folder / "c.jsonl", **options)
    account = account_of(folder / "c.jsonl")
    return account, dict(account.facts), {title: rows for title, _, rows in account.tables}


def test_a_limit(tmp_path: Path) -> None:
    found = ef.limit(EMERGING)
    account, facts, tables = told(found, tmp_path)
    assert (facts["tokens"], facts["dimension"], facts["alpha"]) == (8, 2, Fraction(1, 2))
    assert facts["A (rows)"] == "1, 0; 0, 1"
    assert facts["leaders"] == ", ".join(map(str, found.leaders))
    assert account.graph_layer == facts["proved from layer"] >= found.proved_from_layer
    for i, (token, start, end, kind, leads, proof) in enumerate(tables["Limits"]):
        assert (token, start, kind) == (i, EMERGING.state[i], found.kinds[i])
        assert (tuple(end), leads == "leader") == (tuple(found.points[i]), i in found.leaders)
        assert proof.startswith(("locked", "closed form"))
    assert account.orbit is not None
    assert account.orbit.layers == account.graph_layer + 10


def test_a_limit_in_stages_that_begin_later(tmp_path: Path) -> None:
    """Tokens tie in a ring at layer 0: the stages are counted from layer 1 on, and the account from layer 0."""
    start = sample("emerging-leader", 5, 2, 20)
    found = ef.limit(ef.Tokens(start.state.rows(), start.A, alpha="1/5000"))
    assert (found.course.origin, found.proved_from_layer) == (1, 159)
    account, facts, _ = told(found, tmp_path)
    assert facts["proved from layer"] == 159
    assert "After layer 1 the follower sets change at the layers 159 only. From layer 159 on" in account.words


def test_an_orbit(tmp_path: Path) -> None:
    orbit = ef.simulate(EMERGING, layers=3)
    account, facts, tables = told(orbit, tmp_path)
    assert (account.title, facts["layers"]) == ("3 layers of 8 tokens", 3)
    assert facts["leaders"] == ", ".join(map(str, orbit.leaders))
    for i, (token, start, end, follows) in enumerate(tables["Layer 3"]):
        assert (token, start, tuple(end)) == (i, EMERGING.state[i], tuple(orbit.final[i]))
        assert tuple(follows) == tuple(orbit.follows(3)[i])


@pytest.mark.parametrize("robust", [False, True])
def test_a_construction(robust: bool, tmp_path: Path) -> None:
    built = ef.construct(DATA, robust=robust, method="deep", width=2)
    account, facts, tables = told(built, tmp_path)
    model, report = built.transformer, built.report
    assert (facts["sequences"], facts["blocks"], facts["width"]) == (3, len(model), model.width)
    assert facts["parameters (nonzero numbers stored)"] == report.parameters
    assert facts["bits of the largest number"] == report.max_bits
    assert facts.get("margin") == (report.margin if robust else None)
    assert ("the margin" in account.words) is robust
    assert [row[:2] for row in tables["Blocks"]] == [[k, block.width] for k, block in enumerate(model)]
    for j, (name, label, tokens, target) in enumerate(tables["Sequences"]):
        assert (name, label, tokens) == (j, "aba"[j], len(DATA[j]))
        assert tuple(target) == tuple(built.targets.state(j)[0])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"method": "leaders", "attention": "softmax", "beta": "3/2"},
            "for every inverse temperature from 3/2 on, and",
        ),
        ({"method": "temperature", "beta": 2}, "at the inverse temperature 2;"),
    ],
)
def test_temperatures_of_a_construction(options: dict[str, Any], words: str, tmp_path: Path) -> None:
    account, facts, _ = told(ef.construct(DATA, **options), tmp_path)
    assert words in account.words
    assert facts["attention"] == "softmax"


def test_a_loss_above_and_below(tmp_path: Path) -> None:
    built = ef.construct(DATA)
    found = regularised_loss(built.transformer, DATA, eps="1/7", beta=1)
    bound = Fraction(found.objective.high) + 1
    account, facts, _ = told(found, tmp_path, below=bound)
    assert (account.title, facts["eps"]) == ("A regularised loss below a bound", "1/7")
    assert Fraction(facts["bound"]) == bound
    bound = found.objective.low / 2
    account, facts, _ = told(found, tmp_path, above=bound)
    assert account.title == "A regularised loss above a bound"
    assert "at the inverse temperature 1, is above" in account.words
    assert Fraction(facts["bound"]) == bound


def test_a_decision(tmp_path: Path) -> None:
    for text in ("A wonderful wonderful film.", "A boring, boring, awful waste of time."):
        found = load().explain(text)
        account, facts, tables = told(found, tmp_path)
        assert account.title == f"A decision: {found.decision}"
        assert account.words.startswith(f"{sum(found.counts.values())} words move after 8 layers")
        assert (tuple(facts["v"]), facts["b"], facts["layers"]) == (found.model.direction, found.bias, 8)
        starts = {row[0]: (row[1], row[3] == "leader") for row in tables["Words"]}
        assert starts == {w.word: (w.count, w.leads_from is not None) for w in found.words}
        assert all(tuple(row[2]) == found.model.embedding(row[0]) for row in tables["Words"])


def test_data_that_cannot_be_interpolated(tmp_path: Path) -> None:
    data = ef.Dataset.of([[[7]], [[0], [1]], [[2]], [[1], [0]]], labels=list("abcd"))
    with pytest.raises(NoConstruction) as refusal:
        ef.construct(data)
    reason = refusal.value.reasons[0]
    write_infeasible(
        tmp_path / "c.jsonl", condition=reason.kind, witness=reason.sequences, tokens=data.tokens, offsets=data.offsets,
        targets=None, labels=data.labels,
    )  # fmt: skip
    account = account_of(tmp_path / "c.jsonl")
    assert reason.sequences == (1, 3)
    assert "sequences 1, 3 have the same empirical measure" in account.words
    assert dict(account.facts) == {"condition": "measure", "sequences": 4, "dimension": 1}
    assert account.tables[0][2] == [[1, "{(0), (1)}", "b"], [3, "{(1), (0)}", "d"]]


def test_a_counterexample(tmp_path: Path) -> None:
    found = ef.hunt("every-leader-leads-at-once", seed=1).counterexample
    assert found is not None
    account, facts, tables = told(found, tmp_path)
    assert facts["statement"] == "every-leader-leads-at-once"
    assert found.statement.in_words in account.words
    assert tables["Tokens"] == [[i, row] for i, row in enumerate(found.small.state)]
    assert account.graph_layer == found.verdict.witness["layers"]
    assert account.orbit is not None
    assert account.orbit.layers == account.graph_layer + 1


def test_the_mean_field(tmp_path: Path) -> None:
    square = ef.Tokens([[1, 0], [0, 1], [-1, 0], ["3/5", "4/5"]], A=[[2, 1], [1, 1]])
    bound = laplace_bound(square, ["3/5", "4/5"], 5)
    account, facts, tables = told(bound, tmp_path)
    assert (facts["tokens"], tuple(facts["x"]), facts["beta >="]) == (4, bound.x, "5")
    assert facts["bound"] == str(bound.bound)
    assert "beta >= 5 the mean of the tokens with the weights e^(beta <A x, y>) differs from the" in account.words
    assert [tuple(row[1]) for row in tables["Tokens"]] == square.state.rows()
    assert [tuple(row[1]) for row in tables["A"]] == [tuple(row) for row in square.A]
    system = sample_system("metastable")
    found = limit(system)
    account, facts, tables = told(found, tmp_path)
    assert facts["dimension of E"] == found.dimension
    assert facts["rate c"] == str(found.rate)
    assert f"with c = {found.rate} and" in account.words
    assert [row[1] for row in tables["Pi"]] == [", ".join(map(str, row)) for row in found.projector]
    for name in "VQK":
        assert [tuple(row[1]) for row in tables[name]] == [tuple(row) for row in getattr(system, name)]


@pytest.mark.parametrize(
    ("V", "title", "shown"),
    [
        (((2, 1), (0, 1)), "Pi", ["1, 1", "0, 0"]),
        (((1, 2), (1, 0)), "Pi", ["2/3, 2/3", "1/3, 1/3"]),
        (((1, 3), (1, 0)), "Pi times 2 lambda - 1", ["lambda, 3", "1, lambda - 1"]),
    ],
)
def test_rows_of_a_projector_that_is_not_symmetric(V: Any, title: str, shown: list[str], tmp_path: Path) -> None:
    identity = [[1, 0], [0, 1]]
    _, _, tables = told(limit(System(V, identity, identity)), tmp_path)
    assert tables[title] == [[f"row {i}", entries] for i, entries in enumerate(shown)]


# ---------------------------------------------------------------- pictures of the papers


def test_attention_in_the_plane_names_whom_the_token_follows() -> None:
    instances = {}
    for name in ("figure-1a.json", "figure-1b.json"):
        alpha, A, rows = TOKENS[name]
        instances[name] = ef.Tokens(rows, A=A, alpha=alpha)
    figure = draw_attention(instances, token=1)
    for ax, (name, tokens) in zip(figure.axes, instances.items(), strict=True):
        image = [sum(a * x for a, x in zip(row, tokens.state[1], strict=True)) for row in tokens.A]
        scores = [sum(a * x for a, x in zip(image, z, strict=True)) for z in tokens.state]
        followed = ", ".join(str(j + 1) for j, s in enumerate(scores) if s == max(scores))
        assert ax.get_title() == f"{name}: C_2 = {{{followed}}}"


def test_tokens_that_stay_are_ringed_and_others_have_an_arrow() -> None:
    before = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]])
    after = np.array([[1.0, 0.0], [2.0, 2.0], [2.0, 2.0]])
    (ax,) = draw_moves({"a map": (before, after)}).axes
    rings = [c.get_offsets().tolist() for c in ax.collections if not len(c.get_facecolor())]
    assert rings == [[[1.0, 0.0]], [[2.0, 2.0]]]
    assert [(list(text.xy), list(text.xyann)) for text in ax.texts] == [([2.0, 2.0], [0.0, 1.0])]


def test_accuracies_and_words_of_the_sentiment_study() -> None:
    rows = [
        {"dim": d, "test": 0.1 * d, "without_attention": {"test": 0.2}, "published_best": best, "published_final": 0.4}
        for d, best in ((2, 0.5), (4, None))
    ]
    lines = {line.get_label(): line.get_xydata().tolist() for line in plot_accuracy(rows).axes[0].lines}
    assert lines == {
        "exactformer, hardmax training": [[2, 0.2], [4, 0.4]],
        "exactformer, trained without attention": [[2, 0.2], [4, 0.2]],
        "published, best of 101 epochs on the test part": [[2, 0.5]],
        "published, last epoch": [[2, 0.4], [4, 0.4]],
    }
    left, right = plot_words([["great", 5], ["dull", 3]], [("poor", 7), ("left", None)]).axes
    for ax, words, counts in ((left, ["dull", "great"], [3, 5]), (right, ["left", "poor"], [0, 7])):
        assert [tick.get_text() for tick in ax.get_yticklabels()] == words
        assert [bar.get_width() for bar in ax.patches] == counts
    assert [text.get_text() for text in right.texts] == [" not read off"]


def test_leader_words_of_reviews_decided_wrongly_are_not_counted() -> None:
    left = leader_words().axes[0]
    drawn = {tick.get_text(): bar.get_width() for tick, bar in zip(left.get_yticklabels(), left.patches, strict=True)}
    model, counts = load(), Counter[str]()
    for positive, text in sample_reviews(300, 1):
        bag = model.bag(text).counts
        starts, index = model.ballot(bag).leads_from, model.ballot(bag).index
        leading = [word for word, place in zip(bag, index, strict=True) if starts[place] is not None]
        counts.update(leading if (model.value(bag) > 0) == positive else [])
    assert len(drawn) == 15
    assert drawn == {word: counts[word] for word in drawn}
    assert min(drawn.values()) >= max(n for word, n in counts.items() if word not in drawn)


def test_reviews_are_drawn_at_the_first_and_the_last_layer() -> None:
    found = load().explain("A wonderful film with a boring end.")
    figure = plot_planes([found])
    for ax, layer in zip(figure.axes, (0, 8), strict=True):
        assert ax.get_title() == f"{found.decision}, layer {layer}"
        state = found.ballot.engine.state(layer).floats()[found.ballot.index]
        places = np.round(np.vstack([c.get_offsets() for c in ax.collections]), 9).tolist()
        assert all(place in places for place in np.round(state, 9).tolist())
        assert {text.get_text() for text in ax.texts} == {found.words[i].word for i in found.leaders[:6]}
