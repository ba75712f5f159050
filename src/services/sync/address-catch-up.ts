import { DaemonError } from '../../daemon/errors.js';
import type { ReadAgain } from '../../refresh/feeds/chain-position.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import { MAX_REORGANISATION, type PageFindings } from '../../monero/wallet/scan/findings.js';
import { faultOf } from '../../model/wallet-error.js';
import { watchedCounts } from '../../monero/wallet/scan/subaddress-table.js';
import type { CatchUpPosition } from '../../store/tables/searched-addresses.js';
import { CachedRead } from '../../store/cached-read.js';
import { equalBytes } from '../../util/bytes.js';
import { monotonicMs } from '../../util/clock.js';
import type { WalletContext } from '../context/wallet-context.js';
import { lastCreatedAddresses } from './stored-scanner-state.js';

type Context = Pick<WalletContext, 'keystore' | 'log' | 'name' | 'store'>;

/**
 * Progress of a catch-up: blocks from `from` to `height` are read again; blocks below `next` have been read again
 * already.
 */
export interface CatchUpProgress extends CatchUpPosition {
  /** Number of blocks that the wallet knows. */
  readonly height: number;
}

/** Scanner and refreshes of a wallet that catches up. */
export interface CatchUpScanner {
  /** Derives and stores the keys of all addresses up to the lookahead after some addresses. */
  derive(used: readonly SubaddressIndex[]): Promise<void>;
  /** Starts the scanner again with the state of the store. */
  restart(): void;
  /** Refreshes the wallet, with {@link AddressCatchUp.prepare} and {@link AddressCatchUp.end}. */
  refresh(): Promise<unknown>;
}

/**
 * Largest number of addresses of an account, beyond the addresses of its lookahead, for which a catch-up also searches:
 * the next addresses of the account then need no catch-up of their own.
 */
const MOST_AHEAD = 10_000;

/** Shortest time between two lines of the log about the progress [ms]. */
const LOG_MS = 60_000;

/**
 * Lets a wallet catch up for addresses that became watched after blocks had been read: these blocks are read again, and
 * payments to these addresses are added. Afterwards every created address, and the lookahead of a new wallet, has been
 * searched for in every block that the wallet has read. The addresses that have been searched for are recorded with the
 * blocks and findings.
 *
 * In a wallet whose keys were made here, an address within the lookahead needs no catch-up when it is created: it was
 * watched before anybody could know it.
 */
export class AddressCatchUp {
  readonly #context: Context;
  readonly #scanner: CatchUpScanner;
  readonly #position: CachedRead<CatchUpPosition | undefined>;
  /** True while a refresh is about to begin by itself. */
  #isStarting = false;
  /** Time of the last line of the log about the progress [ms]. */
  #loggedAt = 0;
  /** Version of the store in which the watched addresses were noted last. */
  #notedVersion: number | undefined;
  #lacking: { readonly key: string; readonly lacks: boolean } | undefined;

  constructor(context: Context, scanner: CatchUpScanner) {
    this.#context = context;
    this.#scanner = scanner;
    this.#position = new CachedRead(context.store, (r) => r.searched.position());
  }

  /** True if the wallet has addresses that were not searched for in every block. */
  get isBehind(): boolean {
    return this.#position.value !== undefined || this.#lacks;
  }

