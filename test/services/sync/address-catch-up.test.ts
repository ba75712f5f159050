import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Daemon, DaemonBlockHeader } from '../../../src/daemon/daemon.js';
import type { ReadAgain, RefreshFrom } from '../../../src/refresh/feeds/chain-position.js';
import type { Hash } from '../../../src/monero/crypto/types.js';
import type { PageFindings } from '../../../src/monero/wallet/scan/findings.js';
import { toHex } from '../../../src/util/bytes.js';
import { bytes, output, page, received } from '../../store/fixtures.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { TestWallet } from '../../support/wallets/test-wallet.js';

const DONE = { blocksFetched: 0, receivedMoney: false };
const HEIGHT = 40;
/** Number of addresses of an account that a new wallet watches. */
const AHEAD = 200;

let wallet: TestWallet;
/** Blocks that each refresh was to read again; undefined: none. */
const asked = (): (ReadAgain | undefined)[] =>
  wallet.refresher.callsOf('refresh').map(([from]) => (from as RefreshFrom).again);
const last = (): ReadAgain | undefined => asked().at(-1);

/** Lets the wallet read its blocks in its first refresh. */
async function readBlocks(): Promise<void> {
  wallet.refresher.onRefresh = () => {
    wallet.sync.commitPage(page(5, HEIGHT - 5), HEIGHT);
    return Promise.resolve(DONE);
  };
  await wallet.sync.refresh();
  wallet.refresher.onRefresh = () => Promise.resolve(DONE);
}

/** Lets the next refresh, and each one after it, read blocks again. @param most number of blocks of a refresh. */
function readAgain(most: number, more: Partial<PageFindings> = {}): void {
  wallet.refresher.onRefresh = ({ again }) => {
    if (again !== undefined) {
      const count = Math.min(most, HEIGHT - again.startHeight);
      wallet.sync.commitAgain(page(again.startHeight, count, more));
    }
    return Promise.resolve(DONE);
  };
}

const open = (): void => {
  wallet = new TestWallet({ restoreHeight: 5 });
  wallet.answers = {
    ...wallet.answers,
    getBlockHeader: (height: number) => Promise.resolve({ height } as DaemonBlockHeader),
  } as Partial<Daemon>;
};
/** Makes the wallet one that has a history elsewhere. */
const hasHistory = (): void => wallet.store.write((w) => w.meta.set('arrival_height', '30'));
/** Searched addresses of the first account. */
const searched = (): number | undefined => wallet.store.read((r) => r.searched.counts()[0]);

beforeEach(open);
afterEach(() => wallet.close());

describe('a wallet', () => {
  it('has searched for the addresses that it has when it reads its first block', async () => {
    await wallet.accounts.createAddresses(0, 300, '');
    await readBlocks();
    expect([searched(), wallet.sync.catchUp, last()]).toEqual([300 + AHEAD, undefined, undefined]);
  });

  it('of new keys needs no catch-up for addresses within its lookahead', async () => {
    await readBlocks();
    for (let n = 0; n < 3; n++) {
      await wallet.accounts.createAddresses(0, AHEAD - 1, '');
      expect(wallet.sync.catchUp).toBeUndefined();
      await wallet.sync.refresh();
    }
    expect([last(), searched()]).toEqual([undefined, 3 * (AHEAD - 1) + AHEAD]);
  });

  it('with a history catches up for an address that its first blocks were not searched for', async () => {
    hasHistory();
    await readBlocks();
    await wallet.accounts.createAddresses(0, AHEAD - 1, '');
    await wallet.sync.refresh();
    expect(last()).toBeUndefined();
    await wallet.accounts.createAddresses(0, 1, '');
    expect(wallet.sync.catchUp).toEqual({ from: 5, next: 5, height: HEIGHT });
  });

  it('whose blocks an earlier version read catches up for those beyond its first lookahead if it has a history', async () => {
    for (const isRestored of [false, true]) {
      wallet.store.write((w) => {
        w.accounts.addAddresses(0, 300);
        w.applyPage(page(5, HEIGHT - 5));
      });
      if (isRestored) hasHistory();
      expect(wallet.sync.catchUp).toBeUndefined();
      await wallet.sync.refresh();
      expect(asked()[0] !== undefined).toBe(isRestored);
      wallet.close();
      open();
    }
  });
});

