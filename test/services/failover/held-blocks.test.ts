import { describe, expect, it, test } from '@jest/globals';
import { heldBlocks, MAX_FORK, type HeldChain } from '../../../src/services/failover/chain-check.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { WalletError } from '../../../src/model/wallet-error.js';
import { page } from '../../store/fixtures.js';
import {
  DaemonStanding,
  isBehind,
  proposeSwitch,
  type Choice,
} from '../../../src/services/failover/daemon-standing.js';
import type { DaemonInfo } from '../../../src/daemon/daemon.js';

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

/** A daemon with a number of blocks, or one that cannot serve. @param probes healthy ones in a row. */
function standing(name: string, height: number | undefined, probes = 0): DaemonStanding {
  const made = new DaemonStanding({ name } as DaemonStanding['daemon']);
  if (height === undefined) made.setProblem('it is silent');
  else made.setInfo({ height, topBlockHash: new Uint8Array(32) } as DaemonInfo);
  for (let i = 0; i < probes; i++) made.countProbe(false, false);
  return made;
}

const NONE = { count: 0, last: 'none' };
const THREE = { count: 3, last: 'timeout in get_info' };

/** Reason, text and candidates of a proposal in one line. */
function proposed(choice: Choice): string | undefined {
  const proposal = proposeSwitch(choice);
  return (
    proposal &&
    `${proposal.reason} (${proposal.text}): ${proposal.candidates.map(({ daemon }) => daemon.name).join(' ')}`
  );
}

describe('a switch', () => {
  it('is not proposed while the first daemon serves and lacks at most two blocks', () => {
    const standings = [standing('a', 98), standing('b', 100, 9)];
    expect(proposed({ standings, serving: 0, failures: { count: 2, last: 'x' } })).toBeUndefined();
  });

  it('is proposed to daemons that are up to date, in the order of preference', () => {
    const standings = [standing('a', 97), standing('b', 97), standing('c', 98), standing('d', 100)];
    expect(proposed({ standings, serving: 0, failures: NONE })).toBe('behind (3 blocks behind): c d');
  });

  it('from a failing daemon does not count the height that it claims', () => {
    const standings = [standing('a', 1_000), standing('b', 100), standing('c', undefined)];
    expect(proposed({ standings, serving: 0, failures: THREE })).toBe(
      'failed (3 failures (timeout in get_info)): b',
    );
  });

  it('is proposed without a candidate when no other daemon can serve', () => {
    const standings = [standing('a', 100), standing('b', undefined)];
    expect(proposed({ standings, serving: 0, failures: THREE })).toBe(
      'failed (3 failures (timeout in get_info)): ',
    );
  });

  it('goes back only to a preferred daemon that was healthy six times in a row', () => {
    const choice = (probes: number): Choice => ({
      standings: [standing('a', 100, probes), standing('b', 100), standing('c', 100, 99)],
      serving: 1,
      failures: NONE,
    });
    expect(proposed(choice(5))).toBeUndefined();
    expect(proposed(choice(6))).toBe('return (it is preferred and healthy again): a');
  });

  it('does not go back to a daemon that is behind', () => {
    const standings = [standing('a', 97, 6), standing('b', 100)];
    expect(proposed({ standings, serving: 1, failures: NONE })).toBeUndefined();
  });

  it('is not proposed from a daemon that no list has', () => {
    expect(proposed({ standings: [], serving: 0, failures: THREE })).toBeUndefined();
  });
});

it('a daemon without a known height is behind all others', () => {
  expect(isBehind(standing('a', undefined), 3)).toBe(true);
  expect(isBehind(standing('a', undefined), 2)).toBe(false);
});
