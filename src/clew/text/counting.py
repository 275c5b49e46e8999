"""The type of a function that counts the tokens of a text.

Loading ``tokens``, which defines one, takes memory, so modules that count get it as an argument.
"""

from collections.abc import Callable

CountTokens = Callable[[str], int]  # the ``o200k_base`` tokens of a text
