"""Names for the array types used throughout, and for what models predict."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int32]
LongArray = npt.NDArray[np.int64]
HashArray = npt.NDArray[np.uint64]
CodeArray = npt.NDArray[np.uint32]
RealArray = npt.NDArray[np.floating]  # single or double precision
BoolArray = npt.NDArray[np.bool_]


class Task(StrEnum):
    """What a model predicts, and what the last column of a conll file is."""

    NER = "ner"  #: mentions
    POS = "pos"  #: the part of speech of every token
