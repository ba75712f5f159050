import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { parseBlock } from '../../../src/monero/cryptonote/block.js';
import {
  parsePrunedTransaction,
  parseTransaction,
  transaction,
} from '../../../src/monero/cryptonote/transaction.js';
import type { KeyImage } from '../../../src/monero/crypto/types.js';
import type { Block } from '../../../src/monero/cryptonote/types.js';
import { amount } from '../../../src/util/amount.js';
import { encode } from '../../../src/util/codec.js';
import { toHex } from '../../../src/util/bytes.js';
import { makeCarrotPayment, repeatCarrotPayment } from '../../../src/regtest/lies/carrot-payment.js';
import { Violation, type Payment } from '../../../src/regtest/rules/tx-rules.js';
import { forgeBlock } from '../../../src/regtest/lies/forged-chain.js';
import { forgeRingPayment } from '../../../src/regtest/lies/forged-payment.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { testNode, type TestNode } from '../../support/processes/regtest-node.js';
import { findEnotes } from '../../support/chain/carrot-finder.js';
import { holder } from '../../monero/wallet/fixtures.js';

const FORK = { from: 5, only: 8 };
const rng = seededRng('fork');
const payee = holder(rng);

let at: TestNode;
beforeEach(() => {
  at = testNode({ fork: FORK });
});
afterEach(() => at.node.close());

const blockAt = (height: number): Block => {
  const stored = at.node.store.blocks.at(height);
  if (stored === undefined) throw new Error(`no block at ${height}`);
  return parseBlock(stored.blob);
};

const pay = (keyImages: readonly KeyImage[] = []): Payment => {
  const { tip } = at.node.chain;
  const spend = { keyImages, referenceBlock: tip.height, feePerByte: at.node.chain.feeEstimates(0)[0] ?? 0n };
  return makeCarrotPayment([{ kind: 'payment', address: payee.address(), amount: amount(7n) }], spend, rng)
    .payment;
};

const reasonOf = (submitted: Promise<unknown>): Promise<unknown> =>
  submitted.then(
    () => undefined,
    (error: unknown) => (error instanceof Violation ? error.message : error),
  );

const send = ({ blob }: Payment): Promise<boolean> => at.node.submitTransaction(blob, 'sender');
const pooled = (): string[] => at.node.store.pool.hashes().map(toHex);

describe('the chain across the next fork', () => {
  beforeEach(() => at.mine(10));

  it('has the versions of the schedule, for the latest of which all blocks vote', () => {
    const headers = [1, 4, 5, 7, 8, 10].map((height) => blockAt(height).header);
    expect(headers.map(({ majorVersion }) => majorVersion)).toEqual([16, 16, 17, 17, 18, 18]);
    expect(headers.map(({ minorVersion }) => minorVersion)).toEqual([18, 18, 18, 18, 18, 18]);
  });

  it('rewards miners in the new form from the first height on, which their address opens', async () => {
    expect(blockAt(4).minerTx.prefix.outputs[0]?.carrot).toBeUndefined();
    const miner = { address: payee.address(), extraNonce: new Uint8Array(9) };
    const { block, height } = await at.node.template(miner);
    expect(await at.node.submitBlock(block)).toMatchObject({ place: 'main' });
    const { prefix } = block.minerTx;
    expect(prefix).toMatchObject({ unlockTime: BigInt(height + 60), inputs: [{ type: 'gen', height }] });
    const [found] = findEnotes(block.minerTx, { ...payee, addresses: [payee.spendPublicKey] });
    expect(found).toMatchObject({ amount: prefix.outputs[0]?.amount, mask: 1n, path: 'normal' });
  });

  it('names a tree of outputs in the blocks of the fork, another one in each', () => {
    expect(blockAt(4).tree).toBeUndefined();
    const roots = [5, 6, 7, 8, 9, 10].map((height) => toHex(blockAt(height).tree?.root ?? rng(32)));
    expect(new Set(roots).size).toBe(6);
  });

  it('is continued by forged blocks as by honest ones', async () => {
    expect(await at.node.submitBlock(forgeBlock(at.node, {}, { rng }))).toMatchObject({ place: 'main' });
    expect(blockAt(11).header).toMatchObject({ majorVersion: 18, minorVersion: 18 });
  });

  it('is replaced by another one from before the fork', async () => {
    const { hash } = at.node.store.blocks.at(3) ?? {};
    at.now += 1;
    const other = await at.mine(8, hash);
    expect(other).toMatchObject({ place: 'main', reorganised: { splitHeight: 4, discarded: 7 } });
    expect([4, 5, 8, 11].map((height) => blockAt(height).header.majorVersion)).toEqual([16, 17, 18, 18]);
  });
});

