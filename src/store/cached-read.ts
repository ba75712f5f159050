import type { WalletReader } from './wallet-reader.js';

/** A store whose contents are cached by their version. */
interface VersionedStore {
  /** Changes whenever the stored data may have changed. */
  readonly version: number;
  read<T>(task: (r: WalletReader) => T): T;
}

/** A value that is read from a store, and read again only after the store has changed. */
export class CachedRead<T> {
  readonly #store: VersionedStore;
  readonly #task: (r: WalletReader) => T;
  #known: { readonly version: number; readonly value: T } | undefined;

  constructor(store: VersionedStore, task: (r: WalletReader) => T) {
    this.#store = store;
    this.#task = task;
  }

  /** @throws as `WalletStore.read`. */
  get value(): T {
    const { version } = this.#store;
    if (this.#known?.version !== version) this.#known = { version, value: this.#store.read(this.#task) };
    return this.#known.value;
  }
}
