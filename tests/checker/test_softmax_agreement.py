"""The package and both checkers enclose alike, bit by bit: random networks, targets at the very ends of the boxes."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from checker_kit import points, sealed
from corpus_accept import random_matrix

from exactformer.evaluate.box_attention import BoxTransformer
from exactformer.evaluate.boxes import Boxes
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.temperatures import Temperatures
from exactformer.model.transformer import Block, Transformer
from proofs_check import check

CHECKER = Path(__file__).resolve().parents[2] / "proofs_check" / "js" / "check.js"
NODE = shutil.which("node")
F = Fraction


def small(rng: random.Random, size: int = 8) -> str:
    return str(F(rng.randint(-size, size), rng.choice([1, 1, 2, 3, 4])))


def random_block(rng: random.Random, d: int) -> dict[str, Any]:
    w, h = rng.randint(1, 4), rng.choice([1, 1, d])
    units, scores = [small(rng) for _ in range(w)], [random_matrix(rng, h, d) for _ in range(2)]
    if rng.random() < 0.7:  # scores that are surely not all zero
        scores = [[[small(rng) for _ in range(d)] for _ in range(h)] for _ in range(2)]
    ff = {"eta": rng.choice(["0", "1", small(rng)]), "U": random_matrix(rng, w, d), "b": units}
    sa = {"rho": rng.choice(["0", "1", small(rng)]), "V": random_matrix(rng, d, d), "Q": scores[0], "K": scores[1]}
    return {
        "feed_forward": {**ff, "W": random_matrix(rng, d, w)} if rng.random() < 0.7 else None,
        "self_attention": sa if rng.random() < 0.9 else None,
    }


def transformer(blocks: list[dict[str, Any]], d: int) -> Transformer:
    parts = [(b["feed_forward"], b["self_attention"]) for b in blocks]
    return Transformer(d, [Block(ff and FeedForward(**ff), sa and SelfAttention(**sa)) for ff, sa in parts])


def random_case(rng: random.Random) -> tuple[list[Any], str]:
    """(lines of a certificate, the verdict): targets at low or high ends or midpoints of the boxes, or beside."""
    d, low, bits = (
        rng.randint(1, 3),
        rng.choice([F(1, 60), F(1, 20), F(1, 2), F(1), F(5)]),
        rng.choice([1, 4, 16, 64, 200]),
    )
    high = rng.choice([None, None, low, low * F(3, 2)])
    blocks = [{"block": k, **random_block(rng, d)} for k in range(rng.randint(0, 3))]
    tokens = [[small(rng, 4) for _ in range(d)] for _ in range(rng.randint(1, 5))]
    tokens += [rng.choice(tokens) for _ in range(rng.randint(0, 2))]
    beta = Temperatures(low, high)
    boxes = BoxTransformer(transformer(blocks, d), beta).enclose(Boxes.of(tokens), bits).rows()
    hair = F(1, 10**80)  # one of two programs whose boxes differ has an end outside the other's
    beside = [lambda x: x[0] - hair, lambda x: x[1] + hair]
    place = rng.choice([lambda x: x[0], lambda x: x[1], lambda x: sum(x) / 2, *beside, *beside])
    targets = list(dict.fromkeys(tuple(map(place, box)) for box in boxes))
    exact = all(a == b for box in boxes for a, b in box)
    inside = all(any(all(a <= v <= b for v, (a, b) in zip(y, x, strict=True)) for y in targets) for x in boxes)
    names = {"exactformer": "certificate", "version": [1, 1], "claim": "interpolation", "attention": "softmax"}
    header = {**names, "beta": beta.json(), "bits": bits, "dim": d, "blocks": len(blocks), "sequences": 1}
    subject = {"sequence": 0, "tokens": points(tokens), "targets": points(targets)}
    return [header, *blocks, subject], "rejected" if not inside else "accepted" if exact else "declined"


def campaign(count: int, seed: int, folder: Path) -> list[str]:
    rng, paths, expected = random.Random(seed), [], []
    for k in range(count):
        lines, verdict = random_case(rng)
        paths.append(folder / f"{k}.jsonl")
        paths[-1].write_bytes(sealed(lines))
        expected.append(verdict)
    found = [check(str(path)).verdict for path in paths]
    assert [(p.name, a, b) for p, a, b in zip(paths, found, expected, strict=True) if a != b] == []
    if NODE is not None:
        done = subprocess.run(
            [NODE, str(CHECKER), "--json", *map(str, paths)], capture_output=True, text=True, timeout=600
        )
        second = [json.loads(line)["verdict"] for line in done.stdout.splitlines()]
        assert [(p.name, a, b) for p, a, b in zip(paths, second, expected, strict=True) if a != b] == []
    return expected


def test_three_programs_agree(tmp_path: Path) -> None:
    found = campaign(140, 5, tmp_path)
    assert min(found.count(verdict) for verdict in ("accepted", "rejected", "declined")) >= 5


@pytest.mark.slow
def test_three_programs_agree_on_many(tmp_path: Path) -> None:
    found = campaign(1500, 6, tmp_path)
    assert min(found.count(verdict) for verdict in ("accepted", "rejected", "declined")) >= 100
