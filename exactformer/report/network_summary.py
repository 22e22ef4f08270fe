"""What certificates of trained networks say, for their pages."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from exactformer.certificates.envelope import CertificateLine
from exactformer.io.json_lines import JsonObject
from exactformer.report.mean_field_summary import NamedValue, SummaryParts

#: cases and domains shown
SHOWN = 100
REAL = "This is about real arithmetic, not about what a device returns."


def network_parts(header: JsonObject, lines: Iterator[CertificateLine]) -> SummaryParts:
    """The network, and what is said about its outputs."""
    kept = [line for line in lines if "case" in line or "domain" in line]
    cases, domains = [line for line in kept if "case" in line], [line for line in kept if "domain" in line]
    if header["claim"] == "enclosure":
        title = f"{len(cases)} outputs of a trained network, enclosed"
        words = "Every coordinate of an output is at most the radius away from the centre that the file states."
        rows = [[line["case"], _ids(line["ids"]), line["at"], line["radius"]] for line in cases[:SHOWN]]
        return title, f"{words} {REAL}", _facts(header), [("Outputs", ["case", "ids", "position", "radius"], rows)]
    tuples = sum(_tuples(line) for line in domains)
    title = f"The decisions of a trained network on {len(cases) + tuples} inputs"
    words = "On every input the class stated is the only largest output of the network."
    facts = [*_facts(header), ("inputs", len(cases) + tuples)]
    rows = [[line["case"], _ids(line["ids"]), _ids(line["argmax"])] for line in cases[:SHOWN]]
    tables = [("Inputs", ["case", "ids", "class"], rows)] if rows else []
    shown = [[line["domain"], _ranges(line["ids"]), _tuples(line), _function(line)] for line in domains[:SHOWN]]
    tables += [("Domains", ["domain", "ids", "inputs", "class"], shown)] if shown else []
    return title, f"{words} {REAL}", facts, [*tables]


def _facts(header: JsonObject) -> list[NamedValue]:
    keys = ("blocks", "dim", "heads", "hidden", "norm", "activation", "vocabulary", "classes", "epsilon", "bits")
    return [*((key, header[key]) for key in keys), ("SHA-256 of the weights", header["weights"])]


def _ids(value: object) -> str:
    """Ids or classes, the first of many."""
    listed = value if isinstance(value, list) else [value]
    return " ".join(map(str, listed[:20])) + (" .." if len(listed) > 20 else "")


def _ranges(pairs: list[list[int]]) -> str:
    return _ids([str(a) if a == b else f"{a}..{b}" for a, b in pairs])


def _tuples(line: CertificateLine) -> int:
    """The inputs of a domain."""
    return prod(b - a + 1 for a, b in line["ids"])


def _function(line: CertificateLine) -> str:
    """The class of an input, in words."""
    function = line["function"]
    if "table" in function:
        return "as listed in the file"
    terms = [str(function["plus"])] if function["plus"] else []
    terms += [f"id {i}" if c == 1 else f"{c} id {i}" for i, c in enumerate(function["sum"]) if c]
    return f"({' + '.join(terms) or '0'}) mod {function['mod']}"
