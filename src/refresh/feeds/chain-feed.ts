import type { SecretKey } from '../../monero/crypto/types.js';
import type { BlockSource } from './chain-page.js';
import type { ExpectedChain } from '../scan/chain-block.js';
import { ChainPass } from './chain-pass.js';
import { nextHeight, positionOf, type ChainPosition } from './chain-position.js';
import { FeedMember, type FeedRequest, type MemberPage } from './feed-member.js';
import type { BatchScanner } from '../scan/match-group.js';

/** Total time that the members of a pass wait for one slow member [ms]. */
const PATIENCE_MS = 3000;

/** Total time that a pass waits for passes that are at most {@link CLOSE_BLOCKS} behind it [ms]. */
const CATCH_UP_MS = 2000;

/** Largest distance at which a pass waits for a pass behind it [blocks]. */
const CLOSE_BLOCKS = 1000;

/** Number of passes that a wallet may try for its next page before it opens its own pass. */
const MOST_MOVES = 4;

/** Time for which the pages of a pass are kept after its last member has left [ms]. */
const REST_MS = 5000;

/**
 * Reads the daemon's chain for all wallets. Wallets that need the same pages share a {@link ChainPass}. A wallet at
 * another height has its own pass, which is merged with another pass when both passes reach the same position.
 */
export class ChainFeed {
  readonly #daemon: BlockSource;
  readonly #chain: ExpectedChain;
  readonly #kernel: BatchScanner;
  readonly #patienceMs: number;
  readonly #restMs: number;
  readonly #catchUpMs: number;
  readonly #passes = new Set<ChainPass>();
  /** For each member the pass that it reads, followed by the passes in which it continues. */
  readonly #route = new Map<FeedMember, ChainPass[]>();
  /** A pass without members whose pages are kept until the timer ends; undefined if there is none. */
  #resting: { readonly pass: ChainPass; readonly timer: NodeJS.Timeout } | undefined;

  constructor(
    daemon: BlockSource,
    chain: ExpectedChain,
    kernel: BatchScanner,
    { patienceMs = PATIENCE_MS, restMs = REST_MS, catchUpMs = CATCH_UP_MS } = {},
  ) {
    this.#daemon = daemon;
    this.#chain = chain;
    this.#kernel = kernel;
    this.#patienceMs = patienceMs;
    this.#restMs = restMs;
    this.#catchUpMs = catchUpMs;
  }

  /** Number of passes that have members. */
  get passCount(): number {
    return this.#passes.size - (this.#resting === undefined ? 0 : 1);
  }

  /**
   * Yields the blocks that a wallet lacks, up to the daemon's tip at `asOf` or later. The wallet is expected to commit
   * a page before it requests the next one.
   * @throws DaemonError as the daemon does, and `malformed` for a chain that does not continue the wallet's chain; the
   * reason of the signal.
   */
  async *join(request: FeedRequest): AsyncGenerator<MemberPage, void, void> {
    const member = new FeedMember(request);
    const { signal } = member;
    const abort = (): void => {
      member.stopReading();
      this.#leave(member);
    };
    signal.addEventListener('abort', abort, { once: true });
    try {
      for (let moves = 0; ;) {
        signal.throwIfAborted();
        const taken = await this.#passOf(member, moves < MOST_MOVES).take(member);
        if (taken === 'done') return;
        if (taken === 'elsewhere') {
          moves += 1;
          this.#route.get(member)?.shift();
        } else {
          moves = 0;
          yield taken;
        }
      }
    } finally {
      signal.removeEventListener('abort', abort);
      this.#leave(member);
    }
  }

  /**
   * Fetches the first pages for a wallet that will join soon, unless the pages are already there. A failure is not
   * reported: the wallet's own request fetches the pages again.
   * @param viewSecret view key of the wallet, with which newly fetched pages are scanned ahead. It is zeroed after use.
   * Absent: the pages are fetched and not scanned.
   */
  prefetch(startHeight: number, viewSecret?: SecretKey): void {
    const position = positionOf({ history: [], startHeight });
    const known = [...this.#passes].find((pass) => pass.find(position) !== undefined);
    const pass = known ?? this.#open(position);
    if (pass.isEmpty) this.#rest(pass);
    if (known === undefined) pass.prefetch(viewSecret);
    else viewSecret?.fill(0);
  }

  /** Drops the kept pages of the pass without members. */
  close(): void {
    if (this.#resting !== undefined) this.#drop(this.#resting.pass);
  }

  /**
   * Returns the first pass on the route of a member. A member without a route joins a pass, or a new pass is opened.
   * @param mayShare false: returns a new pass for this member alone, which always yields a page or an error.
   */
  #passOf(member: FeedMember, mayShare: boolean): ChainPass {
    const route = this.#route.get(member) ?? [];
    this.#route.set(member, route);
    const [current] = route;
    if (current !== undefined) return current;
    const shared = mayShare ? [...this.#passes].find((known) => known.admit(member)) : undefined;
    const pass = shared ?? this.#open(member.position);
    if (shared === undefined) pass.lead(member);
    if (pass === this.#resting?.pass) this.#wakeResting();
    route.push(pass);
    return pass;
  }

  #open(position: ChainPosition): ChainPass {
    const pass: ChainPass = new ChainPass(position, {
      daemon: this.#daemon,
      chain: this.#chain,
      kernel: this.#kernel,
      patienceMs: this.#patienceMs,
      merge: (from) => this.#merge(from),
      catchUpMs: this.#catchUpMs,
      isFollowed: (followed) => this.#isFollowed(followed),
      onProgress: (moved) => {
        if (moved.isEmpty) this.#rest(moved);
        for (const other of this.#passes) if (other !== moved) other.resume();
      },
    });
    this.#passes.add(pass);
    return pass;
  }

  #merge(pass: ChainPass): boolean {
    const target = [...this.#passes].find(
      (other) => other !== pass && other.find(pass.position) !== undefined,
    );
    if (target === undefined) return false;
    for (const member of pass.members) {
      target.reserve(member, pass.position);
      this.#route.get(member)?.push(target);
    }
    if (target === this.#resting?.pass) this.#wakeResting();
    return true;
  }

  #isFollowed(pass: ChainPass): boolean {
    const height = nextHeight(pass.position);
    return [...this.#passes].some((other) => {
      const behind = height - nextHeight(other.position);
      return other.isOpen && !other.isEmpty && behind > 0 && behind <= CLOSE_BLOCKS;
    });
  }

  #leave(member: FeedMember): void {
    for (const pass of this.#route.get(member) ?? []) pass.leave(member);
    this.#route.delete(member);
  }

  #rest(pass: ChainPass): void {
    if (!pass.isOpen) return this.#drop(pass);
    if (this.#resting?.pass === pass) this.#wakeResting();
    else if (this.#resting !== undefined) this.#drop(this.#resting.pass);
    const timer = setTimeout(() => this.#drop(pass), this.#restMs);
    timer.unref();
    this.#resting = { pass, timer };
  }

  #wakeResting(): void {
    clearTimeout(this.#resting?.timer);
    this.#resting = undefined;
  }

  #drop(pass: ChainPass): void {
    pass.close();
    this.#passes.delete(pass);
    if (this.#resting?.pass === pass) this.#wakeResting();
  }
}
