import type { ScannerState } from '../../refresh/scan/scanner-state.js';
import type { WalletContext } from '../context/wallet-context.js';
import { readWatched, scannerStateOf, type WatchedState } from './stored-scanner-state.js';

type Context = Pick<WalletContext, 'assertOpen' | 'keystore' | 'store'>;

/** Number of attempts to read the watched outputs without a change in between. */
const READ_ATTEMPTS = 3;

/** Reads the state of each new scanner of a wallet before the scanner starts, in parts. */
export class NewScanners {
  readonly #context: Context;
  /** Watched addresses and outputs of the scanner that is starting; undefined at other times. */
  #watched: WatchedState | undefined;
  /** Number of changes to the outputs whose spends a scanner recognises. */
  #changes = 0;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Counts a change to the outputs whose spends a scanner recognises, or to their key images. */
  noteChange(): void {
    this.#changes += 1;
  }

  /** Returns the state for the scanner that is starting. */
  state(): ScannerState {
    return scannerStateOf(this.#context, this.#watched);
  }

  /**
   * Runs a task that starts a scanner before its first `await`.
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

  /** Reads the watched outputs, and again if they changed meanwhile; undefined if they change in every attempt. */
  async #read(): Promise<WatchedState | undefined> {
    for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
      const version = this.#version;
      const watched = await readWatched(this.#context);
      if (version === this.#version) return watched;
      this.#context.assertOpen();
    }
    return undefined;
  }

  /** Number that changes with the watched outputs; with every write to a store in memory, which has no snapshots. */
  get #version(): number {
    const { store } = this.#context;
    return store.isInMemory ? store.version : this.#changes;
  }
}
