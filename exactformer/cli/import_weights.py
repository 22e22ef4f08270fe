"""`exactformer import`: weights of others become a network file."""

from __future__ import annotations

from pathlib import Path

import click

from exactformer.cli.common import InputPath, input_path, json_option, note_input, note_output, output_path, say
from exactformer.cli.presenter import present


@click.command("import")
@click.argument("weights", metavar="WEIGHTS", type=InputPath(path_type=Path))
@click.option("--config", type=input_path, metavar="FILE", help="A config.json with what WEIGHTS does not say.")
@click.option("--heads", type=click.IntRange(min=1), help="Heads per block.")
@click.option("--blocks", type=click.IntRange(min=1), help="Blocks, where all share their weights (ALBERT).")
@click.option("--norm", type=click.Choice(["pre", "post", "none"]), help="Where LayerNorm stands in a block.")
@click.option("--activation", type=click.Choice(["relu", "gelu", "gelu_tanh"]), help="gelu is the form with erf.")
@click.option("--epsilon", help="Epsilon of LayerNorm, taken as written: 1e-5 is 1/100000.")
@click.option("--causal/--no-causal", default=None, help="Whether a token sees only itself and those before it.")
@click.option("--read", type=click.Choice(["last", "first", "mean", "all"]), help="Which positions give the output.")
@click.option("--name", "pairs", multiple=True, metavar="PART=NAME", help="Which tensor is token, position or head.")
@click.option("-o", "--output", type=output_path, required=True, metavar="NETWORK", help="The network file to write.")
@json_option
def command(
    weights: Path, config: Path | None, pairs: tuple[str, ...], output: Path, as_json: bool, **options: object
) -> int:
    """Turn WEIGHTS into a network file, and its numbers into a file beside it that ends in .f32.

    WEIGHTS is a .safetensors file, an NPZ, a state dict of torch (of which nothing but tensors is loaded), or a folder
    with model.safetensors and config.json, with the names of GPT-2, nanoGPT, BERT, ALBERT, or of
    torch.nn.TransformerEncoder inside a module with tables (--name says which tensors they are). A tensor without a
    place is an error. If neither the files nor the options determine something, one message lists everything that is
    missing.

    \b
    Example:
      exactformer import model.safetensors --heads 2 --activation gelu_tanh --epsilon 1e-5 -o network.json
    """
    from exactformer.model.network_files import WEIGHTS_SUFFIX
    from exactformer.model.network_import import CONFIG, OLDER_WEIGHTS, WEIGHTS, import_network

    if weights.is_dir():
        for name in (WEIGHTS, OLDER_WEIGHTS, CONFIG):
            note_input(weights / name)
    if output.suffix != WEIGHTS_SUFFIX:
        note_output(output.with_suffix(WEIGHTS_SUFFIX))
    found = import_network(weights, config=config, names=_names(pairs), **options)
    network = found.network
    network.save(output)
    if found.aside:
        say(f"left aside, as they belong to another output: {', '.join(found.aside)}")
    shape = network.architecture
    answer = {
        "names": found.names,
        "dim": shape.dim,
        "blocks": shape.blocks,
        "heads": shape.heads,
        "vocabulary": shape.vocabulary,
        "parameters": network.parameters,
        "sha256": network.digest,
    }
    words = f"{output}: {network!r}, {found.names} names\nSHA-256 of the weights: {network.digest}"
    present(as_json, answer, [words])
    return 0


def _names(pairs: tuple[str, ...]) -> dict[str, str]:
    """Part -> name of its tensor."""
    names = dict(pair.partition("=")[::2] for pair in pairs)
    if not names.keys() <= {"token", "position", "head"} or not all(names.values()) or len(names) < len(pairs):
        raise click.UsageError(f"--name: expected token=NAME, position=NAME or head=NAME once, got {' '.join(pairs)}")
    return names
