import type { ScannerState } from '../../refresh/scan/scanner-state.js';
import type { WalletContext } from '../context/wallet-context.js';
import { readWatched, scannerStateOf, type WatchedState } from './stored-scanner-state.js';

type Context = Pick<WalletContext, 'assertOpen' | 'keystore' | 'store'>;

/** Attempts to read the watched outputs without a change in between. */
const READ_ATTEMPTS = 3;

/** Reads the state of each new scanner of a wallet before it begins, a few rows at a time. */
export class NewScanners {
  readonly #context: Context;
  /** Watched addresses and outputs, while a scanner begins. */
  #watched: WatchedState | undefined;
  /** Number of changes of the outputs whose spends a scanner recognises. */
  #changes = 0;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Counts a change of the outputs whose spends a scanner recognises, or of their key images. */
  noteChange(): void {
    this.#changes += 1;
  }

  /** Returns the state of the scanner that begins. */
  state(): ScannerState {
    return scannerStateOf(this.#context, this.#watched);
  }

  /**
   * Runs a task that has a scanner begin before it awaits anything.
   * @throws WalletError `no_wallet` if the wallet is closed meanwhile.
   */
  async begin<T>(task: () => Promise<T>): Promise<T> {
    const watched = await this.#read();
    this.#context.assertOpen();
    this.#watched = watched;
    try {
      return task();
    } finally {
      this.#watched = undefined;
    }
  }

  /** Reads the watched outputs, once more where they changed meanwhile; undefined if they change all the time. */
  async #read(): Promise<WatchedState | undefined> {
    for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
      const changes = this.#changes;
      const watched = await readWatched(this.#context);
      if (changes === this.#changes) return watched;
      this.#context.assertOpen();
    }
    return undefined;
  }
}
