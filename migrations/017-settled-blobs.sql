-- Mined payments whose blob is still stored: each page of blocks looks for those that are deep enough to drop it.
CREATE INDEX outgoing_tx_blob ON outgoing_tx (height) WHERE blob IS NOT NULL AND height IS NOT NULL;
