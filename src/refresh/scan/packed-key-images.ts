import type { KeyImage, PublicKey } from '../../monero/crypto/types.js';
import { bytes32 } from '../../util/bytes.js';

/** An output key with its key image. */
export interface OutputKeyImage {
  readonly publicKey: PublicKey;
  readonly keyImage: KeyImage;
}

/** Pairs of output key and key image, joined, 32 bytes for each of the two. */
export type PackedKeyImages = Uint8Array;

const PAIR_BYTES = 64;

/**
 * Packs pairs of output key and key image for transfer to another thread; to clone each as an object takes twenty times
 * as long.
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
