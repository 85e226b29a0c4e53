"""Arrow tables in, Arrow tables out: pyarrow, Polars, DuckDB and pandas alike.

    safe = lacuna.arrow.deidentify(notes, text="note", group="patient", policy="research")
    polars.from_arrow(safe)          # or safe.read_all(), duckdb.sql("FROM safe") …

Tables are read through the Arrow stream interface (``__arrow_c_stream__``), a few hundred rows at
a time, and so are results: :class:`pyarrow.RecordBatchReader` has the same interface. A row that
cannot be de-identified has no text, and the reason in a column of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from lacuna.archive.date_columns import Orders, column_orders, date_cells, date_like
from lacuna.archive.options import Rename
from lacuna.archive.output_names import SafeNames
from lacuna.deid.actions import Shift, Surrogate
from lacuna.deid.policy import Policy
from lacuna.errors import ConfigError
from lacuna.models.base import Tagger
from lacuna.models.registry import load
from lacuna.pipeline.deidentify import Deidentifier, DeidentifyOptions
from lacuna.pipeline.detect_and_redact import Failed, Safe
from lacuna.text.document import Document

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 500  #: handled together


def deidentify(
    data: Any,
    *,
    text: str | Sequence[str] = "text",
    id: str | None = None,  # noqa: A002
    group: str | None = None,
    dates: Sequence[str] = (),
    keep: Sequence[str] = (),
    error: str = "error",
    **options: Unpack[DeidentifyOptions],
) -> pa.RecordBatchReader:
    """De-identify a table; returns a stream of batches.

    Parameters
    ----------
    data
        Anything with the Arrow stream interface: a table or reader of pyarrow, a data frame of
        Polars or pandas (3 or newer), a relation of DuckDB; or an iterable of record batches.
    text
        One column of texts, or several; they become columns of strings.
    id, group
        Columns of ids, and of patients. Rows of a patient are treated consistently, and should be
        next to each other: what is found in one of them is looked for in the others of the same
        few hundred rows and in later ones. In the result both are pseudonyms made with the key,
        unless they are kept; ids that say nothing about anybody, such as counters, stay.
    dates
        Columns of dates, replaced like the dates of the texts.
    keep
        Columns to copy unchanged. All others are left out.
    error
        Name of the column with the reason why a row has no text; null where it has.
    options
        Those of :class:`lacuna.Deidentifier`.

    Raises
    ------
    ConfigError
        If a column does not exist, or is not text, or an option is wrong.
    """
    reader = _reader(data)
    columns = Columns.named(text, id, group, dates, keep, error)
    deidentifier = Deidentifier(**options)
    schema = columns.result(reader.schema, deidentifier.policy)
    table = SafeTable(schema, columns, deidentifier)
    return _stream(schema, table.batches(reader))


def tag(
    data: Any,
    *,
    model: str | PathLike[str] | Tagger,
    text: str = "text",
    id: str | None = None,  # noqa: A002
    group: str | None = None,
    mentions: str = "mentions",
    probabilities: bool = False,
) -> pa.RecordBatchReader:
    """Find mentions in a column of texts; returns the table with one more column, as a stream.

    The column is a list of records: ``label``, ``spans`` (a list of ``start`` and ``end``, in
    characters) and ``probability`` (null unless `probabilities` are asked for).

    Parameters
    ----------
    data
        As in :func:`deidentify`.
    model
        A model, its file, or the name of a bundled model.
    text, id, group
        Columns; models that align look at the rows of a group together that are in one batch of a
        few hundred rows.
    mentions
        Name of the new column.
    probabilities
        Whether mentions get the probability that they are exactly right.
    """
    reader = _reader(data)
    Columns((text,), id, group, (), (), mentions).check(reader.schema)
    tagger = model if isinstance(model, Tagger) else load(fspath(model))
    schema = reader.schema.append(_pyarrow().field(mentions, mention_type()))

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in _cut(reader):
            ids = range(len(batch)) if id is None else batch.column(id).to_pylist()
            groups = [None] * len(batch) if group is None else batch.column(group).to_pylist()
            rows = zip(ids, batch.column(text).to_pylist(), groups, strict=True)
            documents = [Document(str(i), t or "", group=_text(g)) for i, t, g in rows]
            found = [
                [_mention(one) for one in tagged.mentions]
                for tagged in tagger.tag(documents, probabilities=probabilities)
            ]
            column = _pyarrow().array(found, mention_type())
            yield _pyarrow().record_batch([*batch.columns, column], schema=schema)

    return _stream(schema, batches())


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a table, by what they are."""

    texts: tuple[str, ...]
    id: str | None
    group: str | None
    dates: tuple[str, ...]
    keep: tuple[str, ...]
    new: str  #: a column that the result has besides

    @classmethod
    def named(
        cls,
        text: str | Sequence[str],
        id: str | None,  # noqa: A002
        group: str | None,
        dates: Sequence[str],
        keep: Sequence[str],
        new: str,
    ) -> Columns:
        """Return the columns that a caller names."""
        texts = (text,) if isinstance(text, str) else tuple(text)
        return cls(texts, id, group, tuple(dates), tuple(keep), new)

    def result(self, source: pa.Schema, policy: Policy) -> pa.Schema:
        """Return the schema of the result: dates keep their type if they are shifted."""
        self.check(source)
        arrow = _pyarrow()
        shifts = isinstance(policy.action("DATE"), Shift | Surrogate)
        fields = []
        for one in source:
            is_date = one.name in self.dates and shifts and arrow.types.is_temporal(one.type)
            if one.name in self.keep or is_date:
                fields.append(one.with_nullable(True))
            elif one.name in (*self.texts, self.id, self.group, *self.dates):
                fields.append(arrow.field(one.name, arrow.string()))
        return arrow.schema([*fields, arrow.field(self.new, arrow.string())])

    def check(self, schema: pa.Schema) -> None:
        """Raise ConfigError if the table does not have these columns."""
        given = [*self.texts, *filter(None, (self.id, self.group)), *self.dates]
        if not self.texts:
            raise ConfigError("text: name at least one column")
        if len({*given}) < len(given):
            raise ConfigError("text, id, group and dates must be different columns")
        for name in (*given, *self.keep):
            if schema.names.count(name) != 1:
                known = ", ".join(schema.names)
                raise ConfigError(f"the table has no single column {name!r}; it has {known}")
        if self.new in schema.names:
            raise ConfigError(f"the table has a column {self.new!r} already; choose another name")
        for name in self.texts:
            if name in self.keep:
                raise ConfigError(f"keep: {name!r} is a column of texts")
            if not _is_text(schema.field(name).type):
                raise ConfigError(f"column {name!r} is {schema.field(name).type}, not text")


