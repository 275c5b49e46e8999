"""Secrets in the text of notes are masked, and what only looks like one is not."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.masking import secrets
from clew.text.masking.secrets import (
    SECRET_CHARACTERS_MIN,
    cut_before_secret,
    json_may_have_secrets,
    masked,
    masked_lines,
    masked_span,
    may_have_secrets,
    secrets_in,
    secrets_near,
)
from tests.examples import examples
from tests.tables import for_each_row
from tests.timed import check_within

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
        ("Authorization: Bearer a1b2c3d4e5f6g7h8i9j0", "Authorization: Bearer [REDACTED:SECRET]"),
        ("at postgres://clew:hunter@db/x", "at postgres://clew:[REDACTED:SECRET]@db/x"),
        ("hooks.slack.com/services/T00000000/B00000000/a1b2c3d4e5f6g7h8",
         "hooks.slack.com/services/[REDACTED:SECRET]"),
        ("**Password**: `s3cr3tvalue1234`", "**Password**: `[REDACTED:SECRET]`"),
        ("**API key:** s3cr3tvalue1234", "**API key:** [REDACTED:SECRET]"),
        ("'secret' => 's3cr3tvalue1234'", "'secret' => '[REDACTED:SECRET]'"),
        ("BOT_TOKEN=s3cr3tvalue1234", "BOT_TOKEN=[REDACTED:SECRET]"),
        ("AccountKey=s3cr3tvalue1234==;", "AccountKey=[REDACTED:SECRET];"),
        ("pwd: s3cr3tvalue1234", "pwd: [REDACTED:SECRET]"),
        ("passphrase: s3cr3tvalue1234", "passphrase: [REDACTED:SECRET]"),
        ("SECRET_KEY_BASE: s3cr3tvalue1234", "SECRET_KEY_BASE: [REDACTED:SECRET]"),
    ],
)  # fmt: skip
def test_secrets_are_masked(text: str, shown: str) -> None:
    assert masked(text) == (shown, 1)
    assert json_may_have_secrets(json.dumps({"text": text}).encode())


def test_the_shortest_secret_is_masked() -> None:
    shortest = "://a:b1c2d3@"
    assert len(shortest) == SECRET_CHARACTERS_MIN
    assert masked(shortest) == ("://a:[REDACTED:SECRET]@", 1)


# The beginnings of keys and tokens, as those who issue them write them, and what may follow.
LETTERS, HEX, CAPITALS = "aB3dE6gH9" * 12, "0a1b2c3d4e5f" * 12, "A2C4E6G8" * 12
JWT = f"eyJ{LETTERS}.eyJ{LETTERS * 9}.{LETTERS * 2}"


@for_each_row(
    ("token", "kind"),
    [
        (f"AGE-SECRET-KEY-1{CAPITALS[:58]}", "AGE_KEY"),
        (f"glpat-{LETTERS[:20]}", "GITLAB_TOKEN"),
        (f"xapp-1-A012-345-{HEX[:64]}", "SLACK_TOKEN"),
        (f"AIza{LETTERS[:35]}", "GOOGLE_KEY"),
        (f"GOCSPX-{LETTERS[:28]}", "GOOGLE_KEY"),
        (f"ya29.{LETTERS[:60]}", "GOOGLE_TOKEN"),
        (f"sk_live_{LETTERS[:24]}", "STRIPE_KEY"),
        (f"whsec_{LETTERS[:32]}", "STRIPE_KEY"),
        (f"sk-ant-{LETTERS[:80]}", "API_KEY"),
        (f"key-{HEX[:32]}", "API_KEY"),
        (f"npm_{LETTERS[:36]}", "NPM_TOKEN"),
        (f"pypi-AgE{LETTERS[:80]}", "PYPI_TOKEN"),
        (f"hf_{LETTERS[:34]}", "HUGGINGFACE_TOKEN"),
        (f"SG.{LETTERS[:22]}.{LETTERS[:43]}", "SENDGRID_KEY"),
        (f"dop_v1_{HEX[:64]}", "DIGITALOCEAN_TOKEN"),
        (f"dckr_pat_{LETTERS[:27]}", "DOCKER_TOKEN"),
        (f"shpat_{HEX[:32]}", "SHOPIFY_TOKEN"),
        (f"lin_api_{LETTERS[:40]}", "LINEAR_KEY"),
        (f"figd_{LETTERS[:40]}", "FIGMA_TOKEN"),
        (f"ATATT3{LETTERS[:60]}", "ATLASSIAN_TOKEN"),
        (f"hvs.{LETTERS[:90]}", "VAULT_TOKEN"),
        (f"dapi{HEX[:32]}", "DATABRICKS_TOKEN"),
        (f"123456789:AA{LETTERS[:33]}", "TELEGRAM_TOKEN"),
    ],
)
def test_tokens_are_known_by_their_forms(token: str, kind: str) -> None:
    assert masked(f"({token}) and {token[:9]}") == (f"([REDACTED:{kind}]) and {token[:9]}", 1)
    assert masked(f"a{token}")[0] == f"a{token}"


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
        "token: the unit of text, of which one has 4 letters",
        "the password manager: 1 of 12",
        "https://example.org:8080/a@b and http://localhost:8765/?to=me@example.org",
        "hf_hub_download and npm_config_registry, glob-pattern and do_v1",
        "Bearer tokens are not refreshed",
        "mysql://username:password@localhost/x",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert masked(text) == (text, 0)


@for_each_row(
    ("before", "token"),
    [
        ("token ", f"ghp_{LETTERS * 6}"),
        ("token ", JWT),
        ("access token: ", LETTERS * 40),
        ("Authorization: Bearer ", LETTERS * 40),
        ('password = "', LETTERS * 5),
        ("https://me:", LETTERS * 5),
    ],
)
def test_a_long_token_is_masked_whole(before: str, token: str) -> None:
    end = "@example.org" if "//" in before else '"'
    text = f"See this.\n{before}{token}{end} and more"
    shown, count = masked(text)
    assert count == 1
    assert shown.startswith(f"See this.\n{before}[REDACTED:")
    assert shown.endswith(f"]{end} and more")
    middle = text.index(token) + len(token) // 2
    assert masked_span(text, middle, middle + 50)[0].count("[REDACTED:") == 1


@for_each_row("most", [20, 30, 40, 52, 53, 60])
def test_a_text_is_cut_before_a_secret(most: int) -> None:
    text = "note: deploy token ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5 and so on"
    start, end = text.index("ghp"), text.index(" and")
    shown = cut_before_secret(text, most)
    assert shown == text[: start if start < most < end else most]


@examples(100)
@given(st.text(), st.text())
def test_a_key_is_masked_wherever_it_stands(before: str, after: str) -> None:
    text, count = masked(f"{before} AKIAIOSFODNN7EXAMPLE {after}")
    assert "AKIAIOSFODNN7EXAMPLE" not in text
    assert count >= 1


@pytest.mark.parametrize(
    "part",
    [
        "-----BEGIN PRIVATE KEY-----",
        "eyJ-",
        "password=",
        "sk-",
        "a.",
        "://a:",
        "0",
        "hf_",
        "SG.",
        "Bearer ",
    ],
)
def test_masking_takes_linear_time(part: str) -> None:
    text = part * 60_000
    check_within(2.0, lambda: masked(text), times=3)


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


def test_lines_from_the_middle_of_a_private_key_are_masked() -> None:
    body = "\n".join(f"{number:02}" + "MIIEpAIBAAKCAQEA" * 3 for number in range(30))
    text = f"before\n-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\nafter\n"
    start = text.index("20MII")
    shown, first, last = masked_span(text, start, start + 40)
    assert shown[first:last] == "[REDACTED:PRIVATE_KEY]"


LINES = (
    JWT,
    "AKIAIOSFODNN7EXAMPLE",
    "password: aB3dE5gH7jK9",
    "Bearer ",
    "a1b2c3d4e5f6g7h8i9j0",
    "tide",
)


@examples(200)
@given(st.lists(st.sampled_from((*LINES, BLOCK, " ", "\n", "x" * 700)), max_size=9), st.data())
def test_the_secrets_near_a_span_are_those_of_the_whole_text(
    parts: list[str], data: st.DataObject
) -> None:
    text = "".join(parts)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    hidden = {at for each in secrets_near(text, start, end) for at in range(each.start, each.end)}
    whole = {at for each in secrets_in(text) for at in range(each.start, each.end)}
    assert hidden & set(range(start, end)) == whole & set(range(start, end))


@examples(200)
@given(
    st.lists(st.sampled_from((*LINES, *BLOCK.split("\n"), " ", "\n", "\ud800")), max_size=9),
    st.data(),
)
def test_a_text_whose_part_may_have_secrets_may_have_them(
    parts: list[str], data: st.DataObject
) -> None:
    text = "".join(parts)
    start = data.draw(st.integers(0, len(text)))
    part = text[start : data.draw(st.integers(start, len(text)))]
    assert may_have_secrets(text) >= may_have_secrets(part) >= bool(secrets_in(part))


def test_a_passage_of_whole_lines_is_searched_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []
    monkeypatch.setattr(secrets, "may_have_secrets", searched.append)
    text = "above\n\nthe passage\nof two lines\n\nbelow\n"
    passage = "the passage\nof two lines\n"
    start = text.index(passage)
    secrets_near(text, start, start + len(passage))
    assert searched == [passage]
