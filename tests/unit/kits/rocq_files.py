"""Certificates of interpolations and limits, line by line, for the export to Rocq."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

ATTENTION = {"rho": "1", "V": {"scalar": "-1/2"}, "Q": [["1", "2"], ["0", "3"], ["4", "5"]], "K": {"zero": True}}


FORMS = [
    {"eta": "0", "U": {"outer": [["1", "-2"], ["3", "4/5"]]}, "b": ["0", "7/3"], "W": [["1", "0"], ["2", "-9"]]},
    {"eta": "-1", "U": {"scalar": "2"}, "b": ["1", str(3**80)], "W": {"zero": True}},
    None,
]


def certificate(path: Path, blocks: list[dict[str, Any]], sequences: list[dict[str, Any]], /, **header: Any) -> Path:
    """A certificate file of these lines, digest included."""
    lines: list[dict[str, Any]] = [
        {
            "exactformer": "certificate",
            "version": [1, 0],
            "claim": "interpolation",
            "attention": "hardmax",
            "dim": 2,
            "blocks": len(blocks),
            "sequences": len(sequences),
            **header,
        },
        *({"block": k, **block} for k, block in enumerate(blocks)),
        *({"sequence": j, **sequence} for j, sequence in enumerate(sequences)),
    ]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    end = {"end": True, "sha256": hashlib.sha256(text.encode()).hexdigest()}
    path.write_text(text + json.dumps(end, separators=(",", ":")) + "\n")
    return path


def limit(path: Path, *places: dict[str, Any], tokens: int = 3, points: int = 3) -> Path:
    """A limit certificate of three tokens, digest included; the places replace its last lines."""
    rows = [["7/5", "1/5"], ["1", "1"], ["0", "0"]][:points]
    lines: list[dict[str, Any]] = [
        {"exactformer": "certificate", "version": [1, 0], "claim": "limit", "dim": 2, "tokens": tokens, "layer": 1},
        {"A": [["2", "1/2"], ["1/2", "1"]], "alpha": "3/4", "tokens": rows},
        {"token": 0, "kind": "vertex", "limit": ["7/5", "1/5"], "lock": True},
        {"token": 1, "kind": "vertex", "limit": ["1", "1"], "lock": True},
        *places,
        {"leaders": [0, 1]},
    ]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    end = {"end": True, "sha256": hashlib.sha256(text.encode()).hexdigest()}
    path.write_text(text + json.dumps(end, separators=(",", ":")) + "\n")
    return path
