import type { Hash } from '../../monero/crypto/types.js';
import type { NetworkType } from '../../monero/cryptonote/types.js';
import type { CallOptions, Daemon, DaemonBlockHeader, DaemonInfo } from '../../daemon/daemon.js';
import { unreadError } from '../../daemon/errors.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import type { BlockRef } from '../../monero/wallet/scan/findings.js';
import { faultOf } from '../../model/wallet-error.js';

/** Calls of a daemon that the checks of the daemon need. */
export type CheckedDaemon = Pick<Daemon, 'getInfo' | 'getBlockHeader' | 'getBlocks'>;

/** Blocks that a daemon must have in order to serve. */
export interface RequiredChain {
  readonly network: NetworkType;
  readonly genesis: Hash;
  /** Blocks that each open wallet has, newest first: see `heldBlocks`. */
  readonly histories: readonly (readonly BlockRef[])[];
}

/** Error of a daemon that answers, but cannot serve the open wallets. The message is the reason. */
export class UnfitDaemon extends Error {
  override readonly name = 'UnfitDaemon';
}

/** Number of newest blocks whose links to each other are checked. */
const TIP_BLOCKS = 3;

/** Reads the state of a daemon. @throws DaemonError; UnfitDaemon if it follows another network, or is syncing. */
export async function checkState(
  daemon: CheckedDaemon,
  network: NetworkType,
  options: CallOptions,
): Promise<DaemonInfo> {
  const info = await daemon.getInfo(options);
  // Addresses of regtest have the prefixes of mainnet.
  const isExpected = info.network === network || (network === 'mainnet' && info.network === 'fakechain');
  if (!isExpected) throw new UnfitDaemon(`it follows ${info.network.slice(0, 20)}`);
  if (!info.synchronized) throw new UnfitDaemon('it is syncing');
  if (info.height < 1) throw new UnfitDaemon('it has no blocks');
  return info;
}

/**
 * Checks that a daemon has the newest block that it claims.
 * @returns headers of this block and of the block {@link MAX_FORK} below it (at lowest the block above the genesis
 * block).
 * @throws DaemonError; UnfitDaemon
 */
export async function checkTip(
  daemon: CheckedDaemon,
  { height, topBlockHash }: DaemonInfo,
  options: CallOptions,
): Promise<DaemonBlockHeader[]> {
  const header = await daemon.getBlockHeader(height - 1, options);
  if (header.height !== height - 1 || !equalBytes(header.hash, topBlockHash))
    throw new UnfitDaemon('its newest block is not the one that it claims');
  const below = Math.max(1, height - 1 - MAX_FORK);
  if (below >= height - 1) return [header];
  return [header, await daemon.getBlockHeader(below, options)];
}

/**
 * Checks that a daemon has the newest block of a wallet. A daemon without this block must have another block of the
 * wallet, at most {@link MAX_FORK} below the newest block and above the genesis block: the daemon lacks the blocks
 * above it, or a reorganisation replaced them. Accepts any daemon for a wallet without blocks.
 * @param hashAt block hash of the daemon at a height. @throws DaemonError; UnfitDaemon
 */
export async function checkHistory(
  hashAt: (height: number) => Promise<Hash>,
  daemonHeight: number,
  history: readonly BlockRef[],
): Promise<void> {
  const [tip] = history;
  if (tip === undefined) return;
  for (const { height, hash } of history) {
    if (height < tip.height && (height === 0 || tip.height - height > MAX_FORK)) break;
    if (height < daemonHeight && equalBytes(await hashAt(height), hash)) return;
  }
  throw new UnfitDaemon(`it has none of the last ${MAX_FORK} blocks of an open wallet`);
}

/** Returns a function that reads the block hash at a height, and asks the daemon only once for each height. */
export function hashesOf(daemon: CheckedDaemon, options: CallOptions): (height: number) => Promise<Hash> {
  const known = new Map<number, Promise<Hash>>();
  return (height) => {
    const hash = known.get(height) ?? daemon.getBlockHeader(height, options).then((header) => header.hash);
    known.set(height, hash);
    return hash;
  };
}

/**
 * Checks that a daemon can take over: it has the genesis block, the blocks of every open wallet, and its own newest
 * blocks, whose hashes are computed from their contents. @throws DaemonError; UnfitDaemon
 */
