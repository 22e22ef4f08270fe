"""Files that exactformer itself reads, with sizes as parameters, and what reads each.

A new reader adds a row: the ending of the file, its bytes by sizes, the expression that reads it.
"""

from __future__ import annotations

import hashlib
import io
import json
import lzma
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Reader:
    """Files by integers, each within a range, and the Python expression that reads the one at `path`."""

    ending: str
    make: Callable[..., bytes]
    read: str
    ranges: dict[str, tuple[int, int]]
    #: about how many bytes of memory `make` takes, where that can be very many
    room: Callable[..., int] = lambda **sizes: 0


#: reads a file in a process of its own; an answer of exactformer, whatever it says, is one
PROGRAM = """
import sys
import exactformer as ef
from exactformer.errors import ExactformerError
path = sys.argv[1]
try:
    {read}
    print("read")
except ExactformerError as problem:
    print(type(problem).__name__)
"""


def table(columns: int, rows: int) -> bytes:
    """Sequences of one token each."""
    head = ["sequence", "label", *(f"x{k + 1}" for k in range(columns))]
    body = [[f"s{r}", f"l{r % 2}", *[str(r + k) for k in range(columns)]] for r in range(rows)]
    return "\n".join(",".join(row) for row in [head, *body]).encode() + b"\n"


def points(rows: int, digits: int) -> bytes:
    """Tokens with long decimals."""
    return "".join(f"0.{7**k % 10**digits + 1},{k}\n" for k in range(rows)).encode()


def quotients(rows: int, digits: int) -> bytes:
    """Tokens whose denominators have little in common."""
    return "".join(f"1/{10**digits + 2 * k + 1},{k}\n" for k in range(rows)).encode()


def columns(dim: int, rows: int) -> bytes:
    """Tokens with many coordinates."""
    return "".join(",".join([str(r + 1)] * dim) + "\n" for r in range(rows)).encode()


def data_set(sequences: int, tokens: int, digits: int) -> bytes:
    """A data set as JSON."""
    rows = [
        {"tokens": [[f"{s + t + 1}/{10**digits + 1}"] for t in range(tokens)], "label": str(s % 2)}
        for s in range(sequences)
    ]
    return json.dumps({"exactformer": "dataset", "version": [1, 0], "sequences": rows}).encode()


def reviews(rows: int, words: int) -> bytes:
    """Reviews with quotation marks that are not balanced."""
    text = " ".join(f"word{chr(97 + k % 26)}{chr(97 + k // 26 % 26)}" for k in range(words))
    return "".join(f'{r % 2}\t"{text} {r}\n' for r in range(rows)).encode()


def classifier(layers: int, digits: int, words: int) -> bytes:
    """A model that asks for long numbers."""
    letters = "abcdefghij"
    names = ["".join(letters[int(c)] for c in f"{k:04d}") for k in range(words)]
    content = {
        "exactformer": "classifier",
        "version": [1, 0],
        "alpha": f"{10**digits + 1}/7",
        "layers": layers,
        "length": 10_000,
        "pairs": False,
        "denominator": 256,
        "A": [["2", "1"], ["1", "2"]],
        "v": [3, -5],
        "b": 1,
        "words": names,
        "embeddings": [[(37 * k) % 501 - 250 for k in range(words)], [(91 * k) % 499 - 249 for k in range(words)]],
        "about": {},
    }
    return lzma.compress(json.dumps(content).encode())


def automaton(states: int, letters: int) -> bytes:
    """An automaton whose states a word walks through."""
    rows = [[(q + 1 + k * q) % states for k in range(letters)] for q in range(states)]
    content = {"letters": [f"x{k}" for k in range(letters)], "next": rows, "accepting": [0], "start": 0}
    return json.dumps(content).encode()


def expression(options: int, ends: int, parts: int) -> bytes:
    """An expression of optional letters, of letters counted from the end, and of intersections."""
    return "&".join(["a?" * options + "(a|b)*a" + "(a|b)" * ends] * parts).encode()


