"""The small grammar of algebraic input: numbers, + - * / **, parentheses, sqrt, sin, cos, pi times a rational.

Other texts have other words (a vocabulary), such as the densities of the mean field, and the same grammar:

    sum     = product { (+|-) product }
    product = power { (*|/) power }
    power   = atom [ ** signed-rational ]          signed-rational = [-] integer | ( rational expression )
    atom    = number | name | function ( sum ) | ( sum ) | - power

User text is only ever read here; no part of it reaches a parser that executes code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from exactformer.errors import InvalidInput

MAX_LENGTH = 2000
MAX_DEPTH = 50


@dataclass(frozen=True)
class Vocabulary:
    """The functions and the names that a text may use, and what it is to be, in words."""

    functions: tuple[str, ...]
    names: tuple[str, ...]
    expected: str

    @cached_property
    def token(self) -> re.Pattern[str]:
        """A number, a word, or a sign."""
        words = "|".join(self.functions + self.names)
        return re.compile(rf"\s*(?:([0-9]+(?:\.[0-9]*)?|\.[0-9]+)|({words})\b|(\*\*|[-+*/()^]))", re.ASCII)

    @property
    def listed(self) -> str:
        """The words, as a sentence has them."""
        *first, last = self.functions + self.names
        return f"{', '.join(first)} or {last}"


ALGEBRAIC = Vocabulary(("sqrt", "sin", "cos"), ("pi",), "expected a number such as 3/2, 0.25, sqrt(2)/2 or cos(2*pi/5)")


@dataclass(frozen=True)
class Expression:
    """A node: op is number, +, -, *, /, **, or a function or a name of the vocabulary."""

    op: str
    args: tuple[Expression, ...] = ()
    value: Fraction = Fraction(0)


def parse(text: str, where: str = "", words: Vocabulary = ALGEBRAIC) -> Expression:
    """The expression tree of a text, algebraic unless it has words of its own.

    >>> parse("sqrt(2)/2").op
    '/'
    """
    return _Parser(text, where, words).parse()


class _Parser:
    def __init__(self, text: str, where: str, words: Vocabulary) -> None:
        self.text, self.where, self.depth, self.words = text, where, 0, words
        if len(text) > MAX_LENGTH:
            raise self.refuse(f"at most {MAX_LENGTH} characters")
        self.tokens = self._tokens()
        self.at = 0

    def _tokens(self) -> list[str]:
        tokens, at = [], 0
        text, pattern = self.text.rstrip(), self.words.token
        while at < len(text):
            match = pattern.match(text, at)
            if not match:
                raise self.refuse(
                    f"expected a number, + - * / **, parentheses, {self.words.listed} at character {at + 1}"
                )
            tokens.append(match[1] or match[2] or match[3])
            at = match.end()
        return ["**" if t == "^" else t for t in tokens]

    def refuse(self, expected: str) -> InvalidInput:
        place = f"{self.where}: " if self.where else ""
        shown = self.text if len(self.text) <= 60 else self.text[:40] + "..."
        return InvalidInput(f"{place}{self.words.expected}, got {shown!r} ({expected})")

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted: str = "") -> str:
        token = self.peek()
        if not token or (wanted and token != wanted):
            raise self.refuse(f"expected {wanted or 'a number'} after {' '.join(self.tokens[: self.at])!r}")
        self.at += 1
        return token

    def parse(self) -> Expression:
        tree = self.sum()
        if self.peek():
            raise self.refuse(f"expected nothing after {' '.join(self.tokens[: self.at])!r}")
        return tree

    def sum(self) -> Expression:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.refuse(f"at most {MAX_DEPTH} nested parentheses")
        tree = self.product()
        while self.peek() in ("+", "-"):
            tree = Expression(self.take(), (tree, self.product()))
        self.depth -= 1
        return tree

    def product(self) -> Expression:
        tree = self.signed()
        while self.peek() in ("*", "/"):
            tree = Expression(self.take(), (tree, self.signed()))
        return tree

    def signed(self) -> Expression:
        negative = False
        while self.peek() in ("-", "+"):
            negative ^= self.take() == "-"
        tree = self.power()
        return Expression("-", (Expression("number"), tree)) if negative else tree

    def power(self) -> Expression:
        base = self.atom()
        if self.peek() != "**":
            return base
        self.take()
        negative = self.peek() == "-" and bool(self.take())
        exponent = rational_value(self.atom())
        if exponent is None or abs(exponent) > 1000 or exponent.denominator > 100:
            raise self.refuse("a rational exponent p/q with |p/q| <= 1000, q <= 100")
        return Expression("**", (base,), -exponent if negative else exponent)

    def atom(self) -> Expression:
        token = self.take()
        if token[0].isdigit() or token[0] == ".":
            return Expression("number", (), Fraction(token if token[-1] != "." else token[:-1]))
        if token in self.words.names:
            return Expression(token)
        if token == "(":
            tree = self.sum()
            self.take(")")
            return tree
        if token in self.words.functions:
            self.take("(")
            tree = Expression(token, (self.sum(),))
            self.take(")")
            return tree
        raise self.refuse(f"a number instead of {token!r}")


def rational_value(tree: Expression) -> Fraction | None:
    """The value of an expression made of numbers and + - * / only; None otherwise (or for division by zero)."""
    if tree.op == "number":
        return tree.value
    if tree.op not in ("+", "-", "*", "/"):
        return None
    left, right = (rational_value(arg) for arg in tree.args)
    if left is None or right is None or (tree.op == "/" and not right):
        return None
    return {"+": left + right, "-": left - right, "*": left * right}.get(tree.op) if tree.op != "/" else left / right


def multiple_of_pi(tree: Expression) -> Fraction | None:
    """The rational q with tree = q*pi; None where the expression is not such a multiple."""
    value = rational_value(tree)
    if tree.op == "pi":
        return Fraction(1)
    if value is not None:
        return Fraction(0) if value == 0 else None
    if tree.op in ("+", "-"):
        parts = [multiple_of_pi(arg) for arg in tree.args]
        if parts[0] is None or parts[1] is None:
            return None
        return parts[0] + parts[1] if tree.op == "+" else parts[0] - parts[1]
    if tree.op in ("*", "/"):
        return _scaled_pi(tree)
    return None


def _scaled_pi(tree: Expression) -> Fraction | None:
    left, right = tree.args
    pi_left, pi_right = multiple_of_pi(left), multiple_of_pi(right)
    number_left, number_right = rational_value(left), rational_value(right)
    if pi_left is not None and number_right is not None and (tree.op == "*" or number_right):
        return pi_left * number_right if tree.op == "*" else pi_left / number_right
    if tree.op == "*" and number_left is not None and pi_right is not None:
        return number_left * pi_right
    return None
