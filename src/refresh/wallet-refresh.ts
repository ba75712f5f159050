import { DaemonError, isAnswered } from '../daemon/errors.js';
import { monotonicMs } from '../util/clock.js';
import type { RequestActivity } from '../util/request-activity.js';
import { unlessAborted } from '../util/concurrency.js';
import { TurnLimit } from '../util/event-loop.js';
import { packFindings, type PackedFindings } from './packed-findings.js';
import { partsOf } from './page-parts.js';
import { foundTxs, type FoundTx, type PageFindings } from '../monero/wallet/scan/findings.js';
import type { ChainFeed } from './feeds/chain-feed.js';
import type { MemberPage } from './feeds/feed-member.js';
import { nextHeight, positionOf, type RefreshFrom } from './feeds/chain-position.js';
import type { PoolFeed, PoolViewer } from './feeds/pool-feed.js';
import { toFailure, type RefreshFailure, type RefreshReport, type WalletId } from './messages.js';
import { UnreadableTx, type ChainTxs } from './scan/chain-block.js';
import type { WalletScanner } from './scan/wallet-scanner.js';

/**
 * Number of commit batches that may wait for the main thread; committing them takes about as long as this thread needs
 * to compute key images without a pause.
 */
const COMMITS_AHEAD = 4;

/**
 * Weight of the commit batches between two checkpoints ({@link weightOf}); they fill some thousand pages of the store's
 * write-ahead log.
 */
const CHECKPOINT_WEIGHT = 4096;

/**
 * Number of wallets that continue in one turn of the event loop when a block or the pool arrives for all of them.
 * Between two turns, the thread can answer requests for the pool.
 */
const WALLETS_PER_TURN = 8;

/** Time after which a refresh stops reading blocks again, so that the next refresh can read new blocks [ms]. */
const AGAIN_MS = 3000;

const turns = new TurnLimit(WALLETS_PER_TURN);

/** A wallet on the refresh thread whose chain and pool are scanned. */
export interface RefreshedWallet extends PoolViewer {
  readonly scanner: PoolViewer['scanner'] & Pick<WalletScanner, 'scan' | 'scanAgain'>;
}

/** Feeds of the chain and of the pool of one daemon. */
export interface DaemonFeeds {
  readonly chain: ChainFeed;
  readonly pool: PoolFeed;
}

/** Scans the blocks of a page. */
type Scan = (page: MemberPage) => Promise<PageFindings>;

/** Findings of some blocks that are committed in one transaction. */
interface CommitBatch {
  readonly findings: PackedFindings;
  readonly daemonHeight: number;
  readonly isAgain: boolean;
  /** Cost of the commit; see {@link weightOf}. */
  readonly weight: number;
}

/** One refresh of a wallet on the refresh thread: scans pages and posts their findings to the main thread. */
export class WalletRefresh {
  readonly number: number;
  readonly #id: WalletId;
  readonly #report: (message: RefreshReport) => void;
  readonly #abort = new AbortController();
  readonly #commits = new PendingCommits(this.#abort.signal);
  #weight = 0;
  /** True if the scanner has taken in findings that are never committed. */
  #isAhead = false;
  readonly #activity: Pick<RequestActivity, 'areFrequent'>;
  readonly #againMs: number;

  /**
   * @param activity request activity of the process; while clients send requests, commit batches are smaller.
   * @param againMs time after which no more blocks are read again [ms].
   */
  constructor(
    id: WalletId,
    number: number,
    report: (message: RefreshReport) => void,
    activity: Pick<RequestActivity, 'areFrequent'>,
    againMs = AGAIN_MS,
  ) {
    this.#againMs = againMs;
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

  /**
   * Scans the chain up to the daemon's tip, then the pool, then for some time blocks that are to be read again. Reports
   * the end and all failures to the main thread.
   */
  async run(wallet: RefreshedWallet, feeds: DaemonFeeds | undefined, from: RefreshFrom): Promise<void> {
    const { signal } = this.#abort;
    try {
      if (feeds === undefined) throw new DaemonError('unreachable', 'offline');
      const now = monotonicMs();
      const asOf = Math.min(from.asOf ?? now, now);
      const { scanner } = wallet;
      const keys = scanner.scanKeys;
      const scan: Scan = ({ page, matches }) => scanner.scan(page, matches, signal);
      const tip = await this.#scanChain(feeds.chain.join({ ...from, asOf, keys, signal }), scan);
      await this.#commits.settled(0);
      const poolFailure = scanner.isBlind
        ? undefined
        : await this.#scanPool(wallet, feeds.pool, { ...from, asOf });
      if (from.again !== undefined) {
        const { startHeight, searched } = from.again;
        const pages = feeds.chain.join({ history: [], startHeight, asOf, keys, signal });
        const scanAgain: Scan = ({ page, matches }) => scanner.scanAgain(page, matches, searched, signal);
        const end = tip ?? nextHeight(positionOf(from));
        await this.#scanChain(blocksBelow(end, pages, this.#againMs), scanAgain, true);
        await this.#commits.settled(0);
      }
      this.#report({
        ...{ type: 'done', wallet: this.#id, run: this.number },
        ...(poolFailure === undefined ? {} : { poolFailure }),
      });
    } catch (error) {
      const failure = toFailure(error, signal);
      this.#report({ type: 'done', wallet: this.#id, run: this.number, failure, isAhead: this.#isAhead });
    }
  }

