/** SQL that removes the sizes of transactions from their outputs. */
const UNDO_OUTPUT_SIZES = `
  DROP INDEX received_tx_height;
  CREATE INDEX received_tx_height ON received_tx
    (height, tx_hash, timestamp, unlock_time, fee, coinbase, payment_id, size);
  ALTER TABLE owned_output DROP COLUMN tx_size;`;

/** SQL that removes the secrets of outputs in the form of the fork, of which there are none. */
export const UNDO_CARROT = `
  ${UNDO_OUTPUT_SIZES}
  DROP INDEX owned_output_carrot;
  ALTER TABLE owned_output DROP COLUMN carrot;
  ALTER TABLE imported_output DROP COLUMN carrot;`;

/** SQL that removes the terms of shops from payment requests, and the signals of the mempool. */
const UNDO_SHOP = `
  ${UNDO_CARROT}
  DROP INDEX payment_request_zero_conf;
  DROP INDEX payout_request;
  ALTER TABLE payment_request DROP COLUMN price;
  ALTER TABLE payment_request DROP COLUMN locale;
  ALTER TABLE payment_request DROP COLUMN returns;
  ALTER TABLE payment_request DROP COLUMN asks;
  ALTER TABLE payment_request DROP COLUMN refund_address;
  ALTER TABLE payment_request DROP COLUMN zero_conf;
  ALTER TABLE request_state DROP COLUMN changed;
  ALTER TABLE arrival DROP COLUMN seen_by;
  ALTER TABLE arrival DROP COLUMN priority;
  ALTER TABLE arrival DROP COLUMN accepted;`;

/** SQL that removes the tables of payouts, and the triggers that mark their batches. */
export const UNDO_PAYOUTS = `
  ${UNDO_SHOP}
  DROP TRIGGER payout_payment_added;
  DROP TRIGGER payout_payment_changed;
  DROP TRIGGER payout_payment_removed;
  DROP TRIGGER payout_rescan_passed;
  DROP TRIGGER payout_attempt_changed;
  DROP TRIGGER payout_order_removed;
  DROP TABLE payout_pause;
  DROP TABLE payout_action;
  DROP TABLE payout_share;
  DROP TABLE payout_batch;
  DROP TABLE payout;`;

/** SQL that restores rows for several events, of which there are none. */
const UNDO_ROWS = `
  ${UNDO_PAYOUTS}
  CREATE TABLE stage_range (
    id          INTEGER PRIMARY KEY REFERENCES event (id) ON DELETE CASCADE,
    ids         INTEGER NOT NULL CHECK (ids > 0),
    min_height  INTEGER NOT NULL CHECK (min_height >= 0),
    max_height  INTEGER NOT NULL CHECK (max_height >= min_height),
    first_mined INTEGER NOT NULL,
    none        TEXT    NOT NULL,
    coinbase    TEXT    NOT NULL,
    other       TEXT    NOT NULL
  ) STRICT;
  CREATE INDEX event_reversed ON event (height) WHERE type = 3;
  ALTER TABLE event ADD COLUMN stages TEXT;
  ALTER TABLE event DROP COLUMN confirmations;`;

/** SQL that restores the arrivals of payments to requests alone. */
const UNDO_ARRIVALS = `
  ${UNDO_ROWS}
  DROP TABLE arrival;
  DROP TABLE fresh_payment;
  CREATE TABLE request_arrival (
    account INTEGER NOT NULL,
    minor   INTEGER NOT NULL,
    tx_hash BLOB    NOT NULL CHECK (length(tx_hash) = 32),
    time    INTEGER NOT NULL,
    contested INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (minor, account, tx_hash)
  ) STRICT, WITHOUT ROWID;`;

/** SQL that restores the columns of idempotency keys, in tables without rows. */
const UNDO_IDEMPOTENCY_KEYS = `
  DROP TABLE idempotency_key;
  ALTER TABLE payment_order ADD COLUMN idempotency_key TEXT;
  ALTER TABLE payment_order ADD COLUMN method TEXT;
  ALTER TABLE payment_order ADD COLUMN request_hash BLOB;
  ALTER TABLE payment_request ADD COLUMN idempotency_key TEXT;
  ALTER TABLE payment_request ADD COLUMN params_hash BLOB;`;

/** SQL that removes the record of searched addresses. */
const UNDO_SEARCHED_ADDRESSES = `
  ${UNDO_IDEMPOTENCY_KEYS}
  DROP TABLE searched_account;`;

/** SQL that removes the indexes of imported outputs. */
const UNDO_IMPORTED_BY_ADDRESS = `
  ${UNDO_SEARCHED_ADDRESSES}
  ${UNDO_ARRIVALS}
  DROP INDEX imported_output_by_address;
  DROP INDEX imported_output_requested;`;

/** SQL that removes the inputs that reorganisations took from unmined payments. */
const UNDO_LOST_INPUTS = `
  ${UNDO_IMPORTED_BY_ADDRESS}
  DROP TABLE lost_input;`;

/** SQL that restores the indexes of outputs and transactions from before lists were read in their order. */
const UNDO_LISTS_IN_ORDER = `
  ${UNDO_LOST_INPUTS}
  DROP INDEX received_tx_height;
  CREATE INDEX received_tx_height ON received_tx (height);
  DROP INDEX owned_output_by_place;
  DROP INDEX owned_output_by_size;
  CREATE INDEX owned_output_by_address ON owned_output
    (minor, account, (spent_by IS NULL AND burnt = 0 AND frozen = 0), amount, height, global_index);`;

/** SQL that removes what the migrations create from that of the outputs of seen payments on. */
export const UNDO_SEEN_OUTPUTS = `
  ${UNDO_LISTS_IN_ORDER}
  DROP TABLE event_mark;
  DROP TABLE event_trace;
  DROP TABLE seen_output;`;

/** SQL that removes everything that the migrations create from that of payment requests on. */
export const UNDO_PAYMENT_REQUESTS = `
  ${UNDO_SEEN_OUTPUTS}
  DROP TABLE request_state;
  DROP TABLE payment_request;
  DROP TABLE request_arrival;
  DROP INDEX seen_payment_address;
  DROP INDEX reported_payment_address;`;
