"""The local server: who is served, what is answered, what is cancelled, and that it bears a hundred questions a second."""

from __future__ import annotations

import html
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import exactformer as ef
from exactformer.conjectures.given_instance import judge
from exactformer.instances.token_families import FAMILIES
from exactformer.model.tokens import Tokens
from exactformer.play.api import answered, token_statements
from exactformer.play.jobs import Desk
from exactformer.play.presets import COUNTEREXAMPLES, file_of, presets
from exactformer.play.server import LONGEST, PlayServer

from .driving import TRIANGLE

FILE = json.dumps(file_of(TRIANGLE)).encode()
#: tokens whose follower sets take long to settle in a proof: coordinates of thousands of digits
SLOW = json.dumps(
    file_of(Tokens([[Fraction(7 * k**3 + 1, 3**600 + k), Fraction(k * k, 7**500 + k)] for k in range(1, 60)]))
).encode()


def ask(
    server: PlayServer, path: str, body: bytes | None = FILE, method: str = "POST", **headers: str
) -> tuple[int, Any, bytes]:
    """Code, JSON if it is such, and bytes of an answer."""
    parts = urlsplit(server.url)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=60)
    try:
        connection.request(
            method,
            path if path.startswith("/") else parts.path + path,
            body,
            {k.replace("_", "-"): v for k, v in headers.items()},
        )
        response = connection.getresponse()
        content = response.read()
    finally:
        connection.close()
    value = json.loads(content) if response.getheader("Content-Type") == "application/json" else None
    return response.status, value, content


def test_limit_is_the_answer_of_the_command(
    server: PlayServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from exactformer.cli.main import code

    path = tmp_path / "tokens.json"
    path.write_bytes(FILE)
    assert code(["limit", str(path), "--json"]) == 0
    status, _, content = ask(server, "api/limit")
    assert (status, content.decode() + "\n") == (200, capsys.readouterr().out)


def test_proof_tells_late_leaders_and_the_verdict(server: PlayServer) -> None:
    late = next(m for group in presets() for m in group["members"] if m["name"] == "late leader")
    file = next(value["file"] for value in late["values"] if value["label"] == "e = 1/10000")
    status, found, _ = ask(server, "api/proof", json.dumps(file).encode())
    assert status == 200
    assert found["leads_from"]["4"] == 5002
    assert found["verdict"]["verdict"] == "accepted"
    assert found["polytope"] == found["leaders"]
    assert all(clause["holds"] for clause in found["theorem"])


def test_certificates_are_accepted(server: PlayServer, tmp_path: Path) -> None:
    for query in ("", "?statement=every-leader-leads-at-once"):
        status, _, content = ask(server, f"api/certificate{query}")
        (tmp_path / "cert.jsonl").write_bytes(content)
        assert (status, ef.check(tmp_path / "cert.jsonl").verdict) == (200, "accepted")
        assert ask(server, "api/check", content)[1]["verdict"] == "accepted"
        assert ask(server, "api/check", content.replace(b'"alpha":"1"', b'"alpha":"2"'))[1]["verdict"] != "accepted"
    assert ask(server, "api/check")[1]["claim"] == "limit"


def test_statements_are_judged_as_by_the_library(server: PlayServer) -> None:
    _, found, _ = ask(server, "api/statements")
    verdicts = {line["name"]: line["verdict"] for line in found["statements"]}
    assert verdicts == {s.name: judge(s, TRIANGLE).outcome for s in token_statements()}
    assert {"true", "false", "outside"} <= set(verdicts.values())


@pytest.mark.parametrize("name", COUNTEREXAMPLES)
def test_counterexamples_of_the_presets_are_some(name: str) -> None:
    rows, alpha = COUNTEREXAMPLES[name]
    assert judge(name, Tokens(rows, alpha=alpha)).outcome == "false"


def test_simplified_tokens_have_the_same_course() -> None:
    from exactformer.play.simplify import course_of, simplified

    tokens = Tokens([["23/17", "3/31"], ["12/11", "19/20"], ["1/90", "61/20"]])
    small = simplified(tokens)
    assert course_of(ef.limit(small)) == course_of(ef.limit(tokens))
    assert max(x.denominator for row in small.state.rows() for x in row) < 17


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{bad", "expected JSON"),
        (b"", "expected JSON"),
        (b"[1, 2]", "expected a token file"),
        (b'{"exactformer": "tokens", "version": [1, 0], "tokens": [["1"], ["1", "2"]]}', "expected"),
        (b'{"exactformer": "tokens", "version": [1, 0], "tokens": [[NaN]]}', "NaN"),
        (b'{"exactformer": "tokens", "version": [1, 0], "tokens": [["__import__(1)"]]}', "expected"),
        (b'{"exactformer": "tokens", "version": [1, 0], "tokens": [["1"]], "alpha": "-1"}', "alpha > 0"),
        (b'{"exactformer": "tokens", "version": [1, 0], "A": [["-1"]], "tokens": [["1"]]}', "positive definite"),
        (b"\xff\xfe", "expected JSON"),
    ],
)
@pytest.mark.parametrize("question", ["limit", "certificate", "check", "hunt?statement=lemma-0"])
def test_bad_input_is_told(server: PlayServer, question: str, body: bytes, words: str) -> None:
    if question.startswith("hunt") and b'"-1"]]' in body:
        return  # a hunt may begin at any matrix
    status, found, _ = ask(server, f"api/{question}", body)
    assert status == 400
    assert words in found["error"]


