import type { KeyImage } from '../monero/crypto/types.js';
import { ZERO } from '../util/amount.js';
import { equalBytes, toHex } from '../util/bytes.js';
import type { AmbiguousSpend, ImportedKeyImage, ReceivedTx } from '../monero/wallet/model/records.js';
import { changeKeyImages, recordPayment, type KeyImageChange, type SpendWriters } from './recorded-spends.js';
import { isUnknownSpend } from './tables/output-row.js';

/**
 * Stores imported key images of outputs, and marks the outputs as spent that stored transactions spend. A key image that
 * contradicts a proven one is not stored.
 * @returns the new key images. Source: wallet2.cpp `import_key_images`.
 */
export function resolveKeyImages(w: SpendWriters, imported: readonly ImportedKeyImage[]): ImportedKeyImage[] {
  const fresh = storeKeyImages(w, imported, (one) => w.importedKeyImages.accepts(one));
  recogniseStored(
    w,
    fresh.map(({ keyImage }) => keyImage),
  );
  return fresh;
}

/** Marks outputs as spent by stored transactions, also by those whose payments were withdrawn. */
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

/** Stores key images that were composed from the parts of all signers; a later one replaces an earlier one. */
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

/** Stores imported key images, and sets those of their outputs. @returns those that their outputs did not have. */
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
 * Sets key images of outputs, and decides for stored ambiguous transactions whether they spend outputs of the wallet.
 */
export function resolveAmbiguousSpends(
  w: SpendWriters,
  images: readonly Pick<ImportedKeyImage, 'publicKey' | 'keyImage'>[],
): void {
  for (const { publicKey, keyImage } of images) w.outputs.setKeyImage(publicKey, keyImage);
  markAmbiguousSpends(w);
  // The other transactions may spend outputs whose key images are still unknown.
  if (w.outputs.someWithoutKeyImage(1).length === 0) w.ambiguousSpends.clear();
}

/**
 * Marks the outputs that ambiguous transactions spend, and records these as payments.
 * @param isMeant for the key images that are considered. @returns those transactions.
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
  // The inputs of a payment and its credited change depend on all spends.
  for (const tx of spending) recordPayment(w, tx);
  return spending;
}

/** Marks outputs as spent by stored transactions with these key images, and records those transactions as payments. */
export function recogniseSpends(w: SpendWriters, keyImages: readonly KeyImage[]): void {
  const found = new Map<string, ReceivedTx>();
  for (const keyImage of keyImages) {
    const output = w.outputs.byKeyImage(keyImage);
    if (output === undefined || (output.spentHeight !== undefined && !isUnknownSpend(output.spentBy)))
      continue;
    for (const tx of w.payments.spending(keyImage)) {
      // An output of the wallet in the same transaction orders it within its block.
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
