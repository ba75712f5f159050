import { describe, expect, test } from '@jest/globals';
import type { Commitment, PublicKey } from '../../../src/monero/crypto/types.js';
import { blockHash, parseBlock } from '../../../src/monero/cryptonote/block.js';
import {
  parsePrunedTransaction,
  parseTransaction,
  prefixHash,
  prunableHash,
  prunedTransaction,
  transaction,
  transactionHash,
  transactionHashWith,
  unprunedSize,
} from '../../../src/monero/cryptonote/transaction.js';
import { loadCurve } from '../../../src/monero/crypto/curve/load-curve.js';
import { verifyRange as verify, type RangeClaim } from '../../../src/monero/ringct/bulletproofs-plus.js';
import { verifyClsag as verifySignature, type ClsagClaim } from '../../../src/monero/ringct/clsag.js';
import { amountsBalance as balance } from '../../../src/monero/ringct/commitment.js';
import { preMlsagHash } from '../../../src/monero/ringct/message.js';
import type { RctBase, RctPrunable } from '../../../src/monero/ringct/types.js';
import { amount } from '../../../src/util/amount.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { encode } from '../../../src/util/codec.js';
import { systemRng } from '../../../src/util/random.js';
import { onEveryCurve } from '../../support/values/curves.js';
import { readVectors, spoiled } from './vectors.js';

const amountsBalance = (...args: Parameters<typeof balance>): boolean =>
  onEveryCurve((curve) => balance(args[0], args[1], args[2], curve));
const verifyClsag = (claim: ClsagClaim): boolean => onEveryCurve((curve) => verifySignature(claim, curve));
const verifyRange = (claims: readonly RangeClaim[]): boolean =>
  onEveryCurve((curve, rng) => verify(claims, rng, curve), systemRng);

/** The fastest curve refuses spoiled proofs here; all curves refuse those of `clsag` and `bulletproofs-plus` tests. */
const curve = loadCurve();
const isSigned = (claim: ClsagClaim): boolean => verifySignature(claim, curve);
const isProven = (claim: RangeClaim): boolean => verify([claim], systemRng, curve);

interface Vectors {
  readonly blocks: readonly {
    height: number;
    blob: string;
    hash: string;
    miner_tx_hash: string;
    tx_hashes: string[];
  }[];
  readonly transactions: readonly { hash: string; note: string; blob: string; rings: [string, string][][] }[];
}

const vectors = readVectors<Vectors>('regtest.json');
const mainnet = readVectors<{ transactions: readonly Partial<Vectors['transactions'][number]>[] }>(
  'mainnet.json',
);
/** Transactions with known rings. */
const ringed = [
  ...vectors.transactions,
  ...mainnet.transactions.filter((tx): tx is Vectors['transactions'][number] => tx.rings !== undefined),
];

describe('blocks of a real chain', () => {
  test.each(vectors.blocks)(
    'block $height has the name that monerod gives it',
    ({ blob, hash, miner_tx_hash, tx_hashes }) => {
      const block = parseBlock(fromHex(blob));
      expect(toHex(blockHash(block))).toBe(hash);
      expect(toHex(transactionHash(block.minerTx))).toBe(miner_tx_hash);
      expect(block.txHashes.map(toHex)).toEqual(tx_hashes);
    },
  );
});

