import type { Hash, KeyImage, PublicKey } from '../monero/crypto/types.js';
import { ZERO } from '../util/amount.js';
import { equalBytes, toHex } from '../util/bytes.js';
import { changeKeyImages, type SpendWriters } from './recorded-spends.js';
import { resolveKeyImages } from './resolve-key-images.js';
import { isUnknownSpend } from './tables/output-row.js';

/** An output key with its key image. */
export interface KeyImageOwner {
  readonly publicKey: PublicKey;
  readonly keyImage: KeyImage;
}

/** Changes of key images that earlier versions took by the places of their outputs. */
export interface KeyImageCorrection {
  /** Key images that belong to their outputs. */
  readonly confirmed: readonly KeyImageOwner[];
  /** Key images that belong to other outputs, with these. */
  readonly moved: readonly KeyImageOwner[];
  /** Further key images of mined transactions that are the wallet's, with the outputs that they spend. */
  readonly found: readonly (KeyImageOwner & { readonly txHash: Hash })[];
  /** Key images that do not belong to their outputs, with these. */
  readonly forgotten: readonly KeyImageOwner[];
}

/** A key image that another one replaces. */
interface ReplacedKeyImage {
  readonly keyImage: KeyImage;
  /** State of a spend of it by a transaction that the wallet has not seen. */
  readonly unknownSpend?: 'mined' | 'unmined';
}

/**
 * Moves, finds and forgets key images with the spends that were recorded for them; payments are corrected. Key images
 * that others replace are recognised further on: each is given to an output that has lost its own, which the ring of a
 * later spend decides anew.
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

/** Stores that a mined payment of the wallet spends a key image, whose output becomes known. */
function keepSpend(w: SpendWriters, txHash: Hash, keyImage: KeyImage): void {
  const payment = w.outgoing.byHash(txHash);
  if (payment?.height === undefined) return;
  const { height, timestamp, unlockTime, fee } = payment;
  w.ambiguousSpends.add({
    ...{ txHash, height, timestamp, unlockTime, fee },
    ...{ amountOut: ZERO, keyImages: [keyImage] },
  });
}

/** Returns the key images that others replace, without those that move themselves or are forgotten. */
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
