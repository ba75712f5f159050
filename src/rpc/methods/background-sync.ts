import { none, params, text } from '../../http/params.js';
import * as wire from '../../http/wire.js';
import { explain } from '../error-explanations.js';
import { defineMethod, type Gates, type WalletMethod } from '../method.js';

/**
 * Gates of background sync, which view-only and multisig wallets do not have.
 * Source: wallet_rpc_server.cpp `PRE_VALIDATE_BACKGROUND_SYNC`.
 */
const FULL_WALLET: Gates = {
  family: 'admin',
  needs: 'wallet',
  restricted: true,
  spendKey: true,
  multisig: 'absent',
  codes: { already_multisig: -1 },
  texts: {
    view_only: 'Watch-only wallet cannot enable background sync',
    already_multisig: 'Multisig wallet cannot enable background sync',
    wallet_exists: explain,
  },
};

/** Methods to sync a wallet while its spend key is not in memory. */
export const backgroundSyncMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'setup_background_sync',
    summary: 'Sets how the wallet syncs without its spend key: off, with its password, or with another one.',
    meta: FULL_WALLET,
    params: params({
      background_sync_type: text.default(''),
      wallet_password: text.default(''),
      background_cache_password: text.default(''),
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
    params: none,
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
    params: params({
      wallet_password: text.default(''),
      seed: text.default(''),
      seed_offset: text.default(''),
    }),
    result: wire.nothing,
    source: 'COMMAND_RPC_STOP_BACKGROUND_SYNC, on_stop_background_sync',
    async handle({ wallet }, { wallet_password, seed, seed_offset }) {
      await wallet.backgroundSync.stop({ password: wallet_password, seed, seedOffset: seed_offset });
      return {};
    },
  }),
];
