import { DaemonError } from '../../daemon/errors.js';
import { GENESIS_HASH } from '../../monero/cryptonote/constants.js';
import { DIFFICULTY_BLOCKS, type WorkPoint } from '../../monero/cryptonote/difficulty.js';
import { HeaderChain, type Checkpoint } from '../../monero/cryptonote/header-chain.js';
import { HeaderError } from '../../monero/cryptonote/header-rules.js';
import { defaultRules, newestForkOf, type ForkRules } from '../../monero/cryptonote/known-forks.js';
import { seedHeightsAbove } from '../../monero/cryptonote/proof-of-work.js';
import type { Hash } from '../../monero/crypto/types.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { CheckpointError, type CheckpointNetwork } from './checkpoint-file.js';
import { fetchBlock, fetchBlocks, type BlockSource, type FetchedBlock } from './fetched-blocks.js';
import { KNOWN_POINTS } from './known-points.js';

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
  /** Rules by which blocks of the next fork are read; absent: those that are in force on the network of the daemon. */
  readonly rules?: ForkRules | undefined;
  /** Time of the clock [Unix s]. */
  readonly now: number;
}

/**
 * Reads a checkpoint from a daemon: computes the hashes of all blocks from the bytes, follows their links down to the seed
 * blocks, computes the difficulties above the oldest window, and compares the chain with the blocks that the reference
 * publishes.
 * @throws CheckpointError for the first contradiction; DaemonError.
 */
export async function readCheckpoint(
  source: BlockSource,
  request: CheckpointRequest,
): Promise<ReadCheckpoint> {
  try {
    return await checkpointOf(source, request);
  } catch (cause) {
    const isOfBlock =
      cause instanceof DaemonError && ['forged', 'malformed', 'newer_fork'].includes(cause.kind);
    throw isOfBlock ? new CheckpointError(cause.message, { cause }) : cause;
  }
}

async function checkpointOf(
  source: BlockSource,
  { height, fixedDifficulty, now, rules }: CheckpointRequest,
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
  const root = {
    ...{ height: base, hash, majorVersion, window: windowOf(blocks.slice(0, base - first + 1)) },
    // No block up to the checkpoint needs a seed.
    seeds: seedHeightsAbove(base).map((at) => hashAt(at) ?? hash),
    ...(fixedDifficulty === undefined ? {} : { fixedDifficulty }),
  };
  const chain = new HeaderChain(root, newestForkOf(rules ?? defaultRules(network === 'mainnet')));
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
