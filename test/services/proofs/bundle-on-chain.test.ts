import { describe, expect, it } from '@jest/globals';
import type { Hash } from '../../../src/monero/crypto/types.js';
import type { DaemonTransaction, KeyImageStatus } from '../../../src/daemon/daemon.js';
import { bundleOnChain, type BundleSource } from '../../../src/services/proofs/bundle-on-chain.js';
import { toHex } from '../../../src/util/bytes.js';
import { BUNDLE_HEIGHT, twoAccounts } from '../../monero/wallet/bundle-fixture.js';

const outputs = twoAccounts.accounts.flatMap((one) => one.outputs);
const nothing = { outputs: 0, amount: 0n };

interface Chain {
  readonly network?: string;
  readonly blocks?: number;
  readonly blockHash?: Hash;
  /** Changes what the daemon says about a transaction; undefined: it does not know the transaction. */
  readonly change?: (tx: DaemonTransaction) => DaemonTransaction | undefined;
  /** States of the outputs in their order; absent: unspent. */
  readonly states?: readonly KeyImageStatus[];
}

/** Answers as a daemon whose chain has the bundle. */
function sourceOf({
  network = 'mainnet',
  blocks = BUNDLE_HEIGHT + 1,
  blockHash = twoAccounts.blockHash,
  change = (tx) => tx,
  states = [],
}: Chain = {}): BundleSource {
  return {
    getInfo: () =>
      Promise.resolve({ height: blocks, network } as Awaited<ReturnType<BundleSource['getInfo']>>),
    getBlockHeader: (height) => {
      expect(height).toBe(BUNDLE_HEIGHT);
      return Promise.resolve({ height, hash: blockHash, timestamp: 1, reward: 0n, weight: 1 });
    },
    getTransactions: (hashes) => {
      const names = new Set(hashes.map(toHex));
      const transactions = twoAccounts.transactions
        .filter(({ hash }) => names.has(toHex(hash)))
        .flatMap(({ height, ...tx }) => {
          const known = change({ ...tx, inPool: false, doubleSpendSeen: false, blockHeight: height });
          return known === undefined ? [] : [known];
        });
      return Promise.resolve({ transactions });
    },
    isKeyImageSpent: (images) => Promise.resolve(images.map((_, i) => states[i] ?? 0)),
  };
}

const check = (chain?: Chain) => bundleOnChain(sourceOf(chain), twoAccounts);
const first = toHex(twoAccounts.transactions[0]?.hash as Hash);
const isFirst = ({ hash }: DaemonTransaction): boolean => toHex(hash) === first;

describe('a bundle in the chain of a daemon', () => {
  it('has no problem if its block and transactions are there, also on a regtest network', async () => {
    const found = { blocks: BUNDLE_HEIGHT + 1, problems: [], spent: nothing, spentInPool: nothing };
    expect(await check()).toEqual(found);
    expect(await check({ network: 'fakechain' })).toEqual(found);
  });

  it('has the outputs that are spent now, in blocks and in the mempool', async () => {
    const found = await check({ states: [1, 0, 2, 1] });
    const amountOf = (place: number): bigint => outputs[place]?.amount ?? 0n;
    expect(found).toMatchObject({
      problems: [],
      spent: { outputs: 2, amount: amountOf(0) + amountOf(3) },
      spentInPool: { outputs: 1, amount: amountOf(2) },
    });
  });

  it.each<[string, Chain, string]>([
    ['of another network', { network: 'stagenet' }, 'the daemon is of stagenet'],
    ['without its block', { blocks: BUNDLE_HEIGHT }, `lacks block ${BUNDLE_HEIGHT}`],
    [
      'with another block',
      { blockHash: new Uint8Array(32) as Hash },
      `block ${BUNDLE_HEIGHT} of the chain is`,
    ],
    [
      'that does not know a transaction',
      { change: (tx) => (isFirst(tx) ? undefined : tx) },
      `${first} is in no block`,
    ],
    [
      'with a transaction in the mempool',
      { change: (tx) => (isFirst(tx) ? { ...tx, inPool: true } : tx) },
      `${first} is in no block`,
    ],
    [
      'with a transaction in another block',
      { change: (tx) => (isFirst(tx) ? { ...tx, blockHeight: 11 } : tx) },
      `${first} is in block 11, and not in block 10`,
    ],
  ])('has a problem with a daemon %s', async (_, chain, problem) => {
    const { problems } = await check(chain);
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });
});
