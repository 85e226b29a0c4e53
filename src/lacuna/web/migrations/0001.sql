-- A project: its documents, what people decided about their mentions, and the log of all edits.

PRAGMA application_id = 0x6C616375;

CREATE TABLE project (             -- one row
  key INTEGER PRIMARY KEY CHECK (key = 1),
  secret BLOB NOT NULL             -- decides which units are held out
) STRICT;

CREATE TABLE document (            -- texts never change after import
  key INTEGER PRIMARY KEY,         -- in URLs; ids can hold names, so they never are
  id TEXT NOT NULL UNIQUE,
  grp TEXT,
  text TEXT NOT NULL,
  meta TEXT NOT NULL,              -- JSON
  tokens TEXT,                     -- JSON; only where the source had tokens
  sha256 BLOB NOT NULL,            -- of the document as it was imported
  fold INTEGER NOT NULL,           -- by keyed hash of the unit (parts.py)
  imported_at TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'open', 'done', 'later')),
  flag INTEGER NOT NULL DEFAULT 0 CHECK (flag IN (0, 1)),
  comment TEXT NOT NULL DEFAULT '',
  version INTEGER NOT NULL DEFAULT 0,      -- number of edits
  mentions INTEGER NOT NULL DEFAULT 0,     -- number of mentions that are not rejected
  decided_by TEXT,
  decided_at TEXT,
  sampled INTEGER NOT NULL DEFAULT 0 CHECK (sampled IN (0, 1)),  -- 1: drawn at random for review
  need REAL                        -- how much a review is needed; the greatest first
) STRICT;
CREATE INDEX document_queue ON document (state, need DESC);
CREATE INDEX document_group ON document (grp) WHERE grp IS NOT NULL;

CREATE TABLE mention (             -- what people decided; suggestions are not rows
  document INTEGER NOT NULL REFERENCES document,
  uid TEXT NOT NULL,
  label TEXT NOT NULL,
  spans TEXT NOT NULL,             -- [[start, end], …] in code points
  status TEXT NOT NULL CHECK (status IN ('given', 'accepted', 'added', 'rejected')),
  probability REAL,
  model INTEGER,
  PRIMARY KEY (document, uid)
) STRICT, WITHOUT ROWID;
CREATE INDEX mention_label ON mention (label, document);

CREATE TABLE edit (                -- append only: the audit and the undo
  key INTEGER PRIMARY KEY,
  document INTEGER NOT NULL REFERENCES document,
  version INTEGER NOT NULL,        -- of the document after the edit
  base INTEGER NOT NULL,           -- the version that the client had seen
  at TEXT NOT NULL,
  who TEXT NOT NULL,
  request TEXT NOT NULL,           -- the client's id of the edit; makes retries harmless
  batch TEXT,                      -- one step over several documents
  operation TEXT NOT NULL,         -- JSON
  inverse TEXT NOT NULL,           -- JSON
  undoes INTEGER REFERENCES edit,
  UNIQUE (document, version)
) STRICT;
CREATE UNIQUE INDEX edit_request ON edit (request, document);
CREATE INDEX edit_batch ON edit (batch) WHERE batch IS NOT NULL;

CREATE TRIGGER edit_is_not_changed BEFORE UPDATE ON edit
BEGIN SELECT RAISE (ABORT, 'the log of edits is append-only'); END;
CREATE TRIGGER edit_is_not_removed BEFORE DELETE ON edit
BEGIN SELECT RAISE (ABORT, 'the log of edits is append-only'); END;
