-- Change as recorded when a payment was made. Set once a payment to the paying account itself is mined: `change` is
-- then the sum of its outputs. NULL for every other payment, and if it was not recorded.
ALTER TABLE outgoing_tx ADD COLUMN change_at_payment INTEGER;
ALTER TABLE outgoing_fact ADD COLUMN change_at_payment INTEGER;

-- Size of the complete transaction with signatures and proofs [bytes]. NULL if it was scanned before this migration.
ALTER TABLE received_tx ADD COLUMN size INTEGER;
