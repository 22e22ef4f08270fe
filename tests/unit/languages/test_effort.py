"""Tests of `exactformer.languages.effort`: short texts and files that ask for much are declined with an option's name."""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from exactformer.errors import Declined, InvalidInput
from exactformer.languages.attend import attend
from exactformer.languages.automaton import Automaton
from exactformer.languages.bounded import MOST_WORDS, verify_words
from exactformer.languages.compiled import compile_language
from exactformer.languages.effort import MEMORY_OPTION, STEPS_OPTION, keep, one_question, spend
from exactformer.languages.expressions import expression_of
from exactformer.languages.live_blocks import Height
from exactformer.languages.machine import machine_of
from exactformer.languages.program_files import program_of_text
from exactformer.languages.prove import Recognition, extract, prove
from exactformer.languages.recogniser import Periodic, Recogniser
from exactformer.languages.transitions import is_star_free
from exactformer.model.feed_forward import FeedForward
from exactformer.model.heads import Head, Mask, MultiHeadAttention, MultiHeadBlock, TieRule

ONE, ZERO = {"scalar": 1}, {"zero": True}
MEGABYTE = 1_000_000


def block(V: object = ONE, Q: object = ZERO, K: object = ZERO, mask: Mask = "before", ties: TieRule = "last") -> MultiHeadBlock:  # fmt: skip
    return MultiHeadBlock(None, MultiHeadAttention(1, [Head(V, Q, K, mask, ties)]))  # type: ignore[arg-type]


def recogniser(letters: int, dim: int, blocks: list[MultiHeadBlock], period: int = 1) -> Recogniser:
    """Every letter has a number, in all coordinates."""
    names = [f"l{k}" for k in range(letters)]
    features = [Periodic(0, range(period))] if period > 1 else []
    return Recogniser(names, [[k % 7] * dim for k in range(letters)], blocks, [1] * dim, features=features)


def unit_tokens(dim: int, blocks: list[MultiHeadBlock]) -> Recogniser:
    """Letter k is the k-th unit vector."""
    tokens = [[int(i == k) for i in range(dim)] for k in range(dim)]
    return Recogniser([f"l{k}" for k in range(dim)], tokens, blocks, [1] * dim)


def wide(units: int) -> MultiHeadBlock:
    rows = [[k % 5 - 2, k % 7] for k in range(units)]
    layer = FeedForward(1, rows, range(units), [[k % 3 - 1 for k in range(units)]] * 2)
    return MultiHeadBlock(layer, MultiHeadAttention(1, [Head(ONE, ONE, ONE, "before", "last")]))


def gates(lines: list[str]) -> str:
    return "\n".join(["letters a b", "A = letter a", "B = letter b", *lines])


def ring(states: int) -> Automaton:
    """A cycle and a transposition: they generate every permutation."""
    rows = tuple(((q + 1) % states, {0: 1, 1: 0}.get(q, q)) for q in range(states))
    return Automaton(("a", "b"), rows, frozenset({0}))


