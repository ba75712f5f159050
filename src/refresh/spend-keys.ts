import { SUBADDRESS_MESSAGE_BYTES, subaddressMessages } from '../cryptonote/subaddress-keys.js';
import type { PublicKey } from '../crypto/types.js';
import type { ScanKernel } from '../kernel/kernel.js';
import { chunks } from '../util/bytes.js';
import type { SpendKeyRange } from '../wallet/subaddress-table.js';

/** Works subaddresses out in batches. */
export const spendKeysBy =
  (kernel: ScanKernel): SpendKeyRange =>
  (spendPublicKey, viewSecret, major, from, to) => {
    const messages = subaddressMessages(viewSecret, major, from, to);
    const keys = chunks(kernel.addHashes(spendPublicKey, messages, SUBADDRESS_MESSAGE_BYTES), 32);
    messages.fill(0);
    // The primary address has no m.
    return keys.map((key, i) => (major === 0 && from + i === 0 ? spendPublicKey : (key as PublicKey)));
  };
