"""What fills the sections of a window, what its warnings and its trace tell, hostile requests."""

import json
from typing import Any

import pytest

from clew.engine.private.two_views import TwoViews
from clew.engine.settings import EngineSettings
from clew.query.assemble.contribution import Contribution
from clew.query.assemble.cutting import MARK
from clew.query.assemble.window import Remembered, WindowItem
from clew.values.vault import Batch
from tests.searches import vault
from tests.timed import check_within
from tests.vaults import engine_of, read_note
from tests.windows import items, parse_rule_files, text_of, window

CLOCKS = {
    f"Clock {n}.md": f"The clock of harbour {n} drifts by {n} seconds a day in the cold.\n\n"
    f"Its battery was changed in spring, and it is read by hand on day {n}.\n"
    for n in range(12)
}
FAR = {"Bread.md": "Bread needs salt and time.\n", "Boats.md": "The harbour has four boats.\n"}
VAULT = vault({**CLOCKS, **FAR})


LONG = {
    f"Harbour {n}.md": "".join(
        f"The clock of harbour {n} drifts by {part} seconds when the wind is from pier {part}.\n\n"
        for part in range(30)
    )
    for n in range(4)
}
LARGE_VAULT = vault(
    {f"Harbour {n}.md": LONG["Harbour 1.md"].replace("1 ", f"{n} ") for n in range(12)}
)
LONG_VAULT = vault(
    {**LONG, "Clock.md": "See the [[Harbour]].\n", "Two.md": "[[Harbour]] [[Clock]]"}
)


def test_knowledge_takes_the_room_that_history_cannot_use() -> None:
    """A third of the tenth is left by a turn of which no two fit, all of it by a longer one."""
    budget, task = 1_000, "clock of the harbour drift"
    alone = window(LONG_VAULT, task, tokenBudget=budget).trace.tokens_by_section["knowledge"]
    for words, count in ((60, 1), (400, 0)):
        history = [{"text": f"{at} " + "turn " * words} for at in range(5)]
        reply = window(LONG_VAULT, task, tokenBudget=budget, history=history)
        assert reply.trace.items_by_section["history"] == count
        room = budget - reply.meta.total_tokens
        assert room < 40, "no more than a line of the notes is left over"
        assert alone - reply.trace.tokens_by_section["knowledge"] < 40 + 80 * count


def test_the_newest_turns_are_kept_and_others_as_far_as_the_budget_is_large() -> None:
    task = "clock of the harbour drift"
    history = [{"text": f"{at} " + "turn " * 12} for at in range(10)]
    for budget, counts in ((1_000, (2, 3)), (3_000, (5, 6, 7))):
        found = items(LARGE_VAULT, task, tokenBudget=budget, history=history)
        assert len(found["history"]) in counts
        assert [item.text.partition(" ")[0] for item in found["history"][:2]] == ["0", "1"]


def test_a_window_has_as_much_knowledge_as_fits() -> None:
    """A window has no heading, query or counts of a pack, and a reference above each concept."""
    for budget in range(300, 1_500, 150):
        reply = window(LONG_VAULT, "clock of the harbour drift", tokenBudget=budget)
        cut = [each for each in reply.trace.truncated if each.section == "knowledge"]
        assert not cut, "passages and concepts fit as they were packed"
        assert reply.meta.total_tokens > budget - 40


def test_a_window_is_filled_while_lines_fit() -> None:
    for budget in (4_000, 4_250, 4_500, 4_750, 5_000, 5_750):
        reply = window(LARGE_VAULT, "clock of the harbour drift", tokenBudget=budget)
        assert reply.meta.total_tokens > 0.985 * budget


def warnings(reply_items: dict[str, Any]) -> list[str]:
    return [item.text for item in reply_items["warnings"]]


