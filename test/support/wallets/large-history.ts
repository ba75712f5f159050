import { join } from 'node:path';
import type { Hash, KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import { storeKey } from '../../../src/store/file/store-cipher.js';
import { loadKeysFile } from '../../../src/store/keys/keys-file-disk.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { amount } from '../../../src/util/amount.js';
import { bytes, output, page, received } from '../../store/fixtures.js';
import { unminedPayment } from './unmined-payment.js';

/** Time of block 0 of {@link storeLargeHistory}: 2026-01-01 [Unix s]. */
export const HISTORY_START = 1_767_225_600;
/** Time between two blocks [s]. */
export const BLOCK_SECONDS = 120;
/** Number of addresses that receive payments, from 1 on. */
export const PAID_ADDRESSES = 50;

const BLOCKS_AT_ONCE = 1000;
/** Every block of this distance has an own payment, too. */
const SPENDING_DISTANCE = 10;

/** Writes blocks with one incoming payment each to the store of a wallet that no process has open. */
export async function storeLargeHistory(
  walletDir: string,
  name: string,
  { password, blocks }: { readonly password: string; readonly blocks: number },
): Promise<void> {
  const path = join(walletDir, name);
  const { viewSecret, spendSecret } = await loadKeysFile(`${path}.keys`, password, 1);
  const store = WalletStore.open(path, storeKey(viewSecret, spendSecret));
  try {
    for (let start = 0; start < blocks; start += BLOCKS_AT_ONCE) {
      const heights = Array.from({ length: Math.min(BLOCKS_AT_ONCE, blocks - start) }, (_, i) => start + i);
      const timeOf = (height: number): number => HISTORY_START + BLOCK_SECONDS * height;
      const incoming = (height: number): Hash => bytes<Hash>(1_000_000 + height);
      store.write((w) =>
        w.applyPage(
          page(start, heights.length, {
            received: heights.map((height) => ({
              ...received(1_000_000 + height, height),
              timestamp: timeOf(height),
            })),
            outputs: heights.map((height) =>
              output(1_000_000 + height, height, BigInt(height + 1), {
                txHash: incoming(height),
                publicKey: bytes<PublicKey>(1_000_000 + height),
                keyImage: bytes<KeyImage>(1_000_000 + height),
                subaddress: { major: 0, minor: 1 + (height % PAID_ADDRESSES) },
              }),
            ),
            outgoing: heights
              .filter((height) => height % SPENDING_DISTANCE === 0)
              .map((height) => {
                const { account, fromIndices, amountIn, fee, change, unlockTime } = unminedPayment(0);
                return {
                  ...{ txHash: bytes<Hash>(9_000_000 + height), timestamp: timeOf(height), height },
                  ...{ account, fromIndices, amountIn, fee, change, unlockTime },
                };
              }),
          }),
        ),
      );
    }
    store.write((w) => {
      for (const [n, state] of [
        [1, 'pending'],
        [2, 'failed'],
      ] as const)
        w.outgoing.insert(
          unminedPayment(n, {
            ...{ state, timestamp: HISTORY_START + BLOCK_SECONDS * blocks },
            destinations: [
              { address: 'first', amount: amount(30n) },
              { address: 'second', amount: amount(10n) },
            ],
          }),
        );
      w.pool.add({
        ...{ txHash: bytes<Hash>(50), timestamp: HISTORY_START + BLOCK_SECONDS * blocks, unlockTime: 0n },
        ...{ fee: amount(1n), doubleSpendSeen: false },
        outputs: [{ outputIndex: 0, amount: amount((1n << 63n) - 1n), subaddress: { major: 0, minor: 1 } }],
      });
    });
  } finally {
    store.close();
  }
}
