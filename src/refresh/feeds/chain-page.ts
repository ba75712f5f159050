import type { Hash } from '../../monero/crypto/types.js';
import type { BlocksRequest, DaemonBlocks, Daemon } from '../../daemon/daemon.js';
import { DaemonError } from '../../daemon/errors.js';
import { equalBytes } from '../../util/bytes.js';
import { MAX_REORGANISATION, type BlockRef } from '../../monero/wallet/scan/findings.js';
import { PageProofs, type Prover } from './page-proofs.js';
import { toChainBlocks, type ChainBlock, type ChainTxs, type ExpectedChain } from '../scan/chain-block.js';
import type { ChainPosition, PageBlocks } from './chain-position.js';

/** Consecutive blocks of the daemon's chain, at least one; each names its predecessor by hash. */
export interface ChainPage extends ChainTxs<ChainBlock>, PageBlocks {
  readonly blocks: readonly ChainBlock[];
  /** Number of blocks of the daemon's chain. */
  readonly daemonHeight: number;
  /** Index of the first block of this page that the requesting wallet lacks. */
  readonly firstNew: number;
  /** Size of the daemon's answer [bytes]. */
  readonly bytes: number;
  /** Error of the block after the page, if the daemon sent such a block and it cannot be read. */
  readonly end?: DaemonError;
  /** Proves transactions of the page. */
  readonly proofs: Pick<PageProofs, 'prove' | 'isForged'>;
}

/**
 * Thrown if the daemon's answer does not continue the chain of the requested position. Wallets at other positions may
 * still be able to use the same pass.
 */
export class ChainMismatch extends DaemonError {
  constructor(message: string) {
    super('malformed', message);
  }
}

/**
 * Number of blocks below the oldest held block from which the chain is read again after a reorganisation undid that
 * block: the height of the fork is unknown, and payments of the wallet may have been mined between the fork and that
 * block.
 */
const BELOW_OLDEST = 1_000;

/** Fetches consecutive blocks from the daemon, limited to a bounded number of bytes. */
type FetchPage = (request: Pick<BlocksRequest, 'startHeight' | 'shortHistory'>) => Promise<ChainPage>;

/**
 * Fetches the page of blocks that follows a position.
 * @returns undefined when the daemon has no newer block.
 * @throws DaemonError as the daemon does; DaemonError `malformed` for blocks of another network; the error of a block
 * that cannot be read, if no new block comes before it; ChainMismatch.
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
  const fetchBlocks: FetchPage = async (request) =>
    pageOf(
      await fetchFitting(size, (maxBlocks) => daemon.getBlocks({ ...request, maxBlocks, signal })),
      chain,
      daemon,
    );
  const start = await startOf({ held, startHeight }, daemon, signal);
  const page = await fetchBlocks(
    start !== undefined && start > 0
      ? { startHeight: start }
      : { shortHistory: withGenesis(held, chain.genesis) },
  );
  const [first] = page.blocks;
  if (first === undefined) return nothingNew(page);
  if (first.height === 0 && !equalBytes(first.hash, chain.genesis))
    throw new DaemonError('malformed', 'the daemon follows the chain of another network');
  const fresh = start === undefined ? await withoutHeld(page, held, fetchBlocks) : page;
  return fresh.firstNew < fresh.blocks.length ? fresh : nothingNew(fresh);
}

/** Ends a request whose page has no new block. @throws the error of the block that cannot be read. */
function nothingNew({ end }: ChainPage): undefined {
  if (end !== undefined) throw end;
}

/**
 * Returns the height of the first block to request. Daemons reject a height above their tip. If the height is above the
 * tip, a wallet without blocks requests the newest block, to have a position; any other wallet continues its chain.
 */
async function startOf(
  { held, startHeight }: ChainPosition,
  daemon: BlockSource,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (startHeight === undefined) return undefined;
  const { height } = await daemon.getInfo({ signal });
  if (startHeight >= height && held.length > 0) return undefined;
  return Math.min(startHeight, height - 1);
}

function pageOf(reply: DaemonBlocks, chain: ExpectedChain, prover: Prover): ChainPage {
  const { currentHeight: daemonHeight, bytes } = reply;
  const page = toChainBlocks(reply, chain);
  const reachesTip = page.blocks.at(-1)?.height === daemonHeight - 1;
  const proofs = new PageProofs(prover, page);
  return { ...page, daemonHeight, reachesTip, bytes, firstNew: 0, proofs };
}

