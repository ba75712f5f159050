import type { Member } from '../../cluster/cluster.js';

/** Load of a member: wallets that it holds, as a part of its capacity. */
const loadOf = ({ wallets, capacity }: Pick<Member, 'wallets' | 'capacity'>): number =>
  wallets / Math.max(1, capacity);

/** Returns the living members that have room for a further wallet, least loaded first, then by address. */
export const takersOf = (members: readonly Member[]): Member[] =>
  members
    .filter(({ isAlive, wallets, capacity }) => isAlive && wallets < capacity)
    .sort((a, b) => loadOf(a) - loadOf(b) || (a.url < b.url ? -1 : 1));

/**
 * Assigns wallets without a holder to the members, each wallet to the member that is least loaded after the wallets
 * before. All processes compute the same result from the same list.
 * @returns addresses of members by name of the wallet; wallets for which no member has room are left out.
 */
export function assign(names: readonly string[], members: readonly Member[]): Map<string, string> {
  const assigned = new Map<string, string>();
  let loads = members;
  for (const name of names) {
    const [taker] = takersOf(loads);
    if (taker === undefined) break;
    assigned.set(name, taker.url);
    loads = loads.map((member) => (member === taker ? { ...member, wallets: member.wallets + 1 } : member));
  }
  return assigned;
}

/**
 * Returns the member that should give a wallet to this process: the most loaded member, if it stays at least as loaded
 * as this process afterwards; undefined if the wallets are spread evenly, or this process has no room.
 */
export function giverFor(members: readonly Member[]): Member | undefined {
  const self = members.find(({ isSelf }) => isSelf);
  if (self === undefined || self.wallets >= self.capacity) return undefined;
  const after = loadOf({ ...self, wallets: self.wallets + 1 });
  return members
    .filter((member) => member.isAlive && !member.isSelf)
    .filter((member) => loadOf({ ...member, wallets: member.wallets - 1 }) >= after)
    .sort((a, b) => loadOf(b) - loadOf(a) || (a.url < b.url ? -1 : 1))[0];
}

/** Pause after the first failure to open a wallet, and longest pause [looks]. */
const FIRST_PAUSE = 8;
const MOST_PAUSE = 64;

/** A wallet that could not be opened. */
interface Failure {
  readonly reason: string;
  /** Number of looks between the failure and the next try. */
  readonly pause: number;
  /** Number of the look at which the next try is due. */
  readonly until: number;
}

/**
 * Wallets whose holder has ended and that this process failed to open. Each further failure doubles the pause before the
 * next try: meanwhile another process can open the wallet.
 */
export class FailedTakeovers {
  readonly #failures = new Map<string, Failure>();

  /** Returns the reason of the last failure; undefined if there was no failure. */
  reasonOf(name: string): string | undefined {
    return this.#failures.get(name)?.reason;
  }

  /** True if a wallet may be tried again. @param look number of the current look at the cluster. */
  isDue(name: string, look: number): boolean {
    return (this.#failures.get(name)?.until ?? 0) <= look;
  }

  /**
   * Notes a failure.
   * @param look as for {@link isDue}.
   * @returns true unless the previous failure had the same reason.
   */
  add(name: string, reason: string, look: number): boolean {
    const before = this.#failures.get(name);
    const pause = before === undefined ? FIRST_PAUSE : Math.min(MOST_PAUSE, 2 * before.pause);
    this.#failures.set(name, { reason, pause, until: look + pause });
    return before?.reason !== reason;
  }

  /** Forgets a wallet, which was opened. */
  delete(name: string): void {
    this.#failures.delete(name);
  }
}
