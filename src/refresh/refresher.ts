import { Worker } from 'node:worker_threads';
import type { KeyImage } from '../crypto/types.js';
import type { SubaddressIndex } from '../cryptonote/types.js';
import { DaemonError } from '../daemon/errors.js';
import type { DaemonConfig } from '../daemon/http-daemon.js';
import { bytes32, chunks } from '../util/bytes.js';
import type { LocatedOutput, SpendingKeys } from '../wallet/scan/key-images.js';
import type { Lookahead } from '../wallet/scan/subaddress-table.js';
import type { ExpectedChain } from './chain-block.js';
import { RefreshCancelled, toError } from './refresh-error.js';
import { RefreshRun, type RefreshResult, type RefreshTarget } from './refresh-run.js';
import { ThreadCalls, type Call } from './thread-calls.js';
import type { NamedKey } from './watch-list.js';
import type { PendingRequests } from '../util/pending-requests.js';
import { FairQueue } from '../util/fair-queue.js';
import type {
  BatchFindings,
  RefreshFrom,
  RefreshReport,
  RefreshRequest,
  TxBatch,
  WalletId,
} from './messages.js';

/**
 * Runs refreshes on a thread of their own and commits what they find on this one. A thread that dies fails
 * the refreshes under way and is replaced by the next one.
 */
export class Refresher {
  readonly #threads: number;
  readonly #chain: ExpectedChain;
  readonly #pendingRequests: PendingRequests;
  #daemon: DaemonConfig | undefined;
  #worker: Worker | undefined;
  /** Wallets that the thread knows; the others it learns of when it has something to do for them. */
  readonly #attached = new Set<WalletId>();
  readonly #targets = new Map<WalletId, RefreshTarget>();
  readonly #runs = new Map<WalletId, RefreshRun>();
  readonly #calls = new ThreadCalls();
  #counter = 0;

  /** @param threads scanning threads. @param callers are let go before what a refresh found is committed. */
  constructor(
    threads: number,
    chain: ExpectedChain,
    daemon: DaemonConfig | undefined,
    pendingRequests: PendingRequests,
  ) {
    this.#threads = threads;
    this.#chain = chain;
    this.#daemon = daemon;
    this.#pendingRequests = pendingRequests;
  }

  /** Starts the threads ahead of the first refresh. */
  start(): void {
    this.#worker ??= this.#spawn();
  }

  attach(target: RefreshTarget): WalletId {
    const wallet = ++this.#counter;
    this.#targets.set(wallet, target);
    return wallet;
  }

