"""Tests of `exactformer.cli.meanfield_run`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from exactformer.cli.meanfield_run import _positive, _read_tokens, _say_few, _say_long
from exactformer.errors import InvalidInput
from exactformer.studies.mean_field.system import System


@pytest.mark.parametrize(
    ("dim", "betas", "count", "need"),
    [(2, [20.0], 200, None), (2, [20.0, 21.0, 30.0], 200, 300), (2, [30.0, 20.5], 205, 300), (4, [4.0, 9.0], 100, 270)],
)
def test_few_tokens_are_said_of_the_lowest_temperature(
    dim: int, betas: list[float], count: int, need: int | None, capsys: pytest.CaptureFixture[str]
) -> None:
    """n >= 10 max(beta, beta^((d-1)/2)): as many as the rule asks for are not few."""
    _say_few(betas, count, dim)
    rule = f"the rule is n >= 10 max(beta, beta^((d-1)/2)) = {need};"
    words = f"{count} tokens are few for beta = {max(betas):g}: {rule}"
    err = capsys.readouterr().err
    assert err.startswith(words) if need else not err


def test_the_length_of_a_step_is_measured_by_V(capsys: pytest.CaptureFixture[str]) -> None:
    large, small = [[3, 4], [0, 0]], [[1, 0], [0, "1/2"]]
    for V, step, length in ((large, 0.2, "1"), (large, 0.15, None), (small, 0.8, "0.8"), (small, 0.75, None)):
        _say_long(System.of(V, [[9, 0], [0, 1]]), step)
        err = capsys.readouterr().err
        assert err.startswith(f"the step is long: h |V| = {length};") if length else not err


@pytest.mark.parametrize("dim", [2, 3, 4])
def test_tokens_of_a_file_have_the_dimension_of_the_system(dim: int, tmp_path: Path) -> None:
    path = tmp_path / "tokens.json"
    rows = [["3/5", "-4/5", "0"], ["0", "0", "1"]]
    path.write_text(json.dumps({"exactformer": "tokens", "version": [1, 0], "tokens": rows}))
    if dim == 3:
        assert _read_tokens(path, dim) == pytest.approx(np.array([[0.6, -0.8, 0.0], [0.0, 0.0, 1.0]]))
        return
    with pytest.raises(InvalidInput, match=f"expected tokens of dimension {dim}, as the system has, got 3"):
        _read_tokens(path, dim)


def test_numbers_of_options_are_positive_and_not_too_large() -> None:
    assert _positive(" 1/20 ", "--step") == 0.05
    assert _positive("999999999999", "--beta") == 999999999999
    for wrong in ("0", "-1", "sqrt(2)", "1000000000000"):
        with pytest.raises(InvalidInput, match="--beta"):
            _positive(wrong, "--beta")