class _Row(NamedTuple):
    """A row, and the documents in it: one for each column of texts."""

    cells: dict[str, Any]
    id: str
    group: str | None
    documents: tuple[Document, ...]


@dataclass(slots=True)
class SafeTable:
    """De-identifies the rows of a table; `schema` is that of the result.

    With `forgets`, rows are those of whole patients, each independent of all others: a patient is
    forgotten after the last consecutive row, and numeric dates in columns of text have the order
    of the patient's own texts instead of that of their column.
    """

    schema: pa.Schema
    columns: Columns
    deidentifier: Deidentifier
    forgets: bool = False
    _names: SafeNames = field(init=False)

    def __post_init__(self) -> None:
        recognizers = self.deidentifier.work.detector.recognizers
        self._names = SafeNames(recognizers, self.deidentifier.key, Rename.AUTO)

    def batches(self, reader: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the result; consecutive rows of a patient are handled together."""
        orders: Orders | None = None
        for cells in _pieces(reader, self.columns.group):
            if self.forgets:  # patients must not depend on who else is in their partition
                orders = {}
            elif orders is None:
                named = {name: [row[name] for row in cells] for name in self.columns.dates}
                orders = column_orders(named)
            rows = [self._row(one) for one in cells]
            yield _pyarrow().RecordBatch.from_pylist(self._safe(rows, orders), self.schema)

    def _row(self, cells: dict[str, Any]) -> _Row:
        texts = [cells[name] or "" for name in self.columns.texts]
        group = None if self.columns.group is None else _text(cells[self.columns.group])
        given = None if self.columns.id is None else cells[self.columns.id]
        unnamed = self.deidentifier.document("\n".join(texts)).id  # they share no surrogates
        id_ = unnamed if given is None else str(given)
        alone = f"row {id_}" if len(texts) > 1 else None  # the texts of a row belong together
        documents = tuple(
            Document(id_ if len(texts) == 1 else f"{id_} {name}", one, group=group or alone)
            for name, one in zip(self.columns.texts, texts, strict=True)
        )
        return _Row(cells, id_, group, documents)

    def _safe(self, rows: Sequence[_Row], orders: Orders) -> list[dict[str, Any]]:
        outcomes = iter(self.deidentifier.deidentify([d for row in rows for d in row.documents]))
        result = [self._cells(row, [next(outcomes) for _ in row.documents], orders) for row in rows]
        for row in rows:
            owner = row.documents[0].group
            if owner is not None and (self.forgets or row.group is None):
                self.deidentifier.forget(owner)
        return result

    def _cells(
        self, row: _Row, outcomes: Sequence[Safe | Failed], orders: Orders
    ) -> dict[str, Any]:
        """Return the cells of a row of the result; those of a row that failed are null."""
        columns, cells = self.columns, {name: row.cells[name] for name in self.columns.keep}
        safe = [one for one in outcomes if isinstance(one, Safe)]
        if columns.group is not None:
            cells.setdefault(columns.group, self._names.group(row.group))
        if len(safe) < len(outcomes):
            reasons = (one.reason for one in outcomes if isinstance(one, Failed))
            if columns.id is not None:
                cells.setdefault(columns.id, self._names.hashed_id(row.id))
            return {**cells, columns.new: next(reasons)}
        for name, one in zip(columns.texts, safe, strict=True):
            cells[name] = None if row.cells[name] is None else one.text
        if columns.id is not None:
            found = [original for one in safe for original in one.originals]
            cells.setdefault(columns.id, self._names.id(row.id, row.group, found))
        given = date_cells(row.cells, columns.dates, orders)
        shown = self.deidentifier.work.redactor.date_cells(given, safe[0].redacted)
        for name, cell in zip(columns.dates, shown, strict=True):
            is_text = _is_text(self.schema.field(name).type)
            cells.setdefault(name, cell or None if is_text else date_like(row.cells[name], cell))
        return cells


def _pieces(reader: Iterable[pa.RecordBatch], group: str | None) -> Iterator[list[dict[str, Any]]]:
    """Yield rows, some hundreds at a time, never divided between two of the same patient."""
    rows: list[dict[str, Any]] = []
    for batch in _cut(reader):
        for cells in batch.to_pylist():
            is_same = group is not None and rows and cells[group] == rows[-1][group] is not None
            if len(rows) >= ROWS and not is_same:
                yield rows
                rows = []
            rows.append(cells)
    if rows:
        yield rows


def _cut(reader: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield batches of at most a few hundred rows."""
    for batch in reader:
        for start in range(0, len(batch), ROWS):
            yield batch.slice(start, ROWS)


def _reader(data: Any) -> pa.RecordBatchReader:
    """Return what has the stream interface, or iterates over batches, as a reader."""
    arrow = _pyarrow()
    if hasattr(data, "__arrow_c_stream__"):
        return arrow.RecordBatchReader.from_stream(data)
    if isinstance(data, Iterable):
        batches = iter(data)
        first = next(batches, None)
        if isinstance(first, arrow.RecordBatch):
            return arrow.RecordBatchReader.from_batches(first.schema, _chained(first, batches))
    kind = type(data).__name__
    raise ConfigError(f"{kind} is no table: it has no __arrow_c_stream__ and yields no batches")


def _chained(first: pa.RecordBatch, others: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield first
    yield from others


def _stream(schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> pa.RecordBatchReader:
    reader: pa.RecordBatchReader = _pyarrow().RecordBatchReader.from_batches(schema, batches)
    return reader


def _is_text(kind: pa.DataType) -> bool:
    types = _pyarrow().types
    if types.is_dictionary(kind):
        return _is_text(kind.value_type)
    tests = (types.is_string, types.is_large_string, types.is_string_view, types.is_null)
    return any(test(kind) for test in tests)


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def mention_type() -> pa.DataType:
    """Return the type of the column of mentions."""
    arrow = _pyarrow()
    span = arrow.struct([("start", arrow.int32()), ("end", arrow.int32())])
    return arrow.list_(
        arrow.struct(
            [
                ("label", arrow.string()),
                ("spans", arrow.list_(span)),
                ("probability", arrow.float64()),
            ]
        )
    )


def _mention(mention: Any) -> dict[str, Any]:
    spans = [{"start": span.start, "end": span.end} for span in mention.spans]
    return {"label": mention.label, "spans": spans, "probability": mention.probability}


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise ConfigError("lacuna.arrow needs pyarrow: pip install 'lacuna[arrow]'") from None
    return pyarrow
