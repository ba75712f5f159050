import type { DaemonBlock, DaemonInfo } from '../../daemon/daemon.js';
import { parseBlock } from '../../monero/cryptonote/block.js';
import { GENESIS_HASH } from '../../monero/cryptonote/constants.js';
import { DIFFICULTY_BLOCKS, type WorkPoint } from '../../monero/cryptonote/difficulty.js';
import { HeaderChain, type Checkpoint } from '../../monero/cryptonote/header-chain.js';
import { chainHeader, HeaderError, type ChainHeader } from '../../monero/cryptonote/header-rules.js';
import { seedHeightsAbove } from '../../monero/cryptonote/proof-of-work.js';
import type { Hash } from '../../monero/crypto/types.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { CodecError } from '../../util/codec.js';
import { CheckpointError, type CheckpointNetwork } from './checkpoint-file.js';
import { KNOWN_POINTS } from './known-points.js';

/** Calls of a daemon from which a checkpoint is read. */
export interface BlockSource {
  getInfo(): Promise<DaemonInfo>;
  getBlock(height: number): Promise<DaemonBlock>;
}

/** A checkpoint that was read from a daemon, and what was verified. */
export interface ReadCheckpoint {
  readonly network: CheckpointNetwork;
  readonly checkpoint: Checkpoint;
  /** Number of blocks whose hashes were computed and whose links were followed. */
  readonly blocks: number;
  /** Number of blocks whose difficulty was computed; the difficulties of the blocks before them are the daemon's word. */
  readonly difficulties: number;
  /** Number of blocks that the reference publishes, and that the chain has. */
  readonly knownPoints: number;
}

interface CheckpointRequest {
  readonly height: number;
  /** Difficulty of a regtest network that fixes it. */
  readonly fixedDifficulty?: bigint;
  /** Time of the clock [Unix s]. */
  readonly now: number;
}

/** Header of a fetched block, and the work that the daemon reports. */
interface FetchedBlock extends ChainHeader {
  readonly cumulativeDifficulty: bigint;
}

/** Number of blocks that are requested at the same time. */
const AT_ONCE = 3;

/**
 * Reads a checkpoint from a daemon: computes the hashes of all blocks from the bytes, follows their links down to the seed
 * blocks, computes the difficulties above the oldest window, and compares the chain with the blocks that the reference
 * publishes.
 * @throws CheckpointError for the first contradiction; DaemonError.
 */
export async function readCheckpoint(
  source: BlockSource,
  { height, fixedDifficulty, now }: CheckpointRequest,
): Promise<ReadCheckpoint> {
  const info = await source.getInfo();
  const network = networkOf(info.network);
  if (height >= info.height)
    throw new CheckpointError(`the daemon has no block at height ${height}: it has ${info.height} blocks`);
  if (fixedDifficulty !== undefined && network !== 'regtest')
    throw new CheckpointError(`${network} has no fixed difficulty`);
  const seedHeights = seedHeightsAbove(height);
  const first = Math.max(0, Math.min(height + 1 - 2 * DIFFICULTY_BLOCKS, ...seedHeights));
  const blocks = await fetchBlocks(source, first, height);
  if (first === 0) assertGenesis(network, blocks[0]);
  const hashAt = (at: number): Hash | undefined => blocks[at - first]?.hash;
  const base = first === 0 ? 0 : first + DIFFICULTY_BLOCKS - 1;
  const { hash, majorVersion } = blocks[base - first] as FetchedBlock;
  const chain = new HeaderChain({
    ...{ height: base, hash, majorVersion, window: windowOf(blocks.slice(0, base - first + 1)) },
    // No block up to the checkpoint needs a seed.
    seeds: seedHeightsAbove(base).map((at) => hashAt(at) ?? hash),
    ...(fixedDifficulty === undefined ? {} : { fixedDifficulty }),
  });
  for (const block of blocks.slice(base - first + 1)) addTo(chain, block, now);
  const last = blocks.at(-1) as FetchedBlock;
  return {
    network,
    checkpoint: {
      ...{ height, hash: last.hash, majorVersion: last.majorVersion },
      window: windowOf(blocks.slice(-DIFFICULTY_BLOCKS)),
      seeds: seedHeights.map((at) => hashAt(at) ?? last.hash),
      ...(fixedDifficulty === undefined ? {} : { fixedDifficulty }),
    },
    ...{ blocks: blocks.length, difficulties: height - base },
    knownPoints: await compareKnownPoints(source, network, height),
  };
}

