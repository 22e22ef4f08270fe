"""Tests of `exactformer.conjectures.store`."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from kits.shard_results import RESULTS, InOrder

from exactformer.conjectures.campaign import Campaign, Coordinator, Tally
from exactformer.conjectures.search import SHARD
from exactformer.conjectures.source import Source
from exactformer.conjectures.store import Identity, ShardResult, Store

SOURCE = Source.of("every-leader-leads-at-once")


def test_stored_shards_are_taken_and_the_others_are_stored(tmp_path: Path) -> None:
    campaign = Campaign(SOURCE, 0, 4 * SHARD, keep_going=True)
    identity = Identity("s", "d", 0, "x")
    store = Store(tmp_path / "s", identity, SHARD)
    whole = ShardResult(1, "t" * SHARD, [0.5] * SHARD, [], [])
    store.write(whole)
    coordinator = Coordinator(campaign, store, None, None)
    coordinator.run(InOrder((3, 0, 2)))  # type: ignore[arg-type]
    assert coordinator.fresh == 6
    assert coordinator.tally().judged == SHARD + 6
    for shard in (0, 2, 3):
        count = RESULTS[shard].count
        again = store.read(shard, count)
        assert again is not None
        assert (again.outcomes, again.nearness) == (RESULTS[shard].outcomes, RESULTS[shard].nearness)
        assert store.read(shard, count + 1) is None
    assert store.read(3, 7, keep_going=False) is not None
    assert store.read(2, 7, keep_going=False) is None


@pytest.mark.parametrize("count", range(7))
def test_the_first_instances_of_a_shard(count: int) -> None:
    cut = RESULTS[1].first(count)
    assert (cut.shard, cut.outcomes, cut.nearness) == (1, "utfuf"[:count], [0.0, 0.85, 1.0, 0.3, 1.0][:count])
    assert [k for k, _, _ in cut.findings] == [k for k in (2, 4) if k < count]
    assert [k for k, _ in cut.undecided] == [k for k in (0, 3) if k < count]


def test_shard_results_are_cut() -> None:
    result = ShardResult(0, "tuf", [0.0, 0.5, 1.0], [(2, {}, {})], [(1, "why")])
    assert result.first(2) == ShardResult(0, "tu", [0.0, 0.5], [], [(1, "why")])


def test_stores_keep_exact_numbers(tmp_path: Path) -> None:
    store = Store(tmp_path / "s", Identity("x", "y", 0, "z"), 500)
    store.write(ShardResult(0, "f", [1.0], [(0, {"alpha": Fraction(1, 3)}, {})], []))
    again = store.read(0, 1)
    assert again is not None
    assert again.findings[0][1] == {"alpha": "1/3"}
    assert json.loads((tmp_path / "s" / "shards" / "00000000.json").read_text())["outcomes"] == "f"


def test_a_database_holds_every_index_once_however_a_shard_comes_in(tmp_path: Path) -> None:
    findings = [(k, {"alpha": str(k)}, {"token": k}) for k in (1, 3, 4)]
    whole = ShardResult(2, "tftff-u", [0.5] * 7, findings, [(6, "why")])
    rows = []
    for parts in ((7,), (2, 4, 7), (1, 1, 5, 7, 7), (7, 3)):
        store = Store(tmp_path / str(len(rows)), Identity("x", "y", 0, "z"), 500)
        with store.database() as database:
            for count in parts:
                database.add(whole.first(count))
            tables = ("SELECT * FROM verdicts", "SELECT * FROM findings", "SELECT * FROM shards")
            rows.append([database.connection.execute(f"{table} ORDER BY 1").fetchall() for table in tables])
    assert all(row == rows[0] for row in rows)
    verdicts, found, shards = rows[0]
    assert [(index, outcome) for index, _, outcome, _ in verdicts] == [
        (1000 + k, {"t": "true", "f": "false", "u": "undecided"}[letter])
        for k, letter in enumerate(whole.outcomes)
        if letter != "-"
    ]
    assert ([index for index, *_ in found], shards) == ([1001, 1003, 1004], [(2, 7)])


def test_every_tenth_of_nearness_has_its_bin_and_one_is_in_the_last() -> None:
    tally = Tally()
    tally.add(ShardResult(0, "tttttt-u", [0.0, 0.0999, 0.1, 0.55, 0.999999, 1.0, 0.3, 1.0], [], [(7, "why")]))
    assert tally.histogram == [2, 1, 0, 0, 0, 1, 0, 0, 0, 3]
    assert tally.counts == {"true": 6, "false": 0, "undecided": 1}
    assert (tally.nearest, tally.judged, tally.undecided) == (1.0, 7, [(7, "why")])


def test_a_tally_counts_the_indices_of_all_shards() -> None:
    tally = Tally()
    for shard in (0, 3):
        tally.add(ShardResult(shard, "tf", [0.25, 0.5], [(1, {"n": shard}, {"token": shard})], []))
    assert [index for index, *_ in tally.findings] == [1, 1501]
    assert tally.counts == {"true": 2, "false": 2, "undecided": 0}
    assert tally.nearest == 0.5
