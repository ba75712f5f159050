import type { KeyImage } from '../crypto/types.js';
import { ZERO } from '../util/amount.js';
import { equalBytes, toHex } from '../util/bytes.js';
import { outgoingOf } from '../wallet/scan/ambiguous-spends.js';
import {
  creditedOf,
  type ReceivedTx,
  type ImportedKeyImage,
  type SpendingTx,
} from '../wallet/model/records.js';
import type { EventLog } from './events/event-log.js';
import type { AmbiguousSpendWriter } from './tables/ambiguous-spends.js';
import type { ImportedKeyImageWriter } from './tables/imported-key-images.js';
import type { OutgoingWriter } from './tables/outgoing.js';
import { isUnknownSpend } from './tables/output-row.js';
import type { OutputWriter } from './tables/output-writer.js';
import type { PaymentWriter } from './tables/payments.js';

/** Writers of the tables in which spends are recorded. */
export interface SpendWriters {
  readonly ambiguousSpends: AmbiguousSpendWriter;
  readonly importedKeyImages: ImportedKeyImageWriter;
  readonly outgoing: OutgoingWriter;
  readonly outputs: OutputWriter;
  readonly payments: PaymentWriter;
  readonly events: Pick<EventLog, 'touch'>;
}

/**
 * Stores imported key images of outputs, and marks the outputs as spent that stored transactions spend.
 * @returns the new key images. Source: wallet2.cpp `import_key_images`.
 */
export function resolveKeyImages(w: SpendWriters, imported: readonly ImportedKeyImage[]): ImportedKeyImage[] {
  const fresh = imported.flatMap((one) => {
    const keyImage = w.importedKeyImages.set(one);
    const output = w.outputs.byPublicKey(one.publicKey);
    if (output?.keyImage !== undefined && equalBytes(output.keyImage, keyImage)) return [];
    w.outputs.setKeyImage(one.publicKey, keyImage);
    return [{ ...one, keyImage }];
  });
  recogniseSpends(
    w,
    fresh.map(({ keyImage }) => keyImage),
  );
  return fresh;
}

/** Stores key images that were composed from the parts of all signers; a later one replaces an earlier one. */
export function composeKeyImages(
  w: SpendWriters,
  images: readonly Pick<ImportedKeyImage, 'publicKey' | 'keyImage'>[],
): void {
  for (const image of images) w.importedKeyImages.replace({ ...image, proven: false });
  resolveAmbiguousSpends(w, images);
  recogniseSpends(
    w,
    images.map(({ keyImage }) => keyImage),
  );
}

/**
 * Sets key images of outputs, and decides for stored ambiguous transactions whether they spend outputs of the wallet.
 */
export function resolveAmbiguousSpends(
  w: SpendWriters,
  images: readonly Pick<ImportedKeyImage, 'publicKey' | 'keyImage'>[],
): void {
  for (const { publicKey, keyImage } of images) w.outputs.setKeyImage(publicKey, keyImage);
  const spending = w.ambiguousSpends.list().flatMap((tx) => {
    const spent = tx.keyImages.filter((keyImage) => w.outputs.byKeyImage(keyImage) !== undefined);
    const { txHash, height, globalIndex } = tx;
    const index = globalIndex === undefined ? {} : { globalIndex };
    for (const keyImage of spent) w.outputs.markSpent({ keyImage, txHash, height, ...index });
    return spent.length === 0 ? [] : [tx];
  });
  // The inputs of a payment and its credited change depend on all spends.
  for (const tx of spending) recordPayment(w, tx);
  // The other transactions may spend outputs whose key images are still unknown.
  if (w.outputs.withoutKeyImage().length === 0) w.ambiguousSpends.clear();
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

/** Records a mined payment whose spends are all marked, and marks the outputs that it returned as change. */
function recordPayment(w: SpendWriters, tx: SpendingTx & { readonly height: number }): void {
  w.events.touch(tx.txHash);
  const spent = w.outputs.spentBy(tx.txHash);
  const account = spent[0]?.subaddress.major ?? 0;
  w.outputs.markChange(tx.txHash, account);
  const received = w.outputs.ofTx(tx.txHash).map((output) => ({ ...output, amount: creditedOf(output) }));
  w.outgoing.confirmAgain({ ...outgoingOf(tx, account, spent, received), height: tx.height });
}
