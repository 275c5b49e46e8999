"""Which words of a text are highlighted for a query."""

from hypothesis import given
from hypothesis import strategies as st

from clew.surface.cli.highlights import QueryWords
from tests.tables import for_each_row

texts = st.text(st.sampled_from("aA bé_-.'e\u0301ßİ潮位検ก\u0e34์한1\n"), max_size=30)


def marked(query: str, text: str) -> str:
    """Return ``text`` with the highlighted spans in brackets."""
    shown, at = "", 0
    for start, end in QueryWords(query).spans(text):
        shown += f"{text[at:start]}[{text[start:end]}]"
        at = end
    return shown + text[at:]


@for_each_row(
    ("query", "shown"),
    [
        ("clock drift", "A [clock] [drifts]; an o'[clock] too, no overdrift."),
        ("drifting clocks", "The [clock] has a [drift]."),
        ("theory", "the other [theory], theoretical"),
        ("why does the clock drift in the cold", "in the [cold] the [clock] will [drift]"),
        ("the", "[the] [then] other"),
        ("ids", "id [ids]"),
        ("M2", "[M2] and [m2], not M24"),
        ("sesión", "[Sesion], [SESIÓN], [sesio\u0301n], [sesiones]"),
        ("sesion", "[sesión]"),
        ("STRASSE", "[Straße]"),
        ("clock_drift", "[clock]-[drift]"),
        ("潮位", "検潮所は[潮位]を測る。位潮"),
        ("検潮所の潮位", "[検潮所]と[潮位]計"),
        ("潮", "[潮]汐[潮]"),
        ("กขค ข", "กค [กขค]"),
        ("กขค", "กข [กขค]"),
        ("GPS時刻", "[GPS][時刻]に"),
        ("น้ำขึ้น", "ระดับ[น้ำขึ้น]สูง"),
        ("гидро", "[Гидрология] воды"),
        ("tide", ""),
        ("!?", "what!?"),
    ],
)
def test_matching_words_are_highlighted(query: str, shown: str) -> None:
    text = shown.replace("[", "").replace("]", "")
    assert marked(query, text) == shown.replace("][", "")


@given(texts, texts)
def test_spans_are_within_the_text_in_order_and_never_touch(query: str, text: str) -> None:
    ends = [place for span in QueryWords(query).spans(text) for place in span]
    assert ends == sorted(set(ends))
    assert not ends or (ends[0] >= 0 and ends[-1] <= len(text))


@given(texts.filter(lambda text: any(c.isalnum() for c in text)))
def test_a_query_matches_itself(query: str) -> None:
    assert QueryWords(query).spans(query)


@given(texts, texts)
def test_case_does_not_matter(query: str, text: str) -> None:
    query, text = query.replace("İ", ""), text.replace("İ", "").replace("ß", "")
    assert QueryWords(query).spans(text) == QueryWords(query.swapcase()).spans(text.swapcase())
