import type { PublicKey } from '../../monero/crypto/types.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { ReceivingKeys } from '../../monero/wallet/scan/receive.js';
import type { PackedSubaddresses } from '../../monero/wallet/scan/packed-subaddresses.js';
import type { Lookahead } from '../../monero/wallet/scan/subaddress-table.js';
import type { WatchedOutputs } from './watch-list.js';
import { buffersOf } from '../../util/thread-jobs.js';

/**
 * Returns the buffers of a scanner state that are moved to the refresh thread instead of copied: the addresses of a
 * large wallet take 40 MB.
 */
export const movableBuffersOf = ({
  subaddresses,
  withKeyImage,
  withoutKeyImage,
  importedKeyImages,
  blind,
}: ScannerState): ArrayBuffer[] =>
  buffersOf(
    [
      ...subaddresses,
      withKeyImage,
      withoutKeyImage,
      importedKeyImages,
      ...(blind === undefined ? [] : [blind]),
    ]
      // Small arrays are views of a buffer that Node shares among many: such a buffer cannot be moved.
      .filter(({ byteLength, buffer }) => byteLength === buffer.byteLength),
  );

/** State from which the scanner of a wallet starts, as a plain value that is posted to the refresh thread. */
export interface ScannerState extends WatchedOutputs {
  readonly keys: ReceivingKeys;
  readonly spendPublicKey: PublicKey;
  readonly lookahead: Lookahead;
  /**
   * All addresses to be recognised, in one or more parts. The minor indices of each account start at 0 and have no
   * gaps.
   */
  readonly subaddresses: readonly PackedSubaddresses[];
  /** The last address in use of each account. */
  readonly handedOut: readonly SubaddressIndex[];
  /**
   * Outputs whose key images cannot be computed, because the spend key is not available (background sync) or is shared
   * (multisig); packed for `unpackBlindOutputs`.
   */
  readonly blind?: Uint8Array;
  /** True: the mempool is scanned although some key images are unknown (multisig). */
  readonly seesPool?: true;
}
