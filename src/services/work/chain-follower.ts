import { DaemonError, NewerBlock } from '../../daemon/errors.js';
import { NEWEST_FORK } from '../../monero/cryptonote/constants.js';
import { blockTarget } from '../../monero/cryptonote/difficulty.js';
import { HeaderChain, type ChainBlock, type Checkpoint } from '../../monero/cryptonote/header-chain.js';
import { HeaderError } from '../../monero/cryptonote/header-rules.js';
import { WorkError, workInput } from '../../monero/cryptonote/proof-of-work.js';
import type { Hash } from '../../monero/crypto/types.js';
import type { BlockRef } from '../../monero/wallet/scan/findings.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { unixSeconds, type TimeOfDay } from '../../util/clock.js';
import { fetchBlock, fetchBlocks, type BlockSource, type FetchedBlock } from './fetched-blocks.js';

/** The daemon that serves, and its address as configured. */
interface ServingDaemon {
  readonly address: string;
  readonly client: BlockSource;
}

export interface FollowerParts {
  readonly checkpoint: Checkpoint;
  /** Newest version of blocks whose rules are known; absent: {@link NEWEST_FORK}. */
  readonly newestFork?: number;
  /** Returns the daemon that serves. @throws DaemonError `unreachable` when offline. */
  readonly serving: () => ServingDaemon;
  /** Called for a daemon that has sent a block which breaks a rule of the network. */
  readonly onForged: (address: string, reason: string) => void;
  /** Called for a daemon whose chain is not that with the most work. */
  readonly onRefused: (address: string, reason: string) => void;
  readonly clock: TimeOfDay;
}

/** Bytes of a block that are hashed, and the daemon that sent the block. */
interface UncheckedBlock {
  readonly hash: Hash;
  readonly input: Uint8Array;
  readonly address: string;
}

/** Number of blocks that are fetched and added together. */
const BLOCKS_AT_ONCE = 48;
/** Number of blocks below the oldest known header that are fetched for wallets that are behind: 138 days. */
const MAX_LINKED = 100_000;
/** Number of blocks that a chain may have above those of twice the usual rate. */
const SURPLUS = 10_000;

/** Follows the chain of the serving daemon from a checkpoint on: fetches its blocks, and checks all rules but the work. */
export class ChainFollower {
  readonly chain: HeaderChain;
  readonly #parts: FollowerParts;
  readonly #newestFork: number;
  readonly #unchecked = new Map<string, UncheckedBlock>();
  /** Hashes of blocks below the oldest known header, downwards. */
  #below: Hash[] = [];

  /** @throws RangeError for a checkpoint whose parts do not fit its height. */
  constructor(parts: FollowerParts) {
    this.#parts = parts;
    this.#newestFork = parts.newestFork ?? NEWEST_FORK;
    this.chain = new HeaderChain(parts.checkpoint, this.#newestFork);
  }

  /**
   * Returns the hash of the best chain at a height; undefined if it is not known yet. @returns `any` for a block so far below
   * the oldest known header that it is not checked.
   */
  hashAt(height: number): Hash | 'any' | undefined {
    const depth = this.chain.base - height;
    if (depth > MAX_LINKED) return 'any';
    return depth > 0 ? this.#below[depth - 1] : this.chain.at(height)?.hash;
  }

  /** Returns the bytes of a block whose work is not checked yet; undefined if it is not to be checked. */
  unchecked(hash: Hash): UncheckedBlock | undefined {
    return this.#unchecked.get(toHex(hash));
  }

  /**
   * Adds the blocks of the serving daemon up to its tip. @param least height up to which the daemon has named blocks.
   * @throws DaemonError
   */
  async follow(least: number): Promise<void> {
    const { address, client } = this.#parts.serving();
    const { height } = await client.getInfo();
    const last = Math.max(least, Math.min(height - 1, this.#mostBlocks()));
    const top = Math.min(this.chain.tip.height, last);
    let hasFork = top === last;
    if (hasFork) await this.#addBranch(client, top, address);
    for (let first = top + 1; first <= last;) {
      const blocks = await this.#blocksFrom(client, first, { last, least, address });
      const [lowest] = blocks;
      if (lowest === undefined) break;
      if (!hasFork && this.chain.get(lowest.prevHash) === undefined)
        await this.#addBranch(client, top, address);
      hasFork = true;
      for (const block of blocks) this.#add(block, address);
      first += blocks.length;
    }
  }

  /** Fetches some blocks from a height on; none if the daemon has none, although it has named a greater height. */
  async #blocksFrom(
    client: BlockSource,
    first: number,
    { last, least, address }: { readonly last: number; readonly least: number; readonly address: string },
  ): Promise<readonly FetchedBlock[]> {
    // Of the blocks above `least`, the daemon has named a number only.
    const end = Math.min(first > least ? last : least, first + BLOCKS_AT_ONCE - 1);
    try {
      return await this.#fetched(address, fetchBlocks(client, first, end));
    } catch (error) {
      if (first > least && error instanceof DaemonError && error.kind === 'rejected') return [];
      throw error;
    }
  }

  /**
   * Adds the blocks of a branch of the daemon that the chain lacks, from the fork up to a height.
   * @throws DaemonError `unverified` if there is no fork.
   */
  async #addBranch(client: BlockSource, top: number, address: string): Promise<void> {
    const branch: FetchedBlock[] = [];
    for (let height = top; height >= this.chain.base; height--) {
      const block = await this.#fetched(address, fetchBlock(client, height));
      if (this.chain.get(block.hash) !== undefined) {
        for (const one of branch.reverse()) this.#add(one, address);
        return;
      }
      branch.push(block);
    }
    throw this.#lacksBase(address);
  }

  /** Awaits blocks of a daemon, and reports the daemon if they contradict themselves. */
  async #fetched<T>(address: string, blocks: Promise<T>): Promise<T> {
    try {
      return await blocks;
    } catch (error) {
      if (error instanceof DaemonError && error.kind === 'forged')
        this.#parts.onForged(address, error.message);
      throw error;
    }
  }

