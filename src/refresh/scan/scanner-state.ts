import type { PublicKey } from '../../monero/crypto/types.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { ReceivingKeys } from '../../monero/wallet/scan/receive.js';
import type { PackedSubaddresses } from '../../monero/wallet/scan/packed-subaddresses.js';
import type { Lookahead } from '../../monero/wallet/scan/subaddress-table.js';
import type { WatchedOutputs } from './watch-list.js';

/** Buffers of a state that are moved to the refresh thread, not copied: 40 MB for the addresses of a large wallet. */
export const buffersOf = ({
  subaddresses,
  withKeyImage,
  withoutKeyImage,
  importedKeyImages,
  blind,
}: ScannerState): ArrayBuffer[] =>
  [...subaddresses, withKeyImage, withoutKeyImage, importedKeyImages, ...(blind === undefined ? [] : [blind])]
    // Small buffers are parts of a larger one.
    .filter(({ byteLength, buffer }) => byteLength === buffer.byteLength)
    .map(({ buffer }) => buffer as ArrayBuffer);

/** The state from which a wallet's scanner starts; a plain value that crosses to the refresh thread. */
export interface ScannerState extends WatchedOutputs {
  readonly keys: ReceivingKeys;
  readonly spendPublicKey: PublicKey;
  readonly lookahead: Lookahead;
  /** All watched addresses, in any number of parts; each account has them from 0 without gaps. */
  readonly subaddresses: readonly PackedSubaddresses[];
  /** The last used address of each account. */
  readonly handedOut: readonly SubaddressIndex[];
  /**
   * Outputs whose key images are unknown while the spend key is away (background sync) or shared (multisig), packed for
   * `unpackBlindOutputs`.
   */
  readonly blind?: Uint8Array;
  /** Scan the mempool although some key images are unknown (multisig). */
  readonly seesPool?: true;
}
