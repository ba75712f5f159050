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
 * Assigns wallets without a holder to the members, each to the one that is least loaded then. All processes compute the
 * same from the same list.
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
 * Returns the member that should give a wallet to this process: the most loaded one, if it stays at least as loaded as
 * this process afterwards; undefined if the wallets are spread evenly, or this process has no room.
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
