"""The operators: each changes what its name says, at an address that changes elsewhere leave alone."""

from __future__ import annotations

import ast

import pytest
from operators import Address, changed, module_of, numbered

SOURCE = '''
"""Words with 1 + 1."""
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import nothing
Either = int | str
LIMIT = 7


class C:
    def f(self, x: int = 3, y: "int | None" = None) -> int | None:
        """1 < 2."""
        if x < y and not self.done:
            raise ValueError(x + 1)
        for k in range(x):
            if k == y:
                break
        self.check(x, y)
        print(f"{x + 1}")
        return min(x, y) + 1

    def g(self, xs):
        while xs:
            xs = [x for x in xs if x >= 0]
            continue
        return True
'''


def texts(function: str, operator: str, source: str = SOURCE) -> list[tuple[str, str]]:
    """The changes of an operator in a function."""
    addresses = [a for a, _ in numbered(ast.parse(source), "m") if (a.function, a.operator) == (function, operator)]
    found = [changed(source, address) for address in addresses]
    return [(change.before, change.after) for change in found]


@pytest.mark.parametrize(
    ("function", "operator", "changes"),
    [
        ("C.f", "< to <=", [("x < y", "x <= y")]),
        ("C.f", "== to !=", [("k == y", "k != y")]),
        ("C.f", "and to or", [("x < y and (not self.done)", "x < y or not self.done")]),
        ("C.f", "not dropped", [("not self.done", "self.done")]),
        ("C.f", "number plus 1", [("3", "4"), ("1", "2")]),
        ("C.f", "raise dropped", [("raise ValueError(x + 1)", "pass")]),
        ("C.f", "break to continue", [("break", "continue")]),
        ("C.f", "call dropped", [("self.check(x, y)", "pass"), ("print(f'{x + 1}')", "pass")]),
        ("C.f", "arguments exchanged", [("self.check(x, y)", "self.check(y, x)")]),
        ("C.f", "min to max", [("min(x, y)", "max(x, y)")]),
        ("C.f", "+ to -", [("min(x, y) + 1", "min(x, y) - 1")]),
        ("C.f", "return None", [("return min(x, y) + 1", "return None")]),
        ("C.f", "condition to False", [("if x < y and (not self.done): ...", "if False: ..."), ("if k == y: ...", "if False: ...")]),
        ("C.g", "loop to none", [("while xs: ...", "while False: ...")]),
        ("C.g", "filter dropped", [(" for x in xs if x >= 0", " for x in xs")]),
        ("C.g", ">= to >", [("x >= 0", "x > 0")]),
        ("C.g", "continue to break", [("continue", "break")]),
        ("C.g", "True to False", [("True", "False")]),
        ("-", "number plus 1", [("7", "8")]),
    ],
)  # fmt: skip
def test_every_operator_changes_what_it_says(function: str, operator: str, changes: list[tuple[str, str]]) -> None:
    assert texts(function, operator) == changes


def test_types_and_words_are_left_alone() -> None:
    operators = {(a.function, a.operator) for a, _ in numbered(ast.parse(SOURCE), "m")}
    assert ("-", "| to &") not in operators
    assert ("C.f", "| to &") not in operators
    assert {operator for function, operator in operators if function == "-"} == {"number plus 1"}


def test_one_change_and_no_other() -> None:
    whole = ast.unparse(ast.parse(SOURCE)).splitlines()
    for address, _ in numbered(ast.parse(SOURCE), "m"):
        tree = changed(SOURCE, address).tree
        compile(tree, "m", "exec")
        new = ast.unparse(tree).splitlines()
        assert new != whole, address
        assert sum(a != b for a, b in zip(whole, new, strict=True)) == 1, address


def test_addresses_do_not_depend_on_what_stands_elsewhere() -> None:
    more = "import os\n\n\ndef h(x):\n    return x < 1 and x + 1\n" + SOURCE + "\n\ndef k(x):\n    return x < 2\n"
    more = more.replace("    def g(", "    def before_g(self):\n        return 1 < 2\n\n    def g(")
    before = {str(a) for a, _ in numbered(ast.parse(SOURCE), "m")}
    after = {str(a) for a, _ in numbered(ast.parse(more), "m")}
    assert before < after
    for text in before:
        address = Address.read(text)
        assert str(address) == text
        old, new = changed(SOURCE, address), changed(more, address)
        assert (old.before, old.after) == (new.before, new.after)


def test_an_address_that_is_not_there() -> None:
    with pytest.raises(LookupError, match=r"m:C\.f:< to <=:1: the source has no such place"):
        changed(SOURCE, Address("m", "C.f", "< to <=", 1))


@pytest.mark.parametrize(
    ("file", "module"),
    [("exactformer/geometry/hull.py", "exactformer.geometry.hull"), ("proofs_check/__init__.py", "proofs_check")],
)
def test_names_of_modules(file: str, module: str) -> None:
    assert module_of(file) == module


@pytest.mark.parametrize(
    "source",
    [
        "zip(xs, ys, strict=True)",
        "ax.plot(xs, lw=2, alpha=1)",
        "click.option('-o', '--output')",
        "budget.spend(2 * n + 3)",
        "MOST = 400",
        "MOST = 10**6",
        "class C:\n    most: int = 400",
        "def f(x=400):\n    pass",
        "def f(*, x=1 << 20):\n    pass",
        "def sum_cost(n):\n    return 3 * n",
        "dot(x, y)",
        "@dataclass(frozen=True)\nclass C:\n    pass",
    ],
)
def test_what_is_a_choice_is_left_alone(source: str) -> None:
    found = [address.operator for address, _ in numbered(ast.parse(source), "m")]
    assert found in (
        [],
        ["call dropped"],
        ["arguments exchanged", "call dropped"],
        ["call dropped", "arguments exchanged"],
    )


@pytest.mark.parametrize(
    "source",
    [
        "f(xs, strict=True)",
        "most = 400",
        "MOST = 4",
        "MOST = 2**3",
        "def f(x=4):\n    pass",
        "ledger(2 * n)",
        "x = add(y, x=1)",
    ],
)
def test_what_only_looks_like_a_choice_is_changed(source: str) -> None:
    found = [address.operator for address, _ in numbered(ast.parse(source), "m")]
    assert {"True to False", "number plus 1"} & set(found)


def _exchanges(source: str) -> bool:
    return any(a.operator == "arguments exchanged" for a, _ in numbered(ast.parse(source), "m"))


@pytest.mark.parametrize(
    "element", ["x - y", "x * 2", "f(x, y)", "x * x", "x.a * y.b", "x < y", "x == y == z", "x ** y", "x * a + y * b"]
)
def test_pairs_whose_order_shows_are_exchanged(element: str) -> None:
    assert _exchanges(f"sum({element} for x, y in zip(xs, ys))")
    assert _exchanges("sum(x * y for x, y in zip(xs, ys) if x)")
    assert _exchanges("sum(x * y for x, y, z in zip(xs, ys, zs))")


@pytest.mark.parametrize("element", ["x * y", "x + y", "x != y", "a * (x + y) * b", "x.a * y.a", "z", "x * y == 2"])
def test_pairs_whose_order_does_not_show_are_not(element: str) -> None:
    assert not _exchanges(f"t = sum({element} for x, y in zip(xs, ys))")