const windowOf = (blocks: readonly FetchedBlock[]): WorkPoint[] =>
  blocks.map(({ timestamp, cumulativeDifficulty }) => ({ timestamp, cumulativeDifficulty }));

/** Returns the network that a daemon names. @throws CheckpointError */
function networkOf(name: string): CheckpointNetwork {
  if (name === 'fakechain') return 'regtest';
  if (name === 'mainnet' || name === 'testnet' || name === 'stagenet') return name;
  throw new CheckpointError(
    `the daemon is of a network that is not known: ${JSON.stringify(name.slice(0, 20))}`,
  );
}

function assertGenesis(network: CheckpointNetwork, block: FetchedBlock | undefined): void {
  const expected = GENESIS_HASH[network === 'regtest' ? 'mainnet' : network];
  if (block === undefined || !equalBytes(block.hash, expected) || block.cumulativeDifficulty !== 1n)
    throw new CheckpointError(`the chain of the daemon does not begin with the first block of ${network}`);
}

/** Fetches consecutive blocks, each of which must be the parent of the next one. @throws CheckpointError */
async function fetchBlocks(source: BlockSource, first: number, last: number): Promise<FetchedBlock[]> {
  const blocks: FetchedBlock[] = [];
  for (let from = first; from <= last; from += AT_ONCE) {
    const count = Math.min(AT_ONCE, last + 1 - from);
    const page = Array.from({ length: count }, (_, i) => fetchBlock(source, from + i));
    for (const block of await Promise.all(page)) {
      const parent = blocks.at(-1);
      if (parent !== undefined && !equalBytes(block.prevHash, parent.hash))
        throw new CheckpointError(`block ${first + blocks.length} does not follow the block before it`);
      blocks.push(block);
    }
  }
  return blocks;
}

/** Fetches a block, and computes its hash. @throws CheckpointError if the daemon names another hash or height. */
async function fetchBlock(source: BlockSource, height: number): Promise<FetchedBlock> {
  const { blob, hash, cumulativeDifficulty } = await source.getBlock(height);
  const block = parsed(blob, height);
  const header = chainHeader(block);
  if (!equalBytes(header.hash, hash))
    throw new CheckpointError(
      `block ${height} has the hash ${toHex(header.hash)}, and the daemon says ${toHex(hash)}`,
    );
  const [input] = block.minerTx.prefix.inputs;
  if (input?.type !== 'gen' || input.height !== height)
    throw new CheckpointError(`the block that the daemon sends for height ${height} is of another height`);
  return { ...header, cumulativeDifficulty };
}

function parsed(blob: Uint8Array, height: number): ReturnType<typeof parseBlock> {
  try {
    return parseBlock(blob);
  } catch (cause) {
    if (!(cause instanceof CodecError || cause instanceof RangeError)) throw cause;
    throw new CheckpointError(`block ${height} cannot be read`, { cause });
  }
}

/** Adds a block to a chain, and compares its work with that which the daemon reports. @throws CheckpointError */
function addTo(chain: HeaderChain, block: FetchedBlock, now: number): void {
  const height = chain.tip.height + 1;
  try {
    const { difficulty, cumulativeDifficulty } = chain.add(block, now);
    if (cumulativeDifficulty === block.cumulativeDifficulty) return;
    const reported = block.cumulativeDifficulty - (cumulativeDifficulty - difficulty);
    throw new CheckpointError(
      `block ${height} has the difficulty ${difficulty}, and the daemon says ${reported}` +
        ' (--fixed-difficulty is for regtest networks that have one)',
    );
  } catch (cause) {
    if (!(cause instanceof HeaderError)) throw cause;
    throw new CheckpointError(`block ${height} is refused: ${cause.message}`, { cause });
  }
}

/** Compares a chain with the blocks that the reference publishes. @returns their number up to a height. */
async function compareKnownPoints(
  source: BlockSource,
  network: CheckpointNetwork,
  height: number,
): Promise<number> {
  const points = KNOWN_POINTS[network].filter((point) => point.height <= height);
  for (const point of points) {
    const { hash, cumulativeDifficulty } = await fetchBlock(source, point.height);
    if (toHex(hash) !== point.hash)
      throw new CheckpointError(`block ${point.height} has another hash than the reference publishes`);
    if (cumulativeDifficulty !== point.cumulativeDifficulty)
      throw new CheckpointError(
        `the work up to block ${point.height} is not that which the reference publishes`,
      );
  }
  return points.length;
}
