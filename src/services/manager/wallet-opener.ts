import { basename } from 'node:path';
import type { AccountSecrets } from '../../monero/carrot/account-secrets.js';
import type { AccountKeys } from '../../monero/cryptonote/account-keys.js';
import { readStoreKey, removeLeftoverDrafts } from '../../store/keys/background-files.js';
import type { KeysFile } from '../../store/keys/keys-file.js';
import { removeStore } from '../../store/file/atomic-replace.js';
import { fileError } from '../../store/file/file-errors.js';
import { draftKeysFile, keysFileVersion, loadKeysFile } from '../../store/keys/keys-file-disk.js';
import { lockWallet, type WalletLock } from '../../store/file/wallet-lock.js';
import { checkPages } from '../../store/backup/backup.js';
import { storeKeyOf } from '../../store/keys/keys-of-store.js';
import { cipherOf } from '../../store/file/store-cipher.js';
import { storeFormat } from '../../store/file/store-format.js';
import type { OnFileRestored } from '../../store/file/store-file.js';
import { IN_MEMORY } from '../../store/file/database.js';
import type { StoreOptions } from '../../store/replicate-file.js';
import { WalletStore } from '../../store/wallet-store.js';
import { monotonicMs, systemClock, unixSeconds } from '../../util/clock.js';
import { WalletError } from '../../model/wallet-error.js';
import type { GroupState } from '../../monero/wallet/multisig/account.js';
import type { DaemonConnection } from '../context/daemon-connection.js';
import type { Custody } from '../cluster/custody.js';
import type { HeldWallet } from '../cluster/held-wallet.js';
import { assertNoCopy, releaseName } from '../cluster/local-copy.js';
import { DaemonAccess } from '../context/daemon-access.js';
import type { Refresher } from '../../refresh/refresher.js';
import type { WebhookSending } from '../webhooks/webhook-sending.js';
import type { WorkerPools } from '../workers/worker-pools.js';
import type { ServerSettings } from './server-settings.js';
import { namedLog } from '../context/wallet-context.js';
import { keysOfFile } from '../context/keys-of-file.js';
import { Keystore } from '../context/keystore.js';
import { fillNewStore, type NewStore, createWalletFiles, discardWalletFiles } from './wallet-files.js';
import { importReferenceCache } from './reference-import.js';
import { assertApart, assertFree, type WalletPaths } from '../context/wallet-directory.js';
import { OpenWallet, type OpenWalletParts } from '../open-wallet.js';

/** A wallet that does not exist yet. */
export interface NewWallet {
  /** Paths of the wallet's files; undefined for a wallet in memory. */
  readonly paths: WalletPaths | undefined;
  readonly keys: AccountKeys;
  /** Keys of an account of the fork, from which `keys` were computed; absent in an account with the old keys. */
  readonly carrot?: AccountSecrets;
  /** Group state of a multisig participant; `keys.spendSecret` is then its signing key. */
  readonly multisig?: GroupState;
  /** Language of the seed; undefined if no language was given. */
  readonly language: { readonly name: string } | undefined;
  /** Stored Polyseed of the keys; absent if the keys do not come from a Polyseed. */
  readonly polyseed?: Uint8Array;
  readonly password: string;
  /** Height from which the wallet is scanned; undefined if no daemon answered. */
  readonly restoreHeight: number | undefined;
  /** True if the keys may have been used before: earlier payments to the wallet are then its history. */
  readonly hasHistory?: boolean;
  /** Time before which the wallet received nothing [Unix s]; absent: now. */
  readonly createdAt?: number;
}

/** Files and secrets from which a wallet is opened. */
export interface Opening {
  /** Paths of the wallet's files; absent for a wallet in memory, which also has no lock. */
  readonly paths?: WalletPaths | undefined;
  readonly lock?: WalletLock | undefined;
  /** Holding of the wallet in a cluster; absent without a cluster. */
  readonly held?: HeldWallet | undefined;
  readonly keysFile: KeysFile;
  readonly password: string;
  /** Height from which a new store is scanned; undefined if no daemon answered. */
  readonly restoreHeight: number | undefined;
  /** Time at which a wallet with a possible history came here, for a new store. */
  readonly arrivedAt?: NewStore['arrivedAt'];
}

