import type { Hash } from '../crypto/types.js';
import type { BlocksRequest, DaemonBlocks } from '../daemon/daemon.js';
import { DaemonError } from '../daemon/errors.js';
import { equalBytes } from '../util/bytes.js';
import { MAX_REORGANISATION, type BlockRef } from '../wallet/model/records.js';
import { toChainBlocks, type ChainBlock, type ChainTxs, type ExpectedChain } from './chain-block.js';
import type { RefreshFrom } from './messages.js';
import { fetchFitting, PageSize } from './page-size.js';
import type { BlockSource } from './shared-blocks.js';

/** Blocks that the wallet does not hold yet, or holds differently: gapless, at least one. */
export interface Page extends ChainTxs<ChainBlock> {
  /** Number of blocks that the daemon holds. */
  readonly daemonHeight: number;
}

/** Asks for blocks, in pages of a bearable size. */
type FetchBlocks = (request: Pick<BlocksRequest, 'startHeight' | 'shortHistory'>) => Promise<DaemonBlocks>;

/** Blocks of the last page whose hashes lead the next request. */
const OVERLAP = 10;

/**
 * Yields the daemon's blocks from where the wallet stands to the daemon's tip. The next page is fetched and
 * decoded while the caller works on this one.
 * @throws DaemonError as the daemon does, and `malformed` for a chain that does not fit the wallet's.
 */
export async function* pagesFrom(
  daemon: BlockSource,
  from: RefreshFrom,
  chain: ExpectedChain,
  signal: AbortSignal,
): AsyncGenerator<Page, void, void> {
  let held: readonly BlockRef[] = from.history;
  const tip = held[0];
  // A start beyond the tip skips what lies between, as the caller asked for.
  let startHeight = tip === undefined || from.startHeight > tip.height + 1 ? from.startHeight : undefined;
  const size = new PageSize();
  const fetchBlocks: FetchBlocks = (request) =>
    fetchFitting(size, (maxBlocks) => daemon.getBlocks({ ...request, maxBlocks, prune: true, signal }));
  let next = fetchPage(daemon, fetchBlocks, held, startHeight, chain, signal);
  try {
    for (;;) {
      const page = await next;
      if (page === undefined) return;
      const { blocks } = page;
      const last = blocks.at(-1);
      if (last === undefined) return;
      held = heldAfter(held, blocks);
      startHeight = undefined;
      next = fetchPage(daemon, fetchBlocks, held, startHeight, chain, signal);
      // Whoever stops early, by error or by choice, leaves this one without a listener.
      next.catch(() => undefined);
      yield page;
    }
  } finally {
    next.catch(() => undefined);
  }
}

async function fetchPage(
  daemon: BlockSource,
  fetchBlocks: FetchBlocks,
  held: readonly BlockRef[],
  startHeight: number | undefined,
  chain: ExpectedChain,
  signal: AbortSignal,
): Promise<Page | undefined> {
  signal.throwIfAborted();
  let start = startHeight;
  if (startHeight !== undefined) {
    const { height } = await daemon.getInfo({ signal });
    // A start above the tip is an error to daemons. A wallet that holds nothing takes the last block, to know where it stands.
    if (startHeight >= height && held.length > 0) return undefined;
    start = Math.min(startHeight, height - 1);
  }
  const reply = await fetchBlocks(
    start !== undefined && start > 0
      ? { startHeight: start }
      : { shortHistory: withGenesis(held, chain.genesis) },
  );
  const page = toChainBlocks(reply, chain);
  const first = page.blocks[0];
  if (first?.height === 0 && !equalBytes(first.hash, chain.genesis))
    throw new DaemonError('malformed', 'the daemon follows the chain of another network');
  const fresh = startHeight === undefined ? await withoutHeld(fetchBlocks, page, held, chain) : page;
  return fresh.blocks.length === 0 ? undefined : { ...fresh, daemonHeight: reply.currentHeight };
}

function withGenesis(held: readonly BlockRef[], genesis: Hash): Hash[] {
  const hashes = held.map(({ hash }) => hash);
  return held.at(-1)?.height === 0 ? hashes : [...hashes, genesis];
}

/** Drops the leading blocks that the wallet holds already. */
async function withoutHeld(
  fetchBlocks: FetchBlocks,
  page: ChainTxs<ChainBlock>,
  held: readonly BlockRef[],
  chain: ExpectedChain,
): Promise<ChainTxs<ChainBlock>> {
  const { blocks } = page;
  const first = blocks[0];
  const tip = held[0];
  const oldest = held.at(-1);
  if (first === undefined || tip === undefined || oldest === undefined) return page;
  const known = new Map(held.map(({ height, hash }) => [height, hash]));
  if (first.height < oldest.height) {
    // The daemon knows none of our blocks: everything the wallet holds was reorganised away.
    if (tip.height - oldest.height > MAX_REORGANISATION)
      throw new DaemonError('malformed', 'the daemon follows a chain that this wallet has never seen');
    const reply = await fetchBlocks({ startHeight: oldest.height });
    return toChainBlocks(reply, chain);
  }
  if (tip.height - first.height > MAX_REORGANISATION)
    throw new DaemonError('malformed', `a reorganisation of more than ${MAX_REORGANISATION} blocks`);
  const hash = known.get(first.height);
  if (hash === undefined || !equalBytes(hash, first.hash))
    throw new DaemonError('malformed', 'the page does not start at a block of ours');
  const split = blocks.findIndex(({ height, hash: theirs }) => {
    const ours = known.get(height);
    return ours === undefined || !equalBytes(ours, theirs);
  });
  return { ...page, blocks: split < 0 ? [] : blocks.slice(split) };
}

/** What the wallet holds once a page is committed, newest first. */
function heldAfter(held: readonly BlockRef[], blocks: readonly ChainBlock[]): BlockRef[] {
  const first = blocks[0]?.height ?? 0;
  const fresh = blocks
    .slice(-OVERLAP)
    .map(({ height, hash }) => ({ height, hash }))
    .reverse();
  const older =
    blocks.length > OVERLAP ? blocks.slice(0, 1).map(({ height, hash }) => ({ height, hash })) : [];
  return [...fresh, ...older, ...held.filter(({ height }) => height < first)];
}
