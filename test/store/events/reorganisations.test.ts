import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash, KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import { EventIds } from '../../../src/store/file/event-ids.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import type { Address } from '../../../src/monero/cryptonote/types.js';
import { amount } from '../../../src/util/amount.js';
import { fromHex } from '../../../src/util/bytes.js';
import type { WalletEvent } from '../../../src/model/events.js';
import type { FoundOutgoing } from '../../../src/monero/wallet/scan/findings.js';
import type { OutgoingTx } from '../../../src/monero/wallet/build/outgoing-tx.js';
import { EventLedger } from '../../support/wallets/event-ledger.js';
import { bytes, output, page, received } from '../fixtures.js';

let file: WalletStore;
let last: number;

const paid = (tx: number, height: number): ReturnType<typeof page> =>
  page(height, 1, { received: [received(tx, height)], outputs: [output(tx, height, 50n)] });

/** Events since the last call. */
function fresh(): WalletEvent[] {
  const events = file.read((r) => r.events.after(last, 1000));
  last = events.at(-1)?.id ?? last;
  return events;
}

const summary = (): unknown[] =>
  fresh().map(({ type, data }) => ('confirmations' in data ? [type, data.confirmations] : [type]));

beforeEach(() => {
  last = 0;
  file = WalletStore.create(':memory:', new Uint8Array(32), (w) => w.applyPage(page(0, 5)));
});

describe('stages of a payment', () => {
  it('are reported as the chain grows, each once', () => {
    file.write((w) => w.applyPage(paid(1, 5)));
    expect(summary()).toEqual([['payment.mined'], ['payment.confirmed', 1]]);
    file.write((w) => w.applyPage(page(6, 8)));
    expect(summary()).toEqual([]);
    file.write((w) => w.applyPage(page(14, 1)));
    expect(summary()).toEqual([['payment.confirmed', 10], ['payment.unlocked']]);
    file.write((w) => w.applyPage(page(15, 50)));
    expect(summary()).toEqual([]);
  });

  it('follow at once for a payment that is deep when it is found', () => {
    file.write((w) => w.applyPage({ ...paid(1, 5), hashes: page(5, 20).hashes }));
    expect(summary()).toEqual([
      ['payment.mined'],
      ['payment.confirmed', 1],
      ['payment.confirmed', 10],
      ['payment.unlocked'],
    ]);
  });

  it('wait for the unlock height of a miner transaction', () => {
    const tx = { ...received(1, 5), coinbase: true, unlockTime: 65n };
    const found = output(1, 5, 50n, { coinbase: true, unlockTime: 65n });
    file.write((w) => w.applyPage(page(5, 59, { received: [tx], outputs: [found] })));
    expect(summary()).not.toContainEqual(['payment.unlocked']);
    file.write((w) => w.applyPage(page(64, 1)));
    expect(summary()).toEqual([['payment.unlocked']]);
  });

  it('wait for an unlock time, less the leeway of the network, and for the age', () => {
    const now = Math.floor(Date.now() / 1000);
    for (const [tx, unlockTime] of [
      [1, BigInt(now + 100)],
      [2, BigInt(now + 100_000)],
    ] as const)
      file.write((w) =>
        w.applyPage(
          page(4 + tx, 1, {
            received: [{ ...received(tx, 4 + tx), unlockTime }],
            outputs: [output(tx, 4 + tx, 50n, { unlockTime })],
          }),
        ),
      );
    expect(summary()).not.toContainEqual(['payment.unlocked']);
    file.write((w) => w.applyPage(page(7, 20)));
    expect(fresh().filter(({ type }) => type === 'payment.unlocked')).toMatchObject([
      { data: { txHash: bytes<Hash>(1) } },
    ]);
  });
});

