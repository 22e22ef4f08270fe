"""Hunts that begin at the tokens of a page: started, watched and stopped, each in a process of its own."""

from __future__ import annotations

import json
import signal
import threading
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection

from exactformer.arithmetic.algebraic import json_number
from exactformer.conjectures.catalogue import statement_named
from exactformer.conjectures.search import judged_near
from exactformer.conjectures.shrink import shrink
from exactformer.conjectures.store import plain_json
from exactformer.errors import ExactformerError, InvalidInput
from exactformer.io.json_lines import JsonObject
from exactformer.io.untyped import AnyInstance
from exactformer.model.tokens import Tokens
from exactformer.play.api import WHERE, token_statements
from exactformer.play.jobs import MEMORY, Worker, limit_memory, start_worker
from exactformer.play.page import read_playable
from exactformer.play.query import Query, count_of

#: instances judged unless a budget is given, the largest budget, and the seconds that a hunt may take
BUDGET, MOST, SECONDS = 3000, 100_000, 300.0
#: hunts at the same time, over all pages
AT_ONCE = 2
#: seconds between two messages about progress
PAUSE = 0.15


@dataclass
class Hunt:
    """A hunt of a page: its process, and what was last heard of it."""

    worker: Worker
    told: JsonObject
    ends: float

    def tell(self) -> JsonObject:
        """The latest news: {"state": "running" | "refuted" | "stands" | "stopped" | "failed", ..}."""
        try:
            while self.running and self.worker.pipe.poll():
                self.told |= self.worker.pipe.recv()
        except (EOFError, OSError):
            self.told |= {"state": "failed", "why": "the hunt ended early, most likely for want of memory"}
        if self.running and time.monotonic() > self.ends:
            self.stop()
        return self.told

    @property
    def running(self) -> bool:
        """Whether it may still find something."""
        return bool(self.told["state"] == "running")

    def stop(self) -> None:
        """Ends it."""
        self.worker.kill()
        if self.running:
            self.told |= {"state": "stopped"}


class Hunts:
    """The hunts of all pages, at most one each."""

    def __init__(self) -> None:
        self._of_page: dict[str, Hunt] = {}
        self._lock = threading.Lock()

    def start(self, page: str, body: bytes, options: Query) -> JsonObject:
        """Starts a hunt for a counterexample to `statement` near the tokens; one of the same page is stopped."""
        known = {statement.name for statement in token_statements()}
        name = options.get("statement", "")
        if statement_named(name).name not in known:
            raise InvalidInput(f"{name} does not speak of tokens; api/statements names those that do")
        budget, seed = count_of(options, "budget", BUDGET, MOST), count_of(options, "seed", 0, 10**9 - 1)
        read_playable(body)
        with self._lock:
            self._end(page)
            if sum(hunt.tell()["state"] == "running" for hunt in self._of_page.values()) >= AT_ONCE:
                raise InvalidInput(f"{AT_ONCE} hunts are running; stop one of them first")
            worker = start_worker(pursue, body, name, seed, budget)
            told = {"state": "running", "statement": name, "judged": 0, "budget": budget, "nearest": 0.0, "seed": seed}
            self._of_page[page] = Hunt(worker, told, time.monotonic() + SECONDS)
            return dict(told)

    def tell(self, page: str) -> JsonObject:
        """What the hunt of a page has come to."""
        with self._lock:
            hunt = self._of_page.get(page)
            return {"state": "none"} if hunt is None else dict(hunt.tell())

    def stop(self, page: str) -> JsonObject:
        """Stops the hunt of a page."""
        with self._lock:
            hunt = self._of_page.get(page)
            if hunt is not None:
                hunt.tell()
                hunt.stop()
            return {"state": "none"} if hunt is None else dict(hunt.told)

    def close(self) -> None:
        """Stops all of them."""
        with self._lock:
            for page in list(self._of_page):
                self._end(page)

    def _end(self, page: str) -> None:
        hunt = self._of_page.pop(page, None)
        if hunt is not None:
            hunt.stop()


def pursue(pipe: Connection, body: bytes, name: str, seed: int, budget: int) -> None:
    """Judges instances near the tokens and tells how far it is; a counterexample is made small first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    limit_memory(MEMORY)
    try:
        found = _pursued(pipe, Tokens.of_bytes(body, WHERE), name, seed, budget)
    except (ExactformerError, MemoryError) as problem:
        found = {"state": "failed", "why": str(problem) or "out of memory"}
    pipe.send(json.loads(json.dumps(found, default=json_number)))
    pipe.close()


def _pursued(pipe: Connection, tokens: Tokens, name: str, seed: int, budget: int) -> JsonObject:
    statement, nearest, last, judged = statement_named(name), 0.0, 0.0, 0
    for judged, (instance, verdict) in enumerate(judged_near(statement, tokens, seed, budget), start=1):
        if verdict.refutes:
            small: AnyInstance
            small, why = shrink(statement, instance)
            witness = plain_json({"witness": dict(why.witness)})["witness"]
            return {"state": "refuted", "judged": judged, "nearest": 1.0, "instance": small.json(), "witness": witness}
        nearest = max(nearest, verdict.nearness)
        if time.monotonic() > last + PAUSE:
            last = time.monotonic()
            pipe.send({"judged": judged, "nearest": nearest})
    return {"state": "stands", "judged": judged, "nearest": nearest}
