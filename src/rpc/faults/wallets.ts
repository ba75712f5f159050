import type { FoundFile } from '../../model/wallet-error.js';
import { reasonOf, type FaultTable, orText } from './fault-entry.js';

/** Explanations of a name that a file has already, by the kind of the file. */
const TAKEN: Readonly<Record<FoundFile, (name: string) => string>> = {
  wallet: (name) =>
    `a wallet '${name}' is there already, with its keys file: open it, or choose another name`,
  store: (name) =>
    `a store '${name}' of this server is there already, without its keys file '${name}.keys': restore that file, move the store away, or choose another name`,
  cache: (name) =>
    `an old cache '${name}' of monero-wallet-rpc is there already, without its keys file '${name}.keys': move it away, or choose another name`,
  file: (name) =>
    `another file '${name}' is there already, which is no wallet: move it away, or choose another name`,
  directory: (name) => `a directory '${name}' is there already: choose another name`,
  link: (name) => `a symbolic link '${name}' is there already: choose another name`,
};

/** Faults of wallet files. */
export const walletFaults = {
  no_wallet: {
    code: -13,
    text: 'No wallet file',
    explanation: 'no wallet is open: call open_wallet first',
  },
  wallet_not_open: {
    code: -13,
    text: ({ name, failure }) =>
      failure === undefined
        ? `No wallet file: the wallet '${name}' is not open under its path`
        : `No wallet file: the wallet '${name}' of --open could not be opened: ${failure}`,
    explanation: ({ name, failure }) =>
      failure === undefined
        ? `the wallet '${name}' is not open under its path: call open_wallet there, also if it is open on /json_rpc`
        : `the wallet '${name}' of --open could not be opened: ${failure}; the server tries it again when its files change`,
  },
  no_wallet_dir: {
    code: -23,
    text: 'No wallet dir configured',
    explanation: 'the server was started without --wallet-dir',
  },
  wallet_exists: {
    code: -21,
    text: 'Cannot create wallet. Already exists.',
    explanation: ({ name, found }) =>
      found === undefined ? `a wallet file '${name}' already exists` : TAKEN[found](name),
  },
  keys_file_exists: {
    code: -21,
    text: 'Cannot create wallet. Already exists.',
    explanation: ({ name }) =>
      `a keys file '${name}.keys' is there already, without a store: open_wallet opens it and makes its store anew`,
  },
  wallet_missing: {
    code: -1,
    text: 'Failed to open wallet',
    explanation: ({ name }) => `there is no wallet file '${name}'`,
  },
  wallet_locked: {
    code: -1,
    explanation: ({ name }) => `the wallet '${name}' is open in another process`,
  },
  wallet_corrupt: {
    code: -1,
    explanation: ({ name, reason }) => `the wallet '${name}' cannot be read: ${reason}`,
  },
  bad_wallet_name: { code: -1, text: 'Invalid filename', explanation: reasonOf },
  wallet_io: {
    code: -1,
    explanation: ({ file, reason }) => `the file '${file}' cannot be used: ${reason}`,
  },
  wrong_password: { code: -22, text: 'Invalid password.', explanation: 'invalid password' },
} satisfies Partial<FaultTable>;

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
    explanation:
      'key_type is one of mnemonic, view_key, spend_key; of an account of the next fork also of master_secret, balance_secret, partial_spend_key, address_secret, account_view_key',
  },
} satisfies Partial<FaultTable>;
