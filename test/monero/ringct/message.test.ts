import { describe, expect, test } from '@jest/globals';
import { keccak } from '../../../src/monero/crypto/keccak.js';
import type { Hash } from '../../../src/monero/crypto/types.js';
import {
  parseTransaction,
  prefixHash,
  transaction,
  transactionHash,
  txPrefix,
} from '../../../src/monero/cryptonote/transaction.js';
import { rctBase } from '../../../src/monero/ringct/codec.js';
import { amountsBalance } from '../../../src/monero/ringct/commitment.js';
import { preMlsagHash } from '../../../src/monero/ringct/message.js';
import type { RctBase, RctPrunable, RctType } from '../../../src/monero/ringct/types.js';
import { amount } from '../../../src/util/amount.js';
import { concatBytes, fromHex, toHex } from '../../../src/util/bytes.js';
import { encode } from '../../../src/util/codec.js';
import { readVectors, spoiled } from './vectors.js';

interface Vector {
  readonly note: string;
  readonly type: RctType;
  /** Hash, or its first digits. */
  readonly hash: string;
  readonly blob: string;
}

const { transactions } = readVectors<{ transactions: readonly Vector[] }>('mainnet.json');

/** The range proofs of an encoding, without their counts; each list of a proof here is shorter than 128. */
function proofBytes(type: RctType, bytes: Uint8Array, outputs: number): Uint8Array {
  if (type < 3) return bytes.subarray(0, outputs * (64 + 64 + 1 + 64) * 32);
  let at = type === 3 ? 4 : 1;
  const [before, after] = [6, type === 6 ? 0 : 3];
  const parts: Uint8Array[] = [];
  const take = (count: number): void => {
    parts.push(bytes.subarray(at, at + 32 * count));
    at += 32 * count;
  };
  take(before);
  for (let list = 0; list < 2; list++) take(bytes[at++] ?? 0);
  take(after);
  return concatBytes(...parts);
}

describe.each(transactions)('a mainnet transaction with $note', ({ type, hash, blob }) => {
  const bytes = fromHex(blob);
  const tx = parseTransaction(bytes);
  const base = tx.rct?.base as RctBase;
  const prunable = tx.rct?.prunable as RctPrunable;
  const [inputs, outputs] = [tx.prefix.inputs.length, tx.prefix.outputs.length];
  const message = (b: RctBase, p: RctPrunable, prefix: Hash = prefixHash(tx.prefix)): string =>
    toHex(preMlsagHash(prefix, b, p, inputs, outputs));
  const whole = message(base, prunable);

  test('is read, hashed and written back the same', () => {
    expect(base.type).toBe(type);
    expect(toHex(transactionHash(tx)).slice(0, hash.length)).toBe(hash);
    expect(toHex(encode(transaction, tx))).toBe(blob);
  });

  test('signs the hashes of its three parts as encoded', () => {
    const start = encode(txPrefix, tx.prefix).length;
    const middle = start + encode(rctBase(inputs, outputs), base).length;
    const proofs = proofBytes(type, bytes.subarray(middle), outputs);
    const expected = keccak(
      keccak(bytes.subarray(0, start)),
      keccak(bytes.subarray(start, middle)),
      keccak(proofs),
    );
    expect(whole).toBe(toHex(expected));
  });

  test('signs every part except the signatures', () => {
    expect(message(base, prunable, spoiled(prefixHash(tx.prefix)))).not.toBe(whole);
    expect(message({ ...base, fee: amount(base.fee + 1n) }, prunable)).not.toBe(whole);
    expect(message({ ...base, outPk: base.outPk.map(spoiled) }, prunable)).not.toBe(whole);
    expect(
      message(
        { ...base, ecdhInfo: base.ecdhInfo.map((info) => ({ ...info, amount: spoiled(info.amount) })) },
        prunable,
      ),
    ).not.toBe(whole);
    expect(
      message(base, {
        ...prunable,
        rangeSigs: prunable.rangeSigs.map((sig) => ({ ...sig, ee: spoiled(sig.ee) })),
        bulletproofs: prunable.bulletproofs.map((proof) => ({ ...proof, t: spoiled(proof.t) })),
        bulletproofsPlus: prunable.bulletproofsPlus.map((proof) => ({ ...proof, d1: spoiled(proof.d1) })),
      }),
    ).not.toBe(whole);
    expect(message(base, { ...prunable, clsags: [], mlsags: [] })).toBe(whole);
  });
});

const simple = transactions.filter(({ type }) => type >= 2);

describe('amounts on mainnet', () => {
  test.each(simple)('balance with $note, and do not with another fee', ({ type, blob }) => {
    const { prefix, rct } = parseTransaction(fromHex(blob));
    const base = rct?.base as RctBase;
    const pseudoOuts = (type === 2 ? base.pseudoOuts : rct?.prunable?.pseudoOuts) ?? [];
    expect(pseudoOuts).toHaveLength(prefix.inputs.length);
    expect(amountsBalance(pseudoOuts, base.outPk, base.fee)).toBe(true);
    expect(amountsBalance(pseudoOuts, base.outPk, amount(base.fee + 1n))).toBe(false);
  });
});
