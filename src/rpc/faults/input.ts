import { causeText, orText, reasonOf, type FaultTable } from './fault-entry.js';

/** Faults of single parameters that belong to no other family. */
export const inputFaults = {
  invalid: { code: -1, text: causeText, explanation: reasonOf },
  bad_hex: {
    code: -26,
    text: 'Failed to parse hex.',
    explanation: ({ what }) => `${what} is not hex`,
  },
  wrong_tx_hash: { code: -8, text: orText('TX ID has invalid format'), explanation: reasonOf },
  wrong_key_image: { code: -10, text: 'failed to parse key image', explanation: reasonOf },
  key_image_unknown: {
    code: -1,
    text: 'Key image not found',
    explanation: 'no output of this wallet has this key image',
  },
  wrong_transfer_type: {
    code: -6,
    text: 'Transfer type must be one of: all, available, or unavailable',
    explanation: 'transfer_type is one of all, available, unavailable',
  },
  attribute_missing: {
    code: -45,
    text: 'Attribute not found.',
    explanation: 'there is no such attribute',
  },
  bad_log_level: {
    code: -44,
    text: 'Error: log level not valid',
    explanation: ({ level }) => `log level ${level} is out of range: 0 to 4`,
  },
} satisfies Partial<FaultTable>;

/** Faults of addresses, accounts, the address book and payment URIs. */
export const addressFaults = {
  wrong_address: { code: -2, text: causeText, explanation: reasonOf },
  wrong_payment_id: { code: -5, text: orText('Invalid payment ID'), explanation: reasonOf },
  bad_uri: { code: -11, text: causeText, explanation: reasonOf },
  account_out_of_range: {
    code: -14,
    text: 'account index is out of bound',
    explanation: ({ account, count }) => `account index ${account} is out of range: there are ${count}`,
  },
  address_out_of_range: {
    code: -15,
    text: 'address index is out of bound',
    explanation: ({ account, index, count }) =>
      `address index ${index} of account ${account} is out of range: there are ${count}`,
  },
  book_index_out_of_range: {
    code: -12,
    text: ({ index }) => `Index out of range: ${index}`,
    explanation: ({ index, count }) =>
      `index ${index} of the address book is out of range: there are ${count} entries`,
  },
} satisfies Partial<FaultTable>;
