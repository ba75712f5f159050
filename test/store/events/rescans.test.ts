import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { EventIds } from '../../../src/store/file/event-ids.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { amount } from '../../../src/util/amount.js';
import type { MinedPaymentFacts, WalletEvent } from '../../../src/model/events.js';
import type { FoundOutgoing, PoolTx } from '../../../src/monero/wallet/scan/findings.js';
import type { OutgoingTx } from '../../../src/monero/wallet/build/outgoing-tx.js';
import { bytes, output, page, received } from '../fixtures.js';
import { clearChain } from '../../support/chain/cleared-chain.js';

const KEY = new Uint8Array(32);

let directory: string;
let file: WalletStore;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rescans-'));
  file = WalletStore.create(join(directory, 'w'), KEY);
});

afterEach(() => {
  file.close();
  rmSync(directory, { recursive: true, force: true });
});

const chain = page(0, 30, {
  received: [received(1, 2), received(2, 25)],
  outputs: [output(1, 2, 50n), output(2, 25, 7n)],
});

const after = (id: number): WalletEvent[] => file.read((r) => r.events.after(id, 1000));
const last = (): number => file.read((r) => r.events.last());

const pooled = (tx: number): PoolTx => ({
  ...{ txHash: bytes<Hash>(tx), timestamp: 1, unlockTime: 0n, fee: amount(1n), doubleSpendSeen: false },
  outputs: [{ outputIndex: 0, amount: amount(5n), subaddress: { major: 0, minor: 0 } }],
});

/** Reads a mempool with some transactions. */
const readPool = (...txs: readonly PoolTx[]): void =>
  file.write((w) => {
    w.pool.clear();
    for (const tx of txs) w.pool.add(tx);
    w.events.poolRead();
  });

describe('a rescan', () => {
  beforeEach(() => file.write((w) => w.applyPage(chain)));

  it('reports nothing that is still true, even after a restart within it', () => {
    const cursor = last();
    file.write((w) => clearChain(w, { hard: true }));
    file.write((w) =>
      w.applyPage({
        ...chain,
        hashes: chain.hashes.slice(0, 10),
        received: [received(1, 2)],
        outputs: [output(1, 2, 50n)],
      }),
    );
    file.close();
    file = WalletStore.open(join(directory, 'w'), KEY);
    file.write((w) =>
      w.applyPage(page(10, 20, { received: [received(2, 25)], outputs: [output(2, 25, 7n)] })),
    );
    expect(after(cursor)).toEqual([]);
  });

  it('continues with the stages that were not reached before', () => {
    const cursor = last();
    file.write((w) => clearChain(w, { hard: false }));
    file.write((w) => w.applyPage({ ...chain, hashes: page(0, 40).hashes }));
    expect(after(cursor)).toMatchObject([
      { type: 'payment.confirmed', data: { txHash: bytes<Hash>(2), confirmations: 10 } },
      { type: 'payment.unlocked', data: { txHash: bytes<Hash>(2) } },
    ]);
  });

  it('reverses a payment once it has passed its height without it', () => {
    const [mined] = after(0);
    const cursor = last();
    file.write((w) => clearChain(w, { hard: false }));
    file.write((w) => w.applyPage(page(0, 2)));
    expect(after(cursor)).toEqual([]);
    file.write((w) => w.applyPage(page(2, 1)));
    expect(after(cursor)).toMatchObject([
      { type: 'payment.reversed', data: { txHash: bytes<Hash>(1), reverses: mined?.id, reason: 'rescan' } },
    ]);
  });

  it('reverses a payment of the first block that is no longer there', () => {
    const first = { received: [received(3, 0)], outputs: [output(3, 0, 4n)] };
    file.write((w) => w.applyPage(page(0, 30, first)));
    const cursor = last();
    file.write((w) => clearChain(w, { hard: false }));
    file.write((w) => w.applyPage(page(0, 1)));
    expect(after(cursor)).toMatchObject([
      { type: 'payment.reversed', data: { txHash: bytes<Hash>(3), height: 0, reason: 'rescan' } },
    ]);
  });

  it('replaces a payment with another amount', () => {
    const cursor = last();
    file.write((w) => clearChain(w, { hard: false }));
    file.write((w) => w.applyPage({ ...chain, outputs: [output(1, 2, 60n), output(2, 25, 7n)] }));
    expect(after(cursor).slice(0, 2)).toMatchObject([
      { type: 'payment.reversed', data: { amount: 50n, reason: 'rescan' } },
      { type: 'payment.mined', data: { amount: 60n } },
    ]);
  });
});

