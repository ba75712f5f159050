import type { Db } from './file/database.js';
import { WalletReader } from './wallet-reader.js';

interface SnapshotParts {
  /** Reads what is stored now. */
  readonly now: () => WalletReader;
  /** Opens a connection that goes on seeing it when it changes. */
  readonly apart: () => Db;
  readonly guard: <T>(task: () => T) => T;
  readonly onRelease: () => void;
}

/** A store as it was at one moment, whatever is written meanwhile. Costs nothing while nothing is. */
export class Snapshot {
  readonly #parts: SnapshotParts;
  #apart: { readonly db: Db; readonly reader: WalletReader } | undefined;
  #released = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(parts: SnapshotParts) {
    this.#parts = parts;
  }

  /** @throws WalletError `wallet_corrupt` where the file is damaged, `wallet_io`; Error after {@link release}. */
  read<T>(task: (r: WalletReader) => T): T {
    const failure = this.#failure;
    if (failure !== undefined)
      return this.#parts.guard(() => {
        throw failure.error;
      });
    if (this.#released) throw new Error('a snapshot read after its release');
    return this.#parts.guard(() => task(this.#apart?.reader ?? this.#parts.now()));
  }

  /** The store is about to change. */
  part(): void {
    if (this.#released || this.#apart !== undefined) return;
    try {
      const db = this.#parts.apart();
      this.#apart = { db, reader: new WalletReader(db) };
    } catch (error) {
      // The change is not held up: the next read fails instead.
      this.#failure = { error };
      this.release();
    }
  }

  release(): void {
    this.#released = true;
    this.#apart?.db.close();
    this.#apart = undefined;
    this.#parts.onRelease();
  }
}
