import { randomUUID } from 'node:crypto';
import { WalletKnown } from '../../cluster/errors.js';
import type { Departure, Lease, Leases, WalletEntry } from '../../cluster/lease.js';
import { WalletError } from '../../model/wallet-error.js';
import type { PageLogs, Quorum } from '../../cluster/cluster.js';
import { lockWallet } from '../../store/file/wallet-lock.js';
import { readKeysBytes } from '../../store/keys/keys-file-disk.js';
import type { Clock } from '../../util/clock.js';
import type { WalletPaths } from '../context/wallet-directory.js';
import { namedLog, type WalletLog } from '../context/wallet-context.js';
import {
  assertClosedStore,
  uploadClosedStore,
  assertCopy,
  isReturning,
  leftFault,
  markHeld,
  markJoining,
  markLeaving,
  markLeft,
  markReleased,
  markReturning,
  unmark,
  writeLocalCopy,
  type LocalCopy,
} from './local-copy.js';
import { HeldWallet } from './held-wallet.js';
import { replicationFault } from './cluster-faults.js';

/** Parts of a {@link Custody}. */
export interface CustodyParts {
  readonly leases: Leases;
  readonly logs: PageLogs;
  readonly quorum: Quorum;
  readonly clock: Clock;
  readonly log: WalletLog;
  /** Longest wait for the quorum [ms]; absent: the longest wait of the store. */
  readonly timeoutMs?: number | undefined;
}

/** Copy of a wallet that is added to the cluster. */
const NEW: LocalCopy = { stored: { sequence: 0, baseBytes: 0, frameBytes: 0 }, isRebuilt: false };

/** Wallets of the cluster that this process holds. */
export class Custody {
  readonly #parts: CustodyParts;
  readonly #held = new Map<string, HeldWallet>();
  /** Epoch of the last lease that was released here on purpose, by the name of the wallet. */
  readonly #released = new Map<string, bigint>();
  /** Epoch of the last lease that ended here without a release, by the name of the wallet. */
  readonly #lost = new Map<string, bigint>();
  /** Names of the wallets that this process is about to hold, or about to give away. */
  readonly #changing = new Set<string>();
  /** Wallets that were closed here, and whose release the database did not store, by name. */
  readonly #unfreed = new Map<string, { readonly lease: Lease; readonly isServed: boolean }>();
  #onLost: (held: HeldWallet) => void = () => undefined;
  /** True if other processes have to serve the wallets that this process closes. */
  #isStopping = false;

  constructor(parts: CustodyParts) {
    this.#parts = parts;
    parts.leases.onLost((lease, reason) => {
      const held = this.#held.get(lease.name);
      if (held?.lease !== lease) return;
      held.lose(reason === 'taken' ? 'another process' : 'no process: its lease has ended');
      const facts = { name: lease.name, epoch: String(lease.epoch), reason };
      parts.log.error(facts, 'the lease of a wallet was lost: the wallet is closed here');
      this.#onLost(held);
    });
  }

  /** Sets the listener that is called when this process has lost a wallet: it must close the wallet. */
  watchLost(listener: (held: HeldWallet) => void): void {
    this.#onLost = listener;
  }

  /** Finds the holding of a wallet by its name; undefined if this process does not hold it. */
  find(name: string): HeldWallet | undefined {
    return this.#held.get(name);
  }

  /**
   * True if this process has released the lease of an epoch, or is about to release it: a list of wallets that was read
   * before still has this lease.
   */
  hasReleased(name: string, epoch: bigint): boolean {
    return this.#released.get(name) === epoch;
  }

  /**
   * True if the lease of an epoch ended here without a release. In the database, it ends later, by the time that the
   * answer to its last renewal took: until then, the list of wallets has this lease.
   */
  hasLost(name: string, epoch: bigint): boolean {
    return this.#lost.get(name) === epoch;
  }

