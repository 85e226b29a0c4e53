-- Held-out documents in two halves, and the models that are taught.

UPDATE document SET fold = fold_of((SELECT secret FROM project), grp, id);  -- now 0 … 9; 0 = gate, 5 = seal
ALTER TABLE document ADD COLUMN looked_at TEXT;  -- when a finished model was scored on a sealed document

CREATE TABLE taught (              -- models that learnt from this project
  key INTEGER PRIMARY KEY,
  made_at TEXT NOT NULL,
  made_by TEXT NOT NULL,
  purpose TEXT NOT NULL CHECK (purpose IN ('teach', 'finish', 'everything')),
  file TEXT NOT NULL,              -- in the project's folder, e.g. models/0007.lacuna
  sha256 BLOB NOT NULL,            -- of the file
  base_sha256 BLOB,                -- of the file it started from; NULL: it started from nothing
  parent INTEGER REFERENCES taught,  -- the model that was live before; NULL: that of project.toml
  learnt_from TEXT NOT NULL,       -- JSON: [[key, version], …] of documents
  compared_on TEXT NOT NULL,       -- JSON: [[key, version], …] of documents of the gate
  went_live INTEGER NOT NULL CHECK (went_live IN (0, 1)),
  why TEXT NOT NULL,               -- it went live, or did not, in words
  scores TEXT NOT NULL,            -- JSON
  iterations INTEGER NOT NULL,
  seconds REAL NOT NULL
) STRICT;

CREATE TABLE live (                -- one row: the model that suggests
  key INTEGER PRIMARY KEY CHECK (key = 1),
  taught INTEGER REFERENCES taught -- NULL: that of project.toml
) STRICT;
INSERT INTO live (key) VALUES (1);

CREATE TABLE seal_look (           -- each time the seal was opened
  key INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  who TEXT NOT NULL,
  taught INTEGER NOT NULL REFERENCES taught,
  documents TEXT NOT NULL          -- JSON: [[key, version], …]
) STRICT;
