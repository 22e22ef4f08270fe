"""Tests of `exactformer.conjectures.campaign`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from exactformer.conjectures.campaign import Campaign, Tally, conduct
from exactformer.conjectures.independent import INDEPENDENT_SHARD
from exactformer.conjectures.source import Source
from exactformer.conjectures.store import Store
from exactformer.errors import Malformed
from exactformer.instances.enumeration import Enumeration


def test_a_store_of_another_campaign_is_refused(tmp_path: Path) -> None:
    plan = Campaign(Source("lemma-5"), 1, 20)
    conduct(plan, store=tmp_path / "s")
    head = (tmp_path / "s" / "campaign.json").read_bytes()
    for other in (Campaign(Source("lemma-5"), 2, 20), Campaign(Source("lemma-4"), 1, 20)):
        with pytest.raises(Malformed, match="another campaign"):
            conduct(other, store=tmp_path / "s")
    assert (tmp_path / "s" / "campaign.json").read_bytes() == head
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "precious.txt").write_text("mine")
    with pytest.raises(Malformed, match="empty folder"):
        conduct(plan, store=tmp_path / "t")
    assert [p.name for p in (tmp_path / "t").iterdir()] == ["precious.txt"]


OWN = """from exactformer.conjectures import *
statement = Statement("own", "words", "open", "here", (), lambda z: holds(), TokenFamily())
"""


def test_campaigns_are_the_same_only_if_they_judge_the_same_instances(tmp_path: Path) -> None:
    """Another seed, statement, text of a file, kind or bound of search is another campaign; the budget is not."""
    file = tmp_path / "own.py"
    sources = [Source("lemma-5"), Source("lemma-4")]
    for number in (1, 2):
        file.write_text(OWN + f"\n# {number}\n")
        sources.append(Source.of(str(file)))
    plans = [Campaign(source, 1, 20) for source in sources] + [Campaign(sources[0], 2, 20)]
    plans += [Campaign(sources[0], 1, 20, enumeration=Enumeration(bound)) for bound in (1, 2)]
    identities = [plan.identity() for plan in plans]
    assert len(set(identities)) == len(plans)
    alike = (replace(plan, budget=500, part=(1, 2), keep_going=True).identity() for plan in plans)
    assert list(alike) == identities


def test_a_damaged_shard_file_is_told(tmp_path: Path) -> None:
    plan = Campaign(Source("lemma-5"), 1, 20)
    conduct(plan, store=tmp_path / "s")
    (tmp_path / "s" / "shards" / "00000000.json").write_text("{")
    with pytest.raises(Malformed, match="delete it"):
        conduct(plan, store=tmp_path / "s")


def test_a_larger_budget_continues_without_repetition(tmp_path: Path) -> None:
    import sqlite3

    for budget in (30, 70, 520, 520):
        tally = conduct(Campaign(Source("lemma-5"), 1, budget), store=tmp_path / "s")
        assert tally.judged == budget
    rows = (
        sqlite3.connect(tmp_path / "s" / "campaign.sqlite").execute("SELECT idx FROM verdicts ORDER BY idx").fetchall()
    )
    assert [idx for (idx,) in rows] == list(range(520))


def test_a_smaller_budget_tells_of_its_own_instances_only(tmp_path: Path) -> None:
    conduct(Campaign(Source("lemma-5"), 1, 40), store=tmp_path / "s")
    again = conduct(Campaign(Source("lemma-5"), 1, 25), store=tmp_path / "s")
    fresh = conduct(Campaign(Source("lemma-5"), 1, 25))
    assert (again.judged, again.nearest, again.histogram) == (25, fresh.nearest, fresh.histogram)
    store = Store(tmp_path / "s", Campaign(Source("lemma-5"), 1, 40).identity(), 500)
    assert [result and result.count for result in (store.read(0, 10), store.read(0, 40), store.read(0, 41))] == [
        10,
        40,
        None,
    ]


def test_a_campaign_that_stopped_can_go_on(tmp_path: Path) -> None:
    first = Campaign(Source("leader-duplicates"), 1, 60)
    stopped = conduct(first, store=tmp_path / "s")
    assert stopped.counts["false"] == 1
    assert conduct(first, store=tmp_path / "s") == stopped
    on = conduct(Campaign(Source("leader-duplicates"), 1, 60, keep_going=True), store=tmp_path / "s")
    assert on.judged == 60
    assert on.findings[0] == stopped.findings[0]
    assert on == conduct(Campaign(Source("leader-duplicates"), 1, 60, keep_going=True))


def test_a_part_of_a_campaign_leaves_the_database_to_the_whole(tmp_path: Path) -> None:
    part = conduct(Campaign(Source("lemma-5"), 1, 520, (1, 2)), store=tmp_path / "s")
    assert part.judged == 20
    assert not (tmp_path / "s" / "campaign.sqlite").exists()
    assert [path.name for path in (tmp_path / "s" / "shards").iterdir()] == ["00000001.json"]
    told = list[int]()
    whole = conduct(
        Campaign(Source("lemma-5"), 1, 520),
        store=tmp_path / "s",
        progress=lambda tally, rate: told.append(tally.judged),
    )
    assert (whole.judged, told[-1]) == (520, 520)
    assert (tmp_path / "s" / "campaign.sqlite").exists()
    assert whole == conduct(Campaign(Source("lemma-5"), 1, 520))


# independent draws ---------------------------------------------------------------------------------------------
DRAWS = Campaign(Source("lemma-5"), 4, 2 * INDEPENDENT_SHARD + 300, independent=True)


def test_a_campaign_of_independent_draws_is_resumed_where_it_was_left(tmp_path: Path) -> None:
    fresh = conduct(DRAWS)
    assert fresh.counts == {"true": DRAWS.budget, "false": 0, "undecided": 0}
    assert sum(fresh.histogram) == DRAWS.budget
    conduct(replace(DRAWS, budget=INDEPENDENT_SHARD), store=tmp_path / "s")
    kept = tmp_path / "s" / "shards" / "00000000.json"
    stamp = kept.stat().st_mtime_ns
    assert conduct(DRAWS, store=tmp_path / "s") == fresh
    assert kept.stat().st_mtime_ns == stamp
    (tmp_path / "s" / "shards" / "00000001.json").unlink()
    assert conduct(DRAWS, store=tmp_path / "s") == fresh
    assert not (tmp_path / "s" / "campaign.sqlite").exists()


def test_parts_of_independent_draws_are_gathered_and_take_little_room(tmp_path: Path) -> None:
    for part in ((0, 2), (1, 2)):
        conduct(replace(DRAWS, part=part), store=tmp_path / "s")
    sizes = {path.name: path.stat().st_size for path in (tmp_path / "s" / "shards").iterdir()}
    assert sorted(sizes) == ["00000000.json", "00000001.json", "00000002.json"]
    assert max(sizes.values()) < 500
    assert conduct(DRAWS, store=tmp_path / "s") == conduct(DRAWS, workers=2)


def test_independent_draws_are_another_campaign_than_a_search(tmp_path: Path) -> None:
    conduct(replace(DRAWS, budget=20), store=tmp_path / "s")
    with pytest.raises(Malformed, match="50000 a shard, independent"):
        conduct(replace(DRAWS, budget=20, independent=False), store=tmp_path / "s")


def test_a_part_of_a_shard_of_independent_draws_is_judged_anew_with_more(tmp_path: Path) -> None:
    for budget in (40, 25, 70):
        plan = replace(DRAWS, budget=budget)
        assert conduct(plan, store=tmp_path / "s") == conduct(plan)


def test_independent_draws_stop_at_the_first_counterexample_or_go_on(tmp_path: Path) -> None:
    first = Campaign(Source("leader-duplicates"), 1, 60, independent=True)
    stopped = conduct(first, store=tmp_path / "s")
    assert (stopped.counts["false"], len(stopped.findings)) == (1, 1)
    assert stopped.judged == stopped.findings[0][0] + 1
    assert conduct(first, store=tmp_path / "s") == stopped
    on = conduct(replace(first, keep_going=True), store=tmp_path / "s")
    assert on == conduct(replace(first, keep_going=True))
    assert on.findings[0] == stopped.findings[0]
    assert on.judged > stopped.judged
    assert conduct(first, store=tmp_path / "s") == stopped


def test_the_rate_is_that_of_instances_judged_now_and_0_before_any_time_has_passed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates = list[tuple[int, float]]()

    def told(tally: Tally, rate: float) -> None:
        rates.append((tally.judged, rate))

    clock = "exactformer.conjectures.campaign.time"
    monkeypatch.setattr(clock, SimpleNamespace(monotonic=lambda: 5.0))
    conduct(Campaign(Source("lemma-5"), 1, 20), store=tmp_path / "s", progress=told)
    assert rates == [(20, 0.0)]
    rates.clear()
    ticks = iter(range(10, 100, 4))  # 10 at the beginning, 4 seconds a shard
    monkeypatch.setattr(clock, SimpleNamespace(monotonic=lambda: float(next(ticks))))
    conduct(Campaign(Source("lemma-5"), 1, 700), store=tmp_path / "t", progress=told)
    assert rates == [(500, 500 / 4), (700, 700 / 8)]
    rates.clear()
    conduct(Campaign(Source("lemma-5"), 1, 700), store=tmp_path / "t", progress=told)  # all of it is stored
    assert rates == [(500, 0.0), (700, 0.0)]