describe('a block at the fork', () => {
  const spoiled: readonly (readonly [string, number, (block: Block) => Block, string])[] = [
    [
      'of version 17 before it',
      4,
      (b) => ({
        ...b,
        header: { ...b.header, majorVersion: 17 },
        tree: { layers: 7, root: new Uint8Array(32) },
      }),
      'the block has a wrong version',
    ],
    [
      'of version 16 after it',
      5,
      ({ header, minerTx, txHashes }) => ({ header: { ...header, majorVersion: 16 }, minerTx, txHashes }),
      'the block has a wrong version',
    ],
    [
      'that names another tree',
      5,
      (b) => ({ ...b, tree: { layers: 7, root: new Uint8Array(32) } }),
      'the block names another tree of outputs',
    ],
    [
      'that names another number of layers',
      5,
      (b) => ({ ...b, tree: { layers: 6, root: b.tree?.root ?? new Uint8Array(32) } }),
      'the block names another tree of outputs',
    ],
    [
      'whose reward is in the old form',
      5,
      (b) => ({
        ...b,
        minerTx: {
          ...b.minerTx,
          prefix: {
            ...b.minerTx.prefix,
            outputs: b.minerTx.prefix.outputs.map(({ amount: value, publicKey }) => ({
              ...{ amount: value, publicKey, viewTag: 1 },
            })),
          },
        },
      }),
      'an output is not in the form of the fork',
    ],
  ];

  test.each(spoiled)('%s is refused', async (_, height, spoil, reason) => {
    await at.mine(height - 1);
    const block = spoil(await at.template());
    expect(await reasonOf(at.node.submitBlock(block))).toBe(reason);
    expect(at.node.chain.height).toBe(height);
  });
});