def test_suggestions_are_what_does_not_fit_and_what_has_too_little_evidence() -> None:
    task = "why does the clock of the harbour drift"
    small = items(VAULT, task, tokenBudget=300)
    large = items(VAULT, task, tokenBudget=8_000)
    in_small = {item.ref.partition("#")[0] for item in small["knowledge"] if item.ref}
    in_large = {item.ref.partition("#")[0] for item in large["knowledge"] if item.ref}
    assert in_small < in_large
    suggested = items(VAULT, task, tokenBudget=600)["suggestions"]
    shown = items(VAULT, task, tokenBudget=600)["knowledge"]
    assert suggested
    assert all(item.text.startswith("- ") and item.priority == "low" for item in suggested)
    refs = {item.ref.partition("#")[0] for item in shown if item.ref}
    assert refs.isdisjoint({item.ref.partition("#")[0] for item in suggested if item.ref})
    below = {item.ref.partition("#")[0] for item in large["suggestions"] if item.ref}
    assert below
    assert below.isdisjoint(in_large)


def test_where_nothing_can_be_packed_the_best_is_suggested() -> None:
    task = "why does the clock of harbour 3 drift"
    tiny, large = (items(VAULT, task, tokenBudget=budget) for budget in (100, 8_000))
    refs = [item.ref for item in tiny["suggestions"]]
    assert not tiny["knowledge"]
    assert refs
    assert refs[0] == large["knowledge"][0].ref
    assert not items(VAULT, task, tokenBudget=100, caps={"search": 0})["suggestions"]


def test_search_suggests_nothing_that_the_window_has() -> None:
    notes = {"Pin.md": "The pin.\n", "Log.md": "Log it.\n", "Cap.md": "A hat.\n"}
    notes["Tone.md"] = "---\ntype: preference\napplies: always\n---\nWrite the log.\n"
    found = items(vault(notes), "zebra crossing of the log @[[Pin]]", mentions=["@Log"])
    assert not any(item.source == "search" for item in found["knowledge"])
    suggested = {item.ref.partition("#")[0] for item in found["suggestions"] if item.ref}
    assert suggested == {"memory://Cap.md"}


def test_the_cap_of_knowledge_turns_the_rest_into_suggestions() -> None:
    always = {"field": "task.text", "op": "exists"}
    cap = {"type": "cap", "section": "knowledge", "tokens": 200}
    data = {"a.json": json.dumps({"name": "c", "condition": always, "action": cap}).encode()}
    engine = engine_of(CLOCKS)
    engine.apply(Batch(rule_files=parse_rule_files(data, 1)))
    found = items(engine.snapshot, "why does the clock of a harbour drift")
    assert 0 < sum(item.tokens for item in found["knowledge"]) <= 200
    assert found["suggestions"]


@pytest.mark.parametrize("budget", range(600, 3_000, 200))
def test_search_suggests_nothing_in_place_of_what_was_given(budget: int) -> None:
    scratch = [{"text": "first the clocks"}, {"text": "then the pier"}]
    turn = [{"text": "user: the gauge is late again, as I said on Monday"}]
    reply = window(
        LONG_VAULT,
        "clock of the harbour drift",
        tokenBudget=budget,
        workingMemory=scratch,
        history=turn,
    )
    assert reply.trace.items_by_section["working_memory"] == 2
    assert reply.trace.items_by_section["history"] == 1
    assert reply.meta.total_tokens > 0.9 * budget


def test_the_history_of_questions_is_capped() -> None:
    asks = {"field": "task.type", "op": "eq", "value": "question"}
    cap = {"type": "cap", "section": "history", "tokens": 1_000}
    data = {"a.json": json.dumps({"name": "c", "condition": asks, "action": cap}).encode()}
    engine = engine_of(FAR)
    engine.apply(Batch(rule_files=parse_rule_files(data, 1)))
    history = [{"text": f"turn {n} " + "word " * 60} for n in range(30)]
    for kind, is_capped in (("question", True), ("order", False)):
        found = items(engine.snapshot, "zebra", type=kind, history=history)["history"]
        assert (sum(item.tokens for item in found) <= 1_000) is is_capped
        assert (len(found) < 30) is is_capped


