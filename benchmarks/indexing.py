"""Compare the CPU time of a first index with that of its parts, each run alone.

The parts are: reading the files, markdown-it-py's block rules, encoding each chunk with model2vec,
and building the keyword index. Each side runs in a process of its own, ``python -m
benchmarks.indexing SIDE VAULT``, which imports everything, then measures and prints the result.
"""

import json
import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import numpy as np

import clew
from benchmarks.figures import Figure, figure, ratio_figure, rounded
from clew.values.note import Note

CPU_RATIO_MAX = 1.5
BUILTIN = os.path.join(os.path.dirname(clew.__file__), "data", "builtin")
_TEXTS_AT_ONCE = 1_000
_APPEND = (
    "import sys\nfor path in sys.stdin.read().split('\\n'):\n open(path, 'a').write('\\nMore.\\n')"
)

Measured = dict[str, Any]


def first_index(vault: str, repeats: int) -> Iterator[Figure]:
    """Yield the figures of ``repeats`` first indexes, each measured in turn with its parts."""
    paths = note_paths(vault)
    note_bytes = sum(
        len(_data(path)) for path in paths
    )  # Reading all files also warms the page cache.
    runs = [{side: _child(side, vault) for side in SIDES} for _ in range(repeats)]
    pairs = [
        (run["index"]["cpu_s"], sum(run[side]["cpu_s"] for side in SIDES if side != "index"))
        for run in runs
    ]
    ratios = [rounded(ours / theirs) for ours, theirs in pairs]
    cpu_s_by_side = {side: rounded(median(run[side]["cpu_s"] for run in runs)) for side in SIDES}
    yield ratio_figure(
        "first_index_cpu_ratio", pairs, CPU_RATIO_MAX, all=ratios, cpu_s=cpu_s_by_side
    )
    wall_s = median(run["index"]["wall_s"] for run in runs)
    megabytes = note_bytes / 1e6
    yield figure("notes_per_second", len(paths) / wall_s, "notes/s", wall_s=rounded(wall_s))
    yield figure("mb_per_second", megabytes / wall_s, "MB/s", megabytes=rounded(megabytes))


def note_paths(vault: str) -> list[str]:
    """Return the full paths of the notes of a vault, sorted."""
    return sorted(
        os.path.join(folder, name)
        for folder, _, names in os.walk(vault)
        for name in names
        if name.endswith(".md")
    )


def change_all_notes(vault: str) -> None:
    """Append a line to each note, from another process, so that this one stays responsive."""
    paths = "\n".join(note_paths(vault))
    subprocess.run([sys.executable, "-c", _APPEND], input=paths, text=True, check=True)


def _child(side: str, vault: str) -> Measured:
    words = [sys.executable, "-m", "benchmarks.indexing", side, vault]
    measured: Measured = json.loads(subprocess.check_output(words))
    return measured


def _measure(work: Callable[[], object]) -> Measured:
    wall_s, cpu_s = time.perf_counter(), time.process_time()
    work()
    return {"cpu_s": time.process_time() - cpu_s, "wall_s": time.perf_counter() - wall_s}


def _index(vault: str) -> Measured:
    from clew.embed.models import open_model  # noqa: PLC0415
    from clew.engine.indexes import compact  # noqa: PLC0415
    from clew.engine.reading.indexer import Indexer  # noqa: PLC0415 - imported by one side only
    from clew.engine.reading.steps import drained  # noqa: PLC0415
    from clew.engine.settings import IndexerSettings  # noqa: PLC0415
    from clew.values.vault import Moment  # noqa: PLC0415

    def work() -> None:
        indexer = Indexer(IndexerSettings(vault))
        now = Moment(time.time_ns(), time.monotonic_ns())
        drained(indexer.absorb(indexer.look(now), now))
        indexer.embedder.encoder = open_model("builtin")
        indexer.embedder.embed(indexer.embedder.due)
        compact(indexer.engine.indexes)

    return _measure(work)


def _reading(vault: str) -> Measured:
    paths = note_paths(vault)
    return _measure(lambda: deque((_data(path).decode() for path in paths), maxlen=0))


def _blocks(vault: str) -> Measured:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - imported by one side only

    texts = [_data(path).decode() for path in note_paths(vault)]

    def work() -> None:
        parser = MarkdownIt("commonmark")
        for text in texts:
            parser.block.parse(text, parser, {}, [])

    return _measure(work)


def _encoding(vault: str) -> Measured:
    from model2vec import StaticModel  # noqa: PLC0415 - imported by one side only

    from clew.text.passages import embedded_parts  # noqa: PLC0415

    model = StaticModel.from_pretrained(BUILTIN)
    chunks = [part.text for note in _notes(vault) for part in embedded_parts(note)[1:]]

    def work() -> None:
        for start in range(0, len(chunks), _TEXTS_AT_ONCE):
            portion = chunks[start : start + _TEXTS_AT_ONCE]
            model.encode(portion, max_length=None, use_multiprocessing=False)

    return _measure(work)


def _keyword(vault: str) -> Measured:
    from clew.index.keyword import KeywordIndex  # noqa: PLC0415 - imported by one side only
    from clew.text.passages import count_note_words  # noqa: PLC0415

    notes = _notes(vault)

    def work() -> None:
        index = KeywordIndex("english")
        slots = 0
        for note in notes:
            index.put(np.array([1 + len(note.chunks)]), [count_note_words(note)])
            slots += 1 + len(note.chunks)
        index.compact(np.arange(slots))

    return _measure(work)


def _notes(vault: str) -> list[Note]:
    # Some sides do not need these imports.
    from clew.text.markdown.parse import parse_notes  # noqa: PLC0415
    from clew.vault.read import decode_note  # noqa: PLC0415

    sources = [
        decode_note(os.path.relpath(path, vault), _data(path), "") for path in note_paths(vault)
    ]
    return [
        source if isinstance(source, Note) else parse_notes([source])[0].note for source in sources
    ]


def _data(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


SIDES = {
    "index": _index,
    "reading": _reading,
    "blocks": _blocks,
    "encoding": _encoding,
    "keyword": _keyword,
}

if __name__ == "__main__":
    print(json.dumps(SIDES[sys.argv[1]](sys.argv[2])))
