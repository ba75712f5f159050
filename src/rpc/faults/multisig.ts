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
