import { timingSafeEqual } from 'node:crypto';
import type { SecretKey } from '../../monero/crypto/types.js';
import { ChainMismatch, type ChainPage, MOST_BLOCKS } from './chain-page.js';
import { isSamePosition, nextHeight, positionAfter, type ChainPosition, fitOf } from './chain-position.js';
import { type FeedMember, type MemberPage, HoldUps } from './feed-member.js';
import { BATCH_KEYS } from '../../monero/wallet/scan/output-matches.js';
import { BATCHES_AHEAD, type BatchScanner, type MatchReader, ReaderPositions } from '../scan/match-group.js';
import { PageCursor, type PageCursorOptions } from './page-cursor.js';
import { PageWindow, type PassBatch } from './page-window.js';
import { monotonicMs } from '../../util/clock.js';

/** Largest distance between the slowest and the fastest member of a pass [scan batches]. */
const MOST_BATCHES_APART = 4;

/** Size of a pass's pages above which no page is fetched until the slowest member has left the oldest page [bytes]. */
const MOST_BYTES = 64 << 20;

/** Approximate size of the pages that a pass without members keeps [bytes]. */
const MOST_RESTING_BYTES = 4 << 20;

/**
 * Result of {@link ChainPass.take}: a page; `done` when the wallet has reached the daemon's tip; `elsewhere` when the
 * wallet must continue in another pass.
 */
export type Taken = MemberPage | 'done' | 'elsewhere';

/** Time limits and callbacks of a {@link ChainPass}. */
export interface PassOptions extends PageCursorOptions {
  readonly kernel: BatchScanner;
  /** Total time that the members wait for one slow member [ms]. */
  readonly patienceMs: number;
  /**
   * Finds another pass at the same position and moves the members of this pass there.
   * @returns false if there is no such pass.
   */
  readonly merge: (pass: ChainPass) => boolean;
  /** Total time that this pass waits for passes close behind it [ms]. */
  readonly catchUpMs: number;
  /** Returns true if another pass is at most {@link CLOSE_BLOCKS} behind this pass. */
  readonly isFollowed: (pass: ChainPass) => boolean;
  /** Called after each answer of the daemon, and when the last member has left. */
  readonly onProgress: (pass: ChainPass) => void;
}

/** State of one member in a pass. */
interface Seat {
  readonly member: FeedMember;
  /** Number of the batch that the member takes next. */
  next: number;
  /**
   * Page of the last batch that the member took; `firstNew` is the index of the first block of the page that the member
   * lacks.
   */
  page?: ChainPage;
  firstNew: number;
  /**
   * True if the member's position is known to lie in this pass; false while it depends on the daemon's pending answer.
   */
  fits: boolean;
}

/**
 * Reads the chain once for several wallets: every page is fetched, parsed and hashed once, and its outputs are scanned
 * with the view keys of all members together. The next page is requested while the members process the current page.
 */
export class ChainPass {
  readonly #options: PassOptions;
  readonly #window: PageWindow;
  readonly #cursor: PageCursor;
  readonly #seats = new Map<FeedMember, Seat>();
  readonly #places = new ReaderPositions();
  readonly #holdUps: HoldUps;
  readonly #catchUp: CatchUpWait;
  /** Members that wait for an answer of the daemon, with the function that resumes each. */
  readonly #waiting = new Map<FeedMember, () => void>();
  /**
   * Member whose short history the first request uses; undefined when pages are prefetched before any member joins, and
   * after the first answer.
   */
  #leader: FeedMember | undefined;
  /**
   * Members that were removed because they delayed the pass, or because other members delayed them too long; they may
   * not rejoin.
   */
  readonly #sentAway = new WeakSet<FeedMember>();
  #isDraining = false;
  /** View key of a wallet that is expected to join; undefined once it has joined, and if no wallet is expected. */
  #expected: SecretKey | undefined;
  /** Number of the first batch whose scan has not begun. */
  #begun = 0;

