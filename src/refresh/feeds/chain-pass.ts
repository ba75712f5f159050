import { timingSafeEqual } from 'node:crypto';
import type { SecretKey } from '../../monero/crypto/types.js';
import { CatchUpWait } from './catch-up-wait.js';
import { ChainMismatch, type ChainPage } from './chain-page.js';
import { isSamePosition, nextHeight, positionAfter, type ChainPosition } from './chain-position.js';
import type { FeedMember, MemberPage } from './feed-member.js';
import { HoldUps } from './hold-ups.js';
import { BATCH_KEYS } from '../scan/kernel-batches.js';
import { BATCHES_AHEAD, type BatchScanner, type MatchReader } from '../scan/match-group.js';
import { fitOf } from './page-fit.js';
import { PageCursor, type PageCursorOptions } from './page-cursor.js';
import { MOST_BLOCKS } from './page-size.js';
import { PageWindow, type PassBatch } from './page-window.js';
import { ReaderPositions } from '../scan/reader-positions.js';

/** Scan batches between the slowest and the fastest member of a pass. */
const MOST_BATCHES_APART = 4;

/** Size of the pages of a pass above which none is added before the slowest member has left the oldest (bytes). */
const MOST_BYTES = 64 << 20;

/** Size of the pages that a pass without members keeps, about (bytes). */
const MOST_RESTING_BYTES = 4 << 20;

/** A page; `done` when the wallet has reached the daemon's tip; `elsewhere` when it must continue in another pass. */
export type Taken = MemberPage | 'done' | 'elsewhere';

export interface PassOptions extends PageCursorOptions {
  readonly kernel: BatchScanner;
  /** Time that the other members of a pass wait for one of them (ms). */
  readonly patienceMs: number;
  /** Finds another pass with the same position, and moves the members there. @returns false where there is none. */
  readonly merge: (pass: ChainPass) => boolean;
  /** Time that this pass waits for others that are close behind it (ms). */
  readonly catchUpMs: number;
  /** Whether another pass is close behind. */
  readonly isFollowed: (pass: ChainPass) => boolean;
  /** Called after each answer of the daemon, and when the last member has left. */
  readonly onProgress: (pass: ChainPass) => void;
}

/** A member's place in a pass. */
interface Seat {
  readonly member: FeedMember;
  /** Number of the next batch. */
  next: number;
  /** The page of the last batch, and the index of its first block that the member lacks. */
  page?: ChainPage;
  firstNew: number;
  /** The member's position is the pass's at this place; false while it waits for the answer under way. */
  fits: boolean;
}

/**
 * One walk along the chain for several wallets: every page is fetched, parsed and hashed once, and its outputs are
 * scanned with all view keys together. The next page is requested while the members work on the one before.
 */
export class ChainPass {
  readonly #options: PassOptions;
  readonly #window: PageWindow;
  readonly #cursor: PageCursor;
  readonly #seats = new Map<FeedMember, Seat>();
  readonly #places = new ReaderPositions();
  readonly #holdUps: HoldUps;
  readonly #catchUp: CatchUpWait;
  /** Members that wait for an answer of the daemon. */
  readonly #waiting = new Map<FeedMember, () => void>();
  /** The member whose short history leads the first request; undefined where pages are fetched ahead of all members. */
  #leader: FeedMember | undefined;
  /** Members that held others up, or were held up. */
  readonly #sentAway = new WeakSet<FeedMember>();
  #isDraining = false;
  /** View key of a wallet that will come; undefined once it came. */
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

  /** Takes in the first member, at whose position this pass begins. */
  lead(leader: FeedMember): void {
    this.#leader = leader;
    this.#sit(leader, 0, true);
  }

  /**
   * Fetches pages before the first member comes, as many as a pass without members keeps.
   * @param viewSecret key of a wallet that will come, for which these pages are scanned. It is wiped.
   */
  prefetch(viewSecret?: SecretKey): void {
    this.#expected = viewSecret;
    this.#fetch();
  }

