"""`exactformer report`: one self-contained page about a certificate or a token file."""

from __future__ import annotations

from pathlib import Path

import click

from exactformer.cli.common import input_path, json_option, output_path, read_matrix, say
from exactformer.cli.presenter import present
from exactformer.cli.simulate import alpha_option, matrix_option


@click.command("report")
@click.argument("path", metavar="CERT|TOKENS", type=input_path)
@click.option("-o", "--output", type=output_path, default=Path("report.html"), show_default=True, help="The page.")
@click.option("--data", type=input_path, help="The data set or token file the certificate must be about.")
@click.option("--positions", is_flag=True, help="The certificate was built with --positions.")
@click.option(
    "--with",
    "checker",
    type=click.Choice(["verified"]),
    help="Put the checker proved correct into the page, if it is built.",
)
@alpha_option
@matrix_option
@json_option
def command(
    path: Path,
    output: Path,
    data: Path | None,
    positions: bool,
    checker: str | None,
    matrix: str | None,
    alpha: str | None,
    as_json: bool,
) -> int:
    """Write a page with the claim in words, the checker's verdict, exact tables and a picture with a layer slider.

    A certificate is checked first. For a token file, the limit is proved, certified and checked first. The page works
    offline. The exit code is that of the verdict.

    With `--with verified` the page carries the checker extracted from its proof in Rocq, as JavaScript, and a button
    that runs it on the certificate in the page, in the browser of whoever reads it. If it is not built, the answer is
    declined.

    \b
    Example:
      exactformer sample rational-polygon -n 6 --seed 1 -o tokens.json
      exactformer report tokens.json -o report.html
    """
    from exactformer.checking import EXIT_CODES
    from exactformer.report.page import write_report

    about = {"A": read_matrix(matrix), "alpha": alpha}
    verdict = write_report(path, output, data=data, positions=positions, verified=bool(checker), **about)
    answer = {"report": str(output), "verdict": verdict.verdict, "claim": verdict.claim, "why": verdict.why}
    present(as_json, answer, [f"{verdict.verdict}: {verdict.why}"])
    say(f"wrote {output}", quiet=as_json)
    return EXIT_CODES[verdict.verdict]