function withGenesis(held: readonly BlockRef[], genesis: Hash): Hash[] {
  const hashes = held.map(({ hash }) => hash);
  return held.at(-1)?.height === 0 ? hashes : [...hashes, genesis];
}

/**
 * Requests blocks with the short history of a position and returns the page with `firstNew` set to the first block that
 * the position lacks.
 * @throws ChainMismatch if the answer continues no held block, or after a reorganisation that is deeper than the limit.
 */
async function withoutHeld(
  page: ChainPage,
  held: readonly BlockRef[],
  fetchBlocks: FetchPage,
): Promise<ChainPage> {
  const { blocks } = page;
  const first = blocks[0];
  const tip = held[0];
  const oldest = held.at(-1);
  if (first === undefined || tip === undefined || oldest === undefined) return page;
  const known = new Map(held.map(({ height, hash }) => [height, hash]));
  if (first.height < oldest.height) {
    // The daemon knows none of the held blocks: a reorganisation undid all these blocks, or the daemon has not synced
    // them yet.
    if (tip.height - oldest.height > MAX_REORGANISATION)
      throw new ChainMismatch('the daemon follows a chain that this wallet has never seen');
    if (page.daemonHeight <= oldest.height) return { ...page, firstNew: blocks.length };
    // A daemon refuses a request that starts at the height of its genesis block, 0.
    const from = Math.max(1, oldest.height - BELOW_OLDEST);
    return first.height === 0 && from === 1 ? page : fetchBlocks({ startHeight: from });
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

/** The calls to the daemon with which pages of blocks are fetched. */
export type BlockSource = Pick<Daemon, 'getInfo' | 'getBlocks'> & Prover;

/** Target size of a page [bytes]. */
const WANTED_BYTES = 32 << 20;

/**
 * Smallest number of blocks of a page. The first block of a page is already known, so a page of one block brings
 * nothing new.
 */
const FEWEST_BLOCKS = 2;

/**
 * Largest number of blocks that a daemon sends in a page. Source: cryptonote_config.h
 * `COMMAND_RPC_GET_BLOCKS_FAST_MAX_BLOCK_COUNT`.
 */
export const MOST_BLOCKS = 1000;

/** Chooses the number of blocks to request for the next page from the sizes of the last pages. */
export class PageSize {
  /** Number of blocks to request; undefined: the daemon decides. */
  #blocks: number | undefined;

  get maxBlocks(): number | undefined {
    return this.#blocks;
  }

  /**
   * Adjusts the number of blocks to the size of the last page. A daemon that does not know `max_block_count` sends full
   * pages regardless.
   */
  adjust(blocks: number, bytes: number): void {
    const fitting = Math.floor((blocks * WANTED_BYTES) / Math.max(bytes, 1));
    if (bytes > WANTED_BYTES) this.#set(fitting);
    else if (this.#blocks !== undefined) this.#set(Math.min(fitting, 2 * this.#blocks));
  }

  /**
   * Reduces the number of blocks after an answer that was too large.
   * @returns false if the number is the smallest already.
   */
  shrink(): boolean {
    if (this.#blocks === FEWEST_BLOCKS) return false;
    this.#set(Math.floor((this.#blocks ?? MOST_BLOCKS) / 10));
    return true;
  }

  #set(blocks: number): void {
    this.#blocks = blocks >= MOST_BLOCKS ? undefined : Math.max(blocks, FEWEST_BLOCKS);
  }
}

/**
 * Fetches a page, and retries with fewer blocks while the answer is too large.
 * @param fetch called with the number of blocks to request. @throws the error of `fetch`, for the smallest page too.
 */
export async function fetchFitting<P extends { readonly blocks: readonly unknown[]; readonly bytes: number }>(
  size: PageSize,
  fetch: (maxBlocks: number | undefined) => Promise<P>,
): Promise<P> {
  for (;;) {
    try {
      const page = await fetch(size.maxBlocks);
      size.adjust(page.blocks.length, page.bytes);
      return page;
    } catch (error) {
      if (!(error instanceof DaemonError) || error.kind !== 'too_large' || !size.shrink()) throw error;
    }
  }
}
