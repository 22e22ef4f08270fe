"""Whole accounts of small certificates, held against values by hand: titles, facts, tables, layers."""

from __future__ import annotations

import hashlib
import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import exactformer as ef
from exactformer.report.accounts import Account, account_of
from exactformer.report.certificate_plot import plot_certificate
from exactformer.report.film import film_of
from exactformer.report.page import _files as page_files
from exactformer.report.page import _pictures
from exactformer.report.palette import Style
from exactformer.studies.mean_field.system import System
from exactformer.studies.mean_field.zero_temperature import limit as zero_temperature
from exactformer.studies.time_delay.positive_window import least_window, polynomial_of_tones
from exactformer.studies.time_delay.recurrence import least_order
from exactformer.studies.time_delay.series import Series


def told(thing: Any, folder: Path) -> Account:
    thing.certify(folder / "c.jsonl")
    return account_of(folder / "c.jsonl")


def written(folder: Path, *lines: dict[str, Any]) -> Account:
    """The account of a certificate with these lines, whatever a checker says of it."""
    head = {"exactformer": "certificate", "version": [1, 0], **lines[0]}
    body = "".join(f"{json.dumps(line)}\n" for line in (head, *lines[1:]))
    end = {"end": True, "sha256": hashlib.sha256(body.encode()).hexdigest()}
    (folder / "c.jsonl").write_text(f"{body}{json.dumps(end)}\n")
    return account_of(folder / "c.jsonl")


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
    assert account.stage.scene.points[-1].tolist() == film_of(orbit).points[3].tolist()


def test_the_weights_of_a_window_are_numbered_from_one(tmp_path: Path) -> None:
    found = least_window(polynomial_of_tones([Fraction(4, 5), Fraction(-3, 5)]))
    account = told(found, tmp_path)
    ((title, columns, rows),) = account.tables
    assert (title, columns) == ("Weights", ["j", "a_j"])
    assert rows == [[j, (weight,)] for j, weight in enumerate(found.weights, start=1)]
    assert len(rows) == found.window - 1 >= 2
    polynomial = ", ".join(map(str, polynomial_of_tones([Fraction(4, 5), Fraction(-3, 5)])))
    assert account.facts[0] == ("polynomial, constant first", polynomial)


def test_a_series_without_a_recurrence_and_one_with(tmp_path: Path) -> None:
    account = told(least_order(Series.of([[1], [2], [4], [9], [1], [7]]), cap=2), tmp_path)
    assert account.title == "No linear recurrence"
    assert account.words == "no linear recurrence of order 1 to 2 holds on all rows."
    assert account.facts == [("rows", 6), ("dimension", 1), ("with an intercept", False)]
    assert [table[0] for table in account.tables] == ["Series"]
    account = told(least_order(Series.of([[1], [1], [2], [3], [5], [8], [13]])), tmp_path)
    assert account.title == "A linear recurrence of order 2"
    assert account.words == (
        "z_(k+2) is a linear function of the 2 rows before it, on all rows; no linear recurrence of order 1 to 1 holds "
        "on all rows."
    )
    coefficients, series = account.tables
    assert coefficients[2] == [["A_1", "1"], ["A_2", "1"]]
    assert series[2][:4] == [[0, (1,)], [1, (1,)], [2, (2,)], [3, (3,)]]


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
    account = account_of(tmp_path / "c.jsonl", names)
    (rows,) = [rows for title, _, rows in account.tables if title == "Sequences"]
    assert [row[0] for row in rows] == (names if count == 2 else [0, 1])
    assert [row[1:3] for row in rows] == [["-", 1], ["-", 2]]
    assert rows[0][3] == (4,)
    assert rows[1][3] in ("{(2), (5)}", "{(5), (2)}")
    assert account.stage is not None
    assert account.stage.heads == [f"sequence {name}" for name in (names if count == 2 else (0, 1))]