  /** Members that will reach the position of this pass. */
  get members(): readonly FeedMember[] {
    return [...this.#seats.values()].filter(({ fits }) => fits).map(({ member }) => member);
  }

  get isEmpty(): boolean {
    return this.#seats.size === 0;
  }

  /** Behind the last block of the newest page. */
  get position(): ChainPosition {
    return this.#cursor.position;
  }

  /** Finds the batch with the first block that a position lacks, in the pages that are there or at their end. */
  find(position: ChainPosition): number | undefined {
    if (!this.isOpen) return undefined;
    const found = isSamePosition(position, this.position) ? this.#window.end : this.#window.find(position);
    return found === undefined || this.#places.highest - found > MOST_BATCHES_APART ? undefined : found;
  }

  /** Takes in a member whose position is in the pages of this pass, at their end, or probably in the one under way. */
  admit(member: FeedMember): boolean {
    if (this.#sentAway.has(member)) return false;
    if (this.reserve(member, member.position)) return true;
    const ahead = nextHeight(member.position) - nextHeight(this.position);
    if (!this.isOpen || !this.#cursor.isRequesting || ahead < 0 || ahead >= MOST_BLOCKS) return false;
    this.#sit(member, this.#window.end, false);
    return true;
  }

  /** Takes in a member that will come with a position. @returns false when no page fits the position. */
  reserve(member: FeedMember, position: ChainPosition): boolean {
    const found = this.find(position);
    if (found !== undefined) this.#sit(member, found, true);
    return found !== undefined;
  }

  /** Checks again whether another pass is close behind. */
  resume(): void {
    this.#moved();
    for (const member of [...this.#waiting.keys()]) this.#wake(member);
  }

  /** Lets the members take the pages that are there, and no others. */
  drain(): void {
    this.#isDraining = true;
    this.#catchUp.end();
  }

  /** @throws the reason of the member's signal, or the error of the daemon. */
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

  /** Frees the place of a member. A page that it has taken remains readable. */
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

  /** Whether members may join. */
  get isOpen(): boolean {
    return !this.#isDraining && this.#cursor.failure === undefined;
  }

  /** Ends the request under way. */
  close(): void {
    this.#forgetExpected();
    this.#isDraining = true;
    this.#catchUp.end();
    this.#cursor.abort();
  }

  #sit(member: FeedMember, next: number, fits: boolean): void {
    this.#seats.set(member, { member, next, firstNew: 0, fits });
    this.#places.add(next);
    if (this.#expected === undefined || !timingSafeEqual(this.#expected, member.viewSecret)) return;
    for (const batch of this.#window.from(next)) batch.adopt(member);
    this.#forgetExpected();
  }

  #forgetExpected(): void {
    for (const batch of this.#window.from(0)) batch.giveUp();
    this.#expected?.fill(0);
    this.#expected = undefined;
  }

  /** How the pass ends for a member that has taken all pages. @throws the error of the daemon. */
  #endFor(seat: Seat): 'done' | 'elsewhere' | undefined {
    const { member } = seat;
    const { failure, answer } = this.#cursor;
    if (failure !== undefined) {
      const { error } = failure;
      // Only the short history of the leader proves the mismatch.
      if (!(error instanceof ChainMismatch) || this.#leader === member) throw error;
      return 'elsewhere';
    }
    if (!seat.fits && !this.#cursor.isRequesting) return 'elsewhere';
    if (this.#isDraining) return 'elsewhere';
    // An answer decides for the members alone whose position the pass has.
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

  /** Finds the first block of a page that a member lacks. @returns false when the page does not fit its chain. */
  #enter(seat: Seat, page: ChainPage): boolean {
    if (seat.page === page) return true;
    const firstNew = seat.member === this.#leader ? page.firstNew : fitOf(page, seat.member.position);
    // Blocks before the page's first new one are not scanned.
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

  /** @returns undefined when the batch holds no block that the member lacks. */
  #takeBatch(seat: Seat, batch: PassBatch): MemberPage | undefined {
    const { member } = seat;
    const firstHeight = (batch.page.blocks[0]?.height ?? 0) + seat.firstNew;
    const skipped = Math.max(0, firstHeight - (batch.blocks[0]?.height ?? 0));
    const blocks = batch.blocks.slice(skipped);
    const [first] = blocks;
    if (first === undefined) batch.drop(member);
    const reader = batch.readers.get(member) ?? {
      viewSecret: member.viewSecret,
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

  /** Begins what the members will need next, and frees what they need no longer. */
  #moved(): void {
    if (this.#seats.size === 0) return;
    const { lowest, highest } = this.#places;
    this.#window.trim(lowest);
    // Pages that were there before the first member may be gone, and with them batches that were never begun.
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
      const reader = { viewSecret: member.viewSecret, firstTx: first.firstTx };
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
