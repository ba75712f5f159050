-- Daemon that a payment was last sent to, as host:port; NULL: unknown, or never sent by this wallet.
ALTER TABLE outgoing_tx ADD COLUMN sent_to TEXT;