  /**
   * Scans the pool. Returns the failure of a daemon that answers, but does not list its pool: the blocks that were read count
   * all the same.
   * @throws the reason of the signal. Source: wallet2.cpp `refresh`, which reads the pool together with blocks.
   */
  async #scanPool(
    wallet: RefreshedWallet,
    pool: PoolFeed,
    { asOf, made }: Pick<RefreshFrom, 'made'> & { readonly asOf: number },
  ): Promise<RefreshFailure | undefined> {
    const { signal } = this.#abort;
    try {
      const view = await pool.view(wallet, asOf, signal, made);
      await turns.next();
      signal.throwIfAborted();
      this.#report({ type: 'pool', wallet: this.#id, run: this.number, ...view });
      return undefined;
    } catch (error) {
      const isOfPool = error instanceof DaemonError && (isAnswered(error.kind) || error.isForeign);
      if (signal.aborted || !isOfPool) throw error;
      return toFailure(error);
    }
  }

  /**
   * Scans pages; the main thread commits the findings of one page while the next two pages are scanned.
   * @returns the height after the last block; undefined if there was no block.
   */
  async #scanChain(
    pages: AsyncIterable<MemberPage>,
    scan: Scan,
    isAgain = false,
  ): Promise<number | undefined> {
    let end: number | undefined;
    let before = Promise.resolve();
    let committing = before;
    try {
      for await (const page of pages) {
        const findings = await this.#scan(page, scan);
        end = findings.startHeight + findings.hashes.length;
        const { daemonHeight } = page.page;
        const batches = batchesOf(findings, { daemonHeight, isAgain }, this.#activity.areFrequent);
        // The next page is scanned while the daemon proves the transactions of this page.
        const proof = unlessAborted(page.page.proofs.prove(foundTxs(findings)), this.#abort.signal);
        // The promises are awaited later, where a failure is thrown; until then a rejection must not end the process.
        proof.catch(() => undefined);
        await before;
        before = committing;
        committing = Promise.all([committing, proof]).then(() => this.#commit(batches));
        committing.catch(() => (this.#isAhead = true));
      }
    } finally {
      // The commit is also awaited if the fetch of the next page has failed: the scanner has already added the outputs
      // of this page, so they must be committed.
      await committing;
    }
    return end;
  }

  /**
   * Scans a page. The bytes of a transaction that cannot be read are proven: an honest daemon sends none.
   * @throws DaemonError `forged` if the daemon has altered these bytes; the error of the scan.
   */
  async #scan(page: MemberPage, scan: Scan): Promise<PageFindings> {
    const { signal } = this.#abort;
    await turns.next();
    signal.throwIfAborted();
    try {
      const findings = await scan(page);
      signal.throwIfAborted();
      return findings;
    } catch (error) {
      this.#isAhead = true;
      if (error instanceof UnreadableTx)
        await unlessAborted(page.page.proofs.prove(txOf(page.page, error.at)), signal);
      throw error;
    }
  }

  /**
   * Posts the findings of a page to the main thread in batches, and waits while too many are not acknowledged.
   * @throws the reason of the signal.
   */
  async #commit(batches: readonly CommitBatch[]): Promise<void> {
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

/** Returns the transaction of a page that has an index; none if no block of the page has it. */
const txOf = ({ blocks, txs }: ChainTxs, at: number): FoundTx[] =>
  blocks
    .filter(({ firstTx, endTx }) => at >= firstTx && at < endTx)
    .map(({ height }) => ({ txHash: txs.hash(at), height }));

/** Divides the findings of a page into batches that are committed one by one. */
const batchesOf = (
  findings: PageFindings,
  facts: Pick<CommitBatch, 'daemonHeight' | 'isAgain'>,
  isBusy: boolean,
): CommitBatch[] =>
  Array.from(commitBatchesOf(findings, isBusy), (batch) => ({
    ...facts,
    findings: packFindings(batch),
    weight: weightOf(batch),
  }));

/** Yields pages up to the block below a height, and stops after a time [ms]. */
async function* blocksBelow(
  end: number,
  pages: AsyncIterable<MemberPage>,
  ms: number,
): AsyncGenerator<MemberPage, void, void> {
  const limit = monotonicMs() + ms;
  for await (const { page, matches } of pages) {
    const blocks = page.blocks.filter(({ height }) => height < end);
    const [last] = blocks.slice(-1);
    if (last === undefined) return;
    yield { page: { ...page, blocks }, matches };
    if (last.height === end - 1 || monotonicMs() >= limit) return;
  }
}

/** Counter of the commits of a refresh that the main thread has not acknowledged yet. */
class PendingCommits {
  readonly #signal: AbortSignal;
  #count = 0;
  #wake: () => void = () => undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
  }

  add(): void {
    this.#count += 1;
  }

  acknowledge(): void {
    this.#count -= 1;
    this.#wake();
  }

  /**
   * Resolves when at most `limit` commits are not acknowledged.
   * @throws the reason of the signal when it is aborted first.
   */
  async settled(limit: number): Promise<void> {
    while (!this.#signal.aborted && this.#count > limit)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    this.#signal.throwIfAborted();
  }
}

/**
 * Approximate number of outputs and spends in one commit batch. A larger batch saves time, because every batch has a
 * fixed cost; a smaller batch holds up the main thread for a shorter time.
 */
const ROWS_AT_ONCE = 96;

/**
 * Approximate number of outputs and spends in one commit batch while clients send requests, which are answered between
 * two batches.
 */
const BUSY_ROWS_AT_ONCE = 32;

/** Number of subaddress keys in one commit batch. */
const KEYS_AT_ONCE = 500;

/** Estimates the cost of committing findings [outputs]; a subaddress key or a block costs a fraction of an output. */
export const weightOf = ({ outputs, spends, subaddresses, hashes }: PageFindings): number =>
  outputs.length + spends.length + subaddresses.length / 20 + hashes.length / 100;

/**
 * Divides the findings of a page into commit batches at the boundaries of blocks, so that each batch is committed
 * quickly.
 * @param findings lists that ascend by height.
 * @param isBusy true while clients send requests; the batches are smaller then.
 */
export function* commitBatchesOf(
  findings: PageFindings,
  isBusy: boolean,
): Generator<PageFindings, void, void> {
  const { startHeight, hashes, lastBlockReward } = findings;
  const nothing = { received: [], outputs: [], spends: [], outgoing: [], hashes: [] };
  // Subaddresses are committed before the outputs that they received.
  let { subaddresses } = findings;
  for (; subaddresses.length > KEYS_AT_ONCE; subaddresses = subaddresses.slice(KEYS_AT_ONCE))
    yield { ...nothing, startHeight, subaddresses: subaddresses.slice(0, KEYS_AT_ONCE), lastBlockReward };
  const end = startHeight + hashes.length;
  yield* partsOf(
    { ...findings, subaddresses },
    cuts(findings, end, isBusy ? BUSY_ROWS_AT_ONCE : ROWS_AT_ONCE),
  );
}

/** Yields the height range of each batch: the first height of the batch, and the height after its last block. */
function* cuts(
  { startHeight, outputs, spends }: PageFindings,
  end: number,
  rowsAtOnce: number,
): Generator<[number, number]> {
  const heights = [...outputs, ...spends].map(({ height }) => height).sort((a, b) => a - b);
  let from = startHeight;
  for (let at = rowsAtOnce; at < heights.length; at += rowsAtOnce) {
    const to = heights[at] ?? end;
    if (to <= from) continue;
    yield [from, to];
    from = to;
  }
  yield [from, end];
}
