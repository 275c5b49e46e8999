"""What it costs to find which of many files with one name a link means."""

import pytest

from clew.index import same_named
from clew.index.same_named import SameNamed
from tests.counted import counted

FILES = 300


def test_files_elsewhere_are_not_compared_for_each_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    comparisons = counted(monkeypatch, same_named, "preferred")
    files = SameNamed(f"has/{number}/README.md" for number in range(FILES))
    seen = {files.seen_from("readme", f"lacks/{number}") for number in range(FILES)}
    seen |= {files.seen_from("readme", f"has/{number}") for number in range(FILES)}
    assert seen == {"readme", *(f"/has/{number}//readme" for number in range(1, FILES))}
    assert sum(len(paths) for paths, _ in comparisons) == 2 * FILES