def program(gates: int, heads: int) -> bytes:
    """Gates and attentions, each of the vectors before it."""
    lines = ["letters a b", "v0 = letter a", "v1 = letter b"]
    for k in range(2, gates + 2):
        lines.append(f"v{k} = v{k - 1} {'and' if k % 2 else 'or'} v{k - 2}")
    for k in range(gates + 2, gates + heads + 2):
        lines.append(f"v{k} = rightmost before [v{k - 1}(j)] v{k - 2}(j) : v0")
    return "\n".join(lines).encode() + b"\n"


def formula(depth: int, width: int) -> bytes:
    """Conjunctions of nested operators."""
    return " & ".join(f"(O (a & {'Y ' * (1 + (depth + k) % 90)}b))" for k in range(width)).encode()


def recogniser_file(letters: int, dim: int, blocks: int) -> bytes:
    """A recogniser with as many blocks that copy."""
    head = {"V": {"scalar": "1"}, "Q": {"zero": True}, "K": {"zero": True}, "mask": "before", "ties": "last"}
    return sealed_recogniser([[str(k % 7)] * dim for k in range(letters)], [head] * blocks)


def sealed_recogniser(tokens: list[list[str]], heads: list[dict[str, object]]) -> bytes:
    """A recogniser with these letters, and a block for every head."""
    dim = len(tokens[0])
    top = {"exactformer": "recogniser", "version": [1, 2], "dim": dim, "blocks": len(heads)}
    model = {
        "tokens": tokens,
        "begin": None,
        "end": None,
        "features": [],
        "at": "last",
        "accept": ["1"] * dim,
        "threshold": "0",
        "zero": "rejected",
        "empty": True,
    }
    lines = [top | {"letters": [f"l{k}" for k in range(len(tokens))]}, model]
    lines += [
        {"block": b, "feed_forward": None, "self_attention": {"rho": "1", "heads": [head]}}
        for b, head in enumerate(heads)
    ]
    body = b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)
    return body + json.dumps({"end": True, "sha256": hashlib.sha256(body).hexdigest()}).encode() + b"\n"


def gpt2(blocks: int, dim: int, rows: int) -> dict[str, tuple[int, ...]]:
    """The shapes of the weights of a GPT-2, as nanoGPT writes them, with as many token ids and positions."""
    shapes: dict[str, tuple[int, ...]] = {"wte.weight": (rows, dim), "wpe.weight": (rows, dim), "ln_f.weight": (dim,)}
    for k in range(blocks):
        shapes |= {f"h.{k}.ln_{part}.weight": (dim,) for part in (1, 2)}
        shapes |= {f"h.{k}.attn.c_attn.weight": (3 * dim, dim), f"h.{k}.attn.c_proj.weight": (dim, dim)}
        shapes |= {f"h.{k}.mlp.c_fc.weight": (dim, dim), f"h.{k}.mlp.c_proj.weight": (dim, dim)}
    return {f"transformer.{name}": shape for name, shape in shapes.items()}


def safetensors(blocks: int, dim: int, rows: int) -> bytes:
    """A GPT-2 of zeros."""
    entries, end = {}, 0
    for name, shape in gpt2(blocks, dim, rows).items():
        start, end = end, end + 4 * int(np.prod(shape))
        entries[name] = {"dtype": "F32", "shape": shape, "data_offsets": [start, end]}
    head = json.dumps(entries).encode()
    return len(head).to_bytes(8, "little") + head + bytes(end)


def npz(blocks: int, dim: int, rows: int) -> bytes:
    """The same, compressed: a short file of long arrays."""
    file = io.BytesIO()
    np.savez_compressed(file, **{name: np.zeros(shape, np.float32) for name, shape in gpt2(blocks, dim, rows).items()})
    return file.getvalue()


def recogniser_of_units(dim: int, blocks: int, mask: int) -> bytes:
    """Letters are unit vectors, and heads look for the same letter: summaries by the thousand."""
    which = (None, "before", "upto", "after", "from")[mask]
    head = {"V": {"scalar": "1"}, "Q": {"scalar": "1"}, "K": {"scalar": "1"}, "mask": which, "ties": "first"}
    tokens = [[str(int(i == k)) for i in range(dim)] for k in range(dim)]
    return sealed_recogniser(tokens, [head] * blocks)


