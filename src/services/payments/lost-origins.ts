import { parseTransaction } from '../../monero/cryptonote/transaction.js';
import { keyImagesOf } from '../../monero/wallet/exchange/pending-tx.js';
import type { OwnedOutput } from '../../monero/wallet/scan/findings.js';
import type { MadePayment } from '../../model/made-payment.js';
import { rivalSpends, type InputTables, type RivalSpend } from '../../store/tables/rival-spends.js';
import type { OutgoingReader } from '../../store/tables/outgoing.js';
import { toHex } from '../../util/bytes.js';

/** Tables in which the origins of missing inputs are looked up. */
export interface OriginTables extends InputTables {
  readonly outgoing: Pick<OutgoingReader, 'list'>;
}

/**
 * Finds the transactions that prevent the inputs of a transaction from existing: a reorganisation has removed the own
 * payment whose change such an input is, and another transaction spends an input of that payment.
 * @param inputs inputs of the transaction that the wallet has.
 */
export function originSpends(
  r: OriginTables,
  { inputKeys }: Pick<MadePayment, 'inputKeys'>,
  inputs: readonly OwnedOutput[],
): RivalSpend[] {
  const present = new Set(inputs.map(({ publicKey }) => toHex(publicKey)));
  const missing = new Set(inputKeys.map(toHex).filter((key) => !present.has(key)));
  if (missing.size === 0) return [];
  return r.outgoing.list({ states: ['prepared', 'pending', 'failed'] }).flatMap(({ txHash, blob }) => {
    if (blob === undefined) return [];
    const tx = parseTransaction(blob);
    if (!tx.prefix.outputs.some(({ publicKey }) => missing.has(toHex(publicKey)))) return [];
    const spent = keyImagesOf(tx).flatMap((keyImage) => r.outputs.byKeyImage(keyImage) ?? []);
    return rivalSpends(spent, txHash);
  });
}
