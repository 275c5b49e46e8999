"""Running a parsed command: send the request, print the reply, return the exit status."""

from __future__ import annotations

import os

from clew.surface.cli.lists.options import CLIENT_FIELDS, LIST_FIELDS, Unusable, is_json
from clew.surface.cli.note_names import NotText, resolve_note_names, sendable, vault_at
from clew.surface.cli.output import (
    columns,
    complain,
    discard_output,
    has_colour,
    print_document,
    print_json,
    print_json_file,
    print_lines,
)
from clew.surface.cli.table import FINDING, Command
from clew.surface.client import NoDaemon, Refused, call, exchange
from clew.surface.json_text import decoded, encoded
from clew.surface.paths import config_flag, socket_path, state_folder
from clew.surface.vaults import NoVault, check_folder, find_vault

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of the whole command
    from collections.abc import Callable, Iterable
    from typing import Any

    from clew.surface.cli.lists.printing import Format
    from clew.surface.cli.output import Line
    from clew.surface.record import Record

DONE, REFUSED, USAGE, NO_DAEMON, INTERRUPTED = 0, 1, 2, 3, 130
_TEXTS = ("context", "read")  # commands that print text, in which nothing is a link
_READING = ("expand", "verify")  # commands whose argument is a file with a text
NO_NOTES = "there are no notes (*.md, *.markdown) in {}"
PIPED = "give the name of a file, or the text on stdin: echo TEXT | clew {}"
VERIFIED_BYTES_MAX = 2 * 1024 * 1024


def run(command: Command, fields: dict[str, Any]) -> int:
    """Send the request of a command and print the reply; return the exit status."""
    if command.name == "search" and not fields.get("query") and not _has_filter(fields):
        complain("give words to look for, or a filter such as --tag or --since")
        return USAGE
    try:
        params = params_of(fields)
        if command.name in _READING:
            params["text"] = _text_of(params.get("text", "-"))
        form = None if LIST_FIELDS.isdisjoint(fields) else _requested_format(command, fields)
    except (NotText, Unusable) as error:
        complain(str(error))
        return USAGE
    except OSError as error:
        file = fields.get("text", "-")
        name = "stdin" if file == "-" else file
        complain(f"cannot read {name}: {error.strerror}", PIPED.format(command.name))
        return USAGE

    def ask(path: str) -> int:
        resolve_note_names(path, fields, params)
        if is_json(fields):
            return _print_reply(path, command.name, params)
        try:
            result = call(path, command.name, params)
        except Refused as error:
            _explain(error, command, fields)
            return _status_of(error)
        _print_first_remarks(result)
        if form is None:
            _print_for_people(path, command.name, params, result)
            status = _status(result)
        else:
            status = _print_rows(path, form, result)
        _print_remarks(path, command.name, params, result, for_program=form is not None)
        return status

    return guarded(ask, fields)


def _has_filter(fields: dict[str, Any]) -> bool:
    return any(name.startswith("filters.") for name in fields)


def _requested_format(command: Command, fields: dict[str, Any]) -> Format | None:
    from clew.surface.cli.lists.printing import requested_format  # noqa: PLC0415 - only with its options

    return requested_format(command.name, fields)


def _print_rows(path: str, form: Format, result: dict[str, Any]) -> int:
    """Print the rows of a reply for another program; return the exit status."""
    from clew.surface.cli.lists.printing import print_rows  # noqa: PLC0415 - only with its options

    return _status(result) if print_rows(form, result, vault_at(path)) else REFUSED


def _text_of(file: str) -> str:
    """Return the text of a file, or of standard input for ``-``; wrong bytes are replaced.

    Raises:
        OSError: it cannot be read.
    """
    # The limit exceeds that of a request, so the daemon still refuses a text that is too long.
    with open(0 if file == "-" else file, "rb", closefd=file != "-") as opened:
        return opened.read(VERIFIED_BYTES_MAX).decode("utf-8", "replace")


def _status(result: dict[str, Any]) -> int:
    """Return the exit status for a reply: ``REFUSED`` if a cited text has changed."""
    rows = result.get("citations", ())
    stands = all(row["state"] == "stands" for row in rows) and not result.get("unchecked")
    return DONE if stands else REFUSED


def _status_of(error: Refused) -> int:
    """Return the exit status for an error: ``USAGE`` for a wrong value, else ``REFUSED``."""
    return USAGE if error.code == "invalidParams" else REFUSED


