import * as z from 'zod';
import { DIFFICULTY_BLOCKS } from '../../monero/cryptonote/difficulty.js';
import type { Checkpoint } from '../../monero/cryptonote/header-chain.js';
import { seedHeightsAbove } from '../../monero/cryptonote/proof-of-work.js';
import type { Hash } from '../../monero/crypto/types.js';
import type { BlockRef } from '../../monero/wallet/scan/findings.js';
import type { VerifiedBlocks } from './verified-chain.js';
import { bytes32, fromHex, toHex } from '../../util/bytes.js';

/** Networks of checkpoints. */
const CHECKPOINT_NETWORKS = ['mainnet', 'testnet', 'stagenet', 'regtest'] as const;
export type CheckpointNetwork = (typeof CHECKPOINT_NETWORKS)[number];

/** Blocks above a checkpoint that a process has verified. */
interface RecordedBlocks extends VerifiedBlocks {
  /** The checkpoint of the operator, from which the blocks were verified. */
  readonly root: BlockRef;
}

/** A checkpoint, and the network of its chain. */
export interface NetworkCheckpoint {
  readonly network: CheckpointNetwork;
  readonly checkpoint: Checkpoint;
  /** Only in the record that a server keeps for its next start. */
  readonly verified?: RecordedBlocks;
}

/** Error for a text that is no checkpoint. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
}

const hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'has 64 hex digits in lower case')
  .transform((text): Hash => bytes32<'Hash'>(fromHex(text), 'Hash'));

/** Integers of up to 128 bits stand as in the answers of a daemon: `0x` and hex digits. */
const wide = z
  .string()
  .regex(/^0x(?:0|[1-9a-f][0-9a-f]{0,31})$/, 'is 0x and at most 32 hex digits in lower case')
  .transform(BigInt);

const integer = z.int().nonnegative();

const point = z.strictObject({ timestamp: integer, cumulative_difficulty: wide });

const block = z.strictObject({ height: integer, hash });

const file = z.strictObject({
  network: z.enum(CHECKPOINT_NETWORKS),
  height: integer,
  hash,
  major_version: z.int().min(1).max(255),
  cumulative_difficulty: wide,
  fixed_difficulty: wide.optional(),
  verified: z.strictObject({ root: block, from: integer, to: block }).optional(),
  seeds: z.array(block),
  window: z.array(point).min(1).max(DIFFICULTY_BLOCKS),
});

type CheckpointText = z.output<typeof file>;

/** Finds a contradiction in a checkpoint. @returns undefined if there is none. */
function contradictionIn({
  network,
  height,
  cumulative_difficulty: total,
  fixed_difficulty: fixed,
  seeds,
  window,
}: CheckpointText): string | undefined {
  const blocks = Math.min(height + 1, DIFFICULTY_BLOCKS);
  if (window.length !== blocks) return `window has ${window.length} blocks in place of ${blocks}`;
  const works = window.map(({ cumulative_difficulty: work }) => work);
  if (works.at(-1) !== total) return 'cumulative_difficulty is not that of the last block of the window';
  if (works.some((work, i) => work <= (works[i - 1] ?? 0n)))
    return 'the cumulative difficulties do not increase';
  const heights = seedHeightsAbove(height);
  if (seeds.map((one) => one.height).join() !== heights.join())
    return `seeds are those of the heights ${heights.join(' and ')}`;
  if (fixed === undefined) return undefined;
  if (network !== 'regtest') return 'fixed_difficulty is for regtest only';
  return works.some((work, i) => i > 0 && work - (works[i - 1] ?? 0n) !== fixed)
    ? 'a block of the window has another difficulty than fixed_difficulty'
    : undefined;
}

/** Parses a checkpoint. @throws CheckpointError with the first fault. */
export function parseCheckpoint(text: string): NetworkCheckpoint {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new CheckpointError('the checkpoint is not JSON', { cause });
  }
  const { success, data, error } = file.safeParse(value, { jitless: true });
  if (!success) {
    const [issue] = error.issues;
    throw new CheckpointError(
      `the checkpoint cannot be used: ${[issue?.path.join('.'), issue?.message].filter((part) => part).join(' ')}`,
    );
  }
  const contradiction = contradictionIn(data);
  if (contradiction !== undefined)
    throw new CheckpointError(`the checkpoint cannot be used: ${contradiction}`);
  return {
    network: data.network,
    checkpoint: {
      ...{ height: data.height, hash: data.hash, majorVersion: data.major_version },
      window: data.window.map(({ timestamp, cumulative_difficulty: cumulativeDifficulty }) => ({
        ...{ timestamp, cumulativeDifficulty },
      })),
      seeds: data.seeds.map((one) => one.hash),
      ...(data.fixed_difficulty === undefined ? {} : { fixedDifficulty: data.fixed_difficulty }),
    },
    ...(data.verified === undefined ? {} : { verified: data.verified }),
  };
}

const blockJson = ({ height, hash: name }: BlockRef): { readonly height: number; readonly hash: string } => ({
  ...{ height, hash: toHex(name) },
});

const hex = (value: bigint): string => `0x${value.toString(16)}`;

/** Writes a checkpoint as JSON, one block of the window a line. */
export function formatCheckpoint({ network, checkpoint, verified }: NetworkCheckpoint): string {
  const { height, hash: name, majorVersion, window, seeds, fixedDifficulty } = checkpoint;
  const heights = seedHeightsAbove(height);
  const head = {
    ...{ network, height, hash: toHex(name), major_version: majorVersion },
    cumulative_difficulty: hex(window.at(-1)?.cumulativeDifficulty ?? 0n),
    ...(fixedDifficulty === undefined ? {} : { fixed_difficulty: hex(fixedDifficulty) }),
    ...(verified === undefined
      ? {}
      : { verified: { root: blockJson(verified.root), from: verified.from, to: blockJson(verified.to) } }),
    seeds: seeds.map((one, i) => ({ height: heights[i], hash: toHex(one) })),
  };
  const lines = window.map(({ timestamp, cumulativeDifficulty }) =>
    JSON.stringify({ timestamp, cumulative_difficulty: hex(cumulativeDifficulty) }),
  );
  const text = JSON.stringify(head, undefined, 2).slice(0, -2);
  return `${text},\n  "window": [\n    ${lines.join(',\n    ')}\n  ]\n}\n`;
}

/** Lists the facts in which a checkpoint differs from another one of the same height. */
export function differencesOf(given: Checkpoint, found: Checkpoint): string[] {
  const heights = seedHeightsAbove(given.height);
  const oldest = given.height + 1 - given.window.length;
  const differing = (subject: string, here: unknown, there: unknown): string[] =>
    here === there ? [] : [`${subject}: ${String(here)} in the checkpoint, ${String(there)} at the daemon`];
  return [
    ...differing('hash', toHex(given.hash), toHex(found.hash)),
    ...differing('version', given.majorVersion, found.majorVersion),
    ...given.seeds.flatMap((one, i) =>
      differing(`hash of the seed block ${heights[i] ?? ''}`, toHex(one), toHex(found.seeds[i] ?? one)),
    ),
    ...given.window.flatMap(({ timestamp, cumulativeDifficulty }, i) => {
      const other = found.window[i];
      return [
        ...differing(`timestamp of block ${oldest + i}`, timestamp, other?.timestamp),
        ...differing(
          `cumulative difficulty of block ${oldest + i}`,
          hex(cumulativeDifficulty),
          other && hex(other.cumulativeDifficulty),
        ),
      ];
    }),
  ];
}
