"""Scores of packs: whether a text holds the answer to a question, or the lines that answer it.

Texts are compared with white space squeezed and case folded. An answer counts where whole words
stand in a row as they do in it; a line counts only whole.
"""

import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_TITLE = re.compile(r"^# .*\n", re.MULTILINE)
_NO_SPANS = ("yes", "no")  # answers that are no part of a text

CountTokens = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and what answers it: a span of a note, or lines of notes."""

    text: str
    answer: str
    lines: tuple[str, ...]  # squeezed; none in a collection that names answers alone
    conversation: str = ""  # of the lines, in a collection of conversations


def load_questions(folder: str) -> list[Question]:
    """Return the questions of a collection that have an answer, or lines that answer them."""
    lines_by_id = {
        row["id"]: squeezed(row["text"]) for row in _rows(os.path.join(folder, "turns.jsonl"))
    }
    questions = []
    for row in _rows(os.path.join(folder, "queries.jsonl")):
        lines = [lines_by_id.get(each, "") for each in row.get("gold_turns", ())]
        answer = "" if lines_by_id else str(row.get("answer", ""))
        if any(lines) or answer.casefold() not in ("", *_NO_SPANS):
            conversation = next(iter(row.get("gold_turns", ())), "").partition(":")[0]
            found = tuple(filter(None, lines))
            questions.append(Question(row["query"], answer, found, conversation))
    return questions


def _rows(path: str) -> list[dict[str, Any]]:
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file.read().split("\n") if line]


def squeezed(text: str) -> str:
    """Return ``text`` folded, with single spaces for white space."""
    return " ".join(text.casefold().split())


def has_answer(text: str, answer: str) -> bool:
    """Return whether ``answer`` stands in ``text``, not as a part of longer words."""
    span = re.escape(squeezed(answer))
    return re.search(rf"(?<!\w){span}(?!\w)", squeezed(text)) is not None


def has_lines(text: str, lines: Sequence[str]) -> tuple[bool, bool]:
    """Return whether any of the lines, and whether all of them, are in ``text``."""
    flat = squeezed(text)
    found = [line in flat for line in lines]
    return any(found), all(found)


def means(texts: Sequence[str], questions: Sequence[Question]) -> tuple[float, ...]:
    """Return the share of texts with the answer, or those with any line and with all lines."""
    scores = [
        has_lines(text, question.lines) if question.lines else (has_answer(text, question.answer),)
        for text, question in zip(texts, questions, strict=True)
    ]
    return tuple(fmean(column) for column in zip(*scores, strict=True))


def whole_notes(
    paths: Sequence[str], texts: dict[str, str], budget: int, count_tokens: CountTokens
) -> str:
    """Return the notes one after the other, without front matter, cut at ``budget`` tokens."""
    parts: list[str] = []
    for path in paths:
        parts.append(texts[path])
        joined = "\n\n".join(parts)
        if count_tokens(joined) > budget:
            return _cut(joined, budget, count_tokens)
    return "\n\n".join(parts)


def _cut(text: str, budget: int, count_tokens: CountTokens) -> str:
    """Return the longest beginning of ``text``, in whole words, that has ``budget`` tokens."""
    ends = [match.end() for match in re.finditer(r"\S+", text)]
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(text[: ends[middle - 1]]) <= budget:
            low = middle
        else:
            high = middle - 1
    return text[: ends[low - 1]] if low else ""


def note_texts(vault: str) -> dict[str, str]:
    """Return the text of each note of a vault by path: its title, and its body."""
    texts = {}
    for folder, _, files in os.walk(vault):
        for name in filter(lambda each: each.endswith(".md"), files):
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8", errors="replace") as file:
                body = _TITLE.sub("", _FRONT_MATTER.sub("", file.read()), count=1).strip()
            texts[os.path.relpath(path, vault)] = f"{name.removesuffix('.md')}\n{body}"
    return texts
