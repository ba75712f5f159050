-- Terms of payment requests for shops, and refunds: payouts that return money of a request.
ALTER TABLE payment_request ADD COLUMN price TEXT;          -- JSON object: price in another currency
ALTER TABLE payment_request ADD COLUMN locale TEXT;         -- language of the pay page; NULL: that of its visitor
ALTER TABLE payment_request ADD COLUMN returns INTEGER NOT NULL DEFAULT 0; -- 1: the pay page leads back by itself
ALTER TABLE payment_request ADD COLUMN asks INTEGER NOT NULL DEFAULT 0; -- 1: the pay page asks for a refund address
ALTER TABLE payment_request ADD COLUMN refund_address TEXT; -- given by merchant or customer
ALTER TABLE payment_request ADD COLUMN zero_conf TEXT;      -- JSON object: rule for payments in the mempool
ALTER TABLE request_state ADD COLUMN changed INTEGER NOT NULL DEFAULT 0; -- time of the latest change of terms or state
UPDATE request_state SET changed = (SELECT created FROM payment_request p WHERE p.sequence = request_state.sequence);

ALTER TABLE payout ADD COLUMN request INTEGER REFERENCES payment_request (sequence); -- whose money it returns
ALTER TABLE payout ADD COLUMN refund TEXT CHECK (refund IN ('excess', 'late', 'all', 'amount')); -- which money that is
CREATE INDEX payout_request ON payout (request) WHERE request IS NOT NULL;

-- Signals of payments in the mempool to requests with a rule, by which they count before a block contains them.
ALTER TABLE arrival ADD COLUMN seen_by INTEGER;  -- listed nodes whose mempools contained it at the last look
ALTER TABLE arrival ADD COLUMN priority INTEGER; -- of its fee when it was first seen
ALTER TABLE arrival ADD COLUMN accepted INTEGER; -- time at which it met the rule: it counts from then on
CREATE INDEX payment_request_zero_conf ON payment_request (minor, account) WHERE zero_conf IS NOT NULL;

-- A payout has the state of one of its batches, which is recorded with the state.
ALTER TABLE payout ADD COLUMN live_batch INTEGER; -- batch that the state follows; NULL: no batch contains it now
UPDATE payout SET live_batch = (
  SELECT s.batch FROM payout_share s JOIN payout_batch b ON b.sequence = s.batch WHERE s.payout = payout.sequence
  ORDER BY b.height IS NULL, s.batch DESC LIMIT 1)
WHERE state IN ('awaiting_signature', 'sending', 'sent', 'mined', 'confirmed');
