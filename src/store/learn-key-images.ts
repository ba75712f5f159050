import type { Hash, KeyImage } from '../crypto/types.js';
import { sum } from '../util/amount.js';
import { equalBytes, toHex } from '../util/bytes.js';
import type { ReceivedTx, ToldKeyImage } from '../wallet/records.js';
import type { WalletWriter } from './wallet-file.js';

/** Stands for a transaction that spends an output of ours and was not seen. */
export const UNKNOWN_TX = new Uint8Array(32) as Hash;

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

/** Transactions that paid us and spend outputs of ours are payments of ours: what came back is change. */
export function recogniseSpends(w: WalletWriter, keyImages: readonly KeyImage[]): void {
  const found = new Map<string, ReceivedTx>();
  for (const keyImage of keyImages) {
    const output = w.outputs.byKeyImage(keyImage);
    if (output === undefined) continue;
    if (output.spentHeight !== undefined && !equalBytes(output.spentBy ?? UNKNOWN_TX, UNKNOWN_TX)) continue;
    for (const tx of w.payments.spending(keyImage)) {
      w.outputs.markSpent({ keyImage, txHash: tx.txHash, height: tx.height });
      found.set(toHex(tx.txHash), tx);
    }
  }
  for (const { txHash, height, timestamp, fee, unlockTime } of found.values()) {
    const spent = w.outputs.spentBy(txHash);
    const account = spent[0]?.subaddress.major ?? 0;
    const back = w.outputs.ofTx(txHash).filter(({ subaddress }) => subaddress.major === account);
    w.outputs.markChange(txHash, account);
    w.outgoing.revise({
      txHash,
      height,
      timestamp,
      account,
      fromIndices: [...new Set(spent.map(({ subaddress }) => subaddress.minor))].sort((a, b) => a - b),
      amountIn: sum(spent.map((output) => output.amount)),
      change: sum(back.map((output) => output.amount)),
      fee,
      unlockTime,
    });
  }
}
