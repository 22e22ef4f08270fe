"""Method extraction: exact on every family with one target per sequence and four dimensions, counted, and refutable."""

from __future__ import annotations

import hashlib
import json
import random
from itertools import accumulate, pairwise
from pathlib import Path

import pytest
from construct_definition import assert_interpolates
from hypothesis import given, settings
from hypothesis import strategies as st
from labelled_data import SINGLE, coloured, random_data

import exactformer as ef
from exactformer.constructions.built_transformer import Built
from exactformer.constructions.methods.extraction import Memories, Registers, spacing
from exactformer.errors import NoConstruction
from exactformer.instances.dataset_families import sample
from exactformer.model.dataset import Dataset


def assert_counted(built: Built) -> None:
    """9 numbers a bit of a gap, 15 a bit of a label, at most 15 a comparison and 8 a group."""
    by_stage: dict[str, list[int]] = {}
    for stage, block in zip(built.stages, built.transformer, strict=True):
        by_stage.setdefault(stage, []).append(block.parameters)
    assert max(by_stage.get("read", [0])) <= 9
    assert max(by_stage["label"]) <= 15
    assert max(by_stage["compare"]) <= 14
    groups = (built.transformer.blocks[built.stages.index("write")].width + 1) // 2
    assert by_stage["write"][0] <= 8 * groups - 4
    assert built.report.parameters == sum(sum(numbers) for numbers in by_stage.values())
    assert built.report.blocks == built.report.bound == len(built.stages)


@pytest.mark.parametrize("dim", [4, 5])
@pytest.mark.parametrize("family", SINGLE)
def test_families(family: str, dim: int) -> None:
    data = coloured(sample(family, 12, dim, dim), 2 + dim % 2)
    built = ef.construct(data, method="extraction", attention="softmax")
    assert_interpolates(built, data)
    assert_counted(built)


@settings(deadline=None, max_examples=25)
@given(st.data())
def test_small_data(drawn: st.DataObject) -> None:
    point = st.tuples(*[st.integers(-3, 3)] * 4).map(list)
    rows = drawn.draw(st.lists(point, min_size=2, max_size=9, unique_by=tuple))
    labels = drawn.draw(st.lists(st.sampled_from("abc"), min_size=len(rows), max_size=len(rows)))
    if len(set(labels)) > 1:
        data = Dataset.of([ef.Sequence.of([x], label=label) for x, label in zip(rows, labels, strict=True)])
        assert_interpolates(ef.construct(data, method="extraction"), data)


@pytest.mark.parametrize("classes", [2, 5])
def test_groups_of_several_members(classes: int) -> None:
    data = random_data(220, classes, dim=4, seed=classes)
    built = ef.construct(data, method="extraction")
    assert {"pool", "scale", "write", "compare", "read", "label", "name"} == set(built.stages)
    assert built.stages.count("compare") > 2
    assert_counted(built)


def test_fewer_numbers_than_shallow_for_many_sequences_and_never_than_compact() -> None:
    data = random_data(1500, 2, dim=4, seed=11)
    extraction, shallow = (ef.construct(data, method=method).report for method in ("extraction", "shallow"))
    assert extraction.parameters < shallow.parameters
    assert extraction.max_bits > 2 * shallow.max_bits


def test_labels_anywhere_in_space() -> None:
    data = random_data(30, 3, dim=4, seed=4)
    targets = {"0": ["1/3", -7, 0, 2], "1": [5, "2/7", 1, 1], "2": [0, 0, 0, 0]}
    assert_interpolates(ef.construct(data, method="extraction", label_targets=targets), data)


def test_the_checker_accepts_and_sees_a_changed_bit(tmp_path: Path) -> None:
    data = random_data(40, 2, dim=4, seed=9)
    built = ef.construct(data, method="extraction", attention="softmax")
    built.certify(tmp_path / "cert.jsonl")
    assert ef.check(tmp_path / "cert.jsonl").verdict == "accepted"
    lines = (tmp_path / "cert.jsonl").read_text().splitlines()
    at = 1 + built.stages.index("write")
    block = json.loads(lines[at])
    weights = block["feed_forward"]["W"]
    numbers = next(row for row in weights if row[0] not in ("0",))
    numbers[0] = str(int(numbers[0]) ^ 1)  # the last bit of the first group's number: a label
    lines[at] = json.dumps(block, separators=(",", ":"))
    body = "".join(f"{line}\n" for line in lines[:-1]).encode()
    end = json.dumps({"end": True, "sha256": hashlib.sha256(body).hexdigest()}, separators=(",", ":"))
    (tmp_path / "bad.jsonl").write_bytes(body + f"{end}\n".encode())
    assert ef.check(tmp_path / "bad.jsonl").verdict == "rejected"


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_too_few_dimensions_are_refused_with_a_cure(dim: int) -> None:
    with pytest.raises(NoConstruction, match=f"need dimension >= 4, the data have {dim}; method compact or shallow"):
        ef.construct(random_data(6, 2, dim=dim), method="extraction")


