import type { Hash, KeyImage } from '../crypto/types.js';
import { ZERO } from '../util/amount.js';
import { equalBytes, toHex } from '../util/bytes.js';
import { outgoingOf, type SpendingTx } from '../wallet/possible-spends.js';
import type { ReceivedTx, ToldKeyImage } from '../wallet/records.js';
import type { WalletWriter } from './wallet-writer.js';

/**
 * Takes key images of outputs whose owner told them; what was read of the chain is searched for their spends.
 * @returns those that are new. Source: wallet2.cpp `import_key_images`.
 */
export function learnKeyImages(w: WalletWriter, told: readonly ToldKeyImage[]): ToldKeyImage[] {
  const news = told.flatMap((one) => {
    const keyImage = w.toldKeyImages.set(one);
    const output = w.outputs.byPublicKey(one.publicKey);
    if (output?.keyImage !== undefined && equalBytes(output.keyImage, keyImage)) return [];
    w.outputs.setKeyImage(one.publicKey, keyImage);
    return [{ ...one, keyImage }];
  });
  recogniseSpends(
    w,
    news.map(({ keyImage }) => keyImage),
  );
  return news;
}

/** Takes key images that the parts of all signers give; what is told later corrects what was told before. */
export function composeKeyImages(
  w: WalletWriter,
  images: readonly Pick<ToldKeyImage, 'publicKey' | 'keyImage'>[],
): void {
  for (const image of images) w.toldKeyImages.replace({ ...image, proven: false });
  settlePossibleSpends(w, images);
  recogniseSpends(
    w,
    images.map(({ keyImage }) => keyImage),
  );
}

/** Key images are known, or known again: what may have been spent while they were not is, or is not. */
export function settlePossibleSpends(
  w: WalletWriter,
  images: readonly Pick<ToldKeyImage, 'publicKey' | 'keyImage'>[],
): void {
  for (const { publicKey, keyImage } of images) w.outputs.setKeyImage(publicKey, keyImage);
  for (const tx of w.possibleSpends.list()) {
    const ours = tx.keyImages.filter((keyImage) => w.outputs.byKeyImage(keyImage) !== undefined);
    for (const keyImage of ours) w.outputs.markSpent({ keyImage, txHash: tx.txHash, height: tx.height });
    if (ours.length > 0) recordPayment(w, tx);
  }
  // The rest may spend outputs whose key images are still to come.
  if (w.outputs.blind().length === 0) w.possibleSpends.clear();
}

/** Transactions that paid us and spend outputs of ours are payments of ours. */
export function recogniseSpends(w: WalletWriter, keyImages: readonly KeyImage[]): void {
  const found = new Map<string, ReceivedTx>();
  for (const keyImage of keyImages) {
    const output = w.outputs.byKeyImage(keyImage);
    if (output === undefined || (output.spentHeight !== undefined && !isUnknown(output.spentBy))) continue;
    for (const tx of w.payments.spending(keyImage)) {
      w.outputs.markSpent({ keyImage, txHash: tx.txHash, height: tx.height });
      found.set(toHex(tx.txHash), tx);
    }
  }
  for (const tx of found.values()) recordPayment(w, { ...tx, amountOut: ZERO });
}

/** All spends of a mined transaction are marked: what it paid is known, and what came back of it is change. */
function recordPayment(w: WalletWriter, tx: SpendingTx & { readonly height: number }): void {
  const spent = w.outputs.spentBy(tx.txHash);
  const account = spent[0]?.subaddress.major ?? 0;
  w.outputs.markChange(tx.txHash, account);
  w.outgoing.confirmAnew({ ...outgoingOf(tx, account, spent, w.outputs.ofTx(tx.txHash)), height: tx.height });
}

/** A transaction that spends an output of ours and was not seen. */
export const isUnknown = (spentBy: Hash | undefined): boolean =>
  spentBy !== undefined && spentBy.every((byte) => byte === 0);
