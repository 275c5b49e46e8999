"""The index of public notes through a few changes; ``test_two_views.py`` tries many."""

from msgspec.structs import replace

from clew.engine.communities.current import Communities
from clew.engine.derived.change_log import Changes
from clew.engine.dump import dump
from clew.engine.embedding import name_vectors, vectors_of
from clew.engine.private.two_views import TwoViews
from clew.engine.settings import EngineSettings
from clew.query.notes.lists import communities
from clew.values.communities import Community
from clew.values.requests import CommunitiesRequest
from clew.values.vault import Batch, CommitDates
from tests.encoders import FakeEncoder
from tests.stored import stored
from tests.vaults import NOW_S, engine_of, read_note

SETTINGS = EngineSettings(private=("diary/",))
PUBLIC = {"a.md": "[[b]] [[Nick]] [[pic.png]] words", "b.md": "# B\n[[a]]\n"}
SECRET = "---\nprivate: true\naliases: [nick]\n---\n[[b]] [[hidden]] secret words"
OTHERS = ("diary/pic.png",)


def put(**texts: str) -> Batch:
    return Batch(put=tuple(read_note(f"{name}.md", text) for name, text in texts.items()))


def rebuilt(notes: dict[str, str], others: tuple[str, ...] = ()) -> bytes:
    return dump(engine_of(notes, settings=SETTINGS, others=others).snapshot)


def views_of(notes: dict[str, str], others: tuple[str, ...] = ()) -> TwoViews:
    views = TwoViews(SETTINGS)
    views.adopt(stored(engine_of(notes, settings=SETTINGS, others=others).indexes))
    return views


def test_there_is_one_index_while_no_note_is_private() -> None:
    views = TwoViews(SETTINGS)
    views.apply(put(a=PUBLIC["a.md"], b=PUBLIC["b.md"]))
    assert views.public is views.whole
    assert views.public.snapshot is views.whole.snapshot


def test_the_public_index_follows_a_note_that_is_hidden_shown_and_deleted() -> None:
    views = TwoViews(SETTINGS)
    views.apply(Batch(put=put(a=PUBLIC["a.md"], b=PUBLIC["b.md"]).put, others_put=OTHERS))
    shown = SECRET.replace("true", "false")
    for text in (SECRET, shown, SECRET, SECRET + " more", shown):
        views.apply(put(s=text))
        expected = PUBLIC if text.startswith(SECRET) else {**PUBLIC, "s.md": text}
        assert dump(views.public.snapshot) == rebuilt(expected)
        assert dump(views.whole.snapshot) == rebuilt({**PUBLIC, "s.md": text}, OTHERS)
    views.apply(put(s=SECRET))
    views.apply(Batch(dropped=("s.md",), others_dropped=OTHERS))
    assert dump(views.public.snapshot) == dump(views.whole.snapshot) == rebuilt(PUBLIC)


def test_the_first_private_notes_are_told_to_nobody_who_may_not_see_them() -> None:
    views = TwoViews(SETTINGS)
    moved, renamed = put(c="to be hidden words"), put(moved="to be hidden words")
    views.apply(Batch(put=(*put(a=PUBLIC["a.md"], b=PUBLIC["b.md"]).put, *moved.put)))
    views.apply(Batch(put=renamed.put, dropped=("c.md",)))
    before = views.public.revision
    hidden = put(s=SECRET, b=SECRET, moved=SECRET).put
    views.apply(Batch(put=(*hidden, *put(d="new words", a="other words").put)))
    told = views.public.changes.difference(before, views.public.revision)
    assert told == Changes(added=("d.md",), modified=("a.md",), removed=("b.md", "moved.md"))
    assert not views.public.renames.by_path
    assert views.whole.renames.by_path == {"c.md": "moved.md"}
    views.apply(put(e=SECRET))
    told = views.public.changes.difference(before + 1, views.public.revision)
    assert told == Changes((), (), ())


def test_renames_are_known_on_after_the_first_private_note() -> None:
    views = TwoViews(SETTINGS)
    views.apply(put(c="some words"))
    views.apply(Batch(put=put(moved="some words").put, dropped=("c.md",)))
    views.apply(put(s=SECRET))
    assert views.public.renames.by_path == {"c.md": "moved.md"}


def test_the_public_index_of_a_file_has_no_private_notes_and_files() -> None:
    views = views_of({**PUBLIC, "s.md": SECRET, "diary/d.md": "secret"}, OTHERS)
    assert dump(views.public.snapshot) == rebuilt(PUBLIC)
    assert views.is_private("s.md")
    assert views.is_private("diary/not there.md")
    assert not views.is_private("a.md")


def test_a_pattern_hides_a_folder_whose_accents_are_characters_of_their_own() -> None:
    views = TwoViews(EngineSettings(private=("\u00e9t\u00e9/",)))
    hidden = read_note("e\u0301te\u0301/a.md", "secret words")
    views.apply(Batch(put=(hidden, *put(b=PUBLIC["b.md"]).put)))
    assert list(views.public.snapshot.entries) == ["b.md"]


