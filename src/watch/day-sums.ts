import { faultOf } from '../model/wallet-error.js';
import { NO_SUMS, paymentSums, type PaymentSums } from '../services/history/payment-sums.js';
import { unixSeconds, type TimeOfDay } from '../util/clock.js';
import type { WatchedWallet } from './wallet-facts.js';

const DAY_SECONDS = 86_400;

/** Sums of a wallet, with the day and the version of the store that they belong to. */
interface Known {
  readonly version: number;
  readonly day: number;
  readonly sums: PaymentSums;
}

/**
 * Reads the sums of the payments since 00:00 UTC. Reads a store only if it has changed, or a day has begun, since the
 * last call.
 */
export class DaySumReader {
  readonly #clock: TimeOfDay;
  readonly #known = new WeakMap<object, Known>();

  constructor(clock: TimeOfDay) {
    this.#clock = clock;
  }

  /** Reads the sums of a wallet; those of an earlier call while its store cannot be read. */
  async read(wallet: Pick<WatchedWallet, 'store'>): Promise<PaymentSums> {
    const day = Math.floor(unixSeconds(this.#clock) / DAY_SECONDS);
    const known = this.#known.get(wallet);
    const { version } = wallet.store;
    if (known?.version === version && known.day === day) return known.sums;
    try {
      const sums = await paymentSums(wallet.store, day * DAY_SECONDS);
      this.#known.set(wallet, { version, day, sums });
      return sums;
    } catch (error) {
      if (faultOf(error) === undefined) throw error;
      return known?.day === day ? known.sums : NO_SUMS;
    }
  }
}
