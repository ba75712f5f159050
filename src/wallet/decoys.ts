import { decompress, inMainSubgroup, type Point } from '../crypto/point.js';
import type { Commitment, PublicKey } from '../crypto/types.js';
import {
  COINBASE_UNLOCK_BLOCKS,
  DIFFICULTY_TARGET_SECONDS,
  RING_SIZE,
  SPENDABLE_AGE_BLOCKS,
} from '../cryptonote/constants.js';
import { commit } from '../ringct/commitment.js';
import { equalBytes } from '../util/bytes.js';
import { shuffled, uniformDouble, uniformInt, type Rng } from '../util/random.js';
import { WalletError } from './fault.js';
import type { OwnedOutput } from './records.js';

/*
 * Ages of decoys follow a gamma distribution of the logarithm of seconds, fitted to real spends.
 * Source: wallet2.cpp `gamma_picker`, `get_outs`.
 */
const GAMMA_SHAPE = 19.28;
const GAMMA_SCALE = 1 / 1.61;
const UNLOCK_SECONDS = SPENDABLE_AGE_BLOCKS * DIFFICULTY_TARGET_SECONDS;
const RECENT_SPEND_SECONDS = 15 * DIFFICULTY_TARGET_SECONDS;
const BLOCKS_A_YEAR = (86_400 * 365) / DIFFICULTY_TARGET_SECONDS;

/** RingCT outputs a block, cumulative from the first block that had any. */
export interface OutputDistribution {
  readonly cumulative: readonly number[];
}

/** A standard normal deviate (Box-Muller). */
function normal(rng: Rng): number {
  const u = 1 - uniformDouble(rng);
  return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * uniformDouble(rng));
}

/** A gamma deviate with a shape above 1 (Marsaglia and Tsang). */
export function gamma(shape: number, scale: number, rng: Rng): number {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(rng);
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - uniformDouble(rng)) < 0.5 * x * x + d - d * v + d * Math.log(v))
      return d * v * scale;
  }
}

/** Picks global indices of outputs by age. */
export class GammaPicker {
  readonly #cumulative: readonly number[];
  readonly #averageSeconds: number;
  readonly #rng: Rng;
  /** Outputs old enough to be spent. */
  readonly outputs: number;

  /** @throws WalletError `not_enough_ring_members` for a chain without spendable outputs. */
  constructor({ cumulative }: OutputDistribution, rng: Rng) {
    this.#rng = rng;
    this.#cumulative = cumulative.slice(0, Math.max(0, cumulative.length - (SPENDABLE_AGE_BLOCKS - 1)));
    this.outputs = this.#cumulative.at(-1) ?? 0;
    if (this.outputs === 0) throw new WalletError({ kind: 'not_enough_ring_members', ringSize: RING_SIZE });
    const blocks = Math.min(cumulative.length, BLOCKS_A_YEAR);
    const before = blocks < cumulative.length ? (cumulative[cumulative.length - blocks - 1] ?? 0) : 0;
    this.#averageSeconds = (DIFFICULTY_TARGET_SECONDS * blocks) / ((cumulative.at(-1) ?? 0) - before);
  }

  /** undefined for a pick that falls outside the chain. */
  pick(): number | undefined {
    const age = Math.exp(gamma(GAMMA_SHAPE, GAMMA_SCALE, this.#rng));
    const seconds = age > UNLOCK_SECONDS ? age - UNLOCK_SECONDS : uniformInt(RECENT_SPEND_SECONDS, this.#rng);
    const back = Math.floor(seconds / this.#averageSeconds);
    if (back >= this.outputs) return undefined;
    const block = this.#blockOf(this.outputs - 1 - back);
    const first = block === 0 ? 0 : (this.#cumulative[block - 1] ?? 0);
    const count = (this.#cumulative[block] ?? 0) - first;
    return count === 0 ? undefined : first + uniformInt(count, this.#rng);
  }

  /** First block whose cumulative count reaches the index, as upstream's `lower_bound` finds it. */
  #blockOf(index: number): number {
    let low = 0;
    let high = this.#cumulative.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#cumulative[middle] ?? 0) < index) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Picks that may miss before a chain counts as too small. */
const MAX_MISSES = 10_000;

/** Half as many again as a ring needs, and as many as may be coinbase outputs that are still locked. */
const REQUESTED = Math.floor(RING_SIZE * 1.5) + 1 + (COINBASE_UNLOCK_BLOCKS - SPENDABLE_AGE_BLOCKS);

/**
 * Global indices to ask the daemon for, the real output's among them, ascending: it cannot tell which is real.
 * @throws WalletError `not_enough_ring_members`
 */
export function candidateIndices(real: number, distribution: OutputDistribution, rng: Rng): number[] {
  const picker = new GammaPicker(distribution, rng);
  if (picker.outputs < RING_SIZE)
    throw new WalletError({ kind: 'not_enough_ring_members', ringSize: RING_SIZE });
  const chosen = new Set([real]);
  if (picker.outputs <= REQUESTED) for (let i = 0; i < picker.outputs; i++) chosen.add(i);
  for (let misses = 0; chosen.size < REQUESTED && misses < MAX_MISSES;) {
    const index = picker.pick();
    if (index === undefined || chosen.has(index)) misses += 1;
    else chosen.add(index);
  }
  return [...chosen].sort((a, b) => a - b);
}

/** A candidate as the daemon described it. */
export interface Candidate {
  readonly globalIndex: number;
  readonly publicKey: PublicKey;
  readonly commitment: Commitment;
  readonly unlocked: boolean;
}

/** A ring, by ascending global index. */
export interface Ring {
  readonly members: readonly Candidate[];
  readonly realIndex: number;
}

/**
 * Makes a ring of the real output and the first fit candidates in random order.
 * @throws WalletError `daemon_misbehaves` when the real output is not what we hold, `not_enough_ring_members`
 */
export function assembleRing(real: OwnedOutput, candidates: readonly Candidate[], rng: Rng): Ring {
  const own = candidates.find(({ globalIndex }) => globalIndex === real.globalIndex);
  if (
    own === undefined ||
    !equalBytes(own.publicKey, real.publicKey) ||
    !equalBytes(own.commitment, commit(real.amount, real.mask))
  )
    throw new WalletError({
      kind: 'daemon_misbehaves',
      reason: 'an output of ours is missing from its answer, or changed',
    });
  const members = [own];
  for (const candidate of shuffled(candidates, rng)) {
    if (members.length === RING_SIZE) break;
    if (
      candidate !== own &&
      candidate.unlocked &&
      !members.some((member) => sameOutput(member, candidate)) &&
      isFit(candidate)
    )
      members.push(candidate);
  }
  if (members.length < RING_SIZE)
    throw new WalletError({ kind: 'not_enough_ring_members', ringSize: RING_SIZE });
  members.sort((a, b) => a.globalIndex - b.globalIndex);
  return { members, realIndex: members.indexOf(own) };
}

const sameOutput = (a: Candidate, b: Candidate): boolean =>
  a.globalIndex === b.globalIndex || equalBytes(a.publicKey, b.publicKey);

/** Key and commitment must be points without torsion, or the ring would give us away or be refused. */
function isFit({ publicKey, commitment }: Candidate): boolean {
  try {
    return [publicKey, commitment].map((bytes): Point => decompress(bytes)).every(inMainSubgroup);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
