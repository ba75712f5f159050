import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { openDatabase } from '../../../src/store/file/database.js';
import { NEW_CIPHER } from '../../../src/store/file/store-cipher.js';
import { WalletReader } from '../../../src/store/wallet-reader.js';
import { WalletWriter } from '../../../src/store/wallet-writer.js';
import { migrate } from '../../../src/util/sql-database.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { amount } from '../../../src/util/amount.js';
import { EVENT_TYPES, type WalletEvent } from '../../../src/model/events.js';
import { clearChain } from '../../support/chain/cleared-chain.js';
import { UNDO_PAYMENT_REQUESTS } from '../../support/wallets/undo-migrations.js';
import { EventLedger } from '../../support/wallets/event-ledger.js';
import { bytes, output, page, received } from '../fixtures.js';

const MIGRATIONS = fileURLToPath(new URL('../../../../migrations', import.meta.url));

const OUTPUT = output(1, 3, 50n);
const FACTS = {
  ...{ txHash: OUTPUT.txHash, keyImage: OUTPUT.keyImage },
  ...{ subaddress: OUTPUT.subaddress, amount: OUTPUT.amount },
};
const SPENDER = bytes<Hash>(9);

let store: WalletStore;
let ledger: EventLedger;

beforeEach(() => {
  store = WalletStore.create(':memory:', new Uint8Array(32), (w) => w.accounts.create());
  ledger = new EventLedger();
  store.addPage(page(0, 5, { received: [received(1, 3)], outputs: [OUTPUT] }));
  news();
});

/** Events since the last call, which sum to the balance. */
function news(): WalletEvent[] {
  const events = store.read((r) => r.events.after(ledger.last, 100));
  for (const event of events) ledger.add(event);
  const balance = store
    .read((r) => r.balances.ofAddresses({ strict: false }))
    .reduce((sum, { total }) => sum + total, 0n);
  expect(ledger.sum).toBe(balance);
  return events;
}

/** Event of the spend. */
function spendElsewhere(): WalletEvent {
  store.write((w) => w.outputs.markSpentByUnknown(OUTPUT, true));
  const [event, ...others] = news();
  if (event === undefined || others.length > 0) throw new Error('one event');
  return event;
}

/** A block in which a transaction without change spends the output. */
const spendingPage = (height: number) =>
  page(height, 1, {
    spends: [{ keyImage: bytes(101), txHash: SPENDER, height }],
    outgoing: [
      {
        ...{ txHash: SPENDER, height, timestamp: 1000 + height, account: 0, fromIndices: [0] },
        ...{ amountIn: amount(50n), change: amount(0n), fee: amount(1n), unlockTime: 0n },
      },
    ],
  });

