/** Length from which a name does not count as a misspelling, and is not compared. */
const LONGEST = 40;

/** Returns the part of a name that all its spellings share: without case, `_` and `-`. */
export const plainName = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '');

/** Returns the number of letters that are inserted, removed, replaced or exchanged with their neighbour between texts. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isExchanged = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isExchanged ? (before[j - 2] ?? 0) + 1 : Infinity,
      );
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
}

/** Returns the distance of a name from a known name; Infinity unless it may be a misspelling of the known name. */
function difference(given: string, known: string): number {
  if (given === known) return 0;
  // A name may be the beginning of a known name, such as `expires` of `expires_in`.
  const shorter = Math.min(given.length, known.length);
  if (shorter >= 3 && (known.startsWith(given) || given.startsWith(known))) return 1;
  const letters = distance(given, known);
  return letters <= Math.max(1, Math.floor(Math.max(given.length, known.length) / 3)) ? letters : Infinity;
}

/**
 * Returns the known name that is most like a given name; undefined if no name is similar. Of several such names,
 * returns the first name.
 */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  if (given.length > LONGEST) return undefined;
  let nearest: string | undefined;
  let least = Infinity;
  for (const name of known) {
    const far = difference(plainName(given), plainName(name));
    if (far >= least) continue;
    [nearest, least] = [name, far];
  }
  return nearest;
}

/**
 * Returns a clause that suggests the known name that is most like a given name, for the end of an error message; empty
 * if no name is similar, and for a name that is known.
 * @param show writes a name as the user must write it; absent: the name itself.
 */
export function didYouMean(
  given: string,
  known: readonly string[],
  show: (name: string) => string = (name) => name,
): string {
  const nearest = nearestName(given, known);
  return nearest === undefined || nearest === given ? '' : `, did you mean ${show(nearest)}?`;
}
