-- Sums of each account: a balance does not add up the addresses of the account. A total is high * 2^32 + low, which may
-- exceed SQLite's integers; removed outputs may leave a negative low part. Burnt outputs are not counted.
CREATE TABLE account_sum (
  account    INTEGER PRIMARY KEY,
  free_high  INTEGER NOT NULL,                      -- outputs that nothing spends and that are not frozen
  free_low   INTEGER NOT NULL,
  mined_high INTEGER NOT NULL,                      -- outputs that nothing mined spends and that are not frozen
  mined_low  INTEGER NOT NULL
) STRICT;

INSERT INTO account_sum
  SELECT account, sum(free_total >> 32), sum(free_total & 0xffffffff), sum(mined_total >> 32), sum(mined_total & 0xffffffff)
  FROM address_sum GROUP BY account;

-- The writer of outputs adds new ones.
CREATE TRIGGER owned_output_changed_in_account AFTER UPDATE OF burnt, frozen, spent_by, spent_height ON owned_output BEGIN
  UPDATE account_sum SET
    free_high = free_high + (NEW.amount >> 32) * (
      (NEW.spent_by IS NULL AND NOT NEW.frozen AND NOT NEW.burnt)
      - (OLD.spent_by IS NULL AND NOT OLD.frozen AND NOT OLD.burnt)),
    free_low = free_low + (NEW.amount & 0xffffffff) * (
      (NEW.spent_by IS NULL AND NOT NEW.frozen AND NOT NEW.burnt)
      - (OLD.spent_by IS NULL AND NOT OLD.frozen AND NOT OLD.burnt)),
    mined_high = mined_high + (NEW.amount >> 32) * (
      (NEW.spent_height IS NULL AND NOT NEW.frozen AND NOT NEW.burnt)
      - (OLD.spent_height IS NULL AND NOT OLD.frozen AND NOT OLD.burnt)),
    mined_low = mined_low + (NEW.amount & 0xffffffff) * (
      (NEW.spent_height IS NULL AND NOT NEW.frozen AND NOT NEW.burnt)
      - (OLD.spent_height IS NULL AND NOT OLD.frozen AND NOT OLD.burnt))
  WHERE account = NEW.account;
END;

CREATE TRIGGER owned_output_removed_from_account AFTER DELETE ON owned_output BEGIN
  UPDATE account_sum SET
    free_high = free_high - (OLD.amount >> 32) * (OLD.spent_by IS NULL AND NOT OLD.frozen AND NOT OLD.burnt),
    free_low = free_low - (OLD.amount & 0xffffffff) * (OLD.spent_by IS NULL AND NOT OLD.frozen AND NOT OLD.burnt),
    mined_high = mined_high - (OLD.amount >> 32) * (OLD.spent_height IS NULL AND NOT OLD.frozen AND NOT OLD.burnt),
    mined_low = mined_low - (OLD.amount & 0xffffffff) * (OLD.spent_height IS NULL AND NOT OLD.frozen AND NOT OLD.burnt)
  WHERE account = OLD.account;
END;
