import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { Hash } from '../../../src/monero/crypto/types.js';
import type { RequestFacts, WalletEvent } from '../../../src/model/events.js';
import type { RequestState } from '../../../src/model/payment-request.js';
import { PaymentRequests } from '../../../src/services/requests/payment-requests.js';
import type { RequestView } from '../../../src/services/requests/request-views.js';
import { MempoolTracker } from '../../../src/services/sync/mempool-tracker.js';
import { EventIds } from '../../../src/store/file/event-ids.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { WalletError } from '../../../src/model/wallet-error.js';
import type { RecordAddresses } from '../../../src/services/accounts/accounts.js';
import { amount, ZERO } from '../../../src/util/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { EventWorld, type WorldTx } from '../../support/wallets/event-world.js';
import { withFakeTimeouts } from '../../support/fakes/fake-timeouts.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { TestWallet } from '../../support/wallets/test-wallet.js';
import { randomRuns } from '../../support/fakes/random-runs.js';

const KEY = new Uint8Array(32).fill(1);
const address = (() => {
  const wallet = new TestWallet();
  const text = wallet.accounts.address({ major: 0, minor: 1 });
  wallet.close();
  return text;
})();

/** A payment as the events of payments describe it. */
interface KnownPayment {
  readonly txHash: string;
  readonly minor: number;
  readonly amount: bigint;
  readonly unlockTime: bigint;
  /** Absent in the mempool. */
  readonly height?: number;
}

/** Interval in which a payment arrived [Unix s]. */
interface Arrival {
  readonly since: number;
  readonly time: number;
}

interface ModelSums {
  readonly state: RequestState;
  readonly mined: bigint;
  readonly unmined: bigint;
  readonly locked: bigint;
  readonly late: bigint;
}

/** Computes the state of a request by the plain rules. */
function model({ request }: RequestView, payments: readonly KnownPayment[], run: Run): ModelSums {
  const { amount: asked, tolerance, confirmations, expires = Infinity, cancelled = Infinity } = request;
  const end = Math.min(expires, cancelled);
  const { tip } = run;
  const arrivalOf = ({ txHash, minor }: KnownPayment): Arrival =>
    run.arrivals.get(`${txHash} ${minor}`) ?? { since: NaN, time: NaN };
  const sum = (some: readonly KnownPayment[]): bigint => some.reduce((total, one) => total + one.amount, 0n);
  const isLate = (one: KnownPayment): boolean => arrivalOf(one).since > end;
  const isOpen = ({ height, unlockTime }: KnownPayment): boolean =>
    unlockTime === 0n || (height !== undefined && tip >= height + 9 && BigInt(tip) >= unlockTime - 1n);
  const isSure = (one: KnownPayment): boolean =>
    one.height === undefined
      ? confirmations === 0 && !run.contested.has(one.txHash) && arrivalOf(one).time <= end
      : tip - one.height + 1 >= confirmations;
  const good = payments.filter((one) => !isLate(one) && isOpen(one));
  const [mined, unmined] = [
    good.filter((one) => one.height !== undefined),
    good.filter((one) => one.height === undefined),
  ];
  const isEnough = (some: readonly KnownPayment[]): boolean =>
    asked !== undefined && sum(some) >= asked - tolerance;
  const lacking =
    request.cancelled !== undefined
      ? 'cancelled'
      : request.ended
        ? 'expired'
        : good.length > 0
          ? 'partial'
          : 'waiting';
  const enough = isEnough(good.filter(isSure)) ? 'paid' : isEnough(mined) ? 'confirming' : 'seen';
  return {
    state: isEnough(good) && request.cancelled === undefined ? enough : lacking,
    ...{ mined: sum(mined), unmined: sum(unmined) },
    locked: sum(payments.filter((one) => !isLate(one) && !isOpen(one))),
    late: sum(payments.filter(isLate)),
  };
}

const FULL: readonly RequestState[] = ['seen', 'confirming', 'paid'];

/** Facts that the events of one request report. */
interface Reported {
  isPaid: boolean;
  isFull: boolean;
  total: bigint;
  late: bigint;
  /** True if its expiry was reported since it got it. */
  isExpired: boolean;
  /** True if its end was changed: payments may be late without an event. */
  isRevised: boolean;
  /** Largest sum of its confirmed payments since its last reversal. */
  mostPaid: bigint;
  /** Types of its events since the last check. */
  types: Set<string>;
}

