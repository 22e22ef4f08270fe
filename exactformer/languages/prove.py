"""Whether a recogniser recognises a language: on words of every length, or on all words up to a length."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from exactformer.display.verbs import Certified, Listed
from exactformer.errors import Declined, InvalidInput
from exactformer.io.json_lines import JsonObject, PathLike
from exactformer.languages.automaton import Automaton, spell
from exactformer.languages.bounded import MOST_WORDS, Plan, Question, plan_of, try_words, verify_words, words_of
from exactformer.languages.effort import keep, one_question, spend
from exactformer.languages.machine import MOST, Machine, machine_of, verdicts_of
from exactformer.languages.pumping import period_of, pumped_word
from exactformer.languages.recogniser import Recogniser, WordVerdict
from exactformer.parallel import ALONE, Workers

#: the most words that are tried before a question about all lengths is declined, and the longest period pumped
FIRST_WORDS, LONGEST_PERIOD = 200, 30

#: bytes of a state of the product
_PRODUCT_STATE = 400

#: a state of the machine, the verdict so far, a state of the target
ProductState = tuple[int, WordVerdict | None, int]
#: per state the one before it and the letter between them; None for a beginning
_Ways = dict[ProductState, tuple[ProductState, int] | None]


@dataclass(frozen=True)
class Recognition(Listed, Certified):
    """What was found: proved for all lengths or up to n, refuted by a word, or declined with the reason.

    `is_shortest` says that no shorter word is a counterexample; `product_states` counts the states of the proof,
    `words` the words (of plan "counts": classes of words) that were tried.
    """

    recogniser: Recogniser
    target: Automaton
    verdict: Literal["all lengths", "up to n", "refuted", "declined"]
    counterexample: tuple[str, ...] | None = None
    is_shortest: bool = False
    product_states: int | None = None
    words: int | None = None
    plan: Plan | Literal["product", "pumping"] | None = None
    up_to: int | None = None
    why: str | None = None

    @property
    def proved(self) -> bool:
        """Whether the claim holds."""
        return self.verdict in ("all lengths", "up to n")

    def json(self) -> JsonObject:
        """The answer of `exactformer language prove --json`."""
        word = None if self.counterexample is None else spell(self.counterexample)
        answer = {"verdict": self.verdict, "word": word, "product_states": self.product_states, "why": self.why}
        return {**answer, "words": self.words, "plan": self.plan}

    def __repr__(self) -> str:
        found = self.verdict if self.counterexample is None else f"refuted by {spell(self.counterexample)!r}"
        return f"Recognition({found}: {self.recogniser!r})"

    def certify(self, path: PathLike) -> Path:
        """Writes the certificate of what was found; Declined where nothing was.

        Of a proof for all lengths it holds the closed set of states, on all coordinates, which may be beyond a limit.
        Checkers try all words up to a length; where these are too many, a proof for all lengths serves.
        """
        from exactformer.languages.recognition_claim import certify_all, certify_up_to, certify_word

        if self.verdict == "declined":
            raise Declined(self.why)
        if self.counterexample is not None:
            certify_word(self.recogniser, self.target, self.counterexample, path)
        elif self.verdict == "up to n" and self._words_to_check <= MOST_WORDS:
            certify_up_to(self.recogniser, self.target, self.up_to or 0, path)
        else:
            certify_all(self.recogniser, self.target, *self._closed_states(), path)
        return Path(path)

    @property
    def _words_to_check(self) -> int:
        return words_of("words", self.recogniser, self.up_to or 0)

    def _closed_states(self) -> tuple[Machine, list[ProductState]]:
        """The machine on all coordinates and the states of its product with the target, none of them wrong."""
        try:
            machine = machine_of(self.recogniser, whole=True)
            way, wrong = _explored(machine, self.recogniser, self.target, MOST)
        except Declined as problem:
            raise Declined(f"{self._why_none()} {problem}") from problem
        if wrong is not None:
            raise Declined(f"{self._why_none()} a longer word is wrong")
        return machine, list(way)

    def _why_none(self) -> str:
        if self.verdict == "all lengths":
            return "proved, but without a certificate, which holds all coordinates, also unread ones: there"
        return (
            f"proved, but without a certificate: checkers try all words, and {self._words_to_check:,} are too many; "
            "for all lengths,"
        )

    def __bool__(self) -> bool:
        """Whether the claim is proved; Declined where nothing was decided, which is not a no."""
        if self.verdict == "declined":
            raise Declined(self.why)
        return self.proved


@dataclass(frozen=True)
class _Trial:
    """How words are tried: the most of them, by whom, and where what is done is kept."""

    most_words: int = MOST_WORDS
    workers: Workers = ALONE
    store: PathLike | None = None
    progress: Callable[[int], None] = lambda done: None


@one_question()
def prove(
    recogniser: Recogniser,
    target: Automaton,
    *,
    up_to: int | None = None,
    most: int = MOST,
    most_words: int = MOST_WORDS,
    workers: Workers = ALONE,
    store: PathLike | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> Recognition:
    """Whether the verdict on every word (of at most `up_to` letters) is the automaton's, with a counterexample if not.

    Without `up_to` the proof is by the product of the recogniser's own automaton with the target (unique ties, or ties
    whose values agree; periodic features). With it words are tried, by so many workers; `store` names a file that keeps
    what is done. Declined is an answer of its own: the verdict "declined" with the reason.

    Proof: mathematics/languages#theorem-1.

    >>> from exactformer.model.heads import Head, MultiHeadAttention, MultiHeadBlock
    >>> first = Head({"scalar": 1}, {"zero": True}, {"zero": True}, ties="first")
    >>> blocks = [MultiHeadBlock(None, MultiHeadAttention(0, [first]))]
    >>> r = Recogniser("ab", [[1], [-1]], blocks, [1], empty=False)
    >>> begins_with_a = Automaton(("a", "b"), ((1, 2), (1, 1), (2, 2)), frozenset({1}), 0)
    >>> prove(r, begins_with_a).verdict, prove(r, ~begins_with_a).counterexample
    ('all lengths', ())
    """
    target = _over_the_same_letters(target, recogniser)
    if up_to is not None:
        return _up_to(recogniser, target, up_to, most, _Trial(most_words, workers, store, progress))
    try:
        with one_question(2):  # a part of the effort is left for words that refute all the same
            machine = machine_of(recogniser, most)
            states, word = _search(machine, recogniser, target, most)
    except Declined as problem:
        return _declined(recogniser, target, str(problem))
    if word is None:
        return Recognition(recogniser, target, "all lengths", product_states=states, plan="product")
    return Recognition(recogniser, target, "refuted", word, True, states, plan="product")


@one_question()
def extract(recogniser: Recogniser, *, most: int = MOST) -> Automaton:
    """The minimal automaton of the words with a positive value; Declined where the recogniser has none in reach.

    Proof: mathematics/languages#theorem-1.

    >>> r = Recogniser("ab", [[1], [-1]], [], [1])
    >>> extract(r).next
    ((1, 0), (1, 0))
    """
    machine = machine_of(recogniser, most)
    verdicts = verdicts_of(machine, recogniser)
    number = {letter: k for k, letter in enumerate(recogniser.letters)}

    def step(
        states: frozenset[tuple[int, WordVerdict | None]], letter: str
    ) -> frozenset[tuple[int, WordVerdict | None]]:
        k = number[letter]
        branches = sum(len(machine.moves[s][k]) for s, _ in states)
        spend(10 + 4 * branches)
        return frozenset((t, _said(recogniser, out, verdicts[x])) for s, out in states for x, t in machine.moves[s][k])

    def accepts(states: frozenset[tuple[int, WordVerdict | None]]) -> bool:
        spend(10 * len(states))
        found = {v for s, out in states for v in _final_verdicts(machine, recogniser, verdicts, s, out)}
        return "accept" in found

    begin = frozenset(_beginnings(machine, recogniser, verdicts))
    return Automaton.of(recogniser.letters, begin, step, accepts).minimal()


def _over_the_same_letters(target: Automaton, recogniser: Recogniser) -> Automaton:
    if set(target.letters) != set(recogniser.letters):
        raise InvalidInput(
            f"expected a language over the letters {spell(recogniser.letters)!r} of the recogniser, "
            f"got {spell(target.letters)!r}; give both the same alphabet"
        )
    return target.ordered(recogniser.letters)


def _said(r: Recogniser, out: WordVerdict | None, now: WordVerdict) -> WordVerdict:
    """The verdict so far: that of the last token, or of the first."""
    return now if out is None or r.at == "last" else out


def _beginnings(machine: Machine, r: Recogniser, verdicts: list[WordVerdict]) -> list[tuple[int, WordVerdict | None]]:
    """The states before the first letter, after the begin mark if there is one."""
    if r.begin is None:
        return [(s, None) for s in machine.start]
    return list({(t, verdicts[x]): None for s in machine.start for x, t in machine.moves[s][0]})


def _final_verdicts(
    machine: Machine, r: Recogniser, verdicts: list[WordVerdict], s: int, out: WordVerdict | None
) -> list[WordVerdict]:
    """The verdicts on a word that ends here, where all guesses came true."""
    ends = [(s, out)]
    if r.end is not None:
        ends = [(t, _said(r, out, verdicts[x])) for x, t in machine.moves[s][len(r.letters)]]
    empty: WordVerdict = "zero" if r.empty is None else "accept" if r.empty else "reject"
    return [empty if said is None else said for t, said in ends if machine.final[t]]


def _search(machine: Machine, r: Recogniser, target: Automaton, most: int) -> tuple[int, tuple[str, ...] | None]:
    """(states met, a shortest word on which the two differ or None), by breadth-first search of the product."""
    way, wrong = _explored(machine, r, target, most)
    return len(way), None if wrong is None else _word_to(wrong, way, r)


def _explored(machine: Machine, r: Recogniser, target: Automaton, most: int) -> tuple[_Ways, ProductState | None]:
    """Every state of the product with how it is reached first, up to the first one that is final and wrong."""
    verdicts = verdicts_of(machine, r)
    found: list[ProductState] = [(s, out, target.start) for s, out in _beginnings(machine, r, verdicts)]
    way: _Ways = dict.fromkeys(found)
    for at in found:
        s, out, q = at
        spend(40 + 5 * sum(map(len, machine.moves[s])))
        keep(_PRODUCT_STATE)
        member = q in target.accepting
        if any(r.is_wrong(v, member) for v in _final_verdicts(machine, r, verdicts, s, out)):
            return way, at
        for k in range(len(r.letters)):
            for x, t in machine.moves[s][k]:
                new = t, _said(r, out, verdicts[x]), target.next[q][k]
                if new not in way:
                    way[new] = at, k
                    found.append(new)
        if len(found) > most:
            raise Declined(f"more than {most:,} states of the product: too many to prove all lengths; try `up_to` n")
    return way, None


def _word_to(at: ProductState, way: _Ways, r: Recogniser) -> tuple[str, ...]:
    letters = []
    step = way[at]
    while step is not None:
        letters.append(r.letters[step[1]])
        step = way[step[0]]
    return tuple(reversed(letters))


def _up_to(r: Recogniser, target: Automaton, up_to: int, most: int, trial: _Trial) -> Recognition:
    """All words up to a length, tried; where there are too many, the product decides if it can."""
    if up_to < 0:
        raise InvalidInput(f"expected words of at most n >= 0 letters, got {up_to}")
    try:
        with one_question(2):
            plan = plan_of(r, target)
            verify_words(plan, r, up_to, trial.most_words)
    except Declined as problem:
        return _up_to_by_product(r, target, up_to, most, str(problem))
    return _tried(r, target, up_to, plan, trial)


def _tried(r: Recogniser, target: Automaton, up_to: int, plan: Plan, trial: _Trial) -> Recognition:
    """All words up to a length, one after another."""
    tried = try_words(
        Question(r, target, plan), up_to, workers=trial.workers, store=trial.store, progress=trial.progress
    )
    if tried.counterexample is None:
        return Recognition(r, target, "up to n", words=tried.words, plan=plan, up_to=up_to)
    word = tuple(r.letters[k] for k in tried.counterexample)
    return Recognition(r, target, "refuted", word, True, words=tried.words, plan=plan, up_to=up_to)


def _up_to_by_product(r: Recogniser, target: Automaton, up_to: int, most: int, why: str) -> Recognition:
    """Too many words to try: a proof for all lengths serves, and so does a shortest counterexample that is longer."""
    try:
        states, word = _search(machine_of(r, most), r, target, most)
    except Declined as problem:
        return Recognition(r, target, "declined", why=f"{why}; and all lengths at once: {problem}", up_to=up_to)
    if word is None or len(word) > up_to:
        return Recognition(r, target, "up to n", product_states=states, plan="product", up_to=up_to)
    return Recognition(r, target, "refuted", word, True, states, plan="product", up_to=up_to)


def _declined(r: Recogniser, target: Automaton, why: str) -> Recognition:
    """Declined, unless one of the first words is a counterexample all the same, or the target counts."""
    n = 0
    while words_of("words", r, n + 1) <= FIRST_WORDS:
        n += 1
    with suppress(Declined), one_question(2):
        verify_words("words", r, n, MOST_WORDS)
        found = _tried(r, target, n, "words", _Trial())
        if found.verdict == "refuted":
            return Recognition(r, target, "refuted", found.counterexample, True, words=found.words, plan=found.plan)
    word = _pumped(r, target)
    if word is not None:
        return Recognition(r, target, "refuted", word, plan="pumping")
    return Recognition(r, target, "declined", why=why)


def _pumped(r: Recogniser, target: Automaton) -> tuple[str, ...] | None:
    """A word on which a recogniser of the class is wrong, if the target counts; None where pumping says nothing."""
    try:
        return pumped_word(r, target) if period_of(r) <= LONGEST_PERIOD else None
    except (InvalidInput, Declined):
        return None