def test_only_the_page_itself_is_served(server: PlayServer) -> None:
    port = server.server_port
    assert ask(server, "", None, "GET")[0] == 200
    assert ask(server, "api/limit", Origin=f"http://127.0.0.1:{port}")[0] == 200
    assert ask(server, "api/limit", Host=f"localhost:{port}", Origin=f"http://localhost:{port}")[0] == 200
    for headers in (
        {"Origin": "http://example.org"},
        {"Origin": "null"},
        {"Origin": f"https://127.0.0.1:{port}"},
        {"Origin": "http://127.0.0.1:1"},
        {"Host": "example.org"},
        {"Host": f"example.org:{port}"},
    ):
        assert ask(server, "api/limit", **headers)[0] == 403, headers
        assert ask(server, "", None, "GET", **headers)[0] == 403, headers
    for path in (
        "/",
        "/api/limit",
        "/wrong/api/limit",
        f"/{server.secret[:-1]}/",
        f"/{server.secret}x/",
        f"/{server.secret}",
    ):
        assert ask(server, path, None, "GET")[0] == 404, path
    assert server.server_address[0] == "127.0.0.1"


def test_methods_places_and_sizes(server: PlayServer) -> None:
    assert ask(server, "api/limit", None, "GET")[0] == 405
    assert ask(server, "api/hunt", FILE, "PUT")[0] == 405
    assert ask(server, "api/nonsense")[0] == 404
    assert ask(server, "api/../../etc/passwd", None, "GET")[0] == 404
    assert ask(server, "api/limit", b"", Content_Length=str(LONGEST + 1))[0] == 413
    assert ask(server, "api/limit", b"", Content_Length="-1")[0] == 411
    assert ask(server, "api/sample?n=900")[0] == 400
    assert ask(server, "api/hunt?statement=nothing")[0] == 400


def test_what_is_no_request_is_told(server: PlayServer) -> None:
    """Odd lines of a request and methods that nothing has are refused in JSON, and the server goes on."""
    for line, code in (
        (b"GET nowhere HTTP/1.1", 404),
        (b"GET * HTTP/1.1", 404),
        (b"GET //[ HTTP/1.1", 404),
        (b"OPTIONS / HTTP/1.1", 501),
        (b"GET / HTTP/9.9", 505),
    ):
        with socket.create_connection(("127.0.0.1", server.server_port), timeout=30) as connection:
            connection.sendall(line + f"\r\nHost: 127.0.0.1:{server.server_port}\r\n\r\n".encode())
            answer = connection.makefile("rb").read()
        assert b'{"error": ' in answer, line
        assert str(code).encode() in answer.partition(b"\r\n")[0] or code == 505, line
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=30) as connection:
        connection.sendall(f"HEAD / HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\n\r\n".encode())
        assert connection.makefile("rb").read().endswith(b"\r\n\r\n")


@pytest.mark.parametrize("question", ["state", "hunt?statement=lemma-0"])
def test_what_the_server_reads_itself_is_small(server: PlayServer, question: str) -> None:
    """A token of many coordinates would make a matrix of their square in the server's own memory."""
    head = b'{"exactformer": "tokens", "version": [1, 0], "tokens": ['
    for rows, words in ((b'["1"' + 20_000 * b', "1"' + b"]", "50 coordinates"), (b'["1"], ' * 600 + b'["1"]', "500")):
        begin = time.monotonic()
        status, found, _ = ask(server, f"api/{question}", head + rows + b"]}", "PUT" if question == "state" else "POST")
        assert (status, words in found["error"]) == (400, True)
        assert time.monotonic() - begin < 10