/** A wallet with requests on disk that follows a world, compared with the model after every step. */
class Run {
  readonly world = new EventWorld();
  /** When payments arrived, by transaction and address. */
  readonly arrivals = new Map<string, Arrival>();
  /** Hashes of the transactions that the wallet knows to be contested. */
  readonly contested = new Set<string>();
  readonly #reported = new Map<string, Reported>();
  readonly #payments = new Map<string, KnownPayment>();
  readonly #events: WalletEvent[] = [];
  readonly #directory = mkdtempSync(join(tmpdir(), 'requests-'));
  readonly #rng = seededRng('model');
  /** Dates of the blocks, by hash. */
  readonly #dates = new Map<string, number>();
  /** Times at which requests were cancelled, by minor index. */
  readonly #cancelled = new Map<number, number>();
  readonly #twins = new Set<WorldTx>();
  #time = 1_700_000_000;
  /** Beginning of the last complete read, the least distance of clock and newest block, and whether it is much more now. */
  #lastRead: { readonly time: number; readonly leastLag: number; readonly isLagging: boolean } | undefined;
  #hasReadSinceOpen = false;
  /** Date of the newest block before the last change. */
  #newest = 0;
  /** Height of the tip before the last change; of a rescan, before it. */
  #known = -1;
  /** Height of the tip by which the states are those of the model. */
  tip = -1;
  /** True while a rescan holds what was reported before. */
  #isHeld = false;
  #store: WalletStore;
  #mempool: MempoolTracker;
  #requests: PaymentRequests;
  #scanned = new Set<string>();

  constructor() {
    this.mine([]);
    this.#store = this.#open(true);
    this.#mempool = new MempoolTracker({ store: this.#store });
    this.#requests = this.#serve();
  }

