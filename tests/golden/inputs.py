"""The files with which every part of the session begins: small data, recognisers of the literature, networks of fixed weights."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import exactformer as ef
from exactformer.cli.demo import all_but_one_csv
from exactformer.languages import literature

ROOT = Path(__file__).parents[2]
TEXTS = {
    "pets.csv": "sequence,label,x1,x2\na,cat,0.1,1.25\na,cat,0.7,-0.5\na,cat,2,0\nb,dog,0.1,1.25\nb,dog,0.7,-0.5\n"
    "c,cat,2,0\nc,cat,0.1,1.25\n",
    "new.csv": "sequence,label,x1,x2\nb,?,0.7,-0.5\nb,?,0.1,1.25\nnew,?,1,1\n",
    "twins.csv": "sequence,label,x1\na,left,0\na,left,1\nb,right,0\nb,right,1\nb,right,1\nb,right,0\n",
    "square.json": """{"exactformer": "tokens", "version": [1, 0], "alpha": "1/2",
 "tokens": [["-1/5", "7/5"], ["-7/5", "-1/5"], ["1/5", "-7/5"], ["7/5", "1/5"], ["3/10", "2/5"], ["-1/5", "1/7"]]}
""",
    "shared.csv": all_but_one_csv(),
    "before.brasp": "letters a b\nA = letter a\nv = rightmost before [A(j)] true : false\n",
    "even.json": '{"letters": ["0", "1"], "start": 0, "accepting": [0], "next": [[0, 1], [1, 0]]}',
    "ids.csv": "1,2,3\n4\n0,0,5,1\n",
    "labelled.csv": "1,2,3,0\n4,4,1\n0,0,5,2\n",
    "points.json": json.dumps({"cat": [1, 0], "dog": [0, "1/2"], "owl": ["-1/3", 1]}),
    "series.csv": "a,b\n1,0\n1,1\n2,1\n3,2\n5,3\n8,5\n13,8\n21,13\n34,21\n",
    "tokens.csv": "x,y\n3,0\n1,2\n-2,1\n1,1\n1/2,-1\n",
    "broken.json": '{"exactformer": "tokens", "version": [1, 0], "tokens": [[1, 2], [3]]}',
    "conjecture.py": (ROOT / "examples" / "my_conjecture.py").read_text("utf-8"),
}
SHAPE = {"dim": 4, "heads": 2, "hidden": 6, "blocks": 2, "vocabulary": 6, "positions": 4}


def network(shape: ef.Architecture, read: str = "last") -> ef.Network:
    """A network whose weights are multiples of 1/64 by a rule that never repeats along a row."""
    tensors = {}
    for number, (name, size) in enumerate(shape.shapes.items(), 1):
        k = np.arange(np.prod(size, dtype=int))
        tensors[name] = (((k * k + number * k * 7 + number) % 61 - 30) / 64).reshape(size).astype(np.float32)
    return ef.Network(shape, tensors, read=read)


def write_networks(folder: Path) -> None:
    """A classifier of each norm and activation, an encoder, one that can be hardened."""
    for norm, activation, causal in (("pre", "gelu", True), ("post", "gelu_tanh", False), ("none", "relu", True)):
        shape = ef.Architecture(**SHAPE, classes=3, norm=norm, activation=activation, causal=causal)
        network(shape).save(folder / f"{norm}.json")
    network(ef.Architecture(**SHAPE, classes=4, head="none", norm="post", activation="gelu"), "mean").save(
        folder / "encoder.json"
    )
    small = SHAPE | {"vocabulary": 3, "blocks": 1}
    network(ef.Architecture(**small, classes=2, norm="none", activation="relu")).save(folder / "two.json")


def write_inputs(folder: Path, commands: str) -> None:
    """The files that these commands name."""
    for name, text in TEXTS.items():
        if name in commands:
            (folder / name).write_text(text, encoding="utf-8")
    for recogniser in (literature.first, literature.parity, literature.majority, literature.dyck_1):
        if f"{recogniser.__name__}.jsonl" in commands:
            recogniser().save(folder / f"{recogniser.__name__}.jsonl")
    if any(name in commands for name in ("pre.json", "post.json", "none.json", "encoder.json", "two.json")):
        write_networks(folder)
    if "tracr" in commands:
        from kits.tiny_tracr import length_model, soft_model, ties_model, write_export

        for name, model in {"length": length_model(4, 20.0), "soft": soft_model(4), "ties": ties_model()}.items():
            write_export(folder / name, *model)
