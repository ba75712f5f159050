import { beforeEach, describe, expect, it } from '@jest/globals';
import { listedTxs } from '../../support/fakes/listed-txs.js';
import type { Hash } from '../../../src/monero/crypto/types.js';
import type { ListedTx } from '../../../src/daemon/daemon.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import type { ParsedTxs } from '../../../src/monero/wallet/scan/block-page.js';
import type { ChainBlock, ChainTxs } from '../../../src/refresh/scan/chain-block.js';
import {
  PageProofs,
  proveBlocks,
  type BlockProof,
  type BlockProofRequest,
  type Prover,
} from '../../../src/refresh/feeds/page-proofs.js';
import { quietKernel } from '../../support/fakes/feed-members.js';
import { turns } from '../../support/fakes/event-loop-turns.js';

const bytes = (value: number): Hash => new Uint8Array(32).fill(value) as Hash;

/** Blocks of four transactions each from a height on; the first transaction of each is proven by its bytes. */
const FIRST = 50;
const PER_BLOCK = 4;
const blocks = Array.from({ length: 3 }, (_, i): ChainBlock => ({
  ...{ height: FIRST + i, hash: bytes(0xff), timestamp: 0 },
  ...{ firstTx: PER_BLOCK * i, endTx: PER_BLOCK * (i + 1) },
}));
const txs = {
  isProven: (at: number) => at % PER_BLOCK === 0,
  ...listedTxs(bytes),
  blob: (at: number) => Uint8Array.of(at),
} as ParsedTxs;
const found = (...indices: readonly number[]) =>
  indices.map((at) => ({ txHash: bytes(at), height: FIRST + Math.floor(at / PER_BLOCK) }));

class FakeProver implements Prover {
  isTrusted = true;
  readonly asked: number[][] = [];
  failure: Error | undefined;

  async proveTransactions(listed: readonly ListedTx[]): Promise<void> {
    for (const { hash, blob } of listed) expect(hash[0]).toBe(blob[0]);
    this.asked.push(listed.map(({ hash: [first = 0] }) => first));
    await turns(1);
    if (this.failure !== undefined) throw this.failure;
  }
}

let daemon: FakeProver;
let proofs: PageProofs;

beforeEach(() => {
  daemon = new FakeProver();
  proofs = new PageProofs(daemon, { blocks, txs });
});

describe('proofs of a page', () => {
  it('request a transaction once, and none whose bytes prove it', async () => {
    await proofs.prove(found(0, 8));
    await proofs.prove(found(5, 5, 2, 4));
    await proofs.prove(found(2, 5, 11));
    expect(daemon.asked).toEqual([[2, 5], [11]]);
  });

  it('are shared by the wallets that ask at the same time', async () => {
    await Promise.all([[1], [6], [7], [1, 9]].map((indices) => proofs.prove(found(...indices))));
    expect(daemon.asked).toEqual([[1, 6, 7, 9]]);
  });

  it('hide the transactions of wallets among all of their blocks from a daemon that is not trusted', async () => {
    daemon.isTrusted = false;
    await proofs.prove(found(6));
    await proofs.prove(found(5, 7));
    await proofs.prove(found(1, 9));
    expect(daemon.asked).toEqual([
      [5, 6, 7],
      [1, 2, 3, 9, 10, 11],
    ]);
  });

  it('fail for every wallet that shares them, and are requested again', async () => {
    daemon.failure = new DaemonError('unreachable', 'gone');
    const ends = await Promise.allSettled([proofs.prove(found(1)), proofs.prove(found(2))]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    daemon.failure = undefined;
    await proofs.prove(found(1));
    expect(daemon.asked).toEqual([[1, 2], [1]]);
  });

  it('fail for every wallet after a forged transaction, without another request', async () => {
    await proofs.prove(found(2));
    const forged = new DaemonError('forged', 'other bytes');
    daemon.failure = forged;
    await expect(proofs.prove(found(1))).rejects.toBe(forged);
    daemon.failure = undefined;
    for (const indices of [[], [0], [2], [1], [5]])
      await expect(proofs.prove(found(...indices))).rejects.toBe(forged);
    expect([proofs.isForged, daemon.asked]).toEqual([true, [[2], [1]]]);
  });

  it('refuse a transaction that the page does not have at this height', async () => {
    for (const [at, height] of [
      [1, FIRST + 1],
      [1, FIRST - 1],
      [40, FIRST],
      [1, FIRST + 3],
    ] as const)
      await expect(proofs.prove([{ txHash: bytes(at), height }])).rejects.toThrow(RangeError);
    expect(daemon.asked).toEqual([]);
  });
});

describe('a proof of blocks', () => {
  const hits = { received: [], outputs: [] };
  const scanned: number[] = [];
  const scan = {
    scanner: {
      matchesIn: () => (async function* () {})(),
      receivedIn: ({ blocks: read }: ChainTxs) => {
        scanned.push(...read.map(({ height }) => height));
        return Promise.resolve(hits);
      },
    },
    kernel: quietKernel,
    signal: new AbortController().signal,
  };
  const imaged = {
    ...txs,
    isProven: txs.isProven,
    eachKeyImage: (at: number, visit: (bytes: Uint8Array, offset: number) => void) =>
      visit(
        Uint8Array.from({ length: 40 }, () => at),
        4,
      ),
  } as ParsedTxs;
  const sent = blocks.map((one) => ({ ...one, version: 16 }));
  const proofOf = (request: Partial<BlockProofRequest>, startHeight = FIRST): Promise<BlockProof> =>
    proveBlocks(
      { startHeight: FIRST, count: 3, txs: [], ...request },
      Object.assign(daemon, {
        getBlocks: () =>
          Promise.resolve({ startHeight, currentHeight: 100, blocks: sent, txs: imaged, bytes: 1 }),
      }),
      { genesis: bytes(0) },
      scan,
    );
  beforeEach(() => {
    scanned.length = 0;
  });

  it('has the requested transactions that their blocks contain, with their key images', async () => {
    const absent = [
      { txHash: bytes(5), height: FIRST },
      { txHash: bytes(40), height: FIRST + 1 },
    ];
    const { txs: contained, blocks: read } = await proofOf({ count: 2, txs: [...found(1, 5), ...absent] });
    expect(contained).toEqual(found(1, 5).map((one, i) => ({ ...one, keyImages: [bytes([1, 5][i] ?? 0)] })));
    expect([read.length, daemon.asked, scanned]).toEqual([2, [[1, 5]], [FIRST, FIRST + 1]]);
  });

  it('has the identities of blocks alone if no transaction is requested', async () => {
    const { blocks: read } = await proofOf({});
    expect([read.map(({ height }) => height), daemon.asked, scanned]).toEqual([
      [FIRST, FIRST + 1, FIRST + 2],
      [],
      [],
    ]);
  });

  it('fails for an answer that begins elsewhere, or lacks the block of a requested transaction', async () => {
    await expect(proofOf({}, FIRST + 1)).rejects.toMatchObject({ kind: 'malformed' });
    const above = [{ txHash: bytes(1), height: FIRST + 3 }];
    await expect(proofOf({ count: 9, txs: above })).rejects.toMatchObject({ kind: 'malformed' });
  });

  it('fails for a forged transaction', async () => {
    daemon.failure = new DaemonError('forged', 'other bytes');
    await expect(proofOf({ txs: found(1) })).rejects.toBe(daemon.failure);
  });
});
