"""Tests of `exactformer.report.citations`."""

from __future__ import annotations

from exactformer.papers.index import papers
from exactformer.report.citations import PAPERS, bibtex_for


def test_every_claim_cites_the_paper_whose_row_it_certifies() -> None:
    for paper in papers():
        for command in (command for row in paper.statements for command in row.commands):
            for fact in (fact for fact in command.facts if fact.path == "claim"):
                assert f"arXiv:{paper.number}" in bibtex_for(fact.value)
    assert {claim: bibtex_for(claim).count("arXiv:") for claim in ("laplace", "limit", "loss", "recurrence")} == {
        "laplace": 1,
        "limit": 1,
        "loss": 1,
        "recurrence": 1,
    }


def test_citations_are_of_the_software_and_of_the_papers() -> None:
    assert bibtex_for("nothing known").count("@") == 1
    for claim, cited in PAPERS.items():
        assert bibtex_for(claim).startswith("@software")
        assert bibtex_for(claim).count("@") == 1 + len(cited)
    assert len(PAPERS["counterexample"]) == 4
