-- Transactions that other wallets sign get their hash when one with their rings is submitted here, or found in pool or
-- chain. In `withdrawn`, 2 stands for a transaction that certainly never left this server.
ALTER TABLE order_tx ADD COLUMN sent INTEGER NOT NULL DEFAULT 0;    -- recorded as a payment when it was made
ALTER TABLE order_tx ADD COLUMN rings BLOB;                         -- digest of its rings; NULL: signed when it was made
ALTER TABLE order_tx ADD COLUMN rival BLOB;                         -- a transaction that spends an input, with other rings
ALTER TABLE order_tx ADD COLUMN settled INTEGER NOT NULL DEFAULT 0; -- its hash or rival is settled in the chain
ALTER TABLE order_tx ADD COLUMN signing_set BLOB;                   -- the set to be signed, of a repeated attempt
CREATE INDEX order_tx_unsettled ON order_tx (rings) WHERE rings IS NOT NULL AND settled = 0;

-- Others of earlier versions were returned to the caller, who relays them.
UPDATE order_tx SET sent = 1 WHERE tx_hash IS NOT NULL
  AND (blob IS NULL AND metadata IS NULL OR tx_hash IN (SELECT tx_hash FROM outgoing_tx));
