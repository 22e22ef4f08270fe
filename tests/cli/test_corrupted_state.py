"""State kept between runs, of every kind, with bytes or fields changed at random: what was kept, or one message.

A message names a file or folder of the state and a cure; a change that loses nothing (a blank in JSON, the date of a
member of a ZIP file) may go unnoticed, for what is gone on from is then the same.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactformer.cli.main import code
from exactformer.errors import ExactformerError
from exactformer.languages.bounded import Question, try_words
from exactformer.languages.literature import dyck_1
from exactformer.languages.named import language
from exactformer.studies.sentiment.approx_training import SentimentRecipe, SentimentWeights, Snapshot
from exactformer.studies.sentiment.resume import Resume
from exactformer.studies.sentiment.reviews import Reviews
from exactformer.training.saved_runs import SavedRuns, SavedStep, SavedSteps
from exactformer.training.softmax_training import TrainingState

CURES = ("delete", "choose another", "name another")
#: writes the state of a kind into a folder, where there is none, and returns what is gone on from
Kind = Callable[[Path], object]


def hunted(folder: Path) -> object:
    """The exit code of a hunt, whose verdicts are in its store."""
    return code(["hunt", "lemma-5", "--budget", "40", "--seed", "1", "--store", str(folder)])


def words_tried(folder: Path) -> object:
    folder.mkdir(exist_ok=True)
    return try_words(Question(dyck_1(), language("dyck-1", up_to=8), "prefixes"), 8, store=folder / "tried.json")


def run(folder: Path) -> object:
    """The run of a training."""
    saved = SavedRuns(folder, np.arange(6.0), eps="1/10")
    saved.verify_problem()
    if not saved.found:
        saved.save("run", TrainingState(np.ones(9), np.zeros(9), np.full(9, 3.0), 7, ((0.5, 1, 2.0, 3.0),)))
    return saved.load("run")


def network(folder: Path) -> object:
    """The training of a network."""
    saved = SavedSteps(folder, seed=1, steps=100)
    if saved.load() is None:
        arrays = [{"token": np.full((2, 3), k + 1, np.float32)} for k in range(3)]
        saved.save(SavedStep(*arrays, step=50, history=((50, 0.5, 0.25),)))
    return saved.load()


def classifier(folder: Path) -> object:
    """The training of a classifier of reviews."""
    counts = np.array([1, 2], np.int64)
    saved = Resume(folder, Reviews(["good", "bad"], counts, counts, counts, counts, counts))
    saved.begin(seed=0)
    recipe = SentimentRecipe(2, 1, 0.1, 0.0, 0.01)
    weights = [SentimentWeights(np.full((2, 2), k + 1.0), np.ones(2), 0.5) for k in range(3)]
    if saved.load(recipe, (0, 1)) is None:
        saved.save(Snapshot(*weights, 3, (0.5, 0.75)), recipe, (0, 1))
    return saved.load(recipe, (0, 1))


KINDS: dict[str, Kind] = {
    "hunt": hunted,
    "words tried": words_tried,
    "run": run,
    "network": network,
    "classifier": classifier,
}


def other_bytes(raw: bytes, rng: random.Random) -> bytes:
    """Bytes flipped, cut, lost, repeated, zeroed or put in."""
    at = rng.randrange(len(raw))
    end = min(len(raw), at + rng.choice((1, 1, 8, 300)))
    flipped = bytes([raw[at] ^ 1 << rng.randrange(8)])
    middle = rng.choice(
        (flipped + raw[at + 1 : end], b"", 2 * raw[at:end], bytes(end - at), b"\xff\x00{" + raw[at:end])
    )
    return rng.choice((raw[:at], raw[:at] + middle + raw[end:], raw[:at] + middle + raw[end:]))


def other_field(raw: bytes, rng: random.Random) -> bytes:
    """JSON with a field lost, or of another value or type; other bytes where it is no JSON."""
    try:
        content = json.loads(raw)
    except ValueError:
        return other_bytes(raw, rng)
    inside: Any = content
    while True:
        key = rng.choice(list(inside) if isinstance(inside, dict) else range(len(inside)))
        if not isinstance(inside[key], dict | list) or not inside[key] or rng.random() < 0.3:
            break
        inside = inside[key]
    if rng.random() < 0.3:
        del inside[key]
    else:
        inside[key] = rng.choice((None, True, -1, 10**9, 1e400, "", "x", [], {}, [[]], {"a": 1}))
    return json.dumps(content).encode()


def damage(folder: Path, rng: random.Random) -> str:
    """One file of the state changed; in words."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)
    path = rng.choice(files)
    before = path.read_bytes()
    edit = rng.choice((other_bytes, other_field, other_field))
    after = edit(before, rng)
    path.write_bytes(after)
    return f"{edit.__name__} of {path.name}: {len(before)} -> {len(after)}"


def same(found: object, kept: object) -> bool:
    return repr(found) == repr(kept)


def verify_told(folder: Path, kept: object, kind: Kind, capsys: pytest.CaptureFixture[str]) -> bool:
    """Whether the damage is told, in one message with a file and a cure; otherwise nothing was lost."""
    capsys.readouterr()
    try:
        found = kind(folder)
    except ExactformerError as problem:
        found, said = problem.exit_code, str(problem)
    else:
        said = capsys.readouterr().err
    if same(found, kept):
        return False
    assert found == 3, (found, said)
    assert str(folder) in said, said
    assert any(cure in said for cure in CURES), said
    assert "bug" not in said, said
    return True


@pytest.mark.parametrize("name", KINDS)
def test_damaged_state_is_told(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As many variants of each kind as EXACTFORMER_DAMAGES says, 25 by default."""
    seed, kind = time.time_ns(), KINDS[name]
    print("seed", seed)
    rng, base, told = random.Random(seed), tmp_path / "base", 0
    kind(base)
    kept = kind(base)
    variants = int(os.environ.get("EXACTFORMER_DAMAGES", "25"))
    for number in range(variants):
        folder = tmp_path / f"{number}"
        shutil.copytree(base, folder)
        done = damage(folder, rng)
        try:
            told += verify_told(folder, kept, kind, capsys)
        except Exception as problem:
            raise AssertionError(f"{name}, {done}") from problem
        shutil.rmtree(folder)
    print(f"{told} of {variants} told")
    assert told > variants // 3


def test_a_schema_that_is_no_text_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """SQLite's own message quotes the bytes, which Python cannot decode."""
    command = ["hunt", "lemma-5", "--budget", "5", "--seed", "1", "--store", str(tmp_path)]
    assert code(command) == 0
    path = tmp_path / "campaign.sqlite"
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE", b"CREATE TAB\xffE", 1))
    capsys.readouterr()
    assert code(command) == 3
    assert "campaign.sqlite: expected the database of this campaign" in capsys.readouterr().err
