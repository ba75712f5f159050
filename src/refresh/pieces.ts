import type { ChainBlock, ChainTxs } from './chain-block.js';

/**
 * Divides pages at blocks, so that what is found in the first transactions of a large one is dealt with while the
 * last are tried.
 * @param most keys in a piece, but for a block that has more. @returns pages too; a block is in one of them.
 */
export async function* piecesOf<P extends ChainTxs<ChainBlock>>(
  pages: AsyncIterable<P>,
  most: number,
): AsyncGenerator<P, void, void> {
  for await (const page of pages) {
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
    yield from === 0 ? page : { ...page, blocks: blocks.slice(from) };
  }
}