def test_a_chosen_title_goes_before_that_of_a_refutation(tmp_path: Path) -> None:
    account = written(
        tmp_path,
        {"claim": "counterexample", "statement": "every-leader-leads-at-once", "layers": 1},
        {"A": [["1", "0"], ["0", "1"]], "alpha": "1", "tokens": [["1", "0"], ["1", "1"], ["0", "3"]]},
    )
    assert account.picture_title.startswith("refuted: ")
    assert account.orbit is not None
    assert (account.graph_layer, account.orbit.layers) == (1, 2)
    assert account.facts[1:] == [("tokens", 3), ("dimension", 2), ("A (rows)", "1, 0; 0, 1"), ("alpha", 1)]
    figure = plot_certificate(tmp_path / "c.jsonl", None, tmp_path / "p.png", title="mine", axes=(1, 0), layer=1)
    assert (figure.get_suptitle(), [ax.get_title() for ax in figure.axes]) == ("mine", ["layer 1"])
    drawn = [tuple(point) for c in figure.axes[0].collections for point in c.get_offsets().tolist()]
    assert {(0.25, 1.0), (2.0, 0.5), (3.0, 0.0)} <= set(drawn)


def test_a_limit_at_zero_temperature_with_an_irrational_eigenvalue(tmp_path: Path) -> None:
    """M = V = ((1, 3), (1, 0)): the roots are (1 +- sqrt 13)/2, and (2 lambda - 1) Pi = M + (lambda - 1) I."""
    system = System([[1, 3], [1, 0]], [[0, 1], [2, 0]], [[0, 1], ["1/2", 0]])
    account = told(zero_temperature(system), tmp_path)
    assert [name for name, _ in account.facts] == [
        "dimension of E", "lambda, the largest root of", "lambda is at least", "rate c",
        "real parts of the others are below", "|B| <=",
    ]  # fmt: skip
    facts = {name: str(value) for name, value in account.facts}
    assert (facts["dimension of E"], facts["lambda, the largest root of"]) == ("1", "x^2 - x - 3")
    assert 2.2 < Fraction(facts["lambda is at least"]) < 2.3028
    assert -1.3028 < Fraction(facts["real parts of the others are below"]) < 0
    assert 0 < Fraction(facts["rate c"]) <= 3.6056
    assert 1 <= Fraction(facts["|B| <="]) < 1.1
    assert f"with c = {facts['rate c']} and" in account.words
    assert account.tables == [
        ("Pi times 2 lambda - 1", ["", "entries"], [["row 0", "lambda, 3"], ["row 1", "1, lambda - 1"]]),
        ("V", ["row", "entries"], [[0, (1, 3)], [1, (1, 0)]]),
        ("Q", ["row", "entries"], [[0, (0, 1)], [1, (2, 0)]]),
        ("K", ["row", "entries"], [[0, (0, 1)], [1, (Fraction(1, 2), 0)]]),
    ]
    still = told(zero_temperature(System([[2, 0], [0, 2]], [[1, 0], [0, 1]], [[1, 0], [0, 1]])), tmp_path)
    assert still.words.endswith("Here M is a multiple of the identity, and nothing moves.")
    assert [name for name, _ in still.facts] == [
        "dimension of E",
        "lambda, the largest root of",
        "lambda is at least",
    ]
    assert [value for _, value in still.facts] == [2, "x - 2", "2"]


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


def test_files_are_carried_with_their_kind_up_to_a_size(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("x,y\n")
    (tmp_path / "c.jsonl").write_text("{}  \n")
    links = re.findall(r'download="(.*?)" href="data:(.*?)[;,]', page_files([tmp_path / "c.jsonl", tmp_path / "d.csv"]))
    assert links == [("c.jsonl", "application/json"), ("d.csv", "text/csv")]
    monkeypatch.setattr("exactformer.report.page.CARRIED", 4)
    shown = page_files([tmp_path / "c.jsonl", tmp_path / "d.csv"])
    assert re.findall(r'download="(.*?)"', shown) == ["d.csv"]
    assert "c.jsonl (too large to carry along)" in shown


@pytest.mark.parametrize("most", [2, 3])
def test_graphs_are_drawn_up_to_a_number_of_tokens(most: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("exactformer.report.page.GRAPH_TOKENS", most)
    account = told(ef.simulate(ef.Tokens([[1, 0], [0, 3], [2, 2]]), layers=2), tmp_path)
    account.graph_layer = 1
    sheet: set[Style] = set()
    page = _pictures(account, sheet)
    assert ("<h2>Who follows whom at layer 1</h2>" in page) is (most == 3)
    assert "<h2>Layer by layer</h2>" in page
    assert account.stage is not None
    assert sheet >= account.stage.scene.sheet
