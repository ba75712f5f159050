-- Sums of each address, updated by triggers on its outputs: a balance does not read every output.
-- Burnt outputs are not counted.
CREATE TABLE address_sum (
  account     INTEGER NOT NULL,
  minor       INTEGER NOT NULL,
  received    INTEGER NOT NULL,                     -- outputs, burnt ones too
  unspent     INTEGER NOT NULL,                     -- outputs that nothing spends, frozen ones too
  free_count  INTEGER NOT NULL,                     -- outputs that nothing spends and that are not frozen
  free_total  INTEGER NOT NULL,
  mined_count INTEGER NOT NULL,                     -- outputs that nothing mined spends and that are not frozen
  mined_total INTEGER NOT NULL,
  PRIMARY KEY (account, minor)
) STRICT, WITHOUT ROWID;

INSERT INTO address_sum
  SELECT account, minor, count(*),
    sum(spent_by IS NULL AND NOT burnt),
    sum(spent_by IS NULL AND NOT frozen AND NOT burnt),
    sum(iif(spent_by IS NULL AND NOT frozen AND NOT burnt, amount, 0)),
    sum(spent_height IS NULL AND NOT frozen AND NOT burnt),
    sum(iif(spent_height IS NULL AND NOT frozen AND NOT burnt, amount, 0))
  FROM owned_output GROUP BY account, minor;

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

-- Outputs that may be locked for longer than their age.
CREATE INDEX owned_output_lock ON owned_output (height) WHERE unlock_time <> '0' AND NOT coinbase AND spent_height IS NULL;

-- The sums replace this index: they contain used addresses and amounts.
DROP INDEX owned_output_place;
