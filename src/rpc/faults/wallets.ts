import { reasonOf, type FaultTable } from './fault-entry.js';

/** Faults of wallet files. */
export const walletFaults = {
  no_wallet: {
    code: -13,
    text: 'No wallet file',
    explanation: 'no wallet is open: call open_wallet first',
  },
  no_wallet_dir: {
    code: -23,
    text: 'No wallet dir configured',
    explanation: 'the server was started without --wallet-dir',
  },
  wallet_exists: {
    code: -21,
    text: 'Cannot create wallet. Already exists.',
    explanation: ({ name }) => `a wallet file '${name}' already exists`,
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
