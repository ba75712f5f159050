import type { Hash, KeyImage } from '../../../src/monero/crypto/types.js';
import {
  prunedTransaction,
  transaction,
  transactionHash,
} from '../../../src/monero/cryptonote/transaction.js';
import type { Transaction } from '../../../src/monero/cryptonote/types.js';
import type { DaemonTransaction } from '../../../src/daemon/daemon.js';
import { amount, ZERO } from '../../../src/util/amount.js';
import { encode } from '../../../src/util/codec.js';

/** Input of a transaction: its key image, and the global indices of its ring members, ascending. */
export interface RingInput {
  readonly keyImage: KeyImage;
  readonly ring: readonly number[];
}

/** A mined transaction as a daemon sends it, without proofs and whole. */
export interface RingTx {
  readonly pruned: DaemonTransaction;
  readonly whole: DaemonTransaction;
}

/**
 * A mined transaction with these inputs, without outputs.
 * @param version 1: its hash covers its signatures. @param unlockTime makes it differ from others.
 */
export function ringTx(
  inputs: readonly RingInput[],
  blockHeight: number,
  { version = 2, unlockTime = 0n }: { readonly version?: 1 | 2; readonly unlockTime?: bigint } = {},
): RingTx {
  const prefix = {
    ...{ version, unlockTime, outputs: [], extra: new Uint8Array() },
    inputs: inputs.map(({ keyImage, ring }) => ({
      ...{ type: 'key', amount: ZERO, keyImage },
      keyOffsets: ring.map((index, i) => BigInt(index - (ring[i - 1] ?? 0))),
    })),
  };
  const tx = {
    prefix,
    ...(version === 1
      ? { signatures: inputs.map(({ ring }) => ring.map(() => new Uint8Array(64))) }
      : {
          rct: {
            base: { type: 0, fee: amount(0n), pseudoOutputs: [], encryptedAmounts: [], commitments: [] },
          },
        }),
  } as unknown as Transaction;
  const facts = {
    hash: transactionHash(tx),
    ...{ inPool: false, doubleSpendSeen: false, blockHeight },
  };
  return {
    pruned: { ...facts, blob: encode(prunedTransaction, tx), prunableHash: new Uint8Array(32) as Hash },
    whole: { ...facts, blob: encode(transaction, tx) },
  };
}
