import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, jest } from '@jest/globals';
import type { Hash } from '../../../src/monero/crypto/types.js';
import type { PageFindings } from '../../../src/monero/wallet/scan/findings.js';
import { PaymentRequests, type RequestSpec } from '../../../src/services/requests/payment-requests.js';
import { amount, ZERO } from '../../../src/util/amount.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { withFakeTimeouts } from '../../support/fakes/fake-timeouts.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { watchStatements } from '../../support/processes/statement-watch.js';
import { trackedRequests } from '../../support/wallets/stored-requests.js';
import { TestWallet } from '../../support/wallets/test-wallet.js';
import { bytes, output, page, received } from '../../store/fixtures.js';

const CREATED = 1_700_000_000;
const FILE = 'wallet';

/** Minor indices of the requests: one that is paid, one that is cancelled, one that expires. */
const [PAID, CANCELLED, EXPIRING] = [1, 2, 3];

/** A wallet on disk with its requests, as one process has it open. */
class Life {
  readonly wallet: TestWallet;
  readonly requests: PaymentRequests;

  constructor(directory: string, { isOld, time }: { readonly isOld: boolean; readonly time: number }) {
    this.wallet = new TestWallet({ path: join(directory, FILE), isOld });
    this.wallet.time = time;
    const { wallet } = this;
    this.requests = new PaymentRequests(
      {
        ...{ addresses: wallet.addresses, assertOpen: wallet.assertOpen, clock: wallet.clock, daemon: {} },
        ...{ keystore: wallet.keystore, log: wallet.log, store: wallet.store, daemon: wallet.daemon },
        ...{ name: 'shop', rng: seededRng(`requests ${time}`), events: wallet.events },
        requestSettings: { scale: [{ from: ZERO, confirmations: 2 }] },
      },
      { accounts: wallet.accounts, sync: { isSynced: true, daemonHeight: 0 } as never },
    );
    wallet.store.watchEvents(() => this.requests.onEvents());
    this.requests.start();
  }

  close(): void {
    this.requests.close();
    this.wallet.close();
  }

  /** Creates the request with a minor index, once however often it is called. */
  create(minor: number, more: Partial<RequestSpec> = {}): Promise<unknown> {
    return this.requests.create({
      ...{ amount: amount(100n), account: 0, confirmations: 0, tolerance: ZERO, label: `label ${minor}` },
      ...{
        reference: `r${minor}`,
        call: { key: `k${minor}`, method: 'create_payment_request', requestHash: bytes<Hash>(minor) },
      },
      ...more,
    });
  }

  id(minor: number): { readonly reference: string } {
    return { reference: `r${minor}` };
  }

  /** Adds the block at a height, which pays some requests, unless the wallet has it. */
  mine(
    height: number,
    hash: number,
    paid: readonly (readonly [tx: number, minor: number, value: bigint])[] = [],
  ): void {
    const block: PageFindings = page(height, 1, {
      hashes: [bytes<Hash>(hash)],
      received: paid.map(([tx]) => ({ ...received(tx, height), timestamp: this.wallet.time })),
      outputs: paid.map(([tx, minor, value]) =>
        output(tx, height, value, {
          ...{ publicKey: bytes(10_000 + tx), keyImage: bytes(20_000 + tx) },
          subaddress: { major: 0, minor },
        }),
      ),
    });
    const known = this.wallet.store.read((r) => r.chain.hashAt(height));
    if (known === undefined || Buffer.compare(known, bytes(hash)) !== 0) this.wallet.store.addPage(block);
  }

  /** Reads a mempool with one payment. */
  see(tx: number, minor: number, value: bigint): void {
    const facts = { txHash: bytes<Hash>(tx), timestamp: this.wallet.time, unlockTime: 0n, fee: amount(1n) };
    const paid = { outputIndex: 0, amount: amount(value), publicKey: bytes<never>(10_000 + tx) };
    this.wallet.store.write((w) => {
      w.pool.add({
        ...{ ...facts, doubleSpendSeen: false },
        outputs: [{ ...paid, subaddress: { major: 0, minor } }],
      });
      w.events.poolRead();
    });
  }

  /** Lets the timers of expiries look at the clock. */
  async elapse(): Promise<void> {
    jest.advanceTimersByTime(61_000);
    await turns(2);
  }

  /** The states of the requests and the types of their events, in the order of both. */
  facts(): Facts {
    const { store } = this.wallet;
    store.commitPages();
    const { tracked, events, addresses } = store.read((r) => ({
      tracked: trackedRequests(r).reverse(),
      events: r.events.after(0, 1000),
      addresses: r.accounts.get(0)?.addressCount ?? 0,
    }));
    for (const request of tracked) {
      const { status, label } = this.requests.get({ requestId: request.requestId });
      // What the last event reported is what follows from the payments.
      expect([request.state, request.reported.received, request.reported.late]).toEqual([
        ...[status.state, status.mined + status.unmined, status.late],
      ]);
      expect(label).toBe(`label ${request.subaddress.minor}`);
    }
    // No address is created without its request.
    expect(addresses).toBe(tracked.length + 1);
    const types = events.flatMap(({ type, data }) =>
      'requestId' in data ? [`${data.reference ?? ''} ${type.slice('request.'.length)}`] : [],
    );
    const states = tracked.map(({ state, expires }) =>
      expires === undefined ? state : `${state} ${expires - CREATED}`,
    );
    return { states, events: types };
  }
}

interface Facts {
  /** State of each request, and the time of its expiry after the creation [s]. */
  readonly states: readonly string[];
  readonly events: readonly string[];
}

