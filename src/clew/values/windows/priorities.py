"""The priorities of what a context window holds."""

from typing import Final, Literal, get_args

Priority = Literal["critical", "high", "medium", "low"]
PRIORITIES: Final[tuple[Priority, ...]] = get_args(Priority)  # the highest first
