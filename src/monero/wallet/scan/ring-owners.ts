/**
 * Returns the text by which an output is identified as in rings.
 * @param value amount [atomic units]: 0 for RingCT outputs.
 */
export const ringPlaceOf = (value: bigint, globalIndex: bigint | number): string => `${value}/${globalIndex}`;

/**
 * Narrows down which output each input spends, given that no output is spent by two inputs.
 * @param candidates for each input, the outputs of the wallet in its ring.
 * @returns for each input in the same order, the outputs that remain possible; none for inputs whose rings contradict
 * each other, because only one output remains for several of them.
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
  // The list grows during the loop, because each decision may cause others.
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
