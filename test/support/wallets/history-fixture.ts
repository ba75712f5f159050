import type { Hash, KeyImage } from '../../../src/monero/crypto/types.js';
import { amount } from '../../../src/util/amount.js';
import { bytes, output, page, received } from '../../store/fixtures.js';
import type { TestWallet } from './test-wallet.js';
import { unminedPayment } from './unmined-payment.js';

export const PAYMENT_ID = new Uint8Array(8).fill(9);

/**
 * Stores a history of every kind. Transactions by first byte of their hash:
 * - mined: 1 (5 and 6 to 0/0, with a payment id, block 1), 2 (7 to 0/1, of a miner, block 2), 3 (8 to 1/0, with the
 *   payment id, block 3), 4 (change of 2 to 0/0, block 4), 201 (from 0/0, block 4), 202 (from 1/0, block 6);
 * - unmined: 203 pending, 204 prepared, 205 failed, all of account 0;
 * - in the mempool: 50 (3 to 0/1), 51 (4 to 1/0).
 */
export function storeHistory({ store, accounts }: TestWallet): void {
  accounts.create('');
  const mined = (n: number, height: number, account: number) => {
    const { txHash, fromIndices, amountIn, fee, change, unlockTime, timestamp } = unminedPayment(n, {
      account,
    });
    return { txHash, account, fromIndices, amountIn, fee, change, unlockTime, timestamp, height };
  };
  const place = (major: number, minor: number) => ({ subaddress: { major, minor } });
  store.write((w) => {
    w.accounts.addAddresses(0, 2);
    w.applyPage(
      page(0, 30, {
        received: [
          { ...received(1, 1), paymentId: PAYMENT_ID },
          { ...received(2, 2), coinbase: true },
          { ...received(3, 3), paymentId: PAYMENT_ID },
          received(4, 4),
        ],
        outputs: [
          output(1, 1, 5n),
          output(1, 1, 6n, { outputIndex: 1, globalIndex: 60, publicKey: bytes(60), keyImage: bytes(61) }),
          output(2, 2, 7n, place(0, 1)),
          output(3, 3, 8n, place(1, 0)),
          output(4, 4, 2n, { change: true }),
        ],
        spends: [{ keyImage: bytes<KeyImage>(101), txHash: bytes<Hash>(201), height: 4 }],
        outgoing: [mined(1, 4, 0), mined(2, 6, 1)],
      }),
    );
    for (const [n, state] of [
      [3, 'pending'],
      [4, 'prepared'],
      [5, 'failed'],
    ] as const)
      w.outgoing.insert(
        unminedPayment(n, {
          state,
          fromIndices: [n - 3],
          destinations: [{ address: 'a', amount: amount(40n) }],
        }),
      );
    const pooled = (n: number, value: bigint, subaddress: { major: number; minor: number }): void =>
      w.pool.add({
        ...{ txHash: bytes<Hash>(n), timestamp: n, unlockTime: 0n, fee: amount(1n), doubleSpendSeen: false },
        outputs: [{ outputIndex: 0, amount: amount(value), subaddress }],
      });
    pooled(50, 3n, { major: 0, minor: 1 });
    pooled(51, 4n, { major: 1, minor: 0 });
  });
}
