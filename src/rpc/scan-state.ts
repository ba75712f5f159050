import * as wire from '../http/methods/wire.js';
import type { OpenWallet } from '../services/open-wallet.js';

/** Schema of the state of the scan, which the reference does not have. */
export const scanState = () => ({
  synced: wire
    .flag(
      'Present, and false, until the history of a restored or imported wallet is scanned, and while blocks are read again for addresses that were not watched before: payments may be missing. An imported balance is first that of its old cache',
    )
    .optional(),
});

/** Returns the member of {@link scanState}. */
export const scanStateOf = ({ balances, sync }: OpenWallet): { readonly synced?: false } =>
  balances.isScanned && sync.catchUp === undefined ? {} : { synced: false };