def test_an_interrupted_command_ends_in_silence(tmp_path: Path) -> None:
    """Ctrl-C reaches the whole group of processes, also one that is still loading what workers need."""
    command = [sys.executable, "-m", "exactformer", "play", "--no-browser"]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert running.stdout is not None
    assert running.stdout.readline().startswith("http://127.0.0.1:")
    time.sleep(0.5)
    os.killpg(running.pid, signal.SIGINT)
    _, errors = running.communicate(timeout=120)
    assert running.returncode == 130
    assert "Traceback" not in errors


def test_answers_may_not_be_kept_or_framed_by_strangers(server: PlayServer) -> None:
    parts = urlsplit(server.url)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=30)
    connection.request("GET", parts.path)
    response = connection.getresponse()
    text = response.read().decode()
    assert response.getheader("Referrer-Policy") == "no-referrer"
    assert response.getheader("Cache-Control") == "no-store"
    policy = str(response.getheader("Content-Security-Policy"))
    assert policy.startswith("default-src 'none'; ")
    assert f'content="{html.escape(policy)}"' in text
    assert "default-src &#x27;none&#x27;" in text
    assert "unsafe" not in text.partition("<style>")[0]
    connection.close()


def test_the_newest_question_of_a_page_counts(server: PlayServer) -> None:
    older: list[tuple[int, Any, bytes]] = []
    thread = threading.Thread(target=lambda: older.append(ask(server, "api/simplify?page=one", SLOW)))
    thread.start()
    time.sleep(0.3)
    begin = time.monotonic()
    assert ask(server, "api/limit?page=one")[0] == 200
    thread.join(10)
    assert time.monotonic() - begin < 5
    assert older[0][0] == 409


def test_a_budget_ends_a_question() -> None:
    desk = Desk(seconds=0.5)
    reply = desk.ask("", "simplify", SLOW, {})
    assert (reply.outcome, reply.why) == ("undecided", "not decided within 0.5 seconds")
    assert desk.ask("", "limit", FILE, {}).outcome == "answer"
    desk.close()


def test_memory_is_a_budget_too() -> None:
    desk = Desk(memory=1_000_000)
    reply = desk.ask("", "limit", FILE.replace(b'"tokens": [', b'"tokens": [' + 200_000 * b'["7", "1"], '), {})
    assert (reply.outcome, "memory" in reply.why) == ("undecided", True)
    desk.close()


def test_a_hundred_questions_at_once(server: PlayServer) -> None:
    begin = time.monotonic()
    with ThreadPoolExecutor(50) as crowd:
        found = list(crowd.map(lambda k: ask(server, "api/limit" if k % 5 else "api/limit?page=crowd")[0], range(150)))
    assert set(found) <= {200, 409}
    assert found.count(200) >= 120
    assert time.monotonic() - begin < 30
    assert ask(server, "api/limit")[0] == 200


def test_a_hunt_is_started_watched_and_stopped(server: PlayServer) -> None:
    near = json.dumps(file_of(Tokens([[2, 0], [0, 3], [-1, 1]]))).encode()
    status, told, _ = ask(server, "api/hunt?page=h&statement=every-leader-leads-at-once&seed=1", near)
    assert (status, told["state"]) == (200, "running")
    deadline = time.monotonic() + 60
    while (told := ask(server, "api/hunt?page=h", None, "GET")[1])["state"] == "running":
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert told["state"] == "refuted"
    found = Tokens(told["instance"]["tokens"], told["instance"]["A"], told["instance"]["alpha"])
    assert judge("every-leader-leads-at-once", found).outcome == "false"
    ask(server, "api/hunt?page=h&statement=graph-stabilises&budget=100000", near)
    assert ask(server, "api/hunt?page=h", None, "DELETE")[1]["state"] == "stopped"
    assert ask(server, "api/hunt?page=h", None, "GET")[1]["state"] == "stopped"
    assert ask(server, "api/hunt?page=other", None, "GET")[1]["state"] == "none"


def test_the_page_tells_what_it_shows(server: PlayServer) -> None:
    other = Tokens([["1/2", 0], [0, 1]])
    assert ask(server, "api/state", json.dumps(file_of(other)).encode(), "PUT")[0] == 200
    assert server.shown == other


