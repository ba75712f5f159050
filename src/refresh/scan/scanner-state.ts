import type { AddressTier } from '../../monero/carrot/account.js';
import type { KeyImage, PublicKey } from '../../monero/crypto/types.js';
import { bytes32 } from '../../util/bytes.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { ReceivingKeys } from '../../monero/wallet/scan/found-output.js';
import type { PackedSubaddresses } from '../../monero/wallet/scan/packed-subaddresses.js';
import type { Lookahead } from '../../monero/wallet/scan/subaddress-table.js';
import { buffersOf } from '../../util/thread-jobs.js';

/** An output key with its key image. */
export interface OutputKeyImage {
  readonly publicKey: PublicKey;
  readonly keyImage: KeyImage;
}

/** Joined pairs of output key and key image, of 32 bytes each. */
export type PackedKeyImages = Uint8Array;

const PAIR_BYTES = 64;

/**
 * Packs pairs of output key and key image for transfer to another thread; cloning each pair as an object takes twenty
 * times as long.
 */
export function packKeyImages(keyImages: readonly OutputKeyImage[]): PackedKeyImages {
  const packed = new Uint8Array(PAIR_BYTES * keyImages.length);
  keyImages.forEach(({ publicKey, keyImage }, i) => {
    packed.set(publicKey, PAIR_BYTES * i);
    packed.set(keyImage, PAIR_BYTES * i + 32);
  });
  return packed;
}

/** Unpacks pairs of output key and key image, as copies. */
export function* unpackKeyImages(packed: PackedKeyImages): Generator<OutputKeyImage, void, void> {
  for (let at = 0; at < packed.length; at += PAIR_BYTES)
    yield {
      publicKey: bytes32<'PublicKey'>(packed.slice(at, at + 32), 'PublicKey'),
      keyImage: bytes32<'KeyImage'>(packed.slice(at + 32, at + PAIR_BYTES), 'KeyImage'),
    };
}

/** Outputs packed as records of a {@link WatchTable}: outputs with a key image, and outputs without a key image. */
export interface PackedOutputs {
  readonly withKeyImage: Uint8Array;
  /** Outputs of a view-only wallet whose key images are unknown. */
  readonly withoutKeyImage: Uint8Array;
}

/** Outputs whose spends a new watch list recognises; each key occurs once. */
export interface WatchedOutputs extends PackedOutputs {
  /**
   * Further outputs on keys that `WatchedOutputs` already contains (burnt outputs); a key may occur any number of
   * times.
   */
  readonly reused?: PackedOutputs;
  /** Key images that were imported into a view-only wallet. */
  readonly importedKeyImages: PackedKeyImages;
}

/** State from which the scanner of a wallet starts, as a plain value that is posted to the refresh thread. */
export interface ScannerState extends WatchedOutputs {
  readonly keys: ReceivingKeys;
  readonly spendPublicKey: PublicKey;
  /** Keys with which an account of the fork makes its addresses; absent in an account with the old keys. */
  readonly addressTier?: AddressTier;
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