  /** Progress of the catch-up that runs or has to begin; undefined if there is no such catch-up. */
  get progress(): CatchUpProgress | undefined {
    if (!this.isBehind) return undefined;
    const { store } = this.#context;
    const from = store.oldestFrom(0)?.height ?? 0;
    return { ...(this.#position.value ?? { from, next: from }), height: store.height() };
  }

  /** Starts a refresh after other pending work, if a catch-up has to begin. */
  start(): void {
    if (this.#lacks) this.#refreshSoon();
  }

  #refreshSoon(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    setImmediate(() => {
      this.#isStarting = false;
      this.#scanner.refresh().catch((error: unknown) => {
        // The periodic refresh tries again, and reports faults of the daemon.
        if (error instanceof DaemonError || faultOf(error) !== undefined) return;
        this.#context.log.error({ err: error, name: this.#context.name }, 'a refresh failed');
      });
    });
  }

  /** True if a catch-up has to begin, or if the running catch-up has to search for more addresses. */
  get #lacks(): boolean {
    const { store, keystore } = this.#context;
    const { lookahead } = keystore;
    const key = `${store.version} ${lookahead.major} ${lookahead.minor}`;
    if (this.#lacking?.key !== key)
      this.#lacking = { key, lacks: store.read((r) => r.searched.lacks(lookahead)) };
    return this.#lacking.lacks;
  }

  /**
   * Records the addresses that the next refresh searches for, and begins a catch-up if it is needed. To be called under
   * the refresh lock, before the refresh.
   * @returns the blocks to be read again; undefined if there are no such blocks, and during background sync, which
   * computes no key images, so that the catch-up waits for its end.
   */
  async prepare(): Promise<ReadAgain | undefined> {
    const { keystore, store } = this.#context;
    const from = store.oldestFrom(0)?.height;
    this.#noteWatched(from !== undefined);
    if (from === undefined || keystore.background !== undefined) return undefined;
    if (this.#lacks) await this.#begin(from);
    const position = this.#position.value;
    if (position === undefined) return undefined;
    return { startHeight: position.next, searched: store.read((r) => r.searched.counts()) };
  }

  /** Records the watched addresses as searched for in every block, if they were watched from the first block on. */
  #noteWatched(hasBlocks: boolean): void {
    const { keystore, store } = this.#context;
    if (this.#notedVersion === store.version) return;
    const { lookahead } = keystore;
    const { searched, hasHistory } = store.read((r) => ({
      searched: r.searched.counts(),
      hasHistory: r.events.arrivalHeight() > 0,
    }));
    const watched = watchedCounts(lastCreatedAddresses(store), lookahead);
    const isNew = !hasBlocks || searched.length === 0;
    // An earlier version read the blocks of a store without a record, so the addresses that it searched for at each
    // height are unknown.
    const known = hasBlocks && isNew && hasHistory ? watchedCounts([], lookahead) : watched;
    if (isNew && !isSame(known, searched)) store.writeRecoverable((w) => w.searched.restart(known));
    else if (
      !isNew &&
      !hasHistory &&
      !this.isBehind &&
      watched.some((n, account) => n > (searched[account] ?? 0))
    )
      store.writeRecoverable((w) => w.searched.raise(watched));
    this.#notedVersion = store.version;
  }

  async #begin(from: number): Promise<void> {
    const { keystore, store } = this.#context;
    const searched = store.read((r) => r.searched.counts());
    const used = lastCreatedAddresses(store).map(({ major, minor }) => ({
      major,
      minor: minor < (searched[major] ?? 0) ? minor : minor + Math.min(minor, MOST_AHEAD),
    }));
    await this.#scanner.derive(used);
    store.write((w) => w.searched.begin(watchedCounts(used, keystore.lookahead), from));
    // The restarted scanner knows the old spends in these blocks, and scans the pool for the new addresses.
    this.#scanner.restart();
    this.#log(
      { fromHeight: from, height: store.height() },
      'addresses were created or looked ahead to that blocks were not searched for; the wallet reads these blocks again',
    );
  }

  /**
   * Commits the findings of blocks that were read again.
   * @returns true if the wallet did not know some of the outputs. @throws DaemonError `busy` if a reorganisation has
   * replaced the blocks, or if the daemon sends other blocks than before.
   */
  commit(findings: PageFindings): boolean {
    const { store } = this.#context;
    const { startHeight, hashes, outputs } = findings;
    const height = store.height();
    const isHeld = hashes.every((hash, i) => {
      const at = startHeight + i;
      // Older blocks are not replaced any more, and most of their hashes are not stored.
      if (at < height - MAX_REORGANISATION) return true;
      const held = at < height ? store.blockAt(at) : undefined;
      return held !== undefined && equalBytes(held.hash, hash);
    });
    if (!isHeld) throw new DaemonError('busy', 'the daemon has replaced a block that is read again');
    const isNew = store.read((r) => outputs.some((output) => !r.outputs.has(output)));
    store.writeRecoverable((w) => w.addMissed(findings));
    return isNew;
  }

  /**
   * Ends the catch-up if all blocks have been read again; otherwise the next refresh continues, if this refresh has
   * made progress. To be called under the refresh lock, after the refresh.
   */
  end({ startHeight }: ReadAgain): void {
    const { store } = this.#context;
    const position = this.#position.value;
    if (position === undefined) return;
    const { from: fromHeight, next: nextHeight } = position;
    const height = store.height();
    if (nextHeight >= height) {
      store.writeRecoverable((w) => w.searched.finish());
      this.#scanner.restart();
      this.#log({ fromHeight, height }, 'all blocks are searched for all addresses');
      return;
    }
    if (monotonicMs() - this.#loggedAt >= LOG_MS)
      this.#log({ fromHeight, nextHeight, height }, 'blocks are read again for new addresses');
    if (nextHeight > startHeight) this.#refreshSoon();
  }

  #log(heights: object, text: string): void {
    const { log, name } = this.#context;
    this.#loggedAt = monotonicMs();
    log.info({ name, ...heights }, text);
  }
}

const isSame = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((count, i) => count === b[i]);
