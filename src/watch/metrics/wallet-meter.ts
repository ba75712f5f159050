import type { OpenWallet } from '../../services/open-wallet.js';
import { yieldToEventLoop } from '../../util/event-loop.js';
import { readable } from '../wallet-facts.js';

/** Parts of an open wallet that are metered. */
export interface MeteredWallet {
  readonly store: Pick<OpenWallet['store'], 'read' | 'version'>;
}

/** Counts of a wallet. */
interface Running {
  /** Version of the store that was read last. */
  version: number;
}

/** Counts changes of wallets from the first reading of each on. Reads only rows that are new since the last reading. */
export class WalletMeter<Tally extends Running> {
  readonly #running = new WeakMap<MeteredWallet, Tally>();
  readonly #begin: (wallet: MeteredWallet) => Tally;
  readonly #readSome: (wallet: MeteredWallet, tally: Tally) => boolean;

  /**
   * @param begin creates the counts of a wallet, which begin at its latest rows.
   * @param readSome counts some new rows, and returns true if there may be more.
   */
  constructor(
    begin: (wallet: MeteredWallet) => Tally,
    readSome: (wallet: MeteredWallet, tally: Tally) => boolean,
  ) {
    this.#begin = begin;
    this.#readSome = readSome;
  }

  /** Begins to count for a wallet, without reading its rows. A store that cannot be read is begun by a later call. */
  begin(wallet: MeteredWallet): void {
    if (this.#running.has(wallet)) return;
    const begun = readable(() => this.#begin(wallet));
    if (begun !== undefined) this.#running.set(wallet, begun);
  }

  /** Reads the counts of a wallet; undefined if its store cannot be read. Readings of a wallet must not overlap. */
  async read(wallet: MeteredWallet): Promise<Tally | undefined> {
    this.begin(wallet);
    const tally = this.#running.get(wallet);
    if (tally === undefined) return undefined;
    const { version } = wallet.store;
    if (tally.version === version) return tally;
    while (readable(() => this.#readSome(wallet, tally)) === true) await yieldToEventLoop();
    tally.version = version;
    return tally;
  }
}