def test_what_was_left_out_is_counted_in_a_warning() -> None:
    history = [{"text": f"turn {n} " + "word " * 40} for n in range(10)]
    found = items(VAULT, "zebra", history=history, tokenBudget=200)
    (told,) = [text for text in warnings(found) if text.startswith("Did not fit: ")]
    kept = len(found["history"])
    assert f"{10 - kept} of history" in told


def test_an_item_is_cut_at_a_paragraph_with_a_mark() -> None:
    text = "\n\n".join(
        f"Paragraph {n} has a few words that say something of it." for n in range(40)
    )
    found = items(VAULT, "zebra", state=[{"text": text}], tokenBudget=200)
    (shown,) = found["state"]
    assert shown.text.endswith(f"something of it.\n\n{MARK}")
    assert text.startswith(shown.text.removesuffix(f"\n\n{MARK}"))


def test_a_text_that_ends_with_the_mark_is_not_counted_as_cut() -> None:
    long = "\n\n".join(f"Paragraph {n} has a few words that say something." for n in range(40))
    quote = {"text": f"She wrote {'word ' * 40}{MARK}", "priority": "low"}
    reply = window(VAULT, "zebra", history=[{"text": long}, quote], tokenBudget=200, format="items")
    lost = [each for each in reply.trace.truncated if each.section == "history"]
    assert {(each.items, each.reason) for each in lost} == {(1, "budget"), (1, "cut")}
    assert isinstance(reply.context, dict)
    assert "Did not fit: 1 of history, 1 of history in part." in warnings(reply.context)


def test_a_source_that_failed_found_nothing_or_was_late_is_one_warning() -> None:
    item = WindowItem("from a pipeline", "good")
    sources = [
        Contribution("good", "state", (item,)),
        Contribution("bad", "state", error="failed: no such filter"),
        Contribution("empty", "history", error="search found nothing"),
        Contribution("slow", "history", error="not done within 100 ms", is_late=True),
    ]
    reply = window(VAULT, "zebra", extra=sources, format="items")
    assert isinstance(reply.context, dict)
    assert [each.text for each in reply.context["state"]] == ["from a pipeline"]
    told = warnings(reply.context)
    for line in ("bad: failed: no such filter", "empty: search found nothing"):
        assert told.count(line) == 1
    assert "slow: not done within 100 ms" in told
    assert not reply.trace.is_repeatable


def test_a_pipeline_brings_no_more_tokens_than_it_may() -> None:
    many = tuple(WindowItem(f"item {n} " + "word " * 20, "p") for n in range(20))
    source = Contribution("p", "state", many, tokens_max=100)
    reply = window(VAULT, "zebra", extra=[source])
    assert 0 < reply.trace.tokens_by_section["state"] <= 100


def test_mistakes_in_files_of_rules_are_warnings() -> None:
    engine = engine_of(FAR)
    engine.apply(Batch(rule_files=parse_rule_files({"a.json": b"{", "b.json": b"[1]"}, 2)))
    told = warnings(items(engine.snapshot, "zebra"))
    assert sum(".clew/rules/a.json:1" in text for text in told) == 1
    assert sum(".clew/rules/b.json:1" in text for text in told) == 1


def test_a_private_note_is_no_more_than_an_unknown_one() -> None:
    secret = "---\nprivate: true\n---\nThe code of the safe is in the harbour.\n"
    views = TwoViews(EngineSettings())
    notes = {**FAR, "Safe.md": secret}
    views.apply(Batch(put=tuple(read_note(path, text) for path, text in notes.items())))
    public = views.public.snapshot
    for mention in ("@Safe", "[[Safe]]", "memory://Safe.md", "memory://Safe.md#L4"):
        told = warnings(items(public, "zebra", mentions=[mention]))
        assert sum(mention in text for text in told) == 1
        unknown = warnings(items(public, "zebra", mentions=[mention.replace("Safe", "Evas")]))
        assert [text.replace("Evas", "Safe") for text in unknown] == told
        assert "code of the safe" not in text_of(public, "the safe in the harbour")
    assert "code of the safe" in text_of(views.whole.snapshot, "zebra", mentions=["@Safe"])


