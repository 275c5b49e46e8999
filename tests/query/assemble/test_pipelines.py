"""Pipelines of a vault: what their files may hold, and what each step does."""

import json
from typing import Any

from jsonschema import Draft202012Validator
from msgspec.structs import replace

from clew.query.assemble.contribution import Contribution
from clew.query.assemble.pipelines.run import Given, run_pipeline
from clew.query.assemble.window import Remembered, WindowItem
from clew.query.slices import PAUSE, Slices, finished
from clew.values.packing import Unpacker, pack
from clew.values.vault import RuleFiles
from clew.vault.settings.pipeline_schema import pipeline_schema
from clew.vault.settings.rule_files import parse_files
from tests.searches import setting, vault
from tests.tables import for_each_row

NOTES = {
    "a/Clock.md": "---\ntype: decision\nimportance: 0.9\ntags: [time]\n---\nThe clock drifts in "
    "[[Winter]].\n",
    "a/Tide.md": "---\nimportance: 0.2\n---\nThe tide drifts by the [[Moon]] and the clock.\n",
    "b/Boat.md": "A boat drifts when the clock stops in [[Winter]] near the [[Moon]].\n",
    "Winter.md": "Winter is cold.\n",
}
VAULT = vault(NOTES)
SCHEMA = Draft202012Validator(pipeline_schema())
PATH = ".clew/pipelines/p.json"


def parsed(value: Any) -> RuleFiles:
    files = {PATH: json.dumps(value).encode()}
    return parse_files(files, {".clew/pipelines": 1})


def recall(query: str, most: int) -> Slices[tuple[WindowItem, ...]]:
    yield PAUSE
    return tuple(WindowItem(f"user: {query}", "session") for _ in range(most))


def run(
    *steps: dict[str, Any], task: str = "why does the clock drift", **more: Any
) -> Contribution:
    row = {"id": "p", "section": "knowledge", "steps": list(steps), **more}
    files = parsed(row)
    assert files.problems == ()
    assert SCHEMA.is_valid(row)
    remembered = Remembered((), {"plan": "buy milk"}, recall)
    given = Given(VAULT, task, more.pop("held", ()), setting(), remembered)
    return finished(run_pipeline(files.pipelines[0], given))


def titles(found: Contribution) -> list[str]:
    return [item.text.partition("\n")[0].removeprefix("### ") for item in found.items]


def test_search_takes_its_best_hits_that_pass() -> None:
    assert set(titles(run({"search": {}}))) == {"Clock", "Tide", "Boat", "Winter"}
    assert len(run({"search": {"topK": 2}}).items) == 2
    assert titles(run({"search": {"folder": "b"}})) == ["Boat"]
    assert titles(run({"search": {"tags": ["time"], "mode": "keyword"}})) == ["Clock"]
    assert titles(run({"search": {"type": "decision", "query": "keywords"}})) == ["Clock"]
    nothing = run({"search": {"folder": "none"}})
    assert (nothing.items, nothing.error) == ((), "search found nothing")


def test_the_steps_that_need_no_search() -> None:
    assert "Winter is cold" in run({"read": {"ref": "Winter"}}).items[0].text
    assert run({"kv": {"key": "plan"}}).items[0].text == "buy milk"
    recalled = run({"recall": {"limit": 1}}, task="of boats")
    assert [item.text for item in recalled.items] == ["user: of boats"]
    assert len(run({"recent": {"limit": 3}}).items) == 3
    assert "Winter" in run({"concept": {}}, task="what of Winter").items[0].text
    deeper = run({"concept": {"depth": 2}}, task="what of Winter").items[0].text
    assert deeper.startswith(run({"concept": {}}, task="what of Winter").items[0].text)


def test_steps_that_change_items() -> None:
    assert titles(run({"search": {}}, {"filter": {"minImportance": 0.8}})) == ["Clock"]
    ranked = titles(run({"search": {}}, {"rank": {"by": "importance"}}))
    assert (ranked[0], ranked[-1]) == ("Clock", "Tide")
    assert len(run({"search": {}}, {"rank": {"limit": 1}}).items) == 1
    line = run({"read": {"ref": "Winter"}}, {"format": {"template": "line"}}).items[0].text
    assert line.startswith("- Winter: `memory://Winter.md#L1-L1~")
    assert run({"search": {}}, {"format": {"maxTokens": 5}}, maxTokens=9).tokens_max == 5