def walk(states: int) -> Automaton:
    """Forwards, backwards, and half of the way back."""
    rows = tuple((min(states - 1, q + 1), max(0, q - 1), q // 2) for q in range(states))
    return Automaton(("a", "b", "c"), rows, frozenset({states - 1}))


LONG = int("7" * 900)
#: questions that cost much, at a size that is answered, or declined for another reason, in a second or two
QUESTIONS: dict[str, Callable[[], object]] = {
    "letters and coordinates": lambda: extract(recogniser(20, 12, [block()] * 6)),
    "letters and coordinates, proved": lambda: prove(recogniser(20, 12, [block()] * 6), everything(20)),
    "unit vectors": lambda: extract(unit_tokens(9, [block(Q=ONE, K=ONE, ties="first")])),
    "guesses": lambda: extract(unit_tokens(8, [block(Q=ONE, K=ONE, mask=None, ties="first")])),
    "wide layers": lambda: extract(Recogniser("abc", [[k, 1] for k in range(3)], [wide(2_000)] * 3, [1, 1])),
    "rank one": lambda: extract(recogniser(2, 300, [block(V={"outer": [range(1, 301), range(1, 301)]})] * 4)),
    "periods": lambda: extract(recogniser(3, 1, [block(Q=ONE, K=ONE)], period=997)),
    "long numbers": lambda: extract(recogniser(2, 1, [block(V={"scalar": LONG})] * 40)),
    "one long word": lambda: attend(recogniser(2, 2, [block(Q=ONE, K=ONE, mask=None, ties="all")]), ["l0", "l1"] * 40),
    "dots": lambda: compile_language("(a|b)*a" + "." * 10),
    "optional letters": lambda: compile_language("a?" * 200),
    "intersections": lambda: compile_language(".*aa.*&.*ab.*&.*ba.*&.*bb.*"),
    "complements": lambda: compile_language("~(.*a..b.*..c)"),
    "an alphabet": lambda: compile_language(".*a.*", letters=["a", *(f"l{k}" for k in range(400))]),
    "long past": lambda: compile_language(ltl="O (a & Y Y Y Y Y b)"),
    "many pasts": lambda: compile_language(ltl=" & ".join(f"(O (a & {'Y ' * k}b))" for k in range(1, 5))),
    "futures": lambda: compile_language(ltl="F (a & X X X X X b)", at="first"),
    "nested since": lambda: compile_language(ltl="(" * 9 + "a" + " S b)" * 9),
    "pairs": lambda: compile_language(
        program_of_text(gates(["v = rightmost before [" + " | ".join(["A(j)", "B(j)"] * 9_000) + "] A(j) : false"]))
    ),
    "attention after attention": lambda: compile_language(
        program_of_text(
            gates(
                ["v0 = leftmost all [A(j)] B(j) : false"]
                + [f"v{k} = leftmost all [v{k - 1}(j)] A(j) : v{k - 1}" for k in range(1, 5)]
            )
        )
    ),
    "a wide gate": lambda: compile_language(program_of_text(gates(["v = " + " and ".join(["A"] * 30_000)]))),
    "transformations": lambda: is_star_free(walk(40)),
    "bricks": lambda: compile_language(walk(30)),
    "an expression of an automaton": lambda: expression_of(walk(40)),
}


def long_word(length: int) -> str:
    return "".join(random.Random(length).choices("ab", k=length))


def everything(letters: int) -> Automaton:
    return Automaton(tuple(f"l{k}" for k in range(letters)), ((0,) * letters,), frozenset({0}))


def refusal(question: Callable[[], object]) -> str:
    """Why a question is declined; "words" where a proof found one that refutes among the first words."""
    try:
        found = question()
    except Declined as problem:
        return str(problem)
    return found.why or str(found.plan) if isinstance(found, Recognition) else f"answered: {found}"


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_is_declined_past_its_steps(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STEPS_OPTION, "60000")
    why = refusal(QUESTIONS[name])
    assert STEPS_OPTION in why or why == "words", why


@pytest.mark.parametrize("name", sorted(QUESTIONS.keys() - {"one long word", "an expression of an automaton"}))
def test_a_question_is_declined_past_its_memory(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MEMORY_OPTION, "20000")
    why = refusal(QUESTIONS[name])
    assert MEMORY_OPTION in why or why == "words", why


def test_a_word_that_takes_long_counts_as_many() -> None:
    verify_words("words", recogniser(2, 2, [block()]), 12, MOST_WORDS)
    with pytest.raises(Declined, match=r"short ones.*`most`"):
        verify_words("words", recogniser(2, 2, [block()] * 400), 12, MOST_WORDS)
    with pytest.raises(Declined, match=r"10\^18 or more words.*`most`"):
        verify_words("words", recogniser(2, 2, [block()]), 10**9, MOST_WORDS)


def test_every_state_of_every_block_is_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    """A state takes 30 to 50 microseconds with its token and branches, and a step at most a tenth of one."""
    word = compile_language(long_word(60)).recogniser
    states = sum(len(stage.states) for stage in machine_of(word).stages)
    assert states > 60 * 60
    monkeypatch.setenv(STEPS_OPTION, str(1_000 * states))
    assert len(extract(word)) == 62
    monkeypatch.setenv(STEPS_OPTION, str(400 * states))
    with pytest.raises(Declined, match=STEPS_OPTION):
        extract(word)


def test_parts_share_one_allowance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STEPS_OPTION, "1000")
    monkeypatch.setenv(MEMORY_OPTION, "1000")
    spend(10**9)  # outside of a question nothing is bounded
    with one_question():
        with one_question(2):
            spend(400)
            keep(900)
        keep(900)  # what the part kept is free again
        with pytest.raises(Declined, match=STEPS_OPTION), one_question(2):
            spend(301)  # half of the 600 that are left
        spend(300)
        with pytest.raises(Declined, match=STEPS_OPTION):
            spend(1)
    monkeypatch.setenv(STEPS_OPTION, "many")
    with pytest.raises(InvalidInput, match="expected a number"), one_question():
        pass


def test_steps_of_numbers_follow_their_length() -> None:
    assert Height(50, 0, 50).steps == 1
    assert Height(64_000, 0, 64).steps < Height(64_000, 0, 64_000).steps < Height(32_000, 32_000, 64_000).steps
    assert 4 < Height(200_000, 0, 200_000).steps / Height(50_000, 0, 50_000).steps < 16


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


#: what a user types, with files below a megabyte; at the default limits
COMMANDS = {
    "recogniser, extract": ["extract", "{recogniser}"],
    "recogniser, prove": ["prove", "{recogniser}", ".*"],
    "recogniser, up to": ["prove", "{recogniser}", ".*", "--up-to", "3"],
    "many letters": ["extract", "{letters}"],
    "long numbers": ["extract", "{numbers}"],
    "long numbers, attend": ["attend", "{numbers}", "l0 l1 l0 l1"],
    "past": ["compile", "--ltl", "&".join(f"(O (a & {'Y ' * k}b))" for k in range(1, 14))],
    "future": ["compile", "--ltl", "F (a & " + "X " * 15 + "b)"],
    "nested": ["compile", "--ltl", "(" * 20 + "a" + " S b) U a)" * 10],
    "dots": ["compile", "(a|b)*a" + "." * 25],
    "intersections": ["compile", "&".join(f".*{'ab'[k % 2]}{'.' * k}{'ba'[k % 2]}.*" for k in range(1, 9))],
    "options": ["compile", "(ab?)?" * 1000],
    "alphabet": ["compile", "".join(f"'{k}'" for k in range(1200))],
    "heights": ["compile", "dyck-1-99999"],
    "pairs": ["compile", "{pairs}"],
    "permutations": ["compile", "{permutations}", "--period", "any"],
    "random automaton": ["compile", "{automaton}"],
    "a long word": ["compile", long_word(1_000)],
}


def hostile_files(folder: Path) -> dict[str, str]:
    recogniser(141, 54, [block()] * 54).save(folder / "r.jsonl")
    recogniser(20_000, 1, [block()] * 3).save(folder / "l.jsonl")
    recogniser(2, 1, [block(V={"scalar": LONG})] * 250).save(folder / "n.jsonl")
    program = gates(["v = rightmost before [" + " | ".join(["A(j)", "B(j)"] * 40_000) + "] A(j) : false"])
    (folder / "p.brasp").write_text(program)
    (folder / "s.json").write_text(json.dumps(ring(1_000).json()))
    rows = [[(q * q * 31 + 17 * k * q + k) % 700 for k in range(300)] for q in range(700)]
    letters = [f"x{k}" for k in range(300)]
    content = {"letters": letters, "next": rows, "accepting": [*range(0, 700, 2)], "start": 0}
    (folder / "a.json").write_text(json.dumps(content, separators=(",", ":")))
    names = {"recogniser": "r.jsonl", "letters": "l.jsonl", "numbers": "n.jsonl", "pairs": "p.brasp"}
    names |= {"permutations": "s.json", "automaton": "a.json"}
    assert all((folder / name).stat().st_size < MEGABYTE for name in names.values())
    return {key: str(folder / name) for key, name in names.items()}


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_hostile_files_at_the_default_limits(tmp_path: Path) -> None:
    files = hostile_files(tmp_path)
    for name, arguments in COMMANDS.items():
        command = [sys.executable, "-m", "exactformer", "language", *(text.format(**files) for text in arguments)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, preexec_fn=limited, env=environment, timeout=3000
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"{name}: {seconds:.1f} s CPU, exit {done.returncode}: {done.stdout[:80]}{done.stderr[:200]}")
        assert done.returncode in (0, 1, 4), name
        assert "Traceback" not in done.stderr + done.stdout, name
        assert "out of memory" not in done.stderr, name
        assert seconds < 60, name
