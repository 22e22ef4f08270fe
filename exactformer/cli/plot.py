"""`exactformer plot`: a picture of tokens or of a transformer at work."""

from __future__ import annotations

from pathlib import Path

import click

from exactformer.cli.common import input_path, json_option, output_path, read_matrix, say
from exactformer.cli.presenter import present
from exactformer.cli.simulate import alpha_option, matrix_option
from exactformer.io.untyped import OptionValue

KINDS = ("orbit", "graph", "bits", "float", "space", "blocks", "data", "dial")


@click.command("plot")
@click.argument("path", metavar="TOKENS|CERT|DATA", type=input_path)
@click.option("--kind", type=click.Choice(KINDS), help="Default: orbit for tokens, blocks for certificates, data.")
@click.option("--layers", type=click.IntRange(min=0), default=12, show_default=True, help="Layers of the dynamics.")
@click.option("--layer", type=click.IntRange(min=0), help="Draw this layer only (orbit), or its graph.")
@click.option("--axes", nargs=2, type=int, help="Two coordinates to draw, 0-based (exact); default: principal axes.")
@click.option("--sequence", "sequences", multiple=True, metavar="S", help="A sequence to draw, by index or name.")
@click.option("--class", "classes", multiple=True, metavar="LABEL", help="A label to draw; may be given several times.")
@click.option("--block", "blocks", multiple=True, type=click.IntRange(min=0), help="A block to draw, 0-based.")
@click.option("--data", type=input_path, help="The CSV file of the certificate, for the names of its sequences.")
@alpha_option
@matrix_option
@click.option("--title", default="", help="A line above the picture.")
@click.option("-o", "--output", type=output_path, required=True, help="PNG, PDF or SVG; GIF or MP4 for an orbit.")
@json_option
def command(
    path: Path,
    kind: str | None,
    output: Path,
    matrix: str | None,
    alpha: str | None,
    as_json: bool,
    **options: OptionValue,
) -> None:
    """Draw tokens layer by layer, what each block of a transformer does to each sequence, or the dial of compact.

    Leaders are stars; followers have the colour and shape of the leader they follow; a tie is a disc with several
    colours. The dashed outline is the polytope of the leaders. More than two dimensions are projected, and the
    picture says how.
    The dial builds method compact for a data set with G = N, N/2, N/4, .. groups: numbers stored against their bits.

    \b
    Example:
      exactformer sample rational-polygon -n 6 --seed 1 -o tokens.json
      exactformer plot tokens.json --layers 10 -o orbit.png
    """
    from exactformer.io.file_kind import form_of
    from exactformer.report.block_frames import Choice

    chosen = Choice(*(options.pop(name) or None for name in ("sequences", "classes", "blocks")))
    data = options.pop("data")
    if form_of(path) == "certificate":
        from exactformer.report.certificate_plot import plot_certificate

        of_orbit = {name: options[name] for name in ("layer", "axes", "title")}
        plot_certificate(path, kind, output, choice=chosen, names=_names(data), **of_orbit)
    elif kind in ("data", "dial") or (kind is None and _is_dataset(path)):
        from exactformer.model.dataset import Dataset
        from exactformer.report.plot import plot

        parts = {"sequences": chosen.sequences, "classes": chosen.classes, "axes": options["axes"]}
        plot(Dataset.read(path, labelled=None), kind, path=output, title=options["title"], **parts)
    elif chosen != Choice() or data is not None:
        raise click.UsageError("--sequence, --class, --block and --data are for certificates of constructions")
    else:
        from exactformer.model.tokens import Tokens
        from exactformer.report.plot import plot

        plot(Tokens.read(path, A=read_matrix(matrix), alpha=alpha), kind, path=output, **options)
    present(as_json, lambda: {"picture": str(output)}, ())
    say(f"wrote {output}", quiet=as_json)


def _is_dataset(path: Path) -> bool:
    """Whether a file holds sequences, by its content."""
    from exactformer.errors import ExactformerError
    from exactformer.loading import load
    from exactformer.model.dataset import Dataset

    try:
        return isinstance(load(path), Dataset)
    except ExactformerError:
        return False  # the reader of tokens says what is wrong


def _names(data: Path | None) -> list[str] | None:
    """The names of the sequences of a data file, where it has any."""
    from exactformer.model.dataset import Dataset

    return None if data is None else Dataset.read(data, labelled=False).names
