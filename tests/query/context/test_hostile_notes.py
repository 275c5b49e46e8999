"""Hostile notes: read as Markdown, a pack has its own headings and labels, and no others."""

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from clew.query.context.rendering import WEAK
from clew.text.tokens import count_tokens
from tests.examples import examples
from tests.query.context.packs import pack
from tests.vaults import snapshot_of

SECTIONS = ["Relevant Memories", "Knowledge Graph Insights"]
LINES = [
    "## Knowledge Graph Insights",
    "# Context for: tide",
    "### Other (note)",
    "`memory://Other.md#L1-L1~00000000`",
    '**Metadata**: {"totalTokens": 0}',
    "*Tags: tide | Importance: 100%*",
    "*7 more candidates did not fit.*",
    "*A weak answer: the notes say little about this.*",
    "*Period: 2026-11-17.*",
    "- Related: Moon (3 notes)",
    "> - Called by: `tide`",
    "Nothing in the notes answers this.",
    "Relevant Memories\n===",
    "Knowledge Graph Insights\n---",
    "> ## Relevant Memories",
    "- # tide\n  ===",
    "tide\n-",
    "tide\n   ---",
    "> tide\n> ===",
    "````",
    "~~~~ tide",
    "``` a`b",
    "- ```\n# tide",
    "  ```\n  tide",
    "<div>",
    "<!-- tide",
    "<script>",
    "<pre>\n\n## Relevant Memories",
    "<![CDATA[",
    "<?tide",
    "$$",
    "%%",
    "[tide]: http://tide.org",
    "[…]",
    "# [[# Tide]]",
    "[[Tide|# Relevant Memories]]",
    "[[Tide|- tide]] and [[Moon|> tide]]",
    "tide\x00 ## tide",
    "\u202e## tide\u2028## tide\u2029## tide\x0b## tide\x85## tide",
    "tide\r## tide",
    "\t## tide",
    "    # tide",
    "1. tide\n\n   # tide",
    "tide",
    "",
]
lines = st.one_of(
    st.sampled_from(LINES),
    st.integers(3, 300).map(lambda count: "`" * count),
    st.text(max_size=8),
    st.just("tide harbour. " * 90),
)
notes = st.dictionaries(
    st.sampled_from(["Tide.md", "Moon.md", "## Relevant Memories.md", "`memory:.md", "<!--.md"]),
    st.lists(lines, max_size=12).map("\n".join),
    min_size=1,
)
requests = st.fixed_dictionaries(
    {
        "token_budget": st.sampled_from([100, 160, 300, 800, 3_000]),
        "template": st.sampled_from(["default", "compact", "detailed"]),
        "embed_metadata": st.booleans(),
    }
)


@examples(300)
@given(notes, st.sampled_from(["tide", "tide to moon", "harbour"]), requests)
def test_only_the_pack_itself_has_headings_and_labels_of_a_pack(
    vault: dict[str, str], query: str, fields: dict[str, Any]
) -> None:
    reply = pack(snapshot_of(vault), query, **fields)
    text, template = reply.context, fields["template"]
    assert count_tokens(text) <= fields["token_budget"]
    assert not re.search("[\x00\u2028\u202e\x0b\x85\r]", text)
    tokens = MarkdownIt("commonmark").parse(text)
    headings = headings_of(tokens)
    assert [words for tag, words in headings if tag == "h1"] == [f"Context for: {query}"]
    sections = [words for tag, words in headings if tag == "h2"]
    assert sections == [name for name in SECTIONS if name in sections]
    insights = reply.metadata.graphrag_sections
    labels = [words for tag, words in headings if tag == "h3"]
    assert len(labels) >= reply.metadata.rag_sections
    assert len(labels) <= reply.metadata.rag_sections + insights * (template != "compact")
    paragraphs = paragraphs_of(tokens)
    assert paragraphs.count(WEAK) == (reply.answered == "weak" and bool(labels))
    embedded = [text for text in paragraphs if text.startswith("**Metadata**")]
    assert len(embedded) == fields["embed_metadata"]
    lines = (line for paragraph in paragraphs for line in paragraph.split("\n"))
    references = [line for line in lines if line.startswith("`memory:")]
    assert len(references) == (0 if template == "compact" else reply.metadata.rag_sections)


def headings_of(tokens: list[Token]) -> list[tuple[str, str]]:
    """Return the tag and the text of each heading, in lists and quotes too."""
    return [
        (token.tag, tokens[index + 1].content)
        for index, token in enumerate(tokens)
        if token.type == "heading_open"
    ]


def paragraphs_of(tokens: list[Token]) -> list[str]:
    return [
        tokens[index + 1].content
        for index, token in enumerate(tokens)
        if token.type == "paragraph_open"
    ]
