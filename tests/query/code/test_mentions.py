"""Where notes speak of code: by the names of entities, and by the paths of files and folders."""

import pytest

from clew.query.code.mentions import mentions_of_entity, mentions_of_file, mentions_of_folder
from clew.query.slices import finished
from tests.code_queries import NOTES, add_code, asked, only
from tests.timed import check_within
from tests.vaults import engine_of


def test_a_name_that_two_notes_define_is_spoken_of_by_neither_other() -> None:
    block = "```py\nclass AuthService: ...\n```\n"
    notes = {"a.md": block, "b.md": block + "Here AuthService is ours.\n", "c.md": "AuthService\n"}
    found = {entity.file: entity.notes for entity in asked(notes, "AuthService").entities}
    assert found["memory://a.md"] == ()
    assert [note.uri for note in found["memory://b.md"]] == ["memory://b.md"]


def test_an_entity_in_a_file_comes_before_the_notes_that_quote_it() -> None:
    block = "```py\nclass AuthService: ...\n```\n"
    engine = engine_of({"a.md": block, "b.md": block + "Our AuthService.\n"})
    text = "class AuthService: ...\n\nclass AuthService: ...\n"
    add_code(engine, "app/auth.py", text)
    reply = asked(engine.snapshot, "AuthService")
    assert [(entity.file, entity.lines) for entity in reply.entities] == [
        ("app/auth.py", (1, 1)),
        ("app/auth.py", (3, 3)),
    ]
    # Both have the name that the notes speak of.
    assert [len(entity.notes) for entity in reply.entities] == [2, 2]


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("See `app/auth/service.py`.", True),
        ("See auth/service.py, line 3.", True),
        ("See ./auth/service.py", True),
        ("In /home/me/app/auth/service.py", False),
        ("See `service.py`.", False),  # two files have this name
        ("See `xauth/service.py`.", False),
        ("See `auth/service.pyc`.", False),
        ("See `auth/my-service.py`.", False),
        ("The service is on.", False),
    ],
)
def test_a_note_names_a_file_by_an_end_of_its_path(text: str, is_named: bool) -> None:
    engine = engine_of({"a.md": f"# A\n\nMore.\n\n{text}\n"})
    for path in ("app/auth/service.py", "app/mail/service.py"):
        add_code(engine, path, "def start(): ...\n")
    found = finished(mentions_of_file(engine.snapshot, "app/auth/service.py"))
    assert [(each.path, each.line, each.text) for each in found] == [("a.md", 5, text)] * is_named


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("See `app/auth/`.", True),
        ("See ./auth/, all of it.", True),
        ("In /home/me/app/auth/ are tests.", False),
        ("See auth/service.py", False),  # a file in it
        ("See `app/auth`.", False),
        ("See `app/`.", False),
        ("See `keys/`.", False),  # two folders end like this
        ("See `mail/keys/`.", False),
        ("See `oauth/`.", False),
    ],
)
def test_a_note_names_a_folder_by_an_end_of_its_path(text: str, is_named: bool) -> None:
    engine = engine_of({"a.md": f"# A\n\nMore.\n\n{text}\n"})
    for path in ("app/auth/service.py", "app/auth/keys/a.py", "app/mail/keys/a.py", "main.py"):
        add_code(engine, path, "def start(): ...\n")
    found = finished(mentions_of_folder(engine.snapshot, "app/auth/service.py"))
    assert [(each.path, each.line, each.text) for each in found] == [("a.md", 5, text)] * is_named
    assert finished(mentions_of_folder(engine.snapshot, "main.py")) == []


def test_a_note_that_quotes_the_name_in_other_code_speaks_of_it() -> None:
    notes = NOTES | {"Log.md": "```text\nERROR AuthService failed\n```\n"}
    assert "memory://Log.md" in [note.uri for note in only(asked(notes, "AuthService")).notes]


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", ["```\nstart\n```\n", "service.py/", "a/service.py ", "start ", "auth/ "]
)
def test_long_notes_are_looked_through_in_linear_time(part: str) -> None:
    engine = engine_of({"a.md": part * (200_000 // len(part))})
    for path in ("app/auth/service.py", "app/mail/service.py"):
        add_code(engine, path, "def start(): ...\n")
    (first, _) = sorted(engine.snapshot.code.named("start"))
    check_within(1.0, lambda: finished(mentions_of_file(engine.snapshot, "app/auth/service.py")))
    check_within(1.0, lambda: finished(mentions_of_folder(engine.snapshot, "app/auth/service.py")))
    check_within(1.0, lambda: finished(mentions_of_entity(engine.snapshot, first)))
