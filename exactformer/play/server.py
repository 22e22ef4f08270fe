"""The local server of the page: loopback only, a secret in its address, Host and Origin checked, nothing on disk."""

from __future__ import annotations

import json
import secrets
import threading
from functools import cached_property
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from exactformer.arithmetic.algebraic import json_number
from exactformer.errors import ExactformerError
from exactformer.io.untyped import JsonValue
from exactformer.model.tokens import Tokens
from exactformer.play.api import QUESTIONS
from exactformer.play.hunts import Hunts
from exactformer.play.jobs import Desk, Reply
from exactformer.play.page import page, policy_of, read_playable, verify_playable

LOOPBACK = "127.0.0.1"
#: bytes of the longest question
LONGEST = 8_000_000
#: what becomes of a question -> the code of HTTP
CODES = {"answer": 200, "undecided": 200, "refused": 400, "stale": 409, "busy": 503, "bug": 500}
#: questions that need no body
WITHOUT_BODY = ("sample",)


class PlayServer(ThreadingHTTPServer):
    """Serves the page at `url` and answers its questions; `shown` are the tokens that the page showed last."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, tokens: Tokens | None = None, *, port: int = 0, desk: Desk | None = None) -> None:
        if tokens is not None:
            verify_playable(tokens)
        super().__init__((LOOPBACK, port), Handler)
        self.secret = secrets.token_urlsafe(16)
        self.start, self.shown = tokens, tokens or Tokens([[0, 0]])
        self.desk, self.hunts = desk or Desk(), Hunts()

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{LOOPBACK}:{self.server_port}/{self.secret}/"

    @cached_property
    def page(self) -> bytes:
        """The page itself."""
        return page(self.start, served=True).encode()

    @property
    def hosts(self) -> tuple[str, str]:
        """The names under which the server lets itself be called."""
        return f"{LOOPBACK}:{self.server_port}", f"localhost:{self.server_port}"

    def begin(self) -> threading.Thread:
        """Serves in a thread of its own, which ends with the process or with `end`."""
        threading.Thread(target=self.desk.warm, daemon=True).start()
        thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
        thread.start()
        return thread

    def end(self) -> None:
        """Stops serving, and everything that is still being computed."""
        self.shutdown()
        self.server_close()
        self.hunts.close()
        self.desk.close()

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that went away is no error worth a word."""


class Handler(BaseHTTPRequestHandler):
    """One request of the page."""

    server: PlayServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "exactformer", ""
    timeout = 60

    def do_GET(self) -> None:
        """The page, news of a hunt, or a sample."""
        self._serve()

    def do_POST(self) -> None:
        """A question."""
        self._serve()

    def do_PUT(self) -> None:
        """What the page shows now."""
        self._serve()

    def do_DELETE(self) -> None:
        """The end of a hunt."""
        self._serve()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the terminal belongs to the user, and the address holds the secret."""

    def _serve(self) -> None:
        if self.headers.get("Host") not in self.server.hosts:
            return self._refuse(403, "expected the name of this machine as Host; other names are not served")
        origin = self.headers.get("Origin")
        if origin is not None and origin.removeprefix("http://") not in self.server.hosts:
            return self._refuse(403, "other pages are not served")
        address = urlsplit(self.path)
        _, secret, *rest = address.path.split("/") if address.path.startswith("/") else ("", "")
        if not secrets.compare_digest(secret.encode(), self.server.secret.encode()) or not rest:
            return self._refuse(404, "nothing is here; the address that `exactformer play` printed has a secret part")
        body = self._body()
        if body is not None:
            self._route("/".join(rest), dict(parse_qsl(address.query)), body)
        return None

    def _body(self) -> bytes | None:
        """The content of the request; None where it was refused."""
        length = self.headers.get("Content-Length", "0")
        if "Transfer-Encoding" in self.headers or not (length.isascii() and length.isdigit()):
            self._refuse(411, "expected a Content-Length")
        elif int(length) > LONGEST:
            self._refuse(413, f"expected at most {LONGEST} bytes, got {length}")
        else:
            return self.rfile.read(int(length))
        return None

    def _route(self, place: str, options: dict[str, str], body: bytes) -> None:
        name, method = place.removeprefix("api/"), self.command
        page = options.pop("page", "")[:64]
        if place == "" and method == "GET":
            policy = policy_of(served=True)
            return self._send(200, "text/html; charset=utf-8", self.server.page, Content_Security_Policy=policy)
        if not place.startswith("api/") or name not in (*QUESTIONS, "hunt", "state"):
            return self._refuse(404, f"nothing is at {place!r:.60}; the questions are {', '.join(QUESTIONS)} and hunt")
        allowed = {"hunt": ("POST", "GET", "DELETE"), "state": ("PUT",), "sample": ("GET", "POST")}.get(name, ("POST",))
        if method not in allowed:
            return self._refuse(405, f"{name}: expected {' or '.join(allowed)}, got {method}", Allow=", ".join(allowed))
        if name in ("hunt", "state"):
            return self._direct(name, page, options, body)
        return self._reply(self.server.desk.ask(page, name, body, options))

    def _direct(self, name: str, page: str, options: dict[str, str], body: bytes) -> None:
        """What is answered without a worker."""
        hunts = self.server.hunts
        try:
            if name == "state":
                self.server.shown = read_playable(body)
                answer: dict[str, JsonValue] = {"tokens": len(self.server.shown)}
            elif self.command == "POST":
                answer = hunts.start(page, body, options)
            else:
                answer = hunts.tell(page) if self.command == "GET" else hunts.stop(page)
        except ExactformerError as problem:
            return self._refuse(400, str(problem))
        return self._send(200, "application/json", json.dumps(answer, default=json_number).encode())

    def _reply(self, reply: Reply) -> None:
        if reply.outcome == "answer":
            kind = (
                "application/json" if reply.content.startswith(b'{"') and b"\n" not in reply.content else "text/plain"
            )
            return self._send(200, kind, reply.content)
        key = "undecided" if reply.outcome == "undecided" else "error"
        return self._send(CODES[reply.outcome], "application/json", json.dumps({key: reply.why}).encode())

    def _refuse(self, code: int, why: str, **headers: str) -> None:
        self.close_connection = True  # what is left of the request is not read
        self._send(code, "application/json", json.dumps({"error": why}).encode(), **headers)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuses what is no request of HTTP, or of a method that nothing here has, in the same words as all else."""
        self._refuse(code, message or HTTPStatus(code).phrase)

    def _send(self, code: int, kind: str, content: bytes, **headers: str) -> None:
        self.send_response(code)
        fixed = {
            "Content-Type": kind,
            "Content-Length": str(len(content)),
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin",
        }
        for name, value in (fixed | headers).items():
            self.send_header(name.replace("_", "-"), value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)
