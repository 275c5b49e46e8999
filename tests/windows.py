"""Windows of vaults in memory: requests are assembled as the server does, without a clock."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import convert

from clew.engine.snapshot import Snapshot
from clew.query.assemble.assembled import assembled
from clew.query.assemble.contribution import Contribution
from clew.query.assemble.gathered import gather_given
from clew.query.assemble.pipelines.builtin import built_in
from clew.query.assemble.procedural import TYPES
from clew.query.assemble.replying import assemble_reply
from clew.query.assemble.window import NOTHING_REMEMBERED, Remembered
from clew.query.slices import finished
from clew.query.typed_notes import paths_of_types
from clew.text.counting import TokenParts
from clew.text.tokens import count_tokens
from clew.values.requests import Assemble as Request
from clew.values.vault import RuleFiles
from clew.values.windows.assemble_replies import Assemble, WindowItem
from clew.vault.settings.rule_files import RULES_FOLDER, parse_files
from tests.searches import setting


def window(
    snapshot: Snapshot,
    text: str,
    *,
    remembered: Remembered = NOTHING_REMEMBERED,
    extra: Sequence[Contribution] = (),
    **fields: Any,
) -> Assemble:
    """Return the window for a task; ``extra``: contributions besides the built-in pipeline's."""
    task = {"text": text, "type": fields.pop("type")} if "type" in fields else {"text": text}
    request = convert({"task": task, **fields}, Request)
    paths = finished(paths_of_types(snapshot, TYPES))
    asked = setting()
    gathered = finished(gather_given(snapshot, request, paths, remembered, asked.now_s))
    found = finished(built_in(snapshot, text, request.token_budget, gathered.held, asked))
    contributions = (*gathered.contributions, found, *extra)
    parts = TokenParts(count_tokens)
    shown = assembled(gathered, contributions, parts)
    return assemble_reply(gathered, contributions, shown, asked.degraded, parts.count)


def items(snapshot: Snapshot, text: str, **fields: Any) -> dict[str, tuple[WindowItem, ...]]:
    """Return the items of the window for a task, by section."""
    context = window(snapshot, text, format="items", **fields).context
    assert isinstance(context, dict)
    return context


def text_of(snapshot: Snapshot, text: str, **fields: Any) -> str:
    """Return the text of the window for a task."""
    shown = window(snapshot, text, **fields).text
    assert isinstance(shown, str)
    return shown


def parse_rule_files(files: Mapping[str, bytes], file_count: int) -> RuleFiles:
    """Return the rules of files given by their names in the folder."""
    paths = {f"{RULES_FOLDER}/{name}": data for name, data in files.items()}
    return parse_files(paths, {RULES_FOLDER: file_count})
