import { toHex } from '../../util/bytes.js';
import { SharedRun } from '../../util/concurrency.js';
import { RefreshCancelled } from '../../refresh/messages.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { MempoolTracker } from './mempool-tracker.js';
import { newestBlockOf } from './newest-block.js';
import { WalletError } from '../../model/wallet-error.js';

type Context = Pick<WalletContext, 'assertOpen' | 'daemon' | 'keystore' | 'timeBounds'>;

/** Sibling service, and the scans of the pool on the refresh thread. */
interface Parts {
  readonly mempool: MempoolTracker;
  /** Returns true if the last committed scan used all addresses and key images that the wallet knows now. */
  readonly isScanned: () => boolean;
  /**
   * Scans the pool and commits the findings. @param asOf earliest time of the daemon's answer.
   * @throws RefreshCancelled if the scanner is started again meanwhile, or the wallet is closed.
   */
  readonly scan: (asOf: number) => Promise<void>;
}

/** Reads the pool for one wallet without reading blocks. */
export class PoolReading {
  readonly #context: Context;
  readonly #parts: Parts;
  readonly #reading = new SharedRun(() => this.#read());

  constructor(context: Context, parts: Parts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** Reads the pool; the read starts after this call, and concurrent callers share it. @throws DaemonError */
  read(): Promise<void> {
    return this.#reading.run();
  }

  /**
   * Lists the pool on this thread. Lets the refresh thread, which has a low priority, scan the pool only if it contains
   * a transaction that the wallet has not scanned.
   */
  async #read(): Promise<void> {
    this.#context.assertOpen();
    if (this.#context.keystore.background !== undefined) return;
    const { daemon } = this.#context;
    const { mempool, isScanned } = this.#parts;
    const { name } = daemon;
    const asOf = this.#context.timeBounds.monotonic();
    const listed = await daemon.poolHashes();
    this.#context.assertOpen();
    const isUpToDate = (listed.length === 0 || isScanned()) && mempool.isUpToDate(listed);
    if (!isUpToDate) await this.#scan(asOf);
    const present = isUpToDate ? new Set(listed.map(toHex)) : mempool.present;
    if (!mempool.hasNewlyMissing(present)) return;
    const tip = await newestBlockOf(this.#context, name);
    if (tip !== undefined) mempool.noteMissing(present, tip.height + 1);
  }

  /** Scans the pool, once more if the scanner was started again meanwhile. @throws WalletError `no_wallet`; DaemonError */
  async #scan(asOf: number): Promise<void> {
    const { scan } = this.#parts;
    try {
      await scan(asOf);
    } catch (error) {
      if (!(error instanceof RefreshCancelled)) throw error;
      this.#context.assertOpen();
      await untilClosed(scan(asOf));
    }
  }
}

/** Waits for an answer of the refresh thread. @throws WalletError `no_wallet` if the wallet is closed meanwhile. */
export async function untilClosed<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    if (cause instanceof RefreshCancelled) throw new WalletError({ kind: 'no_wallet' }, { cause });
    throw cause;
  }
}
