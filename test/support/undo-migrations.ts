/** SQL that removes everything that the migrations create from that of payment requests on. */
export const UNDO_PAYMENT_REQUESTS = `
  DROP TABLE seen_output;
  DROP TABLE request_state;
  DROP TABLE payment_request;
  DROP TABLE request_arrival;
  DROP INDEX seen_payment_address;
  DROP INDEX reported_payment_address;`;