def of_letters(letters: int, dim: int, blocks: int) -> int:
    """The memory of the letters of a recogniser."""
    return 70 * letters * dim


def of_weights(blocks: int, dim: int, rows: int) -> int:
    """The memory of the weights of a GPT-2."""
    return 4 * (12 * blocks * dim * dim + 2 * rows * dim)


#: the explanation of a text that has all words of the model
MODEL = "model = ef.sentiment.ReviewClassifier.read(path); model.explain(' '.join(model.words)).json()"
COMPILE = "import exactformer.languages as l; l.compile"
NETWORK = "ef.Network.load(path, heads=1, activation='relu', epsilon='1e-5')"
EXTRACT = "from exactformer.languages.prove import extract; extract(ef.Recogniser.read(path))"
READERS: dict[str, Reader] = {
    "data set, CSV": Reader(
        ".csv",
        table,
        "ef.Dataset.read(path)",
        {"columns": (1, 120_000), "rows": (2, 60_000)},
        room=lambda columns, rows: 70 * columns * rows,
    ),
    "data set, JSON": Reader(
        ".json",
        data_set,
        "ef.Dataset.read(path)",
        {"sequences": (2, 20_000), "tokens": (1, 5_000), "digits": (1, 300)},
        room=lambda sequences, tokens, digits: sequences * tokens * (200 + digits),
    ),
    "tokens, decimals": Reader(".csv", points, "ef.Tokens.read(path)", {"rows": (2, 60_000), "digits": (1, 3_000)}),
    "tokens, quotients": Reader(".csv", quotients, "ef.Tokens.read(path)", {"rows": (2, 60_000), "digits": (1, 3_000)}),
    "tokens, columns": Reader(".csv", columns, "ef.Tokens.read(path)", {"dim": (1, 400_000), "rows": (1, 9)}),
    "reviews, TSV": Reader(
        ".tsv",
        reviews,
        "ef.sentiment.read_reviews(path)",
        {"rows": (2, 20_000), "words": (1, 5_000)},
        room=lambda rows, words: 10 * rows * words,
    ),
    "automaton": Reader(
        ".json",
        automaton,
        f"{COMPILE}(path)",
        {"states": (2, 60_000), "letters": (1, 300)},
        room=lambda states, letters: 50 * states * letters,
    ),
    "expression": Reader(
        ".txt", expression, f"{COMPILE}(open(path).read())", {"options": (1, 4_000), "ends": (0, 40), "parts": (1, 30)}
    ),
    "B-RASP": Reader(".brasp", program, f"{COMPILE}(path)", {"gates": (1, 9_000), "heads": (1, 60)}),
    "formula": Reader(".txt", formula, f"{COMPILE}(ltl=open(path).read())", {"depth": (1, 90), "width": (1, 60)}),
    "recogniser": Reader(
        ".jsonl",
        recogniser_file,
        "r = ef.Recogniser.read(path); r.verdict([r.letters[0]] * 20)",
        {"letters": (1, 20_000), "dim": (1, 3_000), "blocks": (1, 3_000)},
        room=of_letters,
    ),
    "recogniser, extracted": Reader(
        ".jsonl",
        recogniser_file,
        EXTRACT,
        {"letters": (1, 20_000), "dim": (1, 3_000), "blocks": (1, 3_000)},
        room=of_letters,
    ),
    "recogniser of units, extracted": Reader(
        ".jsonl", recogniser_of_units, EXTRACT, {"dim": (2, 600), "blocks": (1, 300), "mask": (0, 4)}
    ),
    "network, safetensors": Reader(
        ".safetensors",
        safetensors,
        NETWORK,
        {"blocks": (1, 900), "dim": (1, 150), "rows": (2, 60_000)},
        room=of_weights,
    ),
    "network, NPZ": Reader(
        ".npz", npz, NETWORK, {"blocks": (1, 900), "dim": (1, 900), "rows": (2, 60_000)}, room=of_weights
    ),
    "classifier": Reader(".model.xz", classifier, MODEL, {"layers": (1, 1_000), "digits": (1, 300), "words": (3, 300)}),
}
