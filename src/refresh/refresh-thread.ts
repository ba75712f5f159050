import { parentPort, workerData } from 'node:worker_threads';
import { SPENDABLE_AGE_BLOCKS } from '../cryptonote/constants.js';
import { DaemonError } from '../daemon/errors.js';
import { HttpDaemon } from '../daemon/http-daemon.js';
import { loadKernel } from '../kernel/load-kernel.js';
import { KernelPool } from '../kernel/kernel-pool.js';
import { toHex } from '../util/bytes.js';
import { collectWhenIdle } from '../util/idle-collector.js';
import type { SubaddressKey } from '../wallet/model/records.js';
import { outlineLoose, type ExpectedChain } from './chain-block.js';
import type {
  PoolView,
  RefreshFailure,
  RefreshFrom,
  RefreshReport,
  RefreshRequest,
  WalletId,
} from './messages.js';
import { locatedKeyImages } from './located-key-images.js';
import { BATCHES_AHEAD } from './hits.js';
import { BATCH_KEYS } from './kernel-batches.js';
import { pagesFrom } from './page-source.js';
import { piecesOf } from './pieces.js';
import { startedAhead } from './started-ahead.js';
import { SharedBlocks } from './shared-blocks.js';
import { KEYS_AT_ONCE, slicesOf, weightOf } from './slices.js';
import { WalletScanner } from './wallet-scanner.js';
import { runInBackground } from '../util/thread-priority.js';

/** Slices of pages that may wait for their commit. */
const SLICES_AHEAD = 2;

/** Weight of the slices after which their commits are put in order: some thousand pages of the store. */
const WEIGHT_BETWEEN_RESTS = 1500;

/** Pool transactions fetched at once: what a restricted daemon allows. */
const POOL_BATCH = 100;

/** One wallet on the refresh thread. */
interface Attached {
  readonly scanner: WalletScanner;
  /** Pool transactions looked at already, by hash in hex. */
  readonly seenInPool: Set<string>;
  run?: { readonly number: number; readonly abort: AbortController; inFlight: number; committed: () => void };
}

const port = parentPort;
if (port === null) throw new Error('refresh-thread runs as a worker thread only');
runInBackground();
collectWhenIdle();
const report = (message: RefreshReport): void => port.postMessage(message);

const { threads } = workerData as { readonly threads: number };
const kernel = new KernelPool(threads);
kernel.start();
const ownKernel = loadKernel();
const wallets = new Map<WalletId, Attached>();
let daemon: HttpDaemon | undefined;
let shared: SharedBlocks | undefined;
let chain: ExpectedChain;

