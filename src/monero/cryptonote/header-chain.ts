import type { Hash } from '../crypto/types.js';
import { toHex } from '../../util/bytes.js';
import { NEWEST_FORK } from './constants.js';
import {
  blockTarget,
  DIFFICULTY_BLOCKS,
  nextDifficulty,
  TIMESTAMP_WINDOW,
  type WorkPoint,
} from './difficulty.js';
import { checkHeader, HeaderError, type ChainHeader } from './header-rules.js';
import { seedHeight, seedHeightsAbove } from './proof-of-work.js';

/**
 * A block of a chain, and what the difficulty and the proof of work of later blocks depend on.
 * @example
 * const checkpoint: Checkpoint = {
 *   height: 0,
 *   hash: bytes32(fromHex('418015bb9ae982a1975da7d79277c2705727a56894ba0fb246adaabb1f4632e3'), 'Hash'),
 *   majorVersion: 1,
 *   window: [{ timestamp: 0, cumulativeDifficulty: 1n }],
 *   seeds: [bytes32(fromHex('418015bb9ae982a1975da7d79277c2705727a56894ba0fb246adaabb1f4632e3'), 'Hash')],
 * };
 * new HeaderChain(checkpoint).tip.height; // => 0
 */
export interface Checkpoint {
  readonly height: number;
  readonly hash: Hash;
  readonly majorVersion: number;
  /** The latest 735 blocks up to this one, oldest first; at a height below 734 all blocks from the genesis block on. */
  readonly window: readonly WorkPoint[];
  /** Hashes of the blocks whose heights `seedHeightsAbove` returns, in its order. */
  readonly seeds: readonly Hash[];
  /** Difficulty of every block above the genesis block, on a regtest network that fixes it. */
  readonly fixedDifficulty?: bigint;
}

/**
 * A block of a {@link HeaderChain}.
 * @example
 * const tip: ChainBlock = {
 *   ...{ height: 0, timestamp: 0, difficulty: 1n, cumulativeDifficulty: 1n, isVerified: true },
 *   ...{ hash: block.header.prevHash, majorVersion: 1 },
 * };
 * tip.isVerified; // => true
 */
export interface ChainBlock extends WorkPoint {
  readonly hash: Hash;
  readonly height: number;
  readonly majorVersion: number;
  /** Difficulty that the work of the block must have. */
  readonly difficulty: bigint;
  /** True for the checkpoint, and once {@link HeaderChain.acceptWork} was called. */
  readonly isVerified: boolean;
}

/** Block in the window below a checkpoint, of which the hash is not known. */
interface WindowEntry extends WorkPoint {
  readonly height: number;
  parent?: Entry | undefined;
}

interface BlockEntry extends ChainBlock {
  isVerified: boolean;
  parent: Entry | undefined;
}

type Entry = WindowEntry | BlockEntry;

/** Largest number of blocks outside of the best chain; beyond it, the branch that has been known longest is dropped. */
const MAX_SIDE_BLOCKS = 4096;
/** Largest number of remembered blocks whose work was refused. */
const MAX_REFUSED = 1024;

/**
 * Chain of blocks from a checkpoint on, with branches. Computes the difficulty of each block, and checks parents,
 * timestamps and versions; the work of blocks is checked elsewhere and reported by `acceptWork` and `refuseWork`. A branch
 * replaces the best chain only once its verified work since the fork exceeds all work of the best chain since then,
 * verified or not: a reorganisation to less work is refused.
 * @example
 * const chain = new HeaderChain({
 *   height: 91,
 *   hash: block.header.prevHash,
 *   majorVersion: 16,
 *   window: Array.from({ length: 92 }, (_, i) => ({ timestamp: i, cumulativeDifficulty: BigInt(i + 1) })),
 *   seeds: [block.header.prevHash],
 * });
 * chain.add(chainHeader(block), 1_795_630_600).height; // => 92
 * chain.tip.difficulty; // => 120n
 */
