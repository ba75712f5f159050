import { DaemonError } from '../../daemon/errors.js';
import { CachedRead } from '../../store/cached-read.js';
import { heightOfDatedWallet, readTip, heightOfTime } from '../context/chain-tip.js';
import type { WalletContext } from '../context/wallet-context.js';
import { unixSeconds } from '../../util/clock.js';

type Context = Pick<WalletContext, 'name' | 'store' | 'keystore' | 'daemon' | 'log' | 'clock' | 'assertOpen'>;

/** First height that a wallet scans. */
export class RestoreHeight {
  readonly #context: Context;
  readonly #stored: CachedRead<string | undefined>;

  constructor(context: Context) {
    this.#context = context;
    this.#stored = new CachedRead(context.store, (r) => r.meta.get('restore_height'));
  }

  /** Stored restore height; undefined for a wallet created without a daemon, until its first refresh. */
  get known(): number | undefined {
    const stored = this.#stored.value;
    return stored === undefined ? undefined : Number(stored);
  }

  /**
   * Returns the height from which the next refresh scans: the restore height, or the requested height if it is higher.
   * In a wallet without blocks, the restore height must not lie above the daemon's tip; in any other wallet, no block
   * is skipped.
   * @param asked height below which the caller wants no unknown block to be scanned. Ignored if the daemon has no block
   * at this height.
   * @param tip height of the newest block of the wallet; undefined while the wallet has no blocks.
   * @throws DaemonError, `busy` while the daemon is syncing and has not reached the restore height; WalletError
   * `no_wallet` if the wallet is closed meanwhile.
   */
  async firstToScan(asked: number, tip: number | undefined): Promise<number> {
    const restore = tip === undefined ? await this.#confirmed() : Math.min(this.known ?? 0, tip + 1);
    if (asked <= (tip === undefined ? restore : tip + 1)) return Math.max(asked, restore);
    if (await this.#isReached(asked)) return asked;
    this.#context.log.warn(
      { name: this.#context.name, startHeight: asked },
      'the start height of a refresh lies above the newest block of the daemon; no block was skipped',
    );
    return restore;
  }

  /** Lowers the restore height in the keys file, which the reference reads, to the restore height of the store. */
  async keepInKeysFile(): Promise<void> {
    const { keystore } = this.#context;
    const { known } = this;
    if (known === undefined || known >= keystore.refreshHeight || keystore.background !== undefined) return;
    try {
      await keystore.setRefreshHeight(known);
    } catch (error) {
      this.#context.log.warn(
        { err: error, name: this.#context.name },
        'the lowered restore height could not be written to the keys file; the next refresh tries again',
      );
    }
  }

  /**
   * Returns the stored height if the daemon has the block below it. Otherwise replaces it by a height below the tip,
   * and below the blocks of the day before the wallet was created: with a height above the tip, the wallet would miss
   * the payments in between. The margin below the tip alone, by which a height is lowered when the wallet is created
   * (`manager/new-heights.ts`), would miss the payments in all blocks that were mined since then, except the newest
   * blocks.
   */
  async #confirmed(): Promise<number> {
    const { known } = this;
    if (known !== undefined && (await this.#isReached(known))) return known;
    const { store, assertOpen, name, log, daemon } = this.#context;
    const client = daemon.client();
    const { blocks, info } = await readTip(client);
    if (known !== undefined && known <= blocks) return known;
    if (known !== undefined && !info.synchronized && known <= info.targetHeight)
      throw new DaemonError('busy', `the daemon is syncing and has not reached the restore height ${known}`);
    const created = Number(store.read((r) => r.meta.get('created_at')) ?? '0');
    const found = await heightOfDatedWallet(client, blocks, created, 1);
    assertOpen();
    store.write((w) => w.meta.set('restore_height', String(found)));
    if (known !== undefined)
      log.warn(
        { name, restoreHeight: known, blocks, scannedFrom: found },
        'the restore height lies above the newest block of the daemon; the wallet is scanned from a lower one',
      );
    return found;
  }

  /** True if the daemon has every block below a height. @throws DaemonError of any kind except `rejected`. */
  async #isReached(height: number): Promise<boolean> {
    if (height === 0) return true;
    try {
      return (await this.#context.daemon.client().getBlockHeader(height - 1)).height === height - 1;
    } catch (error) {
      if (error instanceof DaemonError && error.kind === 'rejected') return false;
      throw error;
    }
  }
}

/** Time after its arrival within which a wallet uses the current tip as the tip at its arrival [s]. */
const RECENT_SECONDS = 120;

/**
 * Time before the arrival from which blocks do not count as history, if the tip at the arrival is unknown [s]: the
 * clocks of miners differ.
 */
const MARGIN_SECONDS = 3_600;

/** Height at which a wallet with a history came to this server: payments below this height are history, not news. */
export class ArrivalHeight {
  readonly #context: Context;
  #isKnown = false;

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Determines and stores the height, unless it is stored already.
   * @throws DaemonError; WalletError `no_wallet` if the wallet is closed meanwhile.
   */
  async determine(): Promise<void> {
    if (this.#isKnown) return;
    const { store, daemon, clock, assertOpen } = this.#context;
    const arrivedAt = store.read((r) => r.meta.get('arrived_at'));
    if (arrivedAt !== undefined) {
      const client = daemon.client();
      const { blocks } = await readTip(client);
      const isRecent = unixSeconds(clock) - Number(arrivedAt) <= RECENT_SECONDS;
      const height = isRecent
        ? blocks
        : await heightOfTime(client, blocks, Number(arrivedAt) - MARGIN_SECONDS);
      assertOpen();
      store.write((w) => {
        w.meta.set('arrival_height', String(height));
        w.meta.remove('arrived_at');
      });
    }
    this.#isKnown = true;
  }
}
