"""Help answers at once: which modules it loads, and that importing the package loads nothing heavy."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {
    "numpy",
    "sympy",
    "mpmath",
    "cvxpy",
    "networkx",
    "matplotlib",
    "torch",
    "flint",
    "rich",
    "scipy",
    "distributed",
}


def loaded_after(code: str) -> set[str]:
    shown = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sorted(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()[-1]
    return {name.split(".")[0] for name in shown.split()}


@pytest.mark.parametrize("args", ["['--help']", "['--version']", "[]"])
def test_help_loads_nothing_heavy(args: str) -> None:
    names = loaded_after(f"from exactformer.cli.main import code; code({args})")
    assert names & HEAVY == set()
    assert "click" in names


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded_after("import exactformer; dir(exactformer)") & HEAVY == set()


def test_every_public_name_exists() -> None:
    import exactformer as ef

    for name in ef.__all__:
        assert getattr(ef, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'transfomer'"):
        ef.transfomer  # noqa: B018


def test_every_verb_exists_and_helps() -> None:
    from exactformer.cli.main import VERBS, code

    for verb in VERBS:
        assert code([verb, "--help"]) == 0


def test_the_layers_are_kept() -> None:
    from importlib.util import find_spec

    assert find_spec("importlinter"), "import-linter belongs to the test extra"
    run = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr
