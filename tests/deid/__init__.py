"""Tests of taking identities out of text."""
