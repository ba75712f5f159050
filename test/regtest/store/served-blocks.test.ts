import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ServedBlock } from '../../../src/regtest/store/served-blocks.js';
import { StoredChain } from '../../support/chain/stored-chain.js';

let chain: StoredChain;

beforeEach(() => {
  chain = new StoredChain();
});

afterEach(() => chain.close());

/** Converts bytes to Buffers, which SQLite returns. */
const plain = (blocks: readonly ServedBlock[]) =>
  blocks.map(({ blob, payments: given, outputIndices }) => ({
    blob: Uint8Array.from(blob),
    payments: given.map((payment) => ({ blob: Uint8Array.from(payment.blob) })),
    outputIndices,
  }));

const whole = (first: number, end: number) => plain(chain.added.slice(first, end).map(({ block }) => block));

describe('ServedBlocks', () => {
  it('returns every range of a chain, with all payments and output indices', () => {
    for (const outputs of [[], [2], [], [16, 2, 3], [], [], [2, 2]]) chain.addBlock(...outputs);
    for (let first = 0; first < chain.added.length; first++)
      for (let count = 0; count <= chain.added.length; count++)
        expect(plain(chain.store.served.range(first, count, false))).toEqual(whole(first, first + count));
  });

  it('returns prunable hashes in place of proofs when pruned', () => {
    chain.addBlock();
    chain.addBlock(2, 2);
    const [, second] = chain.store.served.range(0, 2, true);
    const [, paying] = chain.added;
    expect(second?.payments.map(({ prunableHash }) => Uint8Array.from(prunableHash ?? []))).toEqual(
      paying?.hashes.map((hash) => chain.store.transactions.get(hash)?.prunableHash),
    );
    expect(second?.payments.map(({ blob }) => blob.length)).toEqual([60, 60]);
    expect(second?.outputIndices).toEqual(paying?.block.outputIndices);
  });

  it('reflects a reorganisation', () => {
    for (const outputs of [[], [2], [3, 4]]) chain.addBlock(...outputs);
    chain.pop();
    chain.pop();
    for (const outputs of [[2, 2, 2], [], [5]]) chain.addBlock(...outputs);
    expect(plain(chain.store.served.range(0, 100, false))).toEqual(whole(0, 100));
  });

  it('returns nothing beyond the chain', () => {
    expect(chain.store.served.range(0, 10, true)).toEqual([]);
    chain.addBlock();
    expect(chain.store.served.range(1, 10, true)).toEqual([]);
  });
});
