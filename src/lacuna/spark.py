"""De-identify and tag data frames of Spark, by ``mapInArrow``.

    from lacuna.spark import deidentify

    safe = deidentify(notes, text="note", group="mrn", order=["written"], key="/secure/study.key")

Rows of a patient go to the same task and are sorted, so that results do not depend on how many
executors there are, and a task that is tried again gives the same result. The key never leaves the
executors: they read it from a path or an environment variable, and only its name is in the plan.
``docs/scale.md`` says what must be installed, and how long it takes.
"""

from __future__ import annotations

import atexit
import base64
import binascii
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from shutil import copyfile, rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark import SparkFiles
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from lacuna import arrow
from lacuna.arrow import Columns, SafeTable, mention_type
from lacuna.deid.keys import Key, read_key
from lacuna.deid.policy import Policy, load_policy
from lacuna.errors import ConfigError
from lacuna.models.bundled import BUNDLED, bundled_models
from lacuna.models.file import file_digest
from lacuna.models.registry import load
from lacuna.pipeline.deidentify import Deidentifier

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

ENVIRONMENT = "env:"  #: before the name of an environment variable that holds a key


def deidentify(
    frame: DataFrame,
    *,
    key: str | PathLike[str],
    text: str | Sequence[str] = "text",
    id: str | None = None,  # noqa: A002
    group: str | None = None,
    order: Sequence[str] = (),
    dates: Sequence[str] = (),
    keep: Sequence[str] = (),
    error: str = "error",
    model: str | PathLike[str] = BUNDLED,
    policy: str | Path | Policy = "safe-harbor",
    partitions: int | None = None,
    **options: Any,
) -> DataFrame:
    """De-identify a data frame.

    Parameters
    ----------
    frame
        The data frame.
    key
        Path of the key file on every executor, or ``env:NAME``: an environment variable of the
        executors with the 32 bytes of the key in base64.
    text, id, group, dates, keep, error
        Columns, as in :func:`lacuna.arrow.deidentify`.
    order
        Columns by which the rows of a patient are sorted: numbers in tags such as ``[NAME-2]``
        depend on it. By default the id, or else the texts.
    model
        The name of a bundled model, which must be installed on the executors in the same version;
        or a model file, which is sent to them.
    policy
        A bundled policy or a TOML file, read here.
    partitions
        Number of tasks; by default as configured in Spark.
    options
        Others of :class:`lacuna.Deidentifier`, except the key.

    Raises
    ------
    ConfigError
        If a column or an option is wrong.
    """
    columns = Columns.named(text, id, group, dates, keep, error)
    chosen = policy if isinstance(policy, Policy) else load_policy(policy)
    schema = columns.result(to_arrow_schema(frame.schema), chosen)
    options = {**options, "policy": chosen}
    job = _Deidentifying(_Model.of(frame, model), columns, schema, _place(key), options)
    return _gathered(frame, columns, order, partitions).mapInArrow(job, from_arrow_schema(schema))


def tag(
    frame: DataFrame,
    *,
    model: str | PathLike[str],
    text: str = "text",
    id: str | None = None,  # noqa: A002
    group: str | None = None,
    mentions: str = "mentions",
    probabilities: bool = False,
) -> DataFrame:
    """Find mentions in a column of texts; see :func:`lacuna.arrow.tag`."""
    Columns.named(text, id, group, (), (), mentions).check(to_arrow_schema(frame.schema))
    added = pa.field(mentions, mention_type())
    schema = from_arrow_schema(to_arrow_schema(frame.schema).append(added))
    named = {"text": text, "id": id, "group": group, "mentions": mentions}
    job = _Tagging(_Model.of(frame, model), {**named, "probabilities": probabilities})
    return frame.mapInArrow(job, schema)


@dataclass(frozen=True)
class _Model:
    """A model file on the executors: a bundled one by name, or one that Spark sends."""

    name: str
    digest: str

    @classmethod
    def of(cls, frame: DataFrame, model: str | PathLike[str]) -> _Model:
        """Return a model that executors can open; its file is sent if it is not bundled."""
        name = fspath(model)
        if name in bundled_models():
            return cls(name, file_digest(bundled_models()[name]))
        digest = file_digest(Path(name))
        folder = Path(mkdtemp(prefix="lacuna-"))  # executors fetch it as long as Spark runs
        atexit.register(rmtree, folder, ignore_errors=True)
        sent = folder / f"{digest}.lacuna"
        copyfile(name, sent)
        frame.sparkSession.sparkContext.addFile(str(sent))
        return cls(sent.name, digest)

    def open_path(self) -> Path:
        """Return the path on this machine.

        Raises
        ------
        ConfigError
            If the file is not that of the driver.
        """
        path = bundled_models().get(self.name) or Path(SparkFiles.get(self.name))
        if _digests.setdefault(path, file_digest(path)) != self.digest:
            raise ConfigError(f"{self.name}: the executor has another model than the driver")
        return path


_digests: dict[Path, str] = {}  #: of files that this process has opened


@dataclass(frozen=True)
class _Deidentifying:
    """What a task does; it is pickled, so it holds no key, no model and no text."""

    model: _Model
    columns: Columns
    schema: pa.Schema
    key: str
    options: dict[str, Any]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """De-identify the rows of a partition, with nothing remembered from another one."""
        _one_thread()
        deidentifier = Deidentifier(
            model=self.model.open_path(), key=_read(self.key), **self.options
        )
        return SafeTable(self.schema, self.columns, deidentifier, forgets=True).batches(batches)


@dataclass(frozen=True)
class _Tagging:
    """Tags the rows of a partition."""

    model: _Model
    options: dict[str, Any]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Find mentions in each batch."""
        _one_thread()
        path = self.model.open_path()
        tagger = _taggers.get(path) or _taggers.setdefault(path, load(path))
        for batch in batches:
            yield from arrow.tag([batch], model=tagger, **self.options)


_taggers: dict[Path, Any] = {}  #: models that this process has loaded


def _gathered(
    frame: DataFrame, columns: Columns, order: Sequence[str], partitions: int | None
) -> DataFrame:
    """Bring the rows of a patient together, in their order; rows of nobody go anywhere."""
    if columns.group is None:
        return frame if partitions is None else frame.repartition(partitions)
    alone = F.xxhash64(*(F.col(name) for name in columns.texts)).cast("string")
    owner = F.coalesce(F.col(columns.group).cast("string"), alone)
    ranks = order or ([columns.id] if columns.id else columns.texts)
    counts = () if partitions is None else (partitions,)
    return frame.repartition(*counts, owner).sortWithinPartitions(columns.group, *ranks)


def _place(key: str | PathLike[str]) -> str:
    """Return where executors find the key."""
    if isinstance(key, bytes | Key):
        raise ConfigError("key: give the path of a key file, or env:NAME, so that it stays secret")
    return fspath(key)


def _read(place: str) -> Key:
    """Return the key, on an executor."""
    if not place.startswith(ENVIRONMENT):
        return read_key(place)
    name = place.removeprefix(ENVIRONMENT)
    try:
        return Key(base64.b64decode(os.environ[name], validate=True))
    except (KeyError, ValueError, binascii.Error):
        raise ConfigError(f"environment variable {name}: no key of 32 bytes in base64") from None


def _one_thread() -> None:
    """Use one thread: Spark runs a process for each core."""
    os.environ.setdefault("LACUNA_THREADS", "1")
