"""Characters that control a terminal, reorder its text or are hidden, so none may be printed."""

import re

# C0 except tab and line end, DEL, C1, bidirectional controls, line separators, tag characters.
STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\U000e0000-\U000e007f]"
)
