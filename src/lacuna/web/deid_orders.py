"""What is asked of a run of de-identification, and what it says while it works.

Both are messages between the server and the process that does the work (deid_process.py). No
message holds a text.
"""

from __future__ import annotations

import msgspec


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """A run that is asked for.

    Attributes
    ----------
    project
        Folder of the project.
    source
        File or folder to de-identify; ``None``: the documents of the project, as people decided.
    model
        Model file; ``None``: only what people marked.
    policy, threshold
        Those of the project if they are ``None``.
    output
        Where to write; ``None``: nothing is written (dry run).
    format
        Of the documents of a project: ``jsonl`` or ``txt``.
    group_from
        Regular expression that takes the patient out of the names of files.
    report
        Web page to write; ``None`` in a dry run.
    """

    project: str
    source: str | None = None
    model: str | None = None
    policy: str | None = None
    threshold: float | None = None
    output: str | None = None
    format: str = "jsonl"
    group_from: str | None = None
    report: str | None = None

    @property
    def is_dry(self) -> bool:
        """Whether nothing is written."""
        return self.output is None


class Progress(msgspec.Struct, frozen=True, tag="progress"):
    """How far a run is.

    Attributes
    ----------
    documents, failed
        De-identified, and left out because that was not possible.
    of
        How many there are, if that is known: rows of tables are counted while they are read.
    share
        What is done, from 0 to 1.
    counts
        Replacements by label.
    expected_missed
        How many identifying words may remain, as far as the model can tell; ``None`` without one.
    """

    documents: int = 0
    failed: int = 0
    of: int | None = None
    share: float = 0.0
    counts: dict[str, int] = {}
    expected_missed: float | None = None


class Ended(msgspec.Struct, frozen=True, tag="ended"):
    """The last message of a run that was finished: the final counts, and what to know about it."""

    progress: Progress
    remarks: list[str] = []


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """The last message of a run that could not be finished: why, without quoting a text."""

    reason: str
    is_ours: bool = False  #: an error in lacuna


Message = Progress | Ended | Failed
decode_order = msgspec.msgpack.Decoder(Order).decode
decode_message = msgspec.msgpack.Decoder(Message).decode
encode = msgspec.msgpack.encode
