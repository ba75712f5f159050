import type { WalletReader } from './wallet-reader.js';

/** A store whose contents are cached by their version. */
export interface VersionedStore {
  /** Changes whenever the stored data may have changed. */
  readonly version: number;
  read<T>(task: (r: WalletReader) => T): T;
}

/** A value that is read from a store, and read again only after the store has changed. */
export class CachedRead<T> {
  readonly #store: VersionedStore;
  readonly #task: (r: WalletReader) => T;
  readonly #version: () => number;
  #known: { readonly version: number; readonly value: T } | undefined;

  /** @param version of the data that the task reads; absent: that of all data. */
  constructor(store: VersionedStore, task: (r: WalletReader) => T, version = (): number => store.version) {
    this.#store = store;
    this.#task = task;
    this.#version = version;
  }

  /** @throws as `WalletStore.read`. */
  get value(): T {
    const version = this.#version();
    if (this.#known?.version !== version) this.#known = { version, value: this.#store.read(this.#task) };
    return this.#known.value;
  }
}
