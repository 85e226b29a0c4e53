"""Names for the array types used throughout."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int32]
LongArray = npt.NDArray[np.int64]
HashArray = npt.NDArray[np.uint64]
CodeArray = npt.NDArray[np.uint32]
RealArray = npt.NDArray[np.floating]  # single or double precision
BoolArray = npt.NDArray[np.bool_]