  constructor(position: ChainPosition, options: PassOptions) {
    this.#options = options;
    this.#cursor = new PageCursor(position, options, (page) => this.#receive(page));
    this.#window = new PageWindow(options.kernel, BATCHES_AHEAD * BATCH_KEYS * options.kernel.threads);
    this.#holdUps = new HoldUps(options.patienceMs, (members) => {
      for (const member of members) {
        this.#sentAway.add(member);
        this.leave(member);
      }
    });
    this.#catchUp = new CatchUpWait(options.catchUpMs, () => this.resume());
  }

  /** Adds the first member, at whose position this pass begins. */
  lead(leader: FeedMember): void {
    this.#leader = leader;
    this.#sit(leader, 0, true);
  }

  /**
   * Fetches pages before the first member joins, up to {@link MOST_RESTING_BYTES}.
   * @param viewSecret view key of the wallet that is expected to join, with which these pages are scanned. The key is
   * zeroed after use.
   */
  prefetch(viewSecret?: SecretKey): void {
    this.#expected = viewSecret;
    this.#fetch();
  }

  /** Members whose position is known to lie in this pass, and which therefore reach its end. */
  get members(): readonly FeedMember[] {
    return [...this.#seats.values()].filter(({ fits }) => fits).map(({ member }) => member);
  }

  get isEmpty(): boolean {
    return this.#seats.size === 0;
  }

  /** Position after the last block of the newest page. */
  get position(): ChainPosition {
    return this.#cursor.position;
  }

  /**
   * Finds the number of the batch that contains the first block which a position lacks; the number after the last batch
   * for a position at the end of the pages. Undefined if no page fits the position.
   */
  find(position: ChainPosition): number | undefined {
    if (!this.isOpen) return undefined;
    const found = isSamePosition(position, this.position) ? this.#window.end : this.#window.find(position);
    return found === undefined || this.#places.highest - found > MOST_BATCHES_APART ? undefined : found;
  }

  /**
   * Adds a member if its position lies in the pages of this pass, at their end, or probably in the page that is being
   * fetched.
   * @returns false if the member was not added.
   */
  admit(member: FeedMember): boolean {
    if (this.#sentAway.has(member)) return false;
    if (this.reserve(member, member.position)) return true;
    const ahead = nextHeight(member.position) - nextHeight(this.position);
    if (!this.isOpen || !this.#cursor.isRequesting || ahead < 0 || ahead >= MOST_BLOCKS) return false;
    this.#sit(member, this.#window.end, false);
    return true;
  }

  /** Adds a member that will join later at the given position. @returns false when no page fits the position. */
  reserve(member: FeedMember, position: ChainPosition): boolean {
    const found = this.find(position);
    if (found !== undefined) this.#sit(member, found, true);
    return found !== undefined;
  }

  /** Checks again whether another pass is close behind, after it has moved or ended. */
  resume(): void {
    this.#moved();
    for (const member of [...this.#waiting.keys()]) this.#wake(member);
  }

  /** Stops fetching: the members take the pages that were already fetched, then continue elsewhere. */
  drain(): void {
    this.#isDraining = true;
    this.#catchUp.end();
  }

  /**
   * Returns the next page for a member; waits until it is fetched, and until slower members have caught up.
   * @throws the reason of the member's signal, or the error of the daemon.
   */
  async take(member: FeedMember): Promise<Taken> {
    for (;;) {
      member.signal.throwIfAborted();
      const seat = this.#seats.get(member);
      if (seat === undefined) return 'elsewhere';
      const batch = this.#window.at(seat.next);
      if (batch === undefined) {
        const end = this.#endFor(seat);
        if (end !== undefined) {
          this.leave(member);
          return end;
        }
        await this.#nextAnswer(member);
        continue;
      }
      if (!this.#enter(seat, batch.page)) {
        this.leave(member);
        return 'elsewhere';
      }
      if (this.#isTooFarAhead(seat, batch)) {
        await this.#holdUps.wait(member, this.#slowest());
        continue;
      }
      const page = this.#takeBatch(seat, batch);
      if (page !== undefined) return page;
    }
  }

  /** Removes a member. It may still read the page that it took last. */
  leave(member: FeedMember): void {
    const seat = this.#seats.get(member);
    if (seat === undefined) return;
    this.#seats.delete(member);
    this.#places.remove(seat.next);
    for (const batch of this.#window.from(seat.next)) batch.drop(member);
    this.#wake(member);
    this.#holdUps.leave(member);
    this.#moved();
    if (this.#seats.size > 0) return;
    if (this.#cursor.answer?.reachesTip !== true || this.#cursor.isRequesting) this.close();
    this.#window.trim(this.#window.end);
    if (this.#window.bytes > MOST_RESTING_BYTES) this.#window.clear();
    this.#options.onProgress(this);
  }

  /** True while members may join. */
  get isOpen(): boolean {
    return !this.#isDraining && this.#cursor.failure === undefined && !this.#window.isForged;
  }

  /** Ends the request under way and fetches no more pages. */
  close(): void {
    this.#forgetExpected();
    this.#isDraining = true;
    this.#catchUp.end();
    this.#cursor.abort();
  }

  #sit(member: FeedMember, next: number, fits: boolean): void {
    this.#seats.set(member, { member, next, firstNew: 0, fits });
    this.#places.add(next);
    const { viewSecret, balanceSecret } = member.keys;
    // Pages that are scanned ahead are scanned with a view key alone.
    if (this.#expected === undefined || balanceSecret !== undefined) return;
    if (!timingSafeEqual(this.#expected, viewSecret)) return;
    for (const batch of this.#window.from(next)) batch.adopt(member);
    this.#forgetExpected();
  }

  #forgetExpected(): void {
    for (const batch of this.#window.from(0)) batch.giveUp();
    this.#expected?.fill(0);
    this.#expected = undefined;
  }

  /**
   * Decides how the pass ends for a member that has taken all pages; undefined if another page is requested.
   * @throws the error of the daemon.
   */
  #endFor(seat: Seat): 'done' | 'elsewhere' | undefined {
    const { member } = seat;
    const { failure, answer } = this.#cursor;
    if (failure !== undefined) {
      const { error } = failure;
      // The request used the leader's short history: for the other members the mismatch proves nothing.
      if (!(error instanceof ChainMismatch) || this.#leader === member) throw error;
      return 'elsewhere';
    }
    if (!seat.fits && !this.#cursor.isRequesting) return 'elsewhere';
    if (this.#isDraining) return 'elsewhere';
    // The answer shows that no block follows, but only for members at the position of the request.
    if (seat.fits && answer?.reachesTip === true && answer.issuedAt >= member.asOf) return 'done';
    this.#fetch();
    return this.#isDraining ? 'elsewhere' : undefined;
  }

  #fetch(): void {
    const { isRequesting, failure, answer } = this.#cursor;
    if (isRequesting || failure !== undefined || this.#isDraining) return;
    if (this.#leader === undefined && this.#options.merge(this)) return this.drain();
    if (answer?.reachesTip === false && this.#options.isFollowed(this) && this.#catchUp.wait()) return;
    this.#catchUp.end();
    this.#cursor.fetch();
  }

  #receive(page: ChainPage | undefined): void {
    if (page !== undefined) {
      const start = this.#window.end;
      this.#window.add(page);
      if (this.#expected !== undefined)
        for (const batch of this.#window.from(start)) batch.expect(this.#expected);
      for (const seat of this.#seats.values())
        if (seat.next === start && (!seat.fits || seat.member === this.#leader)) this.#enter(seat, page);
      this.#moved();
    }
    if (this.#cursor.failure === undefined) this.#leader = undefined;
    for (const member of [...this.#waiting.keys()]) this.#wake(member);
    if (this.isEmpty && this.#cursor.answer?.reachesTip === false && this.#window.bytes < MOST_RESTING_BYTES)
      this.#fetch();
    this.#options.onProgress(this);
  }

  /**
   * Finds the first block of a page that a member lacks, and sets it in the seat.
   * @returns false when the page does not fit the member's chain.
   */
  #enter(seat: Seat, page: ChainPage): boolean {
    if (seat.page === page) return true;
    const firstNew = seat.member === this.#leader ? page.firstNew : fitOf(page, seat.member.position);
    // Blocks before the page's first new block are not scanned.
    seat.fits = firstNew !== undefined && firstNew >= page.firstNew;
    if (firstNew === undefined || !seat.fits) return false;
    seat.page = page;
    seat.firstNew = firstNew;
    return true;
  }

  #isTooFarAhead(seat: Seat, batch: PassBatch): boolean {
    const { lowest } = this.#places;
    if (seat.next - lowest >= MOST_BATCHES_APART) return true;
    const oldest = this.#window.at(lowest)?.page;
    return oldest !== undefined && oldest !== batch.page && this.#window.bytes > MOST_BYTES;
  }

  #slowest(): readonly FeedMember[] {
    const { lowest } = this.#places;
    return [...this.#seats.values()].filter(({ next }) => next === lowest).map(({ member }) => member);
  }

  /** Moves a member past a batch. @returns undefined when the batch holds no block that the member lacks. */
  #takeBatch(seat: Seat, batch: PassBatch): MemberPage | undefined {
    const { member } = seat;
    const firstHeight = (batch.page.blocks[0]?.height ?? 0) + seat.firstNew;
    const skipped = Math.max(0, firstHeight - (batch.blocks[0]?.height ?? 0));
    const blocks = batch.blocks.slice(skipped);
    const [first] = blocks;
    if (first === undefined) batch.drop(member);
    const reader = batch.readers.get(member) ?? {
      ...member.keys,
      firstTx: first?.firstTx ?? 0,
    };
    batch.readers.delete(member);
    this.#places.move(seat.next, seat.next + 1);
    seat.next += 1;
    this.#moved();
    if (first === undefined) return undefined;
    member.position = positionAfter(member.position, blocks);
    member.stopReading = () => batch.matches.drop(reader);
    return { page: { ...batch.page, blocks }, matches: batch.matches.read(reader) };
  }

  /**
   * Drops the pages that the members no longer need, and starts the scans and the request that the members need next.
   */
  #moved(): void {
    if (this.#seats.size === 0) return;
    const { lowest, highest } = this.#places;
    this.#window.trim(lowest);
    // Pages that were fetched before the first member joined may have been dropped, with batches whose scan never
    // began.
    this.#begun = Math.max(this.#begun, lowest);
    for (; this.#begun <= highest; this.#begun++) {
      const batch = this.#window.at(this.#begun);
      if (batch === undefined) break;
      this.#begin(batch);
    }
    if (this.#cursor.answer?.reachesTip === false && highest > this.#window.newestPage) this.#fetch();
    this.#holdUps.moved(lowest);
  }

  /** Begins the scan of a batch for all members that will take it. */
  #begin(batch: PassBatch): void {
    const { page, readers } = batch;
    const begun: MatchReader[] = [];
    for (const { member, next, page: entered, firstNew, fits } of this.#seats.values()) {
      if (!fits || next > this.#begun || readers.has(member)) continue;
      const first = page.blocks[entered === page ? firstNew : page.firstNew];
      if (first === undefined || first.height > (batch.blocks.at(-1)?.height ?? 0)) continue;
      const reader = { ...member.keys, firstTx: first.firstTx };
      readers.set(member, reader);
      begun.push(reader);
    }
    if (begun.length > 0) batch.matches.begin(begun);
  }

  #nextAnswer(member: FeedMember): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(member, resolve));
  }

  #wake(member: FeedMember): void {
    const wake = this.#waiting.get(member);
    this.#waiting.delete(member);
    wake?.();
  }
}

/** Limit of the total time that a pass waits for passes behind it to catch up. */
class CatchUpWait {
  readonly #onEnd: () => void;
  /** Remaining waiting time [ms]. */
  #left: number;
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param limitMs sum of the durations of all waits [ms]. @param onEnd is called when this time is used up. */
  constructor(limitMs: number, onEnd: () => void) {
    this.#left = limitMs;
    this.#onEnd = onEnd;
  }

  /** Starts a wait, or continues the wait under way. @returns false when the time is used up. */
  wait(): boolean {
    if (this.#since === undefined && this.#left > 0) {
      this.#since = monotonicMs();
      this.#timer = setTimeout(() => {
        this.end();
        this.#left = 0;
        this.#onEnd();
      }, this.#left);
      this.#timer.unref();
    }
    return this.#since !== undefined;
  }

  end(): void {
    if (this.#since === undefined) return;
    this.#left -= monotonicMs() - this.#since;
    this.#since = undefined;
    clearTimeout(this.#timer);
  }
}
