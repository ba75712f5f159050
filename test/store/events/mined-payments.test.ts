import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash, KeyImage } from '../../../src/monero/crypto/types.js';
import { EventIds } from '../../../src/store/file/event-ids.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { amount } from '../../../src/util/amount.js';
import { inTrace } from '../../../src/util/trace.js';
import { EVENT_TYPES, type EventType, type WalletEvent } from '../../../src/model/events.js';
import type { FoundOutgoing, OwnedOutput, PageFindings } from '../../../src/monero/wallet/scan/findings.js';
import { bytes, output, page, received } from '../fixtures.js';

let file: WalletStore;

beforeEach(() => {
  file = WalletStore.create(':memory:', new Uint8Array(32));
});

const events = (types?: readonly EventType[]): WalletEvent[] =>
  file.read((r) => r.events.after(0, 1000, types));
const names = (): string[] => events().map(({ type }) => type);

describe('a page of blocks', () => {
  it('reports a payment with its block', () => {
    file.write((w) => w.applyPage(page(0, 3, { received: [received(1, 2)], outputs: [output(1, 2, 50n)] })));
    expect(events(['payment.mined'])).toMatchObject([
      {
        type: 'payment.mined',
        data: {
          txHash: bytes<Hash>(1),
          subaddress: { major: 0, minor: 0 },
          amount: 50n,
          height: 2,
          timestamp: 1002,
          unlockTime: 0n,
          coinbase: false,
        },
      },
    ]);
  });

  it('has its latest events first, with the stages of a payment among those of its types', () => {
    file.write((w) => w.applyPage(page(0, 3, { received: [received(1, 2)], outputs: [output(1, 2, 50n)] })));
    file.write((w) => w.applyPage(page(3, 20)));
    file.writeRecoverable((w) => w.events.synced(23));
    const latest = (limit: number, types: readonly EventType[]): number[] =>
      file.read((r) => r.events.latest(limit, types)).map(({ id }) => id);
    const newest = (types?: readonly EventType[]): number[] =>
      events(types)
        .map(({ id }) => id)
        .reverse();
    expect(names()).toContain('payment.unlocked');
    expect(latest(100, EVENT_TYPES)).toEqual(newest());
    expect(latest(3, EVENT_TYPES)).toEqual(newest().slice(0, 3));
    for (const types of [['payment.confirmed'], ['payment.mined'], ['wallet.synced', 'payment.unlocked']])
      expect(latest(9, types as EventType[])).toEqual(newest(types as EventType[]));
  });

  it('has the stages that earlier payments reach by height, hash and address, with the facts of each payment', () => {
    const at = (tx: number, height: number, minor: number, facts: Partial<OwnedOutput> = {}) =>
      output(tx, height, BigInt(tx), { subaddress: { major: 0, minor }, ...facts });
    const paymentId = new Uint8Array(8).fill(0xab);
    const coinbase = { unlockTime: 62n, coinbase: true };
    file.write((w) =>
      w.applyPage(
        page(0, 4, {
          received: [
            { ...received(9, 1), paymentId },
            received(3, 1),
            { ...received(5, 2), ...coinbase },
            received(1, 3),
          ],
          outputs: [at(9, 1, 0), at(3, 1, 1), at(5, 2, 0, coinbase), at(1, 3, 2)],
        }),
      ),
    );
    const before = events().at(-1)?.id ?? 0;
    file.write((w) => w.applyPage(page(4, 80)));
    const reached = events().filter(({ id }) => id > before);
    expect(
      reached.map(({ type, data }) => [
        type,
        'txHash' in data && data.txHash,
        'coinbase' in data && data.coinbase,
      ]),
    ).toEqual([
      ...[3, 9].flatMap((tx) => [
        ['payment.confirmed', bytes(tx), false],
        ['payment.unlocked', bytes(tx), false],
      ]),
      ['payment.confirmed', bytes(5), true],
      ['payment.unlocked', bytes(5), true],
      ['payment.confirmed', bytes(1), false],
      ['payment.unlocked', bytes(1), false],
    ]);
    expect(reached[2]?.data).toMatchObject({ paymentId, unlockTime: 0n });
    expect(reached[4]?.data).toMatchObject({ unlockTime: 62n, confirmations: 10 });
    expect(reached[0]?.data).not.toHaveProperty('paymentId');
    expect(file.read((r) => r.events.last())).toBe(reached.at(-1)?.id);
  });

  it('reports one payment for each address that a transaction pays', () => {
    const at = { major: 1, minor: 2 };
    file.write((w) =>
      w.applyPage(
        page(0, 1, {
          received: [received(1, 0)],
          outputs: [
            output(1, 0, 5n),
            output(1, 0, 7n, { outputIndex: 1, publicKey: bytes(201), keyImage: bytes(201) }),
            output(1, 0, 9n, { outputIndex: 2, publicKey: bytes(202), keyImage: bytes(202), subaddress: at }),
          ],
        }),
      ),
    );
    expect(events(['payment.mined'])).toMatchObject([
      { data: { amount: 12n, subaddress: { major: 0, minor: 0 } } },
      { data: { amount: 9n, subaddress: at } },
    ]);
  });

  it('reports payments in the order in which its block has them, in whatever order their outputs are listed', () => {
    const paid = [2, 1, 3].map((tx) => ({ tx: received(tx, 0), output: output(tx, 0, BigInt(tx)) }));
    const found = page(0, 1, {
      received: paid.map(({ tx }) => tx),
      outputs: paid.map(({ output: one }) => one),
    });
    file.write((w) => w.applyPage(found));
    const hashes = (): unknown[] =>
      events(['payment.mined']).map(({ data }) => 'txHash' in data && data.txHash);
    expect(hashes()).toEqual([2, 1, 3].map((tx) => bytes<Hash>(tx)));
    file.close();
    file = WalletStore.create(':memory:', new Uint8Array(32));
    file.write((w) => w.applyPage({ ...found, outputs: [...found.outputs].reverse() }));
    expect(hashes()).toHaveLength(3);
  });

  it('reports no payment for change, and none for an output that credits nothing', () => {
    file.write((w) =>
      w.applyPage(
        page(0, 2, {
          received: [received(1, 0), received(2, 0), received(3, 1)],
          outputs: [
            output(1, 0, 5n, { change: true }),
            output(2, 0, 9n),
            output(3, 1, 8n, { publicKey: bytes(102), keyImage: bytes(102) }),
          ],
        }),
      ),
    );
    expect(events(['payment.mined'])).toMatchObject([{ data: { txHash: bytes<Hash>(2), amount: 9n } }]);
  });

  it('corrects a payment whose credited amount changes with a later output on its key', () => {
    file.write((w) => w.applyPage(page(0, 1, { received: [received(1, 0)], outputs: [output(1, 0, 5n)] })));
    const found = output(2, 1, 9n, { publicKey: bytes(101), keyImage: bytes(101) });
    file.write((w) => w.applyPage(page(1, 1, { received: [received(2, 1)], outputs: [found] })));
    const sum = events()
      .map(({ type, data }) =>
        type === 'payment.mined' ? data.amount : type === 'payment.reversed' ? -data.amount : 0n,
      )
      .reduce((a, b) => a + b, 0n);
    expect(sum).toBe(9n);
  });

  it('reports each stage that several payments reach with it in a row of its own', () => {
    const txs = [1, 2, 3];
    const found = { received: txs.map((tx) => received(tx, 0)), outputs: txs.map((tx) => output(tx, 0, 5n)) };
    file.write((w) => w.applyPage(page(0, 1, found)));
    const rows = file.write((w) => {
      const before = w.events.appended;
      w.applyPage(page(1, 9));
      return w.events.appended - before;
    });
    expect(rows).toBe(6);
    expect(events(['payment.unlocked'])).toHaveLength(3);
  });

  it('of one block reports one confirmation of its payments, as the first block of the chain too', () => {
    file = WalletStore.create(':memory:', new Uint8Array(32), undefined, undefined, {
      ...{ ids: new EventIds(), confirmations: [1, 2, 3] },
    });
    const confirmations = (): unknown[] =>
      events(['payment.confirmed']).map(({ data }) => ('confirmations' in data ? data.confirmations : 0));
    file.write((w) => w.applyPage(page(0, 1, { received: [received(1, 0)], outputs: [output(1, 0, 5n)] })));
    expect(confirmations()).toEqual([1]);
    file.write((w) => w.applyPage(page(1, 1)));
    expect(confirmations()).toEqual([1, 2]);
  });

  it('reports a spend with the amount that left the wallet', () => {
    file.write((w) => w.applyPage(page(0, 1, { received: [received(1, 0)], outputs: [output(1, 0, 50n)] })));
    const outgoing: FoundOutgoing = {
      ...{ txHash: bytes<Hash>(9), height: 1, timestamp: 1, account: 0, fromIndices: [0], unlockTime: 0n },
      ...{ amountIn: amount(50n), change: amount(20n), fee: amount(1n) },
    };
    const other = { ...outgoing, txHash: bytes<Hash>(8), amountIn: amount(30n), change: amount(7n) };
    file.write((w) =>
      w.applyPage(
        page(1, 1, {
          received: [received(9, 1), received(8, 1)],
          outputs: [output(9, 1, 20n, { change: true }), output(8, 1, 7n, { change: true })],
          spends: [{ keyImage: bytes<KeyImage>(101), txHash: bytes<Hash>(9), height: 1 }],
          outgoing: [outgoing, other],
        }),
      ),
    );
    expect(events(['transfer.mined'])).toMatchObject([
      { data: { txHash: bytes<Hash>(9), account: 0, amountIn: 50n, change: 20n, fee: 1n, height: 1 } },
      { data: { txHash: bytes<Hash>(8), amountIn: 30n, change: 7n } },
    ]);
  });

  it('keeps payment id, unlock time and the flag of a miner transaction', () => {
    const tx = { ...received(1, 0), unlockTime: 60n, coinbase: true, paymentId: new Uint8Array(8).fill(3) };
    file.write((w) =>
      w.applyPage(
        page(0, 1, { received: [tx], outputs: [output(1, 0, 5n, { unlockTime: 60n, coinbase: true })] }),
      ),
    );
    expect(events()[0]).toMatchObject({
      data: { unlockTime: 60n, coinbase: true, paymentId: new Uint8Array(8).fill(3) },
    });
  });

  it('reports nothing if the transaction is rolled back, neither then nor later', () => {
    expect(() =>
      file.write((w) => {
        w.applyPage(page(0, 3, { received: [received(1, 2)], outputs: [output(1, 2, 50n)] }));
        throw new Error('stop');
      }),
    ).toThrow('stop');
    file.write((w) => w.applyPage(page(0, 1)));
    expect(events()).toEqual([]);
  });

  it('reports what a page adds that is stored after one that failed', () => {
    const paid = { received: [received(1, 0)], outputs: [output(1, 0, 50n)] };
    file.write((w) => w.applyPage(page(0, 9, paid)));
    const large = output(1, 0, 1n << 63n, { outputIndex: 1, publicKey: bytes(201), keyImage: bytes(201) });
    const add = (more: Partial<PageFindings>): void =>
      file.write((w) => w.addFound({ ...page(0, 0), ...more }));
    const before = events().length;
    expect(() => add({ received: paid.received, outputs: [large] })).toThrow();
    file.write((w) => w.applyPage(page(9, 1)));
    expect(names().slice(before)).toEqual(['payment.confirmed', 'payment.unlocked']);
    expect(() =>
      file.write((w) => w.applyPage(page(10, 5, { received: [received(2, 12)], outputs: [large] }))),
    ).toThrow();
    const found = { received: [received(2, 12)], outputs: [output(2, 12, 7n)] };
    add(found);
    add(found);
    expect(names().slice(before + 2)).toEqual(['payment.mined']);
  });

  it('wakes readers after the commit, and only if it appended events', () => {
    const heights: (number | undefined)[] = [];
    file.watchEvents(() => heights.push(file.read((r) => r.chain.tip()?.height)));
    file.write((w) => w.applyPage(page(0, 1)));
    expect(heights).toEqual([]);
    file.write((w) => w.applyPage(page(1, 1, { received: [received(1, 1)], outputs: [output(1, 1, 50n)] })));
    expect(heights).toEqual([1]);
  });
});

