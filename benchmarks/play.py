"""The page to play with: exact layers while a token is dragged, proofs from the server, its size."""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from exactformer.instances.token_families import FAMILIES, sample
from exactformer.play.page import page
from exactformer.play.presets import file_of
from exactformer.play.server import PlayServer

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "cli"))
from browser import CHROMIUM, Browser, browser

#: moves of a token that are measured, and instances per family
MOVES, INSTANCES = 60, 10
#: events of the mouse in the drag whose frames are counted
STEPS = 180
#: one move of token 0: milliseconds of JavaScript in the worker, and of drawing everything
MOVE = "app.moveToken(0, [`${k}/97`, `${k}/89`]); k += 1"


def proofs(server: PlayServer) -> list[float]:
    """Milliseconds from question to answer for the proof of the limit, n = 20, all families."""
    found = []
    for name in FAMILIES:
        for seed in range(INSTANCES):
            body = json.dumps(file_of(sample(name, 20, 2, seed))).encode()
            start = time.perf_counter()
            with urllib.request.urlopen(
                urllib.request.Request(f"{server.url}api/proof", body, method="POST")
            ) as answer:
                answer.read()
            found.append(1000 * (time.perf_counter() - start))
    return found[1:]  # the first one waits for the worker to start


def moves(tab: Browser, server: PlayServer) -> tuple[list[float], list[float]]:
    """Milliseconds of computing 40 layers in the worker, and of drawing, for each move of a token."""
    tab.open(server.url)
    tab.wait("!!app.result")
    tab.value(f"app.load({json.dumps(file_of(sample('generic', 20, 2, 1)))}); var k = 1")
    computing, drawing = [], []
    for _ in range(MOVES):
        tab.wait("!app.busy && !app.pending")
        tab.value(MOVE)
        tab.wait("!app.busy && !app.pending")
        computing.append(tab.value("app.result.milliseconds"))
        drawing.append(tab.value("{const start = performance.now(); app.render(); performance.now() - start}"))
    return computing, drawing


def frames(tab: Browser) -> tuple[float, float]:
    """Frames a second while the mouse drags a token, and milliseconds of the processor that the page takes for each."""
    box = "document.querySelector('[data-token=\"3\"]').getBoundingClientRect()"
    x, y = tab.value(f"{box}.x + {box}.width / 2"), tab.value(f"{box}.y + {box}.height / 2")
    note = "(function note(now) { times.push(now); requestAnimationFrame(note); })(performance.now())"
    before = busy(tab)
    tab.value(f"var times = []; {note}")
    tab.drag((x, y), (x + 90, y - 60), steps=STEPS)
    times = tab.value("times")
    return 1000 * (len(times) - 1) / (times[-1] - times[0]), 1000 * (busy(tab) - before) / len(times)


def busy(tab: Browser) -> float:
    """Seconds of the processor that the page's own thread has taken so far, drawing included."""
    tab.call("Performance.enable", timeDomain="threadTicks")
    return {m["name"]: m["value"] for m in tab.call("Performance.getMetrics")["metrics"]}["TaskDuration"]


def main() -> None:
    """Prints the figures."""
    server = PlayServer()
    server.begin()
    print(f"the page: {len(page().encode()) / 1000:.0f} kB, in one file, no fonts")
    answers = sorted(proofs(server))
    print(f"proof of the limit, with certificate and verdict, n = 20, d = 2, {len(answers)} instances of all families:")
    print(f"  median {statistics.median(answers):.0f} ms, 95th percentile {answers[int(0.95 * len(answers))]:.0f} ms")
    if CHROMIUM is not None:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, browser(Path(folder)) as tab:
            computing, drawing = moves(tab, server)
            rate, work = frames(tab)
        print(f"a token dragged, n = 20, d = 2, 40 layers, generic family, {MOVES} moves, in Chromium:")
        layers, picture = statistics.median(computing), statistics.median(drawing)
        print(f"  median: exact and float layers {layers:.1f} ms, drawing {picture:.1f} ms")
        print(f"  {rate:.0f} frames a second, each taking {work:.1f} ms of the processor")
    server.end()


if __name__ == "__main__":
    main()
