import { orText, prefixed, reasonOf, type FaultTable } from './fault-entry.js';

/** Faults of transactions in text form: unsigned and signed sets, and metadata for relay_tx. */
export const coldSigningFaults = {
  bad_unsigned_set: { code: -39, text: orText('cannot load unsigned_txset'), explanation: reasonOf },
  bad_signed_set: { code: -40, text: 'Failed to parse signed tx data.', explanation: reasonOf },
  signing_failed: {
    code: -42,
    text: prefixed('Failed to sign unsigned tx: '),
    explanation: ({ reason }) => `the transactions cannot be signed: ${reason}`,
  },
  submission_failed: {
    code: -41,
    text: prefixed('Failed to submit signed tx: '),
    explanation: ({ reason }) => `the transactions cannot be submitted: ${reason}`,
  },
  bad_tx_metadata: { code: -27, text: 'Failed to parse tx metadata.', explanation: reasonOf },
} satisfies Partial<FaultTable>;
