import { monotonicMs, systemClock, unixSeconds } from '../../util/clock.js';
import type { Hash } from '../../monero/crypto/types.js';
import type { Daemon } from '../../daemon/daemon.js';
import { unlessAborted } from '../../util/concurrency.js';
import { toHex, joinBytes } from '../../util/bytes.js';
import { outlineReadable } from '../scan/chain-block.js';
import type { BatchScanner } from '../scan/match-group.js';
import { SharedMatches } from '../scan/shared-matches.js';
import type { PoolFinding, UnminedTxs, WalletScanner } from '../scan/wallet-scanner.js';
import { provenSpends } from './spend-proofs.js';

/** Result of a scan of the pool for one wallet. */
export interface PoolView {
  /** Hashes of all transactions in the pool, 32 bytes each. */
  readonly present: Uint8Array;
  /** Receipts and spends in the pool transactions that this wallet had not scanned before. */
  readonly findings: readonly PoolFinding[];
  /** Number of transactions in the pool that were left out because they cannot be read. */
  readonly unreadable: number;
}

/** The calls to the daemon with which the pool is read. */
export type PoolSource = Pick<Daemon, 'getPoolHashes' | 'getTransactions' | 'proveSpends'>;

/** Largest number of pool transactions in a request. Restricted daemons refuse more. */
const FETCHED_AT_ONCE = 100;

/** Largest total size of the pool transactions that are kept for wallets which have not scanned them [bytes]. */
const MOST_BYTES = 16 << 20;

/** Pool state of a wallet that scans the pool. */
export interface PoolViewer {
  readonly scanner: Pick<WalletScanner, 'isBlind' | 'scanKeys' | 'scanPool'>;
  /**
   * Hashes [hex] of the pool transactions that this wallet has scanned. The set is replaced in order to scan all
   * transactions again.
   */
  readonly seenInPool: Set<string>;
  /** Newest list of pool hashes for which this wallet has finished a scan. */
  newestPool?: Pick<PoolHashes, 'issuedAt' | 'packed'> | undefined;
}

/** A daemon's answer to a request for the hashes of the pool. */
export interface PoolHashes {
  /** Time of the request, by {@link monotonicMs} [ms]. */
  readonly issuedAt: number;
  /** Hashes by their hex form. */
  readonly byName: ReadonlyMap<string, Hash>;
  /** Hashes of all transactions in the pool, joined, 32 bytes each. */
  readonly packed: Uint8Array;
}

/** Parsed pool transactions of one answer. */
interface PoolPage extends UnminedTxs {
  readonly names: readonly string[];
  readonly matches: SharedMatches;
  readonly bytes: number;
  /** Number of wallets that have scanned this page. */
  views: number;
}

/**
 * Reads the daemon's pool for all wallets. The list of hashes is fetched once for all wallets that accept the same
 * answer, and a transaction once for all wallets that have not scanned it. Transactions that cannot be read are left out.
 */
export class PoolFeed {
  readonly #daemon: PoolSource;
  readonly #kernel: BatchScanner;
  readonly #mostBytes: number;
  readonly #viewers = new Set<PoolViewer>();
  #latest: { readonly issuedAt: number; readonly hashes: Promise<PoolHashes> } | undefined;
  /** Pages that are being fetched or kept, by the hash [hex] of each of their transactions; oldest page first. */
  readonly #pages = new Map<string, Promise<PoolPage>>();
  readonly #kept = new Set<PoolPage>();
  /** Hashes [hex] of the transactions in the pool that cannot be read. */
  readonly #unreadable = new Set<string>();

  constructor(daemon: PoolSource, kernel: BatchScanner, mostBytes = MOST_BYTES) {
    this.#daemon = daemon;
    this.#kernel = kernel;
    this.#mostBytes = mostBytes;
  }

  /** Registers a wallet: transactions are kept until it has scanned them. */
  attach(viewer: PoolViewer): void {
    this.#viewers.add(viewer);
  }

  detach(viewer: PoolViewer): void {
    this.#viewers.delete(viewer);
  }

