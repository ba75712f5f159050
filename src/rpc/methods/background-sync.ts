import { none, params, text } from '../../http/methods/params.js';
import * as wire from '../../http/methods/wire.js';
import { type Conditions, defineMethod, type WalletMethod } from '../method.js';
import { explain } from '../faults/fault-table.js';
import { DAEMON } from '../faults/fault-entry.js';

/**
 * Conditions of the methods for background sync, which view-only and multisig wallets do not have. Source:
 * wallet_rpc_server.cpp `PRE_VALIDATE_BACKGROUND_SYNC`.
 */
const FULL_WALLET = {
  family: 'admin',
  needs: 'wallet',
  restricted: true,
  account: 'legacy',
  spendKey: true,
  multisig: 'absent',
} as const satisfies Conditions;

const CODES = { already_multisig: -1 } as const;

const TEXTS = {
  view_only: 'Watch-only wallet cannot enable background sync',
  already_multisig: 'Multisig wallet cannot enable background sync',
} as const;

/** Methods to refresh a wallet while its spend key is not in memory. */
export const backgroundSyncMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'setup_background_sync',
    summary: 'Sets how the wallet syncs without its spend key: off, with its password, or with another one.',
    meta: FULL_WALLET,
    faults: ['wrong_password', 'wallet_exists', 'invalid', 'bad_cluster_request'],
    codes: CODES,
    texts: { ...TEXTS, wallet_exists: explain },
    params: () =>
      params({
        background_sync_type: text
          .default('')
          .describe('off, reuse-wallet-password or custom-background-password'),
        wallet_password: text.default('').describe('Password of the wallet'),
        background_cache_password: text
          .default('')
          .describe('Password of the background wallet; only for custom-background-password'),
      }),
    result: wire.nothing,
    source: 'COMMAND_RPC_SETUP_BACKGROUND_SYNC, on_setup_background_sync',
    async handle({ wallet }, { background_sync_type, wallet_password, background_cache_password }) {
      await wallet.backgroundSync.setup(background_sync_type, wallet_password, background_cache_password);
      return {};
    },
  }),

  defineMethod({
    name: 'start_background_sync',
    summary: 'Starts background sync: wipes the spend key from memory and keeps syncing.',
    meta: FULL_WALLET,
    faults: ['invalid'],
    codes: CODES,
    texts: TEXTS,
    params: () => none,
    result: wire.nothing,
    source: 'COMMAND_RPC_START_BACKGROUND_SYNC, on_start_background_sync',
    async handle({ wallet }) {
      await wallet.backgroundSync.start();
      return {};
    },
  }),

  defineMethod({
    name: 'stop_background_sync',
    summary:
      'Stops background sync: restores the spend key and recognises the spends of the time without it.',
    meta: FULL_WALLET,
    faults: [...DAEMON, 'wrong_password', 'bad_seed', 'invalid'],
    codes: CODES,
    texts: TEXTS,
    params: () =>
      params({
        wallet_password: text.default('').describe('Password of the wallet'),
        seed: text
          .default('')
          .describe(
            'Mnemonic seed or Polyseed to restore the spend key from; empty: the spend key of the keys file',
          ),
        seed_offset: text
          .default('')
          .describe(
            'Offset that the seed was encrypted with, or passphrase of an encrypted Polyseed; empty: none',
          ),
      }),
    result: wire.nothing,
    source: 'COMMAND_RPC_STOP_BACKGROUND_SYNC, on_stop_background_sync',
    async handle({ wallet }, { wallet_password, seed, seed_offset }) {
      await wallet.backgroundSync.stop({ password: wallet_password, seed, seedOffset: seed_offset });
      return {};
    },
  }),
];
