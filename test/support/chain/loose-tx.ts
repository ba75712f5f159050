import type { Hash, PublicKey } from '../../../src/monero/crypto/types.js';
import { writeExtra } from '../../../src/monero/cryptonote/extra.js';
import { transaction, transactionHash, txPrefix } from '../../../src/monero/cryptonote/transaction.js';
import type { Transaction, TxPrefix } from '../../../src/monero/cryptonote/types.js';
import type { RawTx } from '../../../src/monero/wallet/scan/block-page.js';
import { amount } from '../../../src/util/amount.js';
import { encode } from '../../../src/util/codec.js';

/** A hash that begins with a number. */
export function hashOf(n: number): Hash {
  const hash = new Uint8Array(32);
  new DataView(hash.buffer).setUint32(0, n);
  return hash as Hash;
}

const key = new Uint8Array(32) as PublicKey;

/** Stands for a hash of a prunable part that is not given. */
const NO_HASH = new Uint8Array(32) as Hash;

/** A pruned transaction of version 1, which may have any hash, since its hash covers signatures that it lacks. */
export const unprovenTx = (hash: Hash, prefix: Omit<TxPrefix, 'version'>): RawTx => ({
  hash,
  blob: encode(txPrefix, { ...prefix, version: 1 }),
  prunableHash: NO_HASH,
});

const prefixWith = (keys: number): Omit<TxPrefix, 'version'> => ({
  unlockTime: 0n,
  inputs: [],
  outputs: [{ amount: amount(0n), publicKey: key }],
  extra: Buffer.concat(Array.from({ length: keys }, () => writeExtra([{ type: 'publicKey', key }]))),
});

/** A transaction with one output that is tried with as many keys. */
export const looseTx = (hash: Hash, keys: number): RawTx => unprovenTx(hash, prefixWith(keys));

/** The same with its own hash: whole, of version 1. @param unlockTime distinguishes it from others. */
export function wholeTx(keys: number, unlockTime = 0n): RawTx {
  const tx: Transaction = { prefix: { ...prefixWith(keys), unlockTime, version: 1 }, signatures: [] };
  return { hash: transactionHash(tx), blob: encode(transaction, tx) };
}
