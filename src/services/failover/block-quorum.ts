import { DaemonError } from '../../daemon/errors.js';
import type { Hash } from '../../monero/crypto/types.js';
import type { BlockRef } from '../../monero/wallet/scan/findings.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import type { Clock } from '../../util/clock.js';
import type { DaemonList, NamedDaemon } from '../context/daemon-list.js';
import type { NodeIdentities } from './node-identities.js';

interface QuorumParts {
  /** Number of daemons that must name the same block, the serving one included. */
  readonly needed: number;
  /** Returns the listed daemons, and the one that serves. */
  readonly connection: () => { readonly list: DaemonList; readonly current: NamedDaemon | undefined };
  readonly clock: Clock;
  /** Returns the monotonic time [ms]. */
  readonly elapsed: () => number;
  /** Nodes behind the listed daemons: two addresses of one node have one vote. */
  readonly identities: Pick<NodeIdentities, 'count' | 'pairs'>;
  /**
   * Called for each daemon that was asked.
   * @param problem block by which the daemon contradicts the others; undefined if it names the same block as they.
   */
  readonly onVote: (daemon: NamedDaemon, problem: string | undefined) => void;
  /** Called if the serving daemon is the one that the others contradict. */
  readonly onOutvoted: (address: string, reason: string) => void;
}

/** Block that a daemon names at a height, or the reason for which it names none. */
type Vote = { readonly hash: Hash } | { readonly none: string };

/** Longest wait for daemons that lack a block, or do not answer [ms]: they receive a new block within seconds. */
const WAIT_MS = 20_000;
/** Pause before the daemons are asked again [ms]. */
const PAUSE_MS = 1_000;
/** Longest time for an answer [ms]. */
const CALL_MS = 5_000;
/** Number of blocks that are remembered as agreed. */
const MOST_AGREED = 256;

/**
 * Lets a block count once several listed daemons name it. A block names the blocks before it, so that daemons that agree on it
 * agree on its whole chain.
 */
export class BlockQuorum {
  readonly #parts: QuorumParts;
  /** Names of agreed blocks, oldest first. */
  readonly #agreed = new Set<string>();
  readonly #asking = new Map<string, Promise<void>>();

  constructor(parts: QuorumParts) {
    this.#parts = parts;
  }

  /**
   * Resolves when enough daemons name a block of the serving daemon. @returns undefined if they have named it already.
   * @throws DaemonError `unverified` if too few name it in time.
   */
  admit(block: BlockRef): Promise<void> | undefined {
    const name = `${block.height} ${toHex(block.hash)}`;
    if (this.#agreed.has(name)) return undefined;
    const known = this.#asking.get(name);
    if (known !== undefined) return known;
    const asking = this.#ask(block)
      .then(() => this.#remember(name))
      .finally(() => this.#asking.delete(name));
    this.#asking.set(name, asking);
    return asking;
  }

  async #ask(block: BlockRef): Promise<void> {
    const { needed, elapsed, clock, identities } = this.#parts;
    const end = elapsed() + WAIT_MS;
    for (;;) {
      const { current, list } = this.#parts.connection();
      const others = list.entries.filter((daemon) => daemon !== current);
      const votes = await Promise.all(others.map((daemon) => this.#vote(daemon, block.height)));
      const isSame = (vote: Vote | undefined): boolean =>
        vote !== undefined && 'hash' in vote && equalBytes(vote.hash, block.hash);
      const agreeing = others.filter((_, i) => isSame(votes[i]));
      const agreed = identities.count(current === undefined ? agreeing : [current, ...agreeing]);
      if (agreed >= needed) {
        others.forEach((daemon, i) => this.#report(daemon, votes[i], block));
        return;
      }
      if (elapsed() >= end) {
        const texts = others.map((daemon, i) => `${daemon.name} ${textOf(votes[i], isSame(votes[i]))}`);
        const pairs = identities.pairs().map((pair) => `; ${pair}`);
        const reason = `${agreed} of ${needed} needed nodes name block ${block.height}, ${toHex(block.hash)}: ${texts.join('; ') || 'no other node is listed'}${pairs.join('')}`;
        if (current !== undefined && this.#hasMajority(others, votes, block.hash))
          this.#parts.onOutvoted(current.config.address, reason);
        throw new DaemonError('unverified', reason);
      }
      await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve));
    }
  }

  async #vote(daemon: NamedDaemon, height: number): Promise<Vote> {
    try {
      const client = this.#parts.connection().list.client(daemon);
      return { hash: (await client.getBlockHeader(height, { deadline: CALL_MS })).hash };
    } catch (error) {
      if (!(error instanceof DaemonError)) throw error;
      return { none: error.kind === 'rejected' ? 'lacks the block' : `does not answer (${error.kind})` };
    }
  }

  /** Reports whether a daemon contradicts the block on which enough other ones agree. */
  #report(daemon: NamedDaemon, vote: Vote | undefined, { height, hash }: BlockRef): void {
    if (vote === undefined || !('hash' in vote)) return;
    const isOther = !equalBytes(vote.hash, hash);
    this.#parts.onVote(
      daemon,
      isOther ? `it names ${toHex(vote.hash)} as block ${height}, and the others ${toHex(hash)}` : undefined,
    );
  }

  /** True if so many nodes as are needed agree on another block. */
  #hasMajority(daemons: readonly NamedDaemon[], votes: readonly Vote[], hash: Hash): boolean {
    const { identities, needed } = this.#parts;
    const names = votes.map((vote) => ('hash' in vote ? toHex(vote.hash) : undefined));
    return names.some(
      (name) =>
        name !== undefined &&
        name !== toHex(hash) &&
        identities.count(daemons.filter((_, i) => names[i] === name)) >= needed,
    );
  }

  #remember(name: string): void {
    this.#agreed.add(name);
    const [oldest] = this.#agreed;
    if (this.#agreed.size > MOST_AGREED && oldest !== undefined) this.#agreed.delete(oldest);
  }
}

const textOf = (vote: Vote | undefined, isSame: boolean): string => {
  if (vote === undefined) return 'was not asked';
  if (!('hash' in vote)) return vote.none;
  return isSame ? 'names it' : `names ${toHex(vote.hash)}`;
};
