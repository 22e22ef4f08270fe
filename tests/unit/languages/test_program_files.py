"""Files of B-RASP programs: what they mean, and one message with line and cause for each that is none."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from exactformer.errors import Malformed
from exactformer.languages import program_files
from exactformer.languages.program_files import program_of_text, read_program
from exactformer.languages.program_weights import recogniser_of_program

HEAD = "letters a b\nA = letter a\nB = letter b\n"


WORDS = ["".join(w) for n in range(6) for w in itertools.product("ab", repeat=n)]


def accepted(text: str) -> list[str]:
    return [word for word in WORDS if program_of_text(text).accepts(word)]


def test_the_example_of_the_grammar(tmp_path: Path) -> None:
    path = tmp_path / "example.brasp"
    path.write_text("letters a b" + str(program_files.__doc__).rsplit("letters a b", 1)[1])
    program = read_program(path)
    wanted = [word for word in WORDS if word.endswith("b") and "a" in word]
    assert [word for word in WORDS if program.accepts(word)] == wanted
    recogniser = recogniser_of_program(program)
    assert [word for word in WORDS if recogniser.accepts(word)] == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("v = A", lambda w: w.endswith("a")),
        ("v = not A", lambda w: w.endswith("b")),
        ("v = A and B", lambda w: False),
        ("v = A or B or A", lambda w: w != ""),
        ("v = true", lambda w: w != ""),
        ("at first\nv = A", lambda w: w.startswith("a")),
        ("empty accept\nv = false", lambda w: w == ""),
        ("# a comment\n\n  v=leftmost all[ true ]A( j ):false", lambda w: w.startswith("a")),
        ("v = rightmost before [true] A(j) : B", lambda w: w == "b" or w[-2:-1] == "a"),
        ("v = leftmost upto [A(i) & B(j) | B(i)] B(j) : true", lambda w: w[:1] == "b" or ("b" in w and w[-1] == "a") or set(w) == {"a"}),
        ("v = rightmost all [false] true : A", lambda w: w.endswith("a")),
        ("at first\nv = leftmost after [A(j)] true : false", lambda w: "a" in w[1:]),
        ("at first\nv = rightmost from [A(j)] true : false", lambda w: "a" in w),
    ],
)  # fmt: skip
def test_what_lines_mean(line: str, wanted) -> None:  # type: ignore[no-untyped-def]
    assert accepted(HEAD + line) == [word for word in WORDS if wanted(word)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected at least one vector"),
        ("letters a", "expected at least one vector"),
        ("A = letter a", "line 1: expected the alphabet"),
        ("letters", "line 1: expected letters that differ"),
        ("letters a a", "line 1: expected letters that differ"),
        ("letters a\nletters b", "line 2: expected one line 'letters', got a second"),
        (HEAD + "at middle", "line 4: expected at first or at last, got 'at middle'"),
        (HEAD + "empty", "line 4: expected empty accept or empty reject"),
        (HEAD + "v", "line 4: expected NAME = vector"),
        (HEAD + "not = A", "line 4: expected a name .* got 'not'"),
        (HEAD + "1 = A", "line 4: expected a name .* got '1'"),
        (HEAD + "A = B", "line 4: expected a new name, got 'A'"),
        (HEAD + "v = letter c", "line 4: expected a letter of 'a b', got 'c'"),
        (HEAD + "v = w", r"line 4: expected the name of a line above \(A, B\), got 'w'"),
        (HEAD + "v = v", "got 'v'"),
        (HEAD + "v =", "line 4: expected letter LETTER"),
        (HEAD + "v = A and B or A", "line 4: .* by and alone or by or alone"),
        (HEAD + "v = A and", "line 4: expected letter LETTER"),
        (HEAD + "v = leftmost before A(j) : B", r"line 4: expected side mask \[pairs\] pairs : default"),
        (HEAD + "v = leftmost below [A(j)] true : B", "line 4: expected a mask all, .* got 'below'"),
        (HEAD + "v = leftmost all [A(k)] true : B", r"line 4: expected NAME\(i\), .* got 'A\(k\)'"),
        (HEAD + "v = leftmost all [A(i) & B(i)] true : B", "line 4: expected NAME"),
        (HEAD + "v = leftmost all [A(j)|] true : B", "line 4: expected NAME"),
        (HEAD + "v = leftmost all [A(j)] true :", "line 4: expected the name of a line above"),
    ],
)
def test_texts_that_are_no_program(text: str, message: str) -> None:
    with pytest.raises(Malformed, match=message):
        program_of_text(text)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "x.brasp"
    path.write_bytes(b"letters \xff")
    with pytest.raises(Malformed, match=r"x\.brasp: expected text in UTF-8, got the byte 0xff"):
        read_program(path)
