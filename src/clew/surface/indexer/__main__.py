"""Entry point of the indexer process: load it without collections, then run it."""

import sys

from clew.engine.reading.gc_pause import collector_paused


def main() -> int:
    """Run the indexer; return its exit status."""
    with collector_paused():
        from clew.surface.indexer import process  # noqa: PLC0415 - loads the whole indexer

    return process.main()


if __name__ == "__main__":
    sys.exit(main())
