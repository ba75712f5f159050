import { parentPort, workerData } from 'node:worker_threads';
import { DaemonError } from '../daemon/errors.js';
import { HttpDaemon } from '../daemon/http-daemon.js';
import { loadKernel } from '../monero/kernel/load-kernel.js';
import { KernelPool } from '../monero/kernel/kernel-pool.js';
import { collectWhenIdle } from '../util/v8-heap.js';
import { monotonicMs } from '../util/clock.js';
import { RequestActivity } from '../util/request-activity.js';
import { ENTRY_BYTES, type PackedSubaddresses } from '../monero/wallet/scan/packed-subaddresses.js';
import { ChainFeed } from './feeds/chain-feed.js';
import { locatedKeyImages } from '../monero/wallet/scan/key-images.js';
import { type BlockProof, type BlockProofRequest, proveBlocks } from './feeds/page-proofs.js';
import { type PoolView, type PoolViewer, PoolFeed } from './feeds/pool-feed.js';
import {
  type DaemonCallEnded,
  type RefreshFailure,
  type RefreshReport,
  type RefreshRequest,
  type RefreshThreadData,
  type WalletId,
  unpackBlocks,
  toFailure,
} from './messages.js';
import type { ExpectedChain } from './scan/chain-block.js';
import { poolThreads, RefreshScanner } from './scan/match-group.js';
import { scanTransactions, WalletScanner } from './scan/wallet-scanner.js';
import { WalletRefresh, type DaemonFeeds } from './wallet-refresh.js';

/**
 * Largest number of subaddress keys in one commit. The default lookahead of a new wallet has as many keys, which are
 * stored packed, in 2 ms.
 */
const LOOKAHEAD_KEYS_AT_ONCE = 10_000;

/**
 * Largest number of subaddress keys in one commit of a lookahead that exceeds the default. Most keys have a row each: 3
 * ms.
 */
const LARGE_LOOKAHEAD_KEYS_AT_ONCE = 2000;

/**
 * Number of batches that each scanning thread receives ahead while this thread derives the lookahead of a new wallet:
 * 45 ms of work.
 */
const BATCHES_SENT_AHEAD = 8;

const port = parentPort;
if (port === null) throw new Error('refresh-thread runs as a worker thread only');
// The thread collects garbage when it is idle, which delays no request: the payments after a refresh need the memory.
collectWhenIdle('last-resort', 2);
const report = (message: RefreshReport | DaemonCallEnded): void => port.postMessage(message);

const { threads, requests } = workerData as RefreshThreadData;
const activity = new RequestActivity(requests);
const pool = new KernelPool(poolThreads(threads), activity);
const ownKernel = loadKernel();
const kernel = new RefreshScanner(pool, ownKernel, threads);
const wallets = new Map<WalletId, AttachedWallet>();
let feeds: (DaemonFeeds & { readonly daemon: HttpDaemon; readonly expected: ExpectedChain }) | undefined;

port.on('message', (request: RefreshRequest) => {
  switch (request.type) {
    case 'daemon':
      return connect(request);
    case 'prefetch':
      if (feeds === undefined) request.viewSecret?.fill(0);
      else feeds.chain.prefetch(request.startHeight, request.viewSecret);
      return;
    case 'attach': {
      // The scanner of a new wallet derives its lookahead without a pause, which keeps this thread from sending
      // batches.
      pool.sendAhead(BATCHES_SENT_AHEAD);
      const wallet = new AttachedWallet(new WalletScanner(request.state, ownKernel));
      wallets.set(request.wallet, wallet);
      feeds?.pool.attach(wallet);
      return;
    }
    case 'detach': {
      const wallet = wallets.get(request.wallet);
      wallets.delete(request.wallet);
      wallet?.close();
      if (wallet !== undefined) feeds?.pool.detach(wallet);
      return;
    }
    case 'expand':
      wallets.get(request.wallet)?.scanner.expandTo(request.index);
      return;
    case 'lookahead': {
      const scanner = wallets.get(request.wallet)?.scanner;
      scanner?.lookAhead(request.lookahead, request.handedOut);
      reportSubaddresses(request.call, scanner?.takeFresh() ?? new Uint8Array());
      return;
    }
    case 'keyImages': {
      const { call, keys, outputs } = request;
      const images = locatedKeyImages(outputs, keys, ownKernel);
      keys.viewSecret.fill(0);
      keys.spendSecret.fill(0);
      report({ type: 'keyImages', call, images });
      return;
    }
    case 'importKeyImages':
      wallets.get(request.wallet)?.scanner.importKeyImages(request.keyImages);
      return;
    case 'forgetPool':
      wallets.get(request.wallet)?.forgetPool();
      return;
    case 'scanTransactions': {
      const { call, state, batch } = request;
      settle(scanTransactions(state, batch, { pool: kernel, own: ownKernel }), undefined, (result) =>
        report({ type: 'scannedTransactions', call, result }),
      );
      return;
    }
    case 'scanPool': {
      const { call, wallet, from } = request;
      // The signal is also aborted when the main thread starts another scanner of the wallet.
      const closed = wallets.get(wallet)?.closed;
      settle(scanPool(wallet, from), closed, (result) => report({ type: 'scannedPool', call, result }));
      return;
    }
    case 'proveBlocks': {
      const { call, wallet, blocks } = request;
      const closed = wallets.get(wallet)?.closed;
      settle(proveOf(wallet, blocks), closed, (result) => report({ type: 'provenBlocks', call, result }));
      return;
    }
    case 'refresh':
      void refresh(request);
      return;
    case 'cancel': {
      const running = wallets.get(request.wallet)?.refresh;
      if (running?.number === request.run) running.cancel();
      return;
    }
    case 'committed': {
      const running = wallets.get(request.wallet)?.refresh;
      if (running?.number === request.run) running.acknowledge();
      return;
    }
  }
});