/** Resources that all open wallets share. */
export interface SharedResources extends Pick<OpenWalletParts, 'rekey'> {
  readonly daemon: DaemonConnection;
  readonly refresher: Refresher;
  readonly workers: WorkerPools;
  readonly webhookSending: WebhookSending;
  /** Wallets of the cluster that this process holds; absent without a cluster. */
  readonly custody?: Custody;
}

/** Opens and creates wallets: their lock, keys file and store. */
export class WalletOpener {
  readonly #settings: ServerSettings;
  readonly #shared: SharedResources;

  constructor(settings: ServerSettings, shared: SharedResources) {
    this.#settings = settings;
    this.#shared = shared;
  }

  /**
   * Creates the files of a wallet and opens it. Locks the wallet before any of its files is checked or written, and
   * replaces no file. A failure leaves no file except the lock file. Fetches the first blocks from the daemon while the
   * password is hashed.
   * @param isFirst true if no other wallet was created just before: the fetched blocks are then also scanned during the
   * hashing. Several new wallets are scanned together later, which takes less CPU than a scan for each wallet.
   * @throws WalletError `wallet_exists`, `keys_file_exists`, `wallet_locked`, `wallet_io`; `bad_cluster_request`
   * without a cluster, if there is a mark of a wallet in a cluster with this name.
   */
  async create(
    { paths, keys, carrot, multisig, polyseed, language, password, restoreHeight, ...past }: NewWallet,
    { isFirst = false }: { readonly isFirst?: boolean } = {},
  ): Promise<OpenWallet> {
    const now = unixSeconds(systemClock);
    const keysFile: KeysFile = {
      ...keys,
      watchOnly: keys.spendSecret === undefined && carrot?.tier !== 'master',
      seedLanguage: language?.name ?? '',
      network: this.#settings.network,
      refreshHeight: restoreHeight ?? 0,
      creationTimestamp: past.createdAt ?? now,
      ...(polyseed === undefined ? {} : { polyseed }),
      ...(multisig === undefined ? {} : { multisig }),
      ...(carrot === undefined ? {} : { carrot }),
      other: multisig === undefined ? {} : { enable_multisig: 1n },
    };
    const arrivedAt = past.hasHistory === true ? now : undefined;
    this.#shared.daemon.start();
    // Pages for an account of the fork are not scanned ahead: its view key alone does not find its own outputs.
    if (restoreHeight !== undefined && carrot?.tier !== 'generate-address')
      this.#shared.refresher.prefetch(
        restoreHeight,
        isFirst && carrot === undefined ? keys.viewSecret : undefined,
      );
    if (paths === undefined) return this.#openWallet({ keysFile, password, restoreHeight, arrivedAt });
    // The wallet is locked before the check of the store: an open wallet of the same name must be reported as existing,
    // not as a store of another name.
    const { custody } = this.#shared;
    if (custody === undefined) assertNoCopy(paths);
    assertFree(paths);
    assertApart(paths);
    await custody?.assertUnknown(paths.name);
    return this.#locked(paths, lockForCreation(paths), async (lock) => {
      if (custody === undefined) releaseName(paths);
      assertFree(paths);
      const { kdfRounds, rng } = this.#settings;
      await createWalletFiles({ paths, keysFile, password, restoreHeight, arrivedAt, kdfRounds, rng });
      let held: HeldWallet | undefined;
      try {
        held = await custody?.register(paths, { hasStore: false });
        return await this.#openWallet({ paths, lock, held, keysFile, password, restoreHeight, arrivedAt });
      } catch (error) {
        discardWalletFiles(paths);
        await held?.remove();
        throw error;
      }
    });
  }

  /**
   * Replaces the keys file of a closed wallet whose lock is held; a crash leaves the old or the new keys. Unless
   * `keepStore`, removes the store first, since only the old keys decrypt it: a new store is built from the chain.
   * @throws WalletError `wallet_io`; nothing is changed if the new keys cannot be written.
   */
  async rekey(
    paths: WalletPaths | undefined,
    keysFile: KeysFile,
    password: string,
    { keepStore }: { readonly keepStore: boolean },
  ): Promise<void> {
    if (paths === undefined) return;
    const { kdfRounds, rng } = this.#settings;
    const draft = await draftKeysFile(paths.keys, keysFile, password, kdfRounds, rng);
    try {
      if (!keepStore) removeStore(paths.store);
    } catch (error) {
      draft.discard();
      throw error;
    }
    await draft.replace();
  }

  /**
   * Reads the keys of a wallet that is to be opened, and starts the refresh threads while the password is hashed.
   * @throws WalletError `wrong_password`, `wallet_io`, `wallet_corrupt`, also for a wallet of another network.
   */
  async readKeys(paths: WalletPaths, password: string): Promise<KeysFile> {
    this.#shared.daemon.start();
    const keysFile = await loadKeysFile(paths.keys, password, this.#settings.kdfRounds);
    if (keysFile.network !== this.#settings.network)
      throw new WalletError({
        kind: 'wallet_corrupt',
        name: paths.name,
        reason: `it is a wallet of ${keysFile.network}`,
      });
    return keysFile;
  }

  /**
   * Opens the files of a wallet.
   * @param version version of the keys file when it was read. If another process has replaced the file since, the
   * wallet counts as locked. @param held holding of the wallet in a cluster; absent without a cluster.
   * @throws WalletError `bad_wallet_name`, `wallet_locked`, `wallet_io`, `wallet_corrupt`
   */
  async open(
    paths: WalletPaths,
    keysFile: KeysFile,
    password: string,
    version: string,
    held?: HeldWallet,
  ): Promise<OpenWallet> {
    assertApart(paths);
    return this.#locked(paths, lockWallet(paths.lock, paths.name), (lock) => {
      if (keysFileVersion(paths.keys) !== version)
        throw new WalletError({ kind: 'wallet_locked', name: paths.name });
      const { refreshHeight: restoreHeight } = keysFile;
      const arrivedAt = unixSeconds(systemClock);
      return this.#openWallet({ paths, lock, held, keysFile, password, restoreHeight, arrivedAt });
    });
  }

  /** Opens a wallet again that was closed while its lock was kept. */
  async reopen({ paths, lock, ...opening }: Opening): Promise<OpenWallet> {
    if (paths === undefined || lock === undefined) return this.#openWallet(opening);
    return this.#locked(paths, lock, () => this.#openWallet({ ...opening, paths, lock }));
  }

  /** Runs a task with a wallet's lock, and releases the lock if the task throws. */
  async #locked<T>(paths: WalletPaths, lock: WalletLock, task: (lock: WalletLock) => Promise<T>): Promise<T> {
    try {
      const leftovers = removeLeftoverDrafts(paths);
      if (leftovers.length > 0)
        this.#settings.log.warn(
          { name: paths.name, leftovers },
          'an earlier write of files of this wallet was interrupted; its drafts were removed',
        );
      return await task(lock);
    } catch (error) {
      lock.release();
      throw fileError(paths.store, error);
    }
  }

  async #openWallet({ paths, lock, held, ...opening }: Opening): Promise<OpenWallet> {
    const { keysFile, password } = opening;
    if (held?.isToBeChecked === true) await this.#checkRebuilt(held, keysFile);
    const store = await this.#openStore(paths?.store, opening, { isReplicated: held !== undefined });
    const {
      kdfRounds,
      exportFormat,
      openAlias,
      events,
      eventRetentionMs,
      requestSettings,
      payoutSettings,
      rng,
      log,
      noticeRunner,
    } = this.#settings;
    const { daemon, refresher, workers, webhookSending, rekey } = this.#shared;
    try {
      if (store.givenAddresses.check())
        namedLog(log, paths?.name ?? '').warn(
          {},
          'the store was not written last at its place, or is older than the one that was: new addresses leave a gap',
        );
      return new OpenWallet({
        ...(paths === undefined ? {} : { paths }),
        ...(lock === undefined ? {} : { lock }),
        ...(held === undefined ? {} : { held }),
        store,
        keystore: new Keystore({
          ...(paths === undefined ? {} : { path: paths.keys, store: paths.store }),
          keys: keysOfFile(keysFile),
          ...{ keysFile, password, kdfRounds, rng },
        }),
        daemon: new DaemonAccess(daemon),
        clock: systemClock,
        log: namedLog(log, paths?.name ?? ''),
        ...{ refresher, workers, webhookSending, rekey },
        ...{
          kdfRounds,
          exportFormat,
          openAlias,
          events,
          eventRetentionMs,
          requestSettings,
          payoutSettings,
          rng,
        },
        ...(noticeRunner === undefined ? {} : { noticeRunner }),
      });
    } catch (error) {
      store.close();
      throw error;
    }
  }

  /** Checks a store that was put together from the database of a cluster. @throws WalletError `wallet_corrupt`, `wallet_io` */
  async #checkRebuilt(held: HeldWallet, keysFile: KeysFile): Promise<void> {
    const { store } = held.paths;
    const key = storeKeyOf(keysFile);
    try {
      await checkPages(store, { key, cipher: cipherOf(store) });
      held.noteChecked();
    } finally {
      key.fill(0);
    }
  }

  /**
   * Opens the store of a wallet. Creates a missing store; imports it from a cache of the reference if there is such a
   * cache.
   */
  async #openStore(
    path: string | undefined,
    { keysFile, password, restoreHeight, arrivedAt }: Opening,
    options: StoreOptions,
  ): Promise<WalletStore> {
    const { backgroundKey } = keysFile;
    const key =
      path === undefined || backgroundKey === undefined
        ? storeKeyOf(keysFile)
        : await readStoreKey(path, backgroundKey);
    const store: NewStore = {
      restoreHeight,
      createdAt: keysFile.creationTimestamp,
      spendPublicKey: keysFile.spendPublicKey,
      arrivedAt,
    };
    const log = namedLog(this.#settings.log, path === undefined ? '' : basename(path));
    const onFileRestored: OnFileRestored = (backup) =>
      log.warn(
        { path, backup },
        'the store of the open wallet was deleted or replaced; it was written again',
      );
    const { eventSettings } = this.#settings;
    const format = path === undefined ? 'empty' : await storeFormat(path);
    if (path === undefined || format === 'empty')
      return WalletStore.create(
        path ?? IN_MEMORY,
        key,
        (w) => fillNewStore(w, store),
        onFileRestored,
        eventSettings,
        options,
      );
    if (format === 'foreign' && backgroundKey === undefined) {
      const { kdfRounds } = this.#settings;
      await importReferenceCache({ path, keysFile, password, kdfRounds, storeKey: key, store, log });
    }
    const begun = monotonicMs();
    const opened = await WalletStore.openInParts(path, key, onFileRestored, eventSettings, options);
    if (opened.upgrade !== undefined)
      log.info(
        { ...opened.upgrade, ms: Math.round(monotonicMs() - begun) },
        'the store was upgraded to the schema of this version',
      );
    return opened;
  }
}

/**
 * Locks a wallet that is to be created.
 * @throws WalletError `wallet_exists`, `keys_file_exists` also for an open wallet, `wallet_locked` for a wallet that is
 * being created.
 */
function lockForCreation(paths: WalletPaths): WalletLock {
  try {
    return lockWallet(paths.lock, paths.name);
  } catch (error) {
    assertFree(paths);
    throw error;
  }
}
