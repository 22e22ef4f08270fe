"""A headless Chromium, driven through its debugging pipe: no driver, no network, no further package."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
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
        self.buffer, self.count, self.session, self.target = b"", 0, "", ""
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
        if event.get("sessionId", "") != self.session:
            return  # of a tab that is closed
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown" or (
            method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning")
        ):
            self.complaints.append(json.dumps(parameters))
        if method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.complaints.append(parameters["entry"]["text"])
        if method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])

    def open(self, page: Path | str, *, width: int = 1000, javascript: bool = True) -> None:
        """Loads a local page, or an address, in a new tab and waits until it is complete."""
        before, self.session = self.target, ""
        self.target = self.call("Target.createTarget", url="about:blank")["targetId"]
        if before:
            self.call("Target.closeTarget", targetId=before)
        self.session = self.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setScriptExecutionDisabled", value=not javascript)
        self.call("Page.navigate", url=page if isinstance(page, str) else page.resolve().as_uri())
        while self.value("document.readyState") != "complete" or self.value("location.href") == "about:blank":
            pass

    def value(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def wait(self, expression: str, seconds: float = 30) -> Any:
        """The value of an expression once it is truthy."""
        deadline = time.monotonic() + seconds
        while not (found := self.value(expression)):
            assert time.monotonic() < deadline, f"never true: {expression}"
            time.sleep(0.02)
        return found

    def drag(self, start: tuple[float, float], end: tuple[float, float], *, steps: int = 5) -> None:
        """Presses the mouse at one place, moves it and lets go at another."""
        self._mouse("mousePressed", *start, clicks=1)
        for k in range(1, steps + 1):
            self._mouse("mouseMoved", *(a + (b - a) * k / steps for a, b in zip(start, end, strict=True)), held=True)
        self._mouse("mouseReleased", *end, clicks=1)

    def _mouse(self, kind: str, x: float, y: float, *, clicks: int = 0, held: bool = False) -> None:
        button = "left" if clicks or held else "none"
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=1, clickCount=clicks)

    def press(self, key: str, *, code: str = "", modifiers: int = 0) -> None:
        """Presses and releases a key; a single character is typed. Modifiers: 1 Alt, 2 Ctrl, 8 Shift."""
        text = {"text": key} if len(key) == 1 and not modifiers & 2 else {"text": "\r"} if key == "Enter" else {}
        number = {
            "Tab": 9,
            "Enter": 13,
            "Escape": 27,
            "ArrowLeft": 37,
            "ArrowUp": 38,
            "ArrowRight": 39,
            "ArrowDown": 40,
        }
        fields = {"key": key, "code": code or key, "modifiers": modifiers, "windowsVirtualKeyCode": number.get(key, 0)}
        self.call("Input.dispatchKeyEvent", type="keyDown", **fields, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **fields)

    def type(self, text: str) -> None:
        """Types a text where the focus is."""
        self.call("Input.insertText", text=text)


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