describe.each(ringed)('a real transaction of $note', ({ hash, blob, rings }) => {
  const tx = parseTransaction(fromHex(blob));
  const base = tx.rct?.base as RctBase;
  const prunable = tx.rct?.prunable as RctPrunable;
  const message = preMlsagHash(
    prefixHash(tx.prefix),
    base,
    prunable,
    tx.prefix.inputs.length,
    tx.prefix.outputs.length,
  );
  const [proof] = prunable.bulletproofsPlus;
  if (proof === undefined) throw new Error('the vector has no range proof');

  const claim = (i: number): ClsagClaim => {
    const input = tx.prefix.inputs[i];
    const clsag = prunable.clsags[i];
    const pseudoOut = prunable.pseudoOuts[i];
    if (input?.type !== 'key' || clsag === undefined || pseudoOut === undefined)
      throw new Error('bad vector');
    const ring = (rings[i] ?? []).map(([key, commitment]) => ({
      publicKey: fromHex(key) as PublicKey,
      commitment: fromHex(commitment) as Commitment,
    }));
    return { message, ring, clsag, keyImage: input.keyImage, pseudoOut };
  };

  test('reads, hashes and writes back the same, whole and pruned', () => {
    expect(toHex(transactionHash(tx))).toBe(hash);
    expect(toHex(encode(transaction, tx))).toBe(blob);
    const pruned = parsePrunedTransaction(encode(prunedTransaction, tx));
    expect(toHex(transactionHashWith(pruned, prunableHash(tx)))).toBe(hash);
  });

  test('has amounts that balance, and does not with another fee', () => {
    expect(amountsBalance(prunable.pseudoOuts, base.outPk, base.fee)).toBe(true);
    expect(amountsBalance(prunable.pseudoOuts, base.outPk, amount(base.fee + 1n))).toBe(false);
  });

  test('has ring signatures that verify', () => {
    expect(tx.prefix.inputs.map((_, i) => verifyClsag(claim(i)))).toEqual(tx.prefix.inputs.map(() => true));
  });

  test.each([
    ['message', (c: ClsagClaim): ClsagClaim => ({ ...c, message: spoiled(c.message) })],
    ['key image', (c: ClsagClaim): ClsagClaim => ({ ...c, keyImage: spoiled(c.keyImage) })],
    ['pseudo output', (c: ClsagClaim): ClsagClaim => ({ ...c, pseudoOut: spoiled(c.pseudoOut) })],
    [
      'first challenge',
      (c: ClsagClaim): ClsagClaim => ({ ...c, clsag: { ...c.clsag, c1: spoiled(c.clsag.c1) } }),
    ],
    [
      'commitment image',
      (c: ClsagClaim): ClsagClaim => ({ ...c, clsag: { ...c.clsag, D: spoiled(c.clsag.D) } }),
    ],
    [
      'response',
      (c: ClsagClaim): ClsagClaim => ({
        ...c,
        clsag: { ...c.clsag, s: c.clsag.s.map((s, i) => (i === 5 ? spoiled(s) : s)) },
      }),
    ],
    ['ring', (c: ClsagClaim): ClsagClaim => ({ ...c, ring: [...c.ring.slice(1), ...c.ring.slice(0, 1)] })],
    [
      'number of responses',
      (c: ClsagClaim): ClsagClaim => ({ ...c, clsag: { ...c.clsag, s: c.clsag.s.slice(1) } }),
    ],
  ])('is refused with another %s', (_, change) => {
    expect(isSigned(change(claim(0)))).toBe(false);
  });

  test('has a range proof that verifies, and any spoiled field does not', () => {
    expect(verifyRange([{ proof, commitments: base.outPk }])).toBe(true);
    for (const field of ['A', 'A1', 'B', 'r1', 's1', 'd1'] as const)
      expect(isProven({ proof: { ...proof, [field]: spoiled(proof[field]) }, commitments: base.outPk })).toBe(
        false,
      );
    expect(isProven({ proof: { ...proof, L: [...proof.L].reverse() }, commitments: base.outPk })).toBe(false);
    expect(isProven({ proof: { ...proof, R: proof.R.slice(1) }, commitments: base.outPk })).toBe(false);
    expect(isProven({ proof, commitments: [...base.outPk].reverse() })).toBe(false);
  });
});

describe('the size of a transaction that was read pruned', () => {
  const blobs = [...vectors.transactions, ...mainnet.transactions].flatMap(({ blob }) =>
    blob === undefined ? [] : [fromHex(blob)],
  );
  const typeOf = (blob: Uint8Array): number => parseTransaction(blob).rct?.base.type ?? 0;

  test.each([1, 2, 3, 4, 5, 6])('is the full size, of RingCT type %i', (type) => {
    const ofType = blobs.filter((blob) => typeOf(blob) === type);
    expect(ofType).not.toHaveLength(0);
    for (const blob of ofType) {
      const pruned = encode(prunedTransaction, parseTransaction(blob));
      expect(unprunedSize(parsePrunedTransaction(pruned), pruned.length)).toBe(blob.length);
    }
  });

  test('equals the pruned size for a miner transaction', () => {
    for (const { blob } of vectors.blocks) {
      const reward = encode(transaction, parseBlock(fromHex(blob)).minerTx);
      expect(unprunedSize(parsePrunedTransaction(reward), reward.length)).toBe(reward.length);
    }
  });
});
