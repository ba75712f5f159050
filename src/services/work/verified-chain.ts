import { DaemonError } from '../../daemon/errors.js';
import type { ChainBlock, Checkpoint, HeaderChain } from '../../monero/cryptonote/header-chain.js';
import type { BlockRef } from '../../monero/wallet/scan/findings.js';
import { equalBytes } from '../../util/bytes.js';
import { SharedRun } from '../../util/concurrency.js';
import { ChainFollower, type FollowerParts } from './chain-follower.js';
import { WorkUnavailable, type WorkClient } from './work-client.js';

/** Blocks of the best chain whose work was checked: all blocks between two heights, both inclusive. */
export interface VerifiedBlocks {
  readonly from: number;
  readonly to: BlockRef;
}

export interface VerifiedChainParts extends FollowerParts {
  /** Blocks that were verified before; they are not checked again if the daemon has them. */
  readonly verified?: VerifiedBlocks;
  /** Number of newest blocks whose work is checked after a long gap. */
  readonly depth: number;
  readonly worker: Pick<WorkClient, 'check'>;
  /** Called after further blocks were verified. */
  readonly onVerified?: () => void;
  /** Returns a random integer from 0 up to a limit, exclusive. */
  readonly random: (limit: number) => number;
}

/** A check of the newest blocks after a long gap. */
interface Gap {
  /** Height of the lowest block of the newest ones. */
  readonly from: number;
  /** Heights of older blocks that are checked too. */
  readonly samples: readonly number[];
}

/** Gap from which not each block is checked, in multiples of the depth: 720 blocks, a day, at the default depth. */
const LONG_GAP = 12;
/** Number of blocks below the newest ones that are checked after a long gap. */
const SAMPLES = 20;
/** Number of blocks that are checked before those are admitted that wait for them. */
const CHECKS_AT_ONCE = 8;
/** Number of verified blocks below which a branch is refused: three days. */
const KEPT_BLOCKS = 2160;

/**
 * The chain whose proof of work this process has checked, from a checkpoint on. Blocks of wallets wait in {@link admit}
 * until they are verified: the parent, the timestamp and the difficulty of each block, and its work; after a long gap the work
 * of the newest blocks and of a random sample of the other ones.
 */
export class VerifiedChain {
  readonly #parts: VerifiedChainParts;
  readonly #follower: ChainFollower;
  readonly #chain: HeaderChain;
  readonly #rounds = new SharedRun(() => this.#round());
  readonly #waiting = new Set<BlockRef>();
  #restored: VerifiedBlocks | undefined;
  #gap: Gap | undefined;
  #from: number;
  #to: number;
  #problem: string | undefined;

  /** @throws RangeError for a checkpoint whose parts do not fit its height. */
  constructor(parts: VerifiedChainParts) {
    this.#parts = parts;
    this.#follower = new ChainFollower(parts);
    this.#chain = this.#follower.chain;
    this.#from = parts.checkpoint.height + 1;
    this.#to = parts.checkpoint.height;
    this.#restored = parts.verified;
  }

  /** Height of the newest block up to which the chain is verified. */
  get height(): number {
    return this.#to;
  }

  /** Height of the newest block whose header was checked. */
  get knownHeight(): number {
    return this.#chain.tip.height;
  }