export async function checkChain(
  daemon: CheckedDaemon,
  info: DaemonInfo,
  { genesis, histories }: RequiredChain,
  options: CallOptions,
): Promise<void> {
  const hashAt = hashesOf(daemon, options);
  if (!equalBytes(await hashAt(0), genesis)) throw new UnfitDaemon('it has another genesis block');
  // Most wallets have the same blocks: checks each list only once.
  const distinct = new Map(histories.map((history) => [nameOf(history), history]));
  await Promise.all([...distinct.values()].map((history) => checkHistory(hashAt, info.height, history)));
  await checkNewestBlocks(daemon, info, options);
}

async function checkNewestBlocks(
  daemon: CheckedDaemon,
  { height, topBlockHash }: DaemonInfo,
  options: CallOptions,
): Promise<void> {
  // A daemon does not return its genesis block by height.
  if (height < 2) return;
  const startHeight = Math.max(1, height - TIP_BLOCKS);
  // The blocks of the answer end before the first block that does not contain the hash of the block before.
  const {
    blocks,
    unread,
    startHeight: first,
  } = await daemon.getBlocks({ ...{ ...options, startHeight, maxBlocks: TIP_BLOCKS + 1 } });
  if (unread !== undefined) throw unreadError(first + blocks.length, unread);
  const top = blocks[height - 1 - first];
  if (first !== startHeight || top === undefined || !equalBytes(top.hash, topBlockHash))
    throw new UnfitDaemon('its newest blocks do not lead to the one that it claims');
}

const nameOf = ([tip]: readonly BlockRef[]): string =>
  tip === undefined ? '' : `${tip.height} ${toHex(tip.hash)}`;

/**
 * Deepest reorganisation that a switch of the daemon may cause [blocks]. A deeper reorganisation needs an operator.
 * Source: cryptonote_config.h, wallet2.cpp `ORPHANED_BLOCKS_MAX_COUNT`.
 */
export const MAX_FORK = 100;

/** Methods of a chain that return the blocks of a wallet. */
export interface HeldChain {
  /** Returns blocks of the chain, newest first, with growing distances. */
  shortHistory(): readonly BlockRef[];
  oldestFrom(height: number): BlockRef | undefined;
}

const depthOf = ([tip]: readonly BlockRef[], { height }: BlockRef): number => (tip?.height ?? 0) - height;

/** True if a block lies {@link MAX_FORK} below the newest of `blocks`, or directly above the genesis block. */
const isDeepest = (blocks: readonly BlockRef[], block: BlockRef): boolean =>
  block.height === 1 || depthOf(blocks, block) >= MAX_FORK;

/**
 * Returns, for each wallet, the blocks of which a daemon must have at least one: the newest block, then the oldest
 * block at most {@link MAX_FORK} below it, which every permitted fork contains. The genesis block is left out, since
 * every chain has it. Wallets with the same newest block hold the same chain, though some wallets may know more blocks
 * of the chain.
 */
export function heldBlocks(chains: Iterable<HeldChain>): BlockRef[][] {
  const byTip = new Map<string, BlockRef[]>();
  for (const chain of chains) {
    try {
      const [tip] = chain.shortHistory();
      if (tip === undefined) continue;
      const name = `${tip.height} ${toHex(tip.hash)}`;
      const known = byTip.get(name) ?? [tip];
      const [deepest = tip] = known.slice(-1);
      if (known.length === 1 || !isDeepest(known, deepest)) {
        const oldest = chain.oldestFrom(Math.max(1, tip.height - MAX_FORK));
        byTip.set(name, oldest === undefined || oldest.height >= deepest.height ? known : [tip, oldest]);
      }
    } catch (error) {
      // The wallet was closed meanwhile, or its store is damaged: no daemon can refresh it.
      if (faultOf(error) === undefined) throw error;
    }
  }
  return [...byTip.values()];
}

/**
 * Adds a block of the daemon that has served the wallets, if the wallets hold fewer blocks than a permitted fork may
 * undo.
 * @param served newest block of the daemon and one block below it; empty if the daemon never served.
 */
export function withServedBlock(held: readonly BlockRef[], served: readonly BlockRef[]): readonly BlockRef[] {
  const [block] = served.slice(-1);
  const [deepest] = held.slice(-1);
  if (block === undefined || deepest === undefined || isDeepest(held, deepest)) return held;
  return block.height < deepest.height && depthOf(held, block) <= MAX_FORK ? [...held, block] : held;
}
