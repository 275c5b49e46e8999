"""``clew assemble`` and ``clew trace``: context windows, and the decisions behind them."""

import json
import sys
from typing import Any

import click

from clew.surface.cli.daemon.options import socket_option, vault_option
from clew.surface.cli.lines import counted
from clew.surface.cli.output import complain, print_document, print_json, print_line
from clew.surface.cli.run import DONE, USAGE, guarded, params_of
from clew.surface.client import call

REQUEST_BYTES_MAX = 1024 * 1024  # as in values/wire.py, which takes long to import
TRACES_MAX = 32  # as in values/requests.py, which takes long to import

_json_option = click.option("--json", "json_", is_flag=True, help="Print the reply as JSON.")


@click.command()
@click.option(
    "--file", "file", required=True, type=click.File("rb"), help="The request as JSON; - is stdin."
)
@_json_option
@vault_option
@socket_option
def assemble(*, file: Any, json_: bool, vault: str | None, socket_: str | None) -> None:
    """Print a context window for a task: state, constraints, knowledge, history and the request.

    Example: clew assemble --file request.json
    """
    data = file.read(REQUEST_BYTES_MAX + 1)
    if len(data) > REQUEST_BYTES_MAX:
        complain(f"{file.name}: larger than 1 MiB, the most that a request may have")
        sys.exit(USAGE)
    try:
        fields = json.loads(data)
    except (ValueError, RecursionError) as error:
        complain(f"{file.name}: not JSON: {error}")
        sys.exit(USAGE)
    if not isinstance(fields, dict):
        complain(f'{file.name}: must be an object such as {{"task": {{"text": "..."}}}}')
        sys.exit(USAGE)

    def ask(path: str) -> int:
        reply = call(path, "assemble", {**params_of({}), **fields})
        if json_ or "text" not in reply:
            print_json(json.dumps(reply, ensure_ascii=False).encode())
            return DONE
        print_document(reply["text"])
        meta = reply["meta"]
        complain(f"{meta['totalTokens']:,} of {meta['tokenBudget']:,} tokens")
        return DONE

    sys.exit(guarded(ask, {"vault": vault, "socket": socket_}))


@click.command()
@click.argument("count", type=click.IntRange(1, TRACES_MAX), default=1)
@_json_option
@vault_option
@socket_option
def trace(*, count: int, json_: bool, vault: str | None, socket_: str | None) -> None:
    """Show the last windows: what was asked, what each section got, what was left out and why.

    Example: clew trace 3
    """

    def ask(path: str) -> int:
        reply = call(path, "trace", params_of({"limit": count}))
        if json_:
            print_json(json.dumps(reply, ensure_ascii=False).encode())
            return DONE
        for row in reply["assemblies"]:
            for line in _lines(row):
                print_line(line)
        if not reply["assemblies"]:
            complain("nothing was assembled since the daemon started")
        return DONE

    sys.exit(guarded(ask, {"vault": vault, "socket": socket_}))


def _lines(row: dict[str, Any]) -> list[str]:
    traced, meta = row["trace"], row["meta"]
    kind = f" ({row['taskType']})" if row["taskType"] else ""
    used = f"{meta['totalTokens']:,} of {meta['tokenBudget']:,} tokens"
    lines = [f"{row['at']}  {row['task']}{kind}", f"  {used}, {traced['tookMs']:.0f} ms"]
    for section, items in traced["itemsBySection"].items():
        if items:
            tokens = traced["tokensBySection"][section]
            lines.append(f"  {section}: {counted(items, 'item')}, {tokens:,} tokens")
    lines += [
        f"  left out of {cut['section']}: {counted(cut['items'], 'item')} ({cut['reason']})"
        for cut in traced["truncated"]
    ]
    lines += [
        f"  {source['name']}: {source['error']}" for source in traced["sources"] if source["error"]
    ]
    lines += [
        f"  rule {rule['name']} ({rule['file']}:{rule['line']}): {_action(rule['action'])}"
        for rule in traced["rules"]
    ]
    for name in ("excluded", "missing"):
        if traced[name]:
            lines.append(f"  {name}: {', '.join(traced[name])}")
    return lines


def _action(action: dict[str, Any]) -> str:
    return " ".join(str(value) for value in action.values() if value is not None)
