"""Shapes of runs of de-identification."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lacuna.web.server.shapes import Probability, Shape


class DeidAsked(Shape):
    """What to de-identify, and how; what is not given is as in the project."""

    source: str = Field(
        min_length=1,
        max_length=4096,
        description='"project", or a file or folder of this machine (./project is a folder).',
    )
    policy: str | None = Field(default=None, max_length=1000)
    threshold: Probability | None = None
    output: str | None = Field(
        default=None,
        max_length=4096,
        description="A new file or folder. Documents of the project are written as JSON lines if"
        " it ends in .jsonl, else as text files in a folder.",
    )
    group_from: str | None = Field(default=None, max_length=1000)
    dry: bool = False


class DeidRunShape(Shape):
    """How far a run is."""

    job: int
    state: Literal["running", "done", "failed", "stopped"]
    dry: bool
    source: str
    documents: int
    failed: int = Field(description="Documents that could not be de-identified and are left out.")
    of: int | None = Field(description="How many there are, if that is known yet.")
    share: Probability
    counts: dict[str, int]
    expected_missed: float | None
    output: str | None
    private: str | None = Field(description="What must not be passed on with the output.")
    report: str | None = Field(description="Address of the report.")
    remarks: list[str]
    error: str | None


class DeidRunsShape(Shape):
    """All runs since the server was started, the newest first."""

    runs: list[DeidRunShape]
