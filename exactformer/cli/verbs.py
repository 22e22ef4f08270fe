"""Groups of verbs: `exactformer` itself, and those below it such as `exactformer sentiment`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from exactformer.cli.common import loudness_options, with_options
from exactformer.errors import ExactformerError


class Verbs(click.Group):
    """A group that knows its verbs by name and imports one only when it is used.

    `verbs` maps a verb to the module of its command and one line of help; `purposes` are the sections of the help,
    each with its verbs, where there is more than one.
    """

    def __init__(
        self,
        *args: Any,
        verbs: Mapping[str, tuple[str, str]],
        purposes: Mapping[str, Iterable[str]] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self.verbs = verbs
        self.purposes = {"Commands": verbs} if purposes is None else purposes

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.verbs)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.verbs:
            return None
        command: click.Command = import_module(f"exactformer.cli.{self.verbs[name][0]}").command
        known = any("--quiet" in parameter.opts for parameter in command.params)
        if not known and not isinstance(command, click.Group):
            command.params += loudness_options()
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the verb; what the library says of parameters is said of the verb's options."""
        try:
            return super().invoke(ctx)
        except ExactformerError as problem:
            verb = self.get_command(ctx, ctx.invoked_subcommand or "")
            if verb is not None:
                problem.args = (with_options(str(problem), click.Context(verb)), *problem.args[1:])
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for purpose, names in self.purposes.items():
            with formatter.section(purpose):
                formatter.write_dl([(name, self.verbs[name][1]) for name in names])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in self.verbs and not name.startswith("-"):
            near = get_close_matches(name, self.verbs, n=2, cutoff=0.5)
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            ctx.fail(f"No such command {name!r}.{hint} '{ctx.command_path} --help' lists them.")
        return super().resolve_command(ctx, args)
