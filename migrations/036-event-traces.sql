-- Traces of the calls that caused events: see the header `traceparent`. Other events have no row.
CREATE TABLE event_trace (
  event    INTEGER PRIMARY KEY REFERENCES event (id) ON DELETE CASCADE, -- of its row
  trace_id BLOB    NOT NULL CHECK (length(trace_id) = 16),
  sampled  INTEGER NOT NULL                         -- the caller may have recorded its part of the trace
) STRICT;
