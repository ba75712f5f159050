import { causeText, orText, prefixed, reasonOf, type FaultTable } from './fault-entry.js';

const DISABLED =
  'This wallet is multisig, and multisig is disabled. Multisig is an experimental feature and may have bugs. ' +
  "Things that could go wrong include: funds sent to a multisig wallet can't be spent at all, can only be spent " +
  'with the participation of a malicious group member, or can be stolen by a malicious group member. You can ' +
  'enable it by running this once in monero-wallet-cli: set enable-multisig-experimental 1';

/** Faults of multisig groups: key exchange, multisig info, signatures. */
export const multisigFaults = {
  multisig_refused: { code: -1, text: causeText, explanation: reasonOf },
  already_multisig: {
    code: -28,
    text: 'This wallet is already multisig',
    explanation: 'the wallet is multisig already',
  },
  not_multisig: {
    code: -31,
    text: 'This wallet is not multisig',
    explanation: 'the wallet is not multisig',
  },
  multisig_not_ready: {
    code: -31,
    text: 'This wallet is multisig, but not yet finalized',
    explanation:
      'the wallet is multisig, but its key exchange is not complete: call exchange_multisig_keys with the messages of all participants',
  },
  multisig_disabled: {
    code: -48,
    text: DISABLED,
    explanation:
      'multisig is experimental and disabled for this wallet: enable it with prepare_multisig before it is made multisig, or in monero-wallet-cli',
  },
  too_few_signers: {
    code: -33,
    text: 'Needs multisig info from more participants',
    explanation: ({ needed, given }) => `more participants are needed: ${needed}, not ${given}`,
  },
  bad_multisig_set: {
    code: -34,
    text: orText('Failed to parse multisig tx data.'),
    explanation: reasonOf,
  },
  multisig_signing_failed: {
    code: -35,
    text: prefixed('Failed to sign multisig tx: '),
    explanation: ({ reason }) => `the transactions cannot be signed: ${reason}`,
  },
  multisig_submission_failed: {
    code: -36,
    text: prefixed('Failed to submit multisig tx: '),
    explanation: ({ reason }) => `the transactions cannot be submitted: ${reason}`,
  },
  multisig_import_needed: {
    code: -4,
    text: 'Not enough multisig data was found to sign: import multisig data from more other participants',
    explanation:
      'unused nonces of too few signers are known for these outputs: import their multisig info first',
  },
  multisig_export_needed: {
    code: -35,
    text: 'Failed to sign multisig tx: This signature was made with stale data: export fresh multisig data, which other participants must then use',
    explanation:
      'this wallet has no unused nonces for these outputs: export its multisig info again, have the proposer import it, and make a new transaction',
  },
} satisfies Partial<FaultTable>;

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

/** Faults of proofs and message signatures. */
export const proofFaults = {
  bad_proof: { code: -1, text: causeText, explanation: reasonOf },
  fork_proof: { code: -1, text: causeText, explanation: reasonOf },
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
