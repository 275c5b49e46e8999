"""Links, names and front matter as other tools and the specifications have them."""

import random
import unicodedata

from clew.index.names import NameIndex, NamingRules
from clew.text.concept import normalize
from clew.values.note import LinkKind, Note
from tests.conformance.conftest import rows
from tests.parsing import parse_note
from tests.vaults import note_from_bytes

OWN_KINDS = (LinkKind.WIKI, LinkKind.EMBED)


def note_of(text: str) -> Note:
    return parse_note("a.md", "hash", text)


def test_every_uncontested_link_case() -> None:
    cases = [case for case in rows("conformance/link_cases.jsonl") if case["contested"] is None]
    assert len(cases) >= 20
    for case in cases:
        found = [
            {
                "target": link.target,
                "fragment": link.fragment or "",
                "alias": link.alias or "",
                "embed": link.kind is LinkKind.EMBED,
            }
            for link in note_of(case["input"]).links
            if link.kind in OWN_KINDS
        ]
        assert found == case["links"], case["id"]


def test_every_uncontested_resolution_case() -> None:
    cases = [case for case in rows("conformance/resolve_cases.jsonl") if case["contested"] is None]
    assert cases
    for case in cases:
        names = NameIndex(NamingRules(titles=True, aliases=True))
        # Notes of other tools may end in .mdx; only the chosen file matters here.
        files = {file.strip("/").replace(".mdx", ".md"): file for file in case["files"]}
        for path in files:
            names.put(path, ())
        found = names.resolve(case["target"])
        assert (files[found] if found else None) == case["expected"], case["id"]


def test_every_concept_case() -> None:
    cases = rows("conformance/concept_cases.jsonl")
    assert cases
    for case in cases:
        assert normalize(case["input"]) == case["concept"], case["id"]


def test_a_link_in_code_never_counts_and_one_in_text_always_does() -> None:
    probes = [probe for probe in rows("conformance/commonmark_probes.jsonl") if probe["plain"]]
    assert len(probes) > 300
    for probe in probes:
        found = any(link.target == probe["probe"] for link in note_of(probe["markdown"]).links)
        assert found == (probe["place"] == "text"), probe["id"]


def test_no_front_matter_case_loses_the_body() -> None:
    cases = rows("conformance/frontmatter_cases.jsonl")
    assert cases
    for case in cases:
        note = note_from_bytes("a.md", case["text"].encode("utf-8", "surrogatepass"))
        if "[[after]]" in case["text"] and not note.name_only:
            assert "after" in {link.target for link in note.links}, case["id"]


def test_no_naughty_string_harms_a_note() -> None:
    cases = rows("conformance/naughty_cases.jsonl")
    assert cases
    for case in cases:
        text = case["string"]
        for form in (
            text,
            f"---\ntitle: {text}\n---\n{text}",
            f"[[{text}]] [a]({text}.md) #{text}",
        ):
            note_from_bytes("a.md", form.encode("utf-8", "surrogatepass"))
        assert normalize(normalize(text)) == normalize(text), case["id"]


def test_normalizing_a_million_adversarial_strings_twice_changes_nothing() -> None:
    """Strings of combining marks, format characters, compatibility forms and jamo."""
    chosen = random.Random(20_260)
    points = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    marks = [c for c in points if unicodedata.combining(c)]
    formats = [c for c in points if unicodedata.category(c) in ("Cf", "Cc", "Zs", "Zl", "Zp")]
    special = [c for c in points if c.casefold() != c or unicodedata.normalize("NFKC", c) != c]
    jamo = [chr(point) for point in (*range(0x1100, 0x1200), *range(0xAC00, 0xAC40))]
    pools = [marks, marks, formats, special, special, list("abzAZ-_/ .\t\n0<>="), jamo]
    for _ in range(1_000_000):
        length = chosen.randint(1, 6)
        text = "".join(chosen.choice(chosen.choice(pools)) for _ in range(length))
        once = normalize(text)
        assert normalize(once) == once, ascii(text)
