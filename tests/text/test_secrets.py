"""Secrets in the text of notes are masked, and what only looks like one is not."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.secrets import masked, masked_lines, masked_span
from tests.examples import examples
from tests.tables import for_each_row

BLOCK = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nabc\n-----END RSA PRIVATE KEY-----"


@for_each_row(
    ("text", "shown"),
    [
        ("id AKIAIOSFODNN7EXAMPLE.", "id [REDACTED:AWS_KEY]."),
        (f"ghp_{'a1' * 18} x", "[REDACTED:GITHUB_TOKEN] x"),
        ("xoxb-123456789012-abcdef", "[REDACTED:SLACK_TOKEN]"),
        (f"before\n{BLOCK}\nafter", "before\n[REDACTED:PRIVATE_KEY]\nafter"),
        ("-----BEGIN PRIVATE KEY-----\nMIIE", "[REDACTED:PRIVATE_KEY]"),
        ("api_key = 's3cr3tvalue1234'", "api_key = '[REDACTED:SECRET]'"),
        ("API_KEY: S3CR3TVALUE1234", "API_KEY: [REDACTED:SECRET]"),
        ("\u0130 Api-Key: S3CR3TVALUE1234", "\u0130 Api-Key: [REDACTED:SECRET]"),
        ("password=a.AKIAIOSFODNN7EXAMPLE.b", "password=[REDACTED:AWS_KEY]"),
        (f"secret: ghp_{'a1' * 18}", "secret: [REDACTED:GITHUB_TOKEN]"),
        ("eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSMeK", "[REDACTED:JWT]"),
    ],
)
def test_secrets_are_masked(text: str, shown: str) -> None:
    assert masked(text) == (shown, 1)


@for_each_row(
    "text",
    [
        "46a42055f0c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5",  # a commit
        "secret_key: 46a42055f0c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5",
        "123e4567-e89b-12d3-a456-426614174000",
        "memory://notes/AKIA.md#L14-L27~1a2b3c4d",
        "the password is a word that nobody knows",
        "password: correct-horse-battery",
        "sk-test and xoxo",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert masked(text) == (text, 0)


@examples(100)
@given(st.text(), st.text())
def test_a_key_is_masked_wherever_it_stands(before: str, after: str) -> None:
    text, count = masked(f"{before} AKIAIOSFODNN7EXAMPLE {after}")
    assert "AKIAIOSFODNN7EXAMPLE" not in text
    assert count >= 1


@pytest.mark.parametrize("part", ["-----BEGIN PRIVATE KEY-----", "eyJ-", "password=", "sk-", "a."])
def test_masking_takes_linear_time(part: str) -> None:
    text = part * 60_000
    began_s = time.process_time()
    masked(text)
    assert time.process_time() - began_s < 2.0


@examples(200)
@given(st.text(alphabet="ab \n", max_size=40), st.data())
def test_a_span_is_masked_where_a_secret_reaches_into_it(before: str, data: st.DataObject) -> None:
    text = f"{before}\n{BLOCK}\n AKIAIOSFODNN7EXAMPLE {before}"
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    shown, first, last = masked_span(text, start, end)
    span = shown[first:last]
    assert not any(part in span for part in ("MIIE", "abc\n", "KIA", "EXAM")), span
    assert (shown[:first], shown[last:]) == (text[:start], text[end:])
    masks = "[REDACTED:PRIVATE_KEY]", "[REDACTED:AWS_KEY]"
    assert masked_lines(text).count("\n") == text.count("\n")
    assert all(mask in masked_lines(text) for mask in masks)
