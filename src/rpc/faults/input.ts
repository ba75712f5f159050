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
