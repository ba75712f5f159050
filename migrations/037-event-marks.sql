-- Ids of the latest event at certain times. An event counts as old enough to be deleted by the age of a mark that is not
-- below it: the time of the event itself is that of a clock that may have been wrong.
CREATE TABLE event_mark (
  last INTEGER PRIMARY KEY, -- id
  time INTEGER NOT NULL     -- latest time that it may have been [Unix seconds]
) STRICT;

-- From now on `outgoing_tx.seen` is also the time at which a payment was made, if it was not seen since.
