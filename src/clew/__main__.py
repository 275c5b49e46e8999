"""``python -m clew``: the same as the ``clew`` command."""

import sys

from clew.surface.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
