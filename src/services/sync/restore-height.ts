import { DaemonError } from '../../daemon/errors.js';
import { CachedRead } from '../../store/cached-read.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'store' | 'daemon' | 'assertOpen'>;

/** Time before the creation of a wallet from which blocks are scanned [s]: clocks of miners may differ. */
const MARGIN_SECONDS = 86_400;

/** First height that a wallet scans. */
export class RestoreHeight {
  readonly #context: Context;
  readonly #stored: CachedRead<string | undefined>;

  constructor(context: Context) {
    this.#context = context;
    this.#stored = new CachedRead(context.store, (r) => r.meta.get('restore_height'));
  }

  /** Undefined for a wallet created without a daemon, until {@link determine} has run. */
  get known(): number | undefined {
    const stored = this.#stored.value;
    return stored === undefined ? undefined : Number(stored);
  }

  /**
   * Returns the stored height. A wallet created without a daemon gets that of the last block which was mined a day
   * before its creation.
   * @throws DaemonError; WalletError `no_wallet` if the wallet is closed meanwhile.
   */
  async determine(): Promise<number> {
    const { known } = this;
    if (known !== undefined) return known;
    const { store, assertOpen } = this.#context;
    const created = Number(store.read((r) => r.meta.get('created_at')) ?? '0');
    const found = await this.#heightBefore(created - MARGIN_SECONDS);
    assertOpen();
    store.write((w) => w.meta.set('restore_height', String(found)));
    return found;
  }

  /** Finds the last block that was mined before a time by bisection. @param timestamp [s since 1970] */
  async #heightBefore(timestamp: number): Promise<number> {
    const daemon = this.#context.daemon.client();
    let low = 0;
    let high = (await daemon.getInfo()).height - 1;
    if (high < 0) throw new DaemonError('malformed', 'the daemon has no blocks');
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((await daemon.getBlockHeader(middle)).timestamp < timestamp) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
