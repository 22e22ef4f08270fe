"""Writes proofs_check/corpus: certificates to accept and to refuse, with an index that says why.

Run from the root of the repository: python tests/checker/make_corpus.py
The index is a list of {"file", "verdict", "claim", "reason"} and, where needed, "data" (a file for --data), "weights" (a
file for --weights) and "options" (command-line options). Another checker passes if it gives every verdict listed; files whose reason begins
with "limit:" depend on the limits of this checker.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from checker_kit import CORPUS, body, sealed
from corpus_accept import accepted
from corpus_languages import corners as language_corners
from corpus_languages import recognitions, with_data
from corpus_languages import refusals as language_refusals
from corpus_loss import losses, wrong_losses
from corpus_networks import corners as network_corners
from corpus_networks import networks
from corpus_networks import refusals as network_refusals
from corpus_refuse import refused
from corpus_softmax import accepted as softmax_accepted
from corpus_softmax import refused as softmax_refused

README = """# Corpus

`index.json` lists every file with the verdict a checker must give and the reason; `data` names the file for `--data`,
`weights` that for `--weights`, `options` the command-line options. Files in `accept/` and `corner/` state true claims; those in `refuse/` must never be
accepted. Made by `tests/checker/make_corpus.py`.
"""


def main() -> None:
    cases = [*accepted(), *refused()]
    true = [*softmax_accepted(), *losses(), *networks(), *recognitions()]
    cases += [("accept", name, lines, reason, {}) for name, lines, reason in true]
    cases += [("accept", name, lines, reason, more) for name, lines, reason, more in with_data()]
    cases += [("corner", name, lines, reason, {}) for name, lines, reason in [*network_corners(), *language_corners()]]
    refusals = [*softmax_refused(), *wrong_losses(), *network_refusals(), *language_refusals()]
    cases += [("refuse", name, lines, reason, more) for name, lines, reason, more in refusals]
    for folder in ("accept", "refuse", "corner", "data"):
        shutil.rmtree(CORPUS / folder, ignore_errors=True)
        (CORPUS / folder).mkdir(parents=True)
    index: list[dict[str, Any]] = []
    for folder, name, content, reason, more in cases:
        raw = content if isinstance(content, bytes) else sealed(content)
        file = f"{folder}/{name}.jsonl"
        (CORPUS / file).write_bytes(raw)
        entry = {"file": file, "verdict": more.get("verdict", "accepted"), "claim": claim(raw), "reason": reason}
        if "data" in more:
            entry["data"] = f"data/{name}.json"
            data = more["data"]
            (CORPUS / entry["data"]).write_bytes(data if isinstance(data, bytes) else body([data]))
        if "weights" in more:
            entry["weights"] = f"data/{name}.f32"
            (CORPUS / entry["weights"]).write_bytes(more["weights"])
        index.append(entry | ({"options": more["options"]} if "options" in more else {}))
    names = [entry["file"] for entry in index]
    assert len(set(names)) == len(names), sorted(name for name in names if names.count(name) > 1)
    (CORPUS / "index.json").write_text("[\n" + ",\n".join(json.dumps(entry) for entry in index) + "\n]\n")
    (CORPUS / "README.md").write_text(README)
    print({folder: sum(name.startswith(folder) for name in names) for folder in ("accept", "corner", "refuse")})


def claim(raw: bytes) -> str | None:
    try:
        return str(json.loads(raw.split(b"\n")[0])["claim"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


if __name__ == "__main__":
    main()