describe('a reorganisation', () => {
  it('is reported with its depth, and reverses its payments by the ids of their events', () => {
    file.write((w) => w.applyPage(paid(1, 5)));
    file.write((w) => w.applyPage(page(6, 2)));
    const [mined] = fresh();
    file.write((w) => w.applyPage(page(4, 5)));
    expect(fresh()).toMatchObject([
      { type: 'wallet.reorganised', data: { fromHeight: 4, depth: 4 } },
      {
        type: 'payment.reversed',
        data: { txHash: bytes<Hash>(1), amount: 50n, height: 5, reverses: mined?.id, reason: 'reorganised' },
      },
    ]);
  });

  it('leaves payments below it, and does not repeat their stages', () => {
    file.write((w) => w.applyPage(paid(1, 5)));
    file.write((w) => w.applyPage(page(6, 9)));
    fresh();
    file.write((w) => w.applyPage(page(10, 2)));
    file.write((w) => w.applyPage(page(12, 20)));
    expect(summary()).toEqual([['wallet.reorganised']]);
  });

  it('leaves each height below it with every stage once, when the chain grows above its former tip', () => {
    file = WalletStore.create(':memory:', new Uint8Array(32), undefined, undefined, {
      ...{ ids: new EventIds(), confirmations: [1, 3, 10] },
    });
    // Each block has a payment, and one to the same one-time key, which credits nothing.
    const blocks = Array.from({ length: 31 }, (_, height) => height);
    const found = {
      received: blocks.flatMap((height) => [received(1 + height, height), received(61 + height, height)]),
      outputs: blocks.flatMap((height) => {
        const key = { publicKey: bytes<PublicKey>(101 + height), keyImage: bytes<KeyImage>(101 + height) };
        return [output(1 + height, height, 50n, key), output(61 + height, height, 50n, key)];
      }),
    };
    file.write((w) => w.applyPage(page(0, 31, found)));
    file.write((w) => w.applyPage(page(29, 1)));
    // The payments of neighbouring heights reach other stages.
    file.write((w) => w.applyPage(page(30, 9)));
    file.write((w) => w.applyPage(page(39, 20)));
    const ledger = new EventLedger();
    for (const event of file.read((r) => r.events.after(0, 1000))) ledger.add(event);
    expect([...ledger.payments.values()]).toMatchObject(
      Array.from({ length: 29 }, (_, height) => ({ height, confirmations: [1, 3, 10], unlocked: true })),
    );
  });

  it('reports a payment again that is found in the new blocks', () => {
    file.write((w) => w.applyPage(paid(1, 5)));
    fresh();
    file.write((w) => w.applyPage({ ...paid(1, 5), hashes: page(5, 2).hashes }));
    expect(summary()).toEqual([
      ['wallet.reorganised'],
      ['payment.reversed'],
      ['payment.mined'],
      ['payment.confirmed', 1],
    ]);
  });

  it('reports the stages of a payment in blocks that replace reported ones twice', () => {
    file.write((w) => w.applyPage(page(5, 26)));
    file.write((w) => w.applyPage(page(20, 1)));
    file.write((w) => w.applyPage({ ...paid(1, 15), startHeight: 10, hashes: page(10, 7).hashes }));
    fresh();
    file.write((w) => w.applyPage(page(17, 8)));
    expect(summary()).toEqual([['payment.confirmed', 10], ['payment.unlocked']]);
  });

  it('moves a payment that was scanned out of order to the height where its block is found', () => {
    file.write((w) => w.addFound(paid(1, 9)));
    expect(summary()).toEqual([['payment.mined']]);
    file.write((w) => w.applyPage(page(5, 1)));
    file.write((w) => w.applyPage({ ...paid(1, 6), hashes: page(6, 2).hashes }));
    expect(fresh()).toMatchObject([
      { type: 'payment.reversed', data: { height: 9, reason: 'corrected' } },
      { type: 'payment.mined', data: { height: 6 } },
      { type: 'payment.confirmed', data: { height: 6 } },
    ]);
  });

  it('finds a payment that was scanned out of order at its height without an event, and goes on with its stages', () => {
    file.write((w) => w.addFound(paid(1, 6)));
    fresh();
    file.write((w) => w.applyPage(page(5, 1)));
    file.write((w) => w.applyPage(paid(1, 6)));
    expect(summary()).toEqual([['payment.confirmed', 1]]);
  });

  const outgoing: FoundOutgoing = {
    ...{ txHash: bytes<Hash>(9), height: 6, timestamp: 1, account: 0, fromIndices: [0], unlockTime: 0n },
    ...{ amountIn: amount(50n), change: amount(0n), fee: amount(1n) },
  };
  const spent = page(6, 1, {
    spends: [{ keyImage: bytes<KeyImage>(101), txHash: bytes<Hash>(9), height: 6 }],
    outgoing: [outgoing],
  });

  it('fails a transfer that cannot be relayed again', () => {
    file.write((w) => w.applyPage(paid(1, 5)));
    file.write((w) => w.applyPage(spent));
    fresh();
    file.write((w) => w.applyPage(page(6, 2)));
    expect(fresh()).toMatchObject([
      { type: 'wallet.reorganised' },
      { type: 'transfer.failed', data: { txHash: bytes<Hash>(9), amountIn: 50n, reason: 'reorganised' } },
    ]);
  });

  it('says nothing of a transfer that becomes pending again', () => {
    file.write((w) => w.applyPage(paid(1, 5)));
    const { height, ...facts } = outgoing;
    const record: OutgoingTx = { ...facts, state: 'prepared', blob: Uint8Array.of(1), destinations: [] };
    file.write((w) => w.prepare(record, [{ txHash: bytes<Hash>(1), outputIndex: 0 }], []));
    file.write((w) => w.markPending(bytes<Hash>(9)));
    fresh();
    file.write((w) => w.applyPage(spent));
    file.write((w) => w.applyPage(page(height, 2)));
    file.write((w) => w.applyPage({ ...spent, startHeight: 8, outgoing: [{ ...outgoing, height: 8 }] }));
    expect(summary()).toEqual([['transfer.mined'], ['wallet.reorganised'], ['transfer.mined']]);
  });
});