port.on('message', (request: RefreshRequest) => {
  switch (request.type) {
    case 'daemon':
      daemon?.close();
      daemon = request.config === undefined ? undefined : new HttpDaemon(request.config);
      shared = daemon && new SharedBlocks(daemon);
      chain = request.chain;
      return;
    case 'attach':
      wallets.set(request.wallet, {
        scanner: new WalletScanner(request.state, ownKernel),
        seenInPool: new Set(),
      });
      return;
    case 'detach': {
      const wallet = wallets.get(request.wallet);
      wallet?.run?.abort.abort();
      wallet?.scanner.wipe();
      wallets.delete(request.wallet);
      return;
    }
    case 'expand':
      wallets.get(request.wallet)?.scanner.expandTo(request.index);
      return;
    case 'lookahead': {
      const scanner = wallets.get(request.wallet)?.scanner;
      scanner?.lookAhead(request.lookahead, request.handedOut);
      reportSubaddresses(request.call, scanner?.takeFresh() ?? []);
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
    case 'learn': {
      const wallet = wallets.get(request.wallet);
      wallet?.scanner.learn(request.told);
      wallet?.seenInPool.clear();
      return;
    }
    case 'look':
      void look(request);
      return;
    case 'lookIntoPool':
      void lookIntoPool(request.call, request.wallet);
      return;
    case 'refresh':
      void run(request.wallet, request.run, request.from);
      return;
    case 'cancel': {
      const current = wallets.get(request.wallet)?.run;
      if (current?.number === request.run) current.abort.abort();
      return;
    }
    case 'committed': {
      const current = wallets.get(request.wallet)?.run;
      if (current?.number === request.run) {
        current.inFlight -= 1;
        current.committed();
      }
      return;
    }
  }
});

function reportSubaddresses(call: number, keys: readonly SubaddressKey[]): void {
  for (let start = 0; start === 0 || start < keys.length; start += KEYS_AT_ONCE) {
    const end = start + KEYS_AT_ONCE;
    report({ type: 'subaddresses', call, keys: keys.slice(start, end), last: end >= keys.length });
  }
}

/** Looks through some transactions with a scanner of its own. */
async function look({
  call,
  state,
  batch,
}: Extract<RefreshRequest, { readonly type: 'look' }>): Promise<void> {
  const scanner = new WalletScanner(state, ownKernel);
  try {
    const outlined = outlineLoose(batch.mined);
    const mined = await scanner.find(outlined, scanner.hitsIn(outlined, kernel));
    const unmined = await scanner.scanPool(batch.unmined, Math.floor(Date.now() / 1000), kernel);
    report({ type: 'looked', call, result: { mined, unmined } });
  } catch (error) {
    report({ type: 'looked', call, result: toFailure(error) });
  } finally {
    scanner.wipe();
  }
}

async function run(id: WalletId, number: number, from: RefreshFrom): Promise<void> {
  const wallet = wallets.get(id);
  if (wallet === undefined) return;
  wallet.run?.abort.abort();
  const current = { number, abort: new AbortController(), inFlight: 0, committed: (): void => undefined };
  wallet.run = current;
  const { signal } = current.abort;
  let wake = (): void => undefined;
  current.committed = () => wake();
  signal.addEventListener('abort', () => wake(), { once: true });
  /** Ends once so few commits at most are under way. */
  const settled = async (limit: number): Promise<void> => {
    while (!signal.aborted && current.inFlight > limit)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    signal.throwIfAborted();
  };
  const source = shared;
  const leave = source?.join();
  try {
    if (source === undefined) throw new DaemonError('unreachable', 'offline');
    let weight = 0;
    const { scanner } = wallet;
    const pieces = piecesOf(pagesFrom(source, from, chain, signal), BATCHES_AHEAD * BATCH_KEYS * threads);
    const pages = startedAhead(pieces, (page) => ({ page, hits: scanner.hitsIn(page, kernel) }));
    for await (const { page, hits } of pages) {
      const findings = await scanner.scan(page, hits, signal);
      signal.throwIfAborted();
      // What the pool holds may spend what was not known when it was looked at.
      if (findings.outputs.some(({ height }) => height + SPENDABLE_AGE_BLOCKS <= page.daemonHeight))
        wallet.seenInPool.clear();
      for (const slice of slicesOf(findings)) {
        current.inFlight += 1;
        report({ type: 'page', wallet: id, run: number, findings: slice, daemonHeight: page.daemonHeight });
        weight += weightOf(slice);
        if (weight < WEIGHT_BETWEEN_RESTS) {
          await settled(SLICES_AHEAD - 1);
          continue;
        }
        await settled(0);
        current.inFlight += 1;
        report({ type: 'rest', wallet: id, run: number });
        await settled(0);
        weight = 0;
      }
    }
    await settled(0);
    if (!wallet.scanner.isBlind)
      report({ type: 'pool', wallet: id, run: number, ...(await poolFor(wallet, signal)) });
    report({ type: 'done', wallet: id, run: number });
  } catch (error) {
    report({ type: 'done', wallet: id, run: number, failure: toFailure(error, signal) });
  } finally {
    leave?.();
    if (wallet.run === current) delete wallet.run;
  }
}

/** Looks at the pool alone, whatever a refresh of the wallet is at. */
async function lookIntoPool(call: number, id: WalletId): Promise<void> {
  try {
    const wallet = wallets.get(id);
    if (wallet === undefined) throw new Error('a look into the pool for a wallet that is not attached');
    report({ type: 'lookedIntoPool', call, result: await poolFor(wallet) });
  } catch (error) {
    report({ type: 'lookedIntoPool', call, result: toFailure(error) });
  }
}

/** What is in the pool, and what of it concerns the wallet; each transaction is fetched once. */
async function poolFor(wallet: Attached, signal?: AbortSignal): Promise<PoolView> {
  if (daemon === undefined) throw new DaemonError('unreachable', 'offline');
  const from = daemon;
  const options = signal === undefined ? {} : { signal };
  const present = await from.getPoolHashes(options);
  const names = new Set(present.map(toHex));
  for (const seen of wallet.seenInPool) if (!names.has(seen)) wallet.seenInPool.delete(seen);
  const unseen = wallet.scanner.isBlind ? [] : present.filter((hash) => !wallet.seenInPool.has(toHex(hash)));
  const findings = [];
  const looked: string[] = [];
  for (let start = 0; start < unseen.length; start += POOL_BATCH) {
    const { transactions } = await from.getTransactions(unseen.slice(start, start + POOL_BATCH), {
      prune: true,
      ...options,
    });
    const txs = transactions
      .filter(({ inPool }) => inPool)
      .map(({ hash, blob, doubleSpendSeen }) => ({
        hash,
        blob,
        doubleSpendSeen,
      }));
    findings.push(...(await wallet.scanner.scanPool(txs, Math.floor(Date.now() / 1000), kernel)));
    looked.push(...txs.map(({ hash }) => toHex(hash)));
  }
  signal?.throwIfAborted();
  // Only now: findings of the first batches are lost where a later one fails.
  for (const name of looked) wallet.seenInPool.add(name);
  return { present, findings };
}

function toFailure(error: unknown, signal?: AbortSignal): RefreshFailure {
  if (signal?.aborted === true) return { kind: 'cancelled', message: 'cancelled' };
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof DaemonError)
    return { kind: error.kind, message, ...(error.code === undefined ? {} : { code: error.code }) };
  return { message, ...(error instanceof Error && error.stack !== undefined ? { stack: error.stack } : {}) };
}
