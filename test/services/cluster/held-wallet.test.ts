import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ClusterUnreachable, Fenced, NotReplicated } from '../../../src/cluster/errors.js';
import type { Lease } from '../../../src/cluster/lease.js';
import { HeldWallet } from '../../../src/services/cluster/held-wallet.js';
import { WalletDirectory } from '../../../src/services/context/wallet-directory.js';
import { namedLog } from '../../../src/services/context/wallet-context.js';
import {
  NotReplicatedError,
  type PageSink,
  BaseNotRenewedError,
  type Replication,
  type ReplicationOptions,
} from '../../../src/store/replication/replication.js';
import type { WalletStore } from '../../../src/store/wallet-store.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { FakeQuorum } from '../../support/fakes/fake-cluster.js';
import { VirtualClock } from '../../support/fakes/virtual-clock.js';

const LATE = { fault: { kind: 'not_replicated', reason: 'late' } };
const ELSEWHERE = { fault: { kind: 'wallet_elsewhere', name: 'shop' } };

let folder: string;
let clock: VirtualClock;
/** Calls of the parts of the wallet, in their order. */
let calls: string[];
let isValid: boolean;
/** Answer of the next waits for the replication. */
let replicating: () => Promise<void>;
let sendingKeys: () => Promise<void>;
let closing: () => Promise<void>;
/** Id of the last event of the store. */
let last: number;
let sequence: number;
let options: ReplicationOptions[];
let sinks: PageSink[];
let keysOfBase: (Uint8Array | undefined)[];
let errors: object[];
let held: HeldWallet;
let quorum: FakeQuorum;
let frames: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'held-'));
  clock = new VirtualClock();
  [calls, options, sinks, keysOfBase, errors] = [[], [], [], [], []];
  [isValid, last, sequence, frames] = [true, 0, 0, 0];
  quorum = new FakeQuorum();
  replicating = sendingKeys = closing = () => Promise.resolve();
  const paths = new WalletDirectory(folder).locate('shop');
  writeFileSync(paths.keys, 'keys 1');
  const lease: Lease = { name: 'shop', epoch: 3n, isValid: () => isValid, remainingMs: () => 1 };
  const note = (facts: object): void => void errors.push(facts);
  held = new HeldWallet({
    ...{ lease, paths, clock, stored: { sequence: 7, baseBytes: 100, frameBytes: 10 }, isRebuilt: false },
    leases: {
      setKeysFile: async (_, keysFile) => {
        calls.push(`keys file ${Buffer.from(keysFile).toString()}`);
        await sendingKeys();
      },
    },
    logs: {
      append: () => Promise.reject(new Fenced('shop', 3n)),
      putBase: async (_, __, ___, keysFile) => void keysOfBase.push(keysFile),
    },
    log: namedLog({ info: note, warn: note, error: note }, 'shop'),
    quorum,
    wasServed: false,
    onRemove: () => Promise.resolve(),
    onEnd: async (isComplete) => void calls.push(`end ${isComplete}`),
  });
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Store with the calls that a holding uses. */
const store = {
  replicate(sink: PageSink, given: ReplicationOptions) {
    options.push(given);
    sinks.push(sink);
    return {
      replicated: () => replicating(),
      drop: () => void calls.push('drop'),
      close: async (ms: number) => {
        calls.push(`close ${ms}`);
        await closing();
      },
      get sequence() {
        return sequence;
      },
      get frames() {
        return frames;
      },
      bases: 0,
    } as Partial<Replication> as Replication;
  },
  read: () => last,
  flushEvents: async () => void calls.push(`flush ${last}`),
} as unknown as WalletStore;

const attach = (): void => held.attach(store, () => void calls.push('events'));

/** Attaches the store, and lets its first flush end. */
async function attached(): Promise<void> {
  attach();
  await turns(2);
  calls.splice(0);
}

const changeKeys = (text: string): void => writeFileSync(held.paths.keys, text);

async function* noParts(): AsyncIterable<Uint8Array> {}

/** Returns a promise that the test settles. */
function pending() {
  let [resolve, reject]: [() => void, (error: unknown) => void] = [() => undefined, () => undefined];
  const promise = new Promise<void>((done, failed) => ([resolve, reject] = [done, failed]));
  return { promise, resolve, reject };
}

