import { SUBADDRESS_MESSAGE_BYTES, subaddressMessages } from '../../monero/cryptonote/subaddress-keys.js';
import type { ScanKernel } from '../../monero/kernel/kernel.js';
import type { SpendKeyRange } from '../../monero/wallet/scan/subaddress-table.js';

/** Returns a function that computes spend keys of subaddresses in the kernel. */
export const spendKeysBy =
  (kernel: ScanKernel): SpendKeyRange =>
  (spendPublicKey, viewSecret, major, from, to) => {
    const messages = subaddressMessages(viewSecret, major, from, to);
    const keys = kernel.addHashes(spendPublicKey, messages, SUBADDRESS_MESSAGE_BYTES);
    messages.fill(0);
    // The spend key of the primary address is B itself, without an offset m·G.
    if (major === 0 && from === 0 && to > 0) keys.set(spendPublicKey);
    return keys;
  };
