/** SQL that removes everything that the migration of payment requests creates. */
export const UNDO_PAYMENT_REQUESTS = `
  DROP TABLE request_state;
  DROP TABLE payment_request;
  DROP TABLE request_arrival;
  DROP INDEX seen_payment_address;
  DROP INDEX reported_payment_address;`;
