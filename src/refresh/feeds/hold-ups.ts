import { monotonicMs } from '../../util/monotonic-time.js';
import type { FeedMember } from './feed-member.js';

/**
 * Members of a pass that wait for the slowest ones. The time is charged to the slowest while they are no more than
 * the waiting ones; those whose time is used up are to leave. Where they are more and none of them moves for as long,
 * the waiting ones are to leave.
 */
export class HoldUps {
  readonly #patienceMs: number;
  readonly #onLeave: (members: readonly FeedMember[]) => void;
  readonly #waiting = new Map<FeedMember, () => void>();
  #slowest: readonly FeedMember[] = [];
  /** Position of the slowest members. */
  #lowest = -Infinity;
  #since = 0;
  /** Start of the wait for the slowest members to move. */
  #stalledSince = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param patienceMs time that others wait for one member in all. */
  constructor(patienceMs: number, onLeave: (members: readonly FeedMember[]) => void) {
    this.#patienceMs = patienceMs;
    this.#onLeave = onLeave;
  }

  /** Resolves when the slowest members have moved, or this one leaves. */
  wait(member: FeedMember, slowest: readonly FeedMember[]): Promise<void> {
    return new Promise((resolve) => {
      this.#charge();
      if (this.#waiting.size === 0) this.#stalledSince = this.#since;
      this.#waiting.set(member, resolve);
      this.#slowest = slowest;
      this.#watch();
    });
  }

  /** @param lowest position of the slowest members. */
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
    // Timers may be early by a millisecond.
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
