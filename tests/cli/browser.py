"""A headless Chromium, driven through its debugging pipe: no driver, no network, no further package."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe"]


class Browser:
    """One page of a browser: evaluates JavaScript and collects what the console complains about."""

    def __init__(self, reader: int, writer: int) -> None:
        self.reader, self.writer = reader, writer
        self.buffer, self.count, self.session = b"", 0, ""
        self.complaints: list[str] = []
        self.requests: list[str] = []

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The result of one command of the protocol."""
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writer, json.dumps(message).encode() + b"\0")
        while (answer := self._receive()).get("id") != self.count:
            self._note(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self.buffer:
            chunk = os.read(self.reader, 1 << 16)
            assert chunk, "the browser closed its pipe"
            self.buffer += chunk
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def _note(self, event: dict[str, Any]) -> None:
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown" or (
            method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning")
        ):
            self.complaints.append(json.dumps(parameters))
        if method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.complaints.append(parameters["entry"]["text"])
        if method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])

    def open(self, page: Path, *, width: int = 1000, javascript: bool = True) -> None:
        """Loads a local page in a new tab and waits until it is complete."""
        self.session = ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setScriptExecutionDisabled", value=not javascript)
        self.call("Page.navigate", url=page.resolve().as_uri())
        while self.value("document.readyState") != "complete" or self.value("location.href") == "about:blank":
            pass

    def value(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """A browser that ends with the block."""
    assert CHROMIUM is not None
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()

    def wire() -> None:
        reading, writing = os.dup(to_read), os.dup(from_write)  # so that neither is 3 or 4 by accident
        os.dup2(reading, 3)
        os.dup2(writing, 4)

    process = subprocess.Popen(
        [CHROMIUM, *FLAGS, f"--user-data-dir={profile}"],
        preexec_fn=wire,
        close_fds=False,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(to_read)
    os.close(from_write)
    try:
        yield Browser(from_read, to_write)
    finally:
        process.terminate()
        process.wait(20)
        os.close(to_write)
        os.close(from_read)
