"""What the report tells of a certificate with given lines."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from exactformer.report.claim_summary import ClaimSummary, claim_summary


def written(folder: Path, *lines: dict[str, Any]) -> ClaimSummary:
    """The account of a certificate with these lines, whatever a checker says of it."""
    head = {"exactformer": "certificate", "version": [1, 0], **lines[0]}
    body = "".join(f"{json.dumps(line)}\n" for line in (head, *lines[1:]))
    end = {"end": True, "sha256": hashlib.sha256(body.encode()).hexdigest()}
    (folder / "c.jsonl").write_text(f"{body}{json.dumps(end)}\n")
    return claim_summary(folder / "c.jsonl")