def test_a_shown_note_has_its_vectors_and_dates() -> None:
    encoder = FakeEncoder("one", 8)
    views = views_of({**PUBLIC, "s.md": SECRET})
    names = name_vectors(encoder, sorted(views.whole.indexes.graph.concepts()))
    views.apply(Batch(vectors=names, reads_s={"s.md": NOW_S}))
    shown = read_note("s.md", SECRET.replace("true", "false"))
    dates = CommitDates(1.0, 2.0, shown.note.content_hash)
    views.apply(Batch(commits={"s.md": dates}))
    assert "hidden" not in dict(views.public.indexes.name_vectors.items())
    vectors = vectors_of(encoder, [shown.note])
    views.apply(Batch(put=(shown,), vectors=vectors))
    assert dump(views.public.snapshot) == dump(views.whole.snapshot)
    assert "hidden" in dict(views.public.indexes.name_vectors.items())
    assert views.public.snapshot.dates("s.md") == views.whole.snapshot.dates("s.md")
    assert views.public.snapshot.reads_s == views.whole.snapshot.reads_s


def test_communities_name_no_concept_that_only_private_notes_mention() -> None:
    views = views_of({**PUBLIC, "s.md": SECRET})
    rows = [
        Community(1, ("a", "b", "hidden"), ("hidden", "a"), ("hidden", "b")),
        Community(2, ("b", "hidden"), ("hidden",), ("hidden",)),
        Community(3, ("hidden",), ("hidden",), ()),
    ]
    by_id = {row.id: row for row in rows}
    views.use_communities(Communities(1, by_id, {}, 0.5))
    whole, public = (
        communities(engine.snapshot, CommunitiesRequest()).communities
        for engine in (views.whole, views.public)
    )
    assert [row.central for row in whole] == [row.central for row in rows]
    assert [(row.central, row.bridges) for row in public] == [(("a",), ("b",)), (("b",), ())]


def test_a_file_of_a_private_folder_stays_unknown_when_it_comes_later_or_becomes_a_note() -> None:
    views = views_of({**PUBLIC, "s.md": SECRET})
    views.apply(Batch(others_put=("diary/pic.png", "diary/d.md")))
    assert dump(views.public.snapshot) == rebuilt(PUBLIC)
    views.apply(Batch(put=(read_note("diary/d.md", "[[b]]"),), others_dropped=("diary/d.md",)))
    assert views.is_private("diary/d.md")
    assert set(views.whole.snapshot.lists.private) == {"s.md", "diary/pic.png", "diary/d.md"}
    assert dump(views.public.snapshot) == rebuilt(PUBLIC)
    views.apply(Batch(put=(read_note("diary/d.md", "[[b]] [[b]]"),)))
    assert dump(views.public.snapshot) == rebuilt(PUBLIC)


def test_dates_of_events_from_before_a_note_was_private_still_count() -> None:
    views = TwoViews(SETTINGS)
    views.apply(put(a=PUBLIC["a.md"], b=PUBLIC["b.md"]))
    views.apply(Batch(edits_s={"a.md": NOW_S + 9}, reads_s={"b.md": NOW_S}))
    views.apply(put(s=SECRET))
    views.apply(put(a=PUBLIC["a.md"] + " more"))
    whole, public = views.whole.snapshot, views.public.snapshot
    assert public.dates("a.md").changed_s == whole.dates("a.md").changed_s == NOW_S + 9
    assert public.reads_s == whole.reads_s


def test_names_that_were_found_in_all_notes_are_looked_for_again_in_public_ones() -> None:
    notes = {"zorro.md": "---\nprivate: true\n---\nx", "a.md": "text"}
    leader, views = engine_of(notes, settings=SETTINGS), views_of(notes)
    batch = put(a="seen by zorro")
    leader.apply(batch)
    assert leader.found_names is not None
    assert leader.found_names.held == {"a.md": ("zorro",)}
    views.apply(replace(batch, found_names=leader.found_names))
    assert dump(views.whole.snapshot) == dump(leader.snapshot)
    assert dump(views.public.snapshot) == rebuilt({"a.md": "seen by zorro"})


def test_a_link_with_a_slash_at_its_end_leads_to_no_private_note() -> None:
    links = {"n.md": "[[diary/plan b/]] [[diary/plan b]] [[plan b/]]"}
    replaced = {"new.md": '---\nsupersedes: "[[diary/plan b/]]"\n---\n[[a]]\n'}
    notes = {**PUBLIC, **links, **replaced}
    views = views_of({**notes, "diary/plan b.md": "secret"})
    assert dump(views.public.snapshot) == rebuilt(notes)
    views.apply(Batch(dropped=("diary/plan b.md",)))
    assert dump(views.whole.snapshot) == dump(views.public.snapshot) == rebuilt(notes)