def test_samples_are_of_the_family(server: PlayServer) -> None:
    found = json.loads(answered("sample", b"", {"family": "ternary", "n": "5", "d": "3", "seed": "7"}))
    assert found["tokens"] == file_of(ef.sample("ternary", n=5, d=3, seed=7))["tokens"]


@pytest.mark.parametrize(
    ("question", "body", "words"),
    [
        ("construct", b"[]", "expected {"),
        ("construct", b'{"sequences": []}', "expected {"),
        ("construct", b'{"sequences": [{"label": 3, "tokens": [["1"]]}]}', "expected {"),
        ("construct", b'{"sequences": [{"label": "a", "tokens": [["x"]]}]}', "x"),
        ("construct?method=magic", b'{"sequences": [{"label": "a", "tokens": [["1"]]}]}', "expected one of"),
        ("language", b'{"expression": "(a", "word": ""}', "expected"),
        ("language", b'{"expression": "/etc/secret.json", "word": ""}', "files are for the command line"),
        ("language", b'{"expression": "secret.brasp", "word": ""}', "files are for the command line"),
        ("language", b'{"expression": "a*"}', "expected {"),
        ("language", b'{"expression": "a*", "word": 3}', "expected {"),
        ("recogniser", b'{"expression": "majority", "word": ""}', "not regular"),
    ],
)
def test_bad_data_and_languages_are_told(server: PlayServer, question: str, body: bytes, words: str) -> None:
    status, found, _ = ask(server, f"api/{question}", body)
    assert status == 400
    assert words in found["error"]


@pytest.mark.parametrize("method", ["shallow", "deep", "leaders", "paper", "compact"])
def test_certificates_of_transformers_are_accepted(method: str) -> None:
    data = {"sequences": [{"label": "a", "tokens": [["0", "1"], ["1", "0"]]}, {"label": "b", "tokens": [["0", "1"]]}]}
    found = json.loads(answered("construct", json.dumps(data).encode(), {"method": method, "robust": "yes"}))
    assert found["verdict"]["verdict"] == "accepted"
    first, last = found["states"][0], found["states"][-1]
    assert first == [line["tokens"] for line in data["sequences"]]
    assert last[0][0] != last[1][0]
    certificate = answered("transformer", json.dumps(data).encode(), {"method": method, "robust": "yes"})
    assert json.loads(answered("check", certificate, {}))["verdict"] == "accepted"


@pytest.mark.parametrize(
    ("expression", "possible"), [("(ab)*", True), ("(aa)*", False), ("~(.*000.*)", True), ("parity", False)]
)
def test_languages_are_answered_with_a_certificate(expression: str, possible: bool) -> None:
    body = json.dumps({"expression": expression, "word": ""}).encode()
    found = json.loads(answered("language", body, {}))
    assert (found["compiled"]["possible"], found["verdict"]["verdict"]) == (possible, "accepted")
    assert json.loads(answered("check", answered("recogniser", body, {}), {}))["verdict"] == "accepted"


def test_letters_of_the_word_belong_to_the_language() -> None:
    found = json.loads(answered("language", b'{"expression": "~(.*000.*)", "word": "0100"}', {}))
    assert (found["accepted"], found["automaton"]["letters"]) == (True, ["0", "1"])
    assert found["run"][-1] in found["automaton"]["accepting"]


@pytest.mark.parametrize(("option", "most"), [("d", 10), ("n", 200)])
def test_samples_of_the_page_have_limits(option: str, most: int) -> None:
    given = {"family": "ternary", "n": "5", "d": "2", "seed": "7"}
    tokens = json.loads(answered("sample", b"", {**given, option: str(most)}))["tokens"]
    assert (len(tokens), len(tokens[0])) == ((most, 2) if option == "n" else (5, most))
    with pytest.raises(ef.InvalidInput, match=f"{option}: expected an integer from 0 to {most}, got '{most + 1}'"):
        answered("sample", b"", {**given, option: str(most + 1)})


def test_a_sample_has_9_tokens_in_the_plane_unless_told() -> None:
    said = json.loads(answered("sample", b"", {"family": "ternary"}))
    assert (len(said["tokens"]), len(said["tokens"][0]), "family" in said) == (9, 2, False)
    told = json.loads(answered("sample", b"", {"named": "1", "d": "1"}))
    assert (told["family"] in FAMILIES, len(told["tokens"][0])) == (True, 1)