export class HeaderChain {
  readonly #entries = new Map<string, BlockEntry>();
  /** The best chain, from the block at `#base` on. */
  #best: [BlockEntry, ...BlockEntry[]];
  #base: number;
  /** Hashes of seed blocks up to `#base`, by height. */
  readonly #seeds: Map<number, Hash>;
  readonly #fixedDifficulty: bigint | undefined;
  readonly #newestFork: number;
  /** Names of blocks whose work was refused, oldest first. */
  readonly #refused = new Set<string>();

  /**
   * @param newestFork newest version of blocks whose rules are known.
   * @throws RangeError for a checkpoint whose window or seeds do not fit its height.
   */
  constructor(
    { height, hash, majorVersion, window, seeds, fixedDifficulty }: Checkpoint,
    newestFork = NEWEST_FORK,
  ) {
    const seedHeights = seedHeightsAbove(height);
    const last = window.at(-1);
    if (last === undefined || window.length !== Math.min(height + 1, DIFFICULTY_BLOCKS))
      throw new RangeError('the window of the checkpoint does not fit its height');
    if (seeds.length !== seedHeights.length)
      throw new RangeError('the seeds of the checkpoint do not fit its height');
    const oldest = height + 1 - window.length;
    const parent = window
      .slice(0, -1)
      .reduce<WindowEntry | undefined>(
        (below, point, i) => ({ ...point, height: oldest + i, parent: below }),
        undefined,
      );
    const difficulty = last.cumulativeDifficulty - (parent?.cumulativeDifficulty ?? 0n);
    const root: BlockEntry = { ...last, hash, height, majorVersion, difficulty, isVerified: true, parent };
    this.#entries.set(toHex(hash), root);
    this.#best = [root];
    this.#base = height;
    this.#seeds = new Map(seedHeights.map((at, i) => [at, seeds[i] as Hash]));
    this.#fixedDifficulty = fixedDifficulty;
    this.#newestFork = newestFork;
  }

  /** Newest block of the best chain. */
  get tip(): ChainBlock {
    return this.#best.at(-1) ?? this.#best[0];
  }

  /** Height of the oldest block that the chain knows. */
  get base(): number {
    return this.#base;
  }

  /** Number of known blocks, of all branches. */
  get size(): number {
    return this.#entries.size;
  }

  /** Returns a known block, of the best chain or of a branch. */
  get(hash: Hash): ChainBlock | undefined {
    return this.#entries.get(toHex(hash));
  }

  /** Returns the block of the best chain at a height; undefined below the base and above the tip. */
  at(height: number): ChainBlock | undefined {
    return this.#best[height - this.#base];
  }

  /**
   * Returns the difficulty that a block after a known block must have; zero if it would exceed 128 bits.
   * @param majorVersion version of the block.
   * @throws HeaderError `unknown_parent`.
   */
  difficultyAfter(parent: Hash, majorVersion = this.tip.majorVersion): bigint {
    const entry = this.#entries.get(toHex(parent));
    if (entry === undefined) throw new HeaderError('unknown_parent');
    return this.#difficultyAfter(entry, majorVersion);
  }

