import type { Hash } from '../crypto/types.js';
import type { BlocksRequest, DaemonBlocks } from '../daemon/daemon.js';
import { DaemonError } from '../daemon/errors.js';
import { equalBytes } from '../util/bytes.js';
import { MAX_REORGANISATION, type BlockRef } from '../wallet/model/records.js';
import type { BlockSource } from './block-source.js';
import { toChainBlocks, type ChainBlock, type ChainTxs, type ExpectedChain } from './chain-block.js';
import type { ChainPosition } from './chain-position.js';
import type { PageBlocks } from './page-fit.js';
import { fetchFitting, type PageSize } from './page-size.js';

/** Blocks of the daemon's chain: gapless, at least one, its hashes chain up. */
export interface ChainPage extends ChainTxs<ChainBlock>, PageBlocks {
  readonly blocks: readonly ChainBlock[];
  /** Number of blocks of the daemon. */
  readonly daemonHeight: number;
  /** Index of the first block that the requested position lacks. */
  readonly firstNew: number;
  /** Size of the daemon's answer (bytes). */
  readonly bytes: number;
}

/** The daemon's answer does not continue the chain of the requested position; other positions may fit it. */
export class ChainMismatch extends DaemonError {
  constructor(message: string) {
    super('malformed', message);
  }
}

/** Requests blocks in pages of bounded size. */
type FetchBlocks = (request: Pick<BlocksRequest, 'startHeight' | 'shortHistory'>) => Promise<DaemonBlocks>;

/**
 * Fetches the page that follows a position.
 * @returns undefined when the daemon has no newer block.
 * @throws DaemonError as the daemon does, and `malformed` for a chain of another network or of unknown rules;
 * ChainMismatch.
 */
export async function fetchPage(
  daemon: BlockSource,
  { held, startHeight }: ChainPosition,
  {
    chain,
    size,
    signal,
  }: { readonly chain: ExpectedChain; readonly size: PageSize; readonly signal: AbortSignal },
): Promise<ChainPage | undefined> {
  const fetchBlocks: FetchBlocks = (request) =>
    fetchFitting(size, (maxBlocks) => daemon.getBlocks({ ...request, maxBlocks, prune: true, signal }));
  let start = startHeight;
  if (startHeight !== undefined) {
    const { height } = await daemon.getInfo({ signal });
    // Daemons reject a start above the tip. An empty wallet takes the newest block, to have a position.
    if (startHeight >= height && held.length > 0) return undefined;
    start = Math.min(startHeight, height - 1);
  }
  const reply = await fetchBlocks(
    start !== undefined && start > 0
      ? { startHeight: start }
      : { shortHistory: withGenesis(held, chain.genesis) },
  );
  const page = pageOf(reply, chain);
  const [first] = page.blocks;
  if (first === undefined) return undefined;
  if (first.height === 0 && !equalBytes(first.hash, chain.genesis))
    throw new DaemonError('malformed', 'the daemon follows the chain of another network');
  const fresh = startHeight === undefined ? await withoutHeld(page, held, fetchBlocks, chain) : page;
  return fresh.firstNew < fresh.blocks.length ? fresh : undefined;
}

function pageOf(reply: DaemonBlocks, chain: ExpectedChain): ChainPage {
  const { currentHeight: daemonHeight, bytes } = reply;
  const page = toChainBlocks(reply, chain);
  const reachesTip = page.blocks.at(-1)?.height === daemonHeight - 1;
  return { ...page, daemonHeight, reachesTip, bytes, firstNew: 0 };
}

function withGenesis(held: readonly BlockRef[], genesis: Hash): Hash[] {
  const hashes = held.map(({ hash }) => hash);
  return held.at(-1)?.height === 0 ? hashes : [...hashes, genesis];
}

/** Finds the first block that a position lacks, in the answer to a request with its short history. @throws ChainMismatch */
async function withoutHeld(
  page: ChainPage,
  held: readonly BlockRef[],
  fetchBlocks: FetchBlocks,
  chain: ExpectedChain,
): Promise<ChainPage> {
  const { blocks } = page;
  const first = blocks[0];
  const tip = held[0];
  const oldest = held.at(-1);
  if (first === undefined || tip === undefined || oldest === undefined) return page;
  const known = new Map(held.map(({ height, hash }) => [height, hash]));
  if (first.height < oldest.height) {
    // The daemon knows none of the held blocks: a reorganisation undid all of them.
    if (tip.height - oldest.height > MAX_REORGANISATION)
      throw new ChainMismatch('the daemon follows a chain that this wallet has never seen');
    return pageOf(await fetchBlocks({ startHeight: oldest.height }), chain);
  }
  if (tip.height - first.height > MAX_REORGANISATION)
    throw new ChainMismatch(`a reorganisation of more than ${MAX_REORGANISATION} blocks`);
  const hash = known.get(first.height);
  if (hash === undefined || !equalBytes(hash, first.hash))
    throw new ChainMismatch('the page does not start at a block that the wallet holds');
  const firstNew = blocks.findIndex(({ height, hash: theirs }) => {
    const ours = known.get(height);
    return ours === undefined || !equalBytes(ours, theirs);
  });
  return { ...page, firstNew: firstNew < 0 ? blocks.length : firstNew };
}