  /**
   * Lists the pool, and scans the transactions that the wallet has not scanned yet. If several scans run at once, a
   * scan that ends later never returns an older list.
   * @param asOf earliest time of the list, by {@link monotonicMs} [ms].
   * @param made hashes of the unmined payments that the wallet has; another transaction that spends outputs of the wallet
   * must have their signatures.
   * @throws DaemonError; the reason of the signal.
   */
  async view(
    viewer: PoolViewer,
    asOf: number,
    signal?: AbortSignal,
    made: readonly Hash[] = [],
  ): Promise<PoolView> {
    const hashes = await unlessAborted(this.#hashes(asOf), signal);
    const { byName } = hashes;
    const { seenInPool, scanner } = viewer;
    for (const name of seenInPool) if (!byName.has(name)) seenInPool.delete(name);
    const unseen = new Set<string>();
    if (!scanner.isBlind)
      for (const name of byName.keys())
        if (!seenInPool.has(name) && !this.#unreadable.has(name)) unseen.add(name);
    const findings: PoolFinding[] = [];
    const scanned: string[] = [];
    while (unseen.size > 0) {
      const names = first(unseen, FETCHED_AT_ONCE);
      for (const fetched of this.#pagesOf(names, byName)) {
        const page = await unlessAborted(fetched, signal);
        findings.push(...(await this.#scan(page, viewer, unseen, signal)));
        for (const name of page.names) if (unseen.delete(name)) scanned.push(name);
        this.#countView(page);
      }
      // Hashes that remain in `names` have left the daemon's pool since it was listed, or cannot be read.
      for (const name of names) unseen.delete(name);
    }
    const own = new Set(made.map(toHex));
    const { proven, gone } = await provenSpends(
      findings,
      (txHash) => own.has(toHex(txHash)),
      (txHash, keyImages) => unlessAborted(this.#daemon.proveSpends(txHash, keyImages, { signal }), signal),
    );
    signal?.throwIfAborted();
    const left = new Set(gone.map(toHex));
    // The hashes are noted only after all pages were scanned: if the fetch of a later page fails, the findings of the
    // earlier pages are lost with it.
    for (const name of scanned) if (!left.has(name)) seenInPool.add(name);
    const known = viewer.newestPool;
    const newest = known !== undefined && known.issuedAt > hashes.issuedAt ? known : hashes;
    viewer.newestPool = newest;
    return { present: newest.packed, findings: proven, unreadable: this.#unreadable.size };
  }

  async #scan(
    page: PoolPage,
    { scanner }: PoolViewer,
    unseen: ReadonlySet<string>,
    signal: AbortSignal | undefined,
  ): Promise<PoolFinding[]> {
    const reader = { ...scanner.scanKeys, firstTx: 0 };
    const stop = (): void => page.matches.drop(reader);
    signal?.addEventListener('abort', stop, { once: true });
    try {
      const seenAt = unixSeconds(systemClock);
      const isUnseen = (tx: number): boolean => unseen.has(page.names[tx] ?? '');
      return await scanner.scanPool(page, page.matches.read(reader), seenAt, isUnseen);
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  #hashes(asOf: number): Promise<PoolHashes> {
    if (this.#latest !== undefined && this.#latest.issuedAt >= asOf) return this.#latest.hashes;
    const issuedAt = monotonicMs();
    const latest = { issuedAt, hashes: this.#fetchHashes(issuedAt) };
    this.#latest = latest;
    latest.hashes.catch(() => {
      if (this.#latest === latest) this.#latest = undefined;
    });
    return latest.hashes;
  }

  async #fetchHashes(issuedAt: number): Promise<PoolHashes> {
    const hashes = await this.#daemon.getPoolHashes();
    const byName = new Map(hashes.map((hash) => [toHex(hash), hash]));
    for (const page of this.#kept) if (!page.names.some((name) => byName.has(name))) this.#drop(page);
    for (const name of this.#unreadable) if (!byName.has(name)) this.#unreadable.delete(name);
    return { issuedAt, byName, packed: joinBytes(hashes) };
  }

  /** Returns the pages that hold the given transactions; requests transactions that no page holds. */
  #pagesOf(names: readonly string[], byName: ReadonlyMap<string, Hash>): Set<Promise<PoolPage>> {
    const missing = names.filter((name) => !this.#pages.has(name));
    if (missing.length > 0) {
      const page = this.#fetchPage(missing.flatMap((name) => byName.get(name) ?? []));
      for (const name of missing) this.#pages.set(name, page);
      const forget = (kept: readonly string[]): void => {
        for (const name of missing)
          if (!kept.includes(name) && this.#pages.get(name) === page) this.#pages.delete(name);
      };
      page.then(
        ({ names: kept }) => forget(kept),
        () => forget([]),
      );
    }
    return new Set(names.flatMap((name) => this.#pages.get(name) ?? []));
  }

  async #fetchPage(hashes: readonly Hash[]): Promise<PoolPage> {
    const { transactions } = await this.#daemon.getTransactions(hashes, { prune: true });
    const inPool = transactions.filter((tx) => tx.inPool);
    const { sent, txs } = outlineReadable(inPool);
    for (const tx of inPool) if (!sent.includes(tx)) this.#unreadable.add(toHex(tx.hash));
    const page: PoolPage = {
      sent,
      txs,
      names: sent.map(({ hash }) => toHex(hash)),
      matches: new SharedMatches(txs, this.#kernel),
      bytes: sent.reduce((sum, { blob }) => sum + blob.length, 0),
      views: 0,
    };
    this.#kept.add(page);
    let bytes = [...this.#kept].reduce((sum, kept) => sum + kept.bytes, 0);
    for (const oldest of this.#kept) {
      if (bytes <= this.#mostBytes || oldest === page) break;
      bytes -= oldest.bytes;
      this.#drop(oldest);
    }
    return page;
  }

  #countView(page: PoolPage): void {
    page.views += 1;
    if (page.views >= this.#viewers.size) this.#drop(page);
  }

  #drop(page: PoolPage): void {
    this.#kept.delete(page);
    for (const name of page.names) this.#pages.delete(name);
  }
}

function first(names: Iterable<string>, count: number): string[] {
  const list: string[] = [];
  for (const name of names) {
    if (list.length === count) break;
    list.push(name);
  }
  return list;
}