  /**
   * True while this process takes a wallet that it does not hold yet, or gives away a wallet that it no longer holds.
   */
  isChanging(name: string): boolean {
    return this.#changing.has(name);
  }

  all(): HeldWallet[] {
    return [...this.#held.values()];
  }

  /**
   * Begins to hold a wallet of the cluster, and writes its files.
   * @returns undefined if the cluster does not know the wallet, or if the wallet comes back with the files here.
   * @throws WalletError `bad_cluster_request` if the wallet has left, `wallet_elsewhere` if another process holds it,
   * `wallet_exists` if other files have its name, `not_replicated`, `wallet_io`, `wallet_locked`.
   */
  async acquire(paths: WalletPaths): Promise<HeldWallet | undefined> {
    const { name } = paths;
    const { leases, logs } = this.#parts;
    this.#changing.add(name);
    try {
      const taken = await this.#asking(name, () => leases.take(name));
      this.#unfreed.delete(name);
      if (taken === undefined) return undefined;
      if (taken.state === 'left') {
        if (isReturning(paths, taken.departure)) return undefined;
        throw leftFault(paths, taken.departure);
      }
      if (taken.state === 'held')
        throw new WalletError({ kind: 'wallet_elsewhere', name, holder: taken.holder });
      try {
        const lock = lockWallet(paths.lock, name);
        try {
          const copy = await this.#asking(name, () => writeLocalCopy(paths, taken, logs));
          return this.#add(paths, taken.lease, copy, taken.wasServed);
        } finally {
          lock.release();
        }
      } catch (error) {
        await this.#free(taken.lease, taken.wasServed);
        throw error;
      }
    } finally {
      this.#changing.delete(name);
    }
  }

  /** Checks that the cluster has no wallet of a name. @throws WalletError `wallet_exists`, `not_replicated` */
  async assertUnknown(name: string): Promise<void> {
    if ((await this.#entryOf(name)) !== undefined) throw new WalletError({ kind: 'wallet_exists', name });
  }

  /**
   * Adds a local wallet to the cluster, before it is opened. The cluster gets the store when the store is attached.
   * @param options `hasStore`: the store may contain data that the keys do not restore, so that no other process may
   * open the wallet before its store was stored.
   * @throws WalletError `wallet_exists`, `bad_cluster_request`, `not_replicated`, `wallet_io`
   */
  async register(paths: WalletPaths, options: { readonly hasStore: boolean }): Promise<HeldWallet> {
    const { name, keys } = paths;
    const keysFile = await readKeysBytes(keys);
    // The files are marked before the lease begins: otherwise a process that ends in between would later take its own
    // files for another wallet.
    const returnsFrom = await markJoining(paths);
    const lease = await this.#asking(name, async () => {
      try {
        return await this.#parts.leases.create(name, keysFile, { ...options, returnsFrom });
      } catch (error) {
        if (error instanceof WalletKnown && returnsFrom === undefined) unmark(paths);
        throw error;
      }
    });
    try {
      await markHeld(paths, lease.epoch);
      return this.#add(paths, lease, NEW, false);
    } catch (error) {
      await this.#free(lease, false);
      throw error;
    }
  }

  /**
   * Removes a wallet whose creation failed from the cluster. If the removal fails, the cluster keeps the keys of the
   * wallet.
   */
  async #remove({ lease, paths }: HeldWallet): Promise<void> {
    this.#held.delete(lease.name);
    try {
      await this.#parts.leases.remove(lease);
    } catch (error) {
      const facts = { err: error, name: lease.name };
      this.#parts.log.warn(facts, 'a wallet that was not created was not removed from the cluster');
    }
    unmark(paths);
  }

