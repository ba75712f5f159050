import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readStorage, SectionReader } from '../../../../src/monero/epee/portable-storage.js';
import { writeStorage } from '../../../../src/monero/epee/storage-writer.js';
import { parseBlocksAnswer } from '../../../../src/monero/wallet/scan/block-page.js';
import { makeCarrotPayment } from '../../../../src/regtest/lies/carrot-payment.js';
import { RegtestDaemon } from '../../../../src/regtest/rpc/daemon.js';
import { binaryEndpoints, sectionOf } from '../../../../src/regtest/rpc/service.js';
import { amount } from '../../../../src/util/amount.js';
import { toHex } from '../../../../src/util/bytes.js';
import { holder } from '../../../monero/wallet/fixtures.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { NOON } from '../../../support/processes/regtest-node.js';

const FORK = { from: 20, only: 25 };
/** Heights of the blocks with two payments each. */
const PAYING = [21, 26] as const;
const BLOCKS = 30;

const rng = seededRng('fork pages');
const payee = holder(rng);
const daemon = new RegtestDaemon({
  clock: { now: () => 1000 * NOON },
  fixedDifficulty: 1n,
  anyUnlockTime: false,
  fork: FORK,
  rng,
  threads: 1,
  blockTimeMs: 1000,
  version: '0',
  stop: () => undefined,
  onMiningError: () => undefined,
});
const { node } = daemon;

beforeAll(async () => {
  for (let height = 1; height < BLOCKS; height++) {
    if (PAYING.some((paying) => paying === height))
      for (const outputs of [1, 3]) {
        const { payment } = makeCarrotPayment(
          Array.from({ length: outputs }, () => ({
            ...{ kind: 'payment', address: payee.address(), amount: amount(5n) },
          })),
          {
            keyImages: [],
            referenceBlock: height - 1,
            feePerByte: node.chain.feeEstimates(0)[0] ?? 0n,
          },
          rng,
        );
        await node.submitTransaction(payment.blob, 'sender');
      }
    const { block } = await node.template({ address: payee.address(), extraNonce: new Uint8Array() });
    await node.submitBlock(block);
  }
});
afterAll(() => daemon.close());

describe('a page of blocks across the next fork', () => {
  test.each([true, false])('is read by wallets, whose proofs are removed: %s', async (prune) => {
    const endpoint = binaryEndpoints.find(({ paths }) => paths.includes('/get_blocks.bin'));
    if (endpoint === undefined) throw new Error('no pages');
    const request = writeStorage({
      start_height: { type: 'u64', value: 1n },
      prune: { type: 'bool', value: prune },
    });
    const section = await sectionOf(
      endpoint,
      { daemon, restricted: false },
      new SectionReader(readStorage(request)),
    );
    const { blocks, txs, unread } = parseBlocksAnswer(writeStorage(section), {
      complete: true,
      newestFork: 18,
    });
    expect(unread).toBeUndefined();
    const stored = node.store.blocks.range(1, BLOCKS);
    expect(blocks.map(({ hash }) => toHex(hash))).toEqual(stored.map(({ hash }) => toHex(hash)));
    expect(blocks.map(({ version }) => version)).toEqual(
      stored.map((_, i) => node.chain.forks.versionAt(1 + i)),
    );
    const paid = blocks.map(({ firstTx, endTx }) => endTx - firstTx - 1);
    expect(paid.flatMap((payments, i) => (payments === 2 ? [1 + i] : []))).toEqual(PAYING);
    expect(txs.count).toBe(stored.length + 4);
    // A miner transaction has one output, and a payment one beside those of its destinations.
    const outputs = Array.from({ length: txs.count }, (_, tx) => txs.outputCount(tx));
    expect(outputs.filter((count) => count > 1).sort()).toEqual([2, 2, 4, 4]);
  });
});
