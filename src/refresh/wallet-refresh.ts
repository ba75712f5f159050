import { DaemonError } from '../daemon/errors.js';
import { monotonicMs } from '../util/monotonic-time.js';
import type { RequestActivity } from '../util/request-activity.js';
import { TurnLimit } from '../util/turn-limit.js';
import type { PageFindings } from '../monero/wallet/model/records.js';
import type { ChainFeed } from './feeds/chain-feed.js';
import { commitBatchesOf, weightOf } from './commit/commit-batches.js';
import type { MemberPage } from './feeds/feed-member.js';
import type { RefreshFrom } from './feeds/chain-position.js';
import type { RefreshReport, WalletId } from './messages.js';
import { packFindings, type PackedFindings } from './commit/packed-findings.js';
import { PendingCommits } from './commit/pending-commits.js';
import type { PoolFeed, PoolViewer } from './feeds/pool-feed.js';
import { toFailure } from './refresh-failure.js';
import type { WalletScanner } from './scan/wallet-scanner.js';

/** Commit batches that may wait for the main thread: its work for as long as this thread computes key images in one go. */
const COMMITS_AHEAD = 4;

/** Weight of the commit batches between two checkpoints: some thousand pages of the store. */
const CHECKPOINT_WEIGHT = 4096;

/**
 * Wallets that continue in one turn of the event loop when a block or the pool arrives for all of them: the thread
 * answers requests for the pool in between.
 */
const WALLETS_PER_TURN = 8;

const turns = new TurnLimit(WALLETS_PER_TURN);

/** A wallet whose chain and pool are scanned. */
export interface RefreshedWallet extends PoolViewer {
  readonly scanner: PoolViewer['scanner'] & Pick<WalletScanner, 'scan'>;
}

/** Chain and pool of one daemon. */
export interface DaemonFeeds {
  readonly chain: ChainFeed;
  readonly pool: PoolFeed;
}

/** Findings of some blocks, which are committed together. */
interface PackedBatch {
  readonly findings: PackedFindings;
  readonly daemonHeight: number;
  /** See {@link weightOf}. */
  readonly weight: number;
}

/** One refresh of a wallet, on the refresh thread: scans pages, and hands their findings to the main thread. */
export class WalletRefresh {
  readonly number: number;
  readonly #id: WalletId;
  readonly #report: (message: RefreshReport) => void;
  readonly #abort = new AbortController();
  readonly #commits = new PendingCommits(this.#abort.signal);
  #weight = 0;
  readonly #activity: Pick<RequestActivity, 'areFrequent'>;

  /** @param activity requests of clients, which are answered between two commits. */
  constructor(
    id: WalletId,
    number: number,
    report: (message: RefreshReport) => void,
    activity: Pick<RequestActivity, 'areFrequent'>,
  ) {
    this.#id = id;
    this.#activity = activity;
    this.number = number;
    this.#report = report;
  }

  cancel(): void {
    this.#abort.abort(new Error('the refresh was cancelled'));
  }

  /** Notes that the main thread has committed a batch, or made a checkpoint. */
  acknowledge(): void {
    this.#commits.acknowledge();
  }

  /** Brings the wallet to the daemon's tip and scans the pool. Reports the end, and how it failed. */
  async run(wallet: RefreshedWallet, feeds: DaemonFeeds | undefined, from: RefreshFrom): Promise<void> {
    const { signal } = this.#abort;
    try {
      if (feeds === undefined) throw new DaemonError('unreachable', 'offline');
      const now = monotonicMs();
      const asOf = Math.min(from.asOf ?? now, now);
      const { viewSecret } = wallet.scanner;
      await this.#scanChain(wallet, feeds.chain.join({ ...from, asOf, viewSecret, signal }));
      await this.#commits.settled(0);
      if (!wallet.scanner.isBlind) {
        const view = await feeds.pool.view(wallet, asOf, signal);
        await turns.next();
        signal.throwIfAborted();
        this.#report({ type: 'pool', wallet: this.#id, run: this.number, ...view });
      }
      this.#report({ type: 'done', wallet: this.#id, run: this.number });
    } catch (error) {
      this.#report({ type: 'done', wallet: this.#id, run: this.number, failure: toFailure(error, signal) });
    }
  }

  /** Scans pages; the main thread commits the findings of one while the next two are scanned. */
  async #scanChain(wallet: RefreshedWallet, pages: AsyncIterable<MemberPage>): Promise<void> {
    let before = Promise.resolve();
    let committing = before;
    try {
      for await (const page of pages) {
        const findings = await this.#scan(wallet, page);
        const batches = packedBatches(findings, page.page.daemonHeight, this.#activity.areFrequent);
        await before;
        before = committing;
        committing = committing.then(() => this.#commit(batches));
        // A later `await` throws its failure.
        committing.catch(() => undefined);
      }
    } finally {
      // Also if the next page fails: the scanner recognises what it has found in this one.
      await committing;
    }
  }

  async #scan(wallet: RefreshedWallet, { page, matches }: MemberPage): Promise<PageFindings> {
    const { signal } = this.#abort;
    await turns.next();
    signal.throwIfAborted();
    const findings = await wallet.scanner.scan(page, matches, signal);
    signal.throwIfAborted();
    return findings;
  }

  /** Hands the findings of a page to the main thread. @throws the reason of the signal. */
  async #commit(batches: readonly PackedBatch[]): Promise<void> {
    for (const { weight, ...batch } of batches) {
      this.#commits.add();
      this.#report({ type: 'page', wallet: this.#id, run: this.number, ...batch });
      this.#weight += weight;
      if (this.#weight < CHECKPOINT_WEIGHT) {
        await this.#commits.settled(COMMITS_AHEAD - 1);
        continue;
      }
      await this.#commits.settled(0);
      this.#commits.add();
      this.#report({ type: 'checkpoint', wallet: this.#id, run: this.number });
      await this.#commits.settled(0);
      this.#weight = 0;
    }
  }
}

/** Packs the findings of a page at once: as objects they would live until they are committed, and be copied by collections. */
const packedBatches = (findings: PageFindings, daemonHeight: number, isBusy: boolean): PackedBatch[] =>
  Array.from(commitBatchesOf(findings, isBusy), (batch) => ({
    findings: packFindings(batch),
    daemonHeight,
    weight: weightOf(batch),
  }));
