/** SQL that removes what the migrations create from that of the outputs of seen payments on. */
export const UNDO_SEEN_OUTPUTS = `
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
