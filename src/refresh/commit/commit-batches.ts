import type { PageFindings } from '../../monero/wallet/model/records.js';

/**
 * Approximate number of outputs and spends in one commit batch. A larger batch saves time, because every batch has a
 * fixed cost; but one event row can hold the stages of only a limited number of payments
 * (`store/tables/stage-ranges.ts`).
 */
const ROWS_AT_ONCE = 96;

/**
 * Approximate number of outputs and spends in one commit batch while clients send requests, which are answered between
 * two batches.
 */
const BUSY_ROWS_AT_ONCE = 32;

/** Number of subaddress keys in one commit batch. */
const KEYS_AT_ONCE = 500;

/** Estimates the cost of committing findings [outputs]; a subaddress key or a block costs a fraction of an output. */
export const weightOf = ({ outputs, spends, subaddresses, hashes }: PageFindings): number =>
  outputs.length + spends.length + subaddresses.length / 20 + hashes.length / 100;

/**
 * Returns a function that removes from a list all items below a given height, and returns them. The list ascends by
 * height.
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
 * Divides the findings of a page into commit batches at the boundaries of blocks, so that each batch is committed
 * quickly.
 * @param findings lists that ascend by height.
 * @param isBusy true while clients send requests; the batches are smaller then.
 */
export function* commitBatchesOf(
  findings: PageFindings,
  isBusy: boolean,
): Generator<PageFindings, void, void> {
  const { startHeight, hashes, lastBlockReward, lastBlockTime, ambiguousSpends } = findings;
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
      ...{ lastBlockReward, lastBlockTime },
    };
    subaddresses = [];
  }
}

/** Yields the height range of each batch: its first height, and the height after its last block. */
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
