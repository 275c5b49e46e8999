"""``clew rules``: check the vault's rules, and print their JSON Schema."""

import json
import sys

import click

from clew.surface.cli.daemon.options import socket_option, vault_option
from clew.surface.cli.lines import counted, path_of
from clew.surface.cli.output import complain, print_document, print_line
from clew.surface.cli.run import DONE, REFUSED, guarded, params_of
from clew.surface.client import call


@click.group()
def rules() -> None:
    """Check the rules of the vault, .clew/rules/*.json, or print their schema."""


@rules.command()
@vault_option
@socket_option
def check(*, vault: str | None, socket_: str | None) -> None:
    """List mistakes in rules and pipelines as path:line: message; exit with 1 if there are any.

    Example: clew rules check
    """

    def ask(path: str) -> int:
        fields = {"task": {"text": ""}, "waitFresh": True}
        reply = call(path, "evaluateRules", params_of(fields))
        for problem in reply["problems"]:
            at = f":{problem['line']}" if problem["line"] else ""
            print_line(f"{path_of(problem['uri'])}{at}: {problem['message']}")
        mistakes = counted(len(reply["problems"]), "mistake")
        complain(f"{counted(reply['rules'], 'rule')} in use, {mistakes}")
        return REFUSED if reply["problems"] else DONE

    sys.exit(guarded(ask, {"vault": vault, "socket": socket_}))


@rules.command()
@click.option("--pipelines", is_flag=True, help="The schema of a file of pipelines.")
def schema(*, pipelines: bool) -> None:
    """Print the JSON Schema of a file of rules, or of pipelines, for an editor.

    Example: clew rules schema > rules.schema.json
    """
    from clew.vault.settings.pipeline_schema import pipeline_schema  # noqa: PLC0415 - takes 30 ms to import
    from clew.vault.settings.rule_schema import rule_schema  # noqa: PLC0415

    print_document(json.dumps(pipeline_schema() if pipelines else rule_schema(), indent=2) + "\n")
