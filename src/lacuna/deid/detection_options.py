"""What detects identifiers, by names and files. This module is cheap to import."""

from __future__ import annotations

import msgspec

from lacuna.deid.policy import Policy, UserPattern
from lacuna.models.bundled import bundled_model

BUNDLED_MODEL = bundled_model()


class DetectionOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What detects, by names and files; can be sent to another process.

    Attributes
    ----------
    model
        The model file.
    align
        Whether an aligning model aligns the documents of a patient.
    patterns
        Whether built-in patterns find identifiers by their form.
    user_patterns, policy_digest
        Patterns of the policy, by name, and its digest.
    lists
        (label, file) of word lists.
    known, always, never
        Files of values known per patient, of terms that are always replaced and that never are.
    second_look
        Whether what was found is looked for again in all documents of the patient.
    """

    model: str = str(BUNDLED_MODEL)
    align: bool = True
    patterns: bool = True
    user_patterns: dict[str, UserPattern] = {}
    policy_digest: str = ""
    lists: tuple[tuple[str, str], ...] = ()
    known: str | None = None
    always: str | None = None
    never: str | None = None
    second_look: bool = True


def with_policy(options: DetectionOptions, policy: Policy) -> DetectionOptions:
    """Return the options with the patterns and the digest of a policy."""
    return msgspec.structs.replace(
        options, user_patterns=policy.patterns, policy_digest=policy.digest
    )
