/** SQL that restores the indexes of the outputs of an address from before the one by place. */
export const UNDO_OUTPUTS_BY_PLACE = `
  DROP INDEX owned_output_by_place;
  DROP INDEX owned_output_by_size;
  CREATE INDEX owned_output_by_address ON owned_output
    (minor, account, (spent_by IS NULL AND burnt = 0 AND frozen = 0), amount, height, global_index);`;

/** SQL that removes what the migrations create from that of the outputs of seen payments on. */
export const UNDO_SEEN_OUTPUTS = `
  ${UNDO_OUTPUTS_BY_PLACE}
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