  /** Adds a block to the chain. @throws DaemonError for a block that breaks a rule. */
  #add(fetched: FetchedBlock, address: string): void {
    const { block, hash, majorVersion } = fetched;
    if (this.chain.get(hash) !== undefined) return;
    try {
      const input = workInput(block, this.#newestFork);
      this.chain.add(fetched, unixSeconds(this.#parts.clock));
      this.#unchecked.set(toHex(hash), { hash, input, address });
    } catch (error) {
      const [input] = block.minerTx.prefix.inputs;
      const height = input?.type === 'gen' ? input.height : 0;
      if (error instanceof WorkError) throw new DaemonError('unverified', error.message, { cause: error });
      if (!(error instanceof HeaderError)) throw error;
      if (error.reason === 'newer_fork')
        throw new NewerBlock({ height, version: majorVersion }, this.#newestFork);
      const text = `block ${height} of the daemon is refused: ${error.message}`;
      // The clock of this machine may be wrong, and a reorganisation may happen between two requests.
      if (error.reason === 'too_late' || error.reason === 'unknown_parent')
        throw new DaemonError('unverified', text, { cause: error });
      throw this.forged(address, text);
    }
  }

  /** Returns the height that no honest chain exceeds: otherwise a daemon could send blocks without end. */
  #mostBlocks(): number {
    const { checkpoint, clock } = this.#parts;
    if (checkpoint.fixedDifficulty !== undefined) return Infinity;
    const { timestamp } = checkpoint.window.at(-1) ?? { timestamp: 0 };
    const seconds = Math.max(0, unixSeconds(clock) - timestamp);
    return checkpoint.height + Math.ceil((2 * seconds) / blockTarget(checkpoint.majorVersion)) + SURPLUS;
  }

  /**
   * Fetches the blocks between a height and the checkpoint, whose hash proves them.
   * @throws DaemonError `unverified` if they do not lead to the checkpoint.
   */
  async link(height: number): Promise<void> {
    const { base } = this.chain;
    const { address, client } = this.#parts.serving();
    while (base - this.#below.length > height) {
      const top = base - this.#below.length;
      const known = this.#below.at(-1) ?? this.chain.at(base)?.hash;
      const first = Math.max(height, top - BLOCKS_AT_ONCE);
      const blocks = await this.#fetched(address, fetchBlocks(client, first, top));
      const last = blocks.pop();
      if (known === undefined || last === undefined || !equalBytes(last.hash, known))
        throw this.#lacksBase(address);
      this.#below.push(...blocks.map(({ hash }) => hash).reverse());
    }
  }

  #lacksBase(address: string): DaemonError {
    const { base } = this.chain;
    const name = toHex(this.chain.at(base)?.hash ?? new Uint8Array());
    return this.refused(
      address,
      `the chain of the daemon lacks block ${base}, ${name}, from which its proof of work is checked`,
    );
  }

  /** Reports a daemon that has sent a block which breaks a rule. @returns the error to be thrown. */
  forged(address: string, reason: string): DaemonError {
    this.#parts.onForged(address, reason);
    return new DaemonError('forged', reason);
  }

  /** Reports a daemon whose chain is not that with the most work. @returns the error to be thrown. */
  refused(address: string, reason: string): DaemonError {
    this.#parts.onRefused(address, reason);
    return new DaemonError('unverified', reason);
  }

  /** True for a block of the best chain. */
  isBest({ hash, height }: BlockRef): boolean {
    const best = this.chain.at(height);
    return best !== undefined && equalBytes(best.hash, hash);
  }

  /** Forgets the blocks below a height, but for their hashes. */
  raiseBase(height: number): void {
    const { base } = this.chain;
    const hashes: Hash[] = [];
    for (let at = height - 1; at >= base; at--) hashes.push((this.chain.at(at) as ChainBlock).hash);
    this.chain.forgetBelow(height);
    this.#below = [...hashes, ...this.#below].slice(0, MAX_LINKED);
  }

  /**
   * Forgets the bytes of the blocks that are verified, that are never checked, and that the chain has dropped.
   * @param from height of the lowest block of the best chain that is checked.
   */
  forgetChecked(from: number): void {
    for (const [name, { hash }] of this.#unchecked) {
      const block = this.chain.get(hash);
      if (block === undefined || block.isVerified || (block.height < from && this.isBest(block)))
        this.#unchecked.delete(name);
    }
  }
}