def test_several_targets_and_one_class_are_refused() -> None:
    with pytest.raises(NoConstruction, match="one target per sequence"):
        ef.construct([[[0, 0, 0, 0], [1, 0, 0, 0]]], targets=[[[0, 0, 0, 0], [2, 0, 0, 0]]], method="extraction")
    with pytest.raises(NoConstruction, match="nothing to store"):
        ef.construct([[[0, 0, 0, 0]], [[1, 0, 0, 0]]], labels=["a", "a"], method="extraction")


# the parts -------------------------------------------------------------------------------------------------------
@given(st.lists(st.fractions(-5, 5, max_denominator=50), min_size=1, max_size=8, unique=True))
def test_keys_are_two_apart(values: list[object]) -> None:
    ordered = sorted(values)  # type: ignore[type-var]
    factor, shift = spacing(ordered)  # type: ignore[arg-type]
    places = [factor * t + shift for t in ordered]  # type: ignore[operator]
    assert places[0] >= 0
    assert all(b - a >= 2 for a, b in pairwise(places))


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 40), st.integers(0, 5)), min_size=1, max_size=40))
def test_a_number_holds_the_gaps_and_labels_of_its_group(steps: list[tuple[int, int]]) -> None:
    keys, labels = [], []
    for gap, label in steps:
        keys.append((keys[-1] if keys else -1) + gap)
        labels.append(label)
    memory = Memories.of(keys, labels)
    found: dict[int, int] = {}
    for first, number in zip(memory.first, memory.numbers, strict=True):
        key, left = first, sum(bits for _, bits in memory.fields)
        for field, bits in memory.fields:
            left -= bits
            part, number = number >> left, number & ((1 << left) - 1)
            key += part if field == "gap" else 0
            if field == "label":
                found.setdefault(key, part)
    assert [found[key] for key in keys] == labels


@pytest.mark.parametrize(("count", "top", "widest"), [(60, 1, 3), (60, 7, 3), (150, 7, 2), (150, 1, 9), (90, 63, 2)])
def test_groups_are_of_the_size_that_stores_fewest_numbers(count: int, top: int, widest: int) -> None:
    rng, registers = random.Random(count + top), Registers.of(1, (1, 1, 1, 1))
    keys = list(accumulate((rng.randint(2, widest + 1) for _ in range(count - 1)), initial=0))
    labels = [top, *(rng.randint(0, top) for _ in keys[1:])]

    def numbers(memory: Memories) -> int:
        units = [registers.write(memory), *(units for _, units in registers.reading(memory))]
        return sum(registers.layer(some).parameters for some in units)

    assert numbers(Memories.of(keys, labels)) == min(numbers(Memories.in_groups(keys, labels, s)) for s in range(1, 9))


@pytest.mark.parametrize(("distance", "same"), [(-3, 0), (-1, 0), (0, 1), ("1/3", 1), (1, 1), (2, 0), (7, 0)])
def test_comparisons(distance: object, same: int) -> None:
    registers = Registers.of(0, (1, 0, 0, 0))
    for before in (0, 1):
        state = [ef.exact(distance), 0, before, 5]
        assert registers.layer(registers.compare(first=False)).apply(state)[2] == same


@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("same", [0, 1])
def test_bits_are_read_from_the_top(number: int, same: int) -> None:
    registers = Registers.of(0, (1, 0, 0, 0))
    after = registers.layer(registers.add(2, 1)).apply([9, number, same, 10])
    assert after == [9, number % 4, same, 10 + 2 * (number // 4) * same]
    after = registers.layer(registers.read(2, 3)).apply([9, number, same, 10])
    assert after == [9 - 8 * (number // 4), number % 4, same, 10]
