import type { Lease, Leases } from '../../cluster/lease.js';
import { WalletError } from '../../model/wallet-error.js';
import type { PageLogs, Quorum } from '../../cluster/cluster.js';
import { keysFileVersion, readKeysBytes } from '../../store/keys/keys-file-disk.js';
import {
  BaseNotRenewedError,
  type Replication,
  type ReplicationOptions,
  SinkEndedError,
  type PageSink,
} from '../../store/replication/replication.js';
import type { WalletStore } from '../../store/wallet-store.js';
import type { Clock } from '../../util/clock.js';
import { Mutex } from '../../util/concurrency.js';
import type { Holding, WalletLog } from '../context/wallet-context.js';
import type { WalletPaths } from '../context/wallet-directory.js';
import { FlushedEvents } from '../events/flushed-events.js';
import { assertQuorum, replicationFault } from './cluster-faults.js';
import { Fenced } from '../../cluster/errors.js';

/** Content of the database for a wallet when its holding begins. */
export type StoredLog = Pick<ReplicationOptions, 'sequence' | 'baseBytes' | 'frameBytes'>;

/** Parts of a {@link HeldWallet}. */
export interface HeldWalletParts {
  readonly lease: Lease;
  readonly leases: Pick<Leases, 'setKeysFile'>;
  readonly logs: Pick<PageLogs, 'append' | 'putBase'>;
  readonly quorum: Quorum;
  readonly paths: WalletPaths;
  readonly stored: StoredLog;
  /** True if the local store was rebuilt from the database, and its pages were not checked. */
  readonly isRebuilt: boolean;
  readonly clock: Clock;
  readonly log: WalletLog;
  /** Longest wait for the quorum [ms]; absent: the longest wait of the store. */
  readonly timeoutMs?: number | undefined;
  /** True if the wallet was served before, and another process has to go on if it cannot be opened here. */
  readonly wasServed: boolean;
  /** Removes the wallet from the cluster. */
  readonly onRemove: () => Promise<void>;
  /** Ends the lease. @param isComplete true if the database stores everything that the local files contain. */
  readonly onEnd: (isComplete: boolean) => Promise<void>;
}

/** Time for which events of old blocks are collected before they are stored [ms]. */
const CATCHING_UP_MS = 5000;

/** Longest time for which a wallet that is closed waits until its last changes are replicated [ms]. */
const CLOSING_MS = 5000;

/**
 * Holding of one wallet of the cluster, from the beginning of its lease to its end: sends the changes of its store and
 * of its keys file to the database. The holding outlives the store when the wallet is opened again with new keys.
 */
export class HeldWallet implements Holding {
  readonly #parts: HeldWalletParts;
  readonly #sendingKeys = new Mutex();
  /** Version of the keys file that the database stores. */
  #keysVersion: string;
  #stored: StoredLog;
  #replication: Replication | undefined;
  /**
   * Failures that were logged, by their message: the reason, and the number of changes that the database had received
   * before.
   */
  readonly #logged = new Map<string, string>();
  #events: FlushedEvents | undefined;
  /** Ends the timer of {@link advanceEvents}; undefined while the timer is not set. */
  #cancelAdvance: (() => void) | undefined;
  #isToBeChecked: boolean;
  /** Reason of the loss of the wallet; undefined while it is held. */
  #lost: string | undefined;
  #destination: string | undefined;
  #isMoving = false;
  /** True if the last store was closed before all its changes were stored. */
  #isUnsure = false;
  #isEnded = false;
  /** Promise of the end of the holding; undefined before the end has begun. */
  #end: Promise<void> | undefined;
  #isToBeServed: boolean;
  #calls = 0;
  readonly #waiting = new Set<() => void>();

  constructor(parts: HeldWalletParts) {
    this.#parts = parts;
    this.#stored = parts.stored;
    this.#isToBeServed = parts.wasServed;
    this.#isToBeChecked = parts.isRebuilt;
    this.#keysVersion = keysFileVersion(parts.paths.keys);
  }

  get lease(): Lease {
    return this.#parts.lease;
  }

  get paths(): WalletPaths {
    return this.#parts.paths;
  }

  /** True if the local store was rebuilt from the database, and its pages were not checked yet. */
  get isToBeChecked(): boolean {
    return this.#isToBeChecked;
  }

  /** Notes that all pages of the local store were checked and found undamaged. */
  noteChecked(): void {
    this.#isToBeChecked = false;
  }

