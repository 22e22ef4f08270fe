"""What the page asks: a question is a token file and options; an answer is JSON, or the bytes of a certificate."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random, randrange

from exactformer.arithmetic.algebraic import json_number
from exactformer.arithmetic.floats import float_of
from exactformer.arithmetic.power_sum import Number, PowerSum
from exactformer.conjectures.catalogue import catalogue, statement_named
from exactformer.conjectures.given_instance import judge
from exactformer.conjectures.statement import Statement
from exactformer.dynamics.engine_input import EngineInput
from exactformer.dynamics.limits import Limit, limit, prove_limit
from exactformer.errors import Declined, InvalidInput
from exactformer.instances.token_families import FAMILIES, sample
from exactformer.io.json_lines import JsonObject
from exactformer.model.tokens import Tokens
from exactformer.play.language_answers import answer_language, answer_recogniser
from exactformer.play.query import Answer, Query, bytes_of, count_of, verdict_on
from exactformer.play.simplify import simplified
from exactformer.play.transformer_answers import answer_construct, answer_transformer

#: where messages say that the input came from
WHERE = "the tokens of the page"
#: changes of the follower sets that the page lists
CHANGES = 50


def answer_limit(body: bytes, options: Query) -> Answer:
    """The answer of `exactformer limit --json`."""
    found = prove_limit(EngineInput(_tokens(body)))
    return found.json()


def answer_proof(body: bytes, options: Query) -> Answer:
    """The limit, and what the page shows beside it: late leaders, clusters, the polytope, the checker's verdict."""
    found = prove_limit(EngineInput(_tokens(body)))
    if not isinstance(found, Limit):
        return found.json()
    first = found.engine_input.positions.first
    certifiable = found.engine_input.tokens.is_rational
    verdict = verdict_on(bytes_of(found.certify)) if certifiable else None
    return found.json() | {
        "approx_limits": [[_approx(x) for x in row] for row in found.points],
        "leads_from": found.orbit.leads_from,
        "changes": found.orbit.graph_changes[:CHANGES],
        "clusters": found.clusters,
        "polytope": [int(first[p]) for p in found.polytope.vertices],
        "theorem": [{"text": clause.text, "holds": clause.holds} for clause in found.polytope.theorem],
        "certifiable": certifiable,
        "verdict": verdict,
    }


def _approx(value: Number) -> float:
    return float_of(value.interval()[0]) if isinstance(value, PowerSum) else float_of(value)


def answer_statements(body: bytes, options: Query) -> Answer:
    """Every statement of the catalogue about tokens: true, false, undecided or outside its hypotheses, with witness."""
    tokens = _tokens(body)
    about = [{"name": s.name, "status": s.status, "words": s.words} for s in token_statements()]
    judged = [_judged(statement, tokens) for statement in token_statements()]
    return {"statements": [words | found for words, found in zip(about, judged, strict=True)]}


def _judged(statement: Statement, tokens: Tokens) -> JsonObject:
    try:
        return judge(statement, tokens).json()
    except (Declined, InvalidInput) as problem:  # algebraic numbers, say, of which a statement makes nothing
        return {"verdict": "undecided", "nearness": 0.0, "witness": {"why": str(problem)}}


@cache
def token_statements() -> tuple[Statement, ...]:
    """The statements of the catalogue that speak of tokens."""
    return tuple(s for s in catalogue().values() if isinstance(s.generate(Random(0)), Tokens))


def answer_certificate(body: bytes, options: Query) -> Answer:
    """The certificate of the limit, or with `statement` that of a counterexample to it."""
    return bytes_of(_writer(_tokens(body), options.get("statement")))


def answer_check(body: bytes, options: Query) -> Answer:
    """The independent checker's verdict on a certificate; of a token file, on the certificate of its limit."""
    if b'"certificate"' not in body.partition(b"\n")[0][:4096]:
        body = bytes_of(_writer(_tokens(body), options.get("statement")))
    return verdict_on(body)


def answer_sample(body: bytes, options: Query) -> Answer:
    """An instance of a family: of a random one, with a random seed, unless they are given."""
    d = count_of(options, "d", 2, 10)
    usual = [name for name in FAMILIES if d >= 2 or name not in ("rational-polygon", "emerging-leader")]
    name = options.get("family") or usual[randrange(len(usual))]
    tokens = sample(name, count_of(options, "n", 9, 200), d, count_of(options, "seed", randrange(10**6), 10**9))
    return tokens.json() | {"family": name} if options.get("named") else tokens.json()


def answer_simplify(body: bytes, options: Query) -> Answer:
    """Tokens with smaller numbers that still refute `statement`, or without one have the same course."""
    name = options.get("statement")
    return simplified(_tokens(body), statement_named(name) if name else None).json()


def _tokens(body: bytes) -> Tokens:
    return Tokens.of_bytes(body, WHERE)


def _writer(tokens: Tokens, statement: str | None) -> Callable[[Path], object]:
    """What writes the certificate: of the limit, or of a counterexample to a statement."""
    return limit(tokens).certify if statement is None else judge(statement_named(statement), tokens).certify


#: the last part of a question's address -> what answers it
QUESTIONS: dict[str, Callable[[bytes, Query], Answer]] = {
    "limit": answer_limit,
    "proof": answer_proof,
    "statements": answer_statements,
    "certificate": answer_certificate,
    "check": answer_check,
    "sample": answer_sample,
    "simplify": answer_simplify,
    "construct": answer_construct,
    "transformer": answer_transformer,
    "language": answer_language,
    "recogniser": answer_recogniser,
}


def answered(question: str, body: bytes, options: Query) -> bytes:
    """The answer as bytes: JSON, or a certificate."""
    answer = QUESTIONS[question](body, options)
    return answer if isinstance(answer, bytes) else json.dumps(answer, default=json_number).encode()