def _explain(
    error: Refused, command: Command | None = None, fields: dict[str, Any] | None = None
) -> None:
    """Print an error of the daemon, with the notes that an ambiguous name may mean.

    The message names options and arguments instead of the fields of the request.
    """
    from clew.surface.cli.lines import path_of  # noqa: PLC0415 - errors are rare
    from clew.surface.cli.words.refusals import user_hint, user_message  # noqa: PLC0415

    message = user_message(error, command, fields or {}) if command else str(error)
    candidates = (f"  {path_of(uri)}" for uri in error.candidates)
    complain(message, user_hint(error.hint), *candidates)


def params_of(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a request; a field ``a.b`` becomes ``b`` within ``a``.

    Raises:
        NotText: a word cannot be encoded.
    """
    # A user who can run commands can read private notes too, so the daemon's config decides.
    params: dict[str, Any] = {"includePrivate": "ifAllowed"}
    if _has_filter(fields):
        params["query"] = ""  # filters alone list notes
    for name, value in fields.items():
        if name in CLIENT_FIELDS:
            continue
        outer, _, inner = name.partition(".")
        if inner:
            params.setdefault(outer, {})[inner] = sendable(name, value)
        else:
            params[outer] = sendable(name, value)
    return params


def guarded(ask: Callable[[str], int], fields: dict[str, Any]) -> int:
    """Call ``ask`` with the daemon's socket; print its errors; return the exit status."""
    try:
        return _ask_daemon(ask, fields)
    except NoVault as error:
        complain(str(error), *error.hints)
        return USAGE
    except (NotText, Unusable) as error:
        complain(str(error))
        return USAGE
    except NoDaemon as error:
        complain(str(error), _advice(fields))
        return NO_DAEMON
    except Refused as error:
        _explain(error)
        return _status_of(error)
    except BrokenPipeError:
        # The reader of stdout has closed the pipe, so nothing more is printed.
        discard_output()
    except OSError as error:  # the disk is full, or there is no stdout
        complain(f"the answer cannot be written: {error.strerror or error}")
        return REFUSED
    return DONE


def _ask_daemon(ask: Callable[[str], int], fields: dict[str, Any]) -> int:
    """Call ``ask`` with the named or computed socket; if none answers, with the recorded one.

    Start a daemon if none runs and ``[server] autostart`` is set.
    """
    if fields.get("socket"):
        return ask(fields["socket"])
    vault = find_vault(fields.get("vault"))
    path = socket_path(vault)
    try:
        return ask(path)
    except NoDaemon:
        record = _record_of(vault)
        if record is None and config_flag("server", "autostart"):
            check_folder(vault)
            _start(vault)
        elif record is None or record.socket == path:
            raise
    return ask(path if record is None else record.socket)


def _start(vault: str) -> None:
    """Start a daemon in the background, and give it a moment for its first index.

    Raises:
        NoDaemon: the daemon does not start.
    """
    from clew.surface.cli.daemon.launching import Launch, NotStarted, launch  # noqa: PLC0415
    from clew.surface.cli.daemon.progress import MOMENT_S, wait_until_ready  # noqa: PLC0415

    daemon = Launch(vault)
    try:
        launch(daemon)
    except NotStarted as error:
        raise NoDaemon("\n".join((str(error), *error.details))) from error
    complain(f"started a daemon for {vault}")
    wait_until_ready(daemon.socket, MOMENT_S)


def _record_of(vault: str) -> Record | None:
    """Return the record of a daemon that serves the vault with its default state folder."""
    from clew.surface.record import live_record  # noqa: PLC0415 - only where no daemon answers

    return live_record(state_folder(vault))


def _advice(fields: dict[str, Any]) -> str:
    """Return what the user can do if no daemon answers."""
    from clew.surface.record import UNREACHABLE  # noqa: PLC0415 - only where no daemon answers

    try:
        vault = find_vault(fields.get("vault"))
    except NoVault:
        return f"start one with: {_command('start', fields)}"
    record = _record_of(vault)
    if record is None:
        is_there = fields.get("socket") or os.path.isdir(vault)
        mount = "" if is_there else f"there is no folder {vault}; mount its disk, and then "
        return f"{mount}start one with: {_command('start', fields)}"
    what = f"a daemon (process {record.pid}) serves this vault"
    named = fields.get("socket")
    if named and os.path.abspath(named) != record.socket:
        return f"{what} at {record.socket}"
    return f"{what}: {UNREACHABLE.format(stop=_command('stop', fields))}"


def _print_reply(path: str, method: str, params: dict[str, Any]) -> int:
    """Print the reply's result, or its error, as the daemon sent it."""
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    line = exchange(path, encoded(request))
    head = b'{"jsonrpc":"2.0","id":1,"result":'
    refused = not line.startswith(head)
    body = line[line.index(b'"error":') + 8 : -2] if refused else line[len(head) : -2]
    print_json(body)
    if refused:
        return _status_of(Refused(decoded(body)))
    return _status(decoded(body)) if method == "verify" else DONE


def _print_for_people(
    path: str, method: str, params: dict[str, Any], result: dict[str, Any]
) -> None:
    if "text" in result:
        print_document(result["text"])
    elif "dump" in result:
        print_json_file(result["dump"])
    elif method in FINDING:
        from clew.surface.cli.render_search import render_search_reply  # noqa: PLC0415 - not for --json

        _print_lines(
            path,
            method,
            render_search_reply(method, params, result, columns(), marks=has_colour()),
            result,
        )
    elif method.startswith("session."):
        from clew.surface.cli.memory.rendering import render_session  # noqa: PLC0415 - not for --json

        _print_lines(path, method, render_session(method, result, columns()), result)
    else:
        from clew.surface.cli.render import render  # noqa: PLC0415 - not needed for --json

        _print_lines(path, method, render(method, result, columns()), result)


def _print_lines(path: str, method: str, lines: Iterable[Line], result: dict[str, Any]) -> None:
    """Print the lines of a reply, with links to its notes on a terminal that has them."""
    colour = has_colour()
    if colour and method not in _TEXTS:
        from clew.surface.cli.shell.links import has_links, linked  # noqa: PLC0415 - on terminals

        if has_links(os.environ):
            lines = linked(lines, result, vault_at(path))
    print_lines(lines, colour=colour)


def _print_first_remarks(result: dict[str, Any]) -> None:
    period = result.get("period")
    is_of_none = result.get("emptyFilter") or (period and not period["matching"])
    if not (is_of_none and result.get("results")):
        return
    from clew.surface.cli.render_search import first_remarks  # noqa: PLC0415 - few answers have any

    complain(*first_remarks(result))


def _print_remarks(
    path: str,
    method: str,
    params: dict[str, Any],
    result: dict[str, Any],
    *,
    for_program: bool,
) -> None:
    from clew.surface.cli.remarks import (  # noqa: PLC0415 - not for --json
        citation_remarks,
        listing_remarks,
        name_only_remarks,
        unknown_remark,
    )

    if method in FINDING:
        from clew.surface.cli.render_search import remarks_on  # noqa: PLC0415 - not for --json

        remarks = remarks_on(method, params, result)
    else:
        remarks = listing_remarks(method, params, result, for_program=for_program)
    if method == "links" and not result["total"]:
        note = {"uri": result["uri"], "includePrivate": "ifAllowed"}
        remarks = name_only_remarks(call(path, "why", note)) or remarks
    unknown = unknown_remark(method, params, result, lambda name: _count_phrase(path, name))
    if (remarks or unknown) and not _has_rows(result) and (vault := _empty_vault(path)):
        complain(NO_NOTES.format(vault))
        return
    for remark in remarks:
        complain(remark)
    if unknown:
        complain(*unknown)
    for remark in citation_remarks(result):
        complain(remark)
    progress = result.get("indexing")
    if progress and method != "status":
        complain(f"the first index has {progress['done']} of {progress['total']} notes so far")


def _count_phrase(path: str, name: str) -> int:
    """Return how many notes have a name as a phrase; 0 for a name without words."""
    phrase = name.replace('"', " ")
    params = {"query": f'"{phrase}"', "limit": 1, "includePrivate": "ifAllowed"}
    try:
        return int(call(path, "search", params)["total"])
    except Refused:
        return 0


def _has_rows(result: dict[str, Any]) -> bool:
    return any(isinstance(value, list) and value for value in result.values())


def _empty_vault(path: str) -> str:
    """Return the folder that the daemon serves if there is no note in it, else ""."""
    status = call(path, "status", {})
    return "" if status["notes"] or status["indexing"] else str(status["vault"])


def _command(name: str, fields: dict[str, Any]) -> str:
    from clew.text.unicode import shell_word  # noqa: PLC0415 - only where no daemon answers

    given = {option: fields.get(option) for option in ("vault", "socket")}
    options = [f"--{option} {shell_word(value)}" for option, value in given.items() if value]
    return " ".join(["clew", name, *options])
