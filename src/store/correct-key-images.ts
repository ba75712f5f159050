import type { Hash, KeyImage, PublicKey } from '../monero/crypto/types.js';
import { ZERO } from '../util/amount.js';
import { equalBytes, toHex } from '../util/bytes.js';
import { changeKeyImages, type SpendWriters } from './recorded-spends.js';
import { resolveKeyImages } from './resolve-key-images.js';
import { isUnknownSpend } from './tables/output-row.js';

/** An output key and its key image. */
export interface KeyImageOwner {
  readonly publicKey: PublicKey;
  readonly keyImage: KeyImage;
}

/** Changes to key images that earlier versions assigned to outputs by the outputs' positions. */
export interface KeyImageCorrection {
  /** Key images that are proven to belong to the output to which they were assigned. */
  readonly confirmed: readonly KeyImageOwner[];
  /** Key images that belong to another output, with the key of the other output. */
  readonly moved: readonly KeyImageOwner[];
  /**
   * Further key images in mined transactions of the wallet, each with the output that it spends and the hash of the
   * transaction.
   */
  readonly found: readonly (KeyImageOwner & { readonly txHash: Hash })[];
  /** Key images that do not belong to the output to which they were assigned, with the key of this output. */
  readonly forgotten: readonly KeyImageOwner[];
}

/** A key image that loses its output because another key image takes its place. */
interface ReplacedKeyImage {
  readonly keyImage: KeyImage;
  /**
   * State of the transaction that spends this key image, if the wallet has not seen the transaction; otherwise absent.
   */
  readonly unknownSpend?: 'mined' | 'unmined';
}

/**
 * Assigns key images to other outputs, adds key images, and removes key images, each together with its recorded spend.
 * Recorded payments are corrected. A key image that loses its output to another key image is assigned to an output that
 * has lost its key image, so that its spends are still recognised; the ring of a later spend decides to which output it
 * belongs.
 */
export function correctKeyImages(
  w: SpendWriters,
  { moved, found, forgotten }: Omit<KeyImageCorrection, 'confirmed'>,
): void {
  const arriving = [...moved, ...found];
  const targets = new Set(arriving.map(({ publicKey }) => toHex(publicKey)));
  const losing = [...moved.flatMap(({ keyImage }) => w.importedKeyImages.ownersOf(keyImage)), ...forgotten];
  const vacated = losing.filter(({ publicKey }) => !targets.has(toHex(publicKey)));
  const given = replacedBy(w, arriving, forgotten).flatMap((one, i) => {
    const publicKey = vacated[i]?.publicKey;
    return publicKey === undefined ? [] : [{ publicKey, ...one }];
  });
  for (const { txHash, keyImage } of found) keepSpend(w, txHash, keyImage);
  resolveKeyImages(w, [
    ...arriving.map(({ publicKey, keyImage }) => ({ publicKey, keyImage, proven: false })),
    ...given.map(
      ({ publicKey, keyImage }) => ({ publicKey, keyImage, proven: false, placed: true }) as const,
    ),
  ]);
  for (const { publicKey, unknownSpend } of given) {
    const output = w.outputs.byPublicKey(publicKey);
    if (output !== undefined && unknownSpend !== undefined)
      w.outputs.markSpentByUnknown(output, unknownSpend === 'mined');
  }
  const wrong = forgotten.filter(({ publicKey, keyImage }) => {
    const known = w.importedKeyImages.of(publicKey);
    return known !== undefined && equalBytes(known.keyImage, keyImage);
  });
  for (const { publicKey } of wrong) w.importedKeyImages.remove(publicKey);
  changeKeyImages(
    w,
    wrong.map(({ publicKey }) => ({ publicKey, keyImage: undefined })),
  );
}

/**
 * Records in `ambiguous_spend` that a mined payment of the wallet spends a key image whose output is known from now on.
 */
function keepSpend(w: SpendWriters, txHash: Hash, keyImage: KeyImage): void {
  const payment = w.outgoing.byHash(txHash);
  if (payment?.height === undefined) return;
  const { height, timestamp, unlockTime, fee } = payment;
  w.ambiguousSpends.add({
    ...{ txHash, height, timestamp, unlockTime, fee },
    ...{ amountOut: ZERO, keyImages: [keyImage] },
  });
}

/**
 * Returns the key images that lose their output to an arriving key image, except key images that are themselves moved
 * or forgotten.
 */
function replacedBy(
  w: SpendWriters,
  arriving: readonly KeyImageOwner[],
  forgotten: readonly KeyImageOwner[],
): ReplacedKeyImage[] {
  const decided = new Set([...arriving, ...forgotten].map(({ keyImage }) => toHex(keyImage)));
  return arriving.flatMap(({ publicKey }): ReplacedKeyImage[] => {
    const keyImage = w.importedKeyImages.of(publicKey)?.keyImage;
    if (keyImage === undefined || decided.has(toHex(keyImage))) return [];
    if (w.importedKeyImages.ownersOf(keyImage).length > 1) return [];
    const output = w.outputs.byPublicKey(publicKey);
    if (!isUnknownSpend(output?.spentBy)) return [{ keyImage }];
    return [{ keyImage, unknownSpend: output?.spentHeight === undefined ? 'unmined' : 'mined' }];
  });
}