describe('a rescan that has not caught up', () => {
  beforeEach(() => {
    file.write((w) => w.applyPage(chain));
    file.write((w) => clearChain(w, { hard: false }));
  });

  const types = (id: number): string[] => after(id).map(({ type }) => type);

  it('reports the stages of a payment that was not found before when it has read the blocks', () => {
    const cursor = last();
    const found = {
      received: [received(1, 2), received(3, 3)],
      outputs: [output(1, 2, 50n), output(3, 3, 9n)],
    };
    file.write((w) => w.applyPage(page(0, 5, found)));
    expect(types(cursor)).toEqual(['payment.mined', 'payment.confirmed']);
    const stages = (blocks: number): [string, Hash | undefined][] => {
      const before = last();
      file.write((w) => w.applyPage(page(file.height(), blocks)));
      return after(before).map(({ type, data }) => [type, (data as Partial<MinedPaymentFacts>).txHash]);
    };
    expect(stages(7)).toEqual([]);
    const found3 = bytes<Hash>(3);
    expect(stages(1)).toEqual([
      ['payment.confirmed', found3],
      ['payment.unlocked', found3],
    ]);
    expect(stages(10).filter(([, hash]) => hash === found3)).toEqual([]);
  });

  it('reverses a payment that is in the mempool again, before it reports it there', () => {
    const cursor = last();
    readPool(pooled(1));
    expect(after(cursor)).toMatchObject([
      { type: 'payment.reversed', data: { txHash: bytes<Hash>(1), height: 2, reason: 'rescan' } },
      { type: 'payment.seen', data: { txHash: bytes<Hash>(1) } },
    ]);
  });

  it('reverses payments of replaced blocks that it has not reached', () => {
    const found = { received: [received(1, 2)], outputs: [output(1, 2, 50n)] };
    file.write((w) => w.applyPage(page(0, 20, found)));
    const cursor = last();
    file.write((w) => w.applyPage(page(15, 6)));
    expect(after(cursor)).toMatchObject([
      { type: 'wallet.reorganised', data: { fromHeight: 15, depth: 5 } },
      { type: 'payment.reversed', data: { txHash: bytes<Hash>(2), height: 25, reason: 'reorganised' } },
    ]);
  });

  it('decides on no payment of the mempool', () => {
    readPool(pooled(4));
    const cursor = last();
    const found = { received: [received(1, 2)], outputs: [output(1, 2, 50n)] };
    file.write((w) => w.applyPage(page(0, 5, found)));
    readPool();
    for (const height of [5, 6, 7]) {
      file.write((w) => w.applyPage(page(height, 1)));
      readPool();
    }
    expect(after(cursor)).toEqual([]);
  });
});

