import type { ChainBlock, ChainTxs } from './chain-block.js';

/**
 * Divides a page at block boundaries into scan batches, so that the first findings of a large page are committed while
 * its last transactions are scanned.
 * @param most largest number of keys in a batch; a block with more keys is a batch of its own.
 * @returns the batches in chain order; each block is in exactly one of them.
 */
export function* scanBatchesOf<P extends ChainTxs<ChainBlock>>(
  page: P,
  most: number,
): Generator<P, void, void> {
  const { blocks, txs } = page;
  let from = 0;
  let before = txs.keysBefore(blocks[0]?.firstTx ?? 0);
  for (let at = 1; at < blocks.length; at++) {
    const reached = txs.keysBefore(blocks[at]?.endTx ?? 0);
    if (reached - before <= most) continue;
    yield { ...page, blocks: blocks.slice(from, at) };
    before = txs.keysBefore(blocks[at]?.firstTx ?? 0);
    from = at;
  }
  if (blocks.length > 0) yield from === 0 ? page : { ...page, blocks: blocks.slice(from) };
}
