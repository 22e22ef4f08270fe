"""The frame of every page: one file with its own style and script, which works without a network."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib import resources

from exactformer import __version__
from exactformer.display.html import Markup, asset, html


def page(
    title: str,
    body: Markup,
    *,
    styles: Sequence[str] = ("report.css",),
    scripts: Sequence[str] = ("report.js",),
    papers: str = "",
    program: str = "",
) -> Markup:
    """A self-contained page: the body, the papers to cite where there are any, and who wrote it.

    Styles and scripts are files of `assets/`; before the scripts stands a program that they use, if any. Nothing else
    on the page has any effect.
    """
    if "</script" in program:
        raise ValueError("a program for a page must not contain the end of a script")
    style, script = _assets(styles), asset(f"{program}{_assets(scripts)}")
    cite = html('<h2>Cite</h2><div class="scroll"><pre>{papers}</pre></div>', papers=papers) if papers else ""
    return html(
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<title>{title}</title><link rel="icon" href="data:,"><style>{style}</style></head><body>{body}{cite}'
        '<footer><p class="soft">Written by exactformer {version}. This page needs no network.</p></footer>'
        "{script}</body></html>\n",
        policy=content_policy(style, script),
        title=title,
        style=style,
        body=body,
        cite=cite,
        version=__version__,
        script=html("<script>{script}</script>", script=script) if script else "",
    )


def content_policy(style: str, *scripts: str) -> str:
    """A Content-Security-Policy under which only this style sheet and these scripts have any effect."""
    style_hash, *script_hashes = (
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in (style, *scripts)
    )
    return (
        f"default-src 'none'; style-src {style_hash}; script-src {' '.join(script_hashes)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _assets(names: Sequence[str]) -> Markup:
    folder = resources.files("exactformer.report").joinpath("assets")
    return asset("".join(folder.joinpath(name).read_text() for name in names))
