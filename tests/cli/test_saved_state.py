"""Stores of a hunt that were damaged, or belong to another one: one message with the file and the cure, exit 3."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from exactformer.cli.main import code

Edit = Callable[[dict[str, Any]], object]
HUNT = ["hunt", "lemma-5", "--budget", "60", "--seed", "1", "--store"]


def hunted(store: Path) -> Path:
    """A store with one shard; the file of that shard."""
    assert code([*HUNT, str(store)]) == 0
    return store / "shards" / "00000000.json"


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The one message of a command that exits 3."""
    capsys.readouterr()
    assert code(arguments) == 3
    said = capsys.readouterr().err
    messages = [line for line in said.splitlines() if line and not line.startswith("seed")]
    assert "bug" not in said
    assert len(messages) == 1, said
    return messages[0]


def put(key: str, value: object) -> Edit:
    return lambda content: content.update({key: value})


EDITS: dict[str, Edit] = {
    "an unknown outcome": put("outcomes", "x" * 60),
    "a flipped verdict": lambda content: content.update(outcomes="f" + content["outcomes"][1:]),
    "a short nearness": lambda content: content["nearness"].pop(),
    "no nearness": lambda content: content.pop("nearness"),
    "another number": put("shard", 7),
    "no digest": lambda content: content.pop("sha256"),
    "another key": put("more", 1),
}


@pytest.mark.parametrize("name", EDITS)
def test_damaged_shards_of_a_hunt(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = hunted(tmp_path / "s")
    content = json.loads(file.read_text())
    EDITS[name](content)
    file.write_text(json.dumps(content))
    said = refused([*HUNT, str(tmp_path / "s")], capsys)
    assert str(file) in said
    assert "delete it to judge this shard again" in said
    file.unlink()
    assert code([*HUNT, str(tmp_path / "s")]) == 0


def test_shards_of_another_seed_and_of_another_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = hunted(tmp_path / "s")
    for arguments in ([*HUNT[:4], "--seed", "2", "--store"], [*HUNT[:2], "--budget", "1000", "--seed", "1", "--store"]):
        assert code([*arguments, str(tmp_path / "other")]) == 0
        others = sorted((tmp_path / "other" / "shards").iterdir())
        file.write_bytes(others[-1].read_bytes())
        said = refused([*HUNT, str(tmp_path / "s")], capsys)
        assert "not this campaign's" in said or "got the file of shard 1" in said
        for path in [*others, tmp_path / "other" / "campaign.sqlite", tmp_path / "other" / "campaign.json"]:
            path.unlink()
        (tmp_path / "other" / "shards").rmdir()
        (tmp_path / "other" / "lock").unlink(missing_ok=True)


def test_a_store_of_another_seed_or_of_an_earlier_version(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hunted(tmp_path / "s")
    said = refused([*HUNT[:4], "--seed", "2", "--store", str(tmp_path / "s")], capsys)
    assert "its seed is 1, this one's is 2; choose another --store" in said
    head = tmp_path / "s" / "campaign.json"
    head.write_text(json.dumps(json.loads(head.read_text()) | {"format": 1}))
    assert "a store of version 0.2" in refused([*HUNT, str(tmp_path / "s")], capsys)
    head.write_text("[]")
    assert "choose another --store" in refused([*HUNT, str(tmp_path / "s")], capsys)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE verdicts SET outcome = 'false' WHERE idx = 17",
        "DELETE FROM verdicts WHERE idx = 59",
        "INSERT INTO verdicts VALUES (300, 0, 'true', 0.5)",
        "UPDATE shards SET count = 59",
        "INSERT INTO findings VALUES (3, '{}', '{}')",
        "DROP TABLE verdicts; CREATE TABLE verdicts (idx)",
        "DROP TABLE verdicts; CREATE VIEW verdicts AS WITH RECURSIVE r(idx, shard, outcome, nearness) AS "
        "(SELECT 0, 0, 'true', 0.0 UNION ALL SELECT idx + 1, 0, 'true', 0.0 FROM r) SELECT * FROM r",
        "CREATE TRIGGER lose AFTER INSERT ON shards BEGIN DELETE FROM findings; END",
    ],
)
def test_a_changed_database_of_a_hunt(statement: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hunted(tmp_path / "s")
    with sqlite3.connect(tmp_path / "s" / "campaign.sqlite") as connection:
        connection.executescript(statement)
    connection.close()
    said = refused([*HUNT, str(tmp_path / "s")], capsys)
    assert "campaign.sqlite" in said
    assert "delete it: it is made again from the shard files" in said
    (tmp_path / "s" / "campaign.sqlite").unlink()
    assert code([*HUNT, str(tmp_path / "s")]) == 0


@pytest.mark.parametrize("length", [1, 100, 5000])
def test_a_truncated_database_of_a_hunt(length: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hunted(tmp_path / "s")
    file = tmp_path / "s" / "campaign.sqlite"
    file.write_bytes(file.read_bytes()[:length])
    assert "delete it: it is made again" in refused([*HUNT, str(tmp_path / "s")], capsys)


#: file of a store -> the cure
CURES = {
    "shards/00000000.json": "delete it to judge this shard again",
    "campaign.json": "delete this folder to begin anew",
    "campaign.sqlite": "delete it: it is made again from the shard files",
    "lock": "delete it",
}


@pytest.mark.parametrize("name", CURES)
def test_what_is_no_file_of_a_store(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hunted(tmp_path / "s")
    file = tmp_path / "s" / name
    for content in ("nonsense" * 100, "[" * 100_000, None):
        file.unlink(missing_ok=True)
        if content is None:
            file.mkdir()
        else:
            file.write_text(content)
        said = refused([*HUNT, str(tmp_path / "s")], capsys)
        assert str(file) in said
        assert CURES[name] in said