  /** Stops what runs for the wallet and wipes its keys from the thread. */
  detach(wallet: WalletId): void {
    this.#targets.delete(wallet);
    this.#fail(wallet, new RefreshCancelled('the wallet is closed'));
    this.#calls.drop(wallet, new RefreshCancelled('the wallet is closed'));
    if (this.#attached.delete(wallet)) this.#post({ type: 'detach', wallet });
  }

  /** From now on refreshes ask this daemon; undefined is offline. */
  setDaemon(config: DaemonConfig | undefined): void {
    this.#daemon = config;
    for (const wallet of [...this.#runs.keys()]) this.cancel(wallet);
    this.#worker?.postMessage({ type: 'daemon', config, chain: this.#chain } satisfies RefreshRequest);
  }

  /** Makes the thread recognise an address that was handed out, with the lookahead beyond it. */
  expand(wallet: WalletId, index: SubaddressIndex): void {
    if (this.#attached.has(wallet)) this.#post({ type: 'expand', wallet, index });
  }

  /** Makes the thread recognise spends of outputs whose key images were told. */
  learn(wallet: WalletId, told: readonly NamedKey[]): void {
    if (this.#attached.has(wallet)) this.#post({ type: 'learn', wallet, told });
  }

  /**
   * Makes the thread look further, or less far, beyond the addresses handed out; what is new to watch is
   * committed when this ends.
   * @throws RefreshCancelled, or what the target's commit throws.
   */
  lookAhead(wallet: WalletId, lookahead: Lookahead, handedOut: readonly SubaddressIndex[]): Promise<void> {
    const target = this.#targets.get(wallet);
    return new Promise((resolve, reject) => {
      // First: a target that cannot tell its state leaves no call behind.
      if (target !== undefined) this.#ensureAttached(wallet, target);
      const call = this.#call(wallet, reject, (answer) => {
        if (answer.type !== 'subaddresses') return true;
        try {
          target?.commitSubaddresses(answer.keys);
        } catch (error) {
          // What the thread watches is ahead of the store now: it starts over from the store's state.
          this.restart(wallet);
          reject(error as Error);
          return true;
        }
        if (answer.last) resolve();
        return answer.last;
      });
      if (call !== undefined) this.#post({ type: 'lookahead', call, wallet, lookahead, handedOut });
    });
  }

  /**
   * Looks through transactions on the thread, starting from what the store of the wallet holds; nothing is
   * committed, and the wallet's own scanner does not learn of it: see {@link restart}.
   * @throws RefreshCancelled
   */
  look(wallet: WalletId, batch: TxBatch): Promise<BatchFindings> {
    const target = this.#targets.get(wallet);
    return new Promise((resolve, reject) => {
      const state = target?.scannerState();
      const call = this.#call(wallet, reject, (answer) => {
        if (answer.type !== 'looked') return true;
        if ('message' in answer.result) reject(toError(answer.result));
        else resolve(answer.result);
        return true;
      });
      if (call !== undefined && state !== undefined) this.#post({ type: 'look', call, state, batch });
    });
  }

  /**
   * Looks through the pool and commits what of it concerns the wallet, without waiting for its refresh.
   * @throws DaemonError, {@link RefreshCancelled}, or what the target's commit throws.
   */
  lookIntoPool(wallet: WalletId): Promise<void> {
    const target = this.#targets.get(wallet);
    return new Promise((resolve, reject) => {
      if (target !== undefined) this.#ensureAttached(wallet, target);
      const call = this.#call(wallet, reject, (answer) => {
        if (answer.type !== 'lookedIntoPool') return true;
        const { result } = answer;
        if ('message' in result) {
          reject(toError(result));
          return true;
        }
        try {
          target?.commitPool(result.present, result.findings);
          resolve();
        } catch (error) {
          // The thread would not report these transactions again.
          this.restart(wallet);
          reject(error as Error);
        }
        return true;
      });
      if (call !== undefined) this.#post({ type: 'lookIntoPool', call, wallet });
    });
  }

  /** Key images of a wallet's outputs, in their order. @throws RefreshCancelled */
  keyImages(wallet: WalletId, keys: SpendingKeys, outputs: readonly LocatedOutput[]): Promise<KeyImage[]> {
    return new Promise((resolve, reject) => {
      const call = this.#call(wallet, reject, (answer) => {
        if (answer.type === 'keyImages')
          resolve(chunks(answer.images, 32).map((image) => bytes32<'KeyImage'>(image, 'KeyImage')));
        return true;
      });
      if (call !== undefined) this.#post({ type: 'keyImages', call, keys, outputs });
    });
  }

  /** @returns undefined, and rejects, where the wallet is closed. */
  #call(wallet: WalletId, reject: Call['reject'], take: Call['take']): number | undefined {
    if (!this.#targets.has(wallet)) {
      reject(new RefreshCancelled('the wallet is closed'));
      return undefined;
    }
    const call = ++this.#counter;
    this.#calls.add(call, { wallet, take, reject });
    return call;
  }

  /** Makes the thread forget what it knows of a wallet and start over from its store. */
  restart(wallet: WalletId): void {
    if (this.#attached.delete(wallet)) this.#post({ type: 'detach', wallet });
  }

  cancel(wallet: WalletId): void {
    const run = this.#runs.get(wallet);
    if (run === undefined) return;
    this.#worker?.postMessage({ type: 'cancel', wallet, run: run.number } satisfies RefreshRequest);
    this.#fail(wallet, new RefreshCancelled('the refresh was cancelled'));
  }

  isRunning(wallet: WalletId): boolean {
    return this.#runs.has(wallet);
  }

  /**
   * Brings a wallet to the daemon's tip and looks through the pool.
   * @throws DaemonError, {@link RefreshCancelled}, or what the target's commit throws.
   */
  refresh(wallet: WalletId, from: RefreshFrom): Promise<RefreshResult> {
    const target = this.#targets.get(wallet);
    if (target === undefined) return Promise.reject(new RefreshCancelled('the wallet is closed'));
    if (this.#daemon === undefined) return Promise.reject(new DaemonError('unreachable', 'offline'));
    if (this.#runs.has(wallet)) return Promise.reject(new Error('a refresh of this wallet runs already'));
    return new Promise((resolve, reject) => {
      this.#ensureAttached(wallet, target);
      const number = ++this.#counter;
      this.#runs.set(wallet, new RefreshRun({ number, wallet, target, resolve, reject }));
      this.#post({ type: 'refresh', wallet, run: number, from });
    });
  }

  async close(): Promise<void> {
    for (const wallet of [...this.#targets.keys()]) this.detach(wallet);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #ensureAttached(wallet: WalletId, target: RefreshTarget): void {
    if (this.#attached.has(wallet)) return;
    this.#post({ type: 'attach', wallet, state: target.scannerState() });
    this.#attached.add(wallet);
  }

  #post(request: RefreshRequest): void {
    this.#worker ??= this.#spawn();
    this.#worker.postMessage(request);
  }

  #spawn(): Worker {
    const worker = new Worker(new URL('./refresh-thread.js', import.meta.url), {
      workerData: { threads: this.#threads },
    });
    worker.unref();
    // One a turn: messages that come while one is dealt with would keep requests from being read.
    const turns = new FairQueue<RefreshReport>({
      handle: (report) => this.#receive(worker, report),
      pendingRequests: this.#pendingRequests,
      // Somebody waits for an answer to a call.
      canWait: (report) => report.type === 'page',
    });
    worker.on('message', (message: RefreshReport) => turns.add(message));
    worker.on('error', (error) => this.#lost(worker, error as Error));
    worker.on('exit', () => this.#lost(worker, new Error('the refresh thread stopped')));
    worker.postMessage({
      type: 'daemon',
      config: this.#daemon,
      chain: this.#chain,
    } satisfies RefreshRequest);
    return worker;
  }

  #receive(worker: Worker, report: RefreshReport): void {
    if ('call' in report) return this.#calls.answer(report);
    const { wallet, run: number } = report;
    const run = this.#runs.get(wallet);
    if (run?.number !== number) return;
    run.take(report, {
      acknowledge: () =>
        worker.postMessage({ type: 'committed', wallet, run: number } satisfies RefreshRequest),
      restart: () => this.restart(wallet),
      end: () => void this.#runs.delete(wallet),
    });
  }

  #fail(wallet: WalletId, error: Error): void {
    const run = this.#runs.get(wallet);
    this.#runs.delete(wallet);
    run?.reject(error);
  }

  #lost(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#attached.clear();
    for (const wallet of [...this.#runs.keys()]) this.#fail(wallet, error);
    this.#calls.drop(undefined, error);
  }
}
