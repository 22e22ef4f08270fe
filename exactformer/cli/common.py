"""What the verbs share: options, files that are read and written, remarks on stderr, progress on a terminal."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from exactformer.display.plain_text import visible
from exactformer.errors import InvalidInput
from exactformer.io.untyped import OptionValue

if TYPE_CHECKING:
    from exactformer.model.network import Network

json_option = click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON on stdout.")
Command = TypeVar("Command", bound=Callable[..., object])
#: what click hands over, by the names of the options
Options = dict[str, OptionValue]


def worker_options(command: Command) -> Command:
    """--workers and --scheduler: who does the work; the answer is the same."""
    most = click.IntRange(1, 64)
    command = click.option("--scheduler", metavar="tcp://..", help="A dask scheduler in place of local workers.")(
        command
    )
    return click.option("--workers", type=most, default=1, show_default=True, help="Worker processes.")(command)


QUIET = "exactformer.quiet"
INPUTS, OUTPUTS = "exactformer.inputs", "exactformer.outputs"


class Interrupted(KeyboardInterrupt):
    """Ctrl-C. Once KeyboardInterrupt itself has left an exec(), as imports have them, `python -m` ends by the signal,
    whatever code it is told to exit with; of a subclass it takes no notice."""


def interrupt(*_: object) -> None:
    """A handler of signals that ends the command in good order."""
    raise Interrupted


class InputPath(click.Path):
    """A file to read, which no option of the same command may overwrite."""

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> Path:
        if value == "-":  # the standard input
            return Path(value)
        return note_input(Path(os.fsdecode(super().convert(value, param, ctx))))


class OutputPath(click.Path):
    """A file to write: that its folder is writable and that it is no input is verified before any work is done."""

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        folder = os.path.dirname(os.path.realpath(path))
        if not os.path.isdir(folder) or not os.access(folder, os.W_OK):
            raise InvalidInput(
                f"cannot write {path}: {folder} is no folder that is there and writable; choose another place"
            )
        return note_output(path)


input_path = InputPath(path_type=Path, dir_okay=False)
#: a network file, or a folder with weights, of which `given_network` says what to do with it
network_path = InputPath(path_type=Path)
output_path = OutputPath(path_type=Path, dir_okay=False)


def note_input(path: Path) -> Path:
    """The path, remembered as one that this command reads."""
    return _note(path, INPUTS, (OUTPUTS,))


def note_output(path: Path) -> Path:
    """The path, remembered as one that this command writes."""
    return _note(path, OUTPUTS, (INPUTS, OUTPUTS))


def _note(path: Path, kind: str, others: tuple[str, ...]) -> Path:
    """Remembers a file; wrong usage if it would be overwritten while it is another file of the command."""
    ctx = click.get_current_context(silent=True)
    if ctx is None:
        return path
    for other in (other for name in others for other in ctx.meta.get(name, ())):
        if _same_file(path, other):
            raise click.UsageError(
                f"{path} and {other} are the same file, which would be overwritten; choose another name for the output"
            )
    ctx.meta.setdefault(kind, []).append(path)
    return path


def _same_file(path: Path, other: Path) -> bool:
    """Whether both paths lead to one regular file, through links of either kind, there already or still to be made."""
    if os.path.exists(path) and os.path.exists(other):
        return os.path.isfile(path) and os.path.samefile(path, other)
    return os.path.realpath(path) == os.path.realpath(other)


def make_folder(path: Path, *written: str) -> None:
    """Makes a folder for what a command writes, with those above it; `written` are patterns of the names there.

    That none of these files is one that the command reads, through links neither, is verified before any work is done.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InvalidInput(f"cannot make the folder {path}: {problem.strerror}; choose another with -o") from problem
    for pattern in written:
        for file in sorted(path.glob(pattern)):
            note_output(file)


def given_network(path: Path) -> Network:
    """The network of a network file, of whose weights no output takes the place; wrong usage for weights of others."""
    from exactformer.model.network_files import read_network_file, weights_beside
    from exactformer.model.network_import import ENDINGS

    if path.is_dir() or path.suffix.lower() in ENDINGS:
        raise click.UsageError(
            f"{path}: expected a network file; weights of others become one with exactformer import {path} -o NETWORK"
        )
    network = read_network_file(path)
    note_input(weights_beside(path))
    return network


def echo(text: str, *, err: bool = False) -> None:
    """A text for a person, as it is: no control character of a file reaches the terminal."""
    click.echo(visible(with_options(text), keep="\n\t"), err=err)


def with_options(text: str, ctx: click.Context | None = None) -> str:
    """The text with `bits` as --bits wherever the running command has such an option: the library names parameters."""
    ctx = ctx or click.get_current_context(silent=True)
    if ctx is None:
        return text
    options = [max(p.opts, key=len) for p in ctx.command.params if isinstance(p, click.Option)]
    spelled = {option.lstrip("-").replace("-", "_"): option for option in options}
    return re.sub(r"`(\w+)`", lambda name: spelled.get(name[1], name[0]), text)


def say(message: str, *, quiet: bool = False) -> None:
    """A remark on stderr, unless the command was called with --quiet; what belongs to the answer goes to `echo`."""
    if not quiet and not _is_quiet():
        echo(message, err=True)


def _is_quiet() -> bool:
    ctx = click.get_current_context(silent=True)
    return ctx is not None and bool(ctx.meta.get(QUIET))


def shows_progress() -> bool:
    """Whether a bar may be drawn: on a terminal, and not with --quiet."""
    return sys.stderr.isatty() and not _is_quiet()


def loudness_options() -> list[click.Option]:
    """--quiet and --verbose, which every verb has."""
    return [
        click.Option(
            ["-q", "--quiet"], is_flag=True, expose_value=False, callback=_be_quiet, help="No remarks, only the answer."
        ),
        click.Option(
            ["-v", "--verbose"],
            is_flag=True,
            expose_value=False,
            callback=_be_verbose,
            help="Also say how long it took.",
        ),
    ]


def _be_quiet(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    ctx.meta[QUIET] = value


def _be_verbose(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        start = time.perf_counter()
        ctx.call_on_close(lambda: click.echo(f"{time.perf_counter() - start:.2f} s", err=True))


@contextmanager
def progress(description: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """A progress bar on stderr if that is a terminal; yields a function that takes the work done so far."""
    if not shows_progress():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    parts = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed}/{task.total}"))
    with Progress(
        *parts, TimeElapsedColumn(), TimeRemainingColumn(), console=Console(stderr=True), transient=True
    ) as bar:
        task = bar.add_task(description, total=total)
        yield lambda done: bar.update(task, completed=done)


def read_matrix(text: str | None) -> OptionValue:
    """The matrix of a --A option: JSON rows such as [[2,1],[1,1]], or the path of a JSON file with them."""
    if text is None:
        return None
    from exactformer.io.json_lines import read_bytes, strict_json

    inline = text.lstrip().startswith("[")
    if not inline and not os.path.isfile(text):
        raise InvalidInput(f"--A: expected rows such as [[2,1],[1,1]] or a file with them, got {text!r:.60}")
    content = text if inline else read_bytes(note_input(Path(text)))
    value = strict_json(content, "--A")
    if not isinstance(value, list):
        raise InvalidInput(f"--A: expected rows such as [[2,1],[1,1]], got {value!r:.60}")
    return value
