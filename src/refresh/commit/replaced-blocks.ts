import { equalBytes } from '../../util/bytes.js';
import type { BlockRef, PageFindings } from '../../monero/wallet/model/records.js';

/**
 * Removes from a page the leading blocks that the wallet already holds, with their findings. After a reorganisation a
 * daemon sends blocks from one that the short history names, which may lie far below the fork; the payments between
 * that block and the fork must not be undone.
 * @param heldAt returns the block that the wallet holds at a height.
 */
export function fromFirstNewBlock(
  page: PageFindings,
  heldAt: (height: number) => BlockRef | undefined,
): PageFindings {
  const known = page.hashes.findIndex((hash, i) => {
    const held = heldAt(page.startHeight + i);
    return held === undefined || !equalBytes(held.hash, hash);
  });
  if (known === 0 || page.hashes.length === 0) return page;
  const count = known < 0 ? page.hashes.length : known;
  const startHeight = page.startHeight + count;
  const isNew = ({ height }: { readonly height: number }): boolean => height >= startHeight;
  const { received, outputs, spends, outgoing, ambiguousSpends } = page;
  return {
    ...page,
    ...{ startHeight, hashes: page.hashes.slice(count) },
    ...{ received: received.filter(isNew), outputs: outputs.filter(isNew), spends: spends.filter(isNew) },
    outgoing: outgoing.filter(isNew),
    ...(ambiguousSpends === undefined ? {} : { ambiguousSpends: ambiguousSpends.filter(isNew) }),
  };
}