describe('a list of events', () => {
  beforeEach(() => {
    for (const height of [0, 1, 2])
      file.write((w) =>
        w.applyPage(
          page(height, 1, {
            received: [received(height + 1, height)],
            outputs: [output(height + 1, height, 5n)],
          }),
        ),
      );
  });

  it('continues behind any cursor without a gap or a repetition', () => {
    const all = events();
    expect(names()).toEqual(Array(3).fill(['payment.mined', 'payment.confirmed']).flat());
    for (const limit of [1, 2, 3]) {
      const read: WalletEvent[] = [];
      for (;;) {
        const next = file.read((r) => r.events.after(read.at(-1)?.id ?? 0, limit));
        if (next.length === 0) break;
        read.push(...next);
      }
      expect(read).toEqual(all);
    }
    expect(file.read((r) => r.events.last())).toBe(all.at(-1)?.id);
  });

  it('holds the wanted types only', () => {
    expect(events(['payment.confirmed']).map(({ type }) => type)).toEqual(Array(3).fill('payment.confirmed'));
    expect(events(['wallet.synced'])).toEqual([]);
  });

  it('knows the trace of the call that caused an event', async () => {
    const traceId = 'ab'.repeat(16);
    const trace = { traceId, sampled: true, traceparent: `00-${traceId}-${'cd'.repeat(8)}-01` };
    const synced = (height: number): number => {
      file.write((w) => w.events.synced(height));
      return file.read((r) => r.events.last());
    };
    const during = await inTrace(trace, () => Promise.resolve(synced(3)));
    const later = synced(4);
    expect(file.read((r) => [during, later].map((id) => r.events.traceOf(id)))).toEqual([
      { traceId, sampled: true },
      undefined,
    ]);
  });

  it('has increasing ids, and safe ones', () => {
    const ids = events().map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    expect(ids.every(Number.isSafeInteger)).toBe(true);
  });
});