describe('settled', () => {
  test('waits for the replication of the store, then for the keys file', async () => {
    await attached();
    const { promise, resolve } = pending();
    replicating = () => promise;
    changeKeys('keys number 2');
    let isSettled = false;
    const settled = held.settled().then(() => (isSettled = true));
    await turns(2);
    expect([isSettled, calls]).toEqual([false, []]);
    resolve();
    await settled;
    expect(calls).toEqual(['keys file keys number 2']);
  });

  test('fails without a quorum, also if everything is stored', async () => {
    await attached();
    quorum.isLost = true;
    await expect(held.settled()).rejects.toMatchObject({ fault: { kind: 'not_replicated' } });
    isValid = false;
    await expect(held.settled()).rejects.toMatchObject(ELSEWHERE);
    [quorum.isLost, isValid] = [false, true];
    await held.settled();
  });

  test('sends a replaced keys file once, for several calls at the same time, and an unchanged one never', async () => {
    await attached();
    await held.settled();
    expect(calls).toEqual([]);
    changeKeys('keys number 2');
    await Promise.all([held.settled(), held.settled(), held.settled()]);
    await held.settled();
    expect(calls).toEqual(['keys file keys number 2']);
  });

  test('sends the keys file again after a failure', async () => {
    await attached();
    changeKeys('keys number 2');
    sendingKeys = () => Promise.reject(new NotReplicated('late'));
    await expect(held.settled()).rejects.toMatchObject({ fault: { kind: 'not_replicated' } });
    sendingKeys = () => Promise.resolve();
    await held.settled();
    expect(calls).toEqual(['keys file keys number 2', 'keys file keys number 2']);
  });

  test.each([
    [new NotReplicatedError('late', false), LATE],
    // The message for clients says itself that nothing was replicated.
    [new NotReplicated('late'), LATE],
    [new ClusterUnreachable('late'), LATE],
    [new Fenced('shop', 3n), ELSEWHERE],
    [new TypeError('a bug'), { message: 'a bug' }],
  ])('fails with the fault of %s', async (error, expected) => {
    await attached();
    replicating = () => Promise.reject(error);
    await expect(held.settled()).rejects.toMatchObject(expected);
  });

  test('fails if the wallet is lost, before and during the wait', async () => {
    await attached();
    const { promise, resolve } = pending();
    replicating = () => promise;
    const settled = held.settled();
    isValid = false;
    resolve();
    await expect(settled).rejects.toMatchObject(ELSEWHERE);
    await expect(held.settled()).rejects.toMatchObject(ELSEWHERE);
  });
});

describe('a lost wallet', () => {
  test('drops what is not sent, and tells the first reason', async () => {
    await attached();
    held.lose('http://b');
    held.lose('nobody');
    expect(calls).toContain('drop');
    expect(held.isLost).toBe(true);
    expect(() => held.assertHeld()).toThrow(
      expect.objectContaining({ fault: { ...ELSEWHERE.fault, holder: 'http://b' } }),
    );
  });

  test('is one whose lease has ended, although nobody has said so', () => {
    held.assertHeld();
    isValid = false;
    expect(() => held.assertHeld()).toThrow(
      expect.objectContaining({
        fault: { ...ELSEWHERE.fault, holder: 'no process: its lease has ended' },
      }),
    );
  });

  test('sends nothing when it is detached', async () => {
    await attached();
    changeKeys('keys number 2');
    held.lose('http://b');
    expect(await held.detach()).toBe(false);
    expect(calls.filter((call) => call !== 'drop')).toEqual([]);
  });

  test('ends its sink', async () => {
    await attached();
    await expect(sinks[0]?.append(8, new Uint8Array())).rejects.toMatchObject({ name: 'SinkEndedError' });
  });
});