describe('a rescan of transfers', () => {
  const transfer: OutgoingTx = {
    ...{ txHash: bytes<Hash>(9), state: 'prepared', account: 0, fromIndices: [0], unlockTime: 0n },
    ...{ amountIn: amount(50n), change: amount(20n), fee: amount(1n), timestamp: 1, blob: Uint8Array.of(1) },
    destinations: [],
  };

  /** Rescans a wallet with the unmined transfer. @returns the last event before the rescan. */
  const rescanned = (): number => {
    file.write((w) => w.applyPage(chain));
    file.write((w) => w.prepare(transfer, [{ txHash: bytes<Hash>(1), outputIndex: 0 }], []));
    file.write((w) => w.markPending(transfer.txHash));
    const cursor = last();
    file.write((w) => clearChain(w, { hard: true }));
    file.write((w) => w.applyPage(chain));
    return cursor;
  };

  it('fails an unmined transfer that neither the chain nor the mempool holds any more', () => {
    const cursor = rescanned();
    expect(after(cursor)).toEqual([]);
    readPool();
    expect(after(cursor)).toMatchObject([
      { type: 'transfer.failed', data: { txHash: transfer.txHash, change: 20n, reason: 'rescan' } },
    ]);
  });

  it('fails an unmined transfer once that is sent again and fails before the mempool was read', () => {
    const cursor = rescanned();
    file.write((w) => w.prepare(transfer, [{ txHash: bytes<Hash>(1), outputIndex: 0 }], []));
    file.write((w) => w.fail(transfer.txHash));
    readPool();
    expect(after(cursor)).toMatchObject([
      { type: 'transfer.failed', data: { txHash: transfer.txHash, reason: 'dropped' } },
    ]);
  });

  it('fails an unmined transfer that is sent again and refused', () => {
    const cursor = rescanned();
    file.write((w) => w.prepare(transfer, [{ txHash: bytes<Hash>(1), outputIndex: 0 }], []));
    file.write((w) => w.refuseAgain(transfer.txHash));
    readPool();
    expect(after(cursor)).toMatchObject([
      { type: 'transfer.failed', data: { txHash: transfer.txHash, reason: 'rescan' } },
    ]);
  });

  it('says nothing of an unmined transfer that the mempool still holds', () => {
    const cursor = rescanned();
    file.write((w) => w.addPending(transfer));
    readPool();
    expect(after(cursor)).toEqual([]);
  });

  it('reports a transfer that is relayed before the mempool was read', () => {
    const cursor = rescanned();
    const other = { ...transfer, txHash: bytes<Hash>(8) };
    file.write((w) => w.prepare(other, [{ txHash: bytes<Hash>(2), outputIndex: 0 }], []));
    file.write((w) => w.markPending(other.txHash));
    expect(after(cursor)).toMatchObject([{ type: 'transfer.relayed', data: { txHash: other.txHash } }]);
  });

  const mined: FoundOutgoing = {
    ...{ txHash: bytes<Hash>(9), height: 26, timestamp: 1, account: 0, fromIndices: [0], unlockTime: 0n },
    ...{ amountIn: amount(50n), change: amount(0n), fee: amount(1n) },
  };

  it.each<[string, Partial<FoundOutgoing>]>([
    ['height', { height: 27 }],
    ['spent amount', { amountIn: amount(57n) }],
    ['account', { account: 1 }],
  ])('reports a mined transfer again that has another %s', (_, facts) => {
    file.write((w) => w.applyPage({ ...chain, outgoing: [mined] }));
    const cursor = last();
    file.write((w) => clearChain(w, { hard: false }));
    file.write((w) => w.applyPage({ ...chain, outgoing: [{ ...mined, ...facts }] }));
    expect(after(cursor)).toMatchObject([
      { type: 'transfer.mined', data: { txHash: mined.txHash, ...facts } },
    ]);
  });

  it('reports a mined transfer again that has other change', () => {
    file.write((w) => w.applyPage({ ...chain, outgoing: [mined] }));
    const cursor = last();
    file.write((w) => clearChain(w, { hard: false }));
    const change = output(9, 26, 8n, { change: true });
    const found = { received: [...chain.received, received(9, 26)], outputs: [...chain.outputs, change] };
    file.write((w) => w.applyPage({ ...chain, ...found, outgoing: [mined] }));
    expect(after(cursor)).toMatchObject([{ type: 'transfer.mined', data: { change: 8n } }]);
  });

  it('says nothing of a mined transfer that can be relayed again', () => {
    file.write((w) => w.applyPage(chain));
    file.write((w) => w.prepare(transfer, [{ txHash: bytes<Hash>(1), outputIndex: 0 }], []));
    file.write((w) => w.applyPage(page(30, 1, { outgoing: [{ ...mined, height: 30 }] })));
    const cursor = last();
    file.write((w) => clearChain(w, { hard: false }));
    file.write((w) => w.applyPage({ ...chain, hashes: page(0, 31).hashes }));
    expect(after(cursor)).toEqual([]);
  });

  it('fails a transfer in replaced blocks that it has not reached', () => {
    file.write((w) => w.applyPage({ ...chain, outgoing: [mined] }));
    file.write((w) => clearChain(w, { hard: false }));
    const found = { received: [received(1, 2)], outputs: [output(1, 2, 50n)] };
    file.write((w) => w.applyPage(page(0, 20, found)));
    const cursor = last();
    file.write((w) => w.applyPage(page(15, 6)));
    expect(after(cursor).at(-1)).toMatchObject({ type: 'transfer.failed', data: { reason: 'reorganised' } });
  });

  it.each([0, 10])('fails a mined transfer once it has passed its height %d without it', (height) => {
    const found: FoundOutgoing = { ...mined, height };
    file.write((w) => w.applyPage({ ...chain, outgoing: [found] }));
    const cursor = last();
    file.write((w) => clearChain(w, { hard: false }));
    file.write((w) => w.applyPage({ ...chain, outgoing: [found] }));
    expect(after(cursor)).toEqual([]);
    file.write((w) => clearChain(w, { hard: false }));
    const below = { received: [received(1, 2)], outputs: [output(1, 2, 50n)] };
    if (height > 0) file.write((w) => w.applyPage(page(0, height, below)));
    expect(after(cursor)).toEqual([]);
    file.write((w) => w.applyPage(page(height, 1)));
    expect(after(cursor)).toMatchObject([{ type: 'transfer.failed', data: { reason: 'rescan' } }]);
  });
});

