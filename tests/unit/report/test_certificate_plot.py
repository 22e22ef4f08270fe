"""Tests of `exactformer.report.certificate_plot`."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from kits.written_certificates import written

import exactformer as ef
from exactformer.errors import InvalidInput, Malformed
from exactformer.report.certificate_plot import plot_certificate
from exactformer.report.claim_summary import claim_summary
from exactformer.report.gallery import configurations


def test_a_chosen_title_goes_before_that_of_a_refutation(tmp_path: Path) -> None:
    account = written(
        tmp_path,
        {"claim": "counterexample", "dim": 2, "statement": "every-leader-leads-at-once", "tokens": 3, "layers": 1},
        {"A": [["1", "0"], ["0", "1"]], "alpha": "1", "tokens": [["1", "0"], ["1", "1"], ["0", "3"]]},
        {"token": 1},
    )
    assert account.picture_title.startswith("refuted: ")
    assert account.orbit is not None
    assert (account.graph_layer, account.orbit.layers) == (1, 2)
    assert account.facts[1:] == [("tokens", 3), ("dimension", 2), ("A (rows)", "1, 0; 0, 1"), ("alpha", 1)]
    figure = plot_certificate(tmp_path / "c.jsonl", None, tmp_path / "p.png", title="mine", axes=(1, 0), layer=1)
    assert (figure.get_suptitle(), [ax.get_title() for ax in figure.axes]) == ("mine", ["layer 1"])
    drawn = [tuple(point) for c in figure.axes[0].collections for point in c.get_offsets().tolist()]
    assert {(0.25, 1.0), (2.0, 0.5), (3.0, 0.0)} <= set(drawn)


def test_names_of_the_users_file_are_in_the_picture_of_its_certificate(tmp_path: Path) -> None:
    from exactformer.report.certificate_plot import plot_certificate

    ef.construct([[[0]], [[1]]], targets=[[[0]], [[2]]]).certify(tmp_path / "c.jsonl")
    figure = plot_certificate(tmp_path / "c.jsonl", None, tmp_path / "p.png", names=["left", "right"])
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert words[:2] == ["sequence left", "sequence right"]


EMERGING = configurations()["emerging leader"]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "my limit.jsonl"
    ef.limit(EMERGING).certify(path)
    return path


def test_pictures_of_certificates_are_of_the_kind_asked_for(certificate: Path, tmp_path: Path) -> None:
    out = tmp_path / "p.png"
    graph = plot_certificate(certificate, "graph", out)
    last = claim_summary(certificate).orbit
    assert last is not None
    assert graph.axes[0].get_title() == "follower graph of layer 0"
    ef.construct([[[0]], [[1]]], labels=["a", "b"]).certify(tmp_path / "c.jsonl")
    assert plot_certificate(tmp_path / "c.jsonl", "bits", out).axes[0].get_xlabel() == "block"
    assert plot_certificate(tmp_path / "c.jsonl", "blocks", out).axes[0].get_title() == "input"


def test_a_layer_of_a_certificate_can_be_chosen(certificate: Path, tmp_path: Path) -> None:
    out = tmp_path / "p.png"
    assert plot_certificate(certificate, "graph", out, layer=1).axes[0].get_title() == "follower graph of layer 1"
    assert [ax.get_title() for ax in plot_certificate(certificate, None, out, layer=2).axes] == ["layer 2"]
    ef.construct([[[0]], [[1]]], labels=["a", "b"]).certify(tmp_path / "c.jsonl")
    for kind in ("orbit", "graph", "float", "dial"):
        with pytest.raises(InvalidInput, match=f"blocks, bits for a construction, got '{kind}'"):
            plot_certificate(tmp_path / "c.jsonl", kind, out)


def test_a_certificate_with_a_part_missing_is_refused(tmp_path: Path) -> None:
    ef.limit(ef.Tokens([[2, 0], [0, 1]])).certify(tmp_path / "c.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text("utf-8").splitlines()]
    above = "".join(json.dumps(line) + "\n" for line in [*lines[:-2], {}])
    end = {**lines[-1], "sha256": hashlib.sha256(above.encode()).hexdigest()}
    (tmp_path / "c.jsonl").write_text(above + json.dumps(end) + "\n", "utf-8")
    with pytest.raises(Malformed, match=r"c.jsonl, line \d: "):
        plot_certificate(tmp_path / "c.jsonl", None, tmp_path / "p.png")
    assert not (tmp_path / "p.png").exists()
