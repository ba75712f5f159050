/**
 * True if a name matches a pattern, in which `*` stands for any number of characters and `?` for one. Case matters.
 * Takes time proportional to the product of both lengths at most.
 */
export function matchesGlob(pattern: string, name: string): boolean {
  let [p, n] = [0, 0];
  /** Index after the last `*` in the pattern, and index in the name up to which that `*` matches. */
  let [star, matched] = [-1, 0];
  while (n < name.length) {
    const wanted = pattern[p];
    if (wanted === '*') [star, matched, p] = [p + 1, n, p + 1];
    else if (wanted === '?' || wanted === name[n]) [p, n] = [p + 1, n + 1];
    else if (star >= 0) {
      matched += 1;
      [p, n] = [star, matched];
    } else return false;
  }
  while (pattern[p] === '*') p += 1;
  return p === pattern.length;
}
