"""`exactformer language prove` and `language extract` as they are used."""

import json

import pytest

import exactformer as ef
from exactformer.cli.main import code
from exactformer.languages.literature import dyck_1, first, majority, parity
from exactformer.languages.recogniser import Recogniser
from exactformer.model.heads import Head, MultiHeadAttention, MultiHeadBlock
from exactformer.model.matrix import Zero


@pytest.fixture
def folder(tmp_path):
    """Recogniser files of the literature, and one of the words whose last letter but one is a."""
    for recogniser in (first, majority, parity, dyck_1):
        recogniser().save(tmp_path / f"{recogniser.__name__}.jsonl")
    before = Head([[1]], Zero(), Zero(), "before", "last")
    blocks = [MultiHeadBlock(None, MultiHeadAttention(0, [before]))]
    Recogniser("ab", [[1], [-1]], blocks, [1], zero="rejected").save(tmp_path / "but_one.jsonl")
    return tmp_path


def answer(capsys, *arguments):
    exit_code = code(["language", *map(str, arguments), "--json"])
    return exit_code, json.loads(capsys.readouterr().out)


def test_a_proof_for_all_lengths(folder, capsys):
    exit_code, found = answer(capsys, "prove", folder / "but_one.jsonl", ".*a.")
    assert exit_code == 0
    assert found["verdict"] == "all lengths"
    assert (found["word"], found["why"]) == (None, None)
    assert found["product_states"] == 7
    assert code(["language", "prove", str(folder / "first.jsonl"), "first"]) == 0
    assert "proved for words of every length" in capsys.readouterr().out


def test_a_shortest_counterexample(folder, capsys):
    exit_code, found = answer(capsys, "prove", folder / "but_one.jsonl", ".*ab*")
    assert exit_code == 1
    assert (found["verdict"], found["word"]) == ("refuted", "a")
    assert code(["language", "prove", str(folder / "first.jsonl"), ".*1"]) == 1
    out = capsys.readouterr().out
    assert "refuted: on '01'" in out or "refuted: on '10'" in out


def test_declined_with_the_reason_and_what_to_do(folder, capsys):
    exit_code, found = answer(capsys, "prove", folder / "parity.jsonl", "parity")
    assert exit_code == 4
    assert found["verdict"] == "declined"
    assert "try `up_to` n" in found["why"]
    assert code(["language", "prove", str(folder / "parity.jsonl"), "parity"]) == 4
    out = capsys.readouterr().out
    assert "declined: a feature" in out
    assert "try --up-to n" in out


def test_up_to_a_length(folder, capsys):
    for model, language, plan in (("parity", "parity", "counts"), ("dyck_1", "dyck-1", "prefixes")):
        exit_code, found = answer(capsys, "prove", folder / f"{model}.jsonl", language, "--up-to", 8)
        assert (exit_code, found["verdict"], found["plan"]) == (0, "up to n", plan)
    assert code(["language", "prove", str(folder / "majority.jsonl"), "majority", "--up-to", "30"]) == 0
    assert "at most 30 letters" in capsys.readouterr().out
    exit_code, found = answer(capsys, "prove", folder / "majority.jsonl", "~(.*00.*)", "--up-to", 8)
    assert (exit_code, found["word"]) == (1, "")


def test_a_store_is_gone_on_from(folder, capsys):
    store = folder / "tried.json"
    arguments = ["prove", folder / "dyck_1.jsonl", "dyck-1", "--up-to", 9, "--store", store]
    once = answer(capsys, *arguments)
    written = store.read_bytes()
    assert answer(capsys, *arguments) == once
    assert store.read_bytes() == written
    assert code(["language", "prove", str(folder / "dyck_1.jsonl"), "()", "--store", str(store)]) == 2


