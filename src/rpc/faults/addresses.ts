import { causeText, orText, reasonOf, type FaultTable } from './fault-entry.js';

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
