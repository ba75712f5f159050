import type { SecretKey } from '../../monero/crypto/types.js';
import type { BlockSource } from './block-source.js';
import type { ExpectedChain } from '../scan/chain-block.js';
import { ChainPass } from './chain-pass.js';
import { nextHeight, positionOf, type ChainPosition } from './chain-position.js';
import { FeedMember, type FeedRequest, type MemberPage } from './feed-member.js';
import type { BatchScanner } from '../scan/match-group.js';

/** Time that the members of a pass wait for one of them, in all (ms). */
const PATIENCE_MS = 3000;

/** Time that a pass waits for others that are close behind it, in all (ms). */
const CATCH_UP_MS = 2000;

/** Blocks between a pass and another that is close behind it. */
const CLOSE_BLOCKS = 1000;

/** Passes that a wallet tries for its next page before it opens one of its own. */
const MOST_MOVES = 4;

/** Time for which the pages of a pass without members are kept (ms). */
const REST_MS = 5000;

/**
 * The daemon's chain for all wallets. Wallets that need the same pages share a {@link ChainPass}; a wallet that is
 * elsewhere in the chain has one of its own, which merges with another once both are at the same place.
 */
export class ChainFeed {
  readonly #daemon: BlockSource;
  readonly #chain: ExpectedChain;
  readonly #kernel: BatchScanner;
  readonly #patienceMs: number;
  readonly #restMs: number;
  readonly #catchUpMs: number;
  readonly #passes = new Set<ChainPass>();
  /** The pass of each member, and those in which it continues. */
  readonly #route = new Map<FeedMember, ChainPass[]>();
  /** The pass without members whose pages are kept. */
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

  /** Number of passes under way. */
  get passCount(): number {
    return this.#passes.size - (this.#resting === undefined ? 0 : 1);
  }

  /**
   * Yields the blocks that a wallet lacks, up to the daemon's tip as it was at `asOf` or later. The wallet is expected
   * to commit a page before it requests the next one.
   * @throws DaemonError as the daemon does, and `malformed` for a chain that does not continue the wallet's; the
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
   * Fetches the first pages for a wallet that will join soon, or keeps those that are there. A failure is left to the
   * wallet's own request.
   * @param viewSecret key of the wallet, with which pages are scanned that were not there. It is wiped.
   */
  prefetch(startHeight: number, viewSecret?: SecretKey): void {
    const position = positionOf({ history: [], startHeight });
    const known = [...this.#passes].find((pass) => pass.find(position) !== undefined);
    const pass = known ?? this.#open(position);
    if (pass.isEmpty) this.#rest(pass);
    if (known === undefined) pass.prefetch(viewSecret);
    else viewSecret?.fill(0);
  }

  /** Drops the pages that are kept. */
  close(): void {
    if (this.#resting !== undefined) this.#drop(this.#resting.pass);
  }

  /** @param mayShare false: a pass of its own, which always leads to a page or an error. */
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
