import type { Hash } from '../crypto/types.js';
import type { PageFindings, SubaddressKey } from '../wallet/model/records.js';
import type { RefreshReport, WalletId } from './messages.js';
import { toError } from './refresh-error.js';
import type { ScannerState } from './scanner-state.js';
import type { PoolFinding } from './wallet-scanner.js';

/** The wallet's side of a refresh: where it stands, and what to do with what is found. */
export interface RefreshTarget {
  /** What the scanner starts from; asked again whenever the thread had to be restarted. */
  scannerState(): ScannerState;
  /** Commits one page. @param daemonHeight number of blocks that the daemon holds. */
  commitPage(findings: PageFindings, daemonHeight: number): void;
  /** Commits keys by which payments are recognised. */
  commitSubaddresses(keys: readonly SubaddressKey[]): void;
  commitPool(present: readonly Hash[], findings: readonly PoolFinding[]): void;
  /** Puts what was committed in order, off this thread; nothing is committed meanwhile. Does not throw. */
  tidy(): Promise<void>;
}

export interface RefreshResult {
  readonly blocksFetched: number;
  readonly receivedMoney: boolean;
}

export type RunReport = Extract<RefreshReport, { readonly run: number }>;

/** How a run goes on after a report. */
export interface RunSteps {
  /** Tells the thread that what it reported is dealt with. */
  readonly acknowledge: () => void;
  /** What the thread holds is ahead of the store now: it starts over from the store's state. */
  readonly restart: () => void;
  /** The run is over, whatever else comes of it. */
  readonly end: () => void;
}

/** One refresh under way, as the wallet's side sees it. */
export class RefreshRun {
  readonly number: number;
  readonly wallet: WalletId;
  readonly resolve: (result: RefreshResult) => void;
  readonly reject: (error: Error) => void;
  readonly #target: RefreshTarget;
  #blocksFetched = 0;
  #receivedMoney = false;

  constructor(parts: {
    readonly number: number;
    readonly wallet: WalletId;
    readonly target: RefreshTarget;
    readonly resolve: (result: RefreshResult) => void;
    readonly reject: (error: Error) => void;
  }) {
    this.number = parts.number;
    this.wallet = parts.wallet;
    this.resolve = parts.resolve;
    this.reject = parts.reject;
    this.#target = parts.target;
  }

  /** Deals with what the thread reports of it. */
  take(report: RunReport, { acknowledge, restart, end }: RunSteps): void {
    switch (report.type) {
      case 'page':
        try {
          this.#target.commitPage(report.findings, report.daemonHeight);
        } catch (error) {
          restart();
          end();
          this.reject(error as Error);
          return;
        }
        this.#count(report.findings);
        acknowledge();
        return;
      case 'rest':
        void this.#target.tidy().then(acknowledge);
        return;
      case 'pool':
        try {
          this.#target.commitPool(report.present, report.findings);
          this.#receivedMoney ||= report.findings.some(({ incoming }) => incoming !== undefined);
        } catch (error) {
          restart();
          end();
          this.reject(error as Error);
        }
        return;
      case 'done':
        end();
        if (report.failure === undefined)
          this.resolve({ blocksFetched: this.#blocksFetched, receivedMoney: this.#receivedMoney });
        else this.reject(toError(report.failure));
        return;
    }
  }

  #count({ startHeight, hashes, outputs }: PageFindings): void {
    this.#blocksFetched += hashes.length;
    // The genesis block is known to every wallet: it is not counted.
    if (startHeight === 0 && hashes.length > 0) this.#blocksFetched -= 1;
    this.#receivedMoney ||= outputs.length > 0;
  }
}
