-- Outputs in the order in which they were found; indexes refer to a short number instead of a hash of 32 bytes. New rows
-- of a refresh are adjacent, and a commit writes a third less.
CREATE TABLE numbered_output (
  tx_hash        BLOB    NOT NULL REFERENCES received_tx (tx_hash) ON DELETE CASCADE,
  output_index   INTEGER NOT NULL,                  -- within the transaction
  global_index   INTEGER NOT NULL,                  -- among all outputs of its amount in the chain
  public_key     BLOB    NOT NULL CHECK (length(public_key) = 32),
  key_image      BLOB    CHECK (length(key_image) = 32),  -- NULL while unknown: view-only
  amount         INTEGER NOT NULL CHECK (amount > 0),
  mask           BLOB    NOT NULL CHECK (length(mask) = 32),
  rct            INTEGER NOT NULL,
  account        INTEGER NOT NULL,                  -- subaddress major index
  minor          INTEGER NOT NULL,
  derivation_key BLOB    NOT NULL CHECK (length(derivation_key) = 32),
  height         INTEGER NOT NULL,
  unlock_time    TEXT    NOT NULL,
  coinbase       INTEGER NOT NULL,
  change         INTEGER NOT NULL,                  -- came back to the account that paid
  burnt          INTEGER NOT NULL DEFAULT 0,        -- another output with its key holds at least as much
  frozen         INTEGER NOT NULL DEFAULT 0,
  spent_by       BLOB    CHECK (length(spent_by) = 32),   -- NULL while unspent
  spent_height   INTEGER,                           -- NULL while unspent, or spent by an unconfirmed payment
  UNIQUE (tx_hash, output_index)                    -- two outputs may share a key: burning bug
) STRICT;

INSERT INTO numbered_output SELECT * FROM owned_output ORDER BY height, global_index, tx_hash, output_index;
DROP TABLE owned_output;
ALTER TABLE numbered_output RENAME TO owned_output;

CREATE INDEX owned_output_key_image ON owned_output (key_image);
CREATE INDEX owned_output_public_key ON owned_output (public_key);
CREATE INDEX owned_output_height ON owned_output (height);
CREATE INDEX owned_output_spent_by ON owned_output (spent_by) WHERE spent_by IS NOT NULL;
CREATE INDEX owned_output_spent_height ON owned_output (spent_height) WHERE spent_height IS NOT NULL;

-- Outputs that may be locked for longer than their age.
CREATE INDEX owned_output_lock ON owned_output (height) WHERE unlock_time <> '0' AND NOT coinbase AND spent_height IS NULL;

-- The oldest output that pays alone; the smallest and the largest of an address; outputs from before RingCT.
CREATE INDEX owned_output_by_age ON owned_output
  (account, height, global_index, minor, amount, unlock_time, spent_by, burnt, frozen)
  WHERE spent_by IS NULL AND burnt = 0 AND frozen = 0;
CREATE INDEX owned_output_by_size ON owned_output (account, minor, amount, height, global_index)
  WHERE spent_by IS NULL AND burnt = 0 AND frozen = 0;
CREATE INDEX owned_output_plain ON owned_output (account) WHERE rct = 0;

-- Triggers that update the sums, as in 006-address-sum.sql.
CREATE TRIGGER owned_output_added AFTER INSERT ON owned_output BEGIN
  INSERT INTO address_sum VALUES (
    NEW.account, NEW.minor, 1,
    NEW.spent_by IS NULL,
    NEW.spent_by IS NULL AND NOT NEW.frozen, iif(NEW.spent_by IS NULL AND NOT NEW.frozen, NEW.amount, 0),
    NEW.spent_height IS NULL AND NOT NEW.frozen, iif(NEW.spent_height IS NULL AND NOT NEW.frozen, NEW.amount, 0)
  ) ON CONFLICT DO UPDATE SET
    received = received + 1,
    unspent = unspent + excluded.unspent,
    free_count = free_count + excluded.free_count, free_total = free_total + excluded.free_total,
    mined_count = mined_count + excluded.mined_count, mined_total = mined_total + excluded.mined_total;
END;

CREATE TRIGGER owned_output_changed AFTER UPDATE OF burnt, frozen, spent_by, spent_height ON owned_output BEGIN
  UPDATE address_sum SET
    unspent = unspent
      + (NEW.spent_by IS NULL AND NOT NEW.burnt) - (OLD.spent_by IS NULL AND NOT OLD.burnt),
    free_count = free_count
      + (NEW.spent_by IS NULL AND NOT NEW.frozen AND NOT NEW.burnt)
      - (OLD.spent_by IS NULL AND NOT OLD.frozen AND NOT OLD.burnt),
    free_total = free_total
      + iif(NEW.spent_by IS NULL AND NOT NEW.frozen AND NOT NEW.burnt, NEW.amount, 0)
      - iif(OLD.spent_by IS NULL AND NOT OLD.frozen AND NOT OLD.burnt, OLD.amount, 0),
    mined_count = mined_count
      + (NEW.spent_height IS NULL AND NOT NEW.frozen AND NOT NEW.burnt)
      - (OLD.spent_height IS NULL AND NOT OLD.frozen AND NOT OLD.burnt),
    mined_total = mined_total
      + iif(NEW.spent_height IS NULL AND NOT NEW.frozen AND NOT NEW.burnt, NEW.amount, 0)
      - iif(OLD.spent_height IS NULL AND NOT OLD.frozen AND NOT OLD.burnt, OLD.amount, 0)
  WHERE account = NEW.account AND minor = NEW.minor;
END;

CREATE TRIGGER owned_output_removed AFTER DELETE ON owned_output BEGIN
  UPDATE address_sum SET
    received = received - 1,
    unspent = unspent - (OLD.spent_by IS NULL AND NOT OLD.burnt),
    free_count = free_count - (OLD.spent_by IS NULL AND NOT OLD.frozen AND NOT OLD.burnt),
    free_total = free_total - iif(OLD.spent_by IS NULL AND NOT OLD.frozen AND NOT OLD.burnt, OLD.amount, 0),
    mined_count = mined_count - (OLD.spent_height IS NULL AND NOT OLD.frozen AND NOT OLD.burnt),
    mined_total = mined_total - iif(OLD.spent_height IS NULL AND NOT OLD.frozen AND NOT OLD.burnt, OLD.amount, 0)
  WHERE account = OLD.account AND minor = OLD.minor;
END;
