-- Time at which a payment was last seen in the mempool [Unix seconds], to the hour; NULL: never.
ALTER TABLE outgoing_tx ADD COLUMN seen INTEGER;
