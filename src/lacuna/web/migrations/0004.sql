-- Patients who were erased: what happened, without their identity.

CREATE TABLE erasure (
  key INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  who TEXT NOT NULL,
  documents TEXT NOT NULL,         -- JSON: their keys, which are not given again
  models TEXT NOT NULL,            -- JSON: keys of the models that learnt from them or were compared on them
  traces TEXT NOT NULL             -- JSON: numbers below 64 of the patient and the texts (finishing/discipline.py)
) STRICT;
