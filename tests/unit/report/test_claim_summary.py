"""Tests of `exactformer.report.claim_summary`."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kits.written_certificates import written

import exactformer as ef
from exactformer.constructions.infeasible_claim import write_infeasible
from exactformer.errors import NoConstruction
from exactformer.instances.token_families import sample
from exactformer.report.claim_summary import ClaimSummary, claim_summary
from exactformer.report.gallery import configurations
from exactformer.report.orbit_frames import orbit_frames
from exactformer.studies.sentiment import load
from exactformer.training.loss import regularised_loss

EMERGING = configurations()["emerging leader"]


DATA = ef.Dataset.of([[[0, 1], [2, 3]], [[0, 1]], [[5, "1/2"], [0, 1]]], labels=list("aba"))


def told_in_tables(
    thing: Any, folder: Path, **options: Any
) -> tuple[ClaimSummary, dict[str, Any], dict[str, list[list[Any]]]]:
    """The account of what certifies itself, its facts and the rows of its tables."""
    thing.certify(folder / "c.jsonl", **options)
    account = claim_summary(folder / "c.jsonl")
    return account, dict(account.facts), {title: rows for title, _, rows in account.tables}


def test_a_limit(tmp_path: Path) -> None:
    found = ef.limit(EMERGING)
    account, facts, tables = told_in_tables(found, tmp_path)
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
    assert (found.timeline.origin, found.proved_from_layer) == (1, 159)
    account, facts, _ = told_in_tables(found, tmp_path)
    assert facts["proved from layer"] == 159
    assert "After layer 1 the follower sets change at the layers 159 only. From layer 159 on" in account.words


def test_an_orbit(tmp_path: Path) -> None:
    orbit = ef.simulate(EMERGING, layers=3)
    account, facts, tables = told_in_tables(orbit, tmp_path)
    assert (account.title, facts["layers"]) == ("3 layers of 8 tokens", 3)
    assert facts["leaders"] == ", ".join(map(str, orbit.leaders))
    for i, (token, start, end, follows) in enumerate(tables["Layer 3"]):
        assert (token, start, tuple(end)) == (i, EMERGING.state[i], tuple(orbit.final[i]))
        assert tuple(follows) == tuple(orbit.follows(3)[i])


@pytest.mark.parametrize("robust", [False, True])
def test_a_construction(robust: bool, tmp_path: Path) -> None:
    built = ef.construct(DATA, robust=robust, method="deep", width=2)
    account, facts, tables = told_in_tables(built, tmp_path)
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
    account, facts, _ = told_in_tables(ef.construct(DATA, **options), tmp_path)
    assert words in account.words
    assert facts["attention"] == "softmax"


def test_a_loss_above_and_below(tmp_path: Path) -> None:
    built = ef.construct(DATA)
    found = regularised_loss(built.transformer, DATA, eps="1/7", beta=1)
    bound = Fraction(found.objective.high) + 1
    account, facts, _ = told_in_tables(found, tmp_path, below=bound)
    assert (account.title, facts["eps"]) == ("A regularised loss below a bound", "1/7")
    assert Fraction(facts["bound"]) == bound
    bound = found.objective.low / 2
    account, facts, _ = told_in_tables(found, tmp_path, above=bound)
    assert account.title == "A regularised loss above a bound"
    assert "at the inverse temperature 1, is above" in account.words
    assert Fraction(facts["bound"]) == bound


def test_a_decision(tmp_path: Path) -> None:
    for text in ("A wonderful wonderful film.", "A boring, boring, awful waste of time."):
        found = load().explain(text)
        account, facts, tables = told_in_tables(found, tmp_path)
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
    account = claim_summary(tmp_path / "c.jsonl")
    assert reason.sequences == (1, 3)
    assert "sequences 1, 3 have the same empirical measure" in account.words
    assert dict(account.facts) == {"condition": "measure", "sequences": 4, "dimension": 1}
    assert account.tables[0][2] == [[1, "{(0), (1)}", "b"], [3, "{(1), (0)}", "d"]]


def test_a_counterexample(tmp_path: Path) -> None:
    found = ef.hunt("every-leader-leads-at-once", seed=1).counterexample
    assert found is not None
    account, facts, tables = told_in_tables(found, tmp_path)
    assert facts["statement"] == "every-leader-leads-at-once"
    assert found.statement.in_words in account.words
    assert tables["Tokens"] == [[i, row] for i, row in enumerate(found.small.state)]
    assert account.graph_layer == found.verdict.witness["layers"]
    assert account.orbit is not None
    assert account.orbit.layers == account.graph_layer + 1


# ---------------------------------------------------------------- geometry and the checker


@pytest.mark.parametrize(("name", "stays"), [("left", True), ("other", False)])
def test_points_of_a_geometric_claim_are_drawn(name: str, stays: bool, tmp_path: Path) -> None:
    head = '{"exactformer":"certificate","version":[1,0],"claim":"separation","dim":2}'
    body = f'{head}\n{{"{name}":[["0","1"],["1/2","3"]]}}\n{{"normal":["1","0"]}}\n'
    digest = hashlib.sha256(body.encode()).hexdigest()
    (tmp_path / "c.jsonl").write_text(f'{body}{{"end":true,"sha256":"{digest}"}}\n')
    account = claim_summary(tmp_path / "c.jsonl")
    assert account.title == "A separation"
    assert account.tables[0][2][1][1] == (Fraction(1, 2), Fraction(3))
    assert dict(account.facts)["normal"] == (1, 0)
    assert (account.stage is not None) is stays
    if account.stage is not None:
        assert account.stage.scene.points[0].tolist() == [[0, 1], [0.5, 3]]


def told(thing: Any, folder: Path) -> ClaimSummary:
    thing.certify(folder / "c.jsonl")
    return claim_summary(folder / "c.jsonl")


def test_an_orbit_has_exactly_its_layers(tmp_path: Path) -> None:
    orbit = ef.simulate(ef.Tokens([[1, 0], [0, 3], [2, 2]], A=[[2, 0], [0, 1]], alpha="1/3"), layers=3)
    account = told(orbit, tmp_path)
    assert account.words.endswith("leaders of the layers 0 to 3, exactly.")
    assert account.facts == [
        ("tokens", 3), ("dimension", 2), ("A (rows)", "2, 0; 0, 1"), ("alpha", Fraction(1, 3)), ("layers", 3),
        ("leaders", ", ".join(map(str, orbit.leaders))),
    ]  # fmt: skip
    assert account.orbit is not None
    assert account.stage is not None
    assert account.orbit.layers == 3
    assert account.stage.scene.names == ["layer 0", "layer 1", "layer 2", "layer 3"]
    assert account.stage.scene.points[-1].tolist() == orbit_frames(orbit).points[3].tolist()


@pytest.mark.parametrize(
    ("name", "facts", "tables"),
    [
        ("meanfield-mass-near-kernel", {"constant": "1", "rate": "1"}, {"V": [(0, 1), (1, 0)]}),
        ("meanfield-w2-rate-is-gap", {"constant": "1"}, {"V": [(0, 0), (0, 1)]}),
        (
            "meanfield-symmetric-data",
            {},
            {"V": [(0, 0), (0, 1)], "B": [(1, 0), (0, 1)], "Tokens, as directions": [(1, 0), (3, -1), (3, 1)]},
        ),
    ],
)
def test_counterexamples_without_layers_show_all_of_their_instance(
    name: str, facts: dict[str, str], tables: dict[str, list[tuple[int, ...]]], tmp_path: Path
) -> None:
    found = ef.hunt(name, seed=1).counterexample
    assert found is not None
    account = told(found, tmp_path)
    assert dict(account.facts) == {"statement": name, **facts}
    shown = {title: [(row[0], tuple(row[1])) for row in rows] for title, _, rows in account.tables}
    assert shown == {title: list(enumerate(rows)) for title, rows in tables.items()}
    assert (account.orbit, account.stage) == (None, None)


def test_a_projection_shows_the_weights_of_its_points(tmp_path: Path) -> None:
    account = written(
        tmp_path,
        {"claim": "projection", "dim": 2},
        {"A": [["2", "0"], ["0", "1"]], "points": [["1", "0"], ["0", "2"], ["3", "3"]]},
        {"projection": ["2/3", "2/3"], "weights": [[0, "2/3"], [1, "1/3"]]},
    )
    assert account.title == "A projection"
    assert account.facts == [("dim", 2), ("projection", (Fraction(2, 3), Fraction(2, 3)))]
    tables = {title: rows for title, _, rows in account.tables}
    assert tables["weights"] == [[0, "2/3 of point 0"], [1, "1/3 of point 1"]]
    assert tables["points"] == [[0, (1, 0)], [1, (0, 2)], [2, (3, 3)]]
    assert account.stage is not None
    assert account.stage.scene.titles == ["points 0", "points 1", "points 2", "projection 0"]
    assert [text for _, text in account.stage.legend] == ["points", "projection"]


@pytest.mark.parametrize(
    ("condition", "witness", "words"),
    [
        ("set", [0, 2], "sequences 0, 2 have the same set of tokens and different targets, so no leader method can"),
        ("targets", [1], "sequence 1 has more targets than distinct tokens"),
    ],
)
def test_a_refusal_shows_the_sequences_of_its_witness(
    condition: str, witness: list[int], words: str, tmp_path: Path
) -> None:
    sequences = [
        {"sequence": 0, "tokens": [["1", "2"]], "label": "a"},
        {"sequence": 1, "tokens": [["0", "0"], ["0", "0"]], "targets": [["1", "1"], ["5", "1/2"]]},
        {"sequence": 2, "tokens": [["1", "2"], ["1", "2"]], "label": "b"},
    ]
    head = {"claim": "infeasible", "condition": condition, "witness": witness, "sequences": 3, "dim": 2}
    account = written(tmp_path, head, *sequences)
    assert words in account.words
    assert account.facts == [("condition", condition), ("sequences", 3), ("dimension", 2)]
    rows = {0: "{(1, 2)}", 1: "{(0, 0), (0, 0)}", 2: "{(1, 2), (1, 2)}"}
    last = {0: "a", 1: "{(1, 1), (5, 1/2)}", 2: "b"}
    assert account.tables[0][2] == [[j, rows[j], last[j]] for j in witness]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_names_are_shown_where_there_is_one_for_every_sequence(count: int, tmp_path: Path) -> None:
    built = ef.construct([[[0]], [[1], [3]]], targets=[[[4]], [[2], [5]]])
    built.certify(tmp_path / "c.jsonl")
    names = ["first", "second", "third"][:count]
    account = claim_summary(tmp_path / "c.jsonl", names)
    (rows,) = [rows for title, _, rows in account.tables if title == "Sequences"]
    assert [row[0] for row in rows] == (names if count == 2 else [0, 1])
    assert [row[1:3] for row in rows] == [["-", 1], ["-", 2]]
    assert rows[0][3] == (4,)
    assert rows[1][3] in ("{(2), (5)}", "{(5), (2)}")
    assert account.stage is not None
    assert account.stage.heads == [f"sequence {name}" for name in (names if count == 2 else (0, 1))]


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("deep", ["mean of all tokens", "none"]),
        ("paper", ["scores of rank 1", "none", "none", "scores of rank 2", "none", "none"]),
    ],
)
def test_the_table_of_blocks_has_units_attention_rho_and_bits(method: str, words: list[str], tmp_path: Path) -> None:
    data = ef.Dataset.of([[[0, 1], [2, 3]], [[0, 1]], [[5, "1/2"], [0, 1]]], labels=list("aba"))
    built = ef.construct(data, method=method)
    account = told(built, tmp_path)
    title, columns, rows = account.tables[0]
    assert (title, columns) == ("Blocks", ["block", "units", "attention", "rho", "bits"])
    blocks = built.transformer.blocks
    rhos = ["-" if block.self_attention is None else block.self_attention.rho for block in blocks]
    assert [row[3] for row in rows] == rhos
    assert [row[2] for row in rows] == words
    assert [[row[0], row[1], row[4]] for row in rows] == [[k, b.width, b.bits] for k, b in enumerate(blocks)]
    assert len({row[1] for row in rows}) > 1
    assert [name for name, _ in account.folded] == [f"Weights of block {k}" for k in range(len(blocks))]


def test_a_limit_says_from_which_power_its_closed_form_is_positive(tmp_path: Path) -> None:
    ef.limit(sample("metastable-ties", 5, 2, 4)).certify(tmp_path / "c.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines()]
    wanted = {
        line["token"]: f"closed form, positive from k = {line['from']}" if "from" in line else "locked"
        for line in lines
        if "token" in line
    }
    ((_, _, rows),) = claim_summary(tmp_path / "c.jsonl").tables
    assert {row[0]: row[5] for row in rows} == wanted
    assert wanted[4] == "closed form, positive from k = 1"


# ---------------------------------------------------------------- series


RNG = np.random.default_rng(3)
X = RNG.integers(0, 50, (60, 5, 2))
LABELS = ["many"] * 50 + ["few"] * 8 + ["one", "two"]
NAMES = [f"s{j}" for j in range(60)]
BUILT = ef.construct(ef.Dataset.of(X, LABELS, names=NAMES))


def test_names_and_weights_are_on_the_page(tmp_path: Path) -> None:
    BUILT.certify(tmp_path / "c.jsonl")
    account = claim_summary(tmp_path / "c.jsonl", NAMES)
    assert account.stage is not None
    assert account.stage.heads[0] == "s0 (many)"
    assert account.tables[1][2][59] == [], "rows that are only counted"
    assert [title for title, _ in account.folded] == ["Weights of block 0", "Weights of block 1"]
    assert "<b>W</b>" in account.folded[1][1]
