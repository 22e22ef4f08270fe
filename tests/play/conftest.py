"""One browser and one server for all tests of the page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from exactformer.play.server import PlayServer

from ..cli.browser import CHROMIUM, Browser, browser
from .driving import TRIANGLE


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    with browser(tmp_path_factory.mktemp("profile")) as tab:
        yield tab


@pytest.fixture(scope="session")
def server() -> Iterator[PlayServer]:
    running = PlayServer(TRIANGLE)
    running.begin()
    yield running
    running.end()
