"""The priorities of the items of a context window."""

from typing import Final, Literal, get_args

Priority = Literal["critical", "high", "medium", "low"]
PRIORITIES: Final[tuple[Priority, ...]] = get_args(Priority)  # the highest first
