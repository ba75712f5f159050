import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash, KeyImage } from '../../../src/monero/crypto/types.js';
import type { WalletEvent } from '../../../src/model/events.js';
import type { FoundOutgoing, PageFindings } from '../../../src/monero/wallet/scan/findings.js';
import type { OutgoingTx } from '../../../src/monero/wallet/build/outgoing-tx.js';
import { withdrawSpend } from '../../../src/store/recorded-spends.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { amount } from '../../../src/util/amount.js';
import { bytes, output, page, received } from '../fixtures.js';

let store: WalletStore;
let last: number;

beforeEach(() => {
  last = 0;
  store = WalletStore.create(':memory:', new Uint8Array(32), (w) => w.applyPage(page(0, 5)));
});

afterEach(() => store.close());

/** Events since the last call. */
function fresh(): WalletEvent[] {
  const events = store.read((r) => r.events.after(last, 1000));
  last = events.at(-1)?.id ?? last;
  return events;
}

/** Types and facts of the events since the last call. */
const news = (): unknown[] => fresh().map(({ type, data }) => ({ type, ...data }));

const addFound = (more: Partial<PageFindings>): void =>
  store.write((w) => w.addFound({ ...page(0, 0), ...more }));
const addPage = (...given: Parameters<typeof page>): void => store.write((w) => w.applyPage(page(...given)));

/** Facts of a transfer that spends 50 units. */
const outgoingAt = (height: number): FoundOutgoing => ({
  ...{ txHash: bytes<Hash>(9), height, timestamp: 1, account: 0, fromIndices: [0], unlockTime: 0n },
  ...{ amountIn: amount(50n), change: amount(0n), fee: amount(1n) },
});

/** Findings of a transfer that spends the output of transaction 1. */
const spentAt = (height: number): Partial<PageFindings> => ({
  spends: [{ keyImage: bytes<KeyImage>(101), txHash: bytes<Hash>(9), height }],
  outgoing: [outgoingAt(height)],
});

describe('a write that fails', () => {
  const failing = (change: Parameters<typeof store.write>[0]): void =>
    expect(() =>
      store.write((w) => {
        change(w);
        throw new Error('the disk is full');
      }),
    ).toThrow('the disk is full');

  it('of a page causes no event, nor does a shorter page after it for a transaction that was found above that', () => {
    const found = { received: [received(1, 7)], outputs: [output(1, 7, 5n)] };
    addFound(found);
    expect(news()).toMatchObject([{ type: 'payment.mined', height: 7 }]);
    failing((w) => w.applyPage(page(5, 4, found)));
    addPage(5, 1);
    expect(news()).toEqual([]);
    addPage(6, 3, found);
    expect(news()).toMatchObject([{ type: 'payment.confirmed', height: 7, confirmations: 1 }]);
  });

  it('causes no event for a transaction whose block it had replaced, nor does the next write', () => {
    const found = { received: [received(1, 5)], outputs: [output(1, 5, 5n)] };
    addPage(5, 1, found);
    fresh();
    failing((w) => {
      w.applyPage(page(5, 1));
      w.events.touch(bytes<Hash>(1));
    });
    store.write(() => undefined);
    addPage(6, 1);
    expect(news()).toEqual([]);
  });
});

