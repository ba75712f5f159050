import type { KeyImage } from '../monero/crypto/types.js';
import { ZERO } from '../util/amount.js';
import { equalBytes, toHex } from '../util/bytes.js';
import type { AmbiguousSpend, ReceivedTx } from '../monero/wallet/scan/findings.js';
import type { ImportedKeyImage } from '../monero/wallet/scan/key-images.js';
import { changeKeyImages, recordPayment, type KeyImageChange, type SpendWriters } from './recorded-spends.js';
import { isUnknownSpend } from './tables/output-row.js';

/**
 * Stores imported key images and assigns them to their outputs; marks an output as spent if a stored transaction spends
 * it. A key image that contradicts a proven key image is not stored.
 * @returns the key images that are new. Source: wallet2.cpp `import_key_images`.
 */
export function resolveKeyImages(w: SpendWriters, imported: readonly ImportedKeyImage[]): ImportedKeyImage[] {
  const fresh = storeKeyImages(w, imported, (one) => w.importedKeyImages.accepts(one));
  recogniseStored(
    w,
    fresh.map(({ keyImage }) => keyImage),
  );
  return fresh;
}

/** Marks outputs as spent if stored transactions spend them, including transactions whose payment was removed. */
export function recogniseStored(w: SpendWriters, keyImages: readonly KeyImage[]): void {
  recogniseSpends(w, keyImages);
  if (keyImages.length === 0) return;
  const names = new Set(keyImages.map(toHex));
  for (const { txHash, keyImages: images } of markAmbiguousSpends(w, (image) => names.has(toHex(image))))
    w.ambiguousSpends.keep(
      txHash,
      images.filter((image) => !names.has(toHex(image)) || w.outputs.byKeyImage(image) === undefined),
    );
}

/**
 * Stores key images of a multisig wallet that were computed from the parts of all signers; a later key image replaces
 * an earlier key image.
 */
export function composeKeyImages(
  w: SpendWriters,
  images: readonly Pick<ImportedKeyImage, 'publicKey' | 'keyImage'>[],
): void {
  storeKeyImages(
    w,
    images.map((image) => ({ ...image, proven: false })),
    () => true,
  );
  resolveAmbiguousSpends(w, images);
  recogniseSpends(
    w,
    images.map(({ keyImage }) => keyImage),
  );
}

/**
 * Stores imported key images and assigns them to their outputs.
 * @returns the key images that their outputs did not have before.
 */
function storeKeyImages(
  w: SpendWriters,
  imported: readonly ImportedKeyImage[],
  accepts: (one: ImportedKeyImage) => boolean,
): ImportedKeyImage[] {
  const changes = new Map<string, KeyImageChange>();
  const fresh: ImportedKeyImage[] = [];
  for (const one of imported) {
    if (!accepts(one)) continue;
    const { publicKey, keyImage } = one;
    for (const other of w.importedKeyImages.set(one))
      changes.set(toHex(other), { publicKey: other, keyImage: undefined });
    const known = w.outputs.byPublicKey(publicKey)?.keyImage;
    const name = toHex(publicKey);
    if (known !== undefined && equalBytes(known, keyImage)) {
      changes.delete(name);
      continue;
    }
    changes.set(name, { publicKey, keyImage });
    fresh.push(one);
  }
  changeKeyImages(w, [...changes.values()]);
  return fresh;
}

/**
 * Assigns key images to outputs, and decides for the stored ambiguous transactions whether they spend outputs of the
 * wallet.
 */
export function resolveAmbiguousSpends(
  w: SpendWriters,
  images: readonly Pick<ImportedKeyImage, 'publicKey' | 'keyImage'>[],
): void {
  for (const { publicKey, keyImage } of images) w.outputs.setKeyImage(publicKey, keyImage);
  markAmbiguousSpends(w);
  // While an output lacks its key image, the remaining ambiguous transactions may spend it; otherwise all ambiguous
  // transactions are decided.
  if (w.outputs.someWithoutKeyImage(1).length === 0) w.ambiguousSpends.clear();
}

/**
 * Marks the outputs that ambiguous transactions spend, and records these transactions as payments.
 * @param isMeant returns true for the key images to consider.
 * @returns the transactions that spend outputs of the wallet.
 */
function markAmbiguousSpends(
  w: SpendWriters,
  isMeant: (keyImage: KeyImage) => boolean = () => true,
): AmbiguousSpend[] {
  const spending = w.ambiguousSpends.list().flatMap((tx) => {
    const spent = tx.keyImages.filter(
      (keyImage) => isMeant(keyImage) && w.outputs.byKeyImage(keyImage) !== undefined,
    );
    const { txHash, height, globalIndex } = tx;
    const index = globalIndex === undefined ? {} : { globalIndex };
    if (spent.length > 0) w.events.touch(txHash);
    for (const keyImage of spent) w.outputs.markSpent({ keyImage, txHash, height, ...index });
    return spent.length === 0 ? [] : [tx];
  });
  // The payments are recorded after all spends are marked, because the inputs of a payment and its credited change
  // depend on all spends.
  for (const tx of spending) recordPayment(w, tx);
  return spending;
}

/**
 * Marks the outputs with the given key images as spent if stored transactions spend them, and records these
 * transactions as payments.
 */
export function recogniseSpends(w: SpendWriters, keyImages: readonly KeyImage[]): void {
  const found = new Map<string, ReceivedTx>();
  for (const keyImage of keyImages) {
    const output = w.outputs.byKeyImage(keyImage);
    if (output === undefined || (output.spentHeight !== undefined && !isUnknownSpend(output.spentBy)))
      continue;
    for (const tx of w.payments.spending(keyImage)) {
      // If the transaction also pays the wallet, the global index of the paying output gives the transaction's position
      // in its block.
      const [own] = w.outputs.ofTx(tx.txHash);
      w.outputs.markSpent({
        keyImage,
        txHash: tx.txHash,
        height: tx.height,
        ...(own?.rct === true ? { globalIndex: own.globalIndex } : {}),
      });
      found.set(toHex(tx.txHash), tx);
    }
  }
  for (const tx of found.values()) recordPayment(w, { ...tx, amountOut: ZERO });
}
