"""Names for the types of numpy arrays: one for each element type that clew stores."""

from typing import Any

import numpy as np
import numpy.typing as npt

AnyArray = npt.NDArray[Any]
BoolArray = npt.NDArray[np.bool_]
Float32Array = npt.NDArray[np.float32]
Float64Array = npt.NDArray[np.float64]
Int8Array = npt.NDArray[np.int8]
Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]
IntegerArray = npt.NDArray[np.integer]  # any width: accepted as an argument, never stored
Uint8Array = npt.NDArray[np.uint8]
Uint16Array = npt.NDArray[np.uint16]
Uint32Array = npt.NDArray[np.uint32]
Uint64Array = npt.NDArray[np.uint64]
