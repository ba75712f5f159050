import type { Hash } from '../monero/crypto/types.js';
import type { BlockRef, PageFindings } from '../monero/wallet/scan/findings.js';
import { packKeys, type PackedSubaddresses } from '../monero/wallet/scan/packed-subaddresses.js';
import { unpackFindings } from './packed-findings.js';
import { partsOf, rangesOf } from './page-parts.js';
import { type RefreshReport, type WalletId, unpackHashes, toError } from './messages.js';
import type { ScannerState } from './scan/scanner-state.js';
import type { PoolFinding } from './scan/wallet-scanner.js';
import { equalBytes } from '../util/bytes.js';

/** The operations on a wallet's store that a refresh needs. */
export interface RefreshTarget {
  /** Reads the state from which a new scanner starts; called again after a restart of the refresh thread. */
  scannerState(): ScannerState;
  /**
   * Returns the block that the wallet holds at a height, if any. If the method is absent, every block of a page is
   * committed.
   */
  blockAt?(height: number): BlockRef | undefined;
  /**
   * Resolves when a block of the daemon may be committed. @param block absent: the newest block of the wallet, which may have
   * been committed without a check. @returns undefined if it may be committed at once; if the method is absent, every block may
   * be. @throws DaemonError if it may not.
   */
  admit?(block?: BlockRef): Promise<void> | undefined;
  /**
   * Commits the findings of one page.
   * @param daemonHeight number of blocks of the daemon's chain.
   */
  commitPage(findings: PageFindings, daemonHeight: number): void;
  /**
   * Commits the findings in blocks that were read again. @returns true if the wallet has received an output in them.
   * @throws DaemonError `busy` if the wallet does not hold these blocks.
   */
  commitAgain(findings: PageFindings): boolean;
  /** Commits spend keys of subaddresses in the lookahead. */
  commitSubaddresses(keys: PackedSubaddresses): void;
  /**
   * Commits the result of a scan of the pool.
   * @param present hashes of all transactions in the pool. @param unreadable number of transactions that cannot be
   * read.
   */
  commitPool(present: readonly Hash[], findings: readonly PoolFinding[], unreadable: number): void;
  /**
   * Writes the write-ahead log of the store back into its main file, on another thread; nothing is committed meanwhile.
   * Does not throw.
   */
  checkpoint(): Promise<void>;
}

/** Number of blocks of a page that are committed together while they wait until they are admitted. */
const BLOCKS_AT_ONCE = 48;

/** Result of a refresh, as the RPC call `refresh` reports it. */
export interface RefreshResult {
  readonly blocksFetched: number;
  readonly receivedMoney: boolean;
  /** Error of the daemon when the pool was read; absent if that was read. */
  readonly poolError?: Error;
}

export type RunReport = Extract<RefreshReport, { readonly run: number }>;

type PageReport = Extract<RunReport, { readonly type: 'page' }>;

/** Callbacks with which a report changes the refresh thread and the run. */
export interface RunSteps {
  /** Tells the refresh thread that a commit has succeeded. */
  readonly acknowledge: () => void;
  /**
   * Discards the thread's scanner, which is ahead of the store after a failed commit; a new scanner starts from the
   * store.
   */
  readonly restart: () => void;
  /** Ends the run. */
  readonly end: () => void;
  /** True until the run has ended. */
  readonly isRunning: () => boolean;
}

/** The main-thread side of one running refresh: commits reported findings and settles the promise of the caller. */
export class RefreshRun {
  readonly number: number;
  readonly wallet: WalletId;
  /**
   * True for a periodic refresh, which shares its `asOf` with the refreshes of other wallets; no client waits for it.
   */
  readonly isPeriodic: boolean;
  readonly resolve: (result: RefreshResult) => void;
  readonly reject: (error: Error) => void;
  readonly #target: RefreshTarget;
  #blocksFetched = 0;
  #receivedMoney = false;
  /** Resolves when the pages that wait for their blocks are committed; undefined if none waits. */
  #held: Promise<void> | undefined;

  constructor(parts: {
    readonly number: number;
    readonly wallet: WalletId;
    readonly target: RefreshTarget;
    readonly isPeriodic: boolean;
    readonly resolve: (result: RefreshResult) => void;
    readonly reject: (error: Error) => void;
  }) {
    this.number = parts.number;
    this.wallet = parts.wallet;
    this.isPeriodic = parts.isPeriodic;
    this.resolve = parts.resolve;
    this.reject = parts.reject;
    this.#target = parts.target;
  }

  /** Commits the findings of a report, or resolves or rejects the run. */
  take(report: RunReport, steps: RunSteps): void {
    const { acknowledge, restart, end } = steps;
    if (report.type === 'page') return this.#takePage(report, steps);
    // The end of a run must not overtake its pages, which the scanner has taken in.
    if (this.#held !== undefined)
      return void this.#held.then(() => steps.isRunning() && this.take(report, steps));
    switch (report.type) {
      case 'checkpoint':
        void this.#target.checkpoint().then(acknowledge);
        return;
      case 'pool':
        try {
          this.#target.commitPool(unpackHashes(report.present), report.findings, report.unreadable);
          this.#receivedMoney ||= report.findings.some(({ incoming }) => incoming !== undefined);
        } catch (error) {
          this.#fail(error, steps);
        }
        return;
      case 'done':
        if (report.isAhead === true) restart();
        if (report.failure === undefined) return this.#finish(report, steps);
        end();
        this.reject(toError(report.failure));
        return;
    }
  }

  /** Resolves the run once the newest block of the wallet is admitted, also if no page was committed. */
  #finish({ poolFailure }: Extract<RunReport, { readonly type: 'done' }>, steps: RunSteps): void {
    const finish = (): void => {
      if (!steps.isRunning()) return;
      steps.end();
      this.resolve({
        blocksFetched: this.#blocksFetched,
        receivedMoney: this.#receivedMoney,
        ...(poolFailure === undefined ? {} : { poolError: toError(poolFailure) }),
      });
    };
    const admitted = this.#target.admit?.();
    if (admitted === undefined) finish();
    else
      admitted.then(finish, (error: Error) => {
        if (!steps.isRunning()) return;
        steps.end();
        this.reject(error);
      });
  }