describe('detach', () => {
  test('sends the rest of the store, then the keys file, and the next store goes on after it', async () => {
    await attached();
    changeKeys('keys number 2');
    sequence = 9;
    expect(await held.detach()).toBe(true);
    expect(calls).toEqual(['close 5000', 'keys file keys number 2']);
    expect(held.replication).toBeUndefined();
    attach();
    expect(options).toMatchObject([
      { sequence: 7, baseBytes: 100, frameBytes: 10 },
      { sequence: 9, baseBytes: 100 },
    ]);
  });

  test('is incomplete, and says so in the log, if the rest is not replicated', async () => {
    await attached();
    closing = () => Promise.reject(new NotReplicatedError('late', false));
    expect(await held.detach()).toBe(false);
    expect(errors).toHaveLength(1);
    await held.end(false);
    expect([held.isEnded, calls]).toEqual([false, ['close 5000', 'end false']]);
  });

  test('shows no event afterwards', async () => {
    await attached();
    held.advanceEvents(false);
    await held.detach();
    await clock.advance(10_000);
    expect([held.eventsUpTo, calls, clock.timers]).toEqual([0, ['close 5000'], 0]);
  });

  test('of a wallet without a store is complete', async () => {
    expect(await held.detach()).toBe(true);
    await held.end(true);
    expect([held.isEnded, calls]).toEqual([true, ['end true']]);
  });
});

test('a failure is logged once for each reason until the database has got more, and a base that was not renewed beside it', () => {
  attach();
  const fail = (error: Error): void => options[0]?.onError?.(error);
  const logged = (): unknown[] =>
    errors.splice(0).map((facts) => (facts as { readonly err: Error }).err.message);
  fail(new Error('no answer within 4990 ms'));
  fail(new Error('no answer within 4987 ms'));
  fail(new BaseNotRenewedError('no answer within 59999 ms'));
  fail(new Error('no answer within 12 ms'));
  fail(new Error('no space left'));
  expect(logged()).toEqual(['no answer within 4990 ms', 'no answer within 59999 ms', 'no space left']);
  frames += 1;
  fail(new Error('no space left'));
  fail(new BaseNotRenewedError('no answer within 60000 ms'));
  expect(logged()).toEqual(['no space left']);
});

test('only the first base of a store with new keys takes the keys file along', async () => {
  await attached();
  await sinks[0]?.putBase(8, noParts());
  await held.detach();
  held.forgetStore();
  attach();
  await sinks[1]?.putBase(9, noParts());
  expect(keysOfBase.map((keys) => keys && Buffer.from(keys).toString())).toEqual([undefined, 'keys 1']);
  expect(options[1]).toMatchObject({ baseBytes: 0, frameBytes: 0 });
});

describe('events', () => {
  test('are shown up to those that are stored by a quorum', async () => {
    last = 4;
    expect(held.eventsUpTo).toBe(0);
    attach();
    await turns(2);
    expect([held.eventsUpTo, calls]).toEqual([4, ['flush 4', 'events']]);
    last = 6;
    await turns(2);
    expect(held.eventsUpTo).toBe(4);
    held.advanceEvents(true);
    await turns(2);
    expect(held.eventsUpTo).toBe(6);
  });

  test('of a wallet that reads old blocks are stored together, five seconds later', async () => {
    await attached();
    for (last = 1; last < 50; last++) held.advanceEvents(false);
    await clock.advance(4999);
    expect([held.eventsUpTo, calls]).toEqual([0, []]);
    await clock.advance(1);
    expect([held.eventsUpTo, calls]).toEqual([50, ['flush 50', 'events']]);
    last = 51;
    held.advanceEvents(false);
    await clock.advance(5000);
    expect(held.eventsUpTo).toBe(51);
  });
});

describe('calls', () => {
  test('are waited for until the last one has ended', async () => {
    const [one, two] = [held.begin(), held.begin()];
    let isIdle = false;
    const idle = held.idle(1000).then(() => (isIdle = true));
    one();
    one();
    await turns(2);
    expect(isIdle).toBe(false);
    two();
    await idle;
    expect(clock.timers).toBe(0);
    await held.idle(1000);
  });

  test('are waited for no longer than given', async () => {
    held.begin();
    let isIdle = false;
    void held.idle(1000).then(() => (isIdle = true));
    await clock.advance(999);
    expect(isIdle).toBe(false);
    await clock.advance(1);
    expect(isIdle).toBe(true);
  });

  test('of a wallet that moves are known', () => {
    expect([held.isMoving, held.destination]).toEqual([false, undefined]);
    held.beginMove('http://b');
    expect([held.isMoving, held.destination]).toEqual([true, 'http://b']);
  });
});
