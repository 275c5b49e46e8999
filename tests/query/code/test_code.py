"""The method ``code``: definitions, edges, and the notes that speak of an entity."""

import pytest

from clew.query.citations.verify import verify
from clew.query.code.code import ROWS_OF_SEVERAL
from clew.query.slices import finished
from clew.query.suggest import with_similar_names
from clew.text.code.languages import BY_NAME
from clew.text.code.parse import parse_code
from clew.values.errors import InvalidParams, UnknownNote
from clew.values.requests import Verify
from clew.values.vault import Batch, ReadCode, Stamp
from tests.code_queries import AUTH, NOTES, add_code, asked, only
from tests.tables import for_each_row
from tests.vaults import engine_of, snapshot_of


def test_a_class_is_shown_with_its_edges_and_notes() -> None:
    entity = only(asked(NOTES, "AuthService"))
    assert (entity.symbol_id, entity.kind, entity.language) == (
        "Auth.md::AuthService::class", "class", "python",
    )  # fmt: skip
    assert (entity.file, entity.lines) == ("memory://Auth.md", (8, 13))
    assert entity.ref.startswith("memory://Auth.md#L8-L13~")
    assert [(edge.name, edge.line, edge.via) for edge in entity.callers] == [
        ("handle", 18, "local")
    ]
    assert [member.name for member in entity.members] == ["AuthService.login", "AuthService.check"]
    assert [base.name for base in entity.implements] == ["Service"]
    assert [(note.uri, note.line) for note in entity.notes] == [
        ("memory://Auth.md", 3),
        ("memory://Decision.md", 2),
        ("memory://Flow.md", 5),
    ]


def test_a_method_is_shown_with_how_each_edge_was_resolved() -> None:
    entity = only(asked(NOTES, "AuthService.login"))
    assert [(edge.file, edge.name, edge.line, edge.via) for edge in entity.callers] == [
        ("memory://Auth.md", "handle", 19, "local"),
        ("memory://Flow.md", "go", 3, "unique"),
    ]
    assert [(edge.name, edge.via) for edge in entity.calls] == [("AuthService.check", "self")]
    assert entity.unresolved_calls == ("make_token",)
    assert [note.uri for note in entity.notes] == ["memory://Decision.md"]


def test_places_that_hand_an_entity_over_are_no_callers() -> None:
    block = "```py\ndef load(): ...\n\ndef start(x): load(); map(load, x)\n\nTABLE = [load]\n```\n"
    entity = only(asked({"a.md": block}, "load"))
    assert [(edge.name, edge.line, edge.via) for edge in entity.passed] == [
        ("start", 4, "local"),
        ("a", 6, "local"),
    ]
    assert entity.passed_count == 2
    assert [(edge.name, edge.line) for edge in entity.callers] == [("start", 4)]


COMMENTED = """# Gate
```py
def open_gate(): ...

def shut(): ...

def run():
    # at dawn
    open_gate()
    shut()
    on(open_gate)  # at noon
```
"""


def test_an_edge_has_the_comment_that_belongs_to_it() -> None:
    gate = only(asked({"Gate.md": COMMENTED}, "open_gate"))
    assert [edge.comment for edge in gate.callers] == ["at dawn"]
    assert [edge.comment for edge in gate.passed] == ["at noon"]
    run = only(asked({"Gate.md": COMMENTED}, "run"))
    assert [edge.comment for edge in run.calls] == ["at dawn", None]


def test_the_places_that_hand_an_entity_over_are_paged() -> None:
    places = "".join(f"def f{n}(): on(run)\n" for n in range(30))
    notes = {"a.md": f"```py\ndef run(): ...\n{places}```\n"}
    first = asked(notes, "run", limit=20)
    assert (first.total, only(first).passed_count, len(only(first).passed)) == (30, 30, 20)
    rest = asked(notes, "run", limit=20, cursor=first.cursor)
    assert [edge.name for edge in only(rest).passed] == [f"f{n}" for n in range(20, 30)]


@for_each_row(
    "name",
    [
        *("AuthService.login", "login", "`AuthService.login()`", "AuthService::login(user)"),
        *("Auth.md::AuthService.login::method", "memory://Auth.md#L9-L11", "Auth.md#L10"),
    ],
)
def test_an_entity_is_named_in_many_ways(name: str) -> None:
    assert only(asked(NOTES, name)).name == "AuthService.login"


@for_each_row(
    ("reference", "names"),
    [
        ("app/auth.py", "auth"),
        ("app/auth.py#L1-L2", "load"),
        ("app/auth.py#L2-L4", "load store"),
        ("app/auth.py::load::function", "load"),
    ],
)
def test_a_reference_to_a_file_of_code_is_taken_here_and_no_note(
    reference: str, names: str
) -> None:
    engine = engine_of({"a.md": "text"})
    text = "def load():\n    pass\n\ndef store():\n    pass\n"
    add_code(engine, "app/auth.py", text)
    found = asked(engine.snapshot, reference).entities
    assert [entity.name for entity in found] == names.split()
    error = finished(with_similar_names(engine.snapshot, UnknownNote(reference)))
    assert error.hint.startswith("it is a file of code: `code` tells")
    assert finished(verify(engine.snapshot, Verify(text=reference))).citations == ()


