import { causeText, reasonOf, type FaultTable } from './fault-entry.js';

/** Faults of proofs and message signatures. */
export const proofFaults = {
  bad_proof: { code: -1, text: causeText, explanation: reasonOf },
  wrong_signature: { code: -9, text: causeText, explanation: reasonOf },
  wrong_signature_type: {
    code: -47,
    text: 'Invalid signature type requested',
    explanation: 'signature_type is one of spend, view',
  },
  wrong_tx_key: { code: -25, text: 'Tx key has invalid format', explanation: reasonOf },
  no_tx_key: {
    code: -24,
    text: 'No tx secret key is stored for this tx',
    explanation: ({ withSigner }) =>
      withSigner === true
        ? 'the offline wallet that signed this transaction keeps its secret key'
        : 'no secret key of this transaction is stored here',
  },
} satisfies Partial<FaultTable>;
