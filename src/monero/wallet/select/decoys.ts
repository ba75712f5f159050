import type { Curve } from '../../crypto/curve/curve.js';
import { loadCurve } from '../../crypto/curve/load-curve.js';
import type { Commitment, PublicKey } from '../../crypto/types.js';
import {
  COINBASE_UNLOCK_BLOCKS,
  DIFFICULTY_TARGET_SECONDS,
  RING_SIZE,
  SPENDABLE_AGE_BLOCKS,
} from '../../cryptonote/constants.js';
import { commitEach } from '../../ringct/commitment.js';
import { equalBytes, toHex } from '../../../util/bytes.js';
import { inBlocks, shuffled, uniformInt, type Rng, uniformDouble } from '../../../util/random.js';
import { ProtocolError } from '../protocol-error.js';
import type { OwnedOutput } from '../scan/findings.js';

/*
 * Ages of decoys: the logarithm of seconds follows a gamma distribution fitted to real spends
 * (Miller et al., arXiv 1704.04299). Source: wallet2.cpp `gamma_picker`, `get_outs`.
 */
const GAMMA_SHAPE = 19.28;
const GAMMA_SCALE = 1 / 1.61;
const UNLOCK_SECONDS = SPENDABLE_AGE_BLOCKS * DIFFICULTY_TARGET_SECONDS;
/**
 * Duration of the window after the spendable age in which an age is drawn uniformly [s], in place of a drawn age below
 * the spendable age.
 */
const RECENT_SPEND_SECONDS = 15 * DIFFICULTY_TARGET_SECONDS;
/** Number of newest blocks from which the average time between two outputs is determined. */
export const BLOCKS_A_YEAR = (86_400 * 365) / DIFFICULTY_TARGET_SECONDS;

/** Facts of a {@link DecoyError}. `wrong_outputs`: the answers of the node contradict each other or the wallet. */
export type DecoyFault =
  | { readonly kind: 'wrong_outputs'; readonly reason: string }
  | { readonly kind: 'not_enough_ring_members'; readonly ringSize: number };

/** Error of outputs from which no ring can be chosen. */
export class DecoyError extends ProtocolError<DecoyFault> {
  override readonly name = 'DecoyError';
}

const wrongOutputs = (reason: string): DecoyError => new DecoyError({ kind: 'wrong_outputs', reason });

const tooFew = (): DecoyError => new DecoyError({ kind: 'not_enough_ring_members', ringSize: RING_SIZE });

/** Cumulative number of RingCT outputs per block, from the first block with RingCT outputs up to the tip. */
export interface OutputDistribution {
  readonly cumulative: readonly number[];
}

/** Picks global output indices by age. One picker serves all inputs of a payment. */
export class GammaPicker {
  readonly #cumulative: readonly number[];
  readonly #averageSeconds: number;
  readonly #rng: Rng;
  /** Number of blocks whose outputs may be spent in the next block. */
  readonly #blocks: number;
  /** Number of outputs in these blocks; all picked indices are below this number. */
  readonly outputs: number;
  /** Number of outputs in all blocks. */
  readonly total: number;

