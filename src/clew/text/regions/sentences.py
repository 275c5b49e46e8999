"""The marks that end a sentence, for the patterns by which text is cut.

What may follow a stop differs by what the text is cut for, so each user adds that. All are parts of
a class of characters in a pattern.
"""

STOPS = ".!?"  # end a sentence before white space: without it they may be in a number or a name
WIDE_STOPS = "\u3002\uff01\uff1f"  # Chinese and Japanese: end a sentence wherever they stand
DANDA = "\u0964"  # Hindi and its neighbours: the same
CLOSING = r"\"')\]"  # quotes and brackets that may stand between a stop and the white space
