"""`exactformer play`: tokens to drag, with proofs as they move, in the browser."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import click

from exactformer.cli.common import input_path, json_option, say
from exactformer.cli.presenter import present
from exactformer.errors import InvalidInput


@click.command("play")
@click.argument("tokens", metavar="[TOKENS]", type=input_path, required=False)
@click.option("--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="0 means any free port.")
@click.option("--no-browser", is_flag=True, help="Print the address without opening a browser.")
@json_option
def command(tokens: Path | None, port: int, no_browser: bool, as_json: bool) -> int:
    """Open a page on which you drag tokens and limits are proved as they move.

    TOKENS is the token file to start from. The command prints one line, the address of the page; it contains a secret
    and can be reached from this machine only. The server runs until you press Ctrl-C, and writes nothing to disk.

    \b
    Example:
      exactformer play --no-browser
      exactformer play tokens.json --port 8000
    """
    from exactformer.model.tokens import Tokens
    from exactformer.play.server import PlayServer

    instance = None if tokens is None else Tokens.read(tokens)
    try:
        server = PlayServer(instance, port=port)
    except OSError as problem:
        raise InvalidInput(f"--port {port}: {problem.strerror}; choose another, or 0 for any that is free") from problem
    thread = server.begin()
    try:
        present(as_json, lambda: {"url": server.url}, [server.url])
        say("Ctrl-C ends it.", quiet=as_json)
        if not no_browser:
            webbrowser.open(server.url)
        while thread.is_alive():
            thread.join(1)
    finally:
        server.end()
    return 0
