-- What models suggest.

CREATE TABLE model (               -- a model file with the settings it was used with
  key INTEGER PRIMARY KEY,         -- decisions about suggestions name it
  file TEXT NOT NULL,
  sha256 BLOB NOT NULL,            -- of the file
  settings BLOB NOT NULL,          -- SHA-256 of what else decides suggestions: labels, threshold …
  first_used TEXT NOT NULL,
  UNIQUE (sha256, settings)
) STRICT;

CREATE TABLE suggestion (          -- a cache: what the model that was used last suggests
  document INTEGER PRIMARY KEY REFERENCES document,
  model INTEGER NOT NULL REFERENCES model,
  found TEXT NOT NULL,             -- JSON
  words TEXT NOT NULL              -- JSON: uncertain words and their shares of the need
) STRICT;
