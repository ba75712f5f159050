import type { KeyImage } from '../../monero/crypto/types.js';
import { WalletError } from '../../model/wallet-error.js';
import { listOf, none, params, text } from '../../http/methods/params.js';
import * as wire from '../../http/methods/wire.js';
import { CREDENTIAL, DAEMON } from '../faults/fault-entry.js';
import { defineMethod, type WalletMethod } from '../method.js';
import { readKeyImage, readTxHash } from '../wire/shapes.js';

/** Message of the reference if the daemon does not send a transaction. Source: wallet2.cpp `scan_tx`. */
const NOT_FETCHED = 'Failed to get transaction from daemon';

const oneOutput = params({
  key_image: text.default('').describe('Key image of the output as 64 hex digits'),
});

/**
 * Parses a key image that must be present. @param purpose part of the message of the reference.
 * @throws WalletError `wrong_key_image`, `invalid` if the key image is missing.
 */
function requireKeyImage(keyImage: string, purpose: string): KeyImage {
  if (keyImage === '')
    throw new WalletError({
      kind: 'invalid',
      reason: 'key_image is missing',
      text: `Must specify key image to ${purpose}`,
    });
  return readKeyImage(keyImage);
}

export const outputMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'freeze',
    summary: 'Freezes an output, so that no payment spends it.',
    meta: { family: 'spend', needs: 'wallet', restricted: true, foreground: true },
    faults: [...CREDENTIAL, 'wrong_key_image', 'key_image_unknown', 'invalid'],
    params: () => oneOutput,
    result: wire.nothing,
    source: 'COMMAND_RPC_FREEZE, on_freeze',
    handle({ wallet, spender }, { key_image }) {
      wallet.outputFreezing.freeze(requireKeyImage(key_image, 'freeze'), spender);
      return {};
    },
  }),

  defineMethod({
    name: 'thaw',
    summary: 'Thaws a frozen output, so that it can be spent again.',
    meta: { family: 'spend', needs: 'wallet', restricted: true, foreground: true },
    faults: ['wrong_key_image', 'key_image_unknown', 'invalid'],
    params: () => oneOutput,
    result: wire.nothing,
    source: 'COMMAND_RPC_THAW, on_thaw',
    handle({ wallet }, { key_image }) {
      wallet.outputFreezing.thaw(requireKeyImage(key_image, 'thaw'));
      return {};
    },
  }),

  defineMethod({
    name: 'frozen',
    summary: 'Returns whether an output is frozen.',
    meta: { family: 'view', needs: 'wallet', restricted: false, foreground: true },
    faults: ['wrong_key_image', 'key_image_unknown', 'invalid'],
    params: () => oneOutput,
    result: () => wire.object({ frozen: wire.flag('The output is frozen') }),
    source: 'COMMAND_RPC_FROZEN, on_frozen',
    handle: ({ wallet }, { key_image }) => ({
      frozen: wallet.outputFreezing.find(requireKeyImage(key_image, 'check if frozen')).frozen,
    }),
  }),

  defineMethod({
    name: 'scan_tx',
    summary: 'Scans single transactions, apart from a refresh.',
    meta: { family: 'admin', needs: 'wallet', restricted: true, foreground: true },
    faults: [...DAEMON, 'wrong_tx_hash', 'invalid'],
    codes: { daemon_unreachable: -1 },
    texts: { daemon_unreachable: NOT_FETCHED },
    params: () => params({ txids: listOf(text).describe('Transaction hashes') }),
    result: wire.nothing,
    requestSize: 'long-text',
    source: 'COMMAND_RPC_SCAN_TX, on_scan_tx',
    async handle({ wallet }, { txids }) {
      await wallet.txScan.scan(txids.map(readTxHash));
      return {};
    },
  }),

  defineMethod({
    name: 'rescan_spent',
    summary: 'Asks the daemon again which outputs are spent.',
    meta: { family: 'admin', needs: 'wallet', restricted: true, foreground: true, trustedDaemon: true },
    faults: DAEMON,
    params: () => none,
    result: wire.nothing,
    source: 'COMMAND_RPC_RESCAN_SPENT, on_rescan_spent',
    async handle({ wallet }) {
      await wallet.outputFreezing.rescanSpent();
      return {};
    },
  }),
];
