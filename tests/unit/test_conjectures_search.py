"""Search, shrinking, enumeration, stores and users' files."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import find, given, settings
from hypothesis.errors import NoSuchExample

from exactformer.conjectures.campaign import Campaign, Tally, conduct
from exactformer.conjectures.catalogue import catalogue
from exactformer.conjectures.enumeration import Enumeration, multiset
from exactformer.conjectures.given_instance import judge
from exactformer.conjectures.hunt import hunt
from exactformer.conjectures.instances import kind_of
from exactformer.conjectures.instances.numbers import cost, simpler_numbers
from exactformer.conjectures.judgement import Judgement, conclude, fails, holds, undecided
from exactformer.conjectures.search import judged
from exactformer.conjectures.shard import Shard, judge_shard
from exactformer.conjectures.shrink import shrink
from exactformer.conjectures.source import Source
from exactformer.conjectures.statement import Hypothesis, Statement
from exactformer.conjectures.store import Identity, ShardResult, Store
from exactformer.conjectures.strategies import instances, tokens
from exactformer.errors import InvalidInput, Malformed, Undecided
from exactformer.model.dataset import Dataset
from exactformer.model.tokens import Tokens


def few_leaders(z: Tokens) -> Judgement:
    return conclude(len(z) < 4, layers=0)


def statement_of(conclusion: Any = few_leaders, **changes: Any) -> Statement:
    base = catalogue()["lemma-1"]
    parts: dict[str, Any] = {
        "name": "own",
        "words": "own",
        "status": "open",
        "source": "here",
        "hypotheses": base.hypotheses,
    }
    return Statement(**{**parts, "conclusion": conclusion, "generate": base.generate, **changes})


def test_the_same_seed_draws_the_same_instances() -> None:
    statement = catalogue()["every-leader-leads-at-once"]
    kind = kind_of(statement.generate(Random(0)))
    first, again, other = (
        [kind.json(z) for z, _ in judged(statement, seed, shard, 40)] for seed, shard in ((1, 2), (1, 2), (1, 3))
    )
    assert first == again != other


def test_shrinking_reaches_a_minimum() -> None:
    found = next(z for z, v in judged(statement_of(), 0, 0, 500) if v.refutes)
    small, verdict = shrink(statement_of(), found)
    assert verdict.refutes
    assert len(small) == 4
    assert small.dim == 1 or small.dim == 2
    assert small.alpha == 1
    with pytest.raises(InvalidInput, match="none"):
        shrink(statement_of(), Tokens([[1]]))


def test_simpler_numbers_are_cheaper() -> None:
    rng = Random(8)
    for _ in range(200):
        x = Fraction(rng.randint(-99, 99), rng.randint(1, 30))
        assert all(
            (cost(y), abs(y.numerator) + y.denominator) < (cost(x), abs(x.numerator) + x.denominator)
            for y in simpler_numbers(x)
        )


@pytest.mark.parametrize("n", [1, 2, 3])
def test_multisets_are_enumerated_once(n: int) -> None:
    count = math.comb(5 + n - 1, n)
    assert sorted(tuple(multiset(rank, n)) for rank in range(count)) == sorted(
        combinations_with_replacement(range(5), n)
    )


def test_exhaustive_enumeration_refutes_and_respects_symmetry() -> None:
    report = hunt("leader-indefinite", exhaustive=1, budget=2000)
    assert report.verdict == "refuted"
    space = Enumeration(bound=1, most=2)
    seen = [space.instance(rank) for rank in range(space.ranks)]
    kept = [z for z in seen if z is not None]
    assert len(kept) < 0.6 * len(seen)
    with pytest.raises(InvalidInput, match="about tokens"):
        hunt("voronoi-cells", exhaustive=1)


def test_undecided_is_neither() -> None:
    def refuses(z: Tokens) -> Judgement:
        raise Undecided("too hard")

    report = hunt(statement_of(refuses), budget=5)
    assert report.verdict == "undecided"
    assert report.exit_code == 4
    assert report.tally.undecided[0][1] == "too hard"


def test_a_generator_that_misses_the_hypotheses_is_told() -> None:
    never = (Hypothesis("never", lambda z: False),)
    with pytest.raises(InvalidInput, match="outside the hypotheses"):
        hunt(statement_of(hypotheses=never), budget=1)


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


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("import nothing_of_that_name", "fails to import"),
        ("x = 1", "no `statement`"),
        ("statement = 5", "expected `statement` to be a Statement"),
        (
            "from exactformer.conjectures import *\nstatement = Statement('a', '', 'open', 's', (), 1, 2)",
            "lacks its words",
        ),
        (
            "from exactformer.conjectures import *\nstatement = Statement('a', 'w', 'open', 's', (), 1, print)",
            "conclusion",
        ),
        ("from exactformer.conjectures import *\nstatement = Statement('a', 'w', 'so', 's', (), 1, print)", "status"),
    ],
)
def test_bad_files_say_what_is_missing(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "own.py"
    path.write_text(text)
    with pytest.raises(Malformed, match=what):
        hunt(str(path), budget=5)


def test_what_a_users_function_raises_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(
        "from exactformer.conjectures import *\ndef wrong(z):\n    return 1 / 0\n"
        "statement = Statement('a', 'w', 'open', 's', (), wrong, TokenFamily())\n"
    )
    with pytest.raises(Malformed, match="line 3: ZeroDivisionError"):
        hunt(str(path), budget=5)
    path.write_text(
        "from exactformer.conjectures import *\ndef inner(z):\n    return 1 / 0\ndef outer(z):\n    return inner(z)\n"
        "statement = Statement('a', 'w', 'open', 's', (), outer, TokenFamily())\n"
    )
    with pytest.raises(Malformed, match="line 3: ZeroDivisionError"):
        hunt(str(path), budget=5)


def test_strategies_draw_no_zero_token_and_no_token_twice_unless_told() -> None:
    few = settings(max_examples=60)
    line = tokens(most=2, dims=(1,))
    with pytest.raises(NoSuchExample):
        find(line, lambda z: not all(map(any, z.state.rows())), settings=few)
    with pytest.raises(NoSuchExample):
        find(line, lambda z: len(set(z.state.rows())) < len(z), settings=few)
    twice = find(tokens(most=2, dims=(1,), distinct=False), lambda z: len(set(z.state.rows())) < len(z))
    assert (len(twice), twice.dim) == (2, 1)


@settings(max_examples=30)
@given(tokens(most=4))
def test_strategies_satisfy_the_hypotheses(z: Tokens) -> None:
    assert catalogue()["lemma-5"].judge(z).outcome == "true"


@settings(max_examples=10)
@given(instances(catalogue()["leader-semidefinite"]))
def test_strategies_follow_a_statement(z: Tokens) -> None:
    assert catalogue()["leader-semidefinite"].violated(z) is None


def test_nearness_never_changes_the_outcome() -> None:
    assert holds(1.0).outcome == "true"


@pytest.mark.parametrize(("witness", "last"), [({"layers": 3}, 3), ({"layer": 2, "token": 0}, 2), ({"token": 1}, 0)])
def test_an_own_refutation_is_certified_by_the_layers_it_speaks_of_and_the_next(
    witness: dict[str, int], last: int, tmp_path: Path
) -> None:
    own = statement_of(lambda z: fails(**witness), hypotheses=())
    found = judge(own, Tokens([[2, 1], [1, 0]]))
    assert (found.outcome, found.exit_code, found.json()["witness"]) == ("false", 1, witness)
    found.certify(tmp_path / "c.jsonl")
    header = json.loads((tmp_path / "c.jsonl").read_text().splitlines()[0])
    assert (header["claim"], header["layers"]) == ("orbit", last + 1)


def test_what_is_no_counterexample_has_no_certificate(tmp_path: Path) -> None:
    z = Tokens([[2, 1], [1, 0]])
    never = (Hypothesis("never", lambda z: False),)
    for own, outcome, code in (
        (statement_of(lambda z: holds(0.5), hypotheses=()), "true", 0),
        (statement_of(lambda z: undecided("why"), hypotheses=()), "undecided", 4),
        (statement_of(lambda z: fails(), hypotheses=never), "outside", 3),
    ):
        found = judge(own, z)
        assert (found.outcome, found.exit_code) == (outcome, code)
        with pytest.raises(InvalidInput, match=f"but {outcome}"):
            found.certify(tmp_path / "c.jsonl")
    data = Dataset.of([[[1]]], targets=[[2]])
    about_data = statement_of(lambda data: fails(), hypotheses=(), generate=lambda rng: data)
    with pytest.raises(InvalidInput, match="for tokens"):
        judge(about_data, data).certify(tmp_path / "c.jsonl")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("options", [{"workers": 2}, {"scheduler": "tcp://127.0.0.1:9"}, {"store": "here"}])
def test_a_statement_made_in_python_stays_in_its_process(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match="save it as a file"):
        hunt(statement_of(), budget=5, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"budget": 0},
        {"budget": True},
        {"workers": 0},
        {"seed": -1},
        {"seed": "0"},
        {"shard": (2, 2)},
        {"shard": (-1, 2)},
        {"exhaustive": 0},
    ],
)
def test_numbers_that_a_hunt_does_not_take(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        hunt(statement_of(), **{"budget": 5, **options})


def test_an_exhaustive_hunt_is_for_tokens_and_ends_with_the_last_rank() -> None:
    with pytest.raises(InvalidInput, match="about tokens"):
        hunt("one-block-suffices", budget=5, exhaustive=1)
    own = statement_of(lambda z: holds(), hypotheses=())
    space = Enumeration(1)
    few = replace(space, most=1)
    assert list(Campaign(Source.of(own), 0, 10**9, enumeration=few).shards())[-1].count == few.ranks % 500
    assert hunt(own, budget=700, exhaustive=1).tally.judged == sum(space.instance(k) is not None for k in range(700))


def test_a_shard_keeps_six_digits_of_every_nearness_and_the_reasons() -> None:
    own = statement_of(lambda z: holds(len(z) / 70) if len(z) < 6 else undecided(f"{len(z)} tokens", 0.25))
    source = Source.of(own)
    result = judge_shard(source, Shard(3, 1, 40))
    verdicts = [verdict for _, verdict in judged(own, 3, 1, 40)]
    assert result.outcomes == "".join(verdict.outcome[0] for verdict in verdicts)
    assert result.nearness == [round(verdict.nearness, 6) for verdict in verdicts]
    assert result.undecided == [(k, v.witness["why"]) for k, v in enumerate(verdicts) if v.outcome == "undecided"]
    tally = Tally()
    tally.add(result)
    assert (tally.nearest, sum(tally.histogram)) == (max(result.nearness), 40)
    assert tally.undecided == [(500 + k, why) for k, why in result.undecided]


@pytest.mark.parametrize("budget", [0, 1, 5])
def test_shrinking_takes_no_more_judgements_than_its_budget(budget: int) -> None:
    found = next(z for z, v in judged(statement_of(), 0, 0, 500) if v.refutes)
    spent = list[int]()
    small, verdict = shrink(statement_of(), found, budget=budget, progress=spent.append)
    assert spent == list(range(1, budget + 1))
    assert verdict.refutes
    assert budget or small == found


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


@pytest.mark.parametrize(
    ("budget", "part", "shards"),
    [
        (1, (0, 1), [(0, 1)]),
        (500, (0, 1), [(0, 500)]),
        (501, (0, 1), [(0, 500), (1, 1)]),
        (1700, (0, 1), [(0, 500), (1, 500), (2, 500), (3, 200)]),
        (1700, (1, 2), [(1, 500), (3, 200)]),
        (1700, (2, 3), [(2, 500)]),
        (400, (1, 2), []),
    ],
)
def test_shards_of_a_budget_and_of_its_parts(budget: int, part: tuple[int, int], shards: list[tuple[int, int]]) -> None:
    found = list(Campaign(Source("lemma-5"), 7, budget, part, keep_going=True).shards())
    assert [(shard.number, shard.count) for shard in found] == shards
    assert all((shard.seed, shard.enumeration, shard.keep_going) == (7, None, True) for shard in found)


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