  /**
   * Adds a block, whose parent must be known. A block that extends the best chain becomes its tip.
   * @param now time of the clock [Unix s].
   * @throws HeaderError
   */
  add(header: ChainHeader, now: number): ChainBlock {
    const { hash, prevHash, majorVersion, timestamp } = header;
    const name = toHex(hash);
    const known = this.#entries.get(name);
    if (known !== undefined) return known;
    if (this.#refused.has(name)) throw new HeaderError('refused_work');
    const parent = this.#entries.get(toHex(prevHash));
    if (parent === undefined) throw new HeaderError('unknown_parent');
    const latest = latestOf(parent, TIMESTAMP_WINDOW).map((entry) => entry.timestamp);
    checkHeader(header, parent.majorVersion, latest, now, this.#newestFork);
    const difficulty = this.#difficultyAfter(parent, majorVersion);
    if (difficulty === 0n) throw new HeaderError('difficulty_overflow');
    const entry: BlockEntry = {
      ...{ hash, majorVersion, timestamp, difficulty, parent, isVerified: false },
      height: parent.height + 1,
      cumulativeDifficulty: parent.cumulativeDifficulty + difficulty,
    };
    this.#entries.set(name, entry);
    if (parent === this.tip) this.#best.push(entry);
    else this.#limitBranches();
    return entry;
  }

  /**
   * Returns the hash of the seed block of a known block above the base.
   * @throws HeaderError `unknown_parent` for any other block.
   */
  seedOf(hash: Hash): Hash {
    let entry: Entry | undefined = this.#entries.get(toHex(hash));
    if (entry === undefined) throw new HeaderError('unknown_parent');
    const height = seedHeight(entry.height);
    const seed = this.#seeds.get(height);
    if (seed !== undefined && height <= this.#base) return seed;
    while (entry !== undefined && entry.height > height) entry = entry.parent;
    if (entry === undefined || !('hash' in entry)) throw new HeaderError('unknown_parent');
    return entry.hash;
  }

  /** Reports that the work of a block has its difficulty; the branch of this block may become the best chain. */
  acceptWork(hash: Hash): void {
    const entry = this.#entries.get(toHex(hash));
    if (entry === undefined || entry.isVerified) return;
    entry.isVerified = true;
    if (!this.#isBest(entry)) this.#chooseBest();
  }

  /**
   * Reports that the work of a block has not its difficulty: the block and all blocks that follow it are removed, and are
   * not added again.
   */
  refuseWork(hash: Hash): void {
    const entry = this.#entries.get(toHex(hash));
    if (entry === undefined || entry.height === this.#base) return;
    const removed = new Set<Entry>([entry]);
    const wasBest = this.#isBest(entry);
    // A block was added after its parent.
    for (const [name, other] of this.#entries) {
      if (!removed.has(other) && (other.parent === undefined || !removed.has(other.parent))) continue;
      removed.add(other);
      this.#entries.delete(name);
      this.#remember(name);
    }
    if (!wasBest) return;
    this.#best.length = entry.height - this.#base;
    this.#chooseBest();
  }

  /**
   * Counts the verified blocks of the best chain from a height on: a block at this height without any work costs the work
   * of so many blocks.
   * @param most number at which the count ends.
   */
  verifiedConfirmations(height: number, most = Infinity): number {
    let count = 0;
    for (let i = this.#best.length - 1; i >= Math.max(0, height - this.#base) && count < most; i--)
      if (this.#best[i]?.isVerified === true) count += 1;
    return count;
  }

  /**
   * Returns the blocks on which it depends whether a branch replaces the best chain: all blocks since the fork, of both,
   * whose work was not reported, lowest first. Empty unless a branch has more work, or more verified work.
   */
  undecided(): readonly ChainBlock[] {
    const blocks = new Set<BlockEntry>();
    for (const { own, other } of this.#challenges()) {
      if (workOf(own) <= workOf(other) && verifiedWorkOf(own) <= verifiedWorkOf(other)) continue;
      for (const entry of [...own, ...other]) if (!entry.isVerified) blocks.add(entry);
    }
    return [...blocks].sort((a, b) => a.height - b.height);
  }

  /**
   * Returns the checkpoint at a height of the best chain.
   * @throws RangeError for a height below the base or above the tip.
   */
  checkpointAt(height: number): Checkpoint {
    const entry = this.#best[height - this.#base];
    if (entry === undefined) throw new RangeError(`the chain has no block at height ${height}`);
    const window = latestOf(entry, DIFFICULTY_BLOCKS).map(({ timestamp, cumulativeDifficulty }) => ({
      timestamp,
      cumulativeDifficulty,
    }));
    return {
      ...{ height, hash: entry.hash, majorVersion: entry.majorVersion, window },
      seeds: seedHeightsAbove(height).map((at) => this.#hashAt(at)),
      ...(this.#fixedDifficulty === undefined ? {} : { fixedDifficulty: this.#fixedDifficulty }),
    };
  }

  /**
   * Makes the block of the best chain at a height the base: lower blocks are forgotten, with all branches that do not
   * contain this block. @throws RangeError for a height below the base or above the tip.
   */
  forgetBelow(height: number): void {
    const { hash, seeds } = this.checkpointAt(height);
    const root = this.#entries.get(toHex(hash)) as BlockEntry;
    const kept = new Set<Entry>([root]);
    for (const [name, entry] of this.#entries)
      if (kept.has(entry) || (entry.parent !== undefined && kept.has(entry.parent))) kept.add(entry);
      else this.#entries.delete(name);
    const [oldest] = latestOf(root, DIFFICULTY_BLOCKS);
    if (oldest !== undefined) oldest.parent = undefined;
    this.#seeds.clear();
    seedHeightsAbove(height).forEach((at, i) => this.#seeds.set(at, seeds[i] as Hash));
    this.#best.splice(0, height - this.#base);
    this.#base = height;
  }

  #difficultyAfter(parent: BlockEntry, majorVersion: number): bigint {
    if (this.#fixedDifficulty !== undefined) return this.#fixedDifficulty;
    const latest = latestOf(parent, DIFFICULTY_BLOCKS);
    if (latest[0]?.height === 0) latest.shift();
    return nextDifficulty(latest, blockTarget(majorVersion));
  }

  #hashAt(height: number): Hash {
    const hash = height >= this.#base ? this.#best[height - this.#base]?.hash : this.#seeds.get(height);
    if (hash === undefined) throw new RangeError(`the chain has no block at height ${height}`);
    return hash;
  }

  #isBest(entry: Entry): boolean {
    return this.#best[entry.height - this.#base] === entry;
  }

  /** Returns each branch that is not part of the best chain: its blocks since the fork, and those of the best chain. */
  *#challenges(): Generator<{ readonly own: readonly BlockEntry[]; readonly other: readonly BlockEntry[] }> {
    if (this.#entries.size === this.#best.length) return;
    const parents = new Set([...this.#entries.values()].map(({ parent }) => parent));
    for (const leaf of this.#entries.values()) {
      if (parents.has(leaf) || this.#isBest(leaf)) continue;
      const own: BlockEntry[] = [];
      let entry: Entry | undefined = leaf;
      for (; entry !== undefined && 'hash' in entry && !this.#isBest(entry); entry = entry.parent)
        own.unshift(entry);
      if (entry !== undefined) yield { own, other: this.#best.slice(entry.height + 1 - this.#base) };
    }
  }

  /** Moves the best chain to the branch with the most verified work, as long as a branch may replace it. */
  #chooseBest(): void {
    for (;;) {
      let best: readonly BlockEntry[] = [];
      let most = -1n;
      for (const { own, other } of this.#challenges()) {
        const verified = verifiedWorkOf(own);
        if (other.length > 0 && verified <= workOf(other)) continue;
        // Compares branches of different forks by their verified work above the base.
        const total = verified + verifiedWorkOf(this.#best) - verifiedWorkOf(other);
        if (total > most) [best, most] = [own, total];
      }
      const [first] = best;
      if (first === undefined) return;
      this.#best.length = first.height - this.#base;
      this.#best.push(...best);
    }
  }

  #remember(name: string): void {
    this.#refused.add(name);
    const [oldest] = this.#refused;
    if (this.#refused.size > MAX_REFUSED && oldest !== undefined) this.#refused.delete(oldest);
  }

  /** Drops the oldest branch if there are too many blocks outside of the best chain. */
  #limitBranches(): void {
    if (this.#entries.size - this.#best.length <= MAX_SIDE_BLOCKS) return;
    const dropped = new Set<Entry>();
    for (const [name, entry] of this.#entries) {
      const isFirst = dropped.size === 0 && !this.#isBest(entry);
      if (!isFirst && (entry.parent === undefined || !dropped.has(entry.parent))) continue;
      dropped.add(entry);
      this.#entries.delete(name);
    }
  }
}

/** Returns a block and the blocks before it, oldest first. @param count largest number of blocks. */
function latestOf(entry: Entry, count: number): Entry[] {
  const latest: Entry[] = [];
  for (let at: Entry | undefined = entry; at !== undefined && latest.length < count; at = at.parent)
    latest.push(at);
  return latest.reverse();
}

const workOf = (entries: readonly BlockEntry[]): bigint =>
  entries.reduce((total, { difficulty }) => total + difficulty, 0n);

const verifiedWorkOf = (entries: readonly BlockEntry[]): bigint =>
  workOf(entries.filter(({ isVerified }) => isVerified));
