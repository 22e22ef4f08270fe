"""`exactformer cite`: BibTeX of the papers behind a claim."""

from __future__ import annotations

from pathlib import Path

import click

from exactformer.cli.common import echo, json_option, print_json
from exactformer.errors import InvalidInput


@click.command("cite")
@click.argument("claim", metavar="[CLAIM|CERT]", required=False)
@json_option
def command(claim: str | None, as_json: bool) -> None:
    """Print the BibTeX of exactformer and of the papers behind CLAIM (or behind a certificate's claim).

    Example: exactformer cite limit
    """
    from exactformer.report.citations import PAPERS, bibtex_for

    if claim is not None and claim not in PAPERS:
        claim = _claim_of(Path(claim), list(PAPERS))
    if as_json:
        print_json({"claim": claim, "bibtex": bibtex_for(claim)})
    else:
        echo(bibtex_for(claim))


def _claim_of(path: Path, claims: list[str]) -> str:
    """The claim of a certificate."""
    from exactformer.certificates.opened import Certificate

    if not path.exists():
        raise InvalidInput(f"expected a certificate or one of the claims {', '.join(claims)}, got {str(path)!r}")
    claim = Certificate.open(path).claim
    if claim is None:
        raise InvalidInput(f"{path}: expected a certificate, got a file without a claim")
    return claim
