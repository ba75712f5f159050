import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash, KeyImage } from '../../../src/monero/crypto/types.js';
import type { Daemon, DaemonInfo, DaemonTransaction } from '../../../src/daemon/daemon.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import { ChainTransactions } from '../../../src/services/proofs/chain-transactions.js';
import type { BlockRef } from '../../../src/monero/wallet/scan/findings.js';
import { amount } from '../../../src/util/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import { bytes } from '../../store/fixtures.js';
import { blockWith } from '../../support/chain/work-chain.js';
import { faultOf } from '../../support/wallets/test-wallet.js';

const hash = (n: number): Hash => bytes<Hash>(n);
const blob = (n: number): Uint8Array => Uint8Array.of(n);

let daemon: Partial<Daemon>;
let chain: ChainTransactions;
/** Number of hashes in each call. */
let asked: number[];
/** Number of blocks that the wallet has read, and the block that it holds at the height of a transaction. */
let scanned: number;
let held: BlockRef | undefined;

const known: DaemonTransaction[] = [
  { hash: hash(1), blob: blob(1), inPool: false, doubleSpendSeen: false, blockHeight: 7 },
  {
    hash: hash(2),
    blob: blob(2),
    inPool: false,
    doubleSpendSeen: false,
    blockHeight: 9,
    prunableHash: hash(20),
  },
  { hash: hash(3), blob: blob(3), inPool: true, doubleSpendSeen: false },
  // Says both: the pool counts, since such a transaction has no confirmation that lasts.
  { hash: hash(4), blob: blob(4), inPool: true, doubleSpendSeen: false, blockHeight: 9 },
];

beforeEach(() => {
  asked = [];
  held = undefined;
  daemon = {
    // As a daemon may: in an order of its own, and one that was not asked for.
    getTransactions: (hashes, { prune }) => {
      // Pruned ones lack what the hash of a transaction depends on.
      expect(prune).toBe(false);
      asked.push(hashes.length);
      const names = [...hashes.map(toHex), toHex(hash(1))];
      return Promise.resolve({
        transactions: known.filter((tx) => names.includes(toHex(tx.hash))).reverse(),
      });
    },
  };
  scanned = 10;
  const store = { height: () => scanned, blockAt: () => held };
  chain = new ChainTransactions({ daemon: { client: () => daemon, admit: () => undefined }, store } as never);
});

const UNKNOWN = {
  kind: 'invalid',
  reason: 'the daemon does not know the transaction',
  text: 'Failed to get transaction from daemon',
};

describe('a transaction', () => {
  it('has its height where it is mined, and the hash of its prunable part where that is left out', async () => {
    expect(await chain.transaction(hash(1))).toEqual({
      fetched: { hash: hash(1), blob: blob(1) },
      height: 7,
    });
    expect(await chain.transaction(hash(2))).toEqual({
      fetched: { hash: hash(2), blob: blob(2), prunableHash: hash(20) },
      height: 9,
    });
    for (const n of [3, 4])
      expect(await chain.transaction(hash(n))).toEqual({ fetched: { hash: hash(n), blob: blob(n) } });
  });

  it('that the daemon does not know is refused, with the text of the proof', async () => {
    expect(await faultOf(() => chain.transaction(hash(9)))).toEqual(UNKNOWN);
    expect(await faultOf(() => chain.transaction(hash(9), 'Not there'))).toEqual({
      ...UNKNOWN,
      text: 'Not there',
    });
  });

  it('fails as the daemon does', async () => {
    const error = new DaemonError('timeout', 'no answer');
    daemon.getTransactions = () => Promise.reject(error);
    await expect(chain.transaction(hash(1))).rejects.toBe(error);
  });
});

describe('confirmed transactions', () => {
  it('come in the order asked for, repeated ones too, and are asked for once', async () => {
    const found = await chain.confirmed([2, 1, 2].map(hash));
    expect(found.map((tx) => tx.blob[0])).toEqual([2, 1, 2]);
    expect(asked).toEqual([2]);
    expect(await chain.confirmed([])).toEqual([]);
  });

  it('are refused together where one is unknown, or in the pool', async () => {
    expect(await faultOf(() => chain.confirmed([1, 9].map(hash)))).toEqual(UNKNOWN);
    for (const n of [3, 4])
      expect(await faultOf(() => chain.confirmed([1, n].map(hash)))).toMatchObject({
        ...{ kind: 'invalid', text: 'Tx is unconfirmed' },
      });
  });
});

describe('the place of a transaction', () => {
  /** A daemon with a number of blocks, whose block at any height contains the transaction with hash 1. */
  const answerAt = (height: number): void => {
    daemon.getInfo = () => Promise.resolve({ height } as DaemonInfo);
    daemon.getBlock = (at) => Promise.resolve(blockWith(at, [hash(2), hash(1)]));
  };
  const mined = { hash: hash(1), blob: blob(1) };

  it.each([
    ['in a block', 7, 10, 3],
    ['in the last block', 9, 10, 1],
    ['in a block that the daemon lost meanwhile', 12, 10, 0],
    ['in a block of a daemon that claims a longer chain', 7, 1e9, 3],
    ['in a block that the wallet has not read', 20, 40, 1],
  ])('%s has the confirmations of it', async (_, height, chainHeight, confirmations) => {
    answerAt(chainHeight);
    expect(await chain.place({ fetched: mined, height })).toEqual({ inPool: false, confirmations });
  });

  it('is refused where its block has other transactions, or is another one than that of the wallet', async () => {
    answerAt(10);
    const other = { hash: hash(3), blob: blob(3) };
    await expect(chain.place({ fetched: other, height: 7 })).rejects.toMatchObject({ kind: 'malformed' });
    held = { height: 7, hash: hash(71) };
    await expect(chain.place({ fetched: mined, height: 7 })).rejects.toMatchObject({ kind: 'malformed' });
    held = { height: 7, hash: blockWith(7, [hash(2), hash(1)]).hash };
    expect(await chain.place({ fetched: mined, height: 7 })).toMatchObject({ confirmations: 3 });
  });

  it('in the pool has none, and the daemon is not asked', async () => {
    expect(await chain.place({ fetched: { hash: hash(1), blob: blob(1) } })).toEqual({
      inPool: true,
      confirmations: 0,
    });
  });
});

describe('rings', () => {
  it('have the keys of their outputs, looked up by amount, in their order', async () => {
    daemon.getOutputs = (indices, value = 0n) =>
      Promise.resolve(
        indices.map((index) => ({
          ...{ publicKey: bytes<never>(index), commitment: bytes<never>(0), unlocked: true, height: 1 },
          txHash: hash(Number(value)),
        })),
      );
    const [one, two] = [bytes<KeyImage>(71), bytes<KeyImage>(72)];
    const rings = await chain.rings([
      { keyImage: one, amount: amount(0n), globalIndices: [5, 3] },
      { keyImage: two, amount: amount(4n), globalIndices: [8] },
    ]);
    expect(rings).toEqual([
      { keyImage: one, ring: [bytes(5), bytes(3)] },
      { keyImage: two, ring: [bytes(8)] },
    ]);
  });
});
