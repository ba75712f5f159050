import { Worker } from 'node:worker_threads';
import type { Hash, KeyImage, SecretKey } from '../monero/crypto/types.js';
import type { SubaddressIndex } from '../monero/cryptonote/types.js';
import type { ObserveDaemons } from '../daemon/call-report.js';
import { DaemonError } from '../daemon/errors.js';
import type { DaemonConfig } from '../daemon/http-daemon.js';
import { bytes32, chunks } from '../util/bytes.js';
import { monotonicMs } from '../util/clock.js';
import type { LocatedOutput, SpendingKeys } from '../monero/wallet/scan/key-images.js';
import type { Lookahead } from '../monero/wallet/scan/subaddress-table.js';
import type { ExpectedChain } from './scan/chain-block.js';
import {
  packBlocks,
  unpackHashes,
  RefreshCancelled,
  toError,
  ThreadCalls,
  type Call,
  type DaemonCallEnded,
  type RefreshReport,
  type RefreshRequest,
  type RefreshThreadData,
  type WalletId,
} from './messages.js';
import type { BlockProof, BlockProofRequest } from './feeds/page-proofs.js';
import { RefreshRun, type RefreshResult, type RefreshTarget } from './refresh-run.js';
import { packKeyImages, type OutputKeyImage, movableBuffersOf } from './scan/scanner-state.js';
import type { PendingRequests } from '../util/pending-requests.js';
import { FairQueue } from './fair-queue.js';
import type { BatchFindings, TxBatch } from './scan/wallet-scanner.js';
import type { RefreshFrom } from './feeds/chain-position.js';

/** State of the pool scan for a wallet: whether the thread's present scanner has scanned the pool. */
interface PoolScan {
  /** Number of a request; only pool scans that were requested later count. */
  readonly after: number;
  isCommitted: boolean;
}

/** Time without an open wallet after which the refresh thread ends [s]. */
const IDLE_SECONDS = 60;

/**
 * Runs refreshes on the refresh thread and commits their findings on the calling thread. The refresh thread starts with
 * the first request, and ends when no wallet has been open for a while. If the thread ends with an error, the refreshes
 * under way fail, and the next request starts a new thread.
 */
export class Refresher {
  readonly #threads: number;
  readonly #chain: ExpectedChain;
  readonly #pendingRequests: PendingRequests;
  readonly #observe: ObserveDaemons;
  readonly #idleSeconds: number;
  #daemon: DaemonConfig | undefined;
  #worker: Worker | undefined;
  /** Timer that ends the thread; set while no wallet is open. */
  #ending: NodeJS.Timeout | undefined;
  /** Wallets that the thread knows, with the state of their pool scan. A wallet is attached with its first request. */
  readonly #attached = new Map<WalletId, PoolScan>();
  readonly #targets = new Map<WalletId, RefreshTarget>();
  readonly #runs = new Map<WalletId, RefreshRun>();
  readonly #calls = new ThreadCalls();
  #counter = 0;

  /**
   * @param threads number of threads that scan at once, the refresh thread included.
   * @param pendingRequests pending requests, which are answered before commits are made.
   * @param observe is called at the end of each call of the thread to the daemon.
   * @param idleSeconds time without an open wallet after which the thread ends [s].
   */
  constructor(
    threads: number,
    chain: ExpectedChain,
    daemon: DaemonConfig | undefined,
    pendingRequests: PendingRequests,
    observe: ObserveDaemons = () => undefined,
    idleSeconds = IDLE_SECONDS,
  ) {
    this.#threads = threads;
    this.#chain = chain;
    this.#daemon = daemon;
    this.#pendingRequests = pendingRequests;
    this.#observe = observe;
    this.#idleSeconds = idleSeconds;
  }

  /** Starts the threads before the first refresh. They end if no wallet is opened for a while. */
  start(): void {
    this.#worker ??= this.#spawn();
    this.#endWhenUnused();
  }

