"""Secrets in the text of notes: keys, tokens and private key blocks, and how they are masked.

Secrets are found by a form that nothing else has, or as a value assigned to a name such as
``password``.
The hash of a commit, a UUID and a URI are no secrets. A pattern matches a text in one way only, so
the time is linear.

What is shown of a note is masked before it is cut, since a part of a secret has no form of its own.
"""

import re
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from typing import NamedTuple

from clew.text.masking.forms import FORMS
from clew.text.patterns import compiled_bytes

# Whether what is shown is masked: ``[context] mask_secrets``, which the server sets at its start.
is_masking: ContextVar[bool] = ContextVar("is_masking", default=True)

SECRET_CHARACTERS_MAX = 20_100  # of a private key block, or of a token, which has no blanks
NAME_CHARACTERS_MAX = 100  # of the name that a secret is assigned to, and what is between
SECRET_CHARACTERS_MIN = 12  # of any, with its prefix or name: most names and types have fewer

_BLANKS = (" ", "\t", "\n")
_BLOCK = (
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?!-----END )[\s\S]){0,20000}"
    r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?"
)
_FORM = re.compile(
    r"(?<![A-Za-z0-9])(?=[ADGSadefghklnprswxy0-9])(?:"
    + "|".join(f"(?P<f{number}>{pattern})" for number, (_, _, pattern) in enumerate(FORMS))
    + f")|(?P<block>{_BLOCK})"
)
# Searched in lower-cased text, which takes a seventh of the time that ignoring the case takes.
_ASSIGNED = re.compile(
    r"(?:api[ _-]?key|access[_-]?key|account[_-]?key|secret(?:[_-]?(?:access[_-]?)?key)?(?:_base)?"
    r"|client[_-]?secret|token|password|passwd|passphrase|(?<![a-z])pwd)"
    r"[\"'*`]{0,3}[ \t]{0,3}(?:=>|:=|[:=])[*]{0,2}[ \t]{0,3}[\"'`]?"
    r"(?P<value>[a-z0-9+/_=.~!@$%^&*-]{12,}+)"
)
_ASSIGNED_IN_ANY_CASE = re.compile(_ASSIGNED.pattern, re.IGNORECASE)
_AUTHORIZATION = re.compile(r"\b[Bb](?:earer|asic)[ \t]{1,3}(?P<value>[A-Za-z0-9+/_=.~-]{20,}+)")
_WEBHOOK = re.compile(r"hooks\.slack\.com/services/(?P<value>T\w{6,32}/B\w{6,32}/\w{16,64})")
_IN_URL = re.compile(r"://[^\s/:@]{1,64}:(?!password@)(?P<value>[^\s/:@<>{}*$]{6,}+)@")
# A text with a secret, plain or as JSON, matches this. Most texts do not, which RE2 finds out in a
# tenth of the time. It looks at nothing around a match, so a part of a text matches only if all of
# it does. Notes are stored with the answer: raise the index file's ``LAYOUT`` when this changes.
_HINT = compiled_bytes(
    "|".join(("PRIVATE KEY", *(hint for _, hint, _ in FORMS)))
    + r"|hooks\.slack\.com|://[^\s/:@]{1,64}:[^\s/:@]{6,}@"
    r"|[Bb](?:earer|asic)(?:[ \t]|\\t){1,3}[\w+/=.~-]{20}"
    r"|(?i:key|secret|token|password|passwd|passphrase|pwd|_base)[\"'`*\\]{0,4}"
    r"(?:[ \t]|\\t){0,3}[:=][>=*]{0,2}(?:[ \t]|\\t){0,3}[^ \t]{12}"
)
_PUBLIC = re.compile(
    r"[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
)


class Secret(NamedTuple):
    """Where a secret is in a text, and of what kind."""

    start: int
    end: int
    kind: str

    @property
    def mask(self) -> str:
        """The text that is shown instead."""
        return f"[REDACTED:{self.kind}]"


def may_have_secrets(text: str) -> bool:
    """Return whether there may be secrets in a text or in any part of it."""
    return json_may_have_secrets(text.encode("utf-8", "replace"))


def json_may_have_secrets(data: bytes) -> bool:
    """Return whether there may be secrets in the strings of JSON, or in other UTF-8 text."""
    return _HINT.search(data) is not None


def secrets_in(text: str) -> list[Secret]:
    """Return the secrets in ``text``, in order, without overlap."""
    if len(text) < SECRET_CHARACTERS_MIN or not may_have_secrets(text):
        return []
    found = (*_with_forms(text), *_assigned(text, text.lower()), *_in_headers_and_urls(text))
    return _without_overlap(sorted(found))


def _with_forms(text: str) -> Iterator[Secret]:
    """Yield the secrets that are recognized by their form."""
    for match in _FORM.finditer(text):
        name = match.lastgroup
        assert name is not None
        kind = "PRIVATE_KEY" if name == "block" else FORMS[int(name[1:])][0]
        yield Secret(match.start(), match.end(), kind)