function connect({ config, chain }: Extract<RefreshRequest, { readonly type: 'daemon' }>): void {
  feeds?.daemon.close();
  feeds?.chain.close();
  feeds = undefined;
  if (config === undefined) return;
  const { newestFork } = chain;
  const daemon = new HttpDaemon({ ...config, ...(newestFork === undefined ? {} : { newestFork }) }, (ended) =>
    report({ type: 'daemonCall', report: ended, daemon: config.address }),
  );
  void daemon.connect();
  const pool = new PoolFeed(daemon, kernel);
  feeds = { daemon, expected: chain, chain: new ChainFeed(daemon, chain, kernel), pool };
  for (const wallet of wallets.values()) feeds.pool.attach(wallet);
}

function reportSubaddresses(call: number, keys: PackedSubaddresses): void {
  const isLarge = keys.length > LOOKAHEAD_KEYS_AT_ONCE * ENTRY_BYTES;
  const bytes = ENTRY_BYTES * (isLarge ? LARGE_LOOKAHEAD_KEYS_AT_ONCE : LOOKAHEAD_KEYS_AT_ONCE);
  for (let start = 0; start === 0 || start < keys.length; start += bytes) {
    const end = start + bytes;
    report({ type: 'subaddresses', call, keys: keys.slice(start, end), last: end >= keys.length });
  }
}

async function refresh({
  wallet: id,
  run,
  from,
}: Extract<RefreshRequest, { readonly type: 'refresh' }>): Promise<void> {
  const wallet = wallets.get(id);
  if (wallet === undefined) return;
  wallet.refresh?.cancel();
  const current = new WalletRefresh(id, run, report, activity);
  wallet.refresh = current;
  await current.run(wallet, feeds, { ...from, history: unpackBlocks(from.history) });
  if (wallet.refresh === current) wallet.refresh = undefined;
}

/** Answers a call with its result, or with its failure. @param closed aborted when the wallet has another scanner. */
function settle<T>(
  result: Promise<T>,
  closed: AbortSignal | undefined,
  answer: (result: T | RefreshFailure) => void,
): void {
  result.then(answer, (error: unknown) => answer(toFailure(error, closed)));
}

/** Returns an attached wallet, and the feeds of the daemon. @throws DaemonError when offline. */
function serving(id: WalletId): {
  readonly wallet: AttachedWallet;
  readonly feeds: NonNullable<typeof feeds>;
} {
  const wallet = wallets.get(id);
  if (wallet === undefined) throw new Error('a call for a wallet that is not attached');
  if (feeds === undefined) throw new DaemonError('unreachable', 'offline');
  return { wallet, feeds };
}

async function scanPool(
  id: WalletId,
  { asOf, made }: Extract<RefreshRequest, { readonly type: 'scanPool' }>['from'],
): Promise<PoolView> {
  const { wallet, feeds: current } = serving(id);
  return current.pool.view(wallet, Math.min(asOf, monotonicMs()), wallet.closed, made);
}

async function proveOf(id: WalletId, blocks: BlockProofRequest): Promise<BlockProof> {
  const { wallet, feeds: current } = serving(id);
  const { scanner, closed: signal } = wallet;
  return proveBlocks(blocks, current.daemon, current.expected, { scanner, kernel, signal });
}

/** A refresh of one wallet that runs on the refresh thread. `number` is the number of its run on the main thread. */
interface RunningRefresh {
  readonly number: number;
  cancel(): void;
  acknowledge(): void;
}

/**
 * State of one open wallet on the refresh thread: its scanner, its refresh, and the pool transactions that it has
 * scanned.
 */
class AttachedWallet {
  readonly scanner: WalletScanner;
  /** Hashes [hex] of the pool transactions that this wallet has scanned. */
  seenInPool = new Set<string>();
  newestPool: PoolViewer['newestPool'];
  refresh: RunningRefresh | undefined;
  readonly #closing = new AbortController();

  constructor(scanner: WalletScanner) {
    this.scanner = scanner;
  }

  /**
   * Makes the next scan of the pool scan every transaction again. A scan under way does not mark its transactions as
   * scanned.
   */
  forgetPool(): void {
    this.seenInPool = new Set();
  }

  /** Signal that is aborted when the wallet is closed. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** Ends all scans of the wallet and zeroes its keys. */
  close(): void {
    this.refresh?.cancel();
    this.#closing.abort(new Error('the wallet is closed'));
    this.scanner.wipe();
  }
}
