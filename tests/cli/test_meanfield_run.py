"""`exactformer meanfield run`: answers, remarks, refusals, pictures."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from exactformer.cli.main import code
from exactformer.studies.mean_field.approx_flow import Flow


@pytest.fixture
def system(tmp_path: Path) -> Path:
    assert code(["meanfield", "sample", "metastable", "-o", str(tmp_path / "system.json"), "-q"]) == 0
    return tmp_path / "system.json"


def run(system: Path, *options: str) -> int:
    given = ["--beta", "30"] if "--beta" not in options else []
    given += ["-n", "200"] if "-n" not in options else []
    given += ["--time", "4", "--step", "1/2"] if "--time" not in options else []
    return code(["meanfield", "run", str(system), *given, *options])


def test_pictures_go_into_a_folder(system: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = system.read_bytes()
    assert run(system, "--plot", str(system)) == 2
    assert f"'--plot': Directory '{system}' is a file." in " ".join(capsys.readouterr().err.split())
    assert system.read_bytes() == before


def test_the_answer_has_the_keys_of_the_format(system: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(system, "--beta", "20,80", "-n", "400", "--time", "16", "--step", "2/5", "--json") == 0
    said = capsys.readouterr()
    answer = json.loads(said.out)
    keys = {"beta", "approx_times", "approx_w2", "approx_w2_min", "approx_t_min", "approx_escape", "approx_metastable"}
    assert [set(found) for found in answer["runs"]] == [keys, keys]
    assert [found["beta"] for found in answer["runs"]] == [20.0, 80.0]
    first, second = answer["runs"]
    assert len(first["approx_times"]) == len(first["approx_w2"]) == 41
    assert first["approx_times"][-1] == pytest.approx(16.0)
    assert first["approx_t_min"] < second["approx_t_min"] < first["approx_escape"] < second["approx_escape"]
    assert answer["predicted_slopes"] == pytest.approx({"t_min": 5 / 3, "escape": 8 / 3, "w2_min": -0.5})
    assert answer["approx_slopes"]["t_min"] == pytest.approx(5 / 3, rel=0.05)
    assert answer["zero_temperature"]["approx_w2"][-1] < first["approx_w2_min"]
    assert "density 1+cos(th-1)/2, quantiles" in said.err


def test_a_plane_of_limits_gives_bounds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "plane.json"
    assert code(["meanfield", "sample", "plane", "-o", str(path), "-q"]) == 0
    assert run(path, "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    found = answer["runs"][0]
    assert all(low <= high for low, high in zip(found["approx_w2_lower"], found["approx_w2"], strict=True))
    assert answer["predicted_slopes"] == {"t_min": None, "escape": None, "w2_min": None}
    pytest.importorskip("ot")
    assert run(path, "--json", "--transport", "-n", "60") == 0
    assert "approx_w2_lower" not in json.loads(capsys.readouterr().out)["runs"][0]


def test_transport_without_its_extra(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "plane.json"
    assert code(["meanfield", "sample", "plane", "-o", str(path), "-q"]) == 0
    monkeypatch.setitem(sys.modules, "ot", None)
    assert run(path, "--transport") == 2
    assert "pip install 'exactformer[meanfield]'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "exit_code", "says"),
    [
        (("--beta", "0"), 3, "positive rational"),
        (("--beta", "10,,20"), 3, "--beta"),
        (("--beta", "many"), 3, "--beta"),
        (("--beta", "sqrt(2)"), 3, "positive rational"),
        (("--beta", "-5"), 3, "positive rational"),
        (("--beta", "1" + "0" * 40), 3, "10^12"),
        (("--time", "1", "--step", "2"), 3, "at most the time"),
        (("--time", "0"), 3, "--time"),
        (("--time", "9999999", "--step", "1/9999999"), 3, "at most 1000000 steps"),
        (("--density", "cos(th)"), 3, "expected finite values >= 0"),
        (("--density", "open('x')"), 3, "expected a density"),
        (("--density", "[bold]1[/bold]"), 3, "[bold]1[/bold]"),
        (("-n", "1"), 2, "2<=x"),
        (("--method", "fast"), 2, "dense"),
        (("--device", "moon"), 3, "device"),
    ],
)
def test_bad_input(
    options: tuple[str, ...], exit_code: int, says: str, system: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(system, *options) == exit_code
    said = capsys.readouterr()
    assert says in said.err
    assert not said.out


def test_hypotheses_that_fail_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("rotation", "jordan"):
        path = tmp_path / f"{name}.json"
        assert code(["meanfield", "sample", name, "-o", str(path), "-q"]) == 0
        assert run(path) == 1
        assert "a hypothesis fails" in capsys.readouterr().err


def test_steps_too_long_for_floats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "system.json"
    rows = [["1", "0"], ["0", "1"]]
    content = {"exactformer": "system", "version": [1, 0], "Q": rows, "K": rows}
    content["V"] = [["1" + "0" * 99, "0"], ["0", "1"]]
    path.write_text(json.dumps(content))
    assert run(path) == 3
    assert "h |V| cond(B) <= 10000" in capsys.readouterr().err


def test_tokens_of_a_file_lie_on_the_sphere(system: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tokens.json"
    assert code(["meanfield", "sample", "circle", "-n", "40", "-o", str(path), "-q"]) == 0
    assert run(system, "--tokens", str(path)) == 0
    assert "40 tokens" in capsys.readouterr().err
    assert run(system, "--tokens", str(path), "--density", "1") == 2
    content = json.loads(path.read_text())
    content["tokens"][3] = ["3/5", "3/5"]
    path.write_text(json.dumps(content))
    capsys.readouterr()
    assert run(system, "--tokens", str(path)) == 3
    assert "got token 3 of length 0.848528137424; divide every token by its length" in capsys.readouterr().err
    content = {"exactformer": "tokens", "version": [1, 0], "tokens": [["1", "0", "0"]]}
    path.write_text(json.dumps(content))
    assert run(system, "--tokens", str(path)) == 3
    assert "expected tokens of dimension 2" in capsys.readouterr().err


def test_remarks(system: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(system, "--beta", "100", "--density", "1") == 0
    said = capsys.readouterr().err
    assert "200 tokens are few for beta = 100: the rule is n >= 10 max(beta, beta^((d-1)/2)) = 1000" in said
    assert "the reflection along (1, 0) keeps V, B and the density" in said
    assert "W2 still falls at the end" in said
    assert "the step is long" not in said
    assert run(system, "--beta", "1", "--time", "8", "--step", "2") == 0
    assert "the step is long: h |V| = 2" in capsys.readouterr().err
    assert run(system, "--beta", "10", "--seed", "7") == 0
    said = capsys.readouterr().err
    assert "drawn with seed 7" in said
    assert "few" not in said
    assert "symmetric" not in said


@pytest.mark.parametrize(("dim", "placed"), [(2, "quantiles"), (3, "quasi-random points"), (4, "drawn with seed 0")])
def test_how_tokens_are_placed_is_said(
    dim: int, placed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "system.json"
    assert code(["meanfield", "sample", "random", "-d", str(dim), "-o", str(path), "-q"]) == 0
    for options, words in (
        ((), placed),
        (("--seed", "0"), "drawn with seed 0"),
        (("--seed", "5"), "drawn with seed 5"),
    ):
        assert run(path, "--beta", "1", "-n", "10", "--time", "1", "--step", "1/2", *options) == 0
        first = capsys.readouterr().err.splitlines()[0]
        assert first.startswith("density ")
        assert first.endswith(f", {words}")


def test_methods_give_the_same_curve(system: Path, capsys: pytest.CaptureFixture[str]) -> None:
    curves = []
    for method in ("dense", "truncated", "compressed"):
        assert run(system, "--method", method, "--json") == 0
        curves.append(json.loads(capsys.readouterr().out)["runs"][0]["approx_w2"])
    assert curves[1] == pytest.approx(curves[0], abs=1e-9)
    assert curves[2] == pytest.approx(curves[0], abs=1e-5)


def test_pictures_and_page(system: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "out"
    assert run(system, "--beta", "10,30", "--time", "16", "--plot", str(folder)) == 0
    names = {"w2.png", "laws.png", "tokens.png", "laplace.png", "tokens.gif", "index.html"}
    assert {path.name for path in folder.iterdir()} == names
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert page.count("data:image/png;base64,") == 4
    assert page.count("data:image/gif;base64,") == 1
    assert "The announced form" in page
    assert "1.6667" in page


def test_an_interrupted_run_leaves_no_file(
    system: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Flow, "step", stop)
    assert run(system, "--plot", str(tmp_path / "out")) == 130
    assert not list((tmp_path / "out").iterdir())
    assert not capsys.readouterr().out