def _assigned(text: str, folded: str) -> Iterator[Secret]:
    """Yield the secrets that are values of a name; ``folded`` is the text in lower case."""
    is_aligned = len(folded) == len(text)
    matches = _ASSIGNED.finditer(folded) if is_aligned else _ASSIGNED_IN_ANY_CASE.finditer(text)
    for match in matches:
        start, end = match.span("value")
        if _looks_secret(text[start:end]):
            yield Secret(start, end, "SECRET")


def _in_headers_and_urls(text: str) -> Iterator[Secret]:
    """Yield the secrets in authorization headers, and in URLs."""
    for match in _AUTHORIZATION.finditer(text):
        if _looks_secret(match["value"]):
            yield Secret(*match.span("value"), "SECRET")
    for pattern in (_WEBHOOK, _IN_URL):
        for match in pattern.finditer(text):
            yield Secret(*match.span("value"), "SECRET")


def _without_overlap(secrets: Sequence[Secret]) -> list[Secret]:
    """Return secrets, given sorted by start, with overlapping ones merged."""
    joined: list[Secret] = []
    for secret in secrets:
        if joined and secret.start < joined[-1].end:
            last = joined[-1]
            kind = secret.kind if last.kind == "SECRET" else last.kind
            joined[-1] = Secret(last.start, max(last.end, secret.end), kind)
        else:
            joined.append(secret)
    return joined


def _looks_secret(value: str) -> bool:
    """Return whether an assigned value is no word, no hash of a commit and no UUID."""
    has_both = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return has_both and not _PUBLIC.fullmatch(value) and "://" not in value


def masked(text: str) -> tuple[str, int]:
    """Return ``text`` with its secrets masked, and how many there were."""
    secrets = secrets_in(text) if is_masking.get() else []
    for secret in reversed(secrets):
        text = text[: secret.start] + secret.mask + text[secret.end :]
    return text, len(secrets)


def masked_lines(text: str) -> str:
    """Return ``text`` with its secrets masked, and with as many lines as it had."""
    for secret in reversed(secrets_in(text) if is_masking.get() else []):
        line_ends = "\n" * text.count("\n", secret.start, secret.end)
        text = text[: secret.start] + secret.mask + line_ends + text[secret.end :]
    return text


def secrets_near(text: str, start: int, end: int) -> list[Secret]:
    """Return the secrets that overlap ``text[start:end]``, by their positions in ``text``.

    Looks at no more of the text beside the span than one secret may have. None but a private key
    has several lines, and none has blanks after its name, so that is mostly nothing.
    """
    block = text.rfind("-----BEGIN ", max(0, start - SECRET_CHARACTERS_MAX), start)
    first = _search_start(text, start) if block < 0 else block
    found = secrets_in(text[first : _search_end(text, start, end)])
    if not found:
        return []
    moved = (Secret(each.start + first, each.end + first, each.kind) for each in found)
    return [each for each in moved if each.start < end and each.end > start]


def _search_start(text: str, at: int) -> int:
    """Return a place at or before ``at`` before which no secret begins that reaches ``at``."""
    earliest = max(0, at - SECRET_CHARACTERS_MAX)
    run = max(earliest, *(text.rfind(blank, earliest, at) + 1 for blank in _BLANKS))
    earliest = max(0, run - NAME_CHARACTERS_MAX)
    return text.rfind("\n", earliest, run) + 1 or earliest


def _search_end(text: str, start: int, end: int) -> int:
    """Return a place at or behind the end of a span behind which no secret of it ends."""
    latest = min(len(text), end + SECRET_CHARACTERS_MAX)
    ends = (text.find(blank, max(start, end - 1), latest) for blank in _BLANKS)
    run = min((at for at in ends if at >= 0), default=latest)
    last = text.find("\n", run, run + NAME_CHARACTERS_MAX)  # the head of a key block has blanks
    return last + 1 if last >= 0 else run + NAME_CHARACTERS_MAX


def cut_before_secret(text: str, most: int) -> str:
    """Return ``text`` cut at ``most`` characters, or before a secret that would be cut there."""
    if len(text) <= most:
        return text
    return text[: min([most, *(secret.start for secret in secrets_near(text, most - 1, most))])]


def masked_span(text: str, start: int, end: int) -> tuple[str, int, int]:
    """Return ``text`` with the secrets in ``text[start:end]`` masked, and the span's new place."""
    secrets = secrets_near(text, start, end) if is_masking.get() else []
    for secret in reversed(secrets):
        first, last = max(start, secret.start), min(end, secret.end)
        text = text[:first] + secret.mask + text[last:]
        end += len(secret.mask) - (last - first)
    return text, start, end
