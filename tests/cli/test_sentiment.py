"""`exactformer sentiment`: every verb as it is used, with bad input, hostile text and interruptions."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from table_kit import asked, tables_of

from exactformer.cli.main import code
from exactformer.cli.presenter import print_shown
from exactformer.cli.sentiment_train import accuracies_shown
from exactformer.errors import Malformed
from exactformer.studies.sentiment import load, read_reviews, train
from exactformer.studies.sentiment.approx_comparison import compare
from exactformer.studies.sentiment.classifier import ReviewClassifier
from exactformer.studies.sentiment.evaluation import labelled_reviews
from exactformer.studies.sentiment.families import reviews_csv
from exactformer.studies.sentiment.paper import clear_reviews
from exactformer.studies.sentiment.resume import Resume

TEXT = "A wonderful, touching film: I loved it. The ending is boring, boring, and the plot a waste of time."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with generated reviews and a model trained on them by the command."""
    place = tmp_path_factory.mktemp("sentiment")
    (place / "reviews.csv").write_text(reviews_csv(400, 1))
    assert code(["sentiment", "train", str(place / "reviews.csv"), "-q", "-o", str(place / "m.xz")]) == 0
    return place


def answer(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> Any:
    capsys.readouterr()
    assert code(["sentiment", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_votes_of_the_json_add_up(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "explain", TEXT + " Zzyzx!")
    total = Fraction(found["bias"]) + sum(Fraction(w["weight"]) * Fraction(w["score"]) for w in found["words"])
    assert total == Fraction(found["value"])
    assert sum(Fraction(w["weight"]) for w in found["words"]) == 1
    assert found["decision"] == ("positive" if total > 0 else "negative")
    for leader in found["leaders"]:
        word = found["words"][leader["word"]]
        assert Fraction(word["weight"]) * Fraction(word["score"]) == Fraction(leader["vote"])
    assert found["unknown"] == ["zzyzx"]
    assert {w["word"]: w["count"] for w in found["words"]}["boring"] == 2
    assert len(found["layers"]) == 8
    assert found["layers"][-1] == [w["follows"] for w in found["words"]]


def test_table_of_a_decision(capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["sentiment", "explain", TEXT]) == 0
    shown = capsys.readouterr().out
    votes = [float(x) for x in re.findall(r"([+-]\d+\.\d{4}) │ [^│\n]*│\n", shown)]
    assert sum(votes[:-1]) == pytest.approx(votes[-1], abs=1e-3)
    assert "decision value" in shown


def test_a_model_of_its_own(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "explain", folder / "m.xz", "wonderful great superb film")
    assert found["decision"] == "positive"
    assert answer(capsys, "explain", folder / "m.xz", "boring awful waste film")["decision"] == "negative"


def test_train_reports_both_models(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "out").mkdir()
    reviews, kept = str(folder / "reviews.csv"), tmp_path / "out" / "d3.model.xz"
    command = ["sentiment", "train", reviews, "--dim", "3", "--leaders", "many", "--seed", "4", "-o", str(kept)]
    capsys.readouterr()
    assert code([*command, "--json"]) == 0
    said = capsys.readouterr()
    found = json.loads(said.out)
    sizes, words = read_reviews(reviews).part_sizes, len(read_reviews(reviews).words)
    parts = "{} train, {} validation, {} test reviews".format(*sizes)
    assert said.err.splitlines()[0] == f"{parts}; {words:,} words; seed 4"
    assert found["reviews"] == sizes
    assert len(set(sizes)) == 3
    assert {"words", "reviews", "validation", "test", "without_attention", "leaders"} <= found.keys()
    assert sum(found["reviews"]) == 400
    assert found["test"] > 0.6
    assert found["without_attention"]["test"] > 0.7
    assert {path.name for path in kept.parent.iterdir()} == {"d3.model.xz"}
    paper = answer(capsys, "paper", reviews, "--dims", "3", "--sample", "1", "-o", kept.parent)
    assert [(row["dim"], row["test"]) for row in paper["rows"]] == [(3, found["test"])]
    assert {path.name for path in kept.parent.iterdir()} == {"d3.model.xz", "table.json", "accuracy.png"}


def test_training_is_reproducible_and_goes_on_after_an_interruption(folder: Path, tmp_path: Path) -> None:
    reviews = read_reviews(folder / "reviews.csv")

    class Stopped(Exception):
        pass

    def stop(name: str, done: int, total: int) -> None:
        if "candidate 2" in name and done > total // 2:
            raise Stopped

    resume = Resume(tmp_path / "resume", reviews)
    with pytest.raises(Stopped):
        train(reviews, resume=resume, progress=stop)
    assert len(list((tmp_path / "resume").glob("*.npz"))) == 2
    with pytest.raises(Malformed, match=r"problem\.json: .* its seed is 0, this one's is 1; delete the folder"):
        train(reviews, seed=1, resume=Resume(tmp_path / "resume", reviews))
    seen: list[str] = []
    again = train(reviews, resume=Resume(tmp_path / "resume", reviews), progress=lambda name, *_: seen.append(name))
    whole = train(reviews)
    assert not any("candidate 1 of 2" in name for name in seen if "no attention" not in name)
    assert again.embeddings.tolist() == whole.embeddings.tolist()
    assert (again.v, again.b, again.about) == (whole.v, whole.b, whole.about)


def test_other_seeds_give_other_models(folder: Path) -> None:
    reviews = read_reviews(folder / "reviews.csv")
    assert train(reviews, seed=1).v != train(reviews, seed=2).v


def test_a_trained_matrix_is_positive_definite(folder: Path) -> None:
    model = train(read_reviews(folder / "reviews.csv"), matrix=True)
    found = model.explain("wonderful boring film story")
    assert sum((word.vote for word in found.words), found.bias) == found.value


def test_evaluate(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "evaluate", folder / "m.xz", folder / "reviews.csv", "--sample", "30")
    assert 0.6 < found["accuracy"] <= 1
    assert set(found["leaders"]) == {"mean", "std", "min", "max", "fraction_initial"}
    assert set(found["faithfulness"]) == {"only_leaders", "without_leaders", "without_random"}
    assert found["approx"]["predictions"]["float64"] == 0
    everything = answer(capsys, "evaluate", folder / "m.xz", folder / "reviews.csv", "--part", "all", "--sample", "0")
    assert everything["reviews"] == 400
    assert "approx" not in everything


def test_paper(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "d2.model.xz").write_bytes((folder / "m.xz").read_bytes())  # kept by an earlier run
    found = answer(capsys, "paper", folder / "reviews.csv", "--dims", "2", "--sample", "10", "-o", tmp_path / "out")
    assert found["rows"][0]["published_best"] == 0.79145
    assert json.loads((tmp_path / "out" / "table.json").read_text()) == found
    assert {"accuracy.png", "leader-words.png", "d2.model.xz"} <= {p.name for p in (tmp_path / "out").iterdir()}


def test_counterfactual(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "explain", "wonderful wonderful acting, awful ending", "--counterfactual")
    assert found["decision"] == "positive"
    change = found["counterfactual"]
    assert change["words"]
    rest = {w["word"]: w["count"] for w in found["words"] if w["word"] not in change["words"]}
    assert load().value(rest) == Fraction(change["value"]) < 0
    assert code(["sentiment", "explain", TEXT, "--counterfactual", "--budget", "3"]) == 0
    assert "at most 0 words" in capsys.readouterr().out


def test_the_first_words_take_part_up_to_the_length_of_the_model() -> None:
    found = replace(load(), length=3).explain("wonderful film, boring plot, wonderful ending")
    taking_part = [found.text[place.start : place.stop] for place, word in found.places() if word is not None]
    assert taking_part == ["wonderful", "film", "boring"]
    assert sum(found.counts.values()) == 3
    assert found.left_out == 3


# tables -----------------------------------------------------------------------------------------------


def test_tables_say_what_json_says(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, (shown,), _, _ = asked(capsys, "sentiment", "explain", TEXT)
    for leader, cells in zip(found["leaders"], shown.rows, strict=False):
        word = found["words"][leader["word"]]
        numbers = [f"{float(Fraction(x)):+.4f}" for x in (word["score"], word["weight"], leader["vote"])]
        assert cells[:5] == [word["word"], str(leader["from_layer"]), *numbers]
        followers = [w["word"] for w in found["words"] if leader["word"] in w["follows"] and w is not word]
        assert cells[5] == "".join(followers)
    about = dict(ReviewClassifier.read(folder / "m.xz").about)
    print_shown(accuracies_shown(about))
    out = capsys.readouterr().out
    plain, leaders = about["without_attention"], about["leaders"]
    assert [row[1:] for row in tables_of(out)[0].rows] == [
        [f"{about['validation']:.4f}", f"{about['test']:.4f}"],
        [f"{plain['validation']:.4f}", f"{plain['test']:.4f}"],
        ["", f"{about['attention_removed']:.4f}"],
    ]
    assert f"mean {leaders['mean']}, deviation {leaders['std']}, {leaders['min']} to {leaders['max']};" in out
    (tmp_path / "d2.model.xz").write_bytes((folder / "m.xz").read_bytes())
    command = ("sentiment", "paper", folder / "reviews.csv", "--dims", "2", "--sample", "2", "-o", tmp_path)
    found, (shown,), _, _ = asked(capsys, *command)
    row, leaders = found["rows"][0], found["rows"][0]["leaders"]
    figures = (row["test"], row["without_attention"]["test"], row["published_best"])
    wanted = ["2", row["leaders_option"], *(f"{x:.4f}" for x in figures)]
    assert shown.rows[0] == wanted + [str(leaders[n]) for n in ("mean", "std", "min", "max", "fraction_initial")]
    assert row["test"] != row["without_attention"]["validation"] != row["without_attention"]["test"]


def test_the_table_and_the_seed_of_an_evaluation(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ("sentiment", "evaluate", folder / "m.xz", folder / "reviews.csv", "--sample", "3", "--seed", "5")
    found, (shown,), _, _ = asked(capsys, *command)
    cells = dict(shown.rows)
    assert (cells["reviews"], cells["declined(noknownword)"]) == (str(found["reviews"]), str(found["declined"]))
    assert cells["accuracy,exactdecisions"] == f"{found['accuracy']:.4f}"
    assert all(cells[f"leaders:{name}"] == str(value) for name, value in found["leaders"].items())
    faithful = [row[1] for row in shown.rows if row[0].startswith("samedecision")]
    assert faithful == [f"{x:.4f}" for x in found["faithfulness"].values()]
    for name in ("predictions", "follower_sets", "leaders"):
        for kind, count in found["approx"][name].items():
            assert cells[f"{name.replace('_', '')}thatdiffer,{kind}"] == str(count)
    model = ReviewClassifier.read(folder / "m.xz")
    reviews = labelled_reviews(folder / "reviews.csv", model)
    chosen = np.random.default_rng(5).permutation(len(reviews))[:3]
    assert (
        found["approx"]["approx_softmax_gap"] == compare(model, [reviews[k][1] for k in chosen])["approx_softmax_gap"]
    )


def test_clear_reviews_have_twenty_to_sixty_words_however_often_each_stands() -> None:
    model = load()
    bags = [(True, {"wonderful": n}) for n in (19, 61, 30)] + [(False, {"awful": n}) for n in (60, 20)]
    assert clear_reviews(model, bags, 0.1) == (" ".join(["wonderful"] * 30), " ".join(["awful"] * 60))


# the page ---------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """The elements, texts and attributes of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: dict[int, str] = {}
        self.votes: list[Fraction] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        self.tags.append((tag, found))
        if "data-word" in found:
            self.words[int(found["data-word"] or 0)] = str(found["class"])
        if "data-exact" in found:
            self.votes.append(Fraction(str(found["data-exact"])))


def page_of(tmp_path: Path, *arguments: str) -> tuple[str, Page]:
    path = tmp_path / "page.html"
    assert code(["sentiment", "explain", *arguments, "--html", str(path), "-q"]) == 0
    text = path.read_text()
    return text, Page(text)


def test_votes_of_the_page_add_up(tmp_path: Path) -> None:
    _, page = page_of(tmp_path, TEXT)
    assert sum(page.votes[:-1]) == page.votes[-1] == load().explain(TEXT).value


def test_words_have_the_colour_of_whom_they_follow(tmp_path: Path) -> None:
    text, page = page_of(tmp_path, TEXT)
    found = load().explain(TEXT)
    for i, word in enumerate(found.words):
        colour = page.words[i].split()[0]
        if len(word.follows) == 1:
            assert colour == page.words[word.follows[0]].split()[0]
        assert (page.words[i].split()[-1] == "leader") == (word.leads_from is not None)
    assert "points of accuracy" in text
    assert "Content-Security-Policy" in text


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert('great')</script> wonderful </script><img src=x onerror=alert(1)> film",
        'wonderful &lt;script&gt;alert(1)&lt;/script&gt; film " onmouseover="x',
        "great \u202egod\u202c {value} %s $x^2$ [bold]film[/bold] \x1b[31m",
    ],
)
def test_a_hostile_text_is_shown_as_text(text: str, tmp_path: Path) -> None:
    _, page = page_of(tmp_path, text)
    _, plain = page_of(tmp_path, "wonderful film alert")
    scripts = [found for tag, found in page.tags if tag == "script"]
    assert len(scripts) == len([1 for tag, _ in plain.tags if tag == "script"])
    assert not any(name.startswith("on") for _, found in page.tags for name in found)
    assert "img" not in {tag for tag, _ in page.tags}


# bad input --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "the of and", "zzyzx qwrtp", "42 !?", "\u4e2d\u6587"])
def test_nothing_known_is_declined(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["sentiment", "explain", text]) == 4
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "vocabulary" in shown.err


def test_no_file_is_left_by_a_declined_text(tmp_path: Path) -> None:
    outputs = ["-o", str(tmp_path / "c.jsonl"), "--html", str(tmp_path / "p.html")]
    assert code(["sentiment", "explain", "the of", *outputs]) == 4
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "expected"),
    [(b"meh,film\n" * 20, 3), (b"\xff\xfe\x00", 3), (b"", 3), (b"pos,great film\n" * 50, 3), (b"1,a\n0,b,c\n", 3)],
)
def test_bad_reviews(content: bytes, expected: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r.csv").write_bytes(content)
    assert code(["sentiment", "train", str(tmp_path / "r.csv"), "-o", str(tmp_path / "m.xz")]) == expected
    assert "expected" in capsys.readouterr().err
    assert not (tmp_path / "m.xz").exists()


def test_bad_models_and_usage(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cut = tmp_path / "cut.xz"
    cut.write_bytes((folder / "m.xz").read_bytes()[:-20])
    reviews = str(folder / "reviews.csv")
    cases = {
        3: [
            ["explain", str(cut), "great"],
            ["explain", str(tmp_path / "none.xz"), "great"],
            ["evaluate", str(cut), reviews],
        ],
        2: [
            ["explain", str(folder / "m.xz")],
            ["explain", "a", "b", "c"],
            ["explain"],
            ["train", reviews, "-o", reviews],
            ["explain", str(folder / "m.xz"), "great", "-o", str(folder / "m.xz")],
            ["train", reviews, "--leaders", "all", "-o", str(tmp_path / "m.xz")],
            ["paper", reviews, "--dims", "two", "-o", str(tmp_path)],
            ["trian", reviews],
        ],
    }
    for expected, lines in cases.items():
        for line in lines:
            assert code(["sentiment", *line]) == expected, line
            assert "Traceback" not in capsys.readouterr().err


def test_text_from_stdin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import io
    from types import SimpleNamespace

    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(TEXT.encode())))
    assert answer(capsys, "explain", "-")["value"] == answer(capsys, "explain", TEXT)["value"]
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"caf\xe9 great")))
    assert code(["sentiment", "explain", "-"]) == 3
    pages = []
    for place, given in (("with", TEXT.encode("utf-8-sig")), ("without", TEXT.encode())):
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(given)))
        assert code(["sentiment", "explain", "-", "-q", "--html", str(tmp_path / place)]) == 0
        pages.append((tmp_path / place).read_text())
    assert pages[0] == pages[1]