describe('addresses that are created after their blocks were read', () => {
  const createFar = (count = 300): Promise<unknown> => wallet.accounts.createAddresses(0, count, '');
  beforeEach(readBlocks);

  it('make the wallet incomplete until it has read these blocks again', async () => {
    await createFar();
    expect([wallet.sync.isSynced, wallet.sync.isComplete]).toEqual([true, false]);
    readAgain(HEIGHT);
    await wallet.sync.refresh();
    expect(last()).toEqual({ startHeight: 5, searched: Array<number>(50).fill(AHEAD) });
    expect([wallet.sync.isComplete, wallet.sync.catchUp]).toEqual([true, undefined]);
    // As many addresses ahead are searched for, too, so that not each further address reads all blocks again.
    expect(searched()).toBe(2 * 300 + AHEAD);
  });

  it('are watched, and old spends too, before the blocks are read again', async () => {
    await createFar();
    await turns(50);
    const names = wallet.refresher.calls.map(([name]) => name);
    const at = names.indexOf('lookAhead');
    expect(names.slice(at, at + 3)).toEqual(['lookAhead', 'restart', 'refresh']);
    expect(wallet.refresher.callsOf('lookAhead').at(-1)?.[1]).toEqual([{ major: 0, minor: 600 }]);
  });

  it('let the wallet read by itself, refresh by refresh, as long as it gets on', async () => {
    readAgain(10);
    await createFar();
    await turns(200);
    expect(asked().map((one) => one?.startHeight)).toEqual([undefined, 5, 15, 25, 35]);
    expect(wallet.sync.catchUp).toBeUndefined();
  });

  it('do not make it ask again at once when nothing was read', async () => {
    await createFar();
    await turns(200);
    expect(asked()).toEqual([undefined, expect.objectContaining({ startHeight: 5 })]);
    expect(wallet.sync.catchUp).toEqual({ from: 5, next: 5, height: HEIGHT });
  });

  it('let it begin anew with those that are created meanwhile', async () => {
    await createFar();
    await wallet.sync.refresh();
    wallet.sync.commitAgain(page(5, 10));
    expect(wallet.sync.catchUp).toEqual({ from: 5, next: 15, height: HEIGHT });
    await createFar(900);
    readAgain(HEIGHT);
    await wallet.sync.refresh();
    expect(last()).toMatchObject({ startHeight: 5 });
    expect([wallet.sync.catchUp, searched()]).toEqual([undefined, 2 * 1200 + AHEAD]);
  });

  it('wait for the end of background sync', async () => {
    const keystore = wallet.keystore as { background: unknown };
    Object.defineProperty(keystore, 'background', { value: 'syncing', configurable: true });
    await createFar();
    await wallet.sync.refresh();
    expect(last()).toBeUndefined();
    expect(wallet.sync.isComplete).toBe(false);
    Object.defineProperty(keystore, 'background', { value: undefined, configurable: true });
    await wallet.sync.refresh();
    expect(last()).toMatchObject({ startHeight: 5 });
  });

  it('bring payments, which are notified of once', async () => {
    const paid = {
      received: [received(1, 7)],
      outputs: [output(1, 7, 9n, { subaddress: { major: 0, minor: 299 } })],
    };
    readAgain(HEIGHT, paid);
    await createFar();
    await wallet.sync.refresh();
    expect(wallet.store.read((r) => r.payments.byTx(bytes<Hash>(1)))).toMatchObject([{ amount: 9n }]);
    expect(wallet.incoming).toEqual([toHex(bytes<Hash>(1))]);
    expect(wallet.sync.commitAgain(page(5, 5, paid))).toBe(false);
    expect(wallet.incoming).toHaveLength(1);
  });

  it('bring nothing of blocks that the wallet does not hold', async () => {
    await createFar();
    await wallet.sync.refresh();
    const strange = page(5, 5, { hashes: Array.from({ length: 5 }, (_, i) => bytes<Hash>(90 + i)) });
    for (const found of [strange, page(HEIGHT - 1, 3)])
      expect(() => wallet.sync.commitAgain(found)).toThrow(expect.objectContaining({ kind: 'busy' }));
    expect(wallet.sync.catchUp).toEqual({ from: 5, next: 5, height: HEIGHT });
  });

  it('are searched for in all blocks by a rescan', async () => {
    await createFar();
    await wallet.sync.refresh();
    expect(wallet.sync.catchUp).toBeDefined();
    await wallet.sync.rescan(false);
    expect([wallet.sync.catchUp, searched()]).toEqual([undefined, 300 + AHEAD]);
  });
});

describe('a larger lookahead', () => {
  it('reads the blocks again, also if the process ended before', async () => {
    await readBlocks();
    await wallet.keystore.setLookahead({ major: 50, minor: 1000 });
    expect(wallet.sync.catchUp).toEqual({ from: 5, next: 5, height: HEIGHT });
    readAgain(HEIGHT);
    await wallet.sync.refresh();
    expect([wallet.sync.catchUp, searched()]).toEqual([undefined, 1000]);
  });
});
