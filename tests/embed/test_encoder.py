"""The encoder against model2vec; the vector of a text does not depend on other texts."""

import pkgutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model2vec import StaticModel
from tokenizers import Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import BPE, Model, Unigram, WordLevel, WordPiece

import clew
from clew.embed.encoder import Encoder
from clew.embed.models import open_model, token_vectors
from clew.embed.quantized import quantize
from tests.examples import examples
from tests.tables import for_each_row
from tests.timed import check_within

PACKAGE = Path(clew.__file__).parent
NOTES = sorted((PACKAGE.parent.parent / "sample-vault").rglob("*.md"))
LETTERS = "abcdefghij"

texts = st.lists(st.text(st.sampled_from("aAbcdefghijkz .,\u00e9\n[]"), max_size=60), max_size=9)


@pytest.fixture(scope="module")
def builtin() -> Encoder:
    return open_model("builtin")


@pytest.fixture(scope="module")
def another() -> Encoder:
    """Return a second copy of the model, after it has encoded other words."""
    opened = open_model("builtin")
    opened.encode(["A clock drifts."])
    return opened


def tokenizer(kind: str) -> Tokenizer:
    """Return a tokenizer that knows ten letters and some of their pairs."""
    pairs = ["ab", "cd", "ef"]
    known = ["?", *LETTERS, *pairs]
    scored = [(piece, -1.0) for piece in known]
    inside = ["##" + piece for piece in [*LETTERS, *pairs]]
    models: dict[str, Model] = {
        "level": WordLevel({w: n for n, w in enumerate(known)}, unk_token="?"),
        "pieces": WordPiece(
            {w: n for n, w in enumerate([*known, *inside, ".", ","])}, unk_token="?"
        ),
        "merges": BPE(
            {w: n for n, w in enumerate(known)},
            [("a", "b"), ("c", "d"), ("e", "f")],
            unk_token="?",
        ),
        "unigram": Unigram(scored, unk_id=0),
        "letters": BPE({w: n for n, w in enumerate(LETTERS)}, []),
    }
    made = Tokenizer(models[kind])
    by_word = kind == "pieces"
    made.normalizer = normalizers.BertNormalizer() if by_word else normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return made


def model(kind: str, dtype: str, extra: str, max_length: int | None) -> StaticModel:
    drawn = np.random.default_rng(5)
    made = tokenizer(kind)
    count = made.get_vocab_size()
    row_count = count // 2 if extra == "mapping" else count
    table = drawn.normal(size=(row_count, 7)) * 40
    return StaticModel(
        vectors=table.astype(dtype),
        tokenizer=made,
        weights=None if extra == "none" else drawn.uniform(0.5, 2, count).astype("float32"),
        token_mapping=drawn.integers(0, row_count, count) if extra == "mapping" else None,
        max_length=max_length,
    )


def encoder(made: StaticModel) -> Encoder:
    vectors = token_vectors(made.embedding, made.weights, made.token_mapping)
    return Encoder(Tokenizer.from_str(made.tokenizer.to_str()), vectors, made.max_length, "", 0.0)


def assert_alike(ours: Encoder, theirs: StaticModel, among: list[str], step: int) -> None:
    """Fail if codes differ by more than ``step``, or if only ``theirs`` has a vector."""
    plain = theirs.encode(among, use_multiprocessing=False).astype(np.float32)
    found, expected = ours.encode(among), quantize(plain)
    # Where vectors cancel out, the direction of the sum is due to rounding.
    counts = np.linalg.norm(plain, axis=1) > 1e-2
    assert (found.scales[counts] > 0).all()
    apart = np.abs(found.rows.astype(int) - expected.rows)[counts]
    assert apart.max(initial=0) <= step


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["level", "pieces", "merges", "unigram", "letters"])
@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64"])
@pytest.mark.parametrize("extra", ["none", "weights", "mapping"])
@pytest.mark.parametrize("max_length", [None, 1, 4, 512])
@examples(10)
@given(among=texts.filter(bool))
def test_vectors_are_those_of_model2vec(
    kind: str, dtype: str, extra: str, max_length: int | None, among: list[str]
) -> None:
    theirs = model(kind, dtype, extra, max_length)
    assert_alike(encoder(theirs), theirs, among, 1 if dtype != "float16" else 3)


def chunks() -> list[str]:
    whole = [path.read_text(errors="replace") for path in NOTES]
    return [text[start : start + 1_000] for text in whole for start in range(0, len(text), 1_000)]


def test_the_builtin_model_gives_the_vectors_of_model2vec(builtin: Encoder) -> None:
    theirs = StaticModel.from_pretrained(PACKAGE / "data" / "builtin")
    long = ["tide gauge, " * 400, "x" * 9_000]
    assert len(chunks()) > 50
    known = [text for text in chunks() if text.isascii() or builtin.encode([text]).rows.any()]
    assert len(known) > 0.9 * len(chunks())
    assert_alike(builtin, theirs, known + long, 1)


