"""The type of a function that counts the tokens of a text.

``tokens`` has one, and takes memory to load; what counts gets it as an argument.
"""

from collections.abc import Callable

CountTokens = Callable[[str], int]  # the ``o200k_base`` tokens of a text
