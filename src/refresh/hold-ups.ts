import type { FeedMember } from './feed-member.js';
import { monotonicMs } from './monotonic-time.js';

/**
 * Members of a pass that wait for the slowest ones. The time is charged to the slowest while they are no more than
 * the waiting ones; those whose time is used up are reported.
 */
export class HoldUps {
  readonly #patienceMs: number;
  readonly #onUsedUp: (members: readonly FeedMember[]) => void;
  readonly #waiting = new Map<FeedMember, () => void>();
  #slowest: readonly FeedMember[] = [];
  /** Position of the slowest members. */
  #lowest = -Infinity;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param patienceMs time that others wait for one member in all. */
  constructor(patienceMs: number, onUsedUp: (members: readonly FeedMember[]) => void) {
    this.#patienceMs = patienceMs;
    this.#onUsedUp = onUsedUp;
  }

  /** Resolves when the slowest members have moved, or this one leaves. */
  wait(member: FeedMember, slowest: readonly FeedMember[]): Promise<void> {
    return new Promise((resolve) => {
      this.#charge();
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

  #watch(): void {
    clearTimeout(this.#timer);
    const used = this.#slowest.reduce((most, { heldUpMs }) => Math.max(most, heldUpMs), 0);
    this.#timer = setTimeout(() => this.#check(), Math.max(0, this.#patienceMs - used));
    this.#timer.unref();
  }

  #check(): void {
    this.#charge();
    if (this.#waiting.size === 0 || this.#slowest.length === 0) return;
    if (this.#slowest.length > this.#waiting.size) return;
    // Timers may be early by a millisecond.
    const usedUp = this.#slowest.filter(({ heldUpMs }) => heldUpMs > this.#patienceMs - 1);
    if (usedUp.length > 0) this.#onUsedUp(usedUp);
    else this.#watch();
  }

  #charge(): void {
    const now = monotonicMs();
    if (this.#slowest.length <= this.#waiting.size)
      for (const member of this.#slowest) member.heldUpMs += now - this.#since;
    this.#since = now;
  }
}
