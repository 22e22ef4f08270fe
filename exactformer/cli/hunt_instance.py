"""`exactformer hunt NAME --instance FILE`: a statement judged on one instance."""

from __future__ import annotations

from pathlib import Path

from exactformer.cli.common import output_path, say
from exactformer.cli.presenter import present

WORDS = {
    "true": "holds on this instance",
    "false": "fails on this instance",
    "undecided": "is undecided on this instance",
    "outside": "does not speak of this instance",
}


def judge_instance(conjecture: str, path: Path, output: str | None, as_json: bool) -> int:
    """Answers with the verdict, its nearness and its witness; writes the certificate of a counterexample."""
    from exactformer.conjectures.given_instance import certifiable, judge
    from exactformer.conjectures.hunt import text

    certificate = output and output_path.convert(f"{output.removesuffix('.jsonl')}.jsonl", None, None)
    found = judge(conjecture, path)
    answer = found.json()
    words = f"{found.statement.name} {WORDS[found.outcome]} (nearness {found.nearness:.3f})"
    present(as_json, answer, [words, *(f"  {key}: {text(value)}" for key, value in answer["witness"].items())])
    if certificate and found.outcome == "false" and certifiable(found.statement, found.instance):
        found.certify(certificate)
        say(f"wrote {certificate}")
    elif certificate:
        say("no certificate: the instance is no counterexample, or its statement has none")
    return found.exit_code
