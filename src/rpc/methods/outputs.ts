import type { KeyImage } from '../../crypto/types.js';
import { listOf, none, params, text } from '../../jsonrpc/params.js';
import { WalletError } from '../../wallet/fault.js';
import { defineMethod, type WalletMethod } from '../method.js';
import { readKeyImage, readTxHash } from '../shapes.js';

const oneOutput = params({ key_image: text.default('') });

/** @throws WalletError `wrong_key_image`, `invalid` where it is missing */
function outputNamed(keyImage: string): KeyImage {
  if (keyImage === '') throw new WalletError({ kind: 'invalid', reason: 'key_image is missing' });
  return readKeyImage(keyImage);
}

export const outputMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'freeze',
    summary: 'Sets an output aside: nothing spends it.',
    meta: { needs: 'wallet', restricted: true, foreground: true },
    params: oneOutput,
    source: 'COMMAND_RPC_FREEZE, on_freeze',
    handle({ wallet }, { key_image }) {
      wallet.outputStates.setFrozen(outputNamed(key_image), true);
      return {};
    },
  }),

  defineMethod({
    name: 'thaw',
    summary: 'Lets a frozen output be spent again.',
    meta: { needs: 'wallet', restricted: true, foreground: true },
    params: oneOutput,
    source: 'COMMAND_RPC_THAW, on_thaw',
    handle({ wallet }, { key_image }) {
      wallet.outputStates.setFrozen(outputNamed(key_image), false);
      return {};
    },
  }),

  defineMethod({
    name: 'frozen',
    summary: 'Tells whether an output is frozen.',
    meta: { needs: 'wallet', restricted: false, foreground: true },
    params: oneOutput,
    source: 'COMMAND_RPC_FROZEN, on_frozen',
    handle: ({ wallet }, { key_image }) => ({
      frozen: wallet.outputStates.find(outputNamed(key_image)).frozen,
    }),
  }),

  defineMethod({
    name: 'scan_tx',
    summary: 'Reads transactions out of turn.',
    meta: { needs: 'wallet', restricted: true, foreground: true },
    params: params({ txids: listOf(text) }),
    source: 'COMMAND_RPC_SCAN_TX, on_scan_tx',
    async handle({ wallet }, { txids }) {
      await wallet.txScan.scan(txids.map(readTxHash));
      return {};
    },
  }),

  defineMethod({
    name: 'rescan_spent',
    summary: 'Asks the daemon anew which outputs are spent.',
    meta: { needs: 'wallet', restricted: true, foreground: true, trustedDaemon: true },
    params: none,
    source: 'COMMAND_RPC_RESCAN_SPENT, on_rescan_spent',
    async handle({ wallet }) {
      await wallet.outputStates.rescanSpent();
      return {};
    },
  }),
];
