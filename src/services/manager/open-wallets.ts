import type { Logger } from 'pino';
import type { KeysFile } from '../../store/keys/keys-file.js';
import { keysFileVersion } from '../../store/keys/keys-file-disk.js';
import { equalBytes } from '../../util/bytes.js';
import { KeyedMutex } from '../../util/keyed-mutex.js';
import { Mutex } from '../../util/mutex.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import { assertPresent, servedBy, type WalletPaths } from '../context/wallet-directory.js';
import type { OpenWallet } from '../open-wallet.js';
import { DEFAULT_PERIOD_SECONDS, type RefreshScheduler } from './refresh-scheduler.js';
import type { NewWallet, WalletOpener } from './wallet-opener.js';

/**
 * A reason for which a wallet is open: it is the current wallet of `/json_rpc`, or it was opened under its own path.
 * A wallet is closed with its last holder.
 */
export type Holder = 'current' | 'path';

interface Entry {
  wallet: OpenWallet;
  /** Absent for a wallet in memory. */
  readonly paths?: WalletPaths;
  readonly holders: Set<Holder>;
}

/** Key in {@link KeyedMutex} of wallets in memory, of which there is one at a time. */
const IN_MEMORY = '';

/**
 * The open wallets of a server. Opening, creating, changing the keys and closing one wallet exclude each other;
 * different wallets do not wait for each other.
 */
export class OpenWallets {
  readonly #log: Logger;
  readonly #scheduler: RefreshScheduler;
  /** By the path of the keys file. */
  readonly #entries = new Map<string, Entry>();
  /** By the path of the store: background files share that of the wallet. */
  readonly #changing = new KeyedMutex();
  /** The wallet of `/json_rpc` changes one request at a time. */
  readonly #switching = new Mutex();
  #opener: WalletOpener | undefined;
  #current: Entry | undefined;
  /** Refresh period of wallets opened by `/json_rpc` [s]; undefined: refreshed by request only. */
  #currentPeriod: number | undefined = DEFAULT_PERIOD_SECONDS;

  constructor(log: Logger, scheduler: RefreshScheduler) {
    this.#log = log;
    this.#scheduler = scheduler;
  }

  /** Sets the opener, which in turn needs {@link rekey}. To be called once, before any wallet is opened. */
  use(opener: WalletOpener): void {
    this.#opener = opener;
  }

  /** The current wallet of `/json_rpc`. */
  get current(): OpenWallet | undefined {
    return this.#current?.wallet;
  }

  /** The wallet that was opened under the path of its name. */
  underPath({ keys }: WalletPaths): OpenWallet | undefined {
    const entry = this.#entries.get(keys);
    return entry?.holders.has('path') === true ? entry.wallet : undefined;
  }

  /** The open wallet with a keys file, whatever holds it open. */
  withKeysFile(path: string): OpenWallet | undefined {
    return this.#entries.get(path)?.wallet;
  }

  /** Every open wallet. */
  all(): OpenWallet[] {
    const inMemory = this.#current !== undefined && this.#current.paths === undefined ? [this.#current] : [];
    return [...this.#entries.values(), ...inMemory].map(({ wallet }) => wallet);
  }

  /**
   * Opens a wallet, or adds a holder to an open one. As the current wallet it replaces the one before, which stays
   * current where opening fails; the same wallet once more is closed and opened again unless its path holds it.
   * @throws WalletError `wallet_missing`, `wrong_password`, `wallet_locked`, `wallet_io`, `wallet_corrupt`
   */
  open(paths: WalletPaths, password: string, holder: Holder): Promise<OpenWallet> {
    return this.#hold(holder, lockKey(paths), () => this.#open(paths, password, holder));
  }

  /** Creates a wallet and opens it. @param paths absent: in memory. @throws WalletError `wallet_exists`, `wallet_io` */
  create(wallet: NewWallet, holder: Holder): Promise<OpenWallet> {
    const { paths } = wallet;
    return this.#hold(holder, lockKey(paths), async () =>
      this.#add(await this.#opening.create(wallet), paths, holder),
    );
  }

