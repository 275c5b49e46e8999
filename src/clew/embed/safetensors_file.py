"""Read the arrays of a safetensors file in place, without a copy.

A file has the length of its header (8 bytes, little-endian), the header as JSON, and the arrays.
The library ``safetensors`` would copy each array into memory. Use this only for verified files.

Source: https://github.com/huggingface/safetensors, "Format".
"""

import json
from typing import Any

import numpy as np

from clew.values.arrays import AnyArray

_LENGTH_BYTES = 8
_DTYPES: dict[str, np.dtype[Any]] = {"I8": np.dtype(np.int8), "F32": np.dtype("<f4")}
_METADATA = "__metadata__"


def arrays_of(file: memoryview) -> dict[str, AnyArray]:
    """Return the arrays of a file by name, as read-only views of its memory.

    Raises:
        KeyError: an array is of another type than int8 or float32.
    """
    header_end = _LENGTH_BYTES + int.from_bytes(file[:_LENGTH_BYTES], "little")
    header = json.loads(bytes(file[_LENGTH_BYTES:header_end]))
    arrays = {}
    for name, facts in header.items():
        if name != _METADATA:
            start, end = (header_end + offset for offset in facts["data_offsets"])
            array = np.frombuffer(file[start:end], _DTYPES[facts["dtype"]])
            arrays[name] = array.reshape(facts["shape"])
    return arrays
