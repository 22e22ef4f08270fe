"""`exactformer language harden`: the hardmax version of a trained network as a recogniser."""

from __future__ import annotations

from pathlib import Path

import click

from exactformer.cli.common import given_network, json_option, network_path, output_path, say
from exactformer.cli.presenter import present


@click.command("harden")
@click.argument("network", metavar="NETWORK", type=network_path)
@click.option("--letters", required=True, metavar="abc", help="The letters of the ids 0, 1, ..")
@click.option("--begin", type=click.IntRange(min=0), metavar="ID", help="The id that words begin with.")
@click.option("-o", "--output", type=output_path, required=True, metavar="MODEL", help="Write the recogniser here.")
@json_option
def command(network: Path, letters: str, begin: int | None, output: Path, as_json: bool) -> None:
    """Turn a trained NETWORK (two classes, relu, no LayerNorm) into the recogniser with hardmax in place of softmax.

    Class 1 accepts. Up to the longest input of the network the recogniser is its hardmax version; beyond, positions
    repeat. Use language prove, extract and attend to find out what it recognises.

    \b
    Example:
      exactformer train-network strings:ab:5 --language "a.*" --norm none --activation relu -o trained
      exactformer language harden trained/network.json --letters ab --begin 2 -o hard.jsonl
      exactformer language prove hard.jsonl "a.*" --up-to 5
    """
    from exactformer.languages.hardened import hardmax_recogniser

    found = hardmax_recogniser(given_network(network), letters.split() if " " in letters else letters, begin=begin)
    found.save(output)
    say(f"wrote {output}", quiet=as_json)
    heads = sum(len(block.heads) for block in found.blocks)
    period = max((len(f.values) for f in found.features), default=1)  # type: ignore[union-attr]
    answer = {"dim": found.dim, "blocks": len(found.blocks), "heads": heads, "period": period}
    words = f"a recogniser: coordinates {found.dim}, blocks {len(found.blocks)}, heads {heads}, positions {period}"
    present(as_json, answer, [words])
