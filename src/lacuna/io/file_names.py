"""Document ids as file names that stay inside the folder and are read back as the same id."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from lacuna.errors import FormatLimitError

MAX_BYTES = 200  # of one part of a path, so that suffixes still fit


class FileNames:
    """Gives each document of a folder a file name of its own."""

    def __init__(self, folder: Path, format_name: str) -> None:
        self._folder = folder
        self._format = format_name
        self._files: set[str] = set()
        self._folders: set[str] = set()

    def place(self, id_: str, suffix: str) -> Path:
        """Return where the file of a document goes; its folder exists afterwards."""
        path = self.reserve(id_, suffix)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def reserve(self, id_: str, suffix: str) -> Path:
        """Return where the file of a document goes, and keep the name for it.

        Names that differ only in case are refused: to some file systems they are the same.
        """
        if not is_safe(id_):
            raise FormatLimitError(self._format, "an id that is not a safe file name", document=id_)
        relative = PurePosixPath(id_ + suffix)
        name = str(relative).casefold()
        parents = {str(parent).casefold() for parent in relative.parents}
        if name in self._files | self._folders or parents & self._files:
            raise FormatLimitError(self._format, "ids with the same file name", document=id_)
        self._files.add(name)
        self._folders |= parents
        return self._folder / relative


def is_safe(id_: str) -> bool:
    """Whether an id is a relative path that stays below its folder and has no hidden part."""
    return all(map(_is_safe_part, id_.split("/")))


def _is_safe_part(part: str) -> bool:
    return (
        bool(part)
        and not part.startswith(".")
        and part.isprintable()
        and "\\" not in part
        and len(part.encode(errors="replace")) <= MAX_BYTES
    )
