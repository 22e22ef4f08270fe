"""The demo: under a minute, offline, and every certificate it writes is accepted."""

from __future__ import annotations

import io
import json
import re
import socket
import sys
from contextlib import redirect_stdout
from fractions import Fraction
from pathlib import Path

import pytest
from table_kit import tables_of

import exactformer as ef
from exactformer.cli.demo import LABELS, SEQUENCES, all_but_one_csv, tilted_square
from exactformer.cli.main import code

F = Fraction


#: what `make demo` does not install
NOT_NEEDED = ("cvxpy", "highspy", "scipy", "pandas", "pytest", "hypothesis", "distributed", "torch")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as offline:

        def refuse(*_: object, **__: object) -> None:
            raise OSError("the demo must not use the network")

        offline.setattr(socket.socket, "connect", refuse)
        for name in NOT_NEEDED:
            offline.setitem(sys.modules, name, None)  # importing it fails
        with redirect_stdout(io.StringIO()) as story:
            assert code(["demo", "-o", str(folder)]) == 0
    (folder / "story.txt").write_text(story.getvalue())
    return folder


def test_make_demo_installs_dependencies_only_and_none_that_is_not_needed() -> None:
    root = Path(__file__).parents[2]
    listed = re.search(r"^DEMO := (.+)$", (root / "Makefile").read_text(), flags=re.MULTILINE)
    assert listed is not None
    names = listed[1].split()
    text = (root / "pyproject.toml").read_text()
    assert [name for name in names if f'"{name}>=' not in text] == []
    assert not set(names) & set(NOT_NEEDED)


def test_the_story_explains_its_words_and_the_page_shows_floats_beside_exact(folder: Path) -> None:
    story = (folder / "story.txt").read_text()
    for words in (
        "alpha/(1 + alpha) of the way",
        "Tokens 0-3 are the corners",
        "A leader is a token that follows itself",
    ):
        assert words in story
    page = (folder / "report.html").read_text()
    assert 'alt="float64 beside exact arithmetic' in page
    assert "Refuted by a counterexample" in page
    assert "<summary>Weights of block 1</summary>" in page


def test_everything_is_there(folder: Path) -> None:
    names = {path.name for path in folder.iterdir()}
    assert {"report.html", "limit.jsonl", "transformer.jsonl", "counterexample.jsonl", "data.csv"} <= names
    assert sum(name.endswith(".png") for name in names) >= 3


@pytest.mark.parametrize(
    ("name", "data"),
    [("limit", "tokens.json"), ("labels", "labels.json"), ("transformer", "data.csv"), ("counterexample", None)],
)
def test_certificates_are_accepted(folder: Path, name: str, data: str | None) -> None:
    verdict = ef.check(folder / f"{name}.jsonl", data=folder / data if data else None)
    assert verdict.verdict == "accepted", verdict.why


def test_the_transformer_has_two_blocks(folder: Path) -> None:
    header = json.loads((folder / "transformer.jsonl").read_text().splitlines()[0])
    assert (header["blocks"], header["sequences"]) == (2, SEQUENCES)


def test_a_thousand_labels_take_about_two_hundred_numbers(folder: Path) -> None:
    header = json.loads((folder / "labels.jsonl").read_text().splitlines()[0])
    assert (header["attention"], header["sequences"]) == ("softmax", LABELS)
    certificate = ef.load(folder / "labels.jsonl")
    assert certificate.transformer.parameters < 260


def test_the_sequences_share_nearly_all_tokens(folder: Path) -> None:
    data = ef.Dataset.read(folder / "data.csv")
    sets = [set(sequence.tokens) for sequence in data]
    assert all(len(a & b) >= len(a) - 1 for a in sets for b in sets)


def test_floats_get_the_limit_wrong() -> None:
    from exactformer.float_comparison.dynamics import crosscheck_dynamics

    check = crosscheck_dynamics(tilted_square(), layers=40)
    assert check.clusters_exact is not None
    assert len(check.clusters_exact) == 8
    assert check.clusters_float != check.clusters_exact


