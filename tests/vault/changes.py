"""Random changes of the files of a vault."""

import os
import random
from pathlib import Path


def change(root: Path, draw: random.Random) -> set[str]:
    """Change one file or folder; return the paths that a watch would report."""
    folders = ["", *(str(p.relative_to(root)) for p in root.rglob("*") if p.is_dir())]
    folder, other = draw.choice(folders), draw.choice(folders)
    name = f"{folder}/{draw.choice('abc')}{draw.choice(['.md', '.png', ''])}".lstrip("/")
    target = f"{other}/{draw.choice('abc')}{draw.choice(['.md', '.png', ''])}".lstrip("/")
    kind = draw.choice(["write", "write", "delete", "make", "move away", "rename", "link"])
    try:
        if kind == "write":
            (root / name).write_text(str(draw.random()))
        elif kind == "delete":
            (root / name).unlink()
        elif kind == "make":
            (root / name).mkdir()
        elif kind == "move away" and folder:
            away = root.with_name("away")  # not removed, so that its inode is not reused
            away.mkdir(exist_ok=True)
            (root / folder).rename(away / str(len(os.listdir(away))))
            return {folder}
        elif kind == "rename":
            (root / name).rename(root / target)
            return {name, target}
        elif kind == "link":
            (root / name).symlink_to("no/such/place")
    except OSError:
        return set()
    return {name}
