import type { ChainPage } from './chain-page.js';
import { positionOf, type ChainPosition, type RefreshFrom } from './chain-position.js';
import type { MatchStream } from '../../monero/wallet/scan/output-matches.js';
import type { WalletScanKeys } from '../../monero/wallet/scan/found-output.js';
import { monotonicMs } from '../../util/clock.js';

/** A wallet's request for the blocks that it lacks. */
export interface FeedRequest extends RefreshFrom {
  /** Earliest time of the daemon's answers; see {@link RefreshFrom.asOf}. */
  readonly asOf: number;
  /** Keys with which the blocks are scanned. */
  readonly keys: WalletScanKeys;
  readonly signal: AbortSignal;
}

/** Consecutive blocks that a wallet lacks, with the outputs that its view key may decrypt. */
export interface MemberPage {
  readonly page: ChainPage;
  /** Matches of the page's outputs. Read them once, before the next page is requested. */
  readonly matches: MatchStream;
}

/** A wallet that reads the chain in a {@link ChainPass}. */
export class FeedMember {
  readonly keys: WalletScanKeys;
  readonly asOf: number;
  readonly signal: AbortSignal;
  /** Position after the last block that was handed to this wallet. */
  position: ChainPosition;
  /** Total time that other members have waited for this wallet [ms]. */
  heldUpMs = 0;
  /** Ends the scan of the page that was last handed to this wallet. */
  stopReading: () => void = () => undefined;

  constructor(request: FeedRequest) {
    this.keys = request.keys;
    this.asOf = request.asOf;
    this.signal = request.signal;
    this.position = positionOf(request);
  }
}

/**
 * Measures how long the fast members of a pass wait for its slowest members. If at least as many members wait as are
 * slowest, the time is charged to the slowest members, and each of them leaves the pass when its time is used up. If
 * more members are slowest than wait, and no slowest member moves for as long, the waiting members leave.
 */
export class HoldUps {
  readonly #patienceMs: number;
  readonly #onLeave: (members: readonly FeedMember[]) => void;
  readonly #waiting = new Map<FeedMember, () => void>();
  #slowest: readonly FeedMember[] = [];
  /** Number of the batch that the slowest members take next. */
  #lowest = -Infinity;
  #since = 0;
  /** Time since which the slowest members have not moved while other members wait for them, by `monotonicMs` [ms]. */
  #stalledSince = 0;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param patienceMs total time that other members wait for one member [ms].
   * @param onLeave removes members from the pass.
   */
  constructor(patienceMs: number, onLeave: (members: readonly FeedMember[]) => void) {
    this.#patienceMs = patienceMs;
    this.#onLeave = onLeave;
  }

  /** Resolves when the slowest members have moved, or when `member` leaves the pass. */
  wait(member: FeedMember, slowest: readonly FeedMember[]): Promise<void> {
    return new Promise((resolve) => {
      this.#charge();
      if (this.#waiting.size === 0) this.#stalledSince = this.#since;
      this.#waiting.set(member, resolve);
      this.#slowest = slowest;
      this.#watch();
    });
  }

  /**
   * Ends all waits if the slowest members have moved.
   * @param lowest number of the batch that the slowest members take next.
   */
  moved(lowest: number): void {
    if (lowest === this.#lowest) return;
    this.#lowest = lowest;
    this.#charge();
    clearTimeout(this.#timer);
    this.#slowest = [];
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  leave(member: FeedMember): void {
    this.#charge();
    this.#slowest = this.#slowest.filter((other) => other !== member);
    const wake = this.#waiting.get(member);
    this.#waiting.delete(member);
    wake?.();
  }

  get #areSlowestMore(): boolean {
    return this.#slowest.length > this.#waiting.size;
  }

  #watch(): void {
    clearTimeout(this.#timer);
    const used = this.#areSlowestMore
      ? this.#since - this.#stalledSince
      : this.#slowest.reduce((most, { heldUpMs }) => Math.max(most, heldUpMs), 0);
    this.#timer = setTimeout(() => this.#check(), Math.max(0, this.#patienceMs - used));
    this.#timer.unref();
  }

  #check(): void {
    this.#charge();
    if (this.#waiting.size === 0 || this.#slowest.length === 0) return;
    // A timer may run up to a millisecond early.
    const limit = this.#patienceMs - 1;
    const leaving = this.#areSlowestMore
      ? [...this.#waiting.keys()].filter(() => this.#since - this.#stalledSince > limit)
      : this.#slowest.filter(({ heldUpMs }) => heldUpMs > limit);
    if (leaving.length > 0) this.#onLeave(leaving);
    else this.#watch();
  }

  #charge(): void {
    const now = monotonicMs();
    if (!this.#areSlowestMore) for (const member of this.#slowest) member.heldUpMs += now - this.#since;
    this.#since = now;
  }
}