def test_the_counterexample_fits_on_a_blackboard(folder: Path) -> None:
    system = json.loads((folder / "counterexample.jsonl").read_text().splitlines()[1])
    assert len(system["tokens"]) <= 5
    assert all(len(number) <= 5 for row in system["tokens"] for number in row)


def test_report_names_every_verdict(folder: Path) -> None:
    page = (folder / "report.html").read_text()
    assert page.count("<b>accepted</b>") == 4
    assert "http" not in page.replace("http://www.w3.org", "").replace("http-equiv", "")


def test_story(folder: Path) -> None:
    story = (folder / "story.txt").read_text()
    for words in ("float64", "float32", "one number", "existence theorem", "conjecture", "accepted"):
        assert words in story


def test_the_square_is_turned_by_the_angle_of_five_and_twelve_thirteenths() -> None:
    rows, F = tilted_square().state.rows(), Fraction
    assert [tuple(row) for row in rows[:5]] == [
        (F(-7, 13), F(17, 13)),
        (F(-17, 13), F(-7, 13)),
        (F(7, 13), F(-17, 13)),
        (F(17, 13), F(7, 13)),
        (F(5, 26), F(6, 13)),
    ]
    back = [(F(5, 13) * x + F(12, 13) * y, F(5, 13) * y - F(12, 13) * x) for x, y in rows[5:]]
    inside = [(0, "1/2"), ("-1/3", 0), (0, "-2/3"), ("1/5", "1/7"), ("-1/2", "1/5"), ("-1/4", "-1/4")]
    assert back == [(F(x), F(y)) for x, y in inside]
    assert tilted_square().alpha == F(1, 2)


def test_sequence_j_is_the_parabola_without_point_j(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text(all_but_one_csv())
    data = ef.Dataset.read(tmp_path / "data.csv")
    points = [(Fraction(x, 4), Fraction(x * x, 100)) for x in range(SEQUENCES)]
    assert data.labels == [f"{'abc'[j % 3]}" for j in range(SEQUENCES)]
    assert data.names == [f"s{j}" for j in range(SEQUENCES)]
    assert [[tuple(x) for x in sequence.tokens.rows()] for sequence in data] == [
        points[:j] + points[j + 1 :] for j in range(SEQUENCES)
    ]


def test_figures_of_the_story_are_those_of_its_certificates(folder: Path) -> None:
    story = (folder / "story.txt").read_text()
    tables = {table.columns[0]: table for table in tables_of(story)}
    few, one = tables["labelsin"].rows
    stored = ef.load(folder / "labels.jsonl").transformer.parameters
    assert (few[:3], one[:2]) == (["fewnumbers", "1000", str(stored)], ["onenumber", "64"])
    for row in (few, one):
        assert 0 < int(row[3]) < int(row[2])
    assert int(few[4]) < int(one[4])
    assert all(int(row[5]) < int(row[1]) for row in (few, one))
    shallow = ef.load(folder / "transformer.jsonl").transformer
    figures = [str(len(shallow)), str(shallow.width), str(shallow.parameters)]
    by_method = {row[0]: row[1:] for row in tables["method"].rows}
    assert by_method["shallow"][:3] == figures
    assert by_method["existencetheorem"][1] == "4"
    system = json.loads((folder / "counterexample.jsonl").read_text().splitlines()[1])
    tokens = ef.Tokens(system["tokens"], alpha=system.get("alpha", 1), A=system.get("A"))
    said = re.search(r"Token (\d+) is no leader at layer 0 and becomes one at layer (\d+)\.", story)
    assert said is not None
    late, layer = int(said[1]), int(said[2])
    assert late != layer
    assert ef.simulate(tokens, layers=layer).leads_from[late] == layer
    assert tables["token"].rows  # of the limits, or of the counterexample
    assert {row[1] for row in tables["certificate"].rows} == {"accepted"}


def test_a_folder_that_cannot_be_made(capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["demo", "-o", "/proc/nowhere"]) == 3
    assert "choose another" in capsys.readouterr().err
