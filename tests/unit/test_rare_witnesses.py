"""Rare instances on which one word of the code decides: repeated tokens in a tie, equal norms, an interrupted file."""

from __future__ import annotations

from pathlib import Path

import pytest

import exactformer as ef
from exactformer.conjectures.plain_orbit import PlainOrbit
from exactformer.dynamics.lemmas import check_lemmas
from exactformer.model.json_lines import replacing


def test_a_tied_set_with_repeated_tokens_moves_with_its_weighted_mean() -> None:
    rows = [[1, 1], ["-5/4", 1], ["1/2", 1], ["1/2", 1], ["-3/4", 1], [0, "1/2"]]
    for alpha in ("1/3", 1, 2):
        tokens = ef.Tokens(rows, alpha=alpha)
        plain, orbit, limit = PlainOrbit(tokens), ef.simulate(tokens, layers=10), ef.limit(tokens)
        for k in range(11):
            points = [plain[k].point(i) for i in range(len(rows))]
            assert orbit.tokens(k).rows() == points
            assert limit.at(k) == points


def test_tokens_of_equal_norm_that_follow_one_another_are_a_witness_against_lemma_6() -> None:
    """A is not definite: <A z_1, z_2> = 1 is more than <A z_1, z_1> = 0 = <A z_2, z_2>."""
    tokens = ef.Tokens([[1, 0], [0, 1]], A=[[0, 1], [1, 0]])
    found = check_lemmas(ef.simulate(tokens, layers=2, unchecked=True))
    assert found[6] is not None


@pytest.mark.parametrize("problem", [KeyboardInterrupt, SystemExit, ValueError])
def test_a_file_that_is_not_finished_leaves_nothing(problem: type[BaseException], tmp_path: Path) -> None:
    (tmp_path / "kept").write_bytes(b"old")

    def write() -> None:
        with replacing(tmp_path / "kept") as file:
            file.write(b"new")
            raise problem

    with pytest.raises(problem):
        write()
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("kept", b"old")]