  #open(isNew: boolean): WalletStore {
    const clock = { now: () => 1000 * this.#time };
    const events = {
      ids: new EventIds({ path: join(this.#directory, 'ids'), clock }),
      confirmations: [1, 3],
    };
    const path = join(this.#directory, 'w');
    return isNew
      ? WalletStore.create(path, KEY, (w) => w.accounts.create(), undefined, events)
      : WalletStore.open(path, KEY, undefined, events);
  }

  /** The service of the open store; addresses and keys are the test's. */
  #serve(): PaymentRequests {
    const store = this.#store;
    const accounts = {
      address: () => address,
      labelsOf: () => [],
      prepare: () => undefined,
      assertAccount: () => undefined,
      createAddresses: (_: number, __: number, ___: string, record: RecordAddresses) => {
        store.writeRecoverable((w) => record(w, { major: 0, minor: w.accounts.addAddresses(0, 1) }, 0));
        return Promise.resolve([]);
      },
    };
    const requests = new PaymentRequests(
      {
        ...{
          store,
          rng: this.#rng,
          name: 'w',
          events: {},
          daemon: {},
          clock: { now: () => 1000 * this.#time },
        },
        keystore: { keys: { network: 'mainnet' } },
        requestSettings: {
          scale: [
            { from: ZERO, confirmations: 0 },
            { from: amount(60n), confirmations: 2 },
          ],
        },
        log: { error: (fields: { err: Error }) => expect(fields.err).toBeUndefined() },
      } as never,
      { accounts, sync: { isSynced: true, daemonHeight: 0 } } as never,
    );
    store.watchEvents(() => requests.onEvents());
    requests.start();
    return requests;
  }

  close(): void {
    this.#requests.close();
    this.#store.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async restart(): Promise<void> {
    const before = this.#statuses();
    this.#requests.close();
    this.#store.close();
    this.#store = this.#open(false);
    this.#mempool = new MempoolTracker({ store: this.#store });
    this.#requests = this.#serve();
    this.#scanned.clear();
    this.#hasReadSinceOpen = false;
    expect(this.#store.read((r) => r.events.after(0, 1e6))).toEqual(this.#events);
    expect(this.#statuses()).toEqual(before);
    await this.elapse(0);
  }

  /** Lets time pass, or steps the clock back. Every expiry that has passed is recorded afterwards. */
  async elapse(seconds: number): Promise<void> {
    this.#time += seconds;
    jest.advanceTimersByTime(61_000);
    await turns(2);
    this.check();
    for (const { request } of this.#views())
      if (request.expires !== undefined && request.expires < this.#time) expect(request.ended).toBe(true);
  }

  async create(terms: {
    readonly asked: bigint | null;
    readonly tolerance: bigint;
    readonly confirmations: number;
    readonly expires: number | null;
  }): Promise<void> {
    const { asked, tolerance, confirmations, expires } = terms;
    await this.#requests.create({
      ...(asked === null ? {} : { amount: amount(asked) }),
      ...(expires === null ? {} : { expires: this.#time + expires }),
      ...{ account: 0, confirmations, label: '' },
      tolerance: amount(asked === null || tolerance >= asked ? 0n : tolerance),
    });
    for (const { minor, height } of this.#payments.values())
      if (minor === this.#unusedMinor() - 1) expect(height).toBeUndefined();
    this.check();
  }

  #views(): readonly RequestView[] {
    this.#store.commitPages();
    const all = this.#store.read((r) => r.requests.inStates([], 1e9, 1000));
    return all.map(({ requestId }) => this.#requests.get({ requestId }));
  }

  /** Returns the status of each request, without confirmations, which are those of the blocks that are read. */
  #statuses(): unknown[] {
    return this.#views().map(({ status: { payments, ...sums }, request }) => [
      ...[request.requestId, sums],
      payments.map((payment) => ({ ...payment, confirmations: 0, decidingTip: 0, confirmedTo: 0 })),
    ]);
  }

  /** Returns the state of each request. */
  states(): RequestState[] {
    return this.#views().map(({ status }) => status.state);
  }

  #pick(pick: number): RequestView | undefined {
    const views = this.#views();
    return views[pick % (views.length + 1)];
  }

  /** Cancels or extends a request. */
  revise(pick: number, extend: number | undefined): void {
    const view = this.#pick(pick);
    if (view === undefined) return;
    const { requestId, expires, cancelled } = view.request;
    const run = (): unknown =>
      extend === undefined
        ? this.#requests.cancel({ requestId })
        : this.#requests.extend({ requestId }, Math.max(expires ?? 0, this.#time) + extend);
    const isRefused =
      extend === undefined
        ? cancelled === undefined && FULL.includes(view.status.state)
        : cancelled !== undefined || expires === undefined;
    if (isRefused) expect(run).toThrow(WalletError);
    else {
      this.#reportedOf(requestId).isRevised = true;
      if (extend !== undefined) this.#reportedOf(requestId).isExpired = false;
      else if (cancelled === undefined) this.#cancelled.set(view.request.subaddress.minor, this.#time);
      run();
    }
    this.check();
  }

  /** Mines a block. @param ahead distance of its date to the time [s]. */
  mine(txs: readonly WorldTx[], ahead = 0): void {
    this.world.mine(txs);
    this.#dates.set(toHex(this.world.blocks.at(-1)?.hash ?? new Uint8Array()), this.#time + ahead);
  }

  #dateAt(height: number): number {
    return this.#dates.get(toHex(this.world.blocks[height]?.hash ?? new Uint8Array())) ?? 0;
  }

  /** Minor index of the address of a request, or of the next one, which a later request may get. */
  #minor(pick: number): number {
    return this.#pick(pick)?.request.subaddress.minor ?? this.#unusedMinor();
  }

  /** Minor index of the address that is created next. */
  #unusedMinor(): number {
    return this.#store.read((r) => r.accounts.get(0)?.addressCount ?? 0);
  }

  /** Makes a transaction to some requests. */
  makeTx(pays: readonly { readonly pick: number; readonly value: bigint }[], unlockTime = 0n): WorldTx {
    const outputs = pays.map(({ pick, value }) => ({
      value,
      subaddress: { major: 0, minor: this.#minor(pick) },
    }));
    return this.world.makeTx(outputs, { unlockTime });
  }

  /** Makes a transaction to the address that is created next. */
  makeTxToNext(value: bigint): WorldTx {
    return this.world.makeTx([{ value, subaddress: { major: 0, minor: this.#unusedMinor() } }]);
  }

  /** Mines another payment to the one-time keys of a mined one. */
  mineTwin(pick: number, more: bigint): void {
    const mined = this.world.blocks.flatMap(({ txs }) => txs);
    const original = mined[pick % Math.max(1, mined.length)];
    if (original === undefined) return;
    const tx = this.world.makeTx(
      original.outputs.map(({ value, subaddress }) => ({ value: value + more, subaddress })),
    );
    const outputs = tx.outputs.map((output, i) => ({ ...output, number: original.outputs[i]?.number ?? 0 }));
    const twin = { ...tx, outputs };
    this.#twins.add(twin).add(original);
    this.mine([twin]);
  }

  /** Replaces blocks; the transactions are mined again, or return to the mempool, or are lost. */
  reorganise(depth: number, fates: readonly ('mined' | 'pool' | 'lost')[]): void {
    const undone = this.world.undo(depth);
    const again: WorldTx[] = [];
    undone.forEach((tx, i) => {
      const fate = fates[i % fates.length];
      if (fate === 'lost') return;
      if (fate === 'pool' && !this.#twins.has(tx)) this.world.pool.push(tx);
      else again.push(tx);
    });
    for (const tx of again) this.mine([tx]);
    for (let i = again.length; i <= depth; i++) this.mine([]);
  }

  /** Scans the blocks that are new to the wallet, in pages. */
  scan(blocks: number, afterPage: () => void = () => undefined): void {
    const { world } = this;
    const newest = new Map(this.#store.shortHistory().map(({ height, hash }) => [height, hash]));
    let from = world.forkOf(
      (height) => newest.get(height) ?? this.#store.read((r) => r.chain.hashAt(height)),
    );
    while (from < world.blocks.length) {
      const to = Math.min(from + blocks, world.blocks.length);
      const page = world.page(from, to);
      const received = page.received.map((tx) => ({ ...tx, timestamp: this.#dateAt(tx.height) }));
      const lastBlockTime = this.#dateAt(to - 1);
      if (!this.#isHeld) this.#known = Math.min(this.#storedTip(), from - 1);
      this.#store.addPage({ ...page, received, lastBlockTime }, { onReplaced: () => this.#scanned.clear() });
      if (page.outputs.length > 0) this.#scanned.clear();
      from = to;
      this.check();
      this.#newest = lastBlockTime;
      afterPage();
    }
  }

  #storedTip(): number {
    return this.#store.height() - 1;
  }

  /** First sight of a payment at this time. */
  #sight(): Arrival {
    const time = this.#time;
    const read = this.#lastRead;
    if (read === undefined) return { since: 0, time };
    if (read.isLagging || read.time > time) return { since: Math.min(this.#newest, time), time };
    const isFollowing = this.#hasReadSinceOpen && time - read.time <= 120;
    return { since: isFollowing ? time : read.time, time };
  }

  /** Records the arrival of a payment that its first event reports, or decides it by its block. */
  #arrive(key: string, minor: number, block?: { readonly height: number; readonly date: number }): void {
    const known = this.arrivals.get(key);
    const cancelled = this.#cancelled.get(minor) ?? -1;
    const sight =
      block !== undefined && block.height <= this.#known ? { since: 0, time: this.#time } : this.#sight();
    const { since, time } = known ?? sight;
    const decided = block && Math.max(since, Math.min(time, block.date));
    const arrival = decided === undefined ? { since, time } : { since: decided, time: decided };
    const least = known === undefined ? cancelled + 1 : 0;
    this.arrivals.set(key, {
      since: Math.max(least, arrival.since),
      time: Math.max(least, arrival.time),
    });
  }

  readPool(): void {
    const { world } = this;
    const present = world.pool.map(({ txHash }) => txHash);
    const names = new Set(present.map(toHex));
    for (const name of this.#scanned) if (!names.has(name)) this.#scanned.delete(name);
    const findings = world
      .poolFindings()
      .filter((_, i) => !this.#scanned.has(toHex(present[i] ?? new Uint8Array())))
      .map(({ incoming, ...more }) => ({
        ...more,
        ...(incoming === undefined
          ? {}
          : {
              incoming: {
                ...incoming,
                timestamp: this.#time,
                doubleSpendSeen: this.contested.has(toHex(incoming.txHash)),
              },
            }),
      }));
    for (const name of names) this.#scanned.add(name);
    this.#mempool.commitPool(present, findings);
    if (this.#mempool.hasNewlyMissing(names)) this.#mempool.noteMissing(names, world.blocks.length);
    this.check();
  }

  /** Reads all blocks and the mempool. */
  sync(blocks: number): void {
    const time = this.#time;
    this.scan(blocks);
    this.readPool();
    this.#store.noteCompleteRead(time);
    this.#isHeld = false;
    const hash = this.world.blocks[this.world.tip]?.hash;
    if (hash !== undefined) this.#mempool.decide({ height: this.world.tip, hash });
    const lag = Math.max(0, time - this.#newest);
    const leastLag = Math.min(lag, this.#lastRead?.leastLag ?? Infinity);
    this.#lastRead = { time, leastLag, isLagging: lag - leastLag > 1200 };
    this.#hasReadSinceOpen = true;
    this.check();
  }

  /** The mempool sees another transaction with the inputs of one that it holds. */
  contest(pick: number): void {
    const tx = this.world.pool[pick % Math.max(1, this.world.pool.length)];
    // A wallet asks for the payments to its requests; of others it knows what the mempool said at first sight.
    const isAsked = tx?.outputs.every(({ subaddress }) => subaddress.minor < this.#unusedMinor()) === true;
    if (tx === undefined || (!isAsked && this.#scanned.has(toHex(tx.txHash)))) return;
    this.contested.add(toHex(tx.txHash));
    this.#store.write((w) => w.events.contested([tx.txHash as Hash]));
    this.check();
  }

  /** Rescans a wallet that has all blocks: nothing of its requests changes meanwhile. */
  async rescan(blocks: number, restarts: boolean): Promise<void> {
    this.sync(blocks);
    // The reads of the mempool after a rescan would decide whether a payment is lost that is missing already.
    // On a chain that was cut they are counted from the former height.
    for (let i = 0; i < 40 && this.#hasMissing(); i++) {
      this.mine([]);
      this.sync(blocks);
    }
    const before = this.#statuses();
    this.#known = this.#storedTip();
    this.#isHeld = true;
    const events = this.#reported.size === 0 ? 0 : this.#requestEvents();
    const isUnchanged = (): void => {
      expect(this.#statuses()).toEqual(before);
      expect(this.#requestEvents()).toBe(events);
    };
    while (!this.#store.write((w) => w.clearNext({ hard: false, rows: 2 }))) isUnchanged();
    isUnchanged();
    this.#scanned.clear();
    if (restarts) await this.restart();
    this.scan(blocks, isUnchanged);
    this.#isHeld = false;
    this.readPool();
    isUnchanged();
  }

  /** Rescans a wallet from a daemon that has lost some blocks, and perhaps found fewer new ones. */
  async rescanShorter(depth: number, again: number, blocks: number, restarts: boolean): Promise<void> {
    this.sync(blocks);
    const txs = this.world.undo(depth);
    for (const tx of txs.slice(0, again)) this.mine([tx]);
    this.#known = this.#storedTip();
    this.#isHeld = true;
    const last = this.#events.at(-1)?.id ?? 0;
    while (!this.#store.write((w) => w.clearNext({ hard: false, rows: 2 })));
    this.#scanned.clear();
    if (restarts) await this.restart();
    this.scan(blocks);
    const paid = this.#events.filter(({ id, type }) => id > last && type === 'request.paid');
    this.sync(blocks);
    // A rescan reports none as paid that it would have to take back.
    for (const { data } of paid)
      expect(
        this.#views().find(({ request }) => request.requestId === (data as RequestFacts).requestId),
      ).toMatchObject({
        status: { state: 'paid' },
      });
  }

  /** True if the mempool lacks an unmined payment. */
  #hasMissing(): boolean {
    const inPool = new Set(this.world.pool.map(({ txHash }) => toHex(txHash)));
    return [...this.#payments.values()].some(
      ({ txHash, height }) => height === undefined && !inPool.has(txHash),
    );
  }

  #requestEvents(): number {
    return this.#events.filter(({ type }) => type.startsWith('request.')).length;
  }

  #reportedOf(requestId: string): Reported {
    const known = this.#reported.get(requestId);
    if (known !== undefined) return known;
    const fresh = { isPaid: false, isFull: false, total: 0n, late: 0n, isExpired: false, isRevised: false };
    const sums = { mostPaid: 0n, types: new Set<string>() };
    const reported = { ...fresh, ...sums };
    this.#reported.set(requestId, reported);
    return reported;
  }

  #read(event: WalletEvent): void {
    expect(event.id).toBeGreaterThan(this.#events.at(-1)?.id ?? 0);
    this.#events.push(event);
    switch (event.type) {
      case 'payment.seen':
      case 'payment.mined': {
        const { txHash, subaddress, amount: value, timestamp, unlockTime } = event.data;
        const { minor } = subaddress;
        const key = `${toHex(txHash)} ${minor}`;
        if (event.type === 'payment.mined')
          this.#arrive(key, minor, { height: event.data.height, date: timestamp });
        else if (!this.arrivals.has(key)) this.#arrive(key, minor);
        const height = event.type === 'payment.mined' ? { height: event.data.height } : {};
        const facts = { txHash: toHex(txHash), minor, amount: value, unlockTime };
        this.#payments.set(key, { ...facts, ...height });
        return;
      }
      case 'payment.reversed':
        this.#payments.delete(`${toHex(event.data.txHash)} ${event.data.subaddress.minor}`);
        return;
      case 'request.partial':
      case 'request.seen':
      case 'request.paid':
      case 'request.overpaid':
      case 'request.expired':
      case 'request.late':
      case 'request.reversed': {
        const { requestId, state, received, unconfirmed, late } = event.data;
        const reported = this.#reportedOf(requestId);
        reported.types.add(event.type);
        if (event.type === 'request.expired') {
          expect(reported.isExpired).toBe(false);
          reported.isExpired = true;
        }
        if (event.type === 'request.paid') expect([reported.isPaid, state]).toEqual([false, 'paid']);
        if (event.type === 'request.seen')
          expect([reported.isFull, FULL.includes(state)]).toEqual([false, true]);
        if (event.type === 'request.late') expect(late).toBeGreaterThan(0n);
        // A reversal is followed by what holds instead, so that a reader of types alone knows as much.
        if (event.type === 'request.reversed') reported.isFull = reported.isPaid = false;
        reported.isPaid ||=
          event.type === 'request.paid' ||
          (event.type === 'request.reversed' && state === 'paid' && event.data.was === 'paid');
        reported.isFull ||= FULL.includes(state);
        reported.total = received + unconfirmed;
        reported.late = late;
        return;
      }
      default:
    }
  }

  /** Reads new events, then compares every request with the model and with its events. */
  check(): void {
    for (;;) {
      const next = this.#store.read((r) => r.events.after(this.#events.at(-1)?.id ?? 0, 50));
      for (const event of next) this.#read(event);
      if (next.length < 50) break;
    }
    const tip = this.#storedTip();
    this.tip = this.#isHeld ? Math.max(tip, this.#known) : tip;
    const inPool = new Set(this.world.pool.map(({ txHash }) => toHex(txHash)));
    for (const view of this.#views()) {
      const { request, status } = view;
      const { requestId, subaddress } = request;
      // It is decided when the rescan has ended.
      if (this.#isHeld && this.world.tip < this.#known) break;
      const payments = [...this.#payments.values()].filter(({ minor }) => minor === subaddress.minor);
      const { state, mined, unmined, locked, late, dueHeight } = status;
      const expected = model(view, payments, this);
      // Until the wallet has missed it in a read, it knows no better than the events of the payment.
      const isUnsure = payments.some(({ txHash, height }) => height === undefined && !inPool.has(txHash));
      const isEither = isUnsure && request.confirmations === 0 && FULL.includes(state);
      expect([isEither ? expected.state : state, mined, unmined, locked, late]).toEqual([
        ...[expected.state, expected.mined, expected.unmined, expected.locked, expected.late],
      ]);
      expect(request.state).toBe(state);
      if (dueHeight !== undefined) expect(dueHeight).toBeGreaterThan(tip);
      if (!this.#isHeld)
        for (const { height, confirmations } of status.payments)
          expect(confirmations).toBe(height === undefined ? 0 : tip - height + 1);
      const reported = this.#reportedOf(requestId);
      expect([requestId, reported.isPaid, reported.isFull]).toEqual([
        requestId,
        state === 'paid',
        FULL.includes(state),
      ]);
      if (state === 'expired') expect(reported.isExpired).toBe(true);
      // An excess is reported anew only if it has grown, or after a reversal.
      if (reported.types.has('request.reversed')) reported.mostPaid = 0n;
      else if (reported.types.has('request.overpaid')) expect(status.paid).toBeGreaterThan(reported.mostPaid);
      if (status.paid > reported.mostPaid) reported.mostPaid = status.paid;
      reported.types.clear();
      if (!reported.isRevised) {
        expect(reported.late).toBe(late);
        if (!reported.isFull) expect(reported.total).toBe(mined + unmined);
      }
      const listed = this.#store.read((r) => r.requests.inStates([state], 1e9, 100));
      expect(listed.some((one) => one.requestId === requestId)).toBe(true);
    }
  }

  /** Lets every payment and every request reach its end. */
  async finish(): Promise<void> {
    for (let i = 0; i < 3; i++) {
      for (let n = 0; n < 40; n++) this.mine([]);
      this.sync(50);
    }
    await this.elapse(20_000);
    for (const { status, request } of this.#views()) {
      expect(['waiting', 'partial', 'paid', 'seen', 'expired', 'cancelled']).toContain(status.state);
      if (request.expires !== undefined) expect(['waiting', 'partial']).not.toContain(status.state);
    }
  }
}

type Apply = (run: Run) => void | Promise<void>;

/** A step of a run; a failing list shows names and arguments. */
class Step {
  readonly name: string;
  readonly argument: unknown;
  readonly #apply: Apply;

  constructor(name: string, argument: unknown, apply: Apply) {
    this.name = name;
    this.argument = argument;
    this.#apply = apply;
  }

  apply(run: Run): void | Promise<void> {
    return this.#apply(run);
  }
}

const step = <T>(
  name: string,
  argument: fc.Arbitrary<T>,
  apply: (run: Run, value: T) => void | Promise<void>,
): fc.Arbitrary<Step> => argument.map((value) => new Step(name, value, (run) => apply(run, value)));

const pays = fc.array(fc.record({ pick: fc.nat(3), value: fc.bigInt({ min: 1n, max: 100n }) }), {
  ...{ minLength: 1, maxLength: 2 },
});
const blocksAtOnce = fc.integer({ min: 1, max: 12 });

const terms = fc.record({
  asked: fc.option(fc.bigInt({ min: 1n, max: 150n })),
  tolerance: fc.bigInt({ min: 0n, max: 20n }),
  confirmations: fc.constantFrom(0, 0, 1, 5),
  expires: fc.option(fc.oneof(fc.integer({ min: 1, max: 900 }), fc.integer({ min: 1, max: 9000 }))),
});
const create = step('create', terms, (run, some) => run.create(some));

const steps = [
  create,
  step(
    'mine',
    fc.record({
      blocks: fc.array(fc.option(pays), { minLength: 1, maxLength: 8 }),
      lock: fc.integer({ min: -12, max: 25 }),
      takesPool: fc.boolean(),
      ahead: fc.oneof(fc.constant(0), fc.integer({ min: -7200, max: 5400 })),
    }),
    (run, { blocks, lock, takesPool, ahead }) => {
      if (takesPool) run.mine([...run.world.pool], ahead);
      for (const some of blocks) {
        const unlockTime = lock > 0 ? BigInt(run.world.blocks.length + lock) : 0n;
        run.mine(some === null ? [] : [run.makeTx(some, unlockTime)], ahead);
      }
    },
  ),
  step('mine a twin', fc.tuple(fc.nat(100), fc.bigInt({ min: 0n, max: 9n })), (run, [pick, more]) => {
    run.sync(10);
    run.mineTwin(pick, more);
  }),
  step(
    'enter the pool',
    fc.tuple(pays, fc.boolean()),
    (run, [some, locked]) => void run.world.pool.push(run.makeTx(some, locked ? 5n : 0n)),
  ),
  step('leave the pool', fc.nat(100), ({ world }, pick) => {
    const tx = world.pool[pick % Math.max(1, world.pool.length)];
    if (tx !== undefined) world.drop(tx);
  }),
  step('leave the pool and return', fc.tuple(fc.nat(3), blocksAtOnce), (run, [pick, blocks]) => {
    // The first one may pay the request, the second one is an excess then.
    for (const value of [60n, 5n]) {
      run.world.pool.push(run.makeTx([{ pick, value }]));
      run.sync(blocks);
    }
    const tx = run.world.pool.at(-1);
    if (tx === undefined) return;
    run.world.drop(tx);
    run.sync(blocks);
    run.world.pool.push(tx);
    run.sync(blocks);
  }),
  step(
    'create one whose address the pool pays',
    fc.tuple(terms, fc.bigInt({ min: 1n, max: 200n }), fc.boolean()),
    async (run, [some, value, contests]) => {
      const tx = run.makeTxToNext(value);
      run.world.pool.push(tx);
      if (contests) run.contest(run.world.pool.length - 1);
      run.readPool();
      await run.create(some);
    },
  ),
  step('contest', fc.nat(100), (run, pick) => run.contest(pick)),
  step('scan', blocksAtOnce, (run, blocks) => run.scan(blocks)),
  step('sync', blocksAtOnce, (run, blocks) => run.sync(blocks)),
  step('sync', blocksAtOnce, (run, blocks) => run.sync(blocks)),
  step('read the pool', fc.constant(0), (run) => run.readPool()),
  step(
    'reorganise',
    fc.record({
      depth: fc.integer({ min: 1, max: 25 }),
      fates: fc.array(fc.constantFrom('mined' as const, 'pool' as const, 'lost' as const), {
        ...{ minLength: 1, maxLength: 5 },
      }),
      pages: blocksAtOnce,
    }),
    (run, { depth, fates, pages }) => {
      run.sync(10);
      run.reorganise(depth, fates);
      run.sync(pages);
    },
  ),
  step('rescan', fc.tuple(blocksAtOnce, fc.boolean()), (run, [blocks, restarts]) =>
    run.rescan(blocks, restarts),
  ),
  step(
    'pay about an end',
    fc.record({
      wait: fc.integer({ min: 200, max: 500 }),
      ahead: fc.oneof(fc.constant(0), fc.integer({ min: -600, max: 600 })),
      restarts: fc.boolean(),
      follows: fc.boolean(),
      isInPool: fc.boolean(),
      cancels: fc.boolean(),
      replaces: fc.boolean(),
      confirmations: fc.constantFrom(0, 1),
    }),
    async (run, { wait, ahead, restarts, follows, isInPool, cancels, replaces, confirmations }) => {
      await run.create({ asked: 50n, tolerance: 0n, confirmations, expires: 300 });
      run.sync(12);
      if (restarts) await run.restart();
      await run.elapse(wait);
      if (follows) run.sync(12);
      if (cancels) run.revise(0, undefined);
      const tx = run.makeTx([{ pick: 0, value: 50n }]);
      if (isInPool) {
        run.world.pool.push(tx);
        run.readPool();
      }
      run.mine([tx], ahead);
      run.sync(12);
      if (!replaces) return;
      run.reorganise(1, ['mined']);
      run.sync(12);
    },
  ),
  step(
    'reorganise to a shorter chain',
    fc.tuple(fc.integer({ min: 2, max: 6 }), fc.integer({ min: 2, max: 8 }), blocksAtOnce),
    async (run, [depth, more, blocks]) => {
      await run.create({ asked: 150n, tolerance: 0n, confirmations: 5, expires: null });
      run.mine([run.makeTx([{ pick: 0, value: 150n }])]);
      for (let n = 0; n < more; n++) run.mine([]);
      run.sync(12);
      run.world.undo(depth);
      run.mine([]);
      run.sync(blocks);
    },
  ),
  step(
    'rescan a shorter chain',
    fc.tuple(fc.integer({ min: 1, max: 12 }), fc.nat(3), blocksAtOnce, fc.boolean()),
    (run, [depth, again, blocks, restarts]) => run.rescanShorter(depth, again, blocks, restarts),
  ),
  step('elapse', fc.integer({ min: 1, max: 400 }), (run, seconds) => run.elapse(seconds)),
  step('elapse in vain', fc.integer({ min: 1, max: 5000 }), async (run, seconds) => {
    await run.elapse(seconds);
    run.sync(12);
  }),
  step('step the clock back', fc.integer({ min: 1, max: 300 }), (run, seconds) => run.elapse(-seconds)),
  step('step the clock far back', fc.integer({ min: 1, max: 5000 }), (run, seconds) => run.elapse(-seconds)),
  step('cancel', fc.nat(10), (run, pick) => run.revise(pick, undefined)),
  step('extend', fc.tuple(fc.nat(10), fc.integer({ min: 1, max: 900 })), (run, [pick, more]) =>
    run.revise(pick, more),
  ),
  step('restart', fc.constant(0), (run) => run.restart()),
];

describe('payment requests', () => {
  it('have at any time the state that follows from the payments, and events that say so', () =>
    withFakeTimeouts(() =>
      fc.assert(
        fc.asyncProperty(
          fc.array(create, { minLength: 1, maxLength: 3 }),
          fc.array(fc.oneof(...steps), { minLength: 5, maxLength: 40 }),
          async (first, list) => {
            const run = new Run();
            try {
              for (const one of [...first, ...list]) await one.apply(run);
              await run.finish();
            } finally {
              run.close();
            }
          },
        ),
        { numRuns: Number(process.env['REQUEST_RUNS'] ?? randomRuns(60)) },
      ),
    ));

  it('are not paid by a rescan that begins while the chain is shorter than before', () =>
    withFakeTimeouts(async () => {
      const run = new Run();
      try {
        const mine = (blocks: number): void => {
          for (let n = 0; n < blocks; n++) run.mine([]);
          run.sync(12);
        };
        // A rescan finds a shorter chain, a payment is confirmed on it, and the chain gets shorter once more.
        mine(12);
        await run.rescanShorter(9, 0, 12, false);
        await run.create({ asked: 150n, tolerance: 0n, confirmations: 5, expires: null });
        run.mine([run.makeTx([{ pick: 0, value: 150n }])]);
        mine(4);
        expect(run.states()).toEqual(['paid']);
        run.world.undo(2);
        mine(1);
        expect(run.states()).toEqual(['confirming']);
        await run.rescan(1, false);
        expect(run.states()).toEqual(['confirming']);
        mine(1);
        expect(run.states()).toEqual(['paid']);
      } finally {
        run.close();
      }
    }));
});
