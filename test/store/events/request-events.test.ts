import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { EventIds } from '../../../src/store/file/event-ids.js';
import { openDatabase } from '../../../src/store/file/database.js';
import { NEW_CIPHER } from '../../../src/store/file/store-cipher.js';
import { WalletReader } from '../../../src/store/wallet-reader.js';
import { WalletWriter } from '../../../src/store/wallet-writer.js';
import { amount } from '../../../src/util/amount.js';
import {
  CREATED,
  idOf,
  newRequest,
  openRequest,
  StoredRequests,
} from '../../support/wallets/stored-requests.js';
import { bytes, page } from '../fixtures.js';

let directory: string;
let wallet: StoredRequests;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'requests-'));
  wallet = new StoredRequests(join(directory, 'w'));
});

afterEach(() => {
  wallet.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Runs a step. @returns the types of the events of requests that it caused. */
function after(step: () => void): string[] {
  const before = wallet.last;
  step();
  return wallet.types(before);
}

const state = (minor = 1): string => wallet.request(minor).state;

describe('a request', () => {
  it('is reported as partial with each payment, seen, and paid once all have their confirmations', () => {
    wallet.add(newRequest(1, { reference: 'o-1' }));
    expect(after(() => wallet.see(1, 1, 30n))).toEqual(['partial']);
    expect(after(() => wallet.mine([[1, 1, 30n]]))).toEqual([]);
    expect(after(() => wallet.see(2, 1, 30n))).toEqual(['partial']);
    expect(after(() => wallet.see(3, 1, 40n))).toEqual(['seen']);
    expect(
      after(() =>
        wallet.mine([
          [2, 1, 30n],
          [3, 1, 40n],
        ]),
      ),
    ).toEqual([]);
    expect(state()).toBe('confirming');
    expect(after(() => wallet.mine())).toEqual([]);
    expect(after(() => wallet.mine())).toEqual(['paid']);
    expect(state()).toBe('paid');
    expect(wallet.events().map(({ data }) => data)).toMatchObject([
      {
        requestId: idOf(1),
        reference: 'o-1',
        state: 'partial',
        amount: 100n,
        received: 0n,
        unconfirmed: 30n,
      },
      { state: 'partial', received: 30n, unconfirmed: 30n },
      { state: 'seen', received: 30n, unconfirmed: 70n },
      { state: 'paid', received: 100n, unconfirmed: 0n, subaddress: { major: 0, minor: 1 } },
    ]);
  });

  it('that is paid in one old block of a page is paid at once', () => {
    wallet.add(newRequest(1));
    const block = wallet.block([[1, 1, 100n]], 10);
    expect(
      after(() => wallet.store.addPage({ ...block, hashes: [...block.hashes, ...page(11, 5).hashes] })),
    ).toEqual(['paid']);
  });

  it('is paid by several payments of one page', () => {
    wallet.add(newRequest(1, { confirmations: 1 }));
    const first = wallet.block([[1, 1, 30n]], 10);
    const second = wallet.block(
      [
        [2, 1, 30n],
        [3, 1, 40n],
      ],
      11,
    );
    wallet.store.addPage({
      ...first,
      hashes: [...first.hashes, ...second.hashes],
      received: [...first.received, ...second.received],
      outputs: [...first.outputs, ...second.outputs],
    });
    expect(wallet.events()).toMatchObject([{ type: 'request.paid', data: { received: 100n } }]);
  });

  it('is paid with more confirmations than any stage of a payment has', () => {
    wallet.add(newRequest(1, { confirmations: 100 }));
    const isAtRest = (): boolean => wallet.store.write((w) => w.isAtRest);
    wallet.mine([[1, 1, 100n]]);
    wallet.grow(80);
    expect(isAtRest()).toBe(false);
    for (let blocks = 82; blocks < 100; blocks++) wallet.store.addPage(page(wallet.tip + 1, 1));
    expect(state()).toBe('confirming');
    expect(after(() => wallet.store.addPage(page(wallet.tip + 1, 1)))).toEqual(['paid']);
    expect(isAtRest()).toBe(true);
  });

  it('is reported after the payment that changes it, in the same transaction', () => {
    wallet.add(newRequest(1, { confirmations: 1 }));
    wallet.mine([[1, 1, 100n]]);
    const types = wallet.store.read((r) => r.events.after(0, 100)).map(({ type }) => type);
    expect(types).toEqual(['payment.mined', 'payment.confirmed', 'request.paid']);
  });

  it('is not reported by a write that fails', () => {
    wallet.add(newRequest(1));
    const block = wallet.block([[1, 1, 100n]], 10);
    expect(() =>
      wallet.store.write((w) => {
        w.applyPage(block);
        throw new Error('full');
      }),
    ).toThrow('full');
    expect(wallet.types()).toEqual([]);
    expect(after(() => wallet.store.write(() => undefined))).toEqual([]);
    expect(state()).toBe('waiting');
  });

  it('that is the first one of a wallet counts the payments after it, also in its own transaction', () => {
    wallet.mine([[1, 2, 9n]]);
    wallet.add(newRequest(1, { confirmations: 1 }));
    expect(after(() => wallet.mine([[2, 1, 40n]]))).toEqual(['partial']);
    expect(after(() => wallet.mine([[3, 1, 60n]]))).toEqual(['paid']);
  });

  it('is created in the transaction of payments to its address, before some of them', () => {
    wallet.store.write((w) => {
      w.applyPage(wallet.block([[1, 1, 40n]], 10));
      w.requests.add(newRequest(1, { confirmations: 1 }));
      w.events.beginRequest({ major: 0, minor: 1 });
      w.applyPage(wallet.block([[2, 1, 60n]], 11));
    });
    expect(wallet.types()).toEqual(['partial', 'paid']);
  });

  it('is created in a transaction after one that fails', () => {
    expect(() =>
      wallet.store.write((w) => {
        w.applyPage(wallet.block([[1, 2, 9n]], 10));
        throw new Error('full');
      }),
    ).toThrow('full');
    wallet.store.write((w) => {
      w.requests.add(newRequest(1, { confirmations: 1 }));
      w.applyPage(wallet.block([[2, 1, 100n]], 10));
    });
    expect(wallet.types()).toEqual(['paid']);
  });

  it('with more than the amount and the tolerance is overpaid, each time that grows with confirmations', () => {
    wallet.add(newRequest(1, { confirmations: 1, tolerance: amount(5n) }));
    expect(after(() => wallet.mine([[1, 1, 105n]]))).toEqual(['paid']);
    expect(after(() => wallet.mine([[2, 1, 1n]]))).toEqual(['overpaid']);
    expect(after(() => wallet.see(3, 1, 7n))).toEqual([]);
    expect(after(() => wallet.mine([[3, 1, 7n]]))).toEqual(['overpaid']);
    wallet.add(newRequest(2, { confirmations: 1 }));
    expect(after(() => wallet.mine([[4, 2, 101n]]))).toEqual(['paid', 'overpaid']);
  });

  it('whose excess goes and comes back is overpaid anew, after a reversal', () => {
    wallet.add(newRequest(1, { confirmations: 1 }));
    wallet.mine([[1, 1, 100n]]);
    wallet.see(2, 1, 20n);
    expect(after(() => wallet.mine([[2, 1, 20n]], 11))).toEqual(['overpaid']);
    expect(after(() => wallet.mine([], 11))).toEqual(['reversed']);
    expect(wallet.events().at(-1)?.data).toMatchObject({ was: 'paid', state: 'paid', received: 100n });
    expect(after(() => wallet.readPool())).toEqual([]);
    expect(after(() => wallet.mine([[2, 1, 20n]]))).toEqual(['overpaid']);
    expect(after(() => wallet.mine([[3, 1, 1n]]))).toEqual(['overpaid']);
  });

  it('whose excess loses its confirmations alone is not overpaid again', () => {
    wallet.add(newRequest(1, { confirmations: 2 }));
    wallet.mine([[1, 1, 100n]]);
    wallet.mine([[2, 1, 20n]]);
    expect(after(() => wallet.grow(1))).toEqual(['overpaid']);
    const block = wallet.block([[2, 1, 20n]], 12);
    // The payment is in another block, in the transaction that removes its first one.
    expect(
      after(() =>
        wallet.store.addPage({ ...block, startHeight: 11, hashes: [...page(11, 1).hashes, ...block.hashes] }),
      ),
    ).toEqual([]);
    expect(after(() => wallet.grow(3))).toEqual([]);
    expect(state()).toBe('paid');
  });

  it('counts a payment of the smallest unit beside later ones', () => {
    wallet.add(newRequest(1, { confirmations: 1 }));
    expect(after(() => wallet.mine([[1, 1, 1n]]))).toEqual(['partial']);
    expect(after(() => wallet.mine([[2, 1, 99n]]))).toEqual(['paid']);
  });

  it('without an amount reports each payment as partial', () => {
    wallet.add(openRequest(1));
    expect(after(() => wallet.mine([[1, 1, 5n]]))).toEqual(['partial']);
    expect(after(() => wallet.see(2, 1, 10n ** 12n))).toEqual(['partial']);
    expect(state()).toBe('partial');
    expect(wallet.events().at(-1)?.data).not.toHaveProperty('amount');
  });
});

describe('a request that needs no confirmation', () => {
  beforeEach(() => wallet.add(newRequest(1, { confirmations: 0 })));

  it('is paid in the mempool, and stays so in the block', () => {
    expect(after(() => wallet.see(1, 1, 100n))).toEqual(['paid']);
    expect(after(() => wallet.mine([[1, 1, 100n]]))).toEqual([]);
  });

  it('is taken back when the mempool contests the payment, and paid by its block', () => {
    wallet.see(1, 1, 100n);
    expect(after(() => wallet.see(1, 1, 100n, { doubleSpendSeen: true }))).toEqual(['reversed']);
    expect(wallet.events().at(-1)?.data).toMatchObject({ was: 'paid', state: 'seen', unconfirmed: 100n });
    expect(after(() => wallet.readPool())).toEqual([]);
    expect(after(() => wallet.mine([[1, 1, 100n]]))).toEqual(['paid']);
  });

  it('is taken back when the mempool drops the payment', () => {
    wallet.see(1, 1, 100n);
    expect(after(() => wallet.drop(1))).toEqual(['reversed']);
    expect(state()).toBe('seen');
    const cursor = wallet.last;
    wallet.mine();
    wallet.readPool();
    wallet.readPool();
    expect(wallet.types(cursor)).toEqual(['reversed']);
    expect(state()).toBe('waiting');
  });

  it('is paid again when the payment returns to the mempool', () => {
    wallet.see(1, 1, 100n);
    wallet.drop(1);
    expect(after(() => wallet.see(1, 1, 100n))).toEqual(['paid']);
  });

  it('is overpaid once while its excess leaves the mempool and returns, and again after it was reversed', () => {
    wallet.see(1, 1, 100n);
    expect(after(() => wallet.see(2, 1, 20n))).toEqual(['overpaid']);
    for (let i = 0; i < 3; i++) {
      expect(after(() => wallet.drop(2))).toEqual([]);
      expect(after(() => wallet.see(2, 1, 20n))).toEqual([]);
    }
    expect(after(() => wallet.see(3, 1, 1n))).toEqual(['overpaid']);
    const cursor = wallet.last;
    wallet.drop(2);
    wallet.mine();
    wallet.readPool();
    wallet.readPool();
    expect(wallet.types(cursor)).toEqual(['reversed']);
    expect(after(() => wallet.see(2, 1, 20n))).toEqual(['overpaid']);
  });
});

describe('a request for an address that was paid before it', () => {
  it('counts a payment that the mempool holds, in the transaction that creates the request', () => {
    wallet.see(1, 1, 30n);
    wallet.time += 60;
    expect(after(() => wallet.add(newRequest(1, { created: wallet.time })))).toEqual(['partial']);
    expect(state()).toBe('partial');
    expect(after(() => wallet.mine([[1, 1, 30n]]))).toEqual([]);
    expect(after(() => wallet.see(2, 1, 70n))).toEqual(['seen']);
  });

  it('is paid by the mempool, unless that contests the payment', () => {
    wallet.see(1, 1, 100n);
    expect(after(() => wallet.add(newRequest(1, { confirmations: 0 })))).toEqual(['paid']);
    expect(wallet.store.read((r) => r.requests.uncontested())).toEqual([bytes(1)]);
    expect(after(() => wallet.see(1, 1, 100n, { doubleSpendSeen: true }))).toEqual(['reversed']);
    wallet.see(2, 2, 100n, { doubleSpendSeen: true });
    expect(after(() => wallet.add(newRequest(2, { confirmations: 0 })))).toEqual(['seen']);
    expect(after(() => wallet.readPool())).toEqual([]);
    expect(after(() => wallet.mine([[2, 2, 100n]]))).toEqual(['paid']);
  });

  it('becomes paid with the confirmations of a payment in the last blocks', () => {
    wallet.mine([[1, 1, 100n]]);
    expect(after(() => wallet.add(newRequest(1)))).toEqual(['seen']);
    expect(state()).toBe('confirming');
    expect(after(() => wallet.grow(2))).toEqual(['paid']);
  });

  it('has no event for a payment of long ago', () => {
    wallet.mine([[1, 1, 100n]]);
    expect(after(() => wallet.add(newRequest(1, { firstHeight: 11, created: CREATED + 7201 })))).toEqual([]);
    expect(state()).toBe('waiting');
  });
});

describe('a reorganisation', () => {
  beforeEach(() => wallet.add(newRequest(1)));

  it('takes a paid request back, and says which state it had', () => {
    wallet.mine([[1, 1, 100n]]);
    wallet.grow(2);
    expect(state()).toBe('paid');
    expect(after(() => wallet.mine([], 10))).toEqual(['reversed']);
    expect(wallet.events().at(-1)?.data).toMatchObject({ was: 'paid', state: 'waiting', received: 0n });
    expect(after(() => wallet.mine([[1, 1, 100n]]))).toEqual(['seen']);
    expect(after(() => wallet.grow(2))).toEqual(['paid']);
  });

  it('that has the payment in the same page again reports nothing that stays true', () => {
    wallet.mine([[1, 1, 100n]]);
    wallet.grow(5);
    const block = wallet.block([[1, 1, 100n]], 10);
    expect(
      after(() => wallet.store.addPage({ ...block, hashes: [...block.hashes, ...page(11, 6).hashes] })),
    ).toEqual([]);
    expect(state()).toBe('paid');
  });

  it('above the payment takes it back if the chain is too short now, and reports no payment again', () => {
    wallet.mine([[1, 1, 100n]]);
    wallet.grow(3);
    const cursor = wallet.last;
    expect(after(() => wallet.mine([], 11))).toEqual(['reversed']);
    expect(wallet.events().at(-1)?.data).toMatchObject({ was: 'paid', state: 'confirming', received: 100n });
    expect(after(() => wallet.mine([]))).toEqual(['paid']);
    wallet.grow(5);
    expect(state()).toBe('paid');
    const types = wallet.store.read((r) => r.events.after(cursor, 100)).map(({ type }) => type);
    expect(types.filter((type) => type.startsWith('payment.'))).toEqual([]);
  });

  it('above the payment leaves it paid if the new blocks confirm it as well', () => {
    wallet.mine([[1, 1, 100n]]);
    wallet.grow(3);
    expect(after(() => wallet.store.addPage(page(11, 2)))).toEqual([]);
    expect(state()).toBe('paid');
  });

  it('to a shorter chain locks a payment again', () => {
    wallet.mine([[1, 1, 100n, { unlockTime: 30n }]]);
    wallet.grow(19);
    expect(state()).toBe('paid');
    expect(after(() => wallet.store.addPage(page(25, 1)))).toEqual(['reversed']);
    expect(wallet.events().at(-1)?.data).toMatchObject({ was: 'paid', state: 'waiting', locked: 100n });
    expect(after(() => wallet.grow(4))).toEqual(['paid']);
  });

  it('that has the payment in a later block takes a paid request back until its confirmations', () => {
    wallet.mine([[1, 1, 100n]]);
    wallet.grow(2);
    expect(state()).toBe('paid');
    const block = wallet.block([[1, 1, 100n]], 12);
    expect(
      after(() =>
        wallet.store.addPage({ ...block, startHeight: 10, hashes: [...page(10, 2).hashes, ...block.hashes] }),
      ),
    ).toEqual(['reversed']);
    expect(wallet.events().at(-1)?.data).toMatchObject({ was: 'paid', state: 'confirming', received: 100n });
    expect(after(() => wallet.grow(2))).toEqual(['paid']);
  });

  it('that returns the payment to the mempool takes a mined request back', () => {
    wallet.see(1, 1, 100n);
    wallet.mine([[1, 1, 100n]]);
    expect(state()).toBe('confirming');
    const txHash = bytes<Hash>(1);
    const pooled = { outputIndex: 0, amount: amount(100n), subaddress: { major: 0, minor: 1 } };
    expect(
      after(() =>
        wallet.store.write((w) => {
          w.applyPage(page(10, 1));
          w.pool.add({
            ...{ txHash, timestamp: CREATED, unlockTime: 0n, fee: amount(1n), doubleSpendSeen: false },
            outputs: [{ ...pooled, publicKey: bytes(10_100) }],
          });
          w.events.poolRead();
        }),
      ),
    ).toEqual(['reversed']);
    expect(wallet.events().at(-1)?.data).toMatchObject({
      was: 'confirming',
      state: 'seen',
      unconfirmed: 100n,
    });
  });

  it('takes back only the payments of the replaced blocks', () => {
    wallet.mine([[1, 1, 60n]]);
    wallet.mine([[2, 1, 40n]]);
    wallet.grow(5);
    expect(after(() => wallet.mine([], 11))).toEqual(['reversed']);
    expect(wallet.events().at(-1)?.data).toMatchObject({ was: 'paid', state: 'partial', received: 60n });
  });
});

describe('a rescan', () => {
  it('reports nothing that is still true, also across a restart', () => {
    wallet.add(newRequest(1), newRequest(2), newRequest(3));
    const blocks = [
      wallet.block([[1, 1, 100n]], 10),
      wallet.block([[2, 2, 50n]], 11),
      wallet.block([[3, 3, 100n]], 12),
    ];
    for (const block of blocks) wallet.store.addPage(block);
    const states = (): string[] => [1, 2, 3].map(state);
    const expected = ['paid', 'partial', 'confirming'];
    expect(states()).toEqual(expected);
    const cursor = wallet.last;
    wallet.clear();
    expect(states()).toEqual(expected);
    wallet.store.addPage(page(0, 10));
    wallet.reopen();
    for (const block of blocks) {
      wallet.store.addPage(block);
      expect(states()).toEqual(expected);
    }
    expect(wallet.types(cursor)).toEqual([]);
  });

  it('counts payments in the mempool to one one-time key once, before, during and after it', () => {
    wallet.add(newRequest(1, { confirmations: 0 }));
    const subaddress = { major: 0, minor: 1 };
    const to = (value: bigint) => ({
      outputs: [{ outputIndex: 0, amount: amount(value), subaddress, publicKey: bytes<never>(99) }],
    });
    wallet.see(1, 1, 50n, to(50n));
    wallet.see(2, 1, 60n, to(60n));
    wallet.mine();
    const payments = () => wallet.store.read((r) => r.requests.paymentsTo([subaddress])(subaddress));
    const sum = (): bigint => payments().reduce((total, one) => total + one.amount, 0n);
    const isOnce = (): void => {
      expect([sum(), state()]).toEqual([60n, 'partial']);
    };
    isOnce();
    const cursor = wallet.last;
    wallet.clear();
    isOnce();
    wallet.reopen();
    isOnce();
    wallet.store.addPage(page(0, 10));
    wallet.readPool();
    isOnce();
    wallet.mine();
    isOnce();
    wallet.readPool();
    isOnce();
    expect(wallet.types(cursor)).toEqual([]);
    // The smaller one is mined: the larger one adds the difference.
    expect(after(() => wallet.mine([[1, 1, 50n, { publicKey: bytes(99) }]]))).toEqual([]);
    isOnce();
  });

  it('reverses a request whose payment it does not find', () => {
    wallet.add(newRequest(1, { confirmations: 1 }));
    wallet.mine([[1, 1, 100n]]);
    wallet.clear();
    expect(after(() => wallet.store.addPage(page(0, 10)))).toEqual([]);
    expect(after(() => wallet.mine([], 10))).toEqual(['reversed']);
    expect(state()).toBe('waiting');
  });
});

describe('the expiry of a request', () => {
  beforeEach(() => wallet.add(newRequest(1, { expires: CREATED + 60, confirmations: 1 })));

  const pass = (): void => {
    wallet.time = CREATED + 61;
    wallet.expire();
  };

  it('is reported once, if too little has come', () => {
    wallet.see(1, 1, 99n);
    expect(after(pass)).toEqual(['expired']);
    expect(after(pass)).toEqual([]);
    expect(wallet.events().at(-1)?.data).toMatchObject({ state: 'expired', unconfirmed: 99n, late: 0n });
  });

  it('is not reported if enough has come in time, though it is paid later', () => {
    wallet.see(1, 1, 100n);
    expect(after(pass)).toEqual([]);
    expect(state()).toBe('seen');
    wallet.time += 600;
    expect(after(() => wallet.mine([[1, 1, 100n]]))).toEqual(['paid']);
    expect(state()).toBe('paid');
  });

  it('is not reported if it was paid in time, and leaves it paid', () => {
    wallet.mine([[1, 1, 100n]]);
    expect(after(pass)).toEqual([]);
    expect(state()).toBe('paid');
  });

  it('is reported after all when the payment in time is lost', () => {
    wallet.see(1, 1, 100n);
    pass();
    const cursor = wallet.last;
    wallet.drop(1);
    wallet.mine();
    wallet.readPool();
    wallet.readPool();
    expect(wallet.types(cursor)).toEqual(['reversed', 'expired']);
    expect(state()).toBe('expired');
  });

  it('leaves a payment in time that the mempool held in time and lost before a block has it', () => {
    wallet.see(1, 1, 100n);
    wallet.drop(1);
    wallet.mine();
    wallet.readPool();
    wallet.readPool();
    pass();
    expect(state()).toBe('expired');
    expect(after(() => wallet.mine([[1, 1, 100n]]))).toEqual(['paid']);
  });

  it('makes later payments late: each is reported, and none is paid by them', () => {
    pass();
    expect(after(() => wallet.see(1, 1, 100n))).toEqual(['late']);
    expect(after(() => wallet.mine([[2, 1, 500n]]))).toEqual(['late']);
    expect(wallet.events().at(-1)?.data).toMatchObject({ state: 'expired', received: 0n, late: 600n });
    expect(state()).toBe('expired');
  });

  it('adds late payments up, from the smallest unit on', () => {
    pass();
    wallet.mine([[1, 1, 1n]]);
    wallet.mine([[2, 1, 5n]]);
    expect(wallet.events().at(-1)?.data).toMatchObject({ late: 6n });
  });

  it('leaves a payment in time whose block is later, if the mempool held it in time, also after a rescan', () => {
    wallet.time = CREATED + 60;
    wallet.see(1, 1, 100n);
    pass();
    const block = wallet.block([[1, 1, 100n]], 10);
    wallet.store.addPage(block);
    expect(state()).toBe('paid');
    wallet.clear();
    wallet.store.addPage(page(0, 10));
    wallet.store.addPage(block);
    expect(state()).toBe('paid');
    expect(wallet.types()).toEqual(['seen', 'paid']);
  });
});

describe('a change of the end', () => {
  /** Extends the request as the service does. */
  const extend = (expires: number): void =>
    wallet.store.write((w) => {
      const found = wallet.request(1);
      w.requests.extend(found.sequence, expires);
      const reported = { ...found.reported, isExpiryReported: false };
      w.events.reviseRequest({ ...found, expires, ended: false, reported });
    });
  const cancel = (): void =>
    wallet.store.write((w) => {
      const found = wallet.request(1);
      w.requests.cancel(found.sequence, wallet.time);
      w.events.reviseRequest({ ...found, cancelled: wallet.time });
    });

  beforeEach(() => wallet.add(newRequest(1, { expires: CREATED + 60, confirmations: 1 })));

  it('to a later one makes late payments count, and reports what they reach', () => {
    wallet.time = CREATED + 100;
    wallet.expire();
    wallet.mine([[1, 1, 40n]]);
    expect(after(() => extend(CREATED + 200))).toEqual(['partial']);
    expect(state()).toBe('partial');
    expect(after(() => wallet.mine([[2, 1, 60n]]))).toEqual(['paid']);
  });

  it('is reported as another expiry when that passes', () => {
    wallet.time = CREATED + 100;
    wallet.expire();
    expect(after(() => extend(CREATED + 200))).toEqual([]);
    expect(state()).toBe('waiting');
    wallet.time = CREATED + 201;
    expect(after(() => wallet.expire())).toEqual(['expired']);
  });

  it('by a cancellation reverses no payment, even if the clock was set back since', () => {
    wallet.mine([[1, 1, 40n]]);
    wallet.time -= 10;
    expect(after(cancel)).toEqual([]);
    expect(wallet.request(1)).toMatchObject({ state: 'cancelled', reported: { received: 0n, late: 40n } });
  });

  it('by a cancellation reverses nothing, and makes later payments late', () => {
    wallet.mine([[1, 1, 40n]]);
    expect(after(cancel)).toEqual([]);
    expect(state()).toBe('cancelled');
    wallet.time += 10;
    expect(after(() => wallet.mine([[2, 1, 60n]]))).toEqual(['late']);
    wallet.time = CREATED + 100;
    expect(after(() => wallet.expire())).toEqual([]);
    expect(state()).toBe('cancelled');
  });
});

describe('a locked payment', () => {
  beforeEach(() => wallet.add(newRequest(1, { confirmations: 1 })));

  it('counts from the block that opens it', () => {
    expect(after(() => wallet.mine([[1, 1, 100n, { unlockTime: 25n }]]))).toEqual([]);
    expect(state()).toBe('waiting');
    wallet.grow(24 - 1 - wallet.tip);
    expect(state()).toBe('waiting');
    expect(after(() => wallet.mine())).toEqual(['paid']);
  });

  it('counts beside a payment that is not locked, from the smallest unit on', () => {
    wallet.mine([[1, 1, 1n, { unlockTime: 25n }]]);
    expect(after(() => wallet.mine([[2, 1, 99n]]))).toEqual(['partial']);
    expect(wallet.events().at(-1)?.data).toMatchObject({ received: 99n, locked: 1n });
    wallet.grow(24 - 1 - wallet.tip);
    expect(after(() => wallet.mine())).toEqual(['paid']);
  });

  it('of a miner counts after 60 blocks', () => {
    const height = wallet.tip + 1;
    wallet.mine([[1, 1, 100n, { unlockTime: BigInt(height + 60), coinbase: true }]]);
    wallet.grow(58);
    expect(state()).toBe('waiting');
    expect(after(() => wallet.mine())).toEqual(['paid']);
  });

  it('counts from the first block after the time that opens it', () => {
    wallet.mine([[1, 1, 100n, { unlockTime: BigInt(CREATED + 5000) }]]);
    wallet.see(2, 1, 20n);
    wallet.grow(20);
    expect(state()).toBe('partial');
    wallet.time = CREATED + 5001;
    // Neither the mempool nor another payment changes that.
    wallet.readPool();
    wallet.see(3, 2, 20n);
    expect(state()).toBe('partial');
    expect(after(() => wallet.mine())).toEqual(['paid']);
  });
});

test('a settled transaction leaves nothing to the next one', () => {
  const ids = new EventIds({ clock: { now: () => 1000 * wallet.time } });
  const db = openDatabase(':memory:', { key: new Uint8Array(32), cipher: NEW_CIPHER });
  const w = new WalletWriter(db, { ids, confirmations: [1, 10] });
  const write = (task: () => void): void =>
    db
      .transaction(() => {
        task();
        w.events.settle();
        w.events.settleStates();
      })
      .immediate();
  const types = (): string[] =>
    new WalletReader(db).events
      .after(0, 1000)
      .map(({ type }) => type)
      .filter((type) => type.startsWith('request.'));
  write(() => {
    while (!w.events.beginNext());
    w.applyPage(page(0, 10));
  });
  write(() => w.applyPage(wallet.block([[1, 2, 9n]], 10)));
  write(() => {
    w.requests.add(newRequest(1, { confirmations: 1 }));
    w.applyPage(wallet.block([[2, 1, 100n, { unlockTime: BigInt(CREATED + 5000) }]], 11));
  });
  write(() => w.applyPage(page(12, 20)));
  wallet.time = CREATED + 5001;
  write(() => undefined);
  expect(types()).toEqual([]);
  write(() => w.applyPage(page(32, 1)));
  expect(types()).toEqual(['request.paid']);
  db.close();
});

test('burnt outputs take a request no further', () => {
  wallet.add(newRequest(1, { confirmations: 1 }));
  const publicKey = bytes<never>(99);
  expect(after(() => wallet.mine([[1, 1, 50n, { publicKey }]]))).toEqual(['partial']);
  expect(after(() => wallet.mine([[2, 1, 50n, { publicKey }]]))).toEqual([]);
  expect(after(() => wallet.mine([[3, 1, 100n, { publicKey }]]))).toEqual(['paid']);
});

test('payments in the mempool to one one-time key take a request no further than the largest of them', () => {
  wallet.add(newRequest(1, { confirmations: 0 }));
  const subaddress = { major: 0, minor: 1 };
  const to = (value: bigint) => [
    { outputIndex: 0, amount: amount(value), subaddress, publicKey: bytes<never>(99) },
  ];
  wallet.see(1, 1, 50n, { outputs: to(50n) });
  expect(after(() => wallet.see(2, 1, 50n, { outputs: to(50n) }))).toEqual([]);
  expect(state()).toBe('partial');
  expect(after(() => wallet.see(3, 1, 70n, { outputs: to(70n) }))).toEqual(['partial']);
  expect(wallet.events().at(-1)?.data).toMatchObject({ unconfirmed: 70n });
  // The smaller one is mined first: the larger one adds the difference.
  expect(after(() => wallet.mine([[2, 1, 50n, { publicKey: bytes(99) }]]))).toEqual([]);
  expect(after(() => wallet.see(4, 1, 30n))).toEqual(['paid']);
});

test('a payment that has left the mempool still counts once beside another one to its one-time key', () => {
  wallet.add(newRequest(1, { confirmations: 0 }));
  const to = (value: bigint) => ({
    outputs: [
      {
        ...{ outputIndex: 0, amount: amount(value), publicKey: bytes<never>(99) },
        subaddress: { major: 0, minor: 1 },
      },
    ],
  });
  wallet.see(1, 1, 90n, to(90n));
  wallet.see(2, 1, 90n, to(90n));
  expect(after(() => wallet.drop(1))).toEqual([]);
  expect(state()).toBe('partial');
  wallet.mine();
  expect(after(() => wallet.readPool())).toEqual([]);
});

test('events are the same when a restored store reads them', () => {
  wallet.add(newRequest(1, { reference: 'é "r"' }), openRequest(2));
  wallet.see(1, 1, 30n);
  wallet.mine([
    [1, 1, 30n],
    [2, 2, (1n << 62n) + 1n],
  ]);
  wallet.mine([[3, 1, 500n]]);
  wallet.mine([], 10);
  const events = wallet.events();
  wallet.reopen();
  expect(wallet.events()).toEqual(events);
  expect(events.map(({ id }) => id)).toEqual([...events.map(({ id }) => id)].sort((a, b) => a - b));
});
