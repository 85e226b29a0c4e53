"""Identifiers that have a form: dates, phone numbers, addresses of the net, numbers of records."""

from lacuna.deid.patterns.find import find_patterns
from lacuna.deid.patterns.user import UserPattern, compile_user_pattern

__all__ = ["UserPattern", "compile_user_pattern", "find_patterns"]
