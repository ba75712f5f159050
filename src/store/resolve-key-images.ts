import type { Hash, KeyImage } from '../crypto/types.js';
import { ZERO } from '../util/amount.js';
import { equalBytes, toHex } from '../util/bytes.js';
import { outgoingOf } from '../wallet/scan/ambiguous-spends.js';
import {
  creditedOf,
  type ReceivedTx,
  type ImportedKeyImage,
  type SpendingTx,
} from '../wallet/model/records.js';
import type { AmbiguousSpendWriter } from './tables/ambiguous-spends.js';
import type { ImportedKeyImageWriter } from './tables/imported-key-images.js';
import type { OutgoingWriter } from './tables/outgoing.js';
import type { OutputWriter } from './tables/output-writer.js';
import type { PaymentWriter } from './tables/payments.js';

/** Writers of the tables in which spends are recorded. */
export interface SpendWriters {
  readonly ambiguousSpends: AmbiguousSpendWriter;
  readonly importedKeyImages: ImportedKeyImageWriter;
  readonly outgoing: OutgoingWriter;
  readonly outputs: OutputWriter;
  readonly payments: PaymentWriter;
}

/**
 * Takes key images of outputs whose owner told them; what was read of the chain is searched for their spends.
 * @returns those that are new. Source: wallet2.cpp `import_key_images`.
 */
export function resolveKeyImages(w: SpendWriters, told: readonly ImportedKeyImage[]): ImportedKeyImage[] {
  const news = told.flatMap((one) => {
    const keyImage = w.importedKeyImages.set(one);
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
  w: SpendWriters,
  images: readonly Pick<ImportedKeyImage, 'publicKey' | 'keyImage'>[],
): void {
  for (const image of images) w.importedKeyImages.replace({ ...image, proven: false });
  settleAmbiguousSpends(w, images);
  recogniseSpends(
    w,
    images.map(({ keyImage }) => keyImage),
  );
}

/** Key images are known, or known again: what may have been spent while they were not is, or is not. */
export function settleAmbiguousSpends(
  w: SpendWriters,
  images: readonly Pick<ImportedKeyImage, 'publicKey' | 'keyImage'>[],
): void {
  for (const { publicKey, keyImage } of images) w.outputs.setKeyImage(publicKey, keyImage);
  const ours = w.ambiguousSpends.list().flatMap((tx) => {
    const spent = tx.keyImages.filter((keyImage) => w.outputs.byKeyImage(keyImage) !== undefined);
    const { txHash, height, globalIndex } = tx;
    const place = globalIndex === undefined ? {} : { globalIndex };
    for (const keyImage of spent) w.outputs.markSpent({ keyImage, txHash, height, ...place });
    return spent.length === 0 ? [] : [tx];
  });
  // Which outputs a payment spends, and what of its change is credited, is known once all spends are.
  for (const tx of ours) recordPayment(w, tx);
  // The rest may spend outputs whose key images are still to come.
  if (w.outputs.blind().length === 0) w.ambiguousSpends.clear();
}

/** Transactions that paid us and spend outputs of ours are payments of ours. */
export function recogniseSpends(w: SpendWriters, keyImages: readonly KeyImage[]): void {
  const found = new Map<string, ReceivedTx>();
  for (const keyImage of keyImages) {
    const output = w.outputs.byKeyImage(keyImage);
    if (output === undefined || (output.spentHeight !== undefined && !isUnknown(output.spentBy))) continue;
    for (const tx of w.payments.spending(keyImage)) {
      // An output of ours in the same transaction tells its place in the block.
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

/** All spends of a mined transaction are marked: what it paid is known, and what came back of it is change. */
function recordPayment(w: SpendWriters, tx: SpendingTx & { readonly height: number }): void {
  const spent = w.outputs.spentBy(tx.txHash);
  const account = spent[0]?.subaddress.major ?? 0;
  w.outputs.markChange(tx.txHash, account);
  const received = w.outputs.ofTx(tx.txHash).map((output) => ({ ...output, amount: creditedOf(output) }));
  w.outgoing.confirmAnew({ ...outgoingOf(tx, account, spent, received), height: tx.height });
}

/** A transaction that spends an output of ours and was not seen. */
export const isUnknown = (spentBy: Hash | undefined): boolean =>
  spentBy !== undefined && spentBy.every((byte) => byte === 0);