  /** Number of blocks that wait until they are verified. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Reason for which the last attempt to verify blocks has failed; undefined after a success. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Counts the verified blocks from a height up to the tip of a wallet's chain. */
  confirmations(height: number, tip: number): number {
    return Math.max(0, Math.min(tip, this.#to) - Math.max(height, this.#from) + 1);
  }

  /**
   * Resolves when a block of the serving daemon, and with it every block before it, is verified. Blocks far below the
   * checkpoint are not checked. @returns undefined if the block is verified already.
   * @throws DaemonError `forged` for a block without the work of its difficulty, and for a block that breaks another rule;
   * `unverified` if the work cannot be checked now, or for a chain with less work; the error of the daemon.
   */
  admit(block: BlockRef): Promise<void> | undefined {
    if (!this.isVerified(block)) return this.#wait(block);
    if (block.height === this.#to) this.#problem = undefined;
    return undefined;
  }

  /** Returns the checkpoint from which a later process goes on, and the blocks above it that it need not check again. */
  record(): { readonly checkpoint: Checkpoint; readonly verified: VerifiedBlocks } {
    const kept = Math.max(this.#chain.base, this.#to - KEPT_BLOCKS / 3);
    const { height, hash } = this.#chain.at(this.#to) ?? this.#chain.tip;
    return {
      checkpoint: this.#chain.checkpointAt(kept),
      verified: { from: this.#from, to: { height, hash } },
    };
  }

  /** True for a block up to which the chain is verified. */
  isVerified({ height, hash }: BlockRef): boolean {
    const known = this.#follower.hashAt(height);
    return known === 'any' || (height <= this.#to && known !== undefined && equalBytes(known, hash));
  }

  async #wait(block: BlockRef): Promise<void> {
    this.#waiting.add(block);
    try {
      do await this.#rounds.run();
      while (!this.isVerified(block));
      this.#problem = undefined;
    } catch (error) {
      if (error instanceof DaemonError) this.#problem = error.message;
      throw error;
    } finally {
      this.#waiting.delete(block);
    }
  }

  /** Fetches the blocks that are waited for, or checks some of them. @throws DaemonError if neither helps. */
  async #round(): Promise<void> {
    const waiting = [...this.#waiting].filter((block) => !this.isVerified(block));
    if (waiting.length === 0) return;
    await this.#fetchMissing(waiting);
    const blocks = this.#nextChecks();
    if (blocks.length > 0) await this.#check(blocks);
    else this.#endGap();
    if (this.#advance()) this.#parts.onVerified?.();
    else if (blocks.length === 0) this.#refuse(waiting);
  }

  /** Fetches the blocks that the chain lacks, up to the highest and down to the lowest of those that are waited for. */
  async #fetchMissing(waiting: readonly BlockRef[]): Promise<void> {
    const { base } = this.#chain;
    const heights = waiting.map(({ height }) => height);
    const isUnknown = ({ height, hash }: BlockRef): boolean =>
      height >= base && this.#chain.get(hash) === undefined;
    if (waiting.some(isUnknown)) {
      await this.#follower.follow(Math.max(...heights));
      this.#takeRestored();
      this.#noteGap();
    }
    await this.#follower.link(Math.min(...heights));
  }

  /** Rejects a round that could admit no block. @throws DaemonError unless all blocks are admitted. */
  #refuse(waiting: readonly BlockRef[]): void {
    const block = waiting.find((one) => !this.isVerified(one));
    if (block === undefined) return;
    const { height, hash } = block;
    if (this.#chain.get(hash) !== undefined)
      throw this.#follower.refused(
        this.#follower.unchecked(hash)?.address ?? this.#parts.serving().address,
        `block ${height} of the daemon is part of a chain with less proof of work than the chain before it`,
      );
    throw new DaemonError(
      'malformed',
      `block ${height} of the daemon was replaced by another one while it was verified: refresh again`,
    );
  }

  /** Takes the blocks as verified that an earlier process has verified, if the chain has them. */
  #takeRestored(): void {
    const { from, to } = this.#restored ?? {};
    if (from === undefined || to === undefined || this.#chain.tip.height < to.height) return;
    this.#restored = undefined;
    if (!this.#follower.isBest(to)) return;
    this.#from = from;
    for (let height = Math.max(from, this.#chain.base + 1); height <= to.height; height++)
      this.#chain.acceptWork((this.#chain.at(height) as ChainBlock).hash);
    this.#advance();
  }

  /** Plans a check of the newest blocks and of a sample if too many blocks are not verified. */
  #noteGap(): void {
    const { depth, random } = this.#parts;
    const { height } = this.#chain.tip;
    if (this.#gap !== undefined || height - this.#to <= LONG_GAP * depth) return;
    const from = height - depth + 1;
    const lowest = this.#to + 1;
    const samples = Array.from({ length: SAMPLES }, () => lowest + random(from - lowest));
    this.#gap = { from, samples: [...new Set(samples)].sort((a, b) => a - b) };
  }

  /** Ends the check of the newest blocks, all of which are verified. */
  #endGap(): void {
    if (this.#gap === undefined) return;
    this.#from = this.#gap.from;
    this.#gap = undefined;
  }

  /** Returns the blocks whose work is checked next: of a branch, of a sample, or the lowest ones. */
  #nextChecks(): readonly ChainBlock[] {
    // A branch must have more work than the best chain, whose older blocks need no check for it.
    const branches = this.#chain
      .undecided()
      .filter(({ hash }) => this.#follower.unchecked(hash) !== undefined);
    if (branches.length > 0) return branches.slice(0, CHECKS_AT_ONCE);
    const blocks: ChainBlock[] = [];
    const note = (height: number): void => {
      const block = this.#chain.at(height);
      if (block?.isVerified === false && blocks.length < CHECKS_AT_ONCE) blocks.push(block);
    };
    for (const height of this.#gap?.samples ?? []) note(height);
    const from = this.#gap?.from ?? this.#to + 1;
    for (let height = from; height <= this.#chain.tip.height && blocks.length < CHECKS_AT_ONCE; height++)
      note(height);
    return blocks;
  }

  /** Checks the work of blocks. @throws DaemonError `forged` for a block without its work, `unverified`. */
  async #check(blocks: readonly ChainBlock[]): Promise<void> {
    const results = await Promise.all(blocks.map((block) => this.#checked(block)));
    const failed = blocks.filter((_, i) => results[i] === false);
    blocks.forEach(({ hash }, i) => results[i] === true && this.#chain.acceptWork(hash));
    const [first] = failed;
    const { address = '' } = (first && this.#follower.unchecked(first.hash)) ?? {};
    for (const { hash } of failed) this.#chain.refuseWork(hash);
    if (first === undefined) return;
    // The blocks after it are gone, too.
    this.#gap = undefined;
    this.#advance();
    throw this.#follower.forged(
      address,
      `block ${first.height} of the daemon has not the proof of work of its difficulty ${first.difficulty}`,
    );
  }

  /** Checks the work of a block. @returns true if it has its difficulty. @throws DaemonError `unverified` */
  async #checked({ hash, height, difficulty }: ChainBlock): Promise<boolean> {
    const unchecked = this.#follower.unchecked(hash);
    if (unchecked === undefined)
      throw new DaemonError(
        'unverified',
        `the chain of the daemon branches off below block ${height}, which is older than the checked blocks`,
      );
    try {
      const input = { seed: this.#chain.seedOf(hash), input: unchecked.input, difficulty };
      return (await this.#parts.worker.check(input)).isMet;
    } catch (cause) {
      if (!(cause instanceof WorkUnavailable)) throw cause;
      throw new DaemonError(
        'unverified',
        `the proof of work of block ${height} cannot be checked: ${cause.message}`,
        { cause },
      );
    }
  }

  /** Moves the verified range to the blocks that are verified now. @returns true if it reaches further than before. */
  #advance(): boolean {
    const before = this.#to;
    if (this.#gap !== undefined) return false;
    let to = Math.max(this.#from, this.#chain.base + 1) - 1;
    while (this.#chain.at(to + 1)?.isVerified === true) to += 1;
    this.#to = to;
    if (to <= before) return false;
    this.#follower.forgetChecked(this.#from);
    const kept = this.#to - KEPT_BLOCKS;
    if (kept > this.#chain.base + KEPT_BLOCKS) this.#follower.raiseBase(kept);
    return true;
  }
}