describe('a transaction that is scanned again', () => {
  it('is reported again at the address alone at which it pays more than before', () => {
    const at = (major: number, minor: number) => ({ subaddress: { major, minor } });
    const key = (outputIndex: number) => ({
      ...{
        outputIndex,
        publicKey: bytes<never>(200 + outputIndex),
        keyImage: bytes<KeyImage>(200 + outputIndex),
      },
    });
    const first = [
      output(1, 4, 5n, { ...at(0, 1), ...key(0) }),
      output(1, 4, 9n, { ...at(0, 2), ...key(1) }),
      output(1, 4, 7n, { ...at(1, 1), ...key(2) }),
    ];
    addFound({ received: [received(1, 4)], outputs: first });
    fresh();
    addFound({
      received: [received(1, 4)],
      outputs: [...first, output(1, 4, 3n, { ...at(0, 1), ...key(3) })],
    });
    expect(news()).toMatchObject([
      { type: 'payment.reversed', ...at(0, 1), amount: 5n, reason: 'corrected' },
      { type: 'payment.mined', ...at(0, 1), amount: 8n },
      { type: 'payment.confirmed', ...at(0, 1), amount: 8n, confirmations: 1 },
    ]);
  });

  it('is reported again if it was found in a page of the same write', () => {
    const first = page(5, 1, { received: [received(1, 5)], outputs: [output(1, 5, 5n)] });
    const added = output(1, 5, 3n, { outputIndex: 1, publicKey: bytes(201), keyImage: bytes(201) });
    store.write((w) => {
      w.applyPage(first);
      w.addFound({ ...first, outputs: [...first.outputs, added] });
    });
    expect(news()).toMatchObject([
      { type: 'payment.mined', amount: 5n },
      { type: 'payment.confirmed', amount: 5n },
      { type: 'payment.reversed', amount: 5n, reason: 'corrected' },
      { type: 'payment.mined', amount: 8n },
      { type: 'payment.confirmed', amount: 8n },
    ]);
  });

  it('is reported with the amount that it adds to an output with the same key', () => {
    addPage(5, 1, { received: [received(1, 5)], outputs: [output(1, 5, 50n)] });
    fresh();
    const larger = output(2, 5, 60n, { publicKey: bytes(101), keyImage: bytes(101) });
    addFound({ received: [received(2, 5)], outputs: [larger] });
    expect(news()).toMatchObject([
      { type: 'payment.mined', txHash: bytes<Hash>(2), amount: 10n },
      { type: 'payment.confirmed', txHash: bytes<Hash>(2), amount: 10n },
    ]);
  });

  it('is reported once as a transfer, also when the chain reaches its block', () => {
    addPage(5, 1, { received: [received(1, 5)], outputs: [output(1, 5, 50n)] });
    fresh();
    addFound(spentAt(8));
    expect(news()).toMatchObject([{ type: 'transfer.mined', height: 8 }]);
    addFound(spentAt(8));
    addPage(6, 1);
    addPage(7, 2, spentAt(8));
    addFound(spentAt(8));
    expect(news()).toEqual([]);
  });
});

describe('a transfer', () => {
  it('is reported as it was recorded if one of its inputs is recognised after its page was scanned', () => {
    const inputs = [output(1, 5, 50n), output(2, 5, 7n)];
    addPage(5, 1, { received: [received(1, 5), received(2, 5)], outputs: inputs });
    const record: OutgoingTx = {
      ...{ txHash: bytes<Hash>(9), state: 'prepared', account: 0, fromIndices: [0], unlockTime: 0n },
      ...{ amountIn: amount(57n), change: amount(6n), fee: amount(1n), timestamp: 1, destinations: [] },
      blob: Uint8Array.of(1),
    };
    store.write((w) => w.prepare(record, inputs, []));
    store.write((w) => w.markPending(record.txHash));
    fresh();
    addPage(6, 1, {
      received: [{ ...received(9, 6), spentKeyImages: [bytes<KeyImage>(102)] }],
      outputs: [output(9, 6, 6n, { change: true })],
      ...spentAt(6),
    });
    expect(news()).toMatchObject([
      { type: 'transfer.mined', txHash: record.txHash, amountIn: 57n, change: 6n, height: 6 },
    ]);
  });

  it('fails once none of its inputs is an output of the wallet', () => {
    addPage(5, 2, { received: [received(1, 5)], outputs: [output(1, 5, 50n)], ...spentAt(6) });
    fresh();
    store.write((w) => {
      const spent = w.outputs.byKeyImage(bytes<KeyImage>(101));
      if (spent !== undefined) withdrawSpend(w, spent);
    });
    expect(news()).toMatchObject([
      { type: 'transfer.failed', txHash: bytes<Hash>(9), amountIn: 50n, reason: 'corrected' },
    ]);
  });
});
