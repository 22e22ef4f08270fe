"""`exactformer export-rocq` on recognisers and counters: the file says what the certificate says, and its Qed proves it."""

import json
import shutil
from pathlib import Path

import pytest

from exactformer.certificates.rocq_literals import verify_literals
from exactformer.cli.main import code
from exactformer.errors import Malformed
from exactformer.languages.automaton import Automaton
from exactformer.languages.compiled import compile_language
from exactformer.languages.literature import first, parity
from exactformer.languages.named import language
from exactformer.languages.prove import prove
from exactformer.languages.recogniser import Periodic, Recogniser
from exactformer.model.feed_forward import FeedForward
from exactformer.model.heads import Head, MultiHeadAttention, MultiHeadBlock
from exactformer.model.matrix import Dense, Outer, Scalar, Sparse, Zero


def forms() -> Recogniser:
    """A matrix in each of its forms, fractions, a begin mark."""
    ff = FeedForward("1/2", Outer([1, "-1/3"], [1, 0]), [0, "1/2"], Sparse([{0: 2}, {1: -1}], 2))
    heads = [
        Head(Dense([[1, 0], [0, "1/3"]]), Scalar("1/2"), Scalar(1), "upto", "last"),
        Head(Scalar(0), Zero(), Sparse([{0: 1}], 2), "before", "first"),
    ]
    blocks = [
        MultiHeadBlock(ff, MultiHeadAttention("2/3", heads)),
        MultiHeadBlock(ff, None),
        MultiHeadBlock(None, None),
    ]
    return Recogniser("ab", [[1, 0], ["-1/2", 1]], blocks, [1, 1], "1/5", begin=[0, 0], zero="rejected")


@pytest.fixture
def certificates(tmp_path: Path) -> dict[str, Path]:
    from exactformer.languages.prove import extract

    found = {name: tmp_path / f"{name}.jsonl" for name in ("ab", "dyck", "aa", "parity", "forms")}
    compile_language("(ab)*").certify(found["ab"])
    compile_language("dyck-1-2").certify(found["dyck"])
    compile_language("(aa)*").certify(found["aa"])
    compile_language("parity", period="any").certify(found["parity"])
    prove(forms(), extract(forms())).certify(found["forms"])
    return found


def test_the_file_says_what_the_certificate_says(certificates: dict[str, Path], tmp_path: Path) -> None:
    for path in certificates.values():
        out = tmp_path / "c.v"
        assert code(["export-rocq", str(path), "-o", str(out)]) == 0
        assert verify_literals(path, out) > 3


def test_another_literal_is_noticed(certificates: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "c.v"
    assert code(["export-rocq", str(certificates["forms"]), "-o", str(out)]) == 0
    text = out.read_text()
    edits = {
        "Accept": "Zero",
        "before": "upto",
        "to_first": "to_last",
        "(1 # 5)": "(1 # 4)",
        "(-1 # 3)": "(1 # 3)",
        "Some": "None",
        "right true": "right false",
        "node_3;": "",
        "the_nodes).": "the_nodes). Abort.",
        "Qed.": "Qed. ",
        "(1)%nat": "(0)%nat",
    }
    for old, new in edits.items():
        assert old in text
        out.write_text(text.replace(old, new, 1))
        with pytest.raises(Malformed):
            verify_literals(certificates["forms"], out)
    out.write_text(text)
    with pytest.raises(Malformed):
        verify_literals(certificates["ab"], out)


def test_what_the_theories_do_not_know_is_declined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cert = tmp_path / "c.jsonl"
    even = Recogniser("a", [[0]], [], [1], features=[Periodic(0, [-1, 1])], empty=True)
    cases = [
        (prove(first(), language("first")), "heads that see what comes later"),
        (prove(parity(), language("parity"), up_to=2), "words up to a length"),
        (prove(even, language("(aa)*")), "positional features"),
    ]
    for found, reason in cases:
        found.certify(cert)
        assert code(["export-rocq", str(cert), "-o", str(tmp_path / "c.v")]) == 4
        assert reason in capsys.readouterr().err
        assert not (tmp_path / "c.v").exists()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")
def test_the_kernel_accepts_what_is_true_and_nothing_else(certificates: dict[str, Path], tmp_path: Path) -> None:
    from checker_kit import opened, sealed

    out, forged = tmp_path / "c.v", tmp_path / "forged.jsonl"
    for name, path in certificates.items():
        assert code(["export-rocq", str(path), "-o", str(out), "--check"]) == 0, name
        lines = opened(path.read_bytes())
        others = set(range(len(lines[1]["next"]))) - set(lines[1]["accepting"])
        lines[1]["accepting"] = [] if name in ("aa", "parity") else sorted(others)
        forged.write_bytes(sealed(lines))
        assert code(["export-rocq", str(forged), "-o", str(out), "--check"]) == 1, name


def test_other_languages_have_other_theorems(tmp_path: Path) -> None:
    """The certificate's digest stands in the file."""
    target = Automaton(("a",), ((0,),), frozenset({0}))
    found = prove(Recogniser("a", [[1]], [], [1], empty=True), target)
    found.certify(tmp_path / "c.jsonl")
    assert code(["export-rocq", str(tmp_path / "c.jsonl"), "-o", str(tmp_path / "c.v")]) == 0
    digest = json.loads((tmp_path / "c.jsonl").read_text().splitlines()[-1])["sha256"]
    assert digest in (tmp_path / "c.v").read_text()
