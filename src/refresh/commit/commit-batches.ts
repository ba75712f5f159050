import type { PageFindings } from '../../monero/wallet/model/records.js';

/**
 * Outputs and spends of a commit batch, about: each batch has a cost of its own, but one event row holds the stages of a
 * limited number of payments (`store/tables/stage-ranges.ts`).
 */
const ROWS_AT_ONCE = 96;

/** The same while clients send requests, which are answered between two batches. */
const BUSY_ROWS_AT_ONCE = 32;

/** Subaddress keys of a commit batch. */
const KEYS_AT_ONCE = 500;

/** Estimates the cost of a commit in outputs; keys and blocks cost a fraction of an output. */
export const weightOf = ({ outputs, spends, subaddresses, hashes }: PageFindings): number =>
  outputs.length + spends.length + subaddresses.length / 20 + hashes.length / 100;

/** Returns a function that removes the items below a height from a list, which ascends by height. */
function taker<T extends { readonly height: number }>(list: readonly T[]): (below: number) => T[] {
  let at = 0;
  return (below) => {
    const start = at;
    while ((list[at]?.height ?? Infinity) < below) at += 1;
    return list.slice(start, at);
  };
}

/**
 * Divides the findings of a page at blocks, so that each part is committed quickly.
 * @param findings whose lists ascend by height. @param isBusy true while clients send requests.
 */
export function* commitBatchesOf(
  findings: PageFindings,
  isBusy: boolean,
): Generator<PageFindings, void, void> {
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
  // Subaddresses are committed before the outputs that they received.
  let { subaddresses } = findings;
  for (; subaddresses.length > KEYS_AT_ONCE; subaddresses = subaddresses.slice(KEYS_AT_ONCE))
    yield { ...nothing, startHeight, subaddresses: subaddresses.slice(0, KEYS_AT_ONCE), lastBlockReward };
  for (const [from, to] of cuts(findings, end, isBusy ? BUSY_ROWS_AT_ONCE : ROWS_AT_ONCE)) {
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

/** Yields the height ranges of the batches: the first height, and the height behind the last. */
function* cuts(
  { startHeight, outputs, spends }: PageFindings,
  end: number,
  rowsAtOnce: number,
): Generator<[number, number]> {
  const heights = [...outputs, ...spends].map(({ height }) => height).sort((a, b) => a - b);
  let from = startHeight;
  for (let at = rowsAtOnce; at < heights.length; at += rowsAtOnce) {
    const to = heights[at] ?? end;
    if (to <= from) continue;
    yield [from, to];
    from = to;
  }
  yield [from, end];
}