  /**
   * @throws DecoyError `wrong_outputs` if the counts decrease, `not_enough_ring_members` if the chain is too
   * short.
   */
  constructor({ cumulative }: OutputDistribution, rng: Rng) {
    let previous = 0;
    for (const count of cumulative) {
      if (!Number.isSafeInteger(count) || count < previous)
        throw wrongOutputs('its cumulative output counts decrease');
      previous = count;
    }
    this.#rng = inBlocks(rng);
    this.#cumulative = cumulative;
    this.#blocks = Math.max(0, cumulative.length - (SPENDABLE_AGE_BLOCKS - 1));
    this.outputs = cumulative[this.#blocks - 1] ?? 0;
    this.total = previous;
    const blocks = Math.min(cumulative.length, BLOCKS_A_YEAR);
    const considered = previous - (cumulative[cumulative.length - blocks - 1] ?? 0);
    if (this.outputs === 0 || considered === 0) throw tooFew();
    this.#averageSeconds = (DIFFICULTY_TARGET_SECONDS * blocks) / considered;
  }

  /**
   * Picks an index by gamma-distributed age; undefined if the age lies outside the chain or its block has no outputs.
   */
  pick(): number | undefined {
    const age = Math.exp(gammaDeviate(GAMMA_SHAPE, GAMMA_SCALE, this.#rng));
    const seconds = age > UNLOCK_SECONDS ? age - UNLOCK_SECONDS : uniformInt(RECENT_SPEND_SECONDS, this.#rng);
    const back = Math.floor(seconds / this.#averageSeconds);
    if (back >= this.outputs) return undefined;
    const block = this.#blockOf(this.outputs - 1 - back);
    const first = block === 0 ? 0 : (this.#cumulative[block - 1] ?? 0);
    const count = (this.#cumulative[block] ?? 0) - first;
    return count === 0 ? undefined : first + uniformInt(count, this.#rng);
  }

  /** Picks an index uniformly among all outputs of spendable age. */
  pickAny(): number {
    return uniformInt(this.outputs, this.#rng);
  }

  /** Returns the indices of all outputs of spendable age, in random order. */
  all(): number[] {
    const indices = Array.from({ length: this.outputs }, (_, index) => index);
    return shuffled(indices, this.#rng);
  }

  /** Returns the first block whose cumulative count reaches an index, as `lower_bound` of the reference. */
  #blockOf(index: number): number {
    let low = 0;
    let high = this.#blocks - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#cumulative[middle] ?? 0) < index) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Number of candidates per input: 1.5 rings, and an allowance for outputs of miner transactions that are still locked.
 */
const REQUESTED = Math.floor(RING_SIZE * 1.5) + 1 + (COINBASE_UNLOCK_BLOCKS - SPENDABLE_AGE_BLOCKS);

/**
 * Number of picks by age after which indices are picked uniformly. It is reached on a chain whose outputs are mostly
 * older than the picked ages.
 */
const MAX_PICKS = 20_000;

/** Output indices that are requested from the daemon for one input. */
export interface RingCandidates {
  /**
   * Indices in ascending order, including the index of the real output, so that their order reveals nothing to the
   * daemon.
   */
  readonly indices: readonly number[];
  /**
   * The indices of `indices` in the order in which they were picked. Secret, because the real output's index is first.
   */
  readonly picked: readonly number[];
}

/**
 * Picks the global indices to request for one input. Rings prefer the candidates that were picked first: a candidate
 * depends on the candidates picked before it.
 * @throws DecoyError `wrong_outputs`, `not_enough_ring_members`
 */
export function candidateIndices(real: number, picker: GammaPicker): RingCandidates {
  if (real >= picker.total) throw wrongOutputs('its output distribution has fewer outputs than the chain');
  if (picker.outputs < RING_SIZE) throw tooFew();
  const chosen = new Set([real]);
  if (picker.outputs <= REQUESTED) for (const index of picker.all()) chosen.add(index);
  else
    for (let picks = 0; chosen.size < REQUESTED; picks++) {
      const index = picks < MAX_PICKS ? picker.pick() : picker.pickAny();
      if (index !== undefined) chosen.add(index);
    }
  const picked = [...chosen];
  return { indices: [...picked].sort((a, b) => a - b), picked };
}

/** An output as the daemon reported it. */
export interface FetchedOutput {
  readonly publicKey: PublicKey;
  readonly commitment: Commitment;
  readonly unlocked: boolean;
}

/** A candidate for a ring, with its global index. */
export interface Candidate extends FetchedOutput {
  readonly globalIndex: number;
}

/** A ring; its members have ascending global indices. */
export interface Ring {
  readonly members: readonly Candidate[];
  readonly realIndex: number;
}

/** Fields of the spent output that its ring needs. */
export type RealMember = Pick<OwnedOutput, 'globalIndex' | 'publicKey' | 'amount' | 'mask'>;

/** Data from which {@link assembleRing} makes a ring. */
export interface RingParts {
  readonly real: RealMember;
  readonly candidates: RingCandidates;
  /** Outputs that the daemon reported, one per index of the candidates. */
  readonly fetched: readonly FetchedOutput[];
}

/**
 * Makes a ring of the real output and of candidates. In the order in which they were picked, it takes the first
 * candidates that are unlocked and whose keys the ring does not contain yet. Decoys may still be unusable: see {@link
 * unusableDecoys}.
 * @param commitment commitment of the real output as the wallet knows it.
 * @throws DecoyError `wrong_outputs` if the daemon reports the real output differently than the wallet's record: a
 * daemon that alters every output could otherwise identify the real output in the ring. `not_enough_ring_members`
 */
function assembleRing({ real, candidates, fetched }: RingParts, commitment: Commitment): Ring {
  if (fetched.length !== candidates.indices.length) throw wrongOutputs('it sent a wrong number of outputs');
  const byIndex = new Map(candidates.indices.map((globalIndex, i) => [globalIndex, fetched[i]]));
  const own = byIndex.get(real.globalIndex);
  if (
    own === undefined ||
    !equalBytes(own.publicKey, real.publicKey) ||
    !equalBytes(own.commitment, commitment) ||
    !own.unlocked
  )
    throw wrongOutputs('an output of this wallet is missing from its answer, altered or locked');
  const members: Candidate[] = [];
  const keys = new Set<string>();
  const consider = (globalIndex: number, output: FetchedOutput): void => {
    const key = toHex(output.publicKey);
    if (!output.unlocked || keys.has(key)) return;
    keys.add(key);
    members.push({ ...output, globalIndex });
  };
  consider(real.globalIndex, own);
  for (const index of candidates.picked) {
    if (members.length === RING_SIZE) break;
    const output = byIndex.get(index);
    if (output !== undefined) consider(index, output);
  }
  if (members.length < RING_SIZE) throw tooFew();
  members.sort((a, b) => a.globalIndex - b.globalIndex);
  return { members, realIndex: members.findIndex(({ globalIndex }) => globalIndex === real.globalIndex) };
}

/** Makes a ring for each input, as {@link assembleRing}. */
export function assembleRings(all: readonly RingParts[], curve: Curve = loadCurve()): Ring[] {
  const commitments = commitEach(
    all.map(({ real }) => real.amount),
    all.map(({ real }) => real.mask),
    curve,
  );
  return commitments.map((commitment, i) => {
    const parts = all[i];
    if (parts === undefined) throw new Error('a commitment without an input');
    return assembleRing(parts, commitment);
  });
}

/** Returns the decoys of rings: all members except the real outputs. */
export const decoysOf = (rings: readonly Ring[]): Candidate[] =>
  rings.flatMap(({ members, realIndex }) => members.filter((_, i) => i !== realIndex));

/**
 * Returns the unlocked candidates that are in no ring, each once. {@link withoutDecoys} replaces decoys by these
 * candidates.
 */
export function sparesOf({ rings, candidates }: ChosenRings): Candidate[] {
  const inRings = new Set(rings.flatMap(({ members }) => members.map(({ globalIndex }) => globalIndex)));
  const spares = new Map<number, Candidate>();
  for (const { candidates: own, fetched } of candidates)
    own.indices.forEach((globalIndex, i) => {
      const output = fetched[i];
      if (output?.unlocked === true && !inRings.has(globalIndex))
        spares.set(globalIndex, { ...output, globalIndex });
    });
  return [...spares.values()];
}

/**
 * Returns the global indices of decoys whose key or commitment does not lie in the main subgroup. A ring with such a
 * decoy reveals its real member, or is refused by nodes. Slow for many decoys: run it on a worker thread.
 */
export function unusableDecoys(decoys: readonly Candidate[], curve: Curve = loadCurve()): number[] {
  const keys = curve.eachInMainSubgroup(decoys.map(({ publicKey }) => publicKey));
  const commitments = curve.eachInMainSubgroup(decoys.map(({ commitment }) => commitment));
  return decoys
    .filter((_, i) => keys[i] !== true || commitments[i] !== true)
    .map(({ globalIndex }) => globalIndex);
}

/** Number of outputs below which a chain is too young for the plausibility check. */
const YOUNG_CHAIN = 10_000;

/**
 * Returns true if the rings of a payment are as varied and recent as nodes require before they relay it.
 * @param available number of outputs that are old enough to be spent. Source: tx_sanity_check.cpp `tx_sanity_check`.
 */
export function areRingsPlausible(rings: readonly Ring[], available: number): boolean {
  const indices = rings.flatMap(({ members }) => members.map(({ globalIndex }) => globalIndex));
  if (indices.length <= 10 || available < YOUNG_CHAIN) return true;
  const unique = [...new Set(indices)].sort((a, b) => a - b);
  if (unique.length < Math.floor((indices.length * 8) / 10)) return false;
  const middle = unique.length >>> 1;
  const upper = unique[middle] ?? 0;
  const median = unique.length % 2 === 1 ? upper : Math.floor(((unique[middle - 1] ?? 0) + upper) / 2);
  return median >= Math.floor((available * 6) / 10);
}

/** Number of attempts to pick plausible rings. */
const ATTEMPTS = 3;

/** Rings of the inputs of one transaction, and their other candidates. */
export interface ChosenRings {
  readonly rings: readonly Ring[];
  /** Candidates of each ring. Secret. */
  readonly candidates: readonly RingParts[];
}

/**
 * Chooses rings for all inputs of one transaction. Calls `fetch` once per attempt. Decoys may still be unusable.
 * @param fetch returns the daemon's outputs at the given indices, in their order.
 * @throws DecoyError `wrong_outputs`, `not_enough_ring_members`, and the errors of `fetch`.
 */
export async function chooseRings(
  inputs: readonly OwnedOutput[],
  picker: GammaPicker,
  fetch: (indices: readonly number[]) => Promise<readonly FetchedOutput[]>,
  curve: Curve = loadCurve(),
): Promise<ChosenRings> {
  for (let attempt = 1; ; attempt++) {
    const requested = inputs.map(({ globalIndex }) => candidateIndices(globalIndex, picker));
    const fetched = await fetch(requested.flatMap(({ indices }) => indices));
    let at = 0;
    const candidates = inputs.map(({ globalIndex, publicKey, amount, mask }, i): RingParts => {
      const own = requested[i] ?? { indices: [], picked: [] };
      return {
        real: { globalIndex, publicKey, amount, mask },
        candidates: own,
        fetched: fetched.slice(at, (at += own.indices.length)),
      };
    });
    const rings = assembleRings(candidates, curve);
    if (areRingsPlausible(rings, picker.outputs)) return { rings, candidates };
    if (attempt === ATTEMPTS) throw wrongOutputs('its outputs allow no plausible rings');
  }
}

/**
 * Replaces unusable decoys by the next candidates that were already fetched. No other candidates are requested: a
 * daemon could recognise the real output, because both requests would contain it.
 * @throws DecoyError `not_enough_ring_members`
 */
export function withoutDecoys(
  { candidates }: ChosenRings,
  unusable: readonly number[],
  curve: Curve = loadCurve(),
): ChosenRings {
  const refused = new Set(unusable);
  const left = candidates.map(({ candidates: { indices, picked }, ...parts }): RingParts => ({
    ...parts,
    candidates: { indices, picked: picked.filter((index) => !refused.has(index)) },
  }));
  return { rings: assembleRings(left, curve), candidates: left };
}

/** Returns a normally distributed random number with mean 0 and variance 1 (Marsaglia's polar method). */
function normal(rng: Rng): number {
  for (;;) {
    const u = 2 * uniformDouble(rng) - 1;
    const v = 2 * uniformDouble(rng) - 1;
    const s = u * u + v * v;
    if (s > 0 && s < 1) return u * Math.sqrt((-2 * Math.log(s)) / s);
  }
}

/**
 * Returns a gamma-distributed random number with mean shape · scale (Marsaglia and Tsang 2000).
 * @param shape at least 1.
 */
export function gammaDeviate(shape: number, scale: number, rng: Rng): number {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(rng);
    const v = (1 + c * x) ** 3;
    if (v <= 0) continue;
    const u = uniformDouble(rng);
    if (Math.log(u) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v * scale;
  }
}
