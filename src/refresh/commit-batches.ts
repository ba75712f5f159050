import type { PageFindings } from '../wallet/model/records.js';

/** Outputs and spends committed at once, about: requests are answered in between. */
const ROWS_AT_ONCE = 32;

/** Subaddress keys committed at once. */
export const KEYS_AT_ONCE = 500;

/** What a commit costs, in outputs: keys and blocks are small beside them. */
export const weightOf = ({ outputs, spends, subaddresses, hashes }: PageFindings): number =>
  outputs.length + spends.length + subaddresses.length / 20 + hashes.length / 100;

/** Takes off a list that ascends by height, call by call, what lies below a height. */
function taker<T extends { readonly height: number }>(list: readonly T[]): (below: number) => T[] {
  let at = 0;
  return (below) => {
    const start = at;
    while ((list[at]?.height ?? Infinity) < below) at += 1;
    return list.slice(start, at);
  };
}

/**
 * Divides what a page changes, at blocks, into parts that are each quickly committed, one after the other.
 * @param findings its lists ascend by height.
 */
export function* commitBatchesOf(findings: PageFindings): Generator<PageFindings, void, void> {
  const { startHeight, hashes, lastBlockReward, ambiguousSpends } = findings;
  const take = {
    received: taker(findings.received),
    outputs: taker(findings.outputs),
    spends: taker(findings.spends),
    outgoing: taker(findings.outgoing),
    ambiguousSpends: taker(ambiguousSpends ?? []),
  };
  const end = startHeight + hashes.length;
  const nothing = { received: [], outputs: [], spends: [], outgoing: [], hashes: [] };
  // Addresses that the page reached are there before anything it found at them.
  let { subaddresses } = findings;
  for (; subaddresses.length > KEYS_AT_ONCE; subaddresses = subaddresses.slice(KEYS_AT_ONCE))
    yield { ...nothing, startHeight, subaddresses: subaddresses.slice(0, KEYS_AT_ONCE), lastBlockReward };
  for (const [from, to] of cuts(findings, end)) {
    yield {
      startHeight: from,
      hashes: hashes.slice(from - startHeight, to - startHeight),
      received: take.received(to),
      outputs: take.outputs(to),
      spends: take.spends(to),
      outgoing: take.outgoing(to),
      ...(ambiguousSpends === undefined ? {} : { ambiguousSpends: take.ambiguousSpends(to) }),
      subaddresses,
      lastBlockReward,
    };
    subaddresses = [];
  }
}

/** Heights from which and below which blocks go together. */
function* cuts({ startHeight, outputs, spends }: PageFindings, end: number): Generator<[number, number]> {
  const heights = [...outputs, ...spends].map(({ height }) => height).sort((a, b) => a - b);
  let from = startHeight;
  for (let at = ROWS_AT_ONCE; at < heights.length; at += ROWS_AT_ONCE) {
    const to = heights[at] ?? end;
    if (to <= from) continue;
    yield [from, to];
    from = to;
  }
  yield [from, end];
}