  /** Commits a page: at once, or some blocks at a time as they are admitted, after the pages before it. */
  #takePage(report: PageReport, steps: RunSteps): void {
    try {
      const findings = unpackFindings(report.findings);
      const admitted = report.isAgain ? undefined : this.#admit(findings);
      // The failure is thrown again where the blocks are committed.
      admitted?.catch(() => undefined);
      if (admitted !== undefined || this.#held !== undefined) {
        this.#hold(findings, admitted, { report, steps });
        return;
      }
      this.#takeFindings(findings, report);
      steps.acknowledge();
    } catch (error) {
      this.#fail(error, steps);
    }
  }

  #admit({ startHeight, hashes }: PageFindings): Promise<void> | undefined {
    const hash = hashes.at(-1);
    return hash && this.#target.admit?.({ height: startHeight + hashes.length - 1, hash });
  }

  /**
   * Commits parts of a page as their blocks are admitted, after the pages that wait already.
   * @param admitted resolves when the last block is admitted; undefined if it is.
   */
  #hold(
    findings: PageFindings,
    admitted: Promise<void> | undefined,
    { report, steps }: { readonly report: PageReport; readonly steps: RunSteps },
  ): void {
    const before = this.#held;
    const end = findings.startHeight + findings.hashes.length;
    const isWhole = admitted === undefined;
    const parts = isWhole ? [findings] : partsOf(findings, rangesOf(findings, BLOCKS_AT_ONCE));
    const commit = async (): Promise<void> => {
      await before;
      for (const part of parts) {
        const isLast = part.startHeight + part.hashes.length === end;
        await (isLast ? admitted : this.#admit(part));
        if (!steps.isRunning()) return;
        this.#takeFindings(part, report);
      }
      steps.acknowledge();
    };
    const held = commit()
      .catch((error: unknown) => this.#fail(error, steps))
      .finally(() => {
        if (this.#held === held) this.#held = undefined;
      });
    this.#held = held;
  }

  #takeFindings(findings: PageFindings, { isAgain, daemonHeight }: PageReport): void {
    if (isAgain) this.#receivedMoney = this.#target.commitAgain(findings) || this.#receivedMoney;
    else this.#commit(findings, daemonHeight);
  }

  /** Rejects the run. The scanner is ahead of the store. */
  #fail(error: unknown, { restart, end, isRunning }: RunSteps): void {
    if (!isRunning()) return;
    restart();
    end();
    this.reject(error as Error);
  }

  /** Commits the blocks of a page that the wallet lacks, and all subaddresses. */
  #commit(page: PageFindings, daemonHeight: number): void {
    const target = this.#target;
    const fresh = fromFirstNewBlock(page, (height) => target.blockAt?.(height));
    if (page.hashes.length > 0 && fresh.hashes.length === 0) {
      if (fresh.subaddresses.length > 0) target.commitSubaddresses(packKeys(fresh.subaddresses));
      return;
    }
    target.commitPage(fresh, daemonHeight);
    this.#count(fresh);
  }

  #count({ startHeight, hashes, outputs }: PageFindings): void {
    this.#blocksFetched += hashes.length;
    // The genesis block is not counted, because every wallet already holds it.
    if (startHeight === 0 && hashes.length > 0) this.#blocksFetched -= 1;
    this.#receivedMoney ||= outputs.length > 0;
  }
}

/**
 * Removes the leading blocks that the wallet already holds from a page, with their findings. After a reorganisation a
 * daemon sends blocks from one that the short history names, which may lie far below the fork; the payments between
 * that block and the fork must not be undone.
 * @param heldAt returns the block that the wallet holds at a height.
 */
function fromFirstNewBlock(
  page: PageFindings,
  heldAt: (height: number) => BlockRef | undefined,
): PageFindings {
  const known = page.hashes.findIndex((hash, i) => {
    const held = heldAt(page.startHeight + i);
    return held === undefined || !equalBytes(held.hash, hash);
  });
  if (known === 0 || page.hashes.length === 0) return page;
  const count = known < 0 ? page.hashes.length : known;
  const startHeight = page.startHeight + count;
  const isNew = ({ height }: { readonly height: number }): boolean => height >= startHeight;
  const { received, outputs, spends, outgoing, ambiguousSpends } = page;
  return {
    ...page,
    ...{ startHeight, hashes: page.hashes.slice(count) },
    ...{ received: received.filter(isNew), outputs: outputs.filter(isNew), spends: spends.filter(isNew) },
    outgoing: outgoing.filter(isNew),
    ...(ambiguousSpends === undefined ? {} : { ambiguousSpends: ambiguousSpends.filter(isNew) }),
  };
}