describe('a store without events', () => {
  it('reports its contents when it is opened, once, with ids above those of other wallets', () => {
    file.write((w) => w.meta.remove('events'));
    file.write((w) => w.applyPage(chain));
    file.write((w) => w.pool.add(pooled(3)));
    expect(after(0)).toEqual([]);
    const ids = new EventIds({ clock: { now: () => 2_000_000_000_000 } });
    const other = ids.take(1);
    for (let i = 0; i < 2; i++) {
      file.close();
      file = WalletStore.open(join(directory, 'w'), KEY, undefined, { ids, confirmations: [1, 10] });
      expect(
        after(other).map(({ type, data }) =>
          'confirmations' in data ? `${type} ${data.confirmations}` : type,
        ),
      ).toEqual([
        'payment.mined',
        'payment.confirmed 1',
        'payment.confirmed 10',
        'payment.unlocked',
        'payment.mined',
        'payment.confirmed 1',
        'payment.seen',
      ]);
    }
  });
});

describe('expired events', () => {
  it('are deleted oldest first, in steps, and a cursor below them can be recognised', () => {
    let now = 1_000_000;
    file.close();
    const ids = new EventIds({ clock: { now: () => now } });
    file = WalletStore.open(join(directory, 'w'), KEY, undefined, { ids, confirmations: [1, 10] });
    for (let height = 0; height < 4; height++) {
      now += 1000;
      const found = { received: [received(height + 1, height)], outputs: [output(height + 1, height, 5n)] };
      file.write((w) => w.applyPage(page(height, 1, found)));
    }
    const all = after(0);
    expect(file.read((r) => r.events.expiredUpTo())).toBe(0);
    expect(file.write((w) => w.events.expire(1_002_999_999, 2))).toBe(true);
    expect(file.read((r) => r.events.expiredUpTo())).toBe(all[1]?.id);
    expect(file.write((w) => w.events.expire(1_002_999_999, 10))).toBe(false);
    expect(after(0)).toEqual(all.slice(4));
    expect(file.write((w) => w.events.expire(2_000_000_000, 10))).toBe(false);
    expect(after(0)).toEqual([]);
    expect(last()).toBe(all.at(-1)?.id);
  });
});
