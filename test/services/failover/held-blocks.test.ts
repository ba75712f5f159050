import { describe, expect, it, test } from '@jest/globals';
import { heldBlocks, MAX_FORK, type HeldChain } from '../../../src/services/failover/chain-check.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { WalletError } from '../../../src/model/wallet-error.js';
import { page } from '../../store/fixtures.js';

const KEY = new Uint8Array(32).fill(7);

/** Store of a wallet that scanned blocks. @param deferred blocks without findings on top. */
function storeOf(first: number, blocks: number, deferred = 0): WalletStore {
  const store = WalletStore.create(':memory:', KEY, () => undefined);
  if (blocks > 0) store.write((w) => w.applyPage(page(first, blocks)));
  for (let i = 0; i < deferred; i++) store.addPage(page(first + blocks + i, 1));
  return store;
}

const heightsOf = (chains: readonly HeldChain[]): number[][] =>
  heldBlocks(chains).map((blocks) => blocks.map(({ height }) => height));

describe('the blocks of a wallet that a daemon must have one of', () => {
  test.each([
    ['of a long chain', 0, 1000, 0, [999, 899]],
    ['with deferred blocks', 0, 1000, 9, [1008, 908]],
    ['of a chain as long as the deepest fork', 0, 102, 0, [101, 1]],
    ['of a short chain', 0, 51, 0, [50, 1]],
    ['that begins above the deepest fork', 940, 60, 0, [999, 940]],
    ['that has one block', 999, 1, 0, [999]],
    ['that has the genesis block only', 0, 1, 0, [0]],
  ])(
    '%s are the newest one, and the oldest above the deepest fork',
    (_, first, blocks, deferred, expected) => {
      const store = storeOf(first, blocks, deferred);
      expect(store.height()).toBe((expected[0] ?? 0) + 1);
      expect(heightsOf([store])).toEqual([expected]);
      store.close();
    },
  );

  it('are none without blocks', () => {
    const store = storeOf(0, 0);
    expect(heightsOf([store])).toEqual([]);
    store.close();
  });

  it('are those of the wallet that knows most, among wallets with the same newest block', () => {
    const stores = [storeOf(999, 1), storeOf(940, 60), storeOf(200, 800), storeOf(100, 900), storeOf(0, 500)];
    const asked = stores.map(() => 0);
    const counted = stores.map((store, i): HeldChain => ({
      shortHistory: () => store.shortHistory(),
      oldestFrom: (height) => ((asked[i] = (asked[i] ?? 0) + 1), store.oldestFrom(height)),
    }));
    expect(heightsOf(counted)).toEqual([
      [999, 999 - MAX_FORK],
      [499, 499 - MAX_FORK],
    ]);
    // Further wallets of a chain that is known far enough are not asked.
    expect(asked).toEqual([1, 1, 1, 0, 1]);
    for (const store of stores) store.close();
  });

  it('leave wallets out that are closed, and no bug', () => {
    const failing = (error: Error): HeldChain => ({
      shortHistory: () => {
        throw error;
      },
      oldestFrom: () => undefined,
    });
    expect(heightsOf([failing(new WalletError({ kind: 'no_wallet' }))])).toEqual([]);
    expect(() => heightsOf([failing(new TypeError('a bug'))])).toThrow('a bug');
  });
});