interface Step {
  readonly what: string;
  /** Time of the step after the creation [s]. */
  readonly time: number;
  readonly run: (life: Life) => unknown;
  /** States of the requests after it. */
  readonly states: readonly string[];
  /** Events that it adds. */
  readonly events: readonly string[];
}

/** Life of three requests. Each step may be repeated after a kill in it. */
const STEPS: readonly Step[] = [
  {
    ...{ what: 'creation', time: 0, states: ['waiting 100'], events: [] },
    run: (life) => life.create(PAID, { expires: CREATED + 100, metadata: '{}' }),
  },
  {
    ...{ what: 'second creation', time: 1, states: ['waiting 100', 'waiting'], events: [] },
    run: (life) => life.create(CANCELLED),
  },
  {
    ...{ what: 'creation of one that expires', time: 2, events: [] },
    states: ['waiting 100', 'waiting', 'waiting 50'],
    run: (life) => life.create(EXPIRING, { expires: CREATED + 50 }),
  },
  {
    ...{ what: 'sight of a part', time: 3, events: ['r1 partial'] },
    states: ['partial 100', 'waiting', 'waiting 50'],
    run: (life) => life.see(1, PAID, 60n),
  },
  {
    ...{ what: 'block with the rest', time: 4, events: ['r1 seen'] },
    states: ['confirming 100', 'waiting', 'waiting 50'],
    run: (life) => {
      life.mine(1, 501, [
        [1, PAID, 60n],
        [2, PAID, 40n],
      ]);
    },
  },
  {
    ...{ what: 'block that confirms it', time: 5, events: ['r1 paid'] },
    states: ['paid 100', 'waiting', 'waiting 50'],
    run: (life) => life.mine(2, 502),
  },
  {
    ...{ what: 'extension', time: 6, events: [] },
    states: ['paid 100', 'waiting', 'waiting 80'],
    run: (life) => life.requests.extend(life.id(EXPIRING), CREATED + 80),
  },
  {
    ...{ what: 'cancellation', time: 7, events: [] },
    states: ['paid 100', 'cancelled', 'waiting 80'],
    run: (life) => life.requests.cancel(life.id(CANCELLED)),
  },
  {
    ...{ what: 'late payment', time: 8, events: ['r2 late'] },
    states: ['paid 100', 'cancelled', 'waiting 80'],
    run: (life) => life.mine(3, 503, [[3, CANCELLED, 100n]]),
  },
  {
    ...{ what: 'expiry', time: 81, events: ['r3 expired'] },
    states: ['paid 100', 'cancelled', 'expired 80'],
    run: (life) => life.elapse(),
  },
  {
    ...{ what: 'extension of the expired one', time: 90, events: [] },
    states: ['paid 100', 'cancelled', 'waiting 200'],
    run: (life) => life.requests.extend(life.id(EXPIRING), CREATED + 200),
  },
  {
    ...{ what: 'reorganisation', time: 91, events: ['r1 reversed', 'r2 reversed'] },
    states: ['waiting 100', 'cancelled', 'waiting 200'],
    run: (life) => life.mine(1, 601),
  },
];

/** Returns the facts after the first steps. */
const expectedAfter = (count: number): Facts => ({
  states: STEPS[count - 1]?.states ?? [],
  events: STEPS.slice(0, count).flatMap(({ events }) => events),
});

/**
 * Opens the files that a kill leaves, and continues the life. What a killed process has written is in the files, whether
 * flushed to disk or not, and what it has not written is lost: they are copied at that moment, in place of a process that
 * is killed.
 * @param at number of the step in which the kill strikes. @returns true if the step was committed.
 */
async function survive(files: string, at: number, isSure: boolean): Promise<boolean> {
  const step = STEPS[at] as Step;
  const time = CREATED + step.time;
  const life = new Life(files, { isOld: true, time });
  try {
    const facts = life.facts();
    const [before, after] = [expectedAfter(at), expectedAfter(at + 1)];
    const isDone = isSure || JSON.stringify(facts) !== JSON.stringify(before);
    expect(facts).toEqual(isDone ? after : before);
    await step.run(life);
    expect(life.facts()).toEqual(after);
    return isDone;
  } finally {
    life.close();
  }
}

it('loses nothing, and does nothing in part or twice, if it is killed after any SQL statement', () =>
  withFakeTimeouts(async () => {
    const root = mkdtempSync(join(tmpdir(), 'request-statements-'));
    const open = join(root, 'open');
    mkdirSync(open);
    try {
      const life = new Life(open, { isOld: false, time: CREATED });
      life.wallet.store.addPage(page(0, 1));
      let copies: { readonly sql: string; readonly files: string }[] = [];
      let made = 0;
      const copy = (sql: string): void => {
        const files = join(root, String(made++));
        cpSync(open, files, { recursive: true });
        copies.push({ sql, files });
      };
      const numbers: number[] = [];
      for (const [i, step] of STEPS.entries()) {
        life.wallet.time = CREATED + step.time;
        copies = [];
        const stop = watchStatements(copy);
        try {
          await step.run(life);
        } finally {
          stop();
        }
        expect(life.facts()).toEqual(expectedAfter(i + 1));
        numbers.push(copies.length);
        let isDone = false;
        for (const { files } of copies) {
          const wasDone = isDone;
          isDone = await survive(files, i, wasDone);
          rmSync(files, { recursive: true });
        }
        // The step is acknowledged: no kill undoes it.
        copy('');
        await survive(join(root, String(made - 1)), i, true);
      }
      life.close();
      // Each step has a transaction of several statements.
      expect(Math.min(...numbers)).toBeGreaterThan(2);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }));
