"""The page in a notebook: shown in a frame below the cell; the tokens it shows come back to Python."""

from __future__ import annotations

import atexit

from exactformer.display.html import html
from exactformer.model.tokens import Tokens
from exactformer.play.server import PlayServer

#: pixels of the frame, unless others are asked for
HEIGHT = 820


class PlayWidget:
    """A page with the tokens, served by this process until `close`; `tokens` are those that it shows now."""

    def __init__(self, tokens: Tokens, *, height: int = HEIGHT) -> None:
        self.height = height
        self._server = PlayServer(tokens)
        self._server.begin()
        self._open = True
        atexit.register(self.close)

    @property
    def url(self) -> str:
        """Where the page is, for a window of its own; only this machine can reach it."""
        return self._server.url

    @property
    def tokens(self) -> Tokens:
        """The tokens, A and alpha that the page shows, or showed last."""
        return self._server.shown

    @property
    def page(self) -> str:
        """The page itself, as one file."""
        return self._server.page.decode()

    def close(self) -> None:
        """Ends the server; the tokens shown last stay."""
        if self._open:
            self._open = False
            atexit.unregister(self.close)
            self._server.end()

    def __repr__(self) -> str:
        return f"PlayWidget({self.url}, {len(self.tokens)} tokens)" if self._open else "PlayWidget(closed)"

    def _repr_html_(self) -> str:
        return html(
            '<iframe src="{url}" title="exactformer play" width="100%" height="{height}" style="border: 0" '
            'allow="clipboard-write"></iframe>'
            "<p>The tokens shown are <code>.tokens</code> of this cell's value. In a window of its own: "
            '<a href="{url}" target="_blank" rel="noreferrer">{url}</a></p>',
            url=self.url,
            height=self.height,
        )
