/** Name of an output as rings refer to it. @param value denomination: 0 for RingCT outputs. */
export const ringPlaceOf = (value: bigint, globalIndex: bigint | number): string => `${value}/${globalIndex}`;

/**
 * Narrows down which output each input spends: no output is spent by two inputs.
 * @param candidates outputs of the wallet in the ring of each input.
 * @returns the outputs that remain for each input, in the same order; none for inputs whose rings contradict each other,
 * since only one output remains for several of them.
 */
export function narrowOwners<K>(candidates: readonly ReadonlySet<K>[]): ReadonlySet<K>[] {
  const open = candidates.map((owners) => new Set(owners));
  const inputsOf = new Map<K, Set<K>[]>();
  for (const owners of open)
    for (const owner of owners) {
      const inputs = inputsOf.get(owner);
      if (inputs === undefined) inputsOf.set(owner, [owners]);
      else inputs.push(owners);
    }
  const contested = new Set<K>();
  const decided = open.filter(({ size }) => size === 1);
  // Grows while it is read: each decision may cause others.
  for (const owners of decided) {
    const [owner] = owners;
    if (owner === undefined) continue;
    for (const others of inputsOf.get(owner) ?? []) {
      if (others === owners || !others.delete(owner)) continue;
      if (others.size === 1) decided.push(others);
      if (others.size === 0) contested.add(owner);
    }
  }
  return open.map((owners) => ([...owners].some((owner) => contested.has(owner)) ? new Set<K>() : owners));
}
