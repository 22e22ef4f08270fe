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


def test_every_public_name_has_its_type() -> None:
    import ast
    from pathlib import Path

    import exactformer as ef

    stub = ast.parse(Path(ef.__file__).with_suffix(".pyi").read_text("utf-8"))
    homes = {
        name.asname: f"{node.module}.{name.name}"
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    for node in stub.body:
        if isinstance(node, ast.Assign):
            homes |= {ast.unparse(target): homes[ast.unparse(node.value)] for target in node.targets}
    wanted = {name: f"exactformer.{home}.{ef._ALIASES.get(name, name)}" for name, home in ef._HOME.items()}
    old = {name: wanted[now] for name, now in ef._OLD.items()}
    assert homes == wanted | old | {name: f"exactformer.{name}" for name in ef._ROOMS}


def test_the_words_of_the_commands_are_public_names() -> None:
    import exactformer as ef

    with pytest.warns(DeprecationWarning, match="exactformer.mean_field is now called exactformer.meanfield"):
        assert ef.meanfield is ef.mean_field
    with pytest.warns(DeprecationWarning, match="exactformer.time_delay is now called exactformer.delay"):
        assert ef.delay is ef.time_delay


@pytest.mark.parametrize("name", ["meanfield", "delay", "sentiment", "languages", "papers", "sklearn"])
def test_what_a_public_module_shows_is_public(name: str) -> None:
    import exactformer as ef

    module = getattr(ef, name)
    assert dir(module) == sorted(module.__all__)
    assert all(hasattr(module, one) for one in module.__all__)


def test_one_version_everywhere() -> None:
    import re
    from pathlib import Path

    import exactformer as ef

    root = Path(__file__).parents[2]
    found = {
        name: re.search(pattern, (root / name).read_text("utf-8"), flags=re.MULTILINE)
        for name, pattern in (
            ("pyproject.toml", r'^version = "(.+)"'),
            ("CITATION.cff", r"^version: (.+)"),
            ("CHANGELOG.md", r"^## (\d\S+)"),
        )
    }
    assert {name: match and match[1] for name, match in found.items()} == dict.fromkeys(found, ef.__version__)


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
