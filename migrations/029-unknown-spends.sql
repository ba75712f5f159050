-- Outputs that were reported as spent by a transaction which the wallet has not seen.
CREATE TABLE reported_spend (
  tx_hash      BLOB    NOT NULL CHECK (length(tx_hash) = 32),   -- of the output
  output_index INTEGER NOT NULL,
  key_image    BLOB    NOT NULL CHECK (length(key_image) = 32),
  account      INTEGER NOT NULL,
  minor        INTEGER NOT NULL,
  amount       INTEGER NOT NULL,                    -- atomic units
  event        INTEGER NOT NULL,                    -- id of its output.spent
  PRIMARY KEY (tx_hash, output_index)
) STRICT, WITHOUT ROWID;

-- Outputs for which such a spend began or ended since the last events.
CREATE TABLE changed_spend (
  tx_hash      BLOB    NOT NULL CHECK (length(tx_hash) = 32),
  output_index INTEGER NOT NULL,
  PRIMARY KEY (tx_hash, output_index)
) STRICT, WITHOUT ROWID;
INSERT INTO changed_spend SELECT tx_hash, output_index FROM owned_output WHERE spent_by = zeroblob(32);

CREATE TRIGGER owned_output_unknown_spend AFTER UPDATE OF spent_by, burnt ON owned_output
WHEN OLD.spent_by = zeroblob(32) OR NEW.spent_by = zeroblob(32) BEGIN
  INSERT INTO changed_spend VALUES (NEW.tx_hash, NEW.output_index) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER owned_output_unknown_spend_removed AFTER DELETE ON owned_output
WHEN OLD.spent_by = zeroblob(32) BEGIN
  INSERT INTO changed_spend VALUES (OLD.tx_hash, OLD.output_index) ON CONFLICT DO NOTHING;
END;
