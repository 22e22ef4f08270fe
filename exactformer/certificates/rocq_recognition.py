"""Certificates of claims `recognition` and `no-recogniser` as Rocq files: theorems about words of every length.

The theories know heads that see the past, with unique ties, no features, and the verdict at the last position; there a
certificate of scope `all` is a theorem. One of claim `no-recogniser` is a theorem about all such recognisers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from exactformer.certificates.rocq_numbers import list_literal, number_literal, row_literal, rows_literal
from exactformer.errors import Declined
from exactformer.io.json_lines import JsonObject
from exactformer.io.untyped import JsonValue

_HEAD = """\
(* The {claim} certificate with sha256 {digest}, as a theorem. *)
From Coq Require Import ZArith QArith List.
From Exactformer Require Import Recogniser RecogniserInstances.
Import ListNotations.
Open Scope Q_scope.

"""
_RECOGNISED = """
Theorem certified : forall w, Forall (fun k => (k < length (tokens Q the_recogniser))%nat) w ->
  right {lenient} (rational_verdict the_recogniser w) (accepts the_automaton w) = true.
Proof.
apply (rational_check_sound {lenient} the_recogniser the_automaton the_tables the_nodes).
vm_cast_no_check (eq_refl true).
Qed.
"""
_IMPOSSIBLE = """
Theorem certified : forall r, ~ (forall w, Forall (fun k => (k < letters the_automaton)%nat) w ->
  right true (rational_verdict r w) (accepts the_automaton w) = true).
