import type { Hash, KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import { transaction } from '../../../src/monero/cryptonote/transaction.js';
import { amount, ZERO } from '../../../src/util/amount.js';
import { encode } from '../../../src/util/codec.js';
import type { OutgoingTx } from '../../../src/monero/wallet/build/outgoing-tx.js';
import type { PoolTx } from '../../../src/monero/wallet/scan/findings.js';
import { bytes } from '../../store/fixtures.js';

/** Bytes of a transaction with inputs of these key images. */
export const blobSpending = (keyImages: readonly KeyImage[]): Uint8Array =>
  encode(transaction, {
    prefix: {
      version: 1,
      unlockTime: 0n,
      inputs: keyImages.map((keyImage) => ({
        type: 'key' as const,
        amount: ZERO,
        keyOffsets: [1n],
        keyImage,
      })),
      outputs: [],
      extra: new Uint8Array(),
    },
    signatures: keyImages.map(() => [new Uint8Array(64)]),
  });

/** Hash of the n-th payment. */
export const paymentHash = (n: number): Hash => bytes<Hash>(200 + n);

/** A payment that spends the output of the n-th transaction of the fixtures, which holds 50. */
export const unminedPayment = (n: number, more: Partial<OutgoingTx> = {}): OutgoingTx => ({
  txHash: paymentHash(n),
  state: 'pending',
  account: 0,
  fromIndices: [0],
  amountIn: amount(50n),
  fee: amount(2n),
  change: amount(8n),
  unlockTime: 0n,
  timestamp: 1_700_000_000,
  destinations: [],
  blob: blobSpending([bytes<KeyImage>(100 + n)]),
  ...more,
});

/** A transaction of the pool that pays 5. @param key of the output. */
export const pooledPayment = (txHash: Hash, key?: PublicKey): PoolTx => ({
  txHash,
  timestamp: 1,
  unlockTime: 0n,
  fee: amount(1n),
  doubleSpendSeen: false,
  outputs: [
    {
      outputIndex: 0,
      amount: amount(5n),
      subaddress: { major: 0, minor: 0 },
      ...(key === undefined ? {} : { publicKey: key }),
    },
  ],
});
