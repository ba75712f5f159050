import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WalletError } from '../../../src/model/wallet-error.js';
import type { WalletReader } from '../../../src/store/wallet-reader.js';
import { RequestMeter } from '../../../src/watch/metrics/request-meter.js';
import { TestWallet } from '../../support/wallets/test-wallet.js';

type Shown = ReturnType<WalletReader['events']['after']>[number];

/** A store that has the given events of requests. */
const shop = (events: { id: number; type: string; received?: bigint }[]) => {
  const shown = events.map(
    ({ id, type, received = 0n }) => ({ id, type, data: { received } }) as unknown as Shown,
  );
  const state = { reads: 0, version: 1, shown, isDamaged: false };
  const store = {
    get version() {
      return state.version;
    },
    read<T>(task: (r: WalletReader) => T): T {
      if (state.isDamaged) throw new WalletError({ kind: 'wallet_corrupt', name: 'w', reason: 'damaged' });
      state.reads += 1;
      const reader = {
        last: () => Math.max(0, ...state.shown.map(({ id }) => id)),
        after: (id: number, limit: number) => state.shown.filter((event) => event.id > id).slice(0, limit),
      };
      return task({ events: reader } as unknown as WalletReader);
    },
  };
  return { store: store as TestWallet['store'], state };
};

const more = (...types: string[]): Shown[] =>
  types.map((type, i) => ({ id: 10 + i, type, data: { received: 5n } }) as unknown as Shown);

describe('the meter of payment requests', () => {
  let meter: RequestMeter;

  beforeEach(() => {
    meter = new RequestMeter();
  });

  it('counts the changes after its first reading, and the money of paid requests', async () => {
    const { store, state } = shop([{ id: 1, type: 'request.paid', received: 7n }]);
    const wallet = { store };
    expect(await meter.read(wallet)).toMatchObject({ changes: new Map(), paid: 0n });
    state.shown.push(...more('request.paid', 'request.late', 'request.paid', 'request.reversed'));
    state.version += 1;
    const tally = await meter.read(wallet);
    expect(tally?.changes).toEqual(
      new Map([
        ['paid', 2],
        ['late', 1],
        ['reversed', 1],
      ]),
    );
    expect(tally?.paid).toBe(10n);
  });

  it('reads no store again that has not changed, and each event once', async () => {
    const { store, state } = shop([]);
    const wallet = { store };
    await meter.read(wallet);
    const { reads } = state;
    await meter.read(wallet);
    expect(state.reads).toBe(reads);
    state.shown.push(...more(...Array.from({ length: 1200 }, () => 'request.seen')));
    state.version += 1;
    expect((await meter.read(wallet))?.changes.get('seen')).toBe(1200);
    state.version += 1;
    expect((await meter.read(wallet))?.changes.get('seen')).toBe(1200);
  });

  it('has no tally of a store that cannot be read', async () => {
    const { store, state } = shop([]);
    state.isDamaged = true;
    expect(await meter.read({ store })).toBeUndefined();
  });
});

describe('the figures of orders', () => {
  let wallet: TestWallet;

  beforeEach(() => {
    wallet = new TestWallet();
  });
  afterEach(() => wallet.close());

  it('are absent without orders', () => {
    expect(wallet.store.read((r) => r.orders.figures())).toBeUndefined();
  });
});
