import { unixSeconds } from '../../util/clock.js';
import { heightOfTime, readTip } from '../context/chain-tip.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'store' | 'daemon' | 'clock' | 'assertOpen'>;

/** Time after its arrival within which a wallet uses the current tip as the tip at its arrival [s]. */
const RECENT_SECONDS = 120;

/**
 * Time before the arrival from which blocks do not count as history, if the tip at the arrival is unknown [s]: the
 * clocks of miners differ.
 */
const MARGIN_SECONDS = 3_600;

/** Height at which a wallet with a history came to this server: payments below it are history, not news. */
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