describe('a transaction with a membership proof', () => {
  it('is refused before the fork, and mined after it, whole and pruned', async () => {
    await at.mine(3);
    expect(await reasonOf(send(pay()))).toBe('RingCT type 7 is not allowed');
    await at.mine(1);
    const payment = pay();
    expect(await send(payment)).toBe(true);
    await at.mine(1);
    expect(blockAt(5).txHashes.map(toHex)).toEqual([toHex(payment.hash)]);
    const [whole, pruned] = [false, true].map(
      (prune) => at.node.store.served.range(5, 1, prune)[0]?.payments[0]?.blob ?? new Uint8Array(),
    );
    for (const tx of [parseTransaction(whole as Uint8Array), parsePrunedTransaction(pruned as Uint8Array)])
      expect(findEnotes(tx, { ...payee, addresses: [payee.spendPublicKey] })).toMatchObject([{ amount: 7n }]);
  });

  it('is refused if its outputs are not sorted, its proof names no block, or its amounts do not balance', async () => {
    await at.mine(5);
    const { tx, base } = pay();
    const { prefix, rct } = tx;
    const submitted = (changed: typeof tx): Promise<unknown> =>
      reasonOf(at.node.submitTransaction(encode(transaction, changed), 'sender'));
    expect(await submitted({ ...tx, prefix: { ...prefix, outputs: [...prefix.outputs].reverse() } })).toBe(
      'the outputs are not sorted',
    );
    if (rct?.prunable?.fcmp === undefined) throw new Error('no proof');
    const withProof = (more: object): typeof tx => ({
      ...tx,
      rct: { base, prunable: { ...rct.prunable, fcmp: { ...rct.prunable?.fcmp, ...more } } } as typeof rct,
    });
    expect(await submitted(withProof({ referenceBlock: 6 }))).toBe(
      'the block of a membership proof does not exist',
    );
    expect(await submitted({ ...tx, rct: { ...rct, base: { ...base, fee: amount(base.fee + 1n) } } })).toBe(
      'amounts or keys are not proved',
    );
    expect(await submitted({ ...tx, prefix: { ...prefix, unlockTime: 1n } })).toBe(
      'the unlock time is not zero',
    );
    expect(pooled()).toEqual([]);
    expect(await submitted(tx)).toBeUndefined();
  });

  it('spends a key image once', async () => {
    await at.mine(5);
    const first = pay();
    const images = first.inputs.map(({ keyImage }) => keyImage);
    await send(first);
    expect(await reasonOf(send(pay(images)))).toBe('the pool spends a key image already');
    await at.mine(1);
    expect(await reasonOf(send(pay(images)))).toBe('a key image is already spent');
    expect(at.node.store.keyImages.has(images[0] as KeyImage)).toBe(true);
  });

  it('returns to the pool when its block is removed, and is mined again once the chain has its reference block', async () => {
    await at.mine(6);
    const payment = pay();
    await send(payment);
    await at.mine(1);
    await at.node.popBlocks(3);
    expect(at.node.chain.version).toBe(17);
    expect(pooled()).toEqual([toHex(payment.hash)]);
    await at.mine(2);
    expect(pooled()).toEqual([toHex(payment.hash)]);
    await at.mine(1);
    expect(blockAt(7).txHashes.map(toHex)).toEqual([toHex(payment.hash)]);
  });

  it('waits in the pool while the chain is shorter than the fork', async () => {
    await at.mine(4);
    await send(pay());
    await at.mine(1);
    await at.node.popBlocks(2);
    await at.mine(1);
    expect(blockAt(4).txHashes).toEqual([]);
    await at.mine(1);
    expect(blockAt(5).txHashes).toHaveLength(1);
  });

  it('may repeat the outputs of another one', async () => {
    await at.mine(5);
    const first = pay();
    await send(first);
    const spend = { keyImages: [], referenceBlock: 5, feePerByte: at.node.chain.feeEstimates(0)[0] ?? 0n };
    const second = repeatCarrotPayment(first.tx, spend, rng);
    expect(await send(second)).toBe(true);
    await at.mine(1);
    expect(blockAt(6).txHashes).toHaveLength(2);
    expect(second.tx.prefix.outputs).toEqual(first.tx.prefix.outputs);
  });
});

describe('a transaction with rings', () => {
  it('is allowed up to version 17, and refused by its type from version 18 on', async () => {
    await at.mine(5);
    const { blob } = forgeRingPayment({ node: at.node, rng }, { amount: amount(5n), keyImages: [] });
    expect(await reasonOf(at.node.submitTransaction(blob, 'sender'))).toBe('the fee is too low');
    await at.mine(2);
    expect(at.node.chain.version).toBe(18);
    expect(await reasonOf(at.node.submitTransaction(blob, 'sender'))).toBe('RingCT type 6 is not allowed');
  });
});

describe('a stored chain', () => {
  it('continues across the fork, and is refused with other heights of it', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'regtest-fork-'));
    try {
      for (const height of [4, 6, 9]) {
        const node = testNode({ fork: FORK, dataDir });
        await node.mine(height + 1 - node.node.chain.height);
        expect(node.node.chain.tip.height).toBe(height);
        await node.node.close();
      }
      for (const fork of [undefined, { from: 4, only: 8 }, { from: 5, only: 9 }, { from: 6, only: 8 }])
        expect(() => testNode({ dataDir, ...(fork && { fork }) })).toThrow('forks elsewhere');
      await testNode({ fork: FORK, dataDir }).node.close();
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });
});
