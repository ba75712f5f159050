import type { SqlDatabase } from '../util/sql-database.js';
import { WalletReader } from './wallet-reader.js';

interface SnapshotParts {
  /** Returns the reader of the store's present state. */
  readonly current: () => WalletReader;
  /** Opens a connection that keeps reading the present state. */
  readonly open: () => SqlDatabase;
  readonly guard: <T>(task: () => T) => T;
  readonly onRelease: () => void;
}

/**
 * State of a store at one time, which later writes do not change. A snapshot takes no memory until the store is next
 * written.
 */
export class Snapshot {
  readonly #parts: SnapshotParts;
  #frozen: { readonly db: SqlDatabase; readonly reader: WalletReader } | undefined;
  #released = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(parts: SnapshotParts) {
    this.#parts = parts;
  }

  /**
   * Reads the state.
   * @throws WalletError `wallet_corrupt` for a damaged file, `wallet_io`; Error after {@link release}.
   */
  read<T>(task: (r: WalletReader) => T): T {
    const failure = this.#failure;
    if (failure !== undefined)
      return this.#parts.guard(() => {
        throw failure.error;
      });
    if (this.#released) throw new Error('a snapshot was read after its release');
    return this.#parts.guard(() => task(this.#frozen?.reader ?? this.#parts.current()));
  }

  /** True once the store may change. */
  get isDetached(): boolean {
    return this.#released || this.#frozen !== undefined;
  }

  /** Opens a separate connection to the present state, which is committed. Must be called before the store changes. */
  detach(): void {
    if (this.isDetached) return;
    try {
      const db = this.#parts.open();
      this.#frozen = { db, reader: new WalletReader(db) };
    } catch (error) {
      // The write must not fail because of this snapshot, so the next read of the snapshot throws the error.
      this.fail(error);
    }
  }

  /** Ends the snapshot, whose state is lost: its next read throws the error. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.release();
  }

  release(): void {
    this.#released = true;
    this.#frozen?.db.close();
    this.#frozen = undefined;
    this.#parts.onRelease();
  }
}

/** Snapshots of a store that are not released. */
export class Snapshots {
  readonly #open = new Set<Snapshot>();

  add(parts: Omit<SnapshotParts, 'onRelease'>): Snapshot {
    const snapshot = new Snapshot({ ...parts, onRelease: () => this.#open.delete(snapshot) });
    this.#open.add(snapshot);
    return snapshot;
  }

  /** True while a snapshot reads the present state on the connection that writes. */
  get readPresentState(): boolean {
    return [...this.#open].some(({ isDetached }) => !isDetached);
  }

  /** Detaches all snapshots. Must be called before the store changes, when its state is committed. */
  detach(): void {
    for (const snapshot of this.#open) snapshot.detach();
  }

  /** Ends the snapshots that read the present state, which is lost: their next reads throw the error. */
  failAttached(error: Error): void {
    for (const snapshot of this.#open) if (!snapshot.isDetached) snapshot.fail(error);
  }

  release(): void {
    for (const snapshot of this.#open) snapshot.release();
  }
}
