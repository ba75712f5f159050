import type { Hash, KeyImage } from '../../src/crypto/types.js';
import { prunedTransaction, transactionHash } from '../../src/cryptonote/transaction.js';
import type { Transaction } from '../../src/cryptonote/types.js';
import type { DaemonTransaction } from '../../src/daemon/daemon.js';
import { amount, ZERO } from '../../src/util/amount.js';
import { encode } from '../../src/util/codec.js';

/** Input of a transaction: its key image, and the global indices of its ring members, ascending. */
export interface RingInput {
  readonly keyImage: KeyImage;
  readonly ring: readonly number[];
}

/** A mined transaction with these inputs, without outputs and signatures. @param unlockTime makes it differ from others. */
export function ringTx(
  inputs: readonly RingInput[],
  blockHeight: number,
  unlockTime = 0n,
): DaemonTransaction {
  const tx: Transaction = {
    prefix: {
      ...{ version: 2, unlockTime, outputs: [], extra: new Uint8Array() },
      inputs: inputs.map(({ keyImage, ring }) => ({
        ...{ type: 'key', amount: ZERO, keyImage },
        keyOffsets: ring.map((index, i) => BigInt(index - (ring[i - 1] ?? 0))),
      })),
    },
    rct: { base: { type: 0, fee: amount(0n), pseudoOutputs: [], encryptedAmounts: [], commitments: [] } },
  } as unknown as Transaction;
  const hash: Hash = transactionHash(tx);
  return {
    ...{ hash, blob: encode(prunedTransaction, tx), prunableHash: new Uint8Array(32) as Hash },
    ...{ inPool: false, doubleSpendSeen: false, blockHeight },
  };
}
