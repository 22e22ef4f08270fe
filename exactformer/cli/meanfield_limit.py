"""`exactformer meanfield limit`: the limit at zero temperature, exactly."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.cli.common import echo, input_path, json_option, output_path, say
from exactformer.cli.presenter import AnswerTable, Shown, present, show

if TYPE_CHECKING:
    from exactformer.studies.mean_field.no_dominant import NoDominant
    from exactformer.studies.mean_field.system import System
    from exactformer.studies.mean_field.zero_temperature import ZeroTemperature

#: bits of the entries that are shown in decimals
SHOWN = 128


@click.command("limit")
@click.argument("system", metavar="SYSTEM", type=input_path)
@click.option("-o", "--output", type=output_path, metavar="CERT", help="Write the certificate here.")
@json_option
def command(system: Path, output: Path | None, as_json: bool) -> int:
    """Find the dominant eigenvalue of M = V B', B = Q'K, its projector Pi, and a proved rate.

    At zero temperature every token x with Pi x != 0 tends to Pi x/|Pi x|, with an error of at most C(x) e^(-rate t).
    Exits 1, with the hypothesis that fails, where the dominant eigenvalue is not real or not semisimple; CERT is then
    the certificate of a counterexample, where there is one. Exits 4 where that cannot be decided.

    \b
    Example:
      exactformer meanfield sample metastable -o system.json
      exactformer meanfield limit system.json -o limit.jsonl
      proofs-check limit.jsonl --data system.json
    """
    from exactformer.studies.mean_field.no_dominant import NoDominant
    from exactformer.studies.mean_field.system import System
    from exactformer.studies.mean_field.zero_temperature import limit

    given = System.read(system)
    found = limit(given)
    if isinstance(found, NoDominant):
        if output is not None:
            _certify_failure(given, found, output)
        _refuse(found, as_json)
        return 1
    if output is not None:
        found.certify(output)
        say(f"wrote {output}", quiet=as_json)
    present(as_json, found.json, _shown(found))
    return 0


def _shown(found: ZeroTemperature) -> Shown:
    rate = "nothing moves: M is a multiple of I" if found.rate is None else show(found.rate)
    rows: list[list[object]] = [["eigenvalue", found.eigenvalue], ["dimension of E", found.dimension], ["rate", rate]]
    rows += [[f"Pi, row {i}", row] for i, row in enumerate(_shown_projector(found))]
    rational, notes = len(found.dominant.coefficients) == 1, []
    if not rational:
        notes.append("first digits of algebraic numbers; --json has them exactly")
    if found.rate is not None and found.dimension == 1:
        notes.append("the rate is that of each token; W2 of many tokens falls half as fast (`meanfield run`)")
    note = "\n".join(notes)
    yield AnswerTable(f"{found.kind}: every x with Pi x != 0 tends to Pi x/|Pi x|, proved", ["", ""], rows, note)


def _shown_projector(found: ZeroTemperature) -> list[str]:
    """The rows of Pi: rational entries as they are, others nearly."""
    if len(found.dominant.coefficients) == 1:
        return [", ".join(map(show, row)) for row in found.projector]
    rows = found.dominant.projector_balls(SHOWN).tolist()
    return [", ".join(f"{float(x.mid()):.12g}..." for x in row) for row in rows]


def _refuse(found: NoDominant, as_json: bool) -> None:
    rows = ([float(x), float(y)] for x, y in found.roots)
    columns = ["real part, nearly", "imaginary part, nearly"]
    present(as_json, found.json, [AnswerTable(f"{found.kind}: no limit map", columns, rows)])
    echo(f"exactformer: a hypothesis fails: {found.reason} ({found.counterexample})", err=True)


def _certify_failure(given: System, found: NoDominant, output: Path) -> None:
    """Writes the certificate of the counterexample that the system is, where there is one."""
    from exactformer.conjectures.given_instance import judge
    from exactformer.instances.mean_field import MeanField

    judged = judge(found.counterexample, MeanField(given.V, given.B))
    if judged.outcome != "false":
        say(f"no certificate: {judged.witness.get('why', 'the system is no counterexample')}")
        return
    judged.certify(output)
    say(f"wrote {output}, a counterexample to {found.counterexample}")
