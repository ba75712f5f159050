import { SUBADDRESS_MESSAGE_BYTES, subaddressMessages } from '../cryptonote/subaddress-keys.js';
import type { PublicKey } from '../crypto/types.js';
import type { ScanKernel } from '../kernel/kernel.js';
import { chunks } from '../util/bytes.js';
import type { SpendKeyRange } from '../wallet/scan/subaddress-table.js';

/** Computes spend keys of subaddresses with a kernel. */
export const spendKeysBy =
  (kernel: ScanKernel): SpendKeyRange =>
  (spendPublicKey, viewSecret, major, from, to) => {
    const messages = subaddressMessages(viewSecret, major, from, to);
    const keys = chunks(
      kernel.addHashes(spendPublicKey, messages, SUBADDRESS_MESSAGE_BYTES),
      32,
    ) as PublicKey[];
    messages.fill(0);
    // The primary address has no offset m.
    if (major === 0 && from === 0 && keys.length > 0) keys[0] = spendPublicKey;
    return keys;
  };
