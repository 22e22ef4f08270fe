"""Words along shared prefixes, where a recogniser reads the past only (FORMAT.md, section 17, scope `upto`)."""

from ..core.budget import Budget
from ..core.certificate import Certificate
from ..core.points import Point, over_one_denominator
from ..core.verdict import holds
from .automata import Automaton
from .heads import after_attention, found_at, visible
from .recognisers import Feature, Head, Recogniser


def reads_the_past(recogniser: Recogniser) -> bool:
    """Whether what a prefix has computed is what every word that begins with it computes there."""
    heads = [head for block in recogniser.blocks for head in block.heads]
    past = all(head.kind == "past" for head in heads) and not any(map(reads_length, recogniser.features))
    return past and recogniser.at == "last" and recogniser.end is None


def reads_length(feature: Feature) -> bool:
    """Whether N occurs in a feature."""
    return feature.ratio is not None and any(b for polynomial in feature.ratio for _, _, b in polynomial)


class Prefix:
    """A word that grows and shrinks at its end: per block and head the keys and the values of its positions."""

    def __init__(self, recogniser: Recogniser, budget: Budget) -> None:
        self.recogniser, self.budget, self.length = recogniser, budget, 0
        self.columns: list[list[tuple[list[Point], list[Point]]]] = [
            [([], []) for _ in block.heads] for block in recogniser.blocks
        ]

    def push(self, x: Point) -> str:
        """The verdict on the word with one more token."""
        r, budget = self.recogniser, self.budget
        token = r.token(x, self.length, self.length + 1, budget)
        for block, columns in zip(r.blocks, self.columns):
            y = token if block.feed_forward is None else block.feed_forward(token, budget)
            found = [self.found(head, y, *column) for head, column in zip(block.heads, columns)]
            token = after_attention(block, y, found, budget)
        self.length += 1
        return r.sign(token, budget)

    def found(self, head: Head, y: Point, keys: list[Point], values: list[Point]) -> Point | None:
        """What a head finds at the new position, whose key and value are added."""
        keys.append(head.K.times(y, self.budget))
        values.append(head.V.times(y, self.budget))
        seen = visible(head.mask, self.length, self.length + 1)
        whole, _ = over_one_denominator(keys, self.budget)
        return found_at(head.Q.times(y, self.budget), whole, values, seen, head.ties, self.budget)

    def pop(self) -> None:
        """Takes the last token away."""
        self.length -= 1
        for columns in self.columns:
            for keys, values in columns:
                keys.pop()
                values.pop()


def verify_along_prefixes(file: Certificate, automaton: Automaton, recogniser: Recogniser) -> None:
    """The verdict on every word up to the length is the automaton's, in the order of a dictionary."""
    r, most, last = recogniser, file.header["length"], file.header["letters"] - 1
    prefix, word, states = Prefix(r, file.budget), list[int](), [automaton.start]
    out = None if r.begin is None else prefix.push(r.begin)
    while True:
        right = r.is_right(out, states[-1] in automaton.accepting)
        holds(right, f"the verdict on the word {word} is not the automaton's")
        step = 0
        if len(word) == most:
            while word and word[-1] == last:
                shorten(prefix, word, states)
            if not word:
                return
            step = shorten(prefix, word, states) + 1
        word.append(step)
        states.append(automaton.next[states[-1]][step])
        out = prefix.push(r.tokens[step])


def shorten(prefix: Prefix, word: list[int], states: list[int]) -> int:
    """The last letter, which is taken away."""
    prefix.pop()
    states.pop()
    return word.pop()
