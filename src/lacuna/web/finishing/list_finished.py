"""The finished models of a project, newest first."""

from __future__ import annotations

import sqlite3
from typing import Any

import msgspec

from lacuna.deid.promises import in_words
from lacuna.web.finishing.records import Outcome


def finished_models(connection: sqlite3.Connection) -> list[dict[str, Any]]:
    """Return what is known of each, as JSON values."""
    rows = connection.execute(
        "SELECT key, made_at, made_by, purpose, file, json_array_length(learnt_from), scores,"
        " (SELECT documents FROM seal_look WHERE seal_look.taught = taught.key), seconds"
        " FROM taught WHERE purpose <> 'teach' ORDER BY key DESC"
    )
    return [_finished(*row) for row in rows]


def _finished(
    key: int,
    made_at: str,
    made_by: str,
    purpose: str,
    file: str,
    learnt_from: int,
    scores: str,
    scored: str | None,
    seconds: float,
) -> dict[str, Any]:
    outcome = msgspec.json.decode(scores, type=Outcome)
    figures, promise = outcome.figures, outcome.promise
    documents = 0 if scored is None else len(msgspec.json.decode(scored))
    words = None if promise is None else in_words(promise.level, promise.confidence)
    return {
        "key": key,
        "made_at": made_at,
        "made_by": made_by,
        "everything": purpose == "everything",
        "file": file,
        "learnt_from": learnt_from,
        "in_part": outcome.in_part,
        "sealed": {
            "documents": documents,
            "patients": figures.patients if figures is not None and documents else 0,
        },
        "scores": msgspec.to_builtins(figures),
        "promise": words,
        "threshold": None if promise is None else promise.threshold,
        "without": outcome.without,
        "more_needed": outcome.more_needed,
        "void": outcome.void,
        "protocol": f"/api/reports/{outcome.protocol}",
        "seconds": seconds,
    }