# The definitions of AUTH are on lines 6 (Service), 8-13 (AuthService), 9-11, 13 and 17-19.
WITH_CALIB = {**NOTES, "pub/Calib.md": AUTH}


@for_each_row(
    ("reference", "names"),
    [
        ("memory://Auth.md#L5-L14", "Service AuthService"),
        ("memory://Auth.md#L7-L14", "AuthService"),
        ("memory://Auth.md#L9-L13", "login check"),
        ("memory://Auth.md#L10-L13~1a2b3c4d", "login check"),
        ("memory://Auth.md#L10-L11", "login"),
        ("memory://Auth.md#L8", "AuthService"),
        ("memory://Auth.md#L1-L99", "Service AuthService handle"),
        ("memory://Auth.md#L1-L3", ""),
        ("Auth.md#Auth", "Service AuthService handle"),
        ("[[pub/Calib#Auth]]", "Service AuthService handle"),
        ("pub/Calib", "Service AuthService handle"),
        ("memory://pub/Calib.md#No%20such", ""),
    ],
)
def test_a_reference_to_a_passage_names_the_code_in_it(reference: str, names: str) -> None:
    reply = asked(WITH_CALIB, reference)
    assert [entity.name.rpartition(".")[2] for entity in reply.entities] == names.split()


def test_a_moved_passage_names_the_code_in_it_now() -> None:
    (ref,) = (entity.ref for entity in asked({"Auth.md": AUTH}, "handle").entities)
    assert only(asked({"Auth.md": f"Above.\n\n{AUTH}"}, ref)).name == "handle"


def test_what_a_reply_names_can_be_asked_for() -> None:
    snapshot = snapshot_of(NOTES)
    for entity in asked(snapshot, "Auth.md").entities:
        assert only(asked(snapshot, entity.symbol_id)) == only(asked(snapshot, entity.ref))
        for edge in (*entity.callers, *entity.calls):
            assert only(asked(snapshot, edge.symbol_id)).name == edge.name


def test_callers_and_calls_are_two_ends_of_the_same_edges() -> None:
    snapshot = snapshot_of(NOTES)
    entities = [
        entity
        for name in ("Service", "AuthService", "login", "check", "handle", "go")
        for entity in asked(snapshot, name).entities
    ]
    calls = {
        (entity.symbol_id, edge.symbol_id, edge.line, edge.via)
        for entity in entities
        for edge in entity.calls
    }
    callers = {
        (edge.symbol_id, entity.symbol_id, edge.line, edge.via)
        for entity in entities
        for edge in entity.callers
    }
    assert calls == callers


def test_several_entities_of_a_name_are_ambiguous_and_paged() -> None:
    notes = {f"{n:02}.md": f"```py\ndef run(): ...\n\ndef run(): ...\n```\n{n}\n" for n in range(3)}
    reply = asked(notes, "run", limit=4)
    assert reply.ambiguous
    assert reply.total == 6
    shown = [entity.symbol_id for entity in reply.entities]
    assert shown[:2] == ["00.md::run::function", "00.md::run::function#2"]
    rest = asked(notes, "run", limit=4, cursor=reply.cursor)
    assert (rest.start, len(rest.entities), rest.cursor) == (4, 2, None)
    with pytest.raises(InvalidParams, match="out of date"):
        asked({**notes, "0.md": notes["00.md"]}, "run", limit=4, cursor=reply.cursor)
    assert rest.ambiguous
    assert asked(notes, "run", limit=1).ambiguous
    assert only(asked(notes, "00.md::run::function#2")).lines == (4, 4)


def test_the_lists_of_one_entity_are_paged() -> None:
    calls = "".join(f"def f{n}(): run()\n" for n in range(120))
    notes = {"a.md": f"```py\ndef run(): ...\n{calls}```\n"}
    names, cursor = [], None
    while True:
        reply = asked(notes, "run", limit=50, cursor=cursor)
        names += [edge.name for edge in only(reply).callers]
        assert only(reply).caller_count == reply.total == 120
        cursor = reply.cursor
        if cursor is None:
            break
    assert names == [f"f{n}" for n in range(120)]


def test_the_lists_of_several_entities_are_short() -> None:
    calls = "".join(f"def f{n}(): run()\n" for n in range(40))
    block = f"```py\ndef run(): ...\n{calls}```\n"
    reply = asked({"a.md": block, "b.md": block}, "run")
    assert [len(entity.callers) for entity in reply.entities] == [ROWS_OF_SEVERAL] * 2
    assert [entity.caller_count for entity in reply.entities] == [40, 40]


def test_an_unknown_name_has_suggestions() -> None:
    reply = asked(NOTES, "AuthServise")
    assert (reply.entities, reply.total, reply.cursor) == ((), 0, None)
    assert reply.suggestions[0] == "AuthService"
    assert asked(NOTES, "two words").entities == ()


def test_a_cursor_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidParams):
        asked(NOTES, "login", cursor="x")


