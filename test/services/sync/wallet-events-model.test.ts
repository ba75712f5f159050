import { copyFileSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { MempoolTracker } from '../../../src/services/sync/mempool-tracker.js';
import { UNKNOWN_TX } from '../../../src/store/tables/output-row.js';
import { EventIds } from '../../../src/store/file/event-ids.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { creditedOf } from '../../../src/monero/wallet/scan/findings.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { EventLedger, type LedgerTransfer } from '../../support/wallets/event-ledger.js';
import { EventWorld, paymentIdOf, recordOf, type WorldTx } from '../../support/wallets/event-world.js';
import { randomRuns } from '../../support/fakes/random-runs.js';

const KEY = new Uint8Array(32).fill(1);
const THRESHOLDS = [1, 3, 10, 14];

/** A wallet on disk that follows a world, and a reader of its events, compared after every step. */
class Run {
  readonly world = new EventWorld();
  readonly ledger = new EventLedger(paymentIdOf);
  readonly #directory = mkdtempSync(join(tmpdir(), 'events-'));
  /** Height that a rescan must reach before events and tables agree. */
  #rescannedTo = -1;
  #clock = 1_700_000_000_000;
  #store: WalletStore;
  #mempool: MempoolTracker;
  /** Hashes in hex of the pool's transactions that the scanner does not report again. */
  #scanned = new Set<string>();
  /** Transfers that another wallet with the same keys made. */
  readonly #foreign = new Set<WorldTx>();

  constructor() {
    this.world.mine([]);
    this.#store = this.#open(true);
    this.#mempool = new MempoolTracker({ store: this.#store });
  }

  #open(isNew: boolean): WalletStore {
    const ids = new EventIds({ path: join(this.#directory, 'ids'), clock: { now: () => this.#clock } });
    const path = join(this.#directory, 'w');
    const events = { ids, confirmations: THRESHOLDS };
    return isNew
      ? WalletStore.create(path, KEY, (w) => w.accounts.create(), undefined, events)
      : WalletStore.open(path, KEY, undefined, events);
  }

  close(): void {
    this.#store.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  restart(step: number): void {
    this.#store.close();
    this.#clock += step;
    this.#reopen();
  }

  /** Continues with the files as a process that is killed leaves them: blocks in memory are lost. */
  kill(): void {
    const files = readdirSync(this.#directory).filter((name) => name === 'w' || name === 'w-wal');
    for (const name of files)
      copyFileSync(join(this.#directory, name), join(this.#directory, `killed-${name}`));
    this.#store.close();
    for (const name of files)
      renameSync(join(this.#directory, `killed-${name}`), join(this.#directory, name));
    this.#reopen();
  }

  #reopen(): void {
    this.#store = this.#open(false);
    this.#mempool = new MempoolTracker({ store: this.#store });
    this.#scanned.clear();
    this.check();
  }

  /** Scans the blocks that are new to the wallet, in pages. */
  scan(blocks: number): void {
    const { world } = this;
    const newest = new Map(this.#store.shortHistory().map(({ height, hash }) => [height, hash]));
    let from = world.forkOf(
      (height) => newest.get(height) ?? this.#store.read((r) => r.chain.hashAt(height)),
    );
    while (from < world.blocks.length) {
      const to = Math.min(from + blocks, world.blocks.length);
      const page = world.page(from, to);
      this.#store.addPage(page, { onReplaced: () => this.#scanned.clear() });
      if (page.outputs.length > 0) this.#scanned.clear();
      from = to;
      this.check();
    }
  }

  /** Reads the pool as a client's request does, which decides nothing. */
  readPool(): void {
    const { world } = this;
    const present = world.pool.map(({ txHash }) => txHash);
    const names = new Set(present.map(toHex));
    for (const name of this.#scanned) if (!names.has(name)) this.#scanned.delete(name);
    const findings = world
      .poolFindings()
      .filter((_, i) => !this.#scanned.has(toHex(present[i] ?? new Uint8Array())));
    for (const name of names) this.#scanned.add(name);
    this.#mempool.commitPool(present, findings);
    if (this.#mempool.hasNewlyMissing(names)) this.#mempool.noteMissing(names, world.blocks.length);
    this.check();
  }

  /** Reads chain and pool to their ends, and decides on missing payments. */
  sync(blocks: number): void {
    const { world } = this;
    this.scan(blocks);
    this.readPool();
    const hash = world.blocks[world.tip]?.hash;
    if (hash !== undefined) this.#mempool.decide({ height: world.tip, hash });
    this.check();
    this.#checkPool();
  }

  /** Compares the listed payments and the reserved inputs with the pool. */
  #checkPool(): void {
    const incoming = this.world.poolFindings().flatMap((found) => found.incoming ?? []);
    const foreign = this.world.pool.filter((tx) => this.#foreign.has(tx));
    this.#store.read((r) => {
      expect(r.pool.hashes().map(toHex).sort()).toEqual(incoming.map(({ txHash }) => toHex(txHash)).sort());
      for (const { txHash } of foreign)
        if (r.outgoing.byHash(txHash)?.state !== 'failed') expect(r.outputs.spentBy(txHash)).toHaveLength(1);
    });
  }

  /** Scans the transactions of one block out of order. */
  scanTxs(height: number): void {
    const found = this.world.page(height, height + 1);
    this.#store.write((w) => w.addFound(found));
    this.#scanned.clear();
    this.check();
  }

  rescan(hard: boolean): void {
    const heights = [...this.ledger.payments.values()].map(({ height = -1 }) => height);
    this.#rescannedTo = Math.max(this.#rescannedTo, this.#tip(), ...heights);
    // In parts, after each of which the events are true.
    while (!this.#store.write((w) => w.clearNext({ hard, rows: 2 }))) {
      this.#scanned.clear();
      this.check();
    }
    this.#scanned.clear();
    this.check();
  }

  /** Makes a transfer of an unspent output. @param outcome of relaying it; not marked: the store has failed after it. */
  pay(pick: number, outcome: 'relayed' | 'lost' | 'refused' | 'not marked' | 'made elsewhere'): void {
    const { world } = this;
    const free = world
      .unspent()
      .filter(
        (output) =>
          output.value > 10n &&
          output.subaddress.major === 0 &&
          this.#store.read((r) => r.outputs.areFree([output])),
      );
    const input = free[pick % Math.max(1, free.length)];
    if (input === undefined) return;
    const change = { value: input.value / 2n, subaddress: { major: 0, minor: 0 } };
    const own = { value: input.value / 5n, subaddress: { major: 1, minor: 0 } };
    const tx = world.makeTx(pick % 3 === 0 ? [change, own] : [change], { input });
    if (outcome === 'made elsewhere') {
      this.#foreign.add(tx);
      world.pool.push(tx);
      return;
    }
    this.#store.write((w) => w.prepare(recordOf(tx, input), [input], []));
    if (outcome === 'refused') this.#store.write((w) => w.discard(tx.txHash));
    if (outcome === 'relayed' || outcome === 'lost') this.#store.write((w) => w.markPending(tx.txHash));
    if (outcome === 'relayed' || outcome === 'not marked') world.pool.push(tx);
    this.check();
  }

  /** Learns that an unseen transaction spends a free output. @param mined true in a block, false in the mempool. */
  spendElsewhere(pick: number, mined: boolean): void {
    const free = this.#store.read((r) => r.outputs.inOrder().filter((output) => r.outputs.areFree([output])));
    const output = free[pick % Math.max(1, free.length)];
    if (output !== undefined) this.#store.write((w) => w.outputs.markSpentByUnknown(output, mined));
    this.check();
  }

  /** Learns that the unseen transactions are gone. */
  undoSpendsElsewhere(): void {
    this.#store.write((w) => {
      for (const output of w.outputs.spentBy(UNKNOWN_TX)) w.outputs.markUnspent(output);
    });
    this.check();
  }

  /** Fails an unmined transfer. @param gone the mempool loses it. */
  fail(pick: number, gone: boolean): void {
    const open = this.#store.read((r) => r.outgoing.list({ states: ['prepared', 'pending'] }));
    const tx = open[pick % Math.max(1, open.length)];
    if (tx === undefined) return;
    const held = this.world.pool.find(({ txHash }) => Buffer.compare(txHash, tx.txHash) === 0);
    if (gone && held !== undefined) this.world.drop(held);
    this.#store.write((w) => w.fail(tx.txHash));
    this.check();
  }

  /** Replaces blocks; the transactions are mined again, or return to the mempool, or are lost. */
  reorganise(depth: number, fate: (tx: WorldTx, i: number) => 'mined' | 'pool' | 'lost'): void {
    const { world } = this;
    const undone = world.undo(depth);
    const gone = new Set<number>();
    const again: WorldTx[] = [];
    undone.forEach((tx, i) => {
      // A transaction follows the one whose output it spends.
      const isOrphan = tx.input !== undefined && gone.has(tx.input.number);
      const to = isOrphan || tx.coinbase ? 'lost' : fate(tx, i);
      if (to === 'mined') return again.push(tx);
      for (const { number } of tx.outputs) gone.add(number);
      return to === 'pool' ? world.pool.push(tx) : undefined;
    });
    for (const tx of [...world.pool]) if (tx.input !== undefined && gone.has(tx.input.number)) world.drop(tx);
    world.mine(again.slice(0, 2));
    world.mine(again.slice(2));
    for (let i = 2; i <= depth; i++) world.mine([]);
  }

  /** Reads new events, and compares their sum with the balance. */
  check(): void {
    for (;;) {
      const next = this.#store.read((r) => r.events.after(this.ledger.last, 7));
      for (const event of next) this.ledger.add(event);
      if (next.length < 7) break;
    }
    if (this.#tip() < this.#rescannedTo) return;
    this.#rescannedTo = -1;
    expect(this.ledger.sum).toBe(this.#balance());
  }

  #tip(): number {
    return this.#store.shortHistory()[0]?.height ?? -1;
  }

  /** Balance by the tables, without what is not reported: transfers never relayed, and undecided payments. */
  #balance(): bigint {
    return this.#store.read((r) => {
      let sum = 0n;
      for (const { total } of r.balances.ofAddresses({ strict: false })) sum += total;
      for (const { outputs } of r.pool.list()) for (const output of outputs) sum += creditedOf(output);
      for (const { txHash, state, amountIn, change } of r.outgoing.list({
        states: ['prepared', 'pending'],
      })) {
        const isReserved = r.outputs.spentBy(txHash).length > 0;
        if (isReserved) sum += change;
        const isDeducted = this.ledger.transfers.get(toHex(txHash))?.failed === false;
        expect(isDeducted).toBe(state === 'pending');
        // Its inputs count again after a reorganisation, until it is found again.
        if (isReserved && !isDeducted) sum += amountIn - change;
        if (!isReserved && isDeducted) sum -= amountIn - change;
      }
      // After a rescan, an unmined transfer waits for the next read of the mempool.
      for (const { amountIn, change } of this.#unrecorded()) sum -= amountIn - change;
      const held = new Set(r.pool.list().map(({ txHash }) => toHex(txHash)));
      for (const [key, { amount, height }] of this.ledger.payments)
        if (height === undefined && !held.has(key.slice(0, 64))) sum += amount;
      return sum;
    });
  }

  /** Transfers that count in the sum but are not recorded. */
  #unrecorded(): LedgerTransfer[] {
    return this.#store.read((r) =>
      [...this.ledger.transfers]
        .filter(([hash, { failed }]) => !failed && r.outgoing.byHash(fromHex(hash) as Hash) === undefined)
        .map(([, transfer]) => transfer),
    );
  }

  /** Lets every payment reach its end. */
  finish(): void {
    for (const tx of [...this.world.pool])
      if (tx.txHash[31] !== undefined && tx.txHash[31] % 2 === 0) this.world.drop(tx);
    this.world.mine([...this.world.pool]);
    for (let i = 0; i < 3; i++) {
      for (let n = 0; n < 40; n++) this.world.mine([]);
      this.sync(50);
    }
    const mined = this.#store.read((r) => r.payments.list({ min: -1, max: 1e9 }));
    expect(this.#unrecorded()).toEqual([]);
    const open = [...this.ledger.payments.entries()];
    expect(
      open.every(([, { unlocked, confirmations }]) => unlocked && confirmations.length === THRESHOLDS.length),
    ).toBe(true);
    expect(new Map(open.map(([key, { amount, height }]) => [key, [amount, height]]))).toEqual(
      new Map(
        mined.map(({ tx, amount, subaddress: { major, minor } }) => [
          `${toHex(tx.txHash)} ${major} ${minor}`,
          [amount, tx.height],
        ]),
      ),
    );
  }
}

type Apply = (run: Run) => void;

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

  apply(run: Run): void {
    this.#apply(run);
  }
}

const step = <T>(
  name: string,
  argument: fc.Arbitrary<T>,
  apply: (run: Run, value: T) => void,
): fc.Arbitrary<Step> => argument.map((value) => new Step(name, value, (run) => apply(run, value)));

const FATES = ['mined', 'pool', 'lost'] as const;

const outputs = fc.array(
  fc.record({
    value: fc.bigInt({ min: 1n, max: 1000n }),
    subaddress: fc.record({ major: fc.integer({ min: 0, max: 1 }), minor: fc.integer({ min: 0, max: 1 }) }),
  }),
  { minLength: 1, maxLength: 3 },
);

const blocksAtOnce = fc.integer({ min: 1, max: 30 });

const steps = [
  step(
    'mine',
    fc.record({
      blocks: fc.array(fc.option(outputs), { minLength: 1, maxLength: 15 }),
      coinbase: fc.boolean(),
      lock: fc.integer({ min: 0, max: 30 }),
      takesPool: fc.boolean(),
    }),
    ({ world }, { blocks, coinbase, lock, takesPool }) => {
      blocks.forEach((pays, i) => {
        const height = world.blocks.length;
        const unlockTime = coinbase ? BigInt(height + 60) : lock > 15 ? BigInt(height + lock) : 0n;
        const fresh = pays === null ? [] : [world.makeTx(pays, { coinbase, unlockTime })];
        world.mine([...fresh, ...(takesPool && i === 0 ? [...world.pool] : [])]);
      });
    },
  ),
  step('enter the pool', outputs, ({ world }, pays) => void world.pool.push(world.makeTx(pays))),
  step('leave the pool', fc.nat(100), ({ world }, pick) => {
    const tx = world.pool[pick % Math.max(1, world.pool.length)];
    if (tx !== undefined) world.drop(tx);
  }),
  step('scan', blocksAtOnce, (run, blocks) => run.scan(blocks)),
  step('sync', blocksAtOnce, (run, blocks) => run.sync(blocks)),
  step('read the pool', fc.constant(0), (run) => run.readPool()),
  step('scan transactions', fc.nat(1000), (run, pick) => run.scanTxs(pick % run.world.blocks.length)),
  step(
    'reorganise',
    fc.record({
      depth: fc.integer({ min: 1, max: 20 }),
      fates: fc.array(fc.constantFrom(...FATES), { minLength: 1, maxLength: 5 }),
      isSynced: fc.boolean(),
      isPoolReadFirst: fc.boolean(),
    }),
    (run, { depth, fates, isSynced, isPoolReadFirst }) => {
      if (isSynced) run.sync(10);
      run.reorganise(depth, (_, i) => fates[i % fates.length] ?? 'mined');
      if (isPoolReadFirst) run.readPool();
      if (isSynced) run.sync(10);
    },
  ),
  step(
    'pay',
    fc.tuple(
      fc.nat(100),
      fc.constantFrom('relayed', 'relayed', 'lost', 'refused', 'not marked', 'made elsewhere'),
    ),
    (run, [pick, outcome]) => run.pay(pick, outcome),
  ),
  step('fail', fc.tuple(fc.nat(100), fc.boolean()), (run, [pick, gone]) => run.fail(pick, gone)),
  step('spend elsewhere', fc.tuple(fc.nat(100), fc.boolean()), (run, [pick, mined]) =>
    run.spendElsewhere(pick, mined),
  ),
  step('undo the spends elsewhere', fc.constant(0), (run) => run.undoSpendsElsewhere()),
  step('rescan', fc.boolean(), (run, hard) => run.rescan(hard)),
  step('kill', fc.constant(0), (run) => run.kill()),
  step('restart', fc.integer({ min: -3_600_000, max: 60_000 }), (run, clock) => run.restart(clock)),
];

describe('the events of a wallet', () => {
  it('sum to its balance at any time, end each payment once, and never repeat', () => {
    const runs = Number(process.env['EVENT_RUNS'] ?? randomRuns(120));
    fc.assert(
      fc.property(fc.array(fc.oneof(...steps), { minLength: 5, maxLength: 40 }), (list) => {
        const run = new Run();
        try {
          for (const one of list) one.apply(run);
          run.finish();
        } finally {
          run.close();
        }
      }),
      { numRuns: runs },
    );
  });
});