describe('an output that an unseen transaction spends', () => {
  it('is reported once, with its amount', () => {
    expect(spendElsewhere()).toMatchObject({ type: 'output.spent', data: FACTS });
    store.write((w) => w.outputs.markSpentByUnknown(OUTPUT, true));
    store.addPage(page(5, 1));
    expect(news()).toEqual([]);
  });

  it('keeps no later page from waiting to be stored, once it is reported', () => {
    store.addPage(page(5, 80));
    news();
    const isAtRest = (): boolean => store.write((w) => w.isAtRest);
    expect(isAtRest()).toBe(true);
    spendElsewhere();
    expect(isAtRest()).toBe(true);
    store.write((w) => clearChain(w, { hard: false }));
    expect(isAtRest()).toBe(false);
  });

  it('is reported as unspent, with the event that no longer holds, where the daemon has no such spend', () => {
    const { id } = spendElsewhere();
    store.write((w) => w.outputs.markUnspent(OUTPUT));
    expect(news()).toMatchObject([
      { type: 'output.unspent', data: { ...FACTS, reverses: id, reason: 'corrected' } },
    ]);
  });

  it('stays reported where another output of the same index is reported as unspent', () => {
    const other = output(2, 5, 70n);
    store.addPage(page(5, 1, { received: [received(2, 5)], outputs: [other] }));
    news();
    const { id } = spendElsewhere();
    store.write((w) => w.outputs.markSpentByUnknown(other, true));
    const [second] = news();
    store.write((w) => w.outputs.markUnspent(OUTPUT));
    expect(news()).toMatchObject([{ type: 'output.unspent', data: { reverses: id } }]);
    store.write((w) => w.outputs.markUnspent(other));
    expect(news()).toMatchObject([{ type: 'output.unspent', data: { reverses: second?.id } }]);
  });

  it('is reported as an input of a transfer once the transaction is found', () => {
    const { id } = spendElsewhere();
    store.addPage(spendingPage(5));
    expect(news()).toMatchObject([
      { type: 'transfer.mined', data: { txHash: SPENDER, amountIn: 50n } },
      { type: 'output.unspent', data: { reverses: id, reason: 'corrected' } },
    ]);
  });

  it('is reported as an input of a transfer once the mempool holds the transaction', () => {
    const { id } = spendElsewhere();
    store.write((w) => {
      w.addPending({
        ...{ txHash: SPENDER, account: 0, fromIndices: [0], amountIn: amount(50n), change: amount(0n) },
        ...{ fee: amount(1n), unlockTime: 0n, timestamp: 1, destinations: [] },
      });
      w.outputs.reserveByKeyImages([bytes(101)], SPENDER, { seen: true });
    });
    expect(news()).toMatchObject([
      { type: 'transfer.relayed', data: { txHash: SPENDER } },
      { type: 'output.unspent', data: { reverses: id } },
    ]);
  });

  it('is reported by the first change of a store whose earlier version did not report it', () => {
    const db = openDatabase(':memory:', { key: new Uint8Array(32), cipher: NEW_CIPHER });
    const write = (task: (w: WalletWriter) => void): void =>
      db
        .transaction(() => {
          const w = new WalletWriter(db);
          task(w);
          w.events.settle();
        })
        .immediate();
    write((w) => {
      while (!w.events.beginNext());
      w.applyPage(page(0, 5, { received: [received(1, 3)], outputs: [OUTPUT] }));
    });
    db.exec(`
      DROP TRIGGER owned_output_unknown_spend;
      DROP TRIGGER owned_output_unknown_spend_removed;
      DROP TABLE reported_spend;
      DROP TABLE changed_spend;
      DROP INDEX told_key_image_placed;
      ALTER TABLE pool_tx DROP COLUMN needed_height;
      ${UNDO_PAYMENT_REQUESTS}
      DROP TABLE stage_range;
      CREATE INDEX event_range ON event (timestamp) WHERE type = 9;
      UPDATE owned_output SET spent_by = zeroblob(32), spent_height = 0;
      PRAGMA user_version = 28`);
    migrate(db, MIGRATIONS);
    write(() => undefined);
    const [latest] = new WalletReader(db).events.latest(1, EVENT_TYPES);
    expect(latest).toMatchObject({ type: 'output.spent', data: FACTS });
    db.close();
  });

  it('is reversed with its payment where a reorganisation undoes it', () => {
    const { id } = spendElsewhere();
    // With another output of the same index.
    store.addPage(page(2, 5, { received: [received(2, 2)], outputs: [output(2, 2, 70n)] }));
    const undone = news().filter(({ type }) => /reorganised|reversed|unspent/.test(type));
    expect(undone).toMatchObject([
      { type: 'wallet.reorganised' },
      { type: 'payment.reversed', data: { reason: 'reorganised' } },
      { type: 'output.unspent', data: { reverses: id, reason: 'reorganised' } },
    ]);
  });

  it('is decided anew when a rescan has reached its former height, and not before', () => {
    const { id } = spendElsewhere();
    store.write((w) => clearChain(w, { hard: false }));
    // A later version may open the store before the rescan has ended.
    const rescannedTo = (): string | undefined => store.write((w) => w.meta.get('rescan_to'));
    expect(rescannedTo()).toBe('4');
    expect(store.read((r) => r.events.after(ledger.last, 100))).toEqual([]);
    store.addPage(page(0, 4, { received: [received(1, 3)], outputs: [OUTPUT] }));
    expect(store.read((r) => r.events.after(ledger.last, 100))).toEqual([]);
    store.addPage(page(4, 1));
    expect(news()).toMatchObject([{ type: 'output.unspent', data: { reverses: id, reason: 'rescan' } }]);
    expect(rescannedTo()).toBeUndefined();
  });

  it('is decided when the last of several rescans has reached the highest tip before any', () => {
    const { id } = spendElsewhere();
    store.write((w) => clearChain(w, { hard: false }));
    store.addPage(page(0, 2));
    store.write((w) => clearChain(w, { hard: false }));
    store.addPage(page(0, 4, { received: [received(1, 3)], outputs: [OUTPUT] }));
    expect(store.read((r) => r.events.after(ledger.last, 100))).toEqual([]);
    store.addPage(page(4, 1));
    expect(news()).toMatchObject([{ type: 'output.unspent', data: { reverses: id, reason: 'rescan' } }]);
    // A later correction has nothing to do with it.
    const later = spendElsewhere();
    store.write((w) => w.outputs.markUnspent(OUTPUT));
    expect(news()).toMatchObject([{ data: { reverses: later.id, reason: 'corrected' } }]);
  });

  it('is not reported again where it is marked anew during a rescan', () => {
    spendElsewhere();
    store.write((w) => clearChain(w, { hard: false }));
    store.addPage(page(0, 4, { received: [received(1, 3)], outputs: [OUTPUT] }));
    store.write((w) => w.outputs.markSpentByUnknown(OUTPUT, true));
    store.addPage(page(4, 1));
    expect(news()).toEqual([]);
  });
});
