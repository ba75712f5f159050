import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash } from '../../../src/crypto/types.js';
import { ChainStore } from '../../../src/regtest/store/chain-store.js';
import type { ServedBlock } from '../../../src/regtest/store/served-blocks.js';
import { amount } from '../../../src/util/amount.js';
import { bytes32, concatBytes, type Bytes } from '../../../src/util/bytes.js';
import { seededRng } from '../../support/seeded-rng.js';

const rng = seededRng('served blocks');
const random32 = <K extends string>() => Uint8Array.from(rng(32)) as Bytes<K>;

let store: ChainStore;
/** Blocks added to the store, unpruned. */
let added: { block: ServedBlock; hashes: Hash[] }[];
let payments: number;

beforeEach(() => {
  store = new ChainStore();
  added = [];
  payments = 0;
});

afterEach(() => store.close());

function addTx(height: number, hash: Hash, prunable: Uint8Array, outputs: number) {
  const pruned = rng(60);
  const id = store.transactions.add({
    hash,
    height,
    pruned,
    prunable,
    prunableHash: prunable.length === 0 ? bytes32<'Hash'>(new Uint8Array(32), 'Hash') : random32<'Hash'>(),
    fee: amount(0n),
    weight: 1,
  });
  const indices = Array.from({ length: outputs }, (_, position) =>
    store.outputs.add(0n, id, position, {
      publicKey: random32<'PublicKey'>(),
      commitment: random32<'Commitment'>(),
      unlockTime: 0n,
      height,
    }),
  );
  return { pruned, indices };
}

/** @param outputs number of outputs of each payment. */
function addBlock(...outputs: number[]): void {
  const height = added.length;
  payments += outputs.length;
  const blob = rng(90);
  store.blocks.add({
    height,
    hash: random32<'Hash'>(),
    blob,
    timestamp: 0,
    weight: 1,
    longTermWeight: 1,
    difficulty: 1n,
    cumulativeDifficulty: 1n,
    generated: 1n,
    rctOutputs: 0,
    payments,
  });
  const miner = addTx(height, random32<'Hash'>(), new Uint8Array(), 1);
  const hashes = outputs.map(() => random32<'Hash'>());
  const proofs = outputs.map(() => rng(100));
  const txs = outputs.map((count, i) => addTx(height, hashes[i] ?? random32(), proofs[i] ?? rng(1), count));
  added.push({
    hashes,
    block: {
      blob,
      payments: txs.map(({ pruned }, i) => ({ blob: concatBytes(pruned, proofs[i] ?? rng(1)) })),
      outputIndices: [miner, ...txs].map(({ indices }) => indices),
    },
  });
}

function pop(): void {
  const height = added.length - 1;
  payments -= added.pop()?.hashes.length ?? 0;
  store.outputs.removeOf(height);
  store.transactions.removeOf(height);
  store.blocks.remove(height);
}

/** Converts bytes to Buffers, which SQLite returns. */
const plain = (blocks: readonly ServedBlock[]) =>
  blocks.map(({ blob, payments: given, outputIndices }) => ({
    blob: Uint8Array.from(blob),
    payments: given.map((payment) => ({ blob: Uint8Array.from(payment.blob) })),
    outputIndices,
  }));

const whole = (first: number, end: number) => plain(added.slice(first, end).map(({ block }) => block));

describe('ServedBlocks', () => {
  it('returns every range of a chain, with all payments and output indices', () => {
    for (const outputs of [[], [2], [], [16, 2, 3], [], [], [2, 2]]) addBlock(...outputs);
    for (let first = 0; first < added.length; first++)
      for (let count = 0; count <= added.length; count++)
        expect(plain(store.served.range(first, count, false))).toEqual(whole(first, first + count));
  });

  it('returns prunable hashes in place of proofs when pruned', () => {
    addBlock();
    addBlock(2, 2);
    const [, second] = store.served.range(0, 2, true);
    const [, paying] = added;
    expect(second?.payments.map(({ prunableHash }) => Uint8Array.from(prunableHash ?? []))).toEqual(
      paying?.hashes.map((hash) => store.transactions.get(hash)?.prunableHash),
    );
    expect(second?.payments.map(({ blob }) => blob.length)).toEqual([60, 60]);
    expect(second?.outputIndices).toEqual(paying?.block.outputIndices);
  });

  it('reflects a reorganisation', () => {
    for (const outputs of [[], [2], [3, 4]]) addBlock(...outputs);
    pop();
    pop();
    for (const outputs of [[2, 2, 2], [], [5]]) addBlock(...outputs);
    expect(plain(store.served.range(0, 100, false))).toEqual(whole(0, 100));
  });

  it('returns nothing beyond the chain', () => {
    expect(store.served.range(0, 10, true)).toEqual([]);
    addBlock();
    expect(store.served.range(1, 10, true)).toEqual([]);
  });
});