Proof.
apply (rational_no_recogniser the_automaton the_x the_u the_z the_p). vm_cast_no_check (eq_refl true).
Qed.
"""
#: the types of the definitions, by their names without number
_TYPES = {
    "block_": "block Q",
    "the_recogniser": "recogniser Q",
    "the_automaton": "automaton",
    "the_p": "nat",
    "the_tables": "list (table Q)",
    "node_": "node Q",
    "the_nodes": "list (node Q)",
    **dict.fromkeys(("the_x", "the_u", "the_z"), "list nat"),
}
_TIES = {"first": "to_first", "last": "to_last"}
_VERDICTS = {True: "Accept", False: "Reject", None: "Zero", "accept": "Accept", "reject": "Reject", "zero": "Zero"}


def recognition_text(lines: list[JsonObject], digest: str, where: str) -> str:
    """The Rocq file of a certificate of claim recognition; Declined where the theories do not know such recognisers."""
    _verify_known(lines, where)
    body = _written(_definitions(lines, where))
    lenient = "true" if lines[2]["zero"] == "rejected" else "false"
    return _HEAD.format(claim="recognition", digest=digest) + body + _RECOGNISED.format(lenient=lenient)


def no_recogniser_text(lines: list[JsonObject], digest: str) -> str:
    """The Rocq file of a certificate of claim no-recogniser; without features every period is one that u fits."""
    words = [(f"the_{key}", _naturals(lines[2][key])) for key in "xuz"]
    body = _written([("the_automaton", _automaton(lines[1])), *words, ("the_p", f"({lines[2]['p']})%nat")])
    return _HEAD.format(claim="no-recogniser", digest=digest) + body + _IMPOSSIBLE


def _written(definitions: Iterable[tuple[str, str]]) -> str:
    """The definitions, each with its type."""
    return "".join(
        f"Definition {name} : {_TYPES[name.rstrip('0123456789')]} := {text}.\n" for name, text in definitions
    )


def _verify_known(lines: list[JsonObject], where: str) -> None:
    model, blocks = lines[2], lines[3 : 3 + lines[0]["blocks"]]
    heads = [head for line in blocks for head in (line["self_attention"] or {"heads": []})["heads"]]
    reasons = {
        "one word or words up to a length": lines[0]["scope"] != "all",
        "heads that see what comes later": any(head["mask"] not in ("before", "upto") for head in heads),
        "ties to all": any(head["ties"] == "all" for head in heads),
        "positional features": bool(model["features"]),
        "an end mark": model["end"] is not None,
        "a verdict at the first position": model["at"] != "last",
    }
    found = [reason for reason, there in reasons.items() if there]
    if found:
        raise Declined(f"{where}: no form in Rocq for {', '.join(found)}; proofs-check verifies it")


def _definitions(lines: list[JsonObject], where: str) -> Iterator[tuple[str, str]]:
    """Names and terms: blocks, recogniser, automaton, tables of queries, states."""
    header, model, dim = lines[0], lines[2], lines[0]["dim"]
    blocks = lines[3 : 3 + header["blocks"]]
    for k, line in enumerate(blocks):
        yield f"block_{k}", _block(line, dim, where)
    names = list_literal([f"block_{k}" for k in range(len(blocks))])
    begin = "None" if model["begin"] is None else f"(Some {row_literal(model['begin'], where)})"
    parts = [names, rows_literal(model["tokens"], where), begin, row_literal(model["accept"], where)]
    yield (
        "the_recogniser",
        f"Recogniser Q {' '.join(parts)} {number_literal(model['threshold'])} {_VERDICTS[model['empty']]}",
    )
    yield "the_automaton", _automaton(lines[1])
    tables = [line for line in lines if "guessed" in line]
    of_block = [[t for t in tables if t["block"] == k] for k in range(len(blocks))]
    queries = [list_literal([_rows(t["queries"]) for t in found]) for found in of_block]
    yield "the_tables", list_literal(queries)
    states = [line for line in lines if "state" in line]
    for k, line in enumerate(states):
        yield f"node_{k}", _node(line, of_block, tables, model["empty"])
    yield "the_nodes", list_literal([f"node_{k}" for k in range(len(states))])


def _block(line: JsonObject, dim: int, where: str) -> str:
    ff, sa = line["feed_forward"], line["self_attention"]
    fed = "None"
    if ff is not None:
        width = len(ff["b"])
        U, W = _matrix(ff["U"], width, dim), _matrix(ff["W"], dim, width)
        fed = f"(Some (FeedForward Q {number_literal(ff['eta'])} {U} {row_literal(ff['b'], where)} {W}))"
    heads = [] if sa is None else [_head(head, dim) for head in sa["heads"]]
    return f"Block Q {fed} {number_literal('1' if sa is None else sa['rho'])} {list_literal(heads)}"


def _head(head: JsonObject, dim: int) -> str:
    height = next((n for n in (_height(head["Q"], dim), _height(head["K"], dim)) if n is not None), 1)
    matrices = " ".join(
        (_matrix(head["V"], dim, dim), _matrix(head["Q"], height, dim), _matrix(head["K"], height, dim))
    )
    return f"Head Q {matrices} {head['mask']} {_TIES[head['ties']]}"


def _height(M: JsonValue, dim: int) -> int | None:
    """The height of a matrix; None for the zero matrix, which has any."""
    if isinstance(M, list):
        return len(M)
    return None if "zero" in M else dim if "scalar" in M else len(M["rows"]) if "rows" in M else len(M["outer"][0])


def _matrix(M: JsonValue, height: int, columns: int) -> str:
    """A matrix row by row, all entries written."""
    return _rows(dense_rows(M, height, columns))


def dense_rows(M: JsonValue, height: int, columns: int) -> list[list[str]]:
    """The entries of a matrix in any of the forms of a certificate, as canonical text.

    >>> dense_rows({"rows": [[[1, "2"]], []]}, 2, 2)
    [['0', '2'], ['0', '0']]
    """
    if isinstance(M, list):
        return M
    if "rows" in M:
        return [[dict(map(tuple, row)).get(c, "0") for c in range(columns)] for row in M["rows"]]
    if "outer" in M:
        from exactformer.io.canonical import canonical, from_canonical

        left, right = ([from_canonical(x) for x in part] for part in M["outer"])
        return [[canonical(x * y) for y in right] for x in left]
    c = M.get("scalar", "0")
    return [[c if i == j else "0" for j in range(columns)] for i in range(height)]


def _rows(rows: list[list[str]]) -> str:
    return list_literal([list_literal([number_literal(x) for x in row]) for row in rows])


def _automaton(line: JsonObject) -> str:
    rows = list_literal([list_literal([str(q) for q in row]) for row in line["next"]])
    return f"Automaton ({rows})%nat {_naturals(line['accepting'])} ({line['start']})%nat"


def _naturals(numbers: list[int]) -> str:
    return f"({list_literal([str(n) for n in numbers])})%nat"


def _node(line: JsonObject, of_block: list[list[JsonObject]], tables: list[JsonObject], empty: bool | None) -> str:
    """A state: the summaries that its heads hold, block by block, the verdict so far, the state of the automaton."""
    held = dict(zip(((t["block"], t["head"]) for t in tables), line["heads"], strict=True))
    blocks = [list_literal([_summary(t, held[t["block"], t["head"]]) for t in found]) for found in of_block]
    out = _VERDICTS[empty if line["out"] is None else line["out"]]
    return f"({list_literal(blocks)}, {out}, ({line['automaton']})%nat)"


def _summary(table: JsonObject, number: int) -> str:
    entries = []
    for entry in table["summaries"][number]:
        value = None if entry is None else list_literal([number_literal(x) for x in table["values"][entry[1]]])
        entries.append("None" if entry is None else f"Some ({number_literal(entry[0])}, {value})")
    return list_literal(entries)
