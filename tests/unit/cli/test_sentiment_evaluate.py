"""Tests of `exactformer.cli.sentiment_evaluate`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from table_kit import tables_of

from exactformer.cli.main import code
from exactformer.cli.presenter import print_shown
from exactformer.cli.sentiment_evaluate import _shown


def answer(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> Any:
    capsys.readouterr()
    assert code(["sentiment", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_table_of_an_evaluation_names_each_figure(capsys: pytest.CaptureFixture[str]) -> None:
    answer: Any = {"reviews": 31, "declined": 2, "accuracy": 0.75, "faithfulness_reviews": 7}
    answer["leaders"] = {"mean": 1.5, "std": 0.5, "min": 1, "max": 4, "fraction_initial": 0.25}
    answer["faithfulness"] = {"only_leaders": 0.9, "without_leaders": 0.3, "without_random": 0.6}
    answer["approx"] = {"predictions": {"float32": 3, "float64": 1}, "approx_ms": {"exact": 5}}
    answer["top"] = [("great", 9), ("awful", 4)]
    print_shown(_shown(answer))
    (shown,) = tables_of(capsys.readouterr().out)
    assert dict(shown.rows) == {
        "reviews": "31",
        "declined(noknownword)": "2",
        "accuracy,exactdecisions": "0.7500",
        "leaders:mean": "1.5",
        "leaders:std": "0.5",
        "leaders:min": "1",
        "leaders:max": "4",
        "leaders:fraction_initial": "0.25",
        "samedecision,onlytheleaderskept": "0.9000",
        "samedecision,withouttheleaders": "0.3000",
        "samedecision,withoutasmanyrandomwords": "0.6000",
        "predictionsthatdiffer,float32": "3",
        "predictionsthatdiffer,float64": "1",
    }
    assert shown.note.startswith("leader words of reviews decided right: great 9, awful 4")
    print_shown(_shown({**answer, "faithfulness_reviews": 0}))
    assert "same decision" not in capsys.readouterr().out
