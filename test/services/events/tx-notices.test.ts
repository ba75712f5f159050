import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TxNotices, type NoticeSource } from '../../../src/services/events/tx-notices.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { toHex } from '../../../src/util/bytes.js';
import { clearChain } from '../../support/chain/cleared-chain.js';
import { EventWorld, type WorldTx } from '../../support/wallets/event-world.js';

const KEY = new Uint8Array(32);
const PAY = { value: 5n, subaddress: { major: 0, minor: 0 } };
const PAY_OTHER = { value: 7n, subaddress: { major: 0, minor: 3 } };

let directory: string;
let path: string;
let store: WalletStore;
let world: EventWorld;
let notices: TxNotices;
let errors: unknown[];
/** Sources that wait for their turn. */
let ready: Set<NoticeSource>;
/** Transactions whose command was started. */
let started: string[];
/** Transactions whose command cannot be started. */
let broken: Set<string>;

/** Whether commands run for the history too. */
let history: boolean;

const idOf = ({ txHash }: WorldTx): string => toHex(txHash);

function startNotices(): TxNotices {
  const made = new TxNotices(
    {
      name: 'shop',
      store,
      log: {
        info: () => undefined,
        warn: () => undefined,
        error: (facts: object) => void errors.push(facts),
      },
    },
    {
      runner: {
        wake: (source) => void ready.add(source),
        remove: (source) => void ready.delete(source),
        history,
      },
    },
  );
  store.watchEvents(() => made.onEvents());
  made.start();
  return made;
}

const start = (txid: string): boolean => {
  if (broken.has(txid)) return false;
  started.push(txid);
  return true;
};

/** Starts all commands. */
function run(): void {
  for (const source of ready) while (source.startNext(start));
  ready.clear();
}

/** Opens the store again without an orderly end of its notices. */
function reopen(): void {
  notices.close();
  store.close();
  ready.clear();
  store = WalletStore.open(path, KEY);
  notices = startNotices();
}

/** Stores the blocks and the mempool of the world. */
function sync(): void {
  const from = world.forkOf((height) => store.read((r) => r.chain.hashAt(height)));
  if (from < world.blocks.length)
    store.writeRecoverable((w) => w.applyPage(world.page(from, world.blocks.length)));
  store.write((w) => {
    for (const txHash of w.pool.hashes()) w.pool.remove(txHash);
    for (const { incoming } of world.poolFindings()) if (incoming !== undefined) w.pool.add(incoming);
    w.events.poolRead();
  });
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'notices-'));
  path = join(directory, 'shop');
  [ready, started, broken, errors] = [new Set(), [], new Set(), []];
  history = false;
  store = WalletStore.create(path, KEY);
  world = new EventWorld();
  world.mine([]);
  notices = startNotices();
});

afterEach(() => {
  notices.close();
  store.close();
  rmSync(directory, { recursive: true, force: true });
});

