import type { Hash } from '../../../src/monero/crypto/types.js';
import type { ParsedTxs } from '../../../src/monero/wallet/scan/block-page.js';
import { equalBytes } from '../../../src/util/bytes.js';

/** Transactions of which only the hashes are known. @param hashAt returns the hash of the transaction with an index. */
export const listedTxs = (hashAt: (at: number) => Hash | undefined): Pick<ParsedTxs, 'hash' | 'find'> => ({
  hash: (at) => hashAt(at) as Hash,
  find(hash, first, end) {
    for (let at = first; at < end; at++) {
      const listed = hashAt(at);
      if (listed !== undefined && equalBytes(listed, hash)) return at;
    }
    return undefined;
  },
});
