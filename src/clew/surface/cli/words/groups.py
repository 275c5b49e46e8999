"""Help pages: commands grouped by purpose, and the options of every command listed once."""

import re

import click

from clew.surface.cli.lines import folded
from clew.surface.cli.table import COMMON

# A command in no group is listed under "More".
GROUPS = (
    ("Find", ("search", "rank", "similar", "recent", "tags", "read", "open", "watch")),
    ("Concepts", ("concept", "concepts", "path", "communities", "graph", "map")),
    ("Links", ("links", "backlinks", "unresolved", "orphans")),
    ("Code", ("code",)),
    (
        "For agents",
        ("context", "assemble", "trace", "expand", "verify", "session", "mcp"),
    ),
    ("Daemon", ("start", "stop", "serve", "status", "sync", "service", "logs", "where")),
    ("Trouble", ("doctor", "why")),
)
_TOLD_ONCE = "clew --help tells the options of every command: {}."
_ABOUT_COMMON = "Options of every request, before or after the command"
_COMMON_FLAGS = frozenset(option.flags for option in COMMON)


class FoldedHelp(click.HelpFormatter):
    """A formatter whose lines fit the width; click wraps neither choices nor titles."""

    def getvalue(self) -> str:
        """Return the text written so far, folded to the width."""
        lines = super().getvalue().split("\n")
        return "\n".join(part for line in lines for part in folded(line, self.width))


# A short option directly followed by a value that is not a number: "-tide", but not "-n5".
_GLUED = re.compile(r"-[A-Za-z][^\d=\W]\S*")


class GroupedHelp(click.Group):
    """The group of all commands, whose help lists them by purpose."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, the options of every request, and the commands."""
        super().format_options(ctx, formatter)
        with formatter.section(_ABOUT_COMMON):
            formatter.write_dl([(", ".join(option.flags), option.help) for option in COMMON])

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a section for each group of commands."""
        grouped = {name for _, names in GROUPS for name in names}
        others = [name for name in self.list_commands(ctx) if name not in grouped]
        for title, names in (*GROUPS, ("More", tuple(others))):
            rows = [
                (name, self.commands[name].get_short_help_str(limit=200))
                for name in names
                if name in self.commands
            ]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class ShortHelp(click.Command):
    """A command whose help describes its own options, and only names those of every command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; in a search ``-tide`` is not read as the option ``-t ide``.

        Raises:
            click.NoSuchOption: such a word must be quoted with the query that excludes it.
        """
        for arg in args if ctx.info_name == "search" else ():
            if arg == "--":
                break
            if _GLUED.fullmatch(arg):
                raise click.NoSuchOption(arg, ctx=ctx)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the command's own options."""
        rows = [
            row
            for parameter in self.get_params(ctx)
            if isinstance(parameter, click.Option)
            and not _is_common(parameter)
            and (row := parameter.get_help_record(ctx))
        ]
        with formatter.section("Options"):
            formatter.write_dl(rows)
        formatter.write_paragraph()
        names = ", ".join(option.flags[-1] for option in COMMON)
        formatter.write_text(_TOLD_ONCE.format(names))


def _is_common(parameter: click.Parameter) -> bool:
    return tuple(parameter.opts) in _COMMON_FLAGS