# certificates -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [TEXT, "great", "awful awful film", "wonderful boring " * 90])
def test_certificates_are_accepted_and_compared_with_the_model(text: str, folder: Path, tmp_path: Path) -> None:
    import exactformer as ef

    path = tmp_path / "c.jsonl"
    assert code(["sentiment", "explain", text, "-q", "-o", str(path)]) == 0
    shipped = Path(ef.sentiment.__file__).parent / "assets" / "imdb-2.model.xz"
    verdict = ef.check(path, data=shipped)
    assert verdict.verdict == "accepted", verdict
    assert ("every larger depth" in verdict.why) == (load().explain(text).same_from is not None)
    assert ef.check(path, data=folder / "m.xz").verdict == "rejected"
    assert code(["report", str(path), "-q", "-o", str(tmp_path / "report.html")]) == 0


def test_a_forged_decision_is_refused(tmp_path: Path) -> None:
    import hashlib

    import exactformer as ef

    path = tmp_path / "c.jsonl"
    load().explain(TEXT).certify(path)
    body = path.read_bytes().rpartition(b'{"end"')[0]
    forged = body.replace(b'"positive":true', b'"positive":false')
    forged = forged if forged != body else body.replace(b'"positive":false', b'"positive":true')
    path.write_bytes(forged + json.dumps({"end": True, "sha256": hashlib.sha256(forged).hexdigest()}).encode() + b"\n")
    assert ef.check(path).verdict == "rejected"


def test_a_certificate_of_a_decision_says_that_it_is_not_about_the_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "review.jsonl"
    assert code(["sentiment", "explain", "A wonderful film with a boring end.", "-o", str(path)]) == 0
    first = capsys.readouterr().err.splitlines()[0]
    assert first.startswith(f"wrote {path}: it proves the decision on these counts of words")
    assert first.endswith("not that the text has them")