  /** Replication of the store while it is open; undefined otherwise. */
  get replication(): Replication | undefined {
    return this.#replication;
  }

  /**
   * Begins to send the changes of the wallet's store.
   * @param onEvents is called when more events of the wallet are stored by a quorum.
   * @throws WalletError `not_replicated` after a store whose last changes may not be stored: the database could take
   * these changes for changes of this store.
   */
  attach(store: WalletStore, onEvents: () => void): void {
    if (this.#isUnsure)
      throw new WalletError({
        kind: 'not_replicated',
        reason: 'changes before it was opened again may be lost',
      });
    const { lease, logs, clock, log, timeoutMs } = this.#parts;
    const sink = storeSink(logs, lease, (put) => this.#withKeys(put));
    this.#replication = store.replicate(sink, {
      ...this.#stored,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      onError: (error) => this.#logFailure(error),
    });
    this.#events = new FlushedEvents(store, clock, {
      onFlushed: onEvents,
      onError: (error) => log.warn({ err: error }, 'events of the wallet are not replicated yet'),
    });
    this.#events.advance();
  }

  /**
   * Logs why changes or a new base are not in the database. Each reason is logged once until the database has received
   * further changes or bases.
   */
  #logFailure(error: unknown): void {
    const isBase = error instanceof BaseNotRenewedError;
    const message = isBase
      ? 'the database keeps the former copy of the wallet with all changes since then, which grow'
      : 'changes of the wallet are not replicated yet';
    const { bases = 0, frames = 0 } = this.#replication ?? {};
    // Reasons that differ only in numbers, such as times and ports, count as the same reason.
    const reason = `${isBase ? bases : bases + frames} ${String(error).replaceAll(/\d+/g, '')}`;
    if (this.#logged.get(message) === reason) return;
    this.#logged.set(message, reason);
    this.#parts.log.warn({ err: error }, message);
  }

  /**
   * Stores a base; the first base of a new store is stored together with the keys file, because both must be replaced
   * at the same time. No other version of the keys file is stored meanwhile, because the base would overwrite it.
   * @param put stores the base, with the keys file if there is one.
   */
  async #withKeys(put: (keysFile?: Uint8Array) => Promise<void>): Promise<void> {
    if (this.#stored.baseBytes > 0) return put();
    await this.#sendingKeys.run(async () => {
      const { keys } = this.paths;
      const version = keysFileVersion(keys);
      if (version === '') return put();
      await put(await readKeysBytes(keys));
      this.#keysVersion = version;
      // Any size above 0 shows that the store has a base: later bases of this store do not replace the keys file.
      this.#stored = { ...this.#stored, baseBytes: 1 };
    });
  }

  /** Notes that the store was removed while the wallet was closed, because it gets new keys. */
  forgetStore(): void {
    this.#stored = { ...this.#stored, baseBytes: 0, frameBytes: 0 };
  }

  /**
   * Stores the events of a commit in the database. To be called after each commit with events. While a wallet reads old
   * blocks, its events are stored together some seconds later, because the pages of its store change with each commit.
   * @param isSynced true if the wallet has all blocks of the daemon.
   */
  advanceEvents(isSynced: boolean): void {
    if (isSynced) return this.#events?.advance();
    this.#cancelAdvance ??= this.#parts.clock.after(CATCHING_UP_MS, () => {
      this.#cancelAdvance = undefined;
      this.#events?.advance();
    });
  }

  get eventsUpTo(): number {
    return this.#events?.upTo ?? 0;
  }

  async settled(): Promise<void> {
    this.assertHeld();
    try {
      await this.#replication?.replicated();
      await this.#sendKeys();
    } catch (error) {
      throw replicationFault(error, this.lease.name);
    }
    this.assertHeld();
  }

  assertHeld(): void {
    if (!this.isLost) return assertQuorum(this.#parts.quorum);
    const holder = this.#lost ?? 'no process: its lease has ended';
    throw new WalletError({ kind: 'wallet_elsewhere', name: this.lease.name, holder });
  }

  /** Sends the keys file if it was replaced since it was last sent. A deleted keys file stays in the database. */
  #sendKeys(): Promise<void> | undefined {
    const { keys } = this.paths;
    const isSent = (version: string): boolean => version === '' || version === this.#keysVersion;
    if (isSent(keysFileVersion(keys))) return undefined;
    return this.#sendingKeys.run(async () => {
      const version = keysFileVersion(keys);
      if (isSent(version)) return;
      const keysFile = await readKeysBytes(keys);
      await this.#parts.leases.setKeysFile(this.lease, keysFile);
      this.#keysVersion = version;
    });
  }

  /**
   * Notes that this process holds the wallet no longer.
   * @param holder clause for messages that names the holder, if it is known.
   */
  lose(holder: string): void {
    this.#lost ??= holder;
    this.#replication?.drop();
  }

  get isLost(): boolean {
    return this.#lost !== undefined || !this.lease.isValid();
  }

  /**
   * Ends the sending of the changes of the store, before it is closed. Sends the rest, unless the wallet is lost.
   * @returns true if the database has stored the whole content of the store.
   */
  async detach(): Promise<boolean> {
    const [events, replication] = [this.#events, this.#replication];
    this.#events = undefined;
    this.#replication = undefined;
    this.#cancelAdvance?.();
    this.#cancelAdvance = undefined;
    if (this.isLost) replication?.drop();
    await events?.close();
    if (replication === undefined || this.isLost) return !this.isLost;
    try {
      await replication.close(CLOSING_MS);
      await this.#sendKeys();
      return true;
    } catch (error) {
      // After any error, the store has to be closed, and the lease has to end.
      this.#parts.log.error({ err: error }, 'changes of the wallet were not replicated before it was closed');
      this.#isUnsure = true;
      return false;
    } finally {
      const { sequence } = replication;
      this.#stored = { ...this.#stored, sequence };
    }
  }

  /**
   * Notes that the wallet is about to leave this process: new calls have to wait for the next holder.
   * @param destination address of the process that gets the wallet; undefined: any process may take it.
   */
  beginMove(destination: string | undefined): void {
    this.#isMoving = true;
    this.#destination = destination;
  }

  get isMoving(): boolean {
    return this.#isMoving;
  }

  /** Address of the process that gets the wallet when its holding ends; undefined: any process may take it. */
  get destination(): string | undefined {
    return this.#destination;
  }

  /** True once the wallet was closed here, and its holding was ended on purpose. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** True if another process has to serve the wallet when its holding ends here; false if it is closed on purpose. */
  get isToBeServed(): boolean {
    return this.#isToBeServed;
  }

  /** Notes that the wallet was opened: from now on, it is closed on purpose. */
  noteOpened(): void {
    this.#isToBeServed = false;
  }

  /** Notes that the wallet, which was open, cannot go on here. */
  noteFailed(): void {
    this.#isToBeServed = true;
  }

  /**
   * Ends the holding of the wallet, after its store was closed. Only the first call counts.
   * @param isComplete result of {@link detach}.
   */
  end(isComplete: boolean): Promise<void> {
    if (this.#end === undefined) {
      this.#isEnded = isComplete;
      this.#end = this.#parts.onEnd(isComplete);
    }
    return this.#end;
  }

  /** Ends the holding of a wallet whose creation failed, and removes it from the cluster. */
  remove(): Promise<void> {
    this.#end ??= this.#parts.onRemove();
    return this.#end;
  }

  /** Counts a call until the returned function is called. */
  begin(): () => void {
    this.#calls += 1;
    let isRunning = true;
    return () => {
      if (!isRunning) return;
      isRunning = false;
      this.#calls -= 1;
      if (this.#calls === 0) for (const resolve of this.#waiting) resolve();
    };
  }

  /** Resolves when no call is running, or after a time [ms]. */
  idle(ms: number): Promise<void> {
    if (this.#calls === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        this.#waiting.delete(end);
        resolve();
      };
      const cancel = this.#parts.clock.after(ms, end);
      this.#waiting.add(end);
    });
  }
}

/** Runs a call of the cluster's database. @throws SinkEndedError in place of the error of a lost lease. */
async function ending<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Fenced) throw new SinkEndedError(error.message, { cause: error });
    throw error;
  }
}

/**
 * Returns the receiver of the pages of a wallet's store that writes them to the database of the cluster.
 * @param withKeys stores a base by the given function, together with the keys file that is to replace the stored keys
 * file, if there is such a keys file.
 */
const storeSink = (
  logs: Pick<PageLogs, 'append' | 'putBase'>,
  lease: Lease,
  withKeys: (put: (keysFile?: Uint8Array) => Promise<void>) => Promise<void>,
): PageSink => ({
  append: (sequence, frame) => ending(() => logs.append(lease, sequence, frame)),
  putBase: (sequence, parts) =>
    ending(() => withKeys((keysFile) => logs.putBase(lease, sequence, parts, keysFile))),
});
