import type { SecretKey } from '../crypto/types.js';
import type { AccountKeys } from '../cryptonote/account-keys.js';
import type { Language } from '../cryptonote/languages.js';
import { readStoreKey } from '../store/background-files.js';
import type { KeysFile } from '../store/keys-file.js';
import { loadKeysFile, saveKeysFile } from '../store/keys-file-disk.js';
import { lockWallet } from '../store/lock.js';
import { storeKey } from '../store/store-key.js';
import { storePlace } from '../store/store-place.js';
import { WalletFile, type OnGone } from '../store/wallet-file.js';
import { Secret } from '../util/secret.js';
import { WalletError } from '../wallet/fault.js';
import type { WalletKeys } from '../wallet/keys.js';
import type { GroupState } from '../wallet/multisig/account.js';
import type { DaemonLink } from './daemon-link.js';
import type { ServerSettings } from './server-settings.js';
import { KeyKeeper } from './key-keeper.js';
import { fillNewStore, type NewStore } from './new-store.js';
import { importReferenceCache } from './reference-import.js';
import type { WalletPaths } from './wallet-directory.js';
import { WalletSession } from './wallet-session.js';

/** A wallet that does not exist yet. */
export interface NewWallet {
  /** Absent for a wallet in memory. */
  readonly paths: WalletPaths | undefined;
  readonly keys: AccountKeys;
  /** Of a participant of a group, whose spend secret is its signing key. */
  readonly multisig?: GroupState;
  /** Of its seed; undefined where nobody said. */
  readonly language: Language | undefined;
  readonly password: string;
  /** First height to scan; undefined where no daemon could be asked. */
  readonly restoreHeight: number | undefined;
}

/** Turns files into open wallets: keys file, lock, store. */
export class WalletOpener {
  readonly #settings: ServerSettings;
  readonly #link: DaemonLink;

  constructor(settings: ServerSettings, link: DaemonLink) {
    this.#settings = settings;
    this.#link = link;
  }

  /** Writes the keys file, then opens the wallet. */
  async create({
    paths,
    keys,
    multisig,
    language,
    password,
    restoreHeight,
  }: NewWallet): Promise<WalletSession> {
    const keysFile: KeysFile = {
      ...keys,
      watchOnly: keys.spendSecret === undefined,
      seedLanguage: language?.name ?? '',
      network: this.#settings.network,
      refreshHeight: restoreHeight ?? 0,
      creationTimestamp: Math.floor(Date.now() / 1000),
      ...(multisig === undefined ? {} : { multisig }),
      other: multisig === undefined ? {} : { enable_multisig: 1n },
    };
    const { kdfRounds, rng } = this.#settings;
    if (paths !== undefined) await saveKeysFile(paths.keys, keysFile, password, kdfRounds, rng);
    return this.open(paths, keysFile, password, restoreHeight);
  }

  /**
   * Gives a closed wallet other keys, for good. A crash leaves the one or the other; the store goes first, as
   * only its own keys open it, and is made anew from the chain.
   */
  async rekey(
    paths: WalletPaths | undefined,
    keysFile: KeysFile,
    password: string,
    { keepStore }: { readonly keepStore: boolean },
  ): Promise<void> {
    if (paths === undefined) return;
    if (!keepStore) WalletFile.remove(paths.store);
    const { kdfRounds, rng } = this.#settings;
    await saveKeysFile(paths.keys, keysFile, password, kdfRounds, rng);
  }

  /** @throws WalletError `wrong_password`, `wallet_corrupt`, also for a wallet of another network. */
  async readKeys(paths: WalletPaths, password: string): Promise<KeysFile> {
    const keysFile = await loadKeysFile(paths.keys, password, this.#settings.kdfRounds);
    if (keysFile.network !== this.#settings.network)
      throw new WalletError({
        kind: 'wallet_corrupt',
        name: paths.name,
        reason: `it is a wallet of ${keysFile.network}`,
      });
    return keysFile;
  }

  /** @param restoreHeight for a store that is made now. @throws WalletError `wallet_locked`, `wallet_corrupt` */
  async open(
    paths: WalletPaths | undefined,
    keysFile: KeysFile,
    password: string,
    restoreHeight: number | undefined,
  ): Promise<WalletSession> {
    const lock = paths === undefined ? undefined : lockWallet(paths.lock, paths.name);
    let file: WalletFile | undefined;
    try {
      file = await this.#openStore(paths?.store, keysFile, password, restoreHeight);
      const keys = toKeys(keysFile);
      return new WalletSession({
        ...(paths === undefined ? {} : { paths }),
        ...(lock === undefined ? {} : { lock }),
        keys,
        keyKeeper: new KeyKeeper({
          ...(paths === undefined ? {} : { path: paths.keys, store: paths.store }),
          keys,
          keysFile,
          password,
          kdfRounds: this.#settings.kdfRounds,
          rng: this.#settings.rng,
        }),
        file,
        kdfRounds: this.#settings.kdfRounds,
        exportFormat: this.#settings.exportFormat,
        link: this.#link,
        openAlias: this.#settings.openAlias,
        events: this.#settings.events,
        log: this.#settings.log,
      });
    } catch (error) {
      try {
        file?.close();
      } finally {
        lock?.release();
      }
      throw error;
    }
  }

  /** Opens the store. Where there is none yet, or a cache of the reference, makes one. */
  async #openStore(
    path: string | undefined,
    keysFile: KeysFile,
    password: string,
    restoreHeight: number | undefined,
  ): Promise<WalletFile> {
    const { backgroundKey, viewSecret, spendSecret } = keysFile;
    const key =
      path === undefined || backgroundKey === undefined
        ? storeKey(viewSecret, spendSecret)
        : await readStoreKey(path, backgroundKey);
    const store: NewStore = {
      restoreHeight,
      createdAt: keysFile.creationTimestamp,
      spendPublicKey: keysFile.spendPublicKey,
    };
    const { log } = this.#settings;
    const onGone: OnGone = (aside) =>
      log.warn({ path, aside }, 'the file of the open wallet was gone from its place; it was written again');
    const place = path === undefined ? 'empty' : await storePlace(path);
    if (path === undefined || place === 'empty')
      return WalletFile.create(path ?? ':memory:', key, (w) => fillNewStore(w, store), onGone);
    if (place === 'foreign' && backgroundKey === undefined) {
      const { kdfRounds } = this.#settings;
      await importReferenceCache({ path, keysFile, password, kdfRounds, storeKey: key, store, log });
    }
    return WalletFile.open(path, key, onGone);
  }
}

const toKeys = (file: KeysFile): WalletKeys => ({
  network: file.network,
  spendPublicKey: file.spendPublicKey,
  viewPublicKey: file.viewPublicKey,
  viewSecret: kept(file.viewSecret),
  ...(file.spendSecret === undefined ? {} : spendingKeys(file, file.spendSecret)),
});

const kept = <K extends Uint8Array>(key: K): Secret<K> => new Secret(Uint8Array.from(key) as K);

/** The spend key, or a participant's part of it. */
const spendingKeys = (
  { multisig }: KeysFile,
  spendSecret: SecretKey,
): Pick<WalletKeys, 'spendSecret' | 'multisig'> => {
  if (multisig === undefined) return { spendSecret: kept(spendSecret) };
  const { shares, roundKeys, threshold, signers, roundsPassed } = multisig;
  return {
    multisig: {
      signerSecret: kept(spendSecret),
      shares: shares.map(kept),
      roundKeys: roundKeys.map(kept),
      group: { threshold, signers, roundsPassed },
    },
  };
};
