"""The file of a project: modes, pragmas, migrations, file systems."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from lacuna.errors import ConfigError
from lacuna.web import database, network_mounts
from lacuna.web.database import MIGRATIONS, create_database, migrate, open_database
from lacuna.web.network_mounts import file_system

MOUNTINFO = r"""21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 21 0:28 / /home rw shared:9 - nfs4 server:/home rw
31 30 8:2 / /home/local rw - xfs /dev/sdb1 rw
32 21 0:30 / /media/my\040share rw - cifs //server/x rw
33 21 0:31 / /mnt/ssh rw - fuse.sshfs me@host: rw
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/srv/x", "ext4"),
        ("/home/ana/ward7", "nfs4"),
        ("/home/local/ward7", "xfs"),
        ("/homes", "ext4"),
        ("/media/my share/p", "cifs"),
        ("/mnt/ssh", "fuse.sshfs"),
    ],
)
def test_the_file_system_of_a_folder(folder: str, kind: str) -> None:
    assert file_system(Path(folder), MOUNTINFO) == kind


def test_network_file_systems_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "mounts"
    table.write_text(
        f"1 0 0:1 / / rw - ext4 x rw\n2 1 0:2 / {tmp_path.resolve()} rw - nfs s:/ rw\n"
    )
    monkeypatch.setattr(network_mounts, "MOUNTS", table)
    with pytest.raises(ConfigError, match=r"network file system \(nfs\)"):
        create_database(tmp_path / "review.db")
    assert not (tmp_path / "review.db").exists()
    monkeypatch.setattr(network_mounts, "MOUNTS", tmp_path / "missing")
    create_database(tmp_path / "review.db").close()


def test_durable_and_private(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        opened = create_database(tmp_path / "review.db")
    finally:
        os.umask(before)
    with opened.writing() as connection:
        connection.execute("INSERT INTO project VALUES (1, x'00')")
        for name, value in {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}.items():
            assert connection.execute(f"PRAGMA {name}").fetchone() == (value,)
    files = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert files == dict.fromkeys(["review.db", "review.db-shm", "review.db-wal"], 0o600)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        opened.reader.execute("DELETE FROM project")
    opened.close()


def test_an_error_rolls_back(tmp_path: Path) -> None:
    opened = create_database(tmp_path / "review.db")

    def interrupted() -> None:
        with opened.writing() as connection:
            connection.execute("INSERT INTO project VALUES (1, x'00')")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert opened.reader.execute("SELECT count(*) FROM project").fetchone() == (0,)
    opened.close()


def test_migration_copies_first_and_is_one_transaction(tmp_path: Path) -> None:
    path, steps = tmp_path / "review.db", tmp_path / "steps"
    create_database(path).close()
    shutil.copytree(MIGRATIONS, steps)
    newest = len(list(MIGRATIONS.glob("*.sql")))
    step, copy = steps / f"{newest + 1:04}.sql", tmp_path / f"review.db.version-{newest}"
    step.write_text("CREATE TABLE more (x TEXT) STRICT;\nINSERT INTO no VALUES (1);")
    with pytest.raises(sqlite3.OperationalError):
        migrate(path, steps)
    assert tables(path) == tables(copy)
    step.write_text("CREATE TABLE more (x TEXT DEFAULT ';') STRICT;\n-- done;\n")
    migrate(path, steps)
    assert tables(path) == {*tables(copy), "more"}
    assert copy.stat().st_mode & 0o777 == 0o600
    migrate(path, steps)  # nothing to do
    with pytest.raises(ConfigError, match="made by a newer version of lacuna"):
        open_database(path)


def test_a_project_of_the_first_version(tmp_path: Path) -> None:
    path, steps = tmp_path / "review.db", tmp_path / "steps"
    steps.mkdir()
    shutil.copy(MIGRATIONS / "0001.sql", steps)
    path.touch(0o600)
    migrate(path, steps)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO project VALUES (1, x'07')")
    with closing(open_database(path)) as opened:
        assert opened.reader.execute("SELECT secret FROM project").fetchone() == (b"\x07",)
        assert opened.reader.execute("SELECT count(*) FROM suggestion").fetchone() == (0,)
    assert tables(tmp_path / "review.db.version-1").isdisjoint({"model", "suggestion"})


def tables(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        return {name for (name,) in rows}


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "review.db"
    with pytest.raises(ConfigError, match="no such file"):
        open_database(path)
    path.write_bytes(b"x" * 5000)
    with pytest.raises(ConfigError, match="cannot be opened: file is not a database"):
        open_database(path)
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    with pytest.raises(ConfigError, match="is not the database of a project"):
        open_database(path)
    assert tables(path) == {"theirs"}


def test_two_processes_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "WAIT", 0.05)
    one = create_database(tmp_path / "review.db")
    other = open_database(tmp_path / "review.db")
    with one.writing() as connection:
        connection.execute("INSERT INTO project VALUES (1, x'00')")
        with pytest.raises(sqlite3.OperationalError, match="locked"), other.writing():
            pass
        assert other.reader.execute("SELECT count(*) FROM project").fetchone() == (0,)
    with other.writing() as connection:
        assert connection.execute("SELECT count(*) FROM project").fetchone() == (1,)
    one.close()
    other.close()
