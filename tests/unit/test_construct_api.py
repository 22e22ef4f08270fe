"""ef.construct and what it returns: options, refusals, targets of labels, trace, certificate."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import exactformer as ef
from exactformer.constructions.verification import WrongTransformer, verify_interpolates
from exactformer.errors import InvalidInput, NoConstruction
from exactformer.model.dataset import Dataset, Sequence
from exactformer.model.transformer import Transformer


def labelled(*pairs: tuple[list[list[object]], str]) -> Dataset:
    return Dataset.of([Sequence.of(tokens, label=label) for tokens, label in pairs])


CATS = labelled(([[0, 1], [2, 3]], "cat"), ([[0, 1]], "dog"), ([[2, 3], [0, 1], [2, 3], [0, 1]], "cat"))


def test_labels_get_simple_points_of_their_own() -> None:
    built = ef.construct(CATS)
    assert [built.targets.state(j).rows() for j in range(3)] == [[(0, 0)], [(1, 0)], [(0, 0)]]
    assert built.report.measures == 2


def test_label_targets_of_the_user_are_used() -> None:
    built = ef.construct(CATS, label_targets={"cat": ["1/2", 7], "dog": [0, 0], "unused": [1, 1]})
    assert built.transformer(CATS[0].tokens).rows() == [(Fraction(1, 2), 7)] * 2
    for wrong in ({"cat": [1, 1]}, {"cat": [1, 1], "dog": [1, 1]}, {"cat": [1], "dog": [2]}):
        with pytest.raises(InvalidInput, match="label targets"):
            ef.construct(CATS, label_targets=wrong)


def test_the_same_seed_gives_the_same_transformer() -> None:
    assert ef.construct(CATS, seed=3).transformer == ef.construct(CATS, seed=3).transformer


def test_results_show_themselves_briefly() -> None:
    built = ef.construct(CATS)
    assert repr(built) == "Built(shallow: 2 blocks of width 2 for 3 sequences)"
    assert "paper_bound" in built._repr_html_()


@pytest.mark.parametrize(
    "options", [{"method": "magic"}, {"width": 0}, {"width": 2.5}, {"method": "leaders", "robust": True}]
)
def test_wrong_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        ef.construct(CATS, **options)


def test_a_path_that_is_not_there() -> None:
    with pytest.raises(InvalidInput, match=r"cannot read nowhere\.csv"):
        ef.construct("nowhere.csv")


def test_algebraic_tokens_are_refused() -> None:
    with pytest.raises(InvalidInput, match="rational"):
        ef.construct(labelled(([["sqrt(2)"]], "a")))


def test_equal_measures_with_different_labels_are_refused_with_the_measure() -> None:
    data = labelled(([[0], [1]], "a"), ([[1], [1], [0], [0]], "b"), ([[5]], "c"), ([[0], [1]], "c"))
    with pytest.raises(NoConstruction) as refusal:
        ef.construct(data)
    first, second = refusal.value.reasons
    assert (first.kind, first.sequences, second.sequences) == ("measure", (0, 1), (0, 3))
    assert first.witness["measure"] == [[["0"], "1/2"], [["1"], "1/2"]]
    assert "positions" in first.why
    assert "positions" not in second.why, "equal lists stay equal with positions"


def test_more_targets_than_tokens_are_refused_with_all_other_reasons() -> None:
    parts = [([[1], [1]], [[0], [2]]), ([[3]], [[0], [1], [2]]), ([[1]], [[5]])]
    data = Dataset.of([Sequence.of(x, targets=y) for x, y in parts])
    with pytest.raises(NoConstruction) as refusal:
        ef.construct(data)
    assert [(r.kind, r.sequences) for r in refusal.value.reasons] == [
        ("measure", (0, 2)),
        ("targets", (0,)),
        ("targets", (1,)),
    ]
    cured = [bool(r.witness["cures"]) for r in refusal.value.reasons]
    assert cured == [True, True, False]


def test_a_set_conflict_names_the_method_that_works() -> None:
    data = labelled(([[0], [1]], "a"), ([[0], [1], [1]], "b"))
    with pytest.raises(NoConstruction, match="shallow"):
        ef.construct(data, method="leaders")
    assert ef.construct(data, method="shallow").report.blocks == 2


@pytest.mark.parametrize("method", ["shallow", "deep", "leaders", "paper"])
def test_positions_cure_what_order_tells_apart(method: str) -> None:
    data = labelled(([[0], [1]], "up"), ([[1], [0]], "down"))
    with pytest.raises(NoConstruction):
        ef.construct(data)
    built = ef.construct(data, method=method, positions=True, label_targets={"up": [3], "down": [-3]})
    assert built.transformer.dim == 2
    assert [set(built.transformer(s.tokens).rows()) for s in built.data] == [{(3, 0)}, {(-3, 0)}]


def test_verification_notices_a_wrong_transformer() -> None:
    built = ef.construct(CATS)
    with pytest.raises(WrongTransformer, match="sequence"):
        verify_interpolates(Transformer(2, built.transformer.blocks[:1]), CATS, built.targets)


def test_progress_is_told_and_may_interrupt() -> None:
    told = []
    ef.construct(CATS, method="deep", progress=lambda *step: told.append(step))
    assert [stage for stage, _, _ in told] == ["coordinate", "build", "verify"]
    assert told[-1][1] == told[-1][2]

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ef.construct(CATS, progress=stop)


@pytest.mark.parametrize("method", ["shallow", "deep", "leaders", "paper"])
def test_the_trace_ends_at_the_outputs(method: str) -> None:
    data = labelled(([[0, 1], [2, 3]], "cat"), ([[0, 1]], "dog"))
    built = ef.construct(data, method=method)
    assert len(built.stages) == built.report.blocks
    for trace in built.trace():
        assert trace.blocks[0].before == tuple(data[trace.sequence].tokens.rows())
        for left, right in zip(trace.blocks, trace.blocks[1:], strict=False):
            assert left.after == right.before
        assert trace.outputs == tuple(built.transformer(data[trace.sequence].tokens).rows())
    assert [t.sequence for t in built.trace([1])] == [1]


@pytest.mark.parametrize("method", ["shallow", "deep", "leaders", "paper"])
def test_certificates_are_accepted_by_the_checker(method: str, tmp_path: Path) -> None:
    data = labelled(([[0, 1], [2, 3]], "é"), ([[0, 1]], "dog"), ([["1/3", "-0.25"]], "dog"))
    path = tmp_path / "c.jsonl"
    ef.construct(data, method=method).certify(path)
    assert ef.check(path).verdict == "accepted"
    lines = path.read_text().splitlines()
    assert json.loads(lines[0])["sequences"] == 3
    assert json.loads(lines[-2])["tokens"] == [["1/3", "-1/4"]]


def test_softmax_is_certified_for_uniform_attention_only(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    ef.construct(CATS, attention="softmax").certify(path)
    assert ef.check(path).verdict == "accepted"
    leaders = ef.construct(labelled(([[0]], "a"), ([[1], [2]], "b")), method="leaders")
    path.unlink()
    with pytest.raises(InvalidInput, match="softmax"):
        replace(leaders, attention="softmax").certify(path)
    assert list(tmp_path.iterdir()) == []


def test_repeated_targets_are_written_once(tmp_path: Path) -> None:
    data = Dataset.of([Sequence.of([[0], [1]], targets=[[5], [5], ["10/2"]])])
    path = tmp_path / "c.jsonl"
    ef.construct(data).certify(path)
    assert json.loads(path.read_text().splitlines()[3])["targets"] == [["5"]]
    assert ef.check(path).verdict == "accepted"