def test_values_of_the_scratch_store_are_shown_as_they_are() -> None:
    """A value that names others, or itself, leads nowhere."""
    remembered = Remembered(scratch={"a": "see kv://b", "b": "see kv://a", "c": "kv://c"})
    fields = {"mentions": ["kv://a", "kv://c"], "session": {"id": "s"}}
    found = items(VAULT, "zebra", remembered=remembered, **fields)
    mentioned = [item.text for item in found["knowledge"] if item.source == "mention"]
    assert mentioned == ["see kv://b", "kv://c"]
    assert [item.text for item in found["working_memory"]] == [
        *("a: see kv://b", "b: see kv://a", "c: kv://c")
    ]


def test_the_trace_tells_what_decided() -> None:
    always = {"field": "task.text", "op": "exists"}
    rows = [
        {"name": "out", "condition": always, "action": {"type": "exclude", "ref": "Clock 1"}},
        {
            "name": "asks",
            "condition": {"field": "agent.name", "op": "eq", "value": "x"},
            "action": {"type": "include", "ref": "Bread"},
        },
    ]
    engine = engine_of({**CLOCKS, **FAR})
    data = {"a.json": json.dumps(rows).encode()}
    engine.apply(Batch(rule_files=parse_rule_files(data, 1)))
    history = [{"text": "word " * 200}]
    reply = window(engine.snapshot, "the clock of harbour 1", history=history, tokenBudget=300)
    trace = reply.trace
    assert [(rule.name, rule.file) for rule in trace.rules] == [("out", ".clew/rules/a.json")]
    assert trace.missing == ("agent.name",)
    assert trace.excluded == ("memory://Clock%201.md",)
    assert [each.name for each in trace.sources][-1] == "built-in"
    assert ("history", 1, "budget") in {(c.section, c.items, c.reason) for c in trace.truncated}
    assert set(trace.tokens_by_section) == set(trace.items_by_section)
    assert sum(trace.items_by_section.values()) == reply.meta.total_items


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)*b", "(.*)*x", "(a?){500}a{500}"])
def test_a_pattern_that_others_never_end_with_takes_little_time(pattern: str) -> None:
    condition = {"field": "task.text", "op": "matches", "value": pattern}
    row = {"name": "r", "condition": condition, "action": {"type": "exclude", "ref": "Bread"}}
    engine = engine_of(FAR)
    engine.apply(Batch(rule_files=parse_rule_files({"a.json": json.dumps(row).encode()}, 1)))
    check_within(5.0, lambda: window(engine.snapshot, "a" * 20_000 + "!"))


def test_older_turns_go_before_recalled_ones_and_the_order_stays() -> None:
    def said(text: str, *, is_spare: bool = False) -> WindowItem:
        return WindowItem(f"{text} " + "word " * 20, "session", is_spare=is_spare)

    turns = tuple(said(f"turn {n}", is_spare=n >= 3) for n in range(8))
    recalled = Contribution("recall", "history", tuple(said(f"recalled {n}") for n in range(3)))
    kept: list[list[str]] = []
    for budget in range(100, 320, 10):
        found = items(
            VAULT, "zebra", remembered=Remembered(turns), extra=[recalled], tokenBudget=budget
        )
        kept.append([" ".join(item.text.split()[:2]) for item in found["history"]])
    whole = [*(f"turn {n}" for n in range(8)), *(f"recalled {n}" for n in range(3))]
    assert kept[-1] == whole
    for names in kept:
        lost = [name for name in reversed(whole) if name not in names]
        spare = [f"turn {n}" for n in (7, 6, 5, 4, 3)]
        rest = [name for name in lost if name not in spare]
        assert names == [name for name in whole if name in names]
        assert [name for name in lost if name in spare] == spare[: len(lost) - len(rest)]
        assert not rest or not set(spare) & set(names)


def test_lines_that_another_item_has_are_there_once() -> None:
    text = "".join(f"Line {number} of the log.\n\n" for number in range(9))
    vault_ = vault({"Log.md": f"# Log\n\nWhole.\n\n## Part\n\n{text}"})
    for task in ("@[[Log]] and [[Log#Part]]", "[[Log#Part]] @[[Log]] and [[Log#Part]]"):
        reply = window(vault_, task)
        assert isinstance(reply.text, str)
        assert reply.text.count("Line 3 of the log.") == 1
        assert reply.trace.duplicates >= 1


