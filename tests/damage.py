"""Ways to damage a state folder: changed bytes, lost files, files from different times."""

import os
import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from clew.engine.persist.generation_files import FORMAT

Damage: TypeAlias = Callable[[Path, random.Random], None]


def some_file(home: Path, chance: random.Random) -> Path:
    paths = [path for path in sorted(home.rglob("*")) if path.is_file() and not path.is_symlink()]
    files = [path for path in paths if path.stat().st_size < 1_000_000]
    return chance.choice(files) if files else home / "none"


def some_entry(home: Path, chance: random.Random) -> Path:
    return chance.choice(sorted(home.rglob("*")) or [home / "none"])


def altering(change: Callable[[bytearray, random.Random], None]) -> Damage:
    """Return the damage that changes the bytes of one file."""

    def damage(home: Path, chance: random.Random) -> None:
        path = some_file(home, chance)
        data = bytearray(path.read_bytes() if path.exists() else b"")
        change(data, chance)
        path.write_bytes(data)

    damage.__name__ = change.__name__
    return damage


def flip_a_bit(data: bytearray, chance: random.Random) -> None:
    if data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def zero_a_page(data: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(data) + 1)
    data[start : start + 256] = bytes(len(data[start : start + 256]))


def cut_off(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(len(data) + 1) :]


def add_bytes(data: bytearray, chance: random.Random) -> None:
    data += chance.choice((bytes(40), chance.randbytes(40), bytes(data[-60:])))


def put_in_or_take_out(data: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(data) + 1)
    data[start : start + chance.randrange(40)] = chance.randbytes(chance.randrange(40))


def replace_all(data: bytearray, chance: random.Random) -> None:
    data[:] = chance.randbytes(chance.randrange(600))


def swap_two(home: Path, chance: random.Random) -> None:
    """Swap two files, logs or generations."""
    first, second = some_entry(home, chance), some_entry(home, chance)
    apart = first not in (second, *second.parents) and second not in first.parents
    if first.is_dir() == second.is_dir() and apart:
        aside = home / "aside"
        first.rename(aside)
        second.rename(first)
        aside.rename(second)


def copy_over(home: Path, chance: random.Random) -> None:
    source = some_file(home, chance)
    target = home / chance.choice(("gen-00000001", "gen-00000002")) / source.name
    if source.exists() and target.is_file() and source != target:
        with suppress(shutil.SameFileError):  # an earlier damage replaced a folder by a link
            shutil.copyfile(source, target)


def give_another_number(home: Path, chance: random.Random) -> None:
    path = chance.choice(sorted(home.iterdir()) or [home / "none"])
    number = chance.choice((0, 1, 3, 99_999_999, 100_000_000))
    target = path.with_name(f"{path.name[:4]}{number:08d}")
    if path.exists() and not target.exists():
        path.rename(target)


def remove_one(home: Path, chance: random.Random) -> None:
    path = some_entry(home, chance)
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def something_else(home: Path, chance: random.Random) -> None:
    """Replace a file or folder by an entry of another kind."""
    path = some_entry(home, chance)
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    if not path.parent.is_dir():
        return
    kind = chance.randrange(5)
    if kind == 0:
        os.mkfifo(path)
    elif kind == 1:
        path.symlink_to(home.parent / f"v{FORMAT + 1}" / "log-00000007")
    elif kind == 2:
        path.symlink_to(home)
    elif kind == 3:
        (path / "a" / "b").mkdir(parents=True)
    else:
        with path.open("wb") as file:
            file.truncate(1 << 42)


def foreign_names(home: Path, chance: random.Random) -> None:
    names = ("gen-1", "gen-00000009.new", "log-", "gen-000000002", "x\n", "gen-" + "9" * 60, "a.md")
    path = home / chance.choice(names)
    if not path.exists():
        path.mkdir() if chance.random() < 0.5 else path.write_bytes(b"?")


DAMAGES: tuple[Damage, ...] = (
    *map(altering, (flip_a_bit, zero_a_page, cut_off, add_bytes, put_in_or_take_out, replace_all)),
    swap_two,
    copy_over,
    give_another_number,
    remove_one,
    something_else,
    foreign_names,
)
