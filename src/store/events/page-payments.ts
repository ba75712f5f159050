import { equalBytes } from '../../util/bytes.js';
import { amount } from '../../util/amount.js';
import type { MinedPaymentFacts } from '../../model/events.js';
import type { OwnedOutput, ReceivedTx, TxFindings } from '../../monero/wallet/scan/findings.js';

/** Without object spread, which takes longer: a page has many payments. */
function factsOf(tx: ReceivedTx, { subaddress, amount: value }: OwnedOutput): MinedPaymentFacts {
  const { txHash, height, timestamp, unlockTime, coinbase, paymentId } = tx;
  const facts = { txHash, subaddress, amount: value, height, timestamp, unlockTime, coinbase };
  return paymentId === undefined ? facts : { ...facts, paymentId };
}

/**
 * Adds an output to the payments of its transaction, which are the last `count` payments of a list.
 * @returns the new number of the transaction's payments.
 */
function addOutput(
  payments: MinedPaymentFacts[],
  count: number,
  tx: ReceivedTx,
  output: OwnedOutput,
): number {
  const { major, minor } = output.subaddress;
  for (let i = payments.length - count; i < payments.length; i++) {
    const payment = payments[i];
    if (payment?.subaddress.major !== major || payment.subaddress.minor !== minor) continue;
    payments[i] = { ...payment, amount: amount(payment.amount + output.amount) };
    return count;
  }
  payments.push(factsOf(tx, output));
  return count + 1;
}

/**
 * Returns the payments of a page from its findings alone, without reading the store; credited amounts and change are
 * not corrected yet.
 * @returns undefined unless the outputs are in the order of their transactions.
 */
export function paymentsIn({ received, outputs }: TxFindings): MinedPaymentFacts[] | undefined {
  const payments: MinedPaymentFacts[] = [];
  let at = 0;
  for (const tx of received) {
    let count = 0;
    for (; at < outputs.length; at++) {
      const output = outputs[at];
      if (output === undefined || !equalBytes(output.txHash, tx.txHash)) break;
      if (!output.change) count = addOutput(payments, count, tx, output);
    }
  }
  return at === outputs.length ? payments : undefined;
}
