import type { WalletReader } from './wallet-reader.js';

/** A store whose contents can be cached for as long as its version is the same. */
export interface VersionedStore {
  /** Version of the data; changes whenever the stored data may have changed. */
  readonly version: number;
  read<T>(task: (r: WalletReader) => T): T;
}

/** A value that is read from a store, and read again only after the stored data has changed. */
export class CachedRead<T> {
  readonly #store: VersionedStore;
  readonly #task: (r: WalletReader) => T;
  readonly #version: () => number;
  #known: { readonly version: number; readonly value: T } | undefined;

  /**
   * @param task reads the value.
   * @param version returns the version of the data that the task reads; default: the version of the whole store.
   */
  constructor(store: VersionedStore, task: (r: WalletReader) => T, version = (): number => store.version) {
    this.#store = store;
    this.#task = task;
    this.#version = version;
  }

  /** The current value. @throws the errors of `WalletStore.read`. */
  get value(): T {
    const version = this.#version();
    if (this.#known?.version !== version) this.#known = { version, value: this.#store.read(this.#task) };
    return this.#known.value;
  }
}
