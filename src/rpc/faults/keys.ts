import { orText, type FaultTable } from './fault-entry.js';

/** Faults of the keys of a wallet, and of the seeds from which keys are derived. */
export const keyFaults = {
  view_only: {
    code: -29,
    text: orText('command not supported by watch-only wallet'),
    explanation: 'the wallet is view-only: it has no spend key',
  },
  background_wallet: {
    code: -51,
    text: 'This command is disabled for background wallets.',
    explanation: 'a background wallet only syncs: open the main wallet',
  },
  background_syncing: {
    code: -52,
    text: 'This command is disabled while background syncing. Stop background syncing to use this command.',
    explanation: 'the spend key is not in memory during background sync: call stop_background_sync first',
  },
  not_deterministic: {
    code: -43,
    text: 'The wallet is non-deterministic. Cannot display seed.',
    explanation: 'the wallet is not deterministic: it has no mnemonic seed',
  },
  unknown_language: {
    code: -1,
    text: ({ language }) => `Unknown language: ${language}`,
    explanation: ({ language }) => `unknown language '${language}': get_languages lists the known ones`,
  },
  bad_seed: {
    code: -1,
    text: orText('Electrum-style word list failed verification'),
    explanation: ({ reason }) => `the word list failed verification: ${reason}`,
  },
  wrong_key_type: {
    code: 0,
    text: ({ given }) => `key_type ${given} not found`,
    explanation: 'key_type is one of mnemonic, view_key, spend_key',
  },
} satisfies Partial<FaultTable>;