describe('commands of incoming transactions', () => {
  it('start once for a transaction in the mempool, not again in its block, and not after a restart', () => {
    const tx = world.makeTx([PAY]);
    world.pool.push(tx);
    sync();
    run();
    expect(started).toEqual([idOf(tx)]);
    world.mine([tx]);
    sync();
    run();
    reopen();
    run();
    expect(started).toEqual([idOf(tx)]);
  });

  it('start for no history of a restored wallet, unless that is wanted', () => {
    for (const wanted of [false, true]) {
      history = wanted;
      reopen();
      started = [];
      const [before, after] = [world.makeTx([PAY]), world.makeTx([PAY])];
      world.mine([before]);
      store.write((w) => w.meta.set('arrival_height', String(world.blocks.length)));
      world.mine([after]);
      sync();
      run();
      expect(started).toEqual(wanted ? [idOf(before), idOf(after)] : [idOf(after)]);
    }
  });

  it('start once for a transaction with several payments', () => {
    const tx = world.makeTx([PAY, PAY_OTHER]);
    world.mine([tx]);
    sync();
    run();
    expect(started).toEqual([idOf(tx)]);
  });

  it('start in the order of the events', () => {
    const txs = Array.from({ length: 250 }, () => world.makeTx([PAY]));
    for (const tx of txs) world.mine([tx]);
    sync();
    run();
    expect(started).toEqual(txs.map(idOf));
  });

  it('that were pending when the process ended start after it', () => {
    const txs = [world.makeTx([PAY]), world.makeTx([PAY]), world.makeTx([PAY])];
    world.mine(txs);
    sync();
    expect(notices.startNext(start)).toBe(true);
    reopen();
    run();
    expect(started).toEqual(txs.map(idOf));
  });

  it('start again after a kill between start and record only', () => {
    const tx = world.makeTx([PAY]);
    world.mine([tx]);
    sync();
    const killed = new TxNotices(
      {
        name: 'shop',
        log: { info: () => undefined, warn: () => undefined, error: () => undefined },
        store: {
          read: store.read.bind(store),
          readCommitted: store.readCommitted.bind(store),
          writeRecoverable: () => undefined,
        } as never,
      },
      { runner: { wake: () => undefined, remove: () => undefined } },
    );
    killed.start();
    expect(killed.startNext(start)).toBe(true);
    reopen();
    run();
    reopen();
    run();
    expect(started).toEqual([idOf(tx), idOf(tx)]);
  });

  it('do not start again when a block is replaced and the transaction is mined again', () => {
    const tx = world.makeTx([PAY]);
    world.mine([tx]);
    sync();
    run();
    world.undo(1);
    world.mine([]);
    world.mine([tx]);
    sync();
    run();
    expect(started).toEqual([idOf(tx)]);
  });

  it('do not start again after a rescan that reports other facts', () => {
    const tx = world.makeTx([PAY]);
    world.mine([tx]);
    sync();
    run();
    store.write((w) => clearChain(w, { hard: true }));
    world.undo(1);
    world.mine([]);
    world.mine([tx]);
    sync();
    run();
    expect(store.read((r) => r.events.after(0, 100, ['payment.mined']))).toHaveLength(2);
    expect(started).toEqual([idOf(tx)]);
  });

  it('do not start for payments of before the first use, also when these are reversed and mined again', () => {
    notices.close();
    store.write((w) => w.meta.remove('notify_position'));
    const [old, seen, fresh] = [world.makeTx([PAY]), world.makeTx([PAY]), world.makeTx([PAY])];
    world.mine([old]);
    world.pool.push(seen);
    sync();
    reopen();
    run();
    world.undo(1);
    world.mine([]);
    world.mine([old, seen, fresh]);
    sync();
    run();
    expect(started).toEqual([idOf(fresh)]);
  });

  it('do not start for an own transfer that pays nobody but its change', () => {
    const paid = world.makeTx([PAY]);
    world.mine([paid]);
    const [input] = paid.outputs;
    world.mine([world.makeTx([PAY], input === undefined ? {} : { input })]);
    sync();
    run();
    expect(started).toEqual([idOf(paid)]);
  });

  it('that cannot be started hold up no other, and start when the wallet is opened again', () => {
    const [first, second, third] = [world.makeTx([PAY]), world.makeTx([PAY]), world.makeTx([PAY])];
    broken.add(idOf(first));
    world.mine([first, second]);
    sync();
    run();
    expect(started).toEqual([idOf(second)]);
    world.undo(1);
    world.mine([]);
    world.mine([first, second, third]);
    broken.clear();
    reopen();
    sync();
    run();
    expect(started).toEqual([second, first, third].map(idOf));
    reopen();
    run();
    expect(started).toHaveLength(3);
  });

  it('do not start again when their record fails, and are recorded with the next one', () => {
    const [first, second] = [world.makeTx([PAY]), world.makeTx([PAY])];
    world.mine([first, second]);
    sync();
    const writeRecoverable = store.writeRecoverable.bind(store);
    store.writeRecoverable = () => {
      throw new Error('disk full');
    };
    expect(notices.startNext(start)).toBe(true);
    expect(errors).toHaveLength(1);
    store.writeRecoverable = writeRecoverable;
    run();
    reopen();
    run();
    expect(started).toEqual([first, second].map(idOf));
  });

  it('do not start once the wallet is closed', () => {
    world.mine([world.makeTx([PAY])]);
    sync();
    notices.close();
    expect(ready.size).toBe(0);
    expect(notices.startNext(start)).toBe(false);
    notices.onEvents();
    expect(ready.size).toBe(0);
    expect(started).toEqual([]);
  });
});
