"""Identifiers with a recognizable form: dates, phone numbers, e-mail addresses, record numbers."""

from lacuna.deid.patterns.find import PATTERN_LABELS, PATTERNS_VERSION, find_patterns
from lacuna.deid.patterns.user import compile_user_pattern

__all__ = ["PATTERNS_VERSION", "PATTERN_LABELS", "compile_user_pattern", "find_patterns"]
