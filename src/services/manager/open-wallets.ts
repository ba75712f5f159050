import type { Logger } from 'pino';
import type { KeysFile } from '../../store/keys/keys-file.js';
import { keysFileVersion } from '../../store/keys/keys-file-disk.js';
import { equalBytes } from '../../util/bytes.js';
import { KeyedMutex, Mutex } from '../../util/concurrency.js';
import { WalletError } from '../../model/wallet-error.js';
import type { Custody } from '../cluster/custody.js';
import type { HeldWallet } from '../cluster/held-wallet.js';
import { assertNoCopy } from '../cluster/local-copy.js';
import { seesPayments } from '../../monero/wallet/keys.js';
import { wipeKeysFile } from '../context/keys-of-file.js';
import { assertPresent, backgroundPaths, type WalletPaths } from '../context/wallet-directory.js';
import type { OpenWallet, OpenWalletParts } from '../open-wallet.js';
import { CURRENT, Openings } from './openings.js';
import { DEFAULT_PERIOD_SECONDS, type RefreshScheduler } from './refresh-scheduler.js';
import type { NewWallet, WalletOpener } from './wallet-opener.js';

/**
 * Reason why a wallet is open: it is the current wallet of `/json_rpc`, or it was opened under its own path. A wallet
 * is closed when its last holder releases it.
 */
export type Holder = 'current' | 'path';

/** Replaces the keys of an open wallet: see {@link OpenWallets.rekey}. */
export type RekeyWallet = OpenWalletParts['rekey'];

interface Entry {
  wallet: OpenWallet;
  /** Paths of the wallet's files; absent for a wallet in memory. */
  readonly paths?: WalletPaths;
  readonly holders: Set<Holder>;
}

/** Longest time for which a wallet that moves waits for the end of its calls [ms]. */
const MOST_CALL_MS = 10_000;

/** Key of the wallet in memory in a {@link KeyedMutex}; only one such wallet is open at a time. */
const IN_MEMORY = '';

/**
 * Registry of the open wallets of a server. Opening, creating, rekeying and closing of one wallet exclude each other;
 * different wallets do not wait for each other.
 */
export class OpenWallets {
  /** Wallets that are being opened, or are about to be. */
  readonly openings = new Openings();
  readonly #log: Logger;
  readonly #scheduler: RefreshScheduler;
  readonly #opener: WalletOpener;
  /** Wallets of the cluster that this process holds; undefined without a cluster. */
  readonly #custody: Custody | undefined;
  /** Open wallets by the path of the keys file. */
  readonly #entries = new Map<string, Entry>();
  /** Locks by path of the store; background files share the store, and thus the lock, with their main wallet. */
  readonly #changing = new KeyedMutex();
  /** Held while the current wallet of `/json_rpc` is replaced. */
  readonly #switching = new Mutex();
  #current: Entry | undefined;
  #isClosed = false;
  /** Refresh period of newly opened wallets [s]; undefined: they are refreshed on request only. */
  readonly #period: number | undefined;
  /** Refresh period of wallets opened through `/json_rpc` [s]; undefined: they are refreshed on request only. */
  #currentPeriod: number | undefined;

