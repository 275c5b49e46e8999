"""Usage errors say what to type instead."""

import os

import click
import pytest

from clew.surface.cli.commands import cli, commands
from clew.surface.cli.words.mistakes import _COMMANDS_BY_OTHER_NAME


def _told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert commands(words) == 2
    out, error = capsys.readouterr()
    assert out == ""
    return error


@pytest.mark.parametrize("group", [(), ("session",), ("service",), ("session", "scratch")])
def test_a_group_alone_prints_its_help_and_no_error(
    capsys: pytest.CaptureFixture[str], group: tuple[str, ...]
) -> None:
    told = _told(capsys, *group)
    assert told.startswith(f"Usage: {' '.join(('clew', *group))} ")
    assert "Error" not in told


def test_no_other_name_of_a_command_is_a_command_itself() -> None:
    assert cli.commands.keys().isdisjoint(_COMMANDS_BY_OTHER_NAME)
    for name in set(_COMMANDS_BY_OTHER_NAME.values()) - {"--version"}:
        group: click.Command = cli
        for word in name.split():
            assert isinstance(group, click.Group)
            group = group.commands[word]


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("serach", "x"), "search"),
        (("grep", "x"), "search"),
        (("uninstall",), "service uninstall"),
        (("version",), "--version"),
        (("session", "recal"), "recall"),
        (("search", "--tags", "x"), "--tag"),
        (("recent", "--limt", "3"), "--limit"),
    ],
)
def test_the_likeliest_command_or_option_comes_first(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], meant: str
) -> None:
    assert f"Did you mean {meant}" in _told(capsys, *words)


def test_an_option_of_no_command_suggests_nothing_far_away(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "Did you mean" not in _told(capsys, "recent", "--zebra")
    assert "Did you mean" not in _told(capsys, "zebra")


@pytest.mark.parametrize("option", ["-n", "--limit"])
def test_an_option_before_the_command_belongs_after_it(
    capsys: pytest.CaptureFixture[str], option: str
) -> None:
    assert f"clew COMMAND {option}" in _told(capsys, option, "3", "recent")
    assert "Did you mean --version" in _told(capsys, "--versoin")


@pytest.mark.parametrize("command", ["expand", "verify"])
def test_a_text_in_place_of_its_file_belongs_on_stdin(
    capsys: pytest.CaptureFixture[str], command: str
) -> None:
    assert f"echo TEXT | clew {command}" in _told(capsys, command, "what is clock drift")


@pytest.mark.parametrize("word", ["-sync", "-Sync", "-s"])
def test_a_word_to_leave_out_is_to_be_quoted_with_the_query(
    capsys: pytest.CaptureFixture[str], word: str
) -> None:
    assert f"clew search '... {word}'" in _told(capsys, "search", "core plugins", word)
    assert "quote" not in _told(capsys, "orphans", word)


def test_help_takes_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert commands(["help", "session", "recall"]) == 0
    assert capsys.readouterr().out.startswith("Usage: clew session recall ")


@pytest.mark.parametrize("words", [["verify"], ["expand", "-"]])
def test_a_stdin_that_is_closed_is_called_so(
    capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    saved = os.dup(0)
    os.close(0)
    try:
        assert commands(words) == 2
    finally:
        os.dup2(saved, 0)
        os.close(saved)
    assert capsys.readouterr().err.startswith("clew: cannot read stdin: ")
