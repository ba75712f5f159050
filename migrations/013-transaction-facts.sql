-- Change as recorded when a payment was made. Set once a payment to the paying account itself is mined: `change` is
-- then all that came back. NULL for every other payment, and where it was not recorded.
ALTER TABLE outgoing_tx ADD COLUMN change_at_payment INTEGER;
ALTER TABLE outgoing_fact ADD COLUMN change_at_payment INTEGER;

-- Size of the whole encoding [bytes], signatures and proofs included. NULL where the block was read before this step.
ALTER TABLE received_tx ADD COLUMN size INTEGER;