def test_a_turn_in_no_note_is_a_line_without_a_reference() -> None:
    line = run({"recall": {"limit": 1}}, {"format": {"template": "line"}}, task="of boats").items[0]
    assert line.text == "- user: of boats"


def test_a_recall_leaves_out_the_last_turns_which_the_history_has() -> None:
    def both(query: str, _: int) -> Slices[tuple[WindowItem, ...]]:
        yield PAUSE
        return last, WindowItem(f"user: {query} of old", "session")

    last = WindowItem("user: boats", "session", turn="now 1")
    files = parsed({"id": "p", "section": "knowledge", "steps": [{"recall": {}}]})
    remembered = Remembered((replace(last, is_spare=True),), {}, both)
    given = Given(VAULT, "boats", (), setting(), remembered)
    found = finished(run_pipeline(files.pipelines[0], given))
    assert [item.text for item in found.items] == ["user: boats of old"]


def test_a_step_that_fails_keeps_what_others_found() -> None:
    found = run({"read": {"ref": "Winter"}}, {"search": {"since": "no date"}}, {"kv": {"key": "x"}})
    assert titles(found) == ["Winter"]
    assert found.error is not None
    assert found.error.startswith("search: ")
    assert found.error.endswith("; kv found nothing")


GOOD = {"id": "p", "section": "state", "steps": [{"search": {}}]}


@for_each_row(
    ("change", "message"),
    [
        ({"section": "x"}, "section: 'x' is none of"),
        ({"steps": []}, "steps: must be a list of 1 to 20"),
        ({"steps": [{"fetch": {}}]}, "steps[1]: 'fetch' is none of"),
        ({"steps": [{"search": {"topK": 0}}]}, "steps[1].search.topK: must be from 1 to 100"),
        ({"steps": [{"search": {"top": 1}}]}, "nothing is called 'top'"),
        ({"steps": [{"search": {}, "kv": {}}]}, "must be an object with one key"),
        ({"steps": [{"read": {}}]}, "steps[1].read.ref: is missing"),
        ({"steps": [{"search": {"minScore": 2}}]}, "must be from 0 to 1"),
        ({"steps": [{"search": {"tags": "x"}}]}, "must be a list"),
        ({"enabled": 1}, "enabled: must be true or false"),
        ({"maxTokens": -1}, "maxTokens: must be from 0"),
        ({"id": ""}, "id: must be a text"),
        ({"more": 1}, "nothing is called 'more'"),
    ],
)
def test_a_mistake_names_file_and_line(change: dict[str, Any], message: str) -> None:
    text = json.dumps(GOOD | {"id": "q"}) + ",\n" + json.dumps(GOOD | change)
    files = parse_files({PATH: f"[{text}]".encode()}, {".clew/pipelines": 1})
    (problem,) = files.problems
    assert (problem.path, problem.line) == (PATH, 2)
    assert message in problem.message
    assert [each.id for each in files.pipelines] == ["q"]
    assert not SCHEMA.is_valid(GOOD | change)


def test_a_second_pipeline_of_a_name_is_a_mistake() -> None:
    files = parsed([GOOD, GOOD])
    assert len(files.pipelines) == 1
    assert "a second pipeline 'p'" in files.problems[0].message


def test_pipelines_are_the_same_after_they_are_stored() -> None:
    steps = [{"search": {"tags": ["a"], "minScore": 0.5}}, {"read": {"ref": "x"}}]
    files = parsed(GOOD | {"steps": steps, "maxTokens": 7})
    unpack: Unpacker[RuleFiles] = Unpacker(RuleFiles)
    assert unpack(pack(files)) == files


def test_a_pipeline_brings_at_most_two_hundred_items() -> None:
    found = run({"recall": {"limit": 90}}, {"recall": {"limit": 90}}, {"recall": {"limit": 90}})
    assert len(found.items) == 200


def test_ten_concepts_further_away_are_named() -> None:
    notes = {"a.md": "[[Hub]] [[Near]]", **{f"{n}.md": f"[[Near]] [[Far {n}]]" for n in range(12)}}
    files = parsed({"id": "p", "section": "knowledge", "steps": [{"concept": {"depth": 2}}]})
    given = Given(vault(notes), "what of the hub", (), setting(), Remembered((), {}, recall))
    (item,) = finished(run_pipeline(files.pipelines[0], given)).items
    assert item.text.count("Far ") == 10