  /**
   * Takes a closed wallet out of the cluster: its files are completed here, and then no process can take it. A
   * repetition after an interruption goes on at the interrupted step.
   * @returns false for a wallet that has left with the files here before.
   * @throws WalletError `wallet_elsewhere` if another process holds it, `bad_cluster_request` for a wallet that is not known,
   * or has left with other files, `wallet_exists`, `not_replicated`, `wallet_io`
   */
  async takeOut(paths: WalletPaths, place: Pick<Departure, 'host' | 'directory'>): Promise<boolean> {
    const { name } = paths;
    const { departure } = (await this.#entryOf(name)) ?? {};
    if (departure !== undefined) {
      if (await markLeft(paths, departure)) return false;
      throw leftFault(paths, departure);
    }
    const held = await this.acquire(paths);
    if (held === undefined) throw badRequest(`the cluster has no wallet '${name}'`);
    const { lease } = held;
    const going = { ...place, token: randomUUID(), time: this.#parts.clock.now() };
    this.#held.delete(name);
    try {
      // The files are marked before the row is written: otherwise it would be unknown which of several copies belongs
      // to the wallet.
      await markLeaving(paths, lease.epoch, going.token);
      await this.#asking(name, () => this.#parts.leases.leave(lease, going));
    } catch (error) {
      // If the wallet has left nevertheless, freeing it changes nothing.
      await this.#free(lease, held.isToBeServed);
      throw error;
    }
    await markLeft(paths, going);
    return true;
  }

  /**
   * Brings a closed wallet into the cluster with its whole store: a wallet that has left with the files here, or a
   * wallet that the cluster does not know. The wallet stays closed in the cluster. A repetition after an interruption
   * goes on at the interrupted step.
   * @returns false for a wallet that the cluster has already.
   * @throws WalletError `bad_cluster_request` for other files, `wallet_locked`, `wallet_elsewhere`, `not_replicated`,
   * `wallet_io`
   */
  async bringIn(paths: WalletPaths): Promise<boolean> {
    const { name } = paths;
    const entry = await this.#entryOf(name);
    if (entry !== undefined && entry.departure === undefined && entry.sequence > 0) {
      assertCopy(paths);
      return false;
    }
    if (entry !== undefined && entry.departure === undefined) {
      const held = await this.acquire(paths);
      if (held === undefined) throw badRequest(`the wallet '${name}' has just left the cluster`);
      await this.#upload(held);
      return true;
    }
    const lock = lockWallet(paths.lock, name);
    try {
      assertClosedStore(paths);
      if (entry?.departure !== undefined) await markReturning(paths, entry.departure);
      await this.#upload(await this.register(paths, { hasStore: true }));
      return true;
    } finally {
      lock.release();
    }
  }

  /** Stores the whole store of a closed wallet, and ends its holding. */
  async #upload(held: HeldWallet): Promise<void> {
    const { paths, lease } = held;
    let isComplete = false;
    try {
      assertClosedStore(paths);
      await this.#asking(lease.name, () => uploadClosedStore(paths, lease, this.#parts.logs));
      isComplete = true;
    } finally {
      await held.end(isComplete);
    }
  }

  /** Finds a wallet of the cluster. @throws WalletError `not_replicated` */
  async #entryOf(name: string): Promise<WalletEntry | undefined> {
    const wallets = await this.#asking(name, () => this.#parts.leases.list());
    return wallets.find((wallet) => wallet.name === name);
  }

  /** Notes that this process stops: other processes have to serve the wallets that it closes from now on. */
  beginStop(): void {
    this.#isStopping = true;
  }