  /**
   * @param createOpener creates the opener, whose wallets change their keys by {@link rekey} of this registry.
   * @param period refresh period of newly opened wallets [s]; 0: they are refreshed on request only.
   * @param custody absent without a cluster.
   */
  constructor(
    log: Logger,
    scheduler: RefreshScheduler,
    createOpener: (rekey: RekeyWallet) => WalletOpener,
    period = DEFAULT_PERIOD_SECONDS,
    custody?: Custody,
  ) {
    this.#custody = custody;
    custody?.watchLost((held) => void this.#dropLost(held));
    this.#period = period === 0 ? undefined : period;
    this.#currentPeriod = this.#period;
    this.#log = log;
    this.#scheduler = scheduler;
    this.#opener = createOpener((wallet, change) => this.rekey(wallet, change));
  }

  /** The current wallet of `/json_rpc`; undefined if there is no current wallet. */
  get current(): OpenWallet | undefined {
    return this.#current?.wallet;
  }

  /** Finds a wallet that was opened under its own path; undefined if it is not open under this path. */
  findByPath({ keys }: WalletPaths): OpenWallet | undefined {
    const entry = this.#entries.get(keys);
    return entry?.holders.has('path') === true ? entry.wallet : undefined;
  }

  /** Finds an open wallet by the path of its keys file, for any holder. */
  findByKeysFile(path: string): OpenWallet | undefined {
    return this.#entries.get(path)?.wallet;
  }

  all(): OpenWallet[] {
    const inMemory = this.#current !== undefined && this.#current.paths === undefined ? [this.#current] : [];
    return [...this.#entries.values(), ...inMemory].map(({ wallet }) => wallet);
  }

  /**
   * Opens a wallet, or adds a holder to an open wallet. For the holder `current` the opened wallet replaces the current
   * wallet, which stays current if the opening fails. If the wallet is the current wallet already, it is closed and
   * opened again, unless it is also held by its path.
   * @throws WalletError `wallet_missing`, `wrong_password`, `wallet_locked`, `wallet_io`, `wallet_corrupt`
   */
  open(paths: WalletPaths, password: string, holder: Holder): Promise<OpenWallet> {
    return this.#openFor(holder, paths, () => this.#open(paths, password, holder));
  }

  /** Creates a wallet and opens it. @throws WalletError `wallet_exists`, `keys_file_exists`, `wallet_io` */
  create(wallet: NewWallet, holder: Holder): Promise<OpenWallet> {
    const { paths } = wallet;
    return this.#scheduler.creating((isFirst) =>
      this.#openFor(holder, paths, async () =>
        this.#add(await this.#opener.create(wallet, { isFirst }), paths, holder, { isNew: true }),
      ),
    );
  }

