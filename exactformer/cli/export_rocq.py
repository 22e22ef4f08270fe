"""`exactformer export-rocq`: a certificate as a theorem of the Rocq proof assistant."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.cli.common import echo, input_path, json_option, output_path, say
from exactformer.cli.presenter import present

if TYPE_CHECKING:
    from exactformer.io.json_lines import JsonObject


@click.command("export-rocq")
@click.argument("certificate", metavar="CERT", type=input_path)
@click.option("-o", "--output", type=output_path, required=True, help="The .v file to write.")
@click.option("--check", is_flag=True, help="Compare the literals with CERT and run coqc on the file.")
@click.option(
    "--integers",
    type=click.Choice(["bigZ", "Z"]),
    default="bigZ",
    show_default=True,
    help="Arithmetic of the proof: bigZ is fast, Z needs no axiom.",
)
@click.option(
    "--theories",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder proofs_check/rocq; that of the checkout if not given.",
)
@json_option
def command(certificate: Path, output: Path, check: bool, integers: str, theories: Path | None, as_json: bool) -> int:
    """Write CERT, of claim interpolation, limit, recognition or no-recogniser, as a Rocq file whose Qed is the proof.

    The independent checker reads CERT first; a malformed file is not exported. With --check, exit 0 means that
    the kernel accepted the proof, 1 that it refused it, 4 that nothing was checked (no coqc, or no theories).
    Some certificates have no form in Rocq (exit 4): a limit in stages (version [1,1]); a recogniser with heads that
    see what comes later, ties to all, features, an end mark, or one certified for some words only.

    \b
    Example:
      exactformer sample all-but-one -n 4 -d 1 --seed 1 -o data.json
      exactformer construct data.json -o cert.jsonl
      exactformer export-rocq cert.jsonl -o cert.v --check
    """
    from exactformer.certificates.rocq import write_rocq

    refused = _refused(certificate, as_json)
    if refused:
        return refused
    write_rocq(certificate, output, integers=integers)
    answer: JsonObject = {"written": str(output), "integers": integers}
    if not check:
        words = f"wrote {output}; not checked (--check runs coqc)"
        present(as_json, lambda: {**answer, "checked": None}, [words])
        return 0
    return _check(certificate, output, theories, answer, as_json)


def _refused(certificate: Path, as_json: bool) -> int:
    """The exit code of a file that the independent checker cannot read to its end, 0 if it can.

    A theorem about a file whose form is not that of a certificate would not say what its reader expects. A
    certificate that is well formed and rejected goes on to the kernel, which refuses it too.
    """
    from exactformer.checking import EXIT_CODES, check

    verdict = check(certificate)
    if verdict.verdict in ("accepted", "rejected"):
        return 0
    place = f" at {verdict.where}" if verdict.where else ""
    why = f"{verdict.verdict} by the independent checker{place}: {verdict.why}; nothing was written"
    present(as_json, lambda: {"written": None, "checked": False, "verdict": verdict.verdict, "why": why}, ())
    echo(f"exactformer: {certificate}: {why}", err=True)
    return EXIT_CODES[verdict.verdict]


def _check(certificate: Path, output: Path, theories: Path | None, answer: JsonObject, as_json: bool) -> int:
    """The exit code of the kernel's verdict, after the comparison of the literals."""
    from exactformer.certificates.rocq_check import RocqVerdict, run_coqc
    from exactformer.certificates.rocq_literals import labels_agree, verify_literals

    literals = verify_literals(certificate, output)
    say(f"wrote {output}; its {literals} literals are those of {certificate}", quiet=as_json)
    if labels_agree(certificate):
        verdict = run_coqc(output, theories, say)
    else:
        verdict = RocqVerdict(False, "equal labels must have equal targets, and different labels different ones")
    word = {True: "proved", False: "refused", None: "not checked"}[verdict.proved]
    said = {**answer, "literals": literals, "checked": verdict.proved, "verdict": word, "why": verdict.why}
    took = f" ({verdict.seconds:.1f} s)" if verdict.seconds else ""
    present(as_json, said, [f"{word}: {verdict.why}{took}"])
    return {True: 0, False: 1, None: 4}[verdict.proved]
