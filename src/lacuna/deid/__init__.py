"""Taking identities out of text: detection, resolution, replacement, a report of what was done."""