  /**
   * Fetches the first pages of a wallet that is being created, so that its first refresh need not wait for them.
   * @param viewSecret view key of the wallet, with which the pages are scanned too; absent for a wallet that will be
   * scanned together with others.
   */
  prefetch(startHeight: number, viewSecret?: SecretKey): void {
    if (this.#daemon === undefined) return;
    this.start();
    this.#post({ type: 'prefetch', startHeight, ...(viewSecret === undefined ? {} : { viewSecret }) });
  }

  attach(target: RefreshTarget): WalletId {
    const wallet = ++this.#counter;
    clearTimeout(this.#ending);
    this.#targets.set(wallet, target);
    return wallet;
  }

  /** Ends the refresh and all calls of a wallet, and wipes its keys from the thread. */
  detach(wallet: WalletId): void {
    this.#targets.delete(wallet);
    this.#fail(wallet, new RefreshCancelled('the wallet is closed'));
    this.#calls.drop(wallet, new RefreshCancelled('the wallet is closed'));
    if (this.#attached.delete(wallet)) this.#post({ type: 'detach', wallet });
    this.#endWhenUnused();
  }

  /** Replaces the daemon and cancels all refreshes. @param config undefined: the wallets are offline. */
  setDaemon(config: DaemonConfig | undefined): void {
    this.#daemon = config;
    for (const wallet of [...this.#runs.keys()]) this.cancel(wallet);
    this.#worker?.postMessage({ type: 'daemon', config, chain: this.#chain } satisfies RefreshRequest);
  }

  /** Adds an address to the wallet's scanner, with the lookahead after it. */
  expand(wallet: WalletId, index: SubaddressIndex): void {
    if (this.#attached.has(wallet)) this.#post({ type: 'expand', wallet, index });
  }

  /** Adds imported key images to the wallet's scanner, so that it finds the spends of their outputs. */
  importKeyImages(wallet: WalletId, keyImages: readonly OutputKeyImage[]): void {
    if (!this.#attached.has(wallet)) return;
    this.#post({ type: 'importKeyImages', wallet, keyImages: packKeyImages(keyImages) });
    // The pool is scanned again, because its transactions may spend these outputs.
    this.forgetPool(wallet);
  }

  /**
   * Makes the next scan of the pool scan all transactions and report all findings. A scan under way is still committed,
   * but {@link hasScannedPool} stays false until a later scan is committed.
   */
  forgetPool(wallet: WalletId): void {
    if (!this.#attached.has(wallet)) return;
    this.#post({ type: 'forgetPool', wallet });
    this.#attached.set(wallet, this.#noPoolScan());
  }

  /**
   * Returns true if the last committed scan of the pool used all addresses and key images that the wallet knows now.
   */
  hasScannedPool(wallet: WalletId): boolean {
    return this.#attached.get(wallet)?.isCommitted === true;
  }

  /**
   * Changes the lookahead. Resolves when the new subaddress keys are committed.
   * @param handedOut the last address in use of each account.
   * @throws RefreshCancelled, or the error of the commit.
   */
  lookAhead(wallet: WalletId, lookahead: Lookahead, handedOut: readonly SubaddressIndex[]): Promise<void> {
    const target = this.#targets.get(wallet);
    return new Promise((resolve, reject) => {
      // The wallet is attached before the call is registered, so that no call is left unanswered if the state cannot be
      // read.
      if (target !== undefined) this.#ensureAttached(wallet, target);
      const call = this.#call(wallet, reject, (answer) => {
        if (answer.type !== 'subaddresses') return true;
        try {
          target?.commitSubaddresses(answer.keys);
        } catch (error) {
          // The commit failed, so the thread's scanner is ahead of the store and is started again from the store.
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
   * Scans single transactions on the refresh thread, with a separate scanner in the state of the store. Commits nothing
   * and does not change the wallet's own scanner; after committing the findings call {@link restart}.
   * @throws RefreshCancelled
   */
  async scanTransactions(wallet: WalletId, batch: TxBatch): Promise<BatchFindings> {
    const state = this.#targets.get(wallet)?.scannerState();
    return this.#ask<BatchFindings>(wallet, (call) => {
      if (state !== undefined)
        this.#post({ type: 'scanTransactions', call, state, batch }, movableBuffersOf(state));
    });
  }

  /** Reads blocks of a wallet again, and proves what they contain for it. @throws DaemonError, RefreshCancelled */
  async proveBlocks(wallet: WalletId, blocks: BlockProofRequest): Promise<BlockProof> {
    const target = this.#targets.get(wallet);
    if (target !== undefined) this.#ensureAttached(wallet, target);
    return this.#ask<BlockProof>(wallet, (call) => this.#post({ type: 'proveBlocks', call, wallet, blocks }));
  }

  /** Asks the thread for a result. @param post posts the request with the number of the call. */
  #ask<T>(wallet: WalletId, post: (call: number) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      const call = this.#call(wallet, reject, (answer) => {
        if (!('result' in answer)) return true;
        if ('message' in answer.result) reject(toError(answer.result));
        else resolve(answer.result as T);
        return true;
      });
      if (call !== undefined) post(call);
    });
  }

  /**
   * Scans the pool outside of a refresh, and commits the findings.
   * @param asOf earliest time of the daemon's answer. @param made unmined payments; both as in {@link RefreshFrom}.
   * @throws DaemonError, {@link RefreshCancelled}, or the error of the commit.
   */
  scanPool(wallet: WalletId, asOf = monotonicMs(), made: readonly Hash[] = []): Promise<void> {
    const target = this.#targets.get(wallet);
    return new Promise((resolve, reject) => {
      if (target !== undefined) this.#ensureAttached(wallet, target);
      const call = this.#call(wallet, reject, (answer) => {
        if (answer.type !== 'scannedPool') return true;
        const { result } = answer;
        if ('message' in result) {
          reject(toError(result));
          return true;
        }
        try {
          target?.commitPool(unpackHashes(result.present), result.findings, result.unreadable);
          this.#poolCommitted(wallet, answer.call);
          resolve();
        } catch (error) {
          // The commit failed, and the thread reports a scanned transaction only once.
          this.restart(wallet);
          reject(error as Error);
        }
        return true;
      });
      if (call !== undefined) this.#post({ type: 'scanPool', call, wallet, from: { asOf, made } });
    });
  }

  /** Computes the key images of outputs; the result has the order of `outputs`. @throws RefreshCancelled */
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

  /**
   * Registers a call to the thread.
   * @returns the number of the call; undefined if the wallet is closed, after `reject` was called.
   */
  #call(wallet: WalletId, reject: Call['reject'], take: Call['take']): number | undefined {
    if (!this.#targets.has(wallet)) {
      reject(new RefreshCancelled('the wallet is closed'));
      return undefined;
    }
    const call = ++this.#counter;
    this.#calls.add(call, { wallet, take, reject });
    return call;
  }

  /** Discards the thread's scanner of a wallet. The next request starts a new scanner from the store. */
  restart(wallet: WalletId): void {
    if (this.#attached.delete(wallet)) this.#post({ type: 'detach', wallet });
  }

  /**
   * Ends the refresh of a wallet. The wallet's scanner, which may be ahead of the store, is replaced by a new scanner
   * from the store.
   */
  cancel(wallet: WalletId): void {
    if (this.#runs.has(wallet)) this.fail(wallet, new RefreshCancelled('the refresh was cancelled'));
  }

  /**
   * Rejects the running refresh of a wallet, if there is one, and discards its scanner, because the store lost
   * committed pages.
   */
  fail(wallet: WalletId, error: Error): void {
    const run = this.#runs.get(wallet);
    if (run !== undefined)
      this.#worker?.postMessage({ type: 'cancel', wallet, run: run.number } satisfies RefreshRequest);
    this.restart(wallet);
    this.#fail(wallet, error);
  }

  /**
   * Returns true if the thread has a scanner of the wallet, so that a refresh need not read the state of a new scanner.
   */
  isAttached(wallet: WalletId): boolean {
    return this.#attached.has(wallet);
  }

  isRunning(wallet: WalletId): boolean {
    return this.#runs.has(wallet);
  }

  /**
   * Scans the chain up to the daemon's tip, then the pool, and commits the findings.
   * @throws DaemonError, {@link RefreshCancelled}, or the error of the commit.
   */
  refresh(wallet: WalletId, from: RefreshFrom): Promise<RefreshResult> {
    const target = this.#targets.get(wallet);
    if (target === undefined) return Promise.reject(new RefreshCancelled('the wallet is closed'));
    if (this.#daemon === undefined) return Promise.reject(new DaemonError('unreachable', 'offline'));
    if (this.#runs.has(wallet)) return Promise.reject(new Error('a refresh of this wallet runs already'));
    const asOf = monotonicMs();
    return new Promise((resolve, reject) => {
      this.#ensureAttached(wallet, target);
      const number = ++this.#counter;
      this.#runs.set(
        wallet,
        new RefreshRun({
          ...{ number, wallet, target, resolve, reject },
          isPeriodic: from.asOf !== undefined,
        }),
      );
      this.#post({
        type: 'refresh',
        wallet,
        run: number,
        from: { asOf, ...from, history: packBlocks(from.history) },
      });
    });
  }

  async close(): Promise<void> {
    for (const wallet of [...this.#targets.keys()]) this.detach(wallet);
    clearTimeout(this.#ending);
    await this.#end();
  }

  #endWhenUnused(): void {
    if (this.#targets.size > 0) return;
    clearTimeout(this.#ending);
    this.#ending = setTimeout(() => void this.#end(), 1000 * this.#idleSeconds).unref();
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #ensureAttached(wallet: WalletId, target: RefreshTarget): void {
    if (this.#attached.has(wallet)) return;
    const state = target.scannerState();
    this.#post({ type: 'attach', wallet, state }, movableBuffersOf(state));
    this.#attached.set(wallet, this.#noPoolScan());
  }

  #noPoolScan(): PoolScan {
    return { after: this.#counter, isCommitted: false };
  }

  /**
   * Notes that a scan of the pool was committed.
   * @param request number of the refresh or call that scanned the pool.
   */
  #poolCommitted(wallet: WalletId, request: number): void {
    const scan = this.#attached.get(wallet);
    if (scan !== undefined && request > scan.after) scan.isCommitted = true;
  }

  /**
   * Posts a request to the thread.
   * @param moved buffers of the request, which are transferred and unusable on this thread afterwards.
   */
  #post(request: RefreshRequest, moved: readonly ArrayBuffer[] = []): void {
    this.#worker ??= this.#spawn();
    this.#worker.postMessage(request, moved);
  }

  #spawn(): Worker {
    const worker = new Worker(new URL('./refresh-thread.js', import.meta.url), {
      workerData: {
        threads: this.#threads,
        requests: this.#pendingRequests.activity.shared,
      } satisfies RefreshThreadData,
    });
    worker.unref();
    // The messages are handled one at a time, because many messages in one turn would delay the requests of clients.
    const reports = new FairQueue<RefreshReport>({
      handle: (report) => this.#receive(worker, report),
      pendingRequests: this.#pendingRequests,
      // Clients may wait for answers to calls and for the end of a refresh; other reports can wait for pending
      // requests.
      canWait: (report) =>
        report.type === 'page' || ('run' in report && this.#runs.get(report.wallet)?.isPeriodic === true),
    });
    worker.on('message', (message: RefreshReport | DaemonCallEnded) => {
      if (message.type === 'daemonCall') this.#observe(message.report, message.daemon);
      else reports.add(this.#walletOf(message), message);
    });
    worker.on('error', (error) => this.#lost(worker, error as Error));
    worker.on('exit', () => this.#lost(worker, new Error('the refresh thread stopped')));
    worker.postMessage({
      type: 'daemon',
      config: this.#daemon,
      chain: this.#chain,
    } satisfies RefreshRequest);
    return worker;
  }

  /** Returns the wallet of a report, also for an answer to a call, so that a wallet's messages stay in order. */
  #walletOf(report: RefreshReport): WalletId {
    return 'wallet' in report ? report.wallet : (this.#calls.walletOf(report.call) ?? 0);
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
      ...{ end: () => void this.#runs.delete(wallet), isRunning: () => this.#runs.get(wallet) === run },
    });
    if (report.type === 'pool') this.#poolCommitted(wallet, number);
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
