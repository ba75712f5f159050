import type { Hash } from '../../monero/crypto/types.js';
import type { NetworkType } from '../../monero/cryptonote/types.js';
import type { CallOptions, Daemon, DaemonBlockHeader, DaemonInfo } from '../../daemon/daemon.js';
import { unreadError } from '../../daemon/errors.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import type { BlockRef } from '../../monero/wallet/scan/findings.js';
import { MAX_FORK } from './held-blocks.js';

/** Calls of a daemon that its checks need. */
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
 * @returns headers of this block and of the block {@link MAX_FORK} below it (at lowest the one above the genesis
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
 * Checks that a daemon has the newest block of a wallet. If it does not, it must have another block of the wallet, at
 * most {@link MAX_FORK} below the newest and above the genesis block: the daemon lacks the blocks above, or a
 * reorganisation replaced them. Accepts any daemon for a wallet without blocks.
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
  // The blocks of the answer end before the first one that does not contain the hash of the block before.
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
