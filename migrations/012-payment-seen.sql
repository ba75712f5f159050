-- When a payment of ours was last in a pool that was looked into, Unix seconds, to the hour; NULL: never.
ALTER TABLE outgoing_tx ADD COLUMN seen INTEGER;
