"""All words up to a length, by shared prefixes, by letter counts, or one by one: which is chosen by exact conditions.

Work is cut into parts that depend on the alphabet and the length only, so that it can be shared among processes, kept
in a file and gone on with; the answer is the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from math import comb
from pathlib import Path
from typing import Literal

from exactformer.arithmetic.number import exactly
from exactformer.errors import Declined, Malformed
from exactformer.io.canonical import canonical
from exactformer.io.json_lines import JsonObject, PathLike, read_bytes, strict_json, write_atomically
from exactformer.languages.automaton import Automaton
from exactformer.languages.recogniser import Recogniser, WordVerdict
from exactformer.languages.recogniser_files import recogniser_line
from exactformer.languages.word_verdicts import PrefixWalk, WordVerdicts, reads_length
from exactformer.model.head_files import heads_block_line
from exactformer.model.matrix import dot
from exactformer.parallel import ALONE, Workers

#: how the words are gone through
Plan = Literal["prefixes", "counts", "words"]
#: a word as the indices of its letters
LetterIndices = tuple[int, ...]

#: the most words, or classes of words, that are tried
MOST_WORDS = 1_000_000
#: the steps of a word that counts once
ORDINARY = 1_000
#: into about so many parts the words are cut
PARTS = 256


@dataclass(frozen=True)
class WordPart:
    """The words with this prefix that are longer than `longer_than` and have at most `most` letters."""

    prefix: LetterIndices
    longer_than: int
    most: int

    @property
    def name(self) -> str:
        """What tells it from the other parts of the same work."""
        return f"{','.join(map(str, self.prefix))}>{self.longer_than}"


@dataclass(frozen=True)
class Tried:
    """How many words (of plan counts: classes of words) were tried, and the first counterexample."""

    words: int
    counterexample: LetterIndices | None = None


def plan_of(recogniser: Recogniser, target: Automaton) -> Plan:
    """prefixes where only the past is read; counts where only the numbers of letters matter; else words.

    >>> everything = Automaton(("a", "b"), ((0, 0),), frozenset({0}))
    >>> plan_of(Recogniser("ab", [[1], [-1]], [], [1], at="first"), everything)
    'counts'
    """
    r = recogniser
    heads = [head for block in r.blocks for head in block.heads]
    free = all(head.is_symmetric for head in heads) and (not r.features or letters_vanish(r))
    if free and target.is_commutative:
        return "counts"
    past = all(head.mask in ("before", "upto") for head in heads)
    if past and r.at == "last" and r.end is None and not any(reads_length(r)):
        return "prefixes"
    return "words"


def letters_vanish(r: Recogniser) -> bool:
    """Whether nothing after a first uniform attention reads by which letter two positions differ.

    Then words with equal numbers of letters have equal verdicts, whatever the features (all heads without a mask and
    with ties to all). The difference of two letters is carried through the blocks and must be in every kernel.
    """
    if not r.blocks or r.blocks[0].feed_forward is not None or not all(h.is_uniform for h in r.blocks[0].heads):
        return False
    accepts_mark = (r.begin if r.at == "first" else r.end) is not None
    for token in r.tokens[1:]:
        delta = [a - b for a, b in zip(token, r.tokens[0], strict=True)]
        for k, block in enumerate(r.blocks):
            ff, sa = block.feed_forward, block.self_attention
            if ff is not None:
                if any(ff.U.times(delta, ff.width, exactly)):
                    return False
                delta = [ff.eta * x for x in delta]
            if k and any(any(m.times(delta, r.dim, exactly)) for head in block.heads for m in (head.Q, head.K, head.V)):
                return False
            delta = delta if sa is None else [sa.rho * x for x in delta]
        if not accepts_mark and dot(r.accept, delta):
            return False
    return True


def words_of(plan: Plan, recogniser: Recogniser, most: int) -> int:
    """How many words, or classes of words, the plan tries at most; a large number stands for very many words."""
    k = len(recogniser.letters)
    if plan == "counts":
        return comb(most + k, k) * (1 if _accepts_a_mark(recogniser) else k)
    return most + 1 if k == 1 else (k ** (min(most, 200) + 1) - 1) // (k - 1)


@dataclass(frozen=True)
class Question:
    """A recogniser, the automaton that it is compared with, and how the words are gone through."""

    recogniser: Recogniser
    target: Automaton
    plan: Plan

    def parts(self, most: int) -> Iterator[WordPart]:
        """All words of at most so many letters: by length for counts, else short ones first and then by prefixes."""
        if self.plan == "counts":
            yield from (WordPart((), n - 1, n) for n in range(most + 1))
            return
        letters = range(len(self.recogniser.letters))
        short = 0
        while short < most and (len(letters) ** (short + 1) <= PARTS if len(letters) > 1 else short < PARTS):
            short += 1
        yield WordPart((), -1, short)
        if short < most:
            yield from (WordPart(prefix, short, most) for prefix in product(letters, repeat=short))

    def identity(self, most: int) -> str:
        """A digest of what is asked: recogniser, target, length and plan."""
        r = self.recogniser
        lines = [recogniser_line(r), *(heads_block_line(k, block) for k, block in enumerate(r.blocks))]
        asked = [list(r.letters), lines, self.target.json(), most, self.plan]
        return hashlib.sha256(json.dumps(asked, default=canonical).encode()).hexdigest()


def try_words(
    question: Question,
    most: int,
    *,
    workers: Workers = ALONE,
    store: PathLike | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> Tried:
    """The first counterexample in length-lexicographic order among all words of at most so many letters, if any."""
    identity = question.identity(most) if store is not None else ""
    done = {} if store is None else _read_store(store, identity)
    bound = min([len(t.counterexample) for t in done.values() if t.counterexample is not None], default=most)

    def jobs() -> Iterator[WordPart]:
        for part in question.parts(most):
            if part.name not in done and part.longer_than < bound:
                yield WordPart(part.prefix, part.longer_than, min(part.most, bound))

    for part, tried in workers.results(_try_part, question, jobs()):
        done[part.name] = tried
        bound = bound if tried.counterexample is None else min(bound, len(tried.counterexample))
        progress(sum(t.words for t in done.values()))
        if store is not None:
            _write_store(store, identity, done)
    found = [t.counterexample for t in done.values() if t.counterexample is not None]
    return Tried(sum(t.words for t in done.values()), min(found, key=lambda w: (len(w), w), default=None))


def _try_part(question: Question, part: WordPart) -> Tried:
    return _ways[question.plan](question, part)


def _by_prefixes(question: Question, part: WordPart) -> Tried:
    """A walk over the tree of words: what a prefix has computed serves all words that begin with it."""
    r, target, best, count = question.recogniser, question.target, None, 0
    walk, bound = PrefixWalk(WordVerdicts(r)), part.most
    said: WordVerdict = walk.said
    for letter in part.prefix:
        said = walk.push(letter)
    path, states = list(part.prefix), [_run(target, part.prefix)]
    todo: list[Iterator[int]] = []
    while True:
        if len(path) > part.longer_than:
            count += 1
            if r.is_wrong(said, states[-1] in target.accepting):
                best, bound = tuple(path), len(path) - 1  # in this order a later one is first only if it is shorter
        todo.append(iter(range(len(r.letters)) if len(path) < bound else ()))
        while todo and ((k := next(todo[-1], None)) is None or len(path) >= bound):
            todo.pop()
            if todo:
                path.pop()
                states.pop()
                walk.pop()
        if not todo or k is None:
            return Tried(count, best)
        path.append(k)
        states.append(target.next[states[-1]][k])
        said = walk.push(k)


def _by_words(question: Question, part: WordPart) -> Tried:
    """Every word by itself, shortest first."""
    verdicts, count = WordVerdicts(question.recogniser), 0
    for n in range(max(part.longer_than + 1, len(part.prefix)), part.most + 1):
        for rest in product(range(len(question.recogniser.letters)), repeat=n - len(part.prefix)):
            count += 1
            if _is_wrong(question, verdicts, word := (*part.prefix, *rest)):
                return Tried(count, word)
    return Tried(count)


def _by_counts(question: Question, part: WordPart) -> Tried:
    """One word per multiset of letters, and per letter at the accepting position where that is no mark."""
    r, verdicts, count = question.recogniser, WordVerdicts(question.recogniser), 0
    found: list[LetterIndices] = []
    for multiset in combinations_with_replacement(range(len(r.letters)), part.most):
        for word in _arrangements(multiset, r):
            count += 1
            if _is_wrong(question, verdicts, word):
                found.append(word)
    return Tried(count, min(found, default=None))


_ways: dict[Plan, Callable[[Question, WordPart], Tried]] = {
    "prefixes": _by_prefixes,
    "words": _by_words,
    "counts": _by_counts,
}


def _arrangements(multiset: LetterIndices, r: Recogniser) -> Iterator[LetterIndices]:
    """The first word with these letters, for every letter that may stand at the accepting position."""
    if _accepts_a_mark(r) or not multiset:
        yield multiset
        return
    for a in sorted(set(multiset)):
        rest = list(multiset)
        rest.remove(a)
        yield (a, *rest) if r.at == "first" else (*rest, a)


def _accepts_a_mark(r: Recogniser) -> bool:
    return (r.begin if r.at == "first" else r.end) is not None


def _run(target: Automaton, word: Sequence[int]) -> int:
    q = target.start
    for k in word:
        q = target.next[q][k]
    return q


def _is_wrong(question: Question, verdicts: WordVerdicts, word: LetterIndices) -> bool:
    member = _run(question.target, word) in question.target.accepting
    return question.recogniser.is_wrong(verdicts.of(word), member)


# ---- what is done already ----


def _read_store(path: PathLike, identity: str) -> dict[str, Tried]:
    """The parts that a file says are done; Malformed where it is about another question, or was changed."""
    if not Path(path).exists():
        return {}
    try:
        value = strict_json(read_bytes(path), str(path))
    except Malformed as reason:
        raise Malformed(f"{reason}; delete the file to try all words again, or name another file") from reason
    parts = value.get("parts") if isinstance(value, dict) else None
    if not isinstance(parts, dict) or value.get("exactformer") != "tried words":
        raise Malformed(f"{path}: expected a file of parts already judged, got something else; name another file")
    if value.get("question") != identity:
        raise Malformed(f"{path}: expected words tried for the same recogniser, language and length; name another file")
    if value.get("sha256") != _digest(identity, parts):
        raise Malformed(
            f"{path}: expected parts already judged, with their digest; they were changed, or are of a version without "
            "digests: delete the file to try them again"
        )
    return {name: Tried(words, None if word is None else tuple(word)) for name, (words, word) in parts.items()}


def _digest(identity: str, parts: JsonObject) -> str:
    return hashlib.sha256(json.dumps([identity, parts], sort_keys=True).encode()).hexdigest()


def _write_store(path: PathLike, identity: str, done: dict[str, Tried]) -> None:
    parts: JsonObject = {name: [tried.words, tried.counterexample] for name, tried in done.items()}
    content = {"exactformer": "tried words", "question": identity, "parts": parts, "sha256": _digest(identity, parts)}
    text = json.dumps(content)
    write_atomically(path, text.encode() + b"\n")


def verify_words(plan: Plan, recogniser: Recogniser, up_to: int, most: int) -> None:
    """Raises Declined where there are more words than are tried, or where each takes too long for so many."""
    remedy = "try a smaller `up_to` or a larger `most`"
    total = words_of(plan, recogniser, up_to)
    if total > most:
        shown = f"{total:,}" if total < 10**18 else "10^18 or more"
        raise Declined(f"{shown} words of at most {up_to} letters, more than {most:,}; {remedy}")
    steps = WordVerdicts(recogniser).steps(max(1, up_to)) // (max(1, up_to) if plan == "prefixes" else 1)
    long = total * -(-steps // ORDINARY)
    if long > most:
        raise Declined(f"{total:,} words that take as long as {long:,} short ones, more than {most:,}; {remedy}")