def test_bad_input_is_one_message(folder, capsys):
    def refused(*arguments):
        exit_code = code(["language", "prove", *map(str, arguments)])
        err = capsys.readouterr().err
        assert len(err.strip().splitlines()) <= 4
        return exit_code, err

    model = folder / "but_one.jsonl"
    assert refused(model, "(ab")[0] == 3
    assert "expected the ) of the ( at position 0" in refused(model, "(ab")[1]
    assert "tomita-9" in refused(model, "tomita-9")[1]
    assert "tomita-1" in refused(model, "Tomita_9")[1]
    assert "got 'c'" in refused(model, "abc")[1]
    assert "expected letters that include '01'" in refused(model, "parity")[1]
    assert "is not regular" in refused(folder / "majority.jsonl", "majority")[1]
    assert refused(folder / "none.jsonl", "a")[0] in (2, 3)
    (folder / "automaton.json").write_text('{"letters":["a"]}')
    assert refused(model, folder / "automaton.json")[0] == 3
    assert refused(folder / "automaton.json", "a")[0] == 3


def test_extract(folder, capsys):
    exit_code, found = answer(capsys, "extract", folder / "but_one.jsonl")
    assert exit_code == 0
    assert found["states"] == len(found["automaton"]["next"]) == 4
    assert found["star_free"] is True
    assert answer(capsys, "prove", folder / "but_one.jsonl", found["expression"])[0] == 0
    files = [folder / "a.json", folder / "a.dot", folder / "a.svg"]
    options = ["-o", files[0], "--dot", files[1], "--plot", files[2]]
    assert code(["language", "extract", str(folder / "first.jsonl"), *map(str, options)]) == 0
    assert "star-free" in capsys.readouterr().out
    assert files[1].read_text().startswith("digraph {")
    assert b"<svg" in files[2].read_bytes()
    assert answer(capsys, "prove", folder / "first.jsonl", files[0])[0] == 0


def test_extract_declines_what_has_no_automaton_in_reach(folder, capsys):
    assert code(["language", "extract", str(folder / "parity.jsonl")]) == 4
    assert "infinitely many values" in capsys.readouterr().err


def test_a_certificate_holds_a_model(folder, capsys):
    for language in (".*a.", ".*b."):
        cert = folder / "cert.jsonl"
        code(["language", "prove", str(folder / "but_one.jsonl"), language, "-o", str(cert)])
        capsys.readouterr()
        assert answer(capsys, "prove", cert, ".*a.")[0] == 0
    cert.write_text(cert.read_text().replace('"start":0', '"start":1'))
    assert code(["language", "prove", str(cert), ".*a."]) == 3
    assert "sha256" in capsys.readouterr().err


def test_a_formula_or_a_program_in_place_of_an_expression(folder, capsys):
    model = folder / "but_one.jsonl"
    assert answer(capsys, "prove", model, "--ltl", "Y a")[0] == 0
    assert answer(capsys, "prove", model, "--ltl", "O a")[1]["verdict"] == "refuted"
    assert code(["language", "prove", str(model)]) == 2
    assert code(["language", "prove", str(model), "a", "--ltl", "a"]) == 2
    assert "not both" in capsys.readouterr().err


def test_certificates_of_more_words_than_checkers_try(folder, capsys):
    """A proof for all lengths serves; where there is none, the answer is given without a certificate, with exit 4."""
    path = folder / "c.jsonl"
    assert code(["language", "prove", str(folder / "but_one.jsonl"), ".*a.", "--up-to", "99", "-o", str(path)]) == 0
    assert "on words of every length" in str(ef.check(path).why)
    path.unlink()
    for model, language, n, why in (
        ("but_one.jsonl", ".*a.&~(.*" + "." * 30 + ")", "25", "a longer word is wrong"),
        ("parity.jsonl", "parity", "30", "a feature that is a ratio"),
    ):
        capsys.readouterr()
        assert code(["language", "prove", str(folder / model), language, "--up-to", n, "-o", str(path)]) == 4
        said = capsys.readouterr()
        assert "proved for words of at most" in said.out
        assert "proved, but without a certificate: checkers try all words" in said.err
        assert why in said.err
        assert not path.exists()
