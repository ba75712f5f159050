import type { Hash, PublicKey } from '../../src/monero/crypto/types.js';
import { writeExtra } from '../../src/monero/cryptonote/extra.js';
import { txPrefix } from '../../src/monero/cryptonote/transaction.js';
import { amount } from '../../src/util/amount.js';
import { encode } from '../../src/util/codec.js';

/** A hash that begins with a number. */
export function hashOf(n: number): Hash {
  const hash = new Uint8Array(32);
  new DataView(hash.buffer).setUint32(0, n);
  return hash as Hash;
}

const key = new Uint8Array(32) as PublicKey;

/** The prefix of a transaction with one output that is tried with as many keys. */
export const prefixWith = (keys: number): Uint8Array =>
  encode(txPrefix, {
    version: 2,
    unlockTime: 0n,
    inputs: [],
    outputs: [{ amount: amount(0n), publicKey: key }],
    extra: Buffer.concat(Array.from({ length: keys }, () => writeExtra([{ type: 'publicKey', key }]))),
  });