def test_fifty_notes_that_always_apply_are_taken_the_most_important_first() -> None:
    head = "type: preference\napplies: always\nimportance: "
    notes = {f"{n:02}.md": f"---\n{head}{n / 100}\n---\nUse {n:02}." for n in range(51)}
    found = items(vault(notes), "zebra", tokenBudget=20_000)["constraints"]
    shown = "\n".join(item.text for item in found)
    assert [n for n in range(51) if f"Use {n:02}." in shown] == list(range(1, 51))


@pytest.mark.parametrize("ref", ["Tone#Slang", "memory://Tone.md#L9-L11"])
def test_lines_that_a_rule_excludes_are_left_out_of_preferences_and_turns(ref: str) -> None:
    notes = {
        "Tone.md": "---\ntype: preference\napplies: always\n---\n# Tone\n\nBe brief.\n\n"
        "## Slang\n\nSay ahoy.\n\n## Names\n\nUse first names.\n"
    }
    always = {"field": "task.text", "op": "exists"}
    rule = {"name": "x", "condition": always, "action": {"type": "exclude", "ref": ref}}
    engine = engine_of(notes)
    files = parse_rule_files({"a.json": json.dumps(rule).encode()}, 1)
    engine.apply(Batch(rule_files=files))
    turns = tuple(
        WindowItem(f"user: {text}", "session", f"memory://Tone.md#{lines}")
        for lines, text in (("L9-L11", "Ahoy there."), ("L13-L15", "Hello."))
    )
    text = text_of(engine.snapshot, "zebra", remembered=Remembered(turns))
    assert "ahoy" not in text.casefold()
    assert all(part in text for part in ("Be brief.", "Use first names.", "Hello."))


def test_a_preference_that_is_mentioned_is_there_once() -> None:
    notes = {"Tone.md": "---\ntype: preference\napplies: always\n---\nWrite short sentences.\n"}
    reply = window(vault(notes), "zebra @Tone [[Tone]]", format="items")
    assert isinstance(reply.context, dict)
    (item,) = reply.context["constraints"]
    assert not reply.context["knowledge"]
    assert item.ref
    assert item.ref.startswith("memory://Tone.md#L5-L5~")


def test_a_superseded_note_that_is_mentioned_stands_below_the_one_that_holds() -> None:
    notes = {
        "Keep floats.md": "Heights are floats of metres.\n",
        "Keep cents.md": '---\nsupersedes: "[[Keep floats]]"\n---\nHeights are whole numbers.\n',
        "Far.md": "A hat.\n",
    }
    for mentions in (["@Keep floats"], ["@Keep floats", "@Keep cents"], ["@Keep floats", "@Far"]):
        found = items(vault(notes), "are heights whole numbers", mentions=mentions)["knowledge"]
        shown = [item.ref.partition("#")[0] for item in found if item.ref]
        floats, cents = (f"memory://Keep%20{name}.md" for name in ("floats", "cents"))
        assert shown.index(floats) == shown.index(cents) + 1


def test_a_cap_cuts_a_superseded_note_before_the_one_that_holds() -> None:
    notes = {
        "Old.md": f"{'Heights are floats. ' * 20}\n",
        "New.md": f'---\nsupersedes: "[[Old]]"\n---\n{"Heights are whole. " * 20}\n',
    }
    mentions, caps = ["@Old", "@New"], {"mention": 160}
    found = items(vault(notes), "zebra", mentions=mentions, caps=caps)["knowledge"]
    assert found[0].text.count("whole") == 20
    assert sum(item.text.count("floats") for item in found) < 20


def test_a_preference_of_front_matter_alone_is_left_out() -> None:
    notes = {"Tone.md": "---\ntype: preference\napplies: always\n---\n"}
    assert not items(vault(notes), "zebra")["constraints"]
