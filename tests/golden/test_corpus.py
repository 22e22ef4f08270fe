"""The checker says of the corpus what it said, and charges what it charged; after a change that is meant: python tests/golden/corpus.py --record"""

from __future__ import annotations

import json

import pytest
from corpus import KEPT, plain_entries, said

from proofs_check import Limits

ENTRIES = plain_entries()
FACTS = json.loads(KEPT.read_text("utf-8"))
GROUPS = sorted({(file.partition("/")[0], str(entry["claim"])) for file, entry in ENTRIES.items()})


def test_every_file_is_kept() -> None:
    assert FACTS.keys() == ENTRIES.keys(), "python tests/golden/corpus.py --record"


@pytest.mark.parametrize(("folder", "claim"), GROUPS)
def test_verdicts_and_charges(folder: str, claim: str) -> None:
    for file, entry in ENTRIES.items():
        if file.startswith(folder) and entry["claim"] == claim:
            *words, charge = FACTS[file]
            assert said(entry, Limits().operations) == words, file
            assert said(entry, charge) == words, f"{file}: another charge than {charge}"
            if charge:
                assert said(entry, charge - 1)[0] == "declined", f"{file}: another charge than {charge}"