  /** Removes a holder of a wallet, and closes the wallet if no holder is left. @throws WalletError `no_wallet` */
  async release(wallet: OpenWallet, holder: Holder): Promise<void> {
    const release = async (): Promise<void> => {
      const entry = this.#entryOf(wallet);
      if (entry?.holders.has(holder) !== true) throw new WalletError({ kind: 'no_wallet' });
      await this.#remove(entry, holder);
    };
    const locked = (): Promise<void> => this.#changing.run(keyOf(wallet), release);
    await (holder === 'current' ? this.#switching.run(locked) : locked());
  }

  /**
   * Replaces the keys of an open wallet: closes it and opens it again for the same holders.
   * @param change returns the content of the new keys file. If it throws, nothing is changed.
   * @throws WalletError `no_wallet` for a closed wallet.
   */
  rekey(wallet: OpenWallet, change: () => Promise<KeysFile>): Promise<void> {
    return this.#changing.run(keyOf(wallet), async () => {
      const entry = this.#entryOf(wallet);
      if (entry === undefined) throw new WalletError({ kind: 'no_wallet' });
      // The keys are copied, because the wallet wipes its keys when it closes.
      const after = structuredClone(await change());
      const before = structuredClone(wallet.keystore.whole);
      const { paths } = entry;
      const { restoreHeight } = wallet.sync;
      const { password } = wallet.keystore;
      const keepStore =
        equalBytes(after.spendPublicKey, before.spendPublicKey) &&
        equalBytes(after.viewPublicKey, before.viewPublicKey);
      // The lock is kept, so that no other process can open the wallet before it is opened again.
      const { lock, held } = wallet.detachLock();
      const opening = { paths, lock, held, password, restoreHeight };
      const reopen = async (keysFile: KeysFile): Promise<void> => {
        try {
          entry.wallet = await this.#opener.reopen({ ...opening, keysFile });
        } catch (error) {
          this.#scheduler.remove(wallet);
          this.#forget(entry);
          held?.noteFailed();
          await held?.end(false);
          throw error;
        }
        this.#scheduler.replace(wallet, entry.wallet);
      };
      try {
        await wallet.close();
      } catch (error) {
        lock?.release();
        this.#scheduler.remove(wallet);
        this.#forget(entry);
        held?.noteFailed();
        await held?.end(false);
        throw error;
      }
      try {
        if (!keepStore) held?.forgetStore();
        await this.#opener.rekey(paths, after, password, { keepStore });
      } catch (error) {
        await reopen(before);
        throw error;
      }
      await reopen(after);
    });
  }

  /**
   * Sets the refresh period of a wallet. For the holder `current`, the period also applies to each later current
   * wallet.
   * @param seconds period [s]; undefined: refreshed on request only.
   */
  setPeriod(wallet: OpenWallet | undefined, holder: Holder, seconds: number | undefined): void {
    if (holder === 'current') this.#currentPeriod = seconds;
    if (wallet !== undefined) this.#scheduler.setPeriod(wallet, seconds);
  }

  /**
   * Closes all wallets, including wallets that are still being opened.
   * @throws the first error of closing a wallet, after all wallets are closed.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    const closing = this.all().map((wallet) =>
      this.#changing.run(keyOf(wallet), async () => {
        const entry = this.#entryOf(wallet);
        if (entry === undefined) return;
        this.#forget(entry);
        await this.#close(entry.wallet);
      }),
    );
    const results = await Promise.allSettled(closing);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** Runs a task that opens a wallet, under the locks that its holder needs. */
  async #openFor(
    holder: Holder,
    paths: WalletPaths | undefined,
    task: () => Promise<Entry>,
  ): Promise<OpenWallet> {
    const end = this.openings.begin(holder === 'path' && paths !== undefined ? paths.name : CURRENT);
    try {
      const wallet = await this.#openLocked(holder, lockKey(paths), task);
      end(true);
      return wallet;
    } catch (error) {
      end(false);
      throw error;
    }
  }

  #openLocked(holder: Holder, key: string, task: () => Promise<Entry>): Promise<OpenWallet> {
    const locked = (): Promise<Entry> =>
      this.#changing.run(key, async () => {
        const entry = await task();
        if (!this.#isClosed) return entry;
        await this.#remove(entry, holder);
        throw new WalletError({ kind: 'no_wallet' });
      });
    if (holder === 'path') return locked().then(({ wallet }) => wallet);
    return this.#switching.run(async () => {
      const before = this.#current;
      const entry = await locked();
      this.#current = entry;
      if (before?.holders.has('current') && before !== entry) await this.#releaseReplaced(before);
      return entry.wallet;
    });
  }

  async #open(paths: WalletPaths, password: string, holder: Holder): Promise<Entry> {
    if (this.#custody === undefined) assertNoCopy(backgroundPaths(paths));
    // The wallet may be known only to the cluster, and then its files are written.
    const held = this.#entries.has(paths.keys) ? undefined : await this.#custody?.acquire(paths);
    try {
      const entry = await this.#openFiles(paths, password, holder, held);
      if (entry.wallet.held !== held) await held?.end(true);
      entry.wallet.held?.noteOpened();
      return entry;
    } catch (error) {
      // The files of the wallet are unchanged, unless its holding has ended already.
      await held?.end(true);
      throw error;
    }
  }

  /** Opens the files of a wallet. @param held holding of a wallet that the cluster knows and that is not open. */
  async #openFiles(
    paths: WalletPaths,
    password: string,
    holder: Holder,
    held: HeldWallet | undefined,
  ): Promise<Entry> {
    assertPresent(paths);
    const version = keysFileVersion(paths.keys);
    // Checks the password before the open wallet is closed.
    const keysFile = await this.#opener.readKeys(paths, password);
    try {
      const located = keysFile.backgroundKey === undefined ? paths : backgroundPaths(paths);
      const known = this.#entries.get(located.keys);
      if (known !== undefined && (holder === 'path' || known.holders.has('path'))) {
        known.holders.add(holder);
        return known;
      }
      await this.#closeSharedStore(located, holder);
      const holding = held ?? (await this.#register(located, keysFile));
      try {
        const wallet = await this.#opener.open(located, keysFile, password, version, holding);
        try {
          await wallet.backgroundSync.resume();
        } catch (error) {
          await wallet.close();
          throw error;
        }
        return this.#add(wallet, located, holder);
      } catch (error) {
        // The store may have been changed by an upgrade.
        await holding?.end(false);
        throw error;
      }
    } finally {
      // The keys that were read are wiped, because the open wallet has its own copies.
      wipeKeysFile(keysFile);
    }
  }

  /**
   * Adds a wallet of the directory to the cluster, if this process belongs to a cluster.
   * @throws WalletError `bad_cluster_request` for a background wallet, which has the store of its main wallet.
   */
  async #register(paths: WalletPaths, { backgroundKey }: KeysFile): Promise<HeldWallet | undefined> {
    if (this.#custody === undefined) return undefined;
    if (backgroundKey !== undefined)
      throw new WalletError({
        kind: 'bad_cluster_request',
        reason: 'a background wallet cannot be opened in a cluster: open its main wallet',
      });
    return this.#custody.register(paths, { hasStore: true });
  }

  /** Closes a wallet that this process no longer holds. */
  async #dropLost(held: HeldWallet): Promise<void> {
    await this.#endHolding(held).catch((error: unknown) =>
      this.#log.error({ err: error, name: held.lease.name }, 'closing a lost wallet of the cluster failed'),
    );
  }

  /**
   * Closes a wallet that moves to another process of the cluster, for all its holders. Waits for the end of running
   * calls. The move must have begun before.
   */
  async handOver(held: HeldWallet): Promise<void> {
    await held.idle(MOST_CALL_MS);
    await this.#endHolding(held);
  }

  #endHolding(held: HeldWallet): Promise<void> {
    return this.#changing.run(lockKey(held.paths), async () => {
      const entry = this.#entries.get(held.paths.keys);
      if (entry?.wallet.held !== held) return;
      this.#forget(entry);
      await this.#close(entry.wallet);
    });
  }

  /** Closes the current wallet if it has the same store as the wallet that replaces it. */
  async #closeSharedStore({ store }: WalletPaths, holder: Holder): Promise<void> {
    const current = this.#current;
    if (holder !== 'current' || current?.paths?.store !== store || current.holders.has('path')) return;
    await this.#remove(current, 'current');
  }

  #add(
    wallet: OpenWallet,
    paths: WalletPaths | undefined,
    holder: Holder,
    options?: { readonly isNew: boolean },
  ): Entry {
    const entry: Entry = { wallet, holders: new Set([holder]), ...(paths === undefined ? {} : { paths }) };
    if (paths !== undefined) this.#entries.set(paths.keys, entry);
    const period = holder === 'current' ? this.#currentPeriod : this.#period;
    // A wallet that makes addresses alone reads no blocks.
    if (seesPayments(wallet.keys)) this.#scheduler.add(wallet, period, options);
    return entry;
  }

  /** Releases the replaced current wallet. Only logs a failure, since the other wallet was opened successfully. */
  async #releaseReplaced(before: Entry): Promise<void> {
    try {
      await this.#changing.run(keyOf(before.wallet), () => this.#remove(before, 'current'));
    } catch (error) {
      this.#log.error({ err: error, name: before.wallet.name }, 'closing the previous current wallet failed');
    }
  }

  async #remove(entry: Entry, holder: Holder): Promise<void> {
    entry.holders.delete(holder);
    if (holder === 'current' && this.#current === entry) this.#current = undefined;
    if (entry.holders.size > 0) return;
    this.#forget(entry);
    await this.#close(entry.wallet);
  }

  async #close(wallet: OpenWallet): Promise<void> {
    this.#scheduler.remove(wallet);
    await wallet.close();
  }

  #forget(entry: Entry): void {
    if (this.#current === entry) this.#current = undefined;
    const { paths } = entry;
    if (paths !== undefined && this.#entries.get(paths.keys) === entry) this.#entries.delete(paths.keys);
  }

  #entryOf(wallet: OpenWallet): Entry | undefined {
    const { paths } = wallet;
    const entry = paths === undefined ? this.#current : this.#entries.get(paths.keys);
    return entry?.wallet === wallet ? entry : undefined;
  }
}

/** Key of the lock of a wallet: the path of its store, which background files share with their main wallet. */
const lockKey = (paths: WalletPaths | undefined): string =>
  paths === undefined ? IN_MEMORY : backgroundPaths(paths).store;

const keyOf = ({ paths }: OpenWallet): string => lockKey(paths);
