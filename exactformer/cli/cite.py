"""`exactformer cite`: BibTeX of the papers behind a claim."""

from __future__ import annotations

import click

from exactformer.cli.common import json_option
from exactformer.cli.presenter import present


@click.command("cite")
@click.argument("claim", metavar="[CLAIM|CERT]", required=False)
@json_option
def command(claim: str | None, as_json: bool) -> None:
    """Print the BibTeX of exactformer and of the papers behind CLAIM (or behind a certificate's claim).

    Example: exactformer cite limit
    """
    from exactformer.report.citations import cite, claim_named

    bibtex = cite(claim)
    answer = {"claim": None if claim is None else claim_named(claim), "bibtex": bibtex}
    present(as_json, answer, [bibtex])