  /**
   * Notes a wallet that this process holds from now on.
   * @throws WalletError `wallet_elsewhere` if the lease has ended meanwhile: its loss was reported, and closed nothing.
   */
  #add(paths: WalletPaths, lease: Lease, copy: LocalCopy, wasServed: boolean): HeldWallet {
    const { leases, logs, quorum, clock, log, timeoutMs } = this.#parts;
    if (!lease.isValid()) {
      const holder = 'no process: its lease ended while the wallet was being opened';
      throw new WalletError({ kind: 'wallet_elsewhere', name: lease.name, holder });
    }
    const held = new HeldWallet({
      ...{ lease, leases, logs, quorum, paths, clock, timeoutMs, wasServed, ...copy },
      log: namedLog(log, paths.name),
      onRemove: () => this.#remove(held),
      onEnd: (isComplete) => this.#end(held, isComplete),
    });
    this.#held.set(paths.name, held);
    return held;
  }

  /** Ends the holding of a closed wallet: gives it to the process that it moves to, or releases it. */
  async #end(held: HeldWallet, isComplete: boolean): Promise<void> {
    const { lease, destination } = held;
    const isServed = held.isToBeServed || this.#isStopping || destination !== undefined;
    if (held.isLost) this.#lost.set(lease.name, lease.epoch);
    else if (!isServed) this.#released.set(lease.name, lease.epoch);
    if (this.#held.get(lease.name) === held) this.#held.delete(lease.name);
    this.#changing.add(lease.name);
    try {
      await this.#giveAway(held, isComplete, isServed);
    } finally {
      this.#changing.delete(lease.name);
    }
  }

  async #giveAway(held: HeldWallet, isComplete: boolean, isServed: boolean): Promise<void> {
    const { lease, destination } = held;
    // Without a mark of completeness the files are written anew when this process takes the wallet again. The files of
    // a wallet that goes to another process are outdated at once.
    if (isComplete && destination === undefined) await this.#markReleased(held);
    if (held.isLost) return;
    if (destination === undefined || !isComplete) return this.#free(lease, isServed);
    try {
      await this.#asking(lease.name, () => this.#parts.leases.handOver(lease, destination));
    } catch (error) {
      // If the other process has the wallet nevertheless, freeing it changes nothing.
      await this.#free(lease, true);
      throw error;
    }
  }

  /**
   * Marks the files of a wallet as complete. If the marking fails, the files are written anew when this process takes
   * the wallet again.
   */
  async #markReleased({ paths, lease }: HeldWallet): Promise<void> {
    try {
      await markReleased(paths, lease.epoch);
    } catch (error) {
      const facts = { err: error, name: lease.name };
      this.#parts.log.warn(facts, 'the files of a closed wallet were not marked as a complete copy');
    }
  }

  /**
   * Frees a wallet. After a failure, {@link freeRest} frees it: as long as this process lives, its leases do not end.
   * @param isServed true if another process has to serve the wallet; false if it is closed for all processes.
   */
  async #free(lease: Lease, isServed: boolean): Promise<void> {
    try {
      await this.#writeFree(lease, isServed);
    } catch (error) {
      this.#unfreed.set(lease.name, { lease, isServed });
      const facts = { err: error, name: lease.name };
      this.#parts.log.warn(
        facts,
        'the lease of a wallet was not released; it is released once the database answers',
      );
    }
  }

  #writeFree(lease: Lease, isServed: boolean): Promise<void> {
    const { leases } = this.#parts;
    return isServed ? leases.abandon(lease) : leases.release(lease);
  }

  /** Frees the wallets that could not be freed when they were closed. To be called while the database answers. */
  async freeRest(): Promise<void> {
    for (const [name, unfreed] of this.#unfreed)
      try {
        await this.#writeFree(unfreed.lease, unfreed.isServed);
        // Meanwhile, the wallet may have been taken and closed again.
        if (this.#unfreed.get(name) === unfreed) this.#unfreed.delete(name);
      } catch (error) {
        this.#parts.log.warn({ err: error, name }, 'the lease of a wallet is not released yet');
      }
  }

  /** Runs a task that asks the cluster. @throws WalletError in place of an error of the cluster */
  async #asking<T>(name: string, task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } catch (error) {
      throw replicationFault(error, name);
    }
  }
}

const badRequest = (reason: string): WalletError => new WalletError({ kind: 'bad_cluster_request', reason });
