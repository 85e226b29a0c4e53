"""Whether a folder is on a network file system, where SQLite's WAL does not work.

Processes that use a database in WAL mode share memory, which they cannot do across machines.
Python has no ``statfs``, so the type is taken from Linux' table of mounts; elsewhere it is unknown.
"""

from __future__ import annotations

import re
from pathlib import Path

from lacuna.errors import ConfigError

MOUNTS = Path("/proc/self/mountinfo")
NETWORK = frozenset(
    {"9p", "afs", "ceph", "cifs", "coda", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4"}
    | {"smb3", "smbfs", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs"}
)
_ESCAPED = re.compile(r"\\([0-7]{3})")


def refuse_network(folder: Path) -> None:
    """Raise :class:`ConfigError` if a folder is on a network file system."""
    try:
        mounts = MOUNTS.read_text("utf-8", "surrogateescape")
    except OSError:
        return
    kind = file_system(folder.resolve(), mounts)
    if kind in NETWORK:
        raise ConfigError(
            f"{folder}: is on a network file system ({kind}), where the database of a project can"
            " be damaged; choose a folder on a disk of this machine"
        )


def file_system(folder: Path, mounts: str) -> str | None:
    """Return the type of the file system of an absolute path, by the text of the mount table."""
    found: tuple[int, str] | None = None
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 5 or not after:
            continue
        point = Path(_ESCAPED.sub(lambda match: chr(int(match[1], 8)), fields[4]))
        depth = len(point.parts)
        if folder.is_relative_to(point) and (found is None or depth >= found[0]):
            found = depth, after.split(" ")[0]
    return found and found[1]