ODD_NAMES = {
    "Rust.md": "```rs\nmacro_rules! my_vec { () => {} }\nimpl Tr for [u8] { fn go() {} }\n```\n",
    "Cpp.md": (
        "```cpp\nstruct V { ~ V() {} int operator ()(int n) {} void *operator new(int n) {} };\n"
        "bool operator ==(V a, V b) {}\nvoid V::operator->() {}\nint my_operator_name() {}\n```\n"
    ),
    "Script.md": (
        "```js\nclass A { #own() {} 'in quotes'() {} [Symbol.iterator]() {} 12() {} }\n"
        "export default () => 1;\n```\n"
    ),
}


def test_each_name_of_a_reply_can_be_handed_back() -> None:
    snapshot = snapshot_of(ODD_NAMES)
    for path in ODD_NAMES:
        for entity in asked(snapshot, path).entities:
            for symbol in (entity, *entity.members):
                assert only(asked(snapshot, symbol.name)).symbol_id == symbol.symbol_id
                assert only(asked(snapshot, symbol.symbol_id)).name == symbol.name
    names = {entity.name for entity in asked(snapshot, "Cpp.md").entities}
    assert names == {"V", "operator==", "my_operator_name"}


def test_a_method_of_cpp_is_shown_where_its_body_is() -> None:
    header = "```hpp\nclass Api {\n  int post(int n);\n  int get(int n);\n};\n```\n"
    uses = "int use(Api &a) { a.get(1); a.post(2); }\n"
    bodies = f"```cpp\nint Api::post(int n) {{ return n; }}\n{uses}```\n"
    snapshot = snapshot_of({"Api.md": header + bodies})
    members = [member.lines for member in only(asked(snapshot, "Api")).members]
    assert members == [(8, 8), (4, 4)]
    for name in ("Api.post", "post", "Api.md#L3", "Api.md::Api.post::method"):
        assert [edge.name for edge in only(asked(snapshot, name)).callers] == ["use"]
    assert [edge.name for edge in only(asked(snapshot, "Api.get")).callers] == ["use"]


def test_a_method_of_cpp_with_its_body_in_the_same_file_is_one() -> None:
    code = "struct A { int f(int n = 1); int f(int n, int m); };\nint A::f(int n) { return n; }\n"
    (entity,) = asked({"A.md": f"```cpp\n{code}```\n"}, "A").entities
    assert [(member.name, member.lines) for member in entity.members] == [
        ("A.f", (2, 2)), ("A.f", (3, 3)),
    ]  # fmt: skip


CONSTRUCTORS = {
    "java": (
        "class Pick extends Order {\n  Pick(int n) { this(n, 2); }\n"
        "  Pick(int n, int m) { super(n); }\n}\n"
        "class Order { Order(int n) {} }\nclass Use { Pick made() { return new Pick(3); } }\n"
    ),
    "js": (
        "class Pick extends Order { constructor(n) { super(n); } }\n"
        "class Order { constructor(n) {} }\nclass Use { made() { return new Pick(3); } }\n"
    ),
    "cpp": (
        "class Order { public: Order(int n) {} };\n"
        "class Pick : public Order { public: Pick(int n); Pick(int n, int m) {} };\n"
        "class Use { Pick *made() { return new Pick(3); } };\nPick::Pick(int n) {}\n"
    ),
}


@for_each_row(
    ["language", "name", "callers"],
    [
        ("java", "Pick", ["Pick.Pick", "Use.made"]),
        ("java", "A.md::Pick.Pick::method", ["Use.made"]),
        ("java", "A.md::Pick.Pick::method#2", ["Pick.Pick"]),
        ("java", "Pick.Pick", ["Use.made", "Pick.Pick"]),
        ("java", "Order", ["Pick.Pick"]),
        ("java", "Order.Order", ["Pick.Pick"]),
        ("js", "Pick.constructor", ["Use.made"]),
        ("js", "Order", ["Pick.constructor"]),
        ("js", "Order.constructor", ["Pick.constructor"]),
        ("cpp", "Pick", ["Use.made"]),
        ("cpp", "A.md::Pick.Pick::method#2", ["Use.made"]),
    ],
)
def test_a_class_stands_for_its_constructors(language: str, name: str, callers: list[str]) -> None:
    reply = asked({"A.md": f"```{language}\n{CONSTRUCTORS[language]}```\n"}, name)
    shown = [edge.name for entity in reply.entities for edge in entity.callers]
    assert (shown, reply.ambiguous) == (callers, name == "Pick.Pick")
    assert not any(entity.unresolved_calls for entity in reply.entities)


def test_a_file_named_as_its_class_does_not_make_it_ambiguous() -> None:
    code = "package shop;\nclass Pick { Pick(int n) {} void run() {} }\n"
    file, _ = parse_code("shop/Pick.java", code, BY_NAME["java"])
    engine = engine_of({})
    engine.apply(Batch(code=(ReadCode("shop/Pick.java", Stamp(1, 1, 1, 1), file),)))
    for name, found in (("Pick", "Pick"), ("Pick.run", "Pick.run"), ("Pick.Pick", "Pick.Pick")):
        assert only(asked(engine.snapshot, name)).name == found