describe('a transfer', () => {
  const record: OutgoingTx = {
    ...{ txHash: bytes<Hash>(9), state: 'prepared', account: 0, fromIndices: [0], unlockTime: 0n },
    ...{ amountIn: amount(50n), change: amount(20n), fee: amount(1n), timestamp: 1, blob: Uint8Array.of(1) },
    destinations: [],
  };

  beforeEach(() => {
    file.write((w) => w.applyPage(paid(1, 5)));
    file.write((w) => w.prepare(record, [{ txHash: bytes<Hash>(1), outputIndex: 0 }], []));
    fresh();
  });

  it('is reported when the daemon accepts it, once, and when it fails', () => {
    file.write((w) => w.markPending(record.txHash));
    file.write((w) => w.markPending(record.txHash));
    expect(fresh()).toMatchObject([
      { type: 'transfer.relayed', data: { txHash: record.txHash, amountIn: 50n, change: 20n, fee: 1n } },
    ]);
    file.write((w) => w.fail(record.txHash));
    file.write((w) => w.fail(record.txHash));
    expect(fresh()).toMatchObject([{ type: 'transfer.failed', data: { reason: 'dropped' } }]);
  });

  it('is reported with the part that it pays to own addresses of its account as change', () => {
    const key = fromHex('8d5fbf2d1e4d5b9f6b7a2a4f0e7f8a39d6e4a91e9a6ecb4f8b1a0e2d6b6c7a50') as PublicKey;
    const own = (major: number): Address => ({
      ...{ network: 'mainnet', kind: 'subaddress', viewPublicKey: key },
      spendPublicKey: Uint8Array.from(key, (byte) => byte ^ major) as PublicKey,
    });
    file.write((w) => {
      for (const major of [0, 1])
        w.subaddresses.add([{ index: { major, minor: 3 }, spendPublicKey: own(major).spendPublicKey }]);
    });
    const destinations = [0, 1, 2].map((major) => ({
      address: formatAddress(own(major)),
      amount: amount(5n),
    }));
    file.write((w) => w.discard(record.txHash));
    file.write((w) =>
      w.prepare({ ...record, destinations }, [{ txHash: bytes<Hash>(1), outputIndex: 0 }], []),
    );
    file.write((w) => w.markPending(record.txHash));
    expect(fresh()).toMatchObject([{ type: 'transfer.relayed', data: { change: 25n } }]);
  });

  it('is not reported if it is refused', () => {
    file.write((w) => w.discard(record.txHash));
    file.write((w) => w.prepare(record, [{ txHash: bytes<Hash>(1), outputIndex: 0 }], []));
    file.write((w) => w.refuseAgain(record.txHash));
    expect(summary()).toEqual([]);
  });
});

describe('a reorganisation that is followed from below the first block of a wallet', () => {
  it('is reported with the blocks that the wallet had', () => {
    const late = WalletStore.create(':memory:', new Uint8Array(32), (w) => w.applyPage(page(50, 10)));
    late.write((w) => w.applyPage(page(10, 60)));
    expect(late.read((r) => r.events.after(0, 9, ['wallet.reorganised']))).toMatchObject([
      { data: { fromHeight: 50, depth: 10 } },
    ]);
    late.close();
  });
});