@examples(100)
@given(among=st.lists(st.sampled_from(chunks()) | st.text(), max_size=6), data=st.data())
def test_the_vector_of_a_text_does_not_depend_on_other_texts(
    builtin: Encoder, another: Encoder, among: list[str], data: st.DataObject
) -> None:
    found = builtin.encode(among)
    order = data.draw(st.permutations(range(len(among))))
    again = another.encode([among[place] for place in order])
    assert again.rows.tobytes() == found.rows[order].tobytes()
    assert again.scales.tobytes() == found.scales[order].tobytes()


def test_more_than_one_batch_of_texts_keeps_its_order(builtin: Encoder) -> None:
    among = [f"tide {number}" for number in range(2_500)]
    found = builtin.encode(among)
    for place in (0, 1_023, 1_024, 2_499):
        assert found.rows[place].tobytes() == builtin.encode([among[place]]).rows.tobytes()


@pytest.mark.parametrize("text", ["", " \n\t", "\u0e01\u0e02\u0e03", "\x00", "\ud800", "\u200b"])
def test_a_text_without_known_wordpieces_has_no_vector(builtin: Encoder, text: str) -> None:
    found = builtin.encode(["tide", text])
    assert found.scales[0] > 0
    assert found.scales[1] == 0
    assert not found.rows[1].any()


def test_special_tokens_in_a_text_are_text(builtin: Encoder) -> None:
    apart, together = builtin.encode(["[ unk ] [ pad ]", "[UNK] [PAD]"]).rows
    assert apart.tolist() == together.tolist()


def test_no_texts_give_no_vectors(builtin: Encoder) -> None:
    assert builtin.encode([]).rows.shape == (0, 256)
    assert builtin.dimensions == 256


@pytest.mark.slow
@pytest.mark.parametrize("text", ["a" * 10_000_000, "a " * 5_000_000, "\u6f6e" * 5_000_000])
@pytest.mark.parametrize("max_length", [512, None])
def test_time_is_bounded_for_texts_of_any_length(text: str, max_length: int | None) -> None:
    made = Tokenizer.from_buffer(pkgutil.get_data("clew", "data/builtin/tokenizer.json") or b"")
    vectors = token_vectors(np.ones((made.get_vocab_size(), 2), dtype=np.float32), None, None)
    bounded = Encoder(made, vectors, max_length, "")
    check_within(1.5, lambda: bounded.encode([text]))


@pytest.mark.parametrize(
    "text",
    [
        "\u0447\u0430\u0441\u044b \u0438\u0434\u0443\u0442",
        "\u0e19\u0e49\u0e33\u0e02\u0e36\u0e49\u0e19\u0e19\u0e49\u0e33\u0e25\u0e07\u0e43\u0e19\u0e17\u0e30\u0e40\u0e25",
        "\u0627\u0644\u0633\u0627\u0639\u0629",
    ],
    ids=["Russian", "Thai", "Arabic"],
)
def test_a_text_with_few_known_letters_has_no_vector(builtin: Encoder, text: str) -> None:
    found = builtin.encode([text, f"{text} tide", "the tide gauge na\u00efvely drifts"])
    assert [bool(row.any()) for row in found.rows] == [False, False, True]


@pytest.mark.parametrize(
    ("name", "is_known"),
    [
        ("tide gauge", True),
        ("tokenization", True),  # token, ##ization
        ("redis search", True),  # "search" has most letters
        ("php", True),  # one wordpiece
        ("lstm", False),
        ("vue", False),
        ("redis-json", False),
        ("潮汐", False),
        ("", False),
        ("-- (!)", False),
    ],
)
def test_a_name_is_known_by_its_words(builtin: Encoder, name: str, is_known: bool) -> None:
    assert builtin.knows(name) is is_known


@for_each_row(
    ("word", "is_known"),
    [("summer", True), ("harmonic", True), ("analisys", False), ("teh", False), ("##s", False)],
)
def test_a_common_word_is_told_from_a_slip(word: str, *, is_known: bool) -> None:
    assert open_model("builtin").has_word(word) is is_known


def test_words_that_any_text_may_have_are_less_specific(builtin: Encoder) -> None:
    common = [builtin.specificity(word) for word in ("many", "how", "much", "take")]
    telling = [builtin.specificity(word) for word in ("battery", "gauge", "encryption", "radar")]
    assert 0.0 < min(common) <= max(common) < 0.5
    assert 0.8 < min(telling) <= max(telling) <= 1.0
    # Of several wordpieces, without any, of another script, and a number, which is a wordpiece.
    others = ("cambados", "", "潮汐", "1999")
    assert [builtin.specificity(word) for word in others] == [1.0] * 4


def test_words_are_equally_specific_to_a_model_with_vectors_of_one_length() -> None:
    pieces = tokenizer("level")
    table = np.eye(pieces.get_vocab_size(), dtype=np.float32)
    model = Encoder(pieces, token_vectors(table, None, None), None, "")
    assert [model.specificity(word) for word in ("a", "ab", "zz")] == [1.0] * 3
