import type { Hash, KeyImage, PublicKey } from '../monero/crypto/types.js';
import { ZERO } from '../util/amount.js';
import { equalBytes, toHex } from '../util/bytes.js';
import { outgoingOf } from '../monero/wallet/scan/ambiguous-spends.js';
import {
  creditedOf,
  type FoundSpend,
  type OwnedOutput,
  type SpendingTx,
} from '../monero/wallet/scan/findings.js';
import type { EventLog } from './events/event-log.js';
import type { AmbiguousSpendWriter } from './tables/ambiguous-spends.js';
import type { ImportedKeyImageWriter } from './tables/imported-key-images.js';
import type { OutgoingWriter } from './tables/outgoing.js';
import { isUnknownSpend } from './tables/output-row.js';
import type { OutputWriter } from './tables/output-writer.js';
import type { PaymentWriter } from './tables/payments.js';

/** Writers of the tables that a change of spends affects. */
export interface SpendWriters {
  readonly ambiguousSpends: AmbiguousSpendWriter;
  readonly importedKeyImages: ImportedKeyImageWriter;
  readonly outgoing: OutgoingWriter;
  readonly outputs: OutputWriter;
  readonly payments: PaymentWriter;
  readonly events: Pick<EventLog, 'touch'>;
}

/** New key image of the outputs with a key; undefined: the key image is not known any more. */
export interface KeyImageChange {
  readonly publicKey: PublicKey;
  readonly keyImage: KeyImage | undefined;
}

/**
 * Records a mined payment of the wallet, whose spent outputs must be marked already, and marks its outputs that return
 * to the wallet as change.
 */
export function recordPayment(w: SpendWriters, tx: SpendingTx & { readonly height: number }): void {
  w.events.touch(tx.txHash);
  w.outgoing.confirmAgain(foundOutgoing(w, tx));
}

/**
 * Removes the recorded spend of an output, because its key image is not spent. The payment that was recorded for the
 * spend is corrected.
 */
export function withdrawSpend(w: SpendWriters, output: OwnedOutput): void {
  const { keyImage } = output;
  const spend = takeSpend(w, output);
  if (spend !== undefined && keyImage !== undefined)
    correctPayment(w, spend.txHash, [{ ...spend, keyImage }]);
}

/**
 * Sets key images of outputs. A spend belongs to a key image: if the key image of a spent output changes, its spend is
 * removed, and is recorded for the output that has the key image from now on. Recorded payments are corrected.
 */
export function changeKeyImages(w: SpendWriters, changes: readonly KeyImageChange[]): void {
  const spends: (FoundSpend | ReservingSpend)[] = [];
  for (const { publicKey, keyImage } of changes) {
    const output = w.outputs.byPublicKey(publicKey);
    if (output?.keyImage === undefined) continue;
    if (keyImage !== undefined && equalBytes(output.keyImage, keyImage)) continue;
    const spend = takeSpend(w, output);
    if (spend !== undefined) spends.push({ ...spend, keyImage: output.keyImage });
  }
  for (const { publicKey, keyImage } of changes) w.outputs.setKeyImage(publicKey, keyImage);
  for (const spend of spends)
    if ('height' in spend) w.outputs.markSpent(spend);
    else w.outputs.reserveByKeyImages([spend.keyImage], spend.txHash, { seen: false });
  const byTx = new Map<string, (FoundSpend | ReservingSpend)[]>();
  for (const spend of spends) {
    const name = toHex(spend.txHash);
    byTx.set(name, [...(byTx.get(name) ?? []), spend]);
  }
  for (const [first, ...others] of byTx.values())
    if (first !== undefined) correctPayment(w, first.txHash, [first, ...others]);
}

/** Spend of an output by an unmined payment, which reserves the output. */
type ReservingSpend = Pick<FoundSpend, 'txHash' | 'keyImage'>;

/**
 * Removes the recorded spend of an output.
 * @returns the spend; undefined if there was no spend, or if its transaction was not seen.
 */
function takeSpend(
  w: SpendWriters,
  output: OwnedOutput,
): Omit<FoundSpend, 'keyImage'> | { readonly txHash: Hash } | undefined {
  const { spentBy, spentHeight } = output;
  if (spentBy === undefined) return undefined;
  const globalIndex = w.outputs.spentIndex(output);
  if (!isUnknownSpend(spentBy)) w.events.touch(spentBy);
  w.outputs.markUnspent(output);
  if (isUnknownSpend(spentBy)) return undefined;
  if (spentHeight === undefined) return { txHash: spentBy };
  return { txHash: spentBy, height: spentHeight, ...(globalIndex === undefined ? {} : { globalIndex }) };
}

/**
 * Records a mined payment again after its spends have changed. If the payment no longer spends an output of the wallet,
 * it is removed, and its transaction is kept in the list of transactions that may spend an output whose key image is
 * imported later.
 * @param former spends that were recorded before.
 */
function correctPayment(w: SpendWriters, txHash: Hash, former: readonly ReservingSpend[]): void {
  const known = w.outgoing.byHash(txHash);
  if (known?.height === undefined) return;
  const { height, timestamp, unlockTime, fee } = known;
  const tx = { txHash, height, timestamp, unlockTime, fee, amountOut: ZERO };
  const keyImages = former
    .map(({ keyImage }) => keyImage)
    .filter((image) => !isSpentBy(w.outputs.byKeyImage(image), txHash));
  if (keyImages.length > 0) w.ambiguousSpends.add({ ...tx, keyImages });
  if (w.outputs.spentBy(txHash).length > 0) return w.outgoing.correct(foundOutgoing(w, tx));
  w.outputs.unmarkChange(txHash);
  w.outgoing.withdraw(txHash);
}

const isSpentBy = (output: OwnedOutput | undefined, txHash: Hash): boolean =>
  output?.spentBy !== undefined && equalBytes(output.spentBy, txHash);

/**
 * Computes the record of a payment from its recorded spends, and marks its outputs that return to the wallet as change.
 */
function foundOutgoing(w: SpendWriters, tx: SpendingTx & { readonly height: number }) {
  const spent = w.outputs.spentBy(tx.txHash);
  const account = spent[0]?.subaddress.major ?? 0;
  w.outputs.markChange(tx.txHash, account);
  const received = w.outputs.ofTx(tx.txHash).map((output) => ({ ...output, amount: creditedOf(output) }));
  return { ...outgoingOf(tx, account, spent, received), height: tx.height };
}