  /** Removes a holder of a wallet, and closes the wallet with its last one. @throws WalletError `no_wallet` */
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
   * Gives an open wallet other keys: closes it and opens it again, for the same holders.
   * @param change creates the new keys file. Where it throws, nothing was changed.
   * @throws WalletError `no_wallet` for a wallet that is not open any more.
   */
  rekey(wallet: OpenWallet, change: () => Promise<KeysFile>): Promise<void> {
    return this.#changing.run(keyOf(wallet), async () => {
      const entry = this.#entryOf(wallet);
      if (entry === undefined) throw new WalletError({ kind: 'no_wallet' });
      // Copies: the wallet wipes its keys when it closes.
      const after = structuredClone(await change());
      const before = structuredClone(wallet.keystore.whole);
      const { paths } = entry;
      const { restoreHeight } = wallet.sync;
      const { password } = wallet.keystore;
      const keepStore =
        equalBytes(after.spendPublicKey, before.spendPublicKey) &&
        equalBytes(after.viewPublicKey, before.viewPublicKey);
      // No other process may open it in between.
      const lock = wallet.handLockOver();
      const opening = { paths, lock, password, restoreHeight };
      const reopen = async (keysFile: KeysFile): Promise<void> => {
        try {
          entry.wallet = await this.#opening.reopen({ ...opening, keysFile });
        } catch (error) {
          this.#forget(entry);
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
        throw error;
      }
      try {
        await this.#opening.rekey(paths, after, password, { keepStore });
      } catch (error) {
        await reopen(before);
        throw error;
      }
      await reopen(after);
    });
  }

  /**
   * Sets the refresh period of a wallet; of the current one, for each wallet that becomes current later too.
   * @param seconds undefined: refreshed by request only.
   */
  setPeriod(wallet: OpenWallet | undefined, holder: Holder, seconds: number | undefined): void {
    if (holder === 'current') this.#currentPeriod = seconds;
    if (wallet !== undefined) this.#scheduler.setPeriod(wallet, seconds);
  }

  /** Closes every wallet. @throws the first error of closing one, once all are closed. */
  async close(): Promise<void> {
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

  get #opening(): WalletOpener {
    if (this.#opener === undefined) throw new Error('open wallets without an opener');
    return this.#opener;
  }

  /** Runs a task that opens a wallet under the locks that its holder needs. */
  #hold(holder: Holder, key: string, task: () => Promise<Entry>): Promise<OpenWallet> {
    const locked = (): Promise<Entry> => this.#changing.run(key, task);
    if (holder === 'path') return locked().then(({ wallet }) => wallet);
    return this.#switching.run(async () => {
      const before = this.#current;
      const entry = await locked();
      this.#current = entry;
      if (before !== undefined && before !== entry) await this.#replaced(before);
      return entry.wallet;
    });
  }

  async #open(paths: WalletPaths, password: string, holder: Holder): Promise<Entry> {
    assertPresent(paths);
    const version = keysFileVersion(paths.keys);
    // The password is checked before an open wallet is closed.
    const keysFile = await this.#opening.readKeys(paths, password);
    try {
      const place = keysFile.backgroundKey === undefined ? paths : servedBy(paths);
      const known = this.#entries.get(place.keys);
      if (known !== undefined && (holder === 'path' || known.holders.has('path'))) {
        known.holders.add(holder);
        return known;
      }
      await this.#giveWay(place, holder);
      const wallet = await this.#opening.open(place, keysFile, password, version);
      try {
        await wallet.backgroundSync.resume();
      } catch (error) {
        await wallet.close();
        throw error;
      }
      return this.#add(wallet, place, holder);
    } finally {
      // The wallet has copies of its own.
      for (const secret of [keysFile.viewSecret, keysFile.spendSecret]) secret?.fill(0);
    }
  }

  /** Closes the current wallet where it has the store of the one that takes its place. */
  async #giveWay({ store }: WalletPaths, holder: Holder): Promise<void> {
    const current = this.#current;
    if (holder !== 'current' || current?.paths?.store !== store || current.holders.has('path')) return;
    await this.#remove(current, 'current');
  }

  #add(wallet: OpenWallet, paths: WalletPaths | undefined, holder: Holder): Entry {
    const entry: Entry = { wallet, holders: new Set([holder]), ...(paths === undefined ? {} : { paths }) };
    if (paths !== undefined) this.#entries.set(paths.keys, entry);
    this.#scheduler.add(wallet, holder === 'current' ? this.#currentPeriod : DEFAULT_PERIOD_SECONDS);
    return entry;
  }

  /** Releases the wallet that was current before another one. Its trouble is not an error of opening the other. */
  async #replaced(before: Entry): Promise<void> {
    try {
      await this.#changing.run(keyOf(before.wallet), () => this.#remove(before, 'current'));
    } catch (error) {
      this.#log.error(
        { err: error, name: before.wallet.name },
        'the wallet that was current before could not be closed cleanly',
      );
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

/** Background files and the wallet that they belong to share a store, and so a key. */
const lockKey = (paths: WalletPaths | undefined): string =>
  paths === undefined ? IN_MEMORY : servedBy(paths).store;

const keyOf = ({ paths }: OpenWallet): string => lockKey(paths);
