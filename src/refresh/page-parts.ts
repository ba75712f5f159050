import type { PageFindings } from '../monero/wallet/scan/findings.js';

/**
 * Returns a function that removes all items below a given height from a list, and returns these items. The list ascends
 * by height.
 */
function taker<T extends { readonly height: number }>(list: readonly T[]): (below: number) => T[] {
  let at = 0;
  return (below) => {
    const start = at;
    while ((list[at]?.height ?? Infinity) < below) at += 1;
    return list.slice(start, at);
  };
}

/**
 * Divides the findings of a page at the boundaries of blocks. The first part has all subaddresses.
 * @param findings lists that ascend by height. @param ranges first height of each part, and the height after its last block.
 */
export function* partsOf(
  findings: PageFindings,
  ranges: Iterable<readonly [from: number, to: number]>,
): Generator<PageFindings, void, void> {
  const { startHeight, hashes, lastBlockReward, lastBlockTime, ambiguousSpends } = findings;
  const take = {
    received: taker(findings.received),
    outputs: taker(findings.outputs),
    spends: taker(findings.spends),
    outgoing: taker(findings.outgoing),
    ambiguousSpends: taker(ambiguousSpends ?? []),
  };
  let { subaddresses } = findings;
  for (const [from, to] of ranges) {
    yield {
      startHeight: from,
      hashes: hashes.slice(from - startHeight, to - startHeight),
      received: take.received(to),
      outputs: take.outputs(to),
      spends: take.spends(to),
      outgoing: take.outgoing(to),
      ...(ambiguousSpends === undefined ? {} : { ambiguousSpends: take.ambiguousSpends(to) }),
      subaddresses,
      ...{ lastBlockReward, lastBlockTime },
    };
    subaddresses = [];
  }
}

/** Yields ranges of at most `size` blocks of a page. */
export function* rangesOf(
  { startHeight, hashes }: PageFindings,
  size: number,
): Generator<[from: number, to: number], void, void> {
  const end = startHeight + hashes.length;
  for (let from = startHeight; from < end; from += size) yield [from, Math.min(end, from + size)];
}
