import { publicKeyOf } from '../../monero/crypto/derivation.js';
import { backgroundKey } from '../../monero/crypto/kdf.js';
import type { SecretKey } from '../../monero/crypto/types.js';
import { viewSecretFromSpend, spendSecretFromSeed } from '../../monero/cryptonote/account-keys.js';
import { findLanguage, LANGUAGES, type Language } from '../../monero/cryptonote/languages.js';
import { encodeMnemonic } from '../../monero/cryptonote/mnemonic.js';
import { POLYSEED_BYTES, loadPolyseed } from '../../monero/cryptonote/polyseed-storage.js';
import {
  assertFreeForBackground,
  backgroundFilesExist,
  removeBackgroundFiles,
  writeBackgroundFiles,
} from '../../store/keys/background-files.js';
import {
  backgroundKeyIn,
  backgroundSyncOf,
  enablesMultisig,
  lookaheadOf,
  withBackgroundSync,
  withLookahead,
  withMultisig,
  withoutPolyseed,
  type KeysFile,
} from '../../store/keys/keys-file.js';
import { keysFileExists, loadKeysFile, saveKeysFile } from '../../store/keys/keys-file-disk.js';
import { carrotSecrets, queryCarrot } from './carrot-keystore.js';
import { storeKeyOf } from '../../store/keys/keys-of-store.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import type { Rng } from '../../util/random.js';
import { Secret } from '../../util/secret.js';
import {
  BACKGROUND_FAULT,
  type Background,
  type BackgroundSyncType,
} from '../../model/background-sync-mode.js';
import { WalletError } from '../../model/wallet-error.js';
import { accountOf, assertLegacy, type SpendSecrets, type WalletKeys } from '../../monero/wallet/keys.js';
import { isReady } from '../../monero/wallet/multisig/account.js';
import { multisigSeed } from '../../monero/wallet/multisig/seed.js';
import type { Lookahead } from '../../monero/wallet/scan/subaddress-table.js';
import { isEncrypted, polyseedKey } from '../../monero/cryptonote/polyseed.js';
import { findPolyseedLanguage, POLYSEED_LANGUAGES } from '../../monero/cryptonote/polyseed-languages.js';
import { encodePolyseed } from '../../monero/cryptonote/polyseed-words.js';
import type { WalletStore } from '../../store/wallet-store.js';

/** Placeholder in memory for a secret key that only the keys file has. */
const BLANK = new Uint8Array(32) as SecretKey;
/** Placeholder in memory for a Polyseed that only the keys file has. */
const BLANK_POLYSEED = new Uint8Array(POLYSEED_BYTES);

export interface KeystoreParts {
  /** Path of the keys file; absent for a wallet in memory. */
  readonly path?: string;
  /** Path of the store; absent for a wallet in memory. */
  readonly store?: string;
  readonly keys: WalletKeys;
  readonly keysFile: KeysFile;
  readonly password: string;
  readonly kdfRounds: number;
  readonly rng: Rng;
}

/** Keys file of an open wallet, with its keys and its password. */
export class Keystore {
  readonly #parts: Omit<KeystoreParts, 'keys' | 'keysFile' | 'password'>;
  #keys: WalletKeys;
  /** Content of the keys file, with placeholders for the secret keys. */
  #keysFile: KeysFile;
  /** Password of the keys file; absent during background sync, since it would decrypt the spend key. */
  #password: string | undefined;

  constructor({ keys, keysFile, password, ...parts }: KeystoreParts) {
    this.#parts = parts;
    this.#keys = keys;
    const { carrot: _, ...file } = keysFile;
    this.#keysFile = {
      ...file,
      viewSecret: BLANK,
      ...(keysFile.spendSecret === undefined ? {} : { spendSecret: BLANK }),
      ...(keysFile.polyseed === undefined ? {} : { polyseed: BLANK_POLYSEED }),
      ...(keysFile.multisig === undefined
        ? {}
        : { multisig: { ...keysFile.multisig, shares: [], roundKeys: [] } }),
    };
    this.#password = password;
  }

  get keys(): WalletKeys {
    return this.#keys;
  }

  /** True for a wallet that was created without a spend key, or without the master secret of an account of the fork. */
  get isViewOnly(): boolean {
    return this.#keysFile.watchOnly;
  }

  /** True if the wallet takes key images from imports, because it computes none itself. */
  get importsKeyImages(): boolean {
    return this.isViewOnly && this.#keys.carrot?.balance === undefined;
  }

  /** Kind of background sync; undefined while the spend key is in memory, and for a wallet without a spend key. */
  get background(): Background | undefined {
    if (this.#keysFile.backgroundKey !== undefined) return 'wallet';
    const { spendSecret, multisig } = this.#keys;
    const isDropped =
      this.#keysFile.spendSecret !== undefined && spendSecret === undefined && multisig === undefined;
    return isDropped ? 'syncing' : undefined;
  }

  get backgroundSync(): BackgroundSyncType {
    return backgroundSyncOf(this.#keysFile);
  }

  /** True during background sync with a separate password: notes, labels and attributes are hidden then. */
  get hidesNotes(): boolean {
    return this.background !== undefined && this.backgroundSync === 'custom-background-password';
  }

  /**
   * Returns the complete keys file with all secret keys, to create a wallet with replaced keys.
   * @throws Error if a secret key is not in memory.
   */
  get whole(): KeysFile {
    return this.#withSecrets(this.#keysFile);
  }

  /** Password of the keys file. @throws Error during background sync. */
  get password(): string {
    if (this.#password === undefined) throw new Error('the password is not in memory during background sync');
    return this.#password;
  }

  /** True if multisig is enabled for this wallet. Source: wallet2.h `is_multisig_enabled`. */
  get multisigEnabled(): boolean {
    return enablesMultisig(this.#keysFile);
  }

  /** Enables multisig in the keys file. */
  async enableMultisig(): Promise<void> {
    if (this.multisigEnabled) return;
    await this.#replace(withMultisig(this.#keysFile));
  }

  get lookahead(): Lookahead {
    return lookaheadOf(this.#keysFile);
  }

  /** Height of the first block that may contain a payment of this wallet, in the form of the reference's keys file. */
  get refreshHeight(): number {
    return this.#keysFile.refreshHeight;
  }

  /** Checks the password; accepts any password for a wallet in memory. @throws WalletError `wrong_password` */
  assertPassword(password: string): void {
    if (this.#parts.path !== undefined && !this.isPassword(password))
      throw new WalletError({ kind: 'wrong_password' });
  }

  /** True if a text is the password of the keys file. */
  isPassword(password: string): boolean {
    return password === this.#password;
  }

  /** Wipes the spend key and its Polyseed from memory, and drops the password that decrypts the keys file. */
  dropSpendKey(): void {
    const { network, spendPublicKey, viewPublicKey, viewSecret, spendSecret, polyseed } = this.#keys;
    this.#keys = { network, spendPublicKey, viewPublicKey, viewSecret };
    spendSecret?.wipe();
    polyseed?.wipe();
    if (this.#parts.path !== undefined) this.#password = undefined;
  }

  /** Takes copies of secrets that {@link recoverSecrets} returned. */
  restoreSpendKey({ spendSecret, polyseed }: SpendSecrets, password: string): void {
    this.#keys = {
      ...this.#keys,
      spendSecret: new Secret(Uint8Array.from(spendSecret) as SecretKey),
      ...(polyseed === undefined ? {} : { polyseed: new Secret(Uint8Array.from(polyseed)) }),
    };
    if (polyseed === undefined) this.#keysFile = withoutPolyseed(this.#keysFile);
    this.#password = password;
  }

  /**
   * Reads the spend key and its Polyseed from the keys file.
   * @param fromSeed secrets of a seed, whose spend key must equal the stored one; required for a wallet in memory.
   * @returns copies that the caller must wipe. @throws WalletError `wrong_password`, `invalid`
   */
  async recoverSecrets(password: string, fromSeed: SpendSecrets | undefined): Promise<SpendSecrets> {
    const stored = await this.#storedSecrets(password);
    const found = fromSeed?.spendSecret ?? stored?.spendSecret;
    const isValid =
      found !== undefined &&
      (fromSeed === undefined ||
        this.#parts.path === undefined ||
        (stored?.spendSecret !== undefined && equalBytes(found, stored.spendSecret))) &&
      equalBytes(publicKeyOf(found), this.#keys.spendPublicKey);
    if (!isValid) throw new WalletError({ kind: 'invalid', reason: "this is not the wallet's spend key" });
    const polyseed = this.#keysFile.polyseed && (stored ?? fromSeed)?.polyseed;
    return {
      spendSecret: Uint8Array.from(found) as SecretKey,
      ...(polyseed === undefined ? {} : { polyseed: Uint8Array.from(polyseed) }),
    };
  }

  async #storedSecrets(password: string): Promise<Partial<SpendSecrets> | undefined> {
    const { path, kdfRounds } = this.#parts;
    if (path !== undefined) return loadKeysFile(path, password, kdfRounds);
    if (!this.isPassword(password)) throw new WalletError({ kind: 'wrong_password' });
    return undefined;
  }

  /**
   * Sets the kind of background sync.
   * @param backgroundPassword password of the background files; used by `custom-background-password` only.
   * @throws WalletError `wallet_exists` if files of another wallet have the names of the background files. @throws KeyError
   * `legacy_account_needed`
   */
  async setBackgroundSync(type: BackgroundSyncType, backgroundPassword: string): Promise<void> {
    assertLegacy(this.#keys);
    const { store, kdfRounds } = this.#parts;
    const hadFiles = backgroundKeyIn(this.#keysFile) !== undefined;
    const custom = type === 'custom-background-password';
    if (custom && !hadFiles && store !== undefined) assertFreeForBackground(store);
    const key = custom ? await backgroundKey(backgroundPassword, kdfRounds) : undefined;
    const keysFile = withBackgroundSync(this.#keysFile, type, key);
    await this.#save(keysFile, this.password);
    this.#keysFile = keysFile;
    if (!custom && hadFiles && store !== undefined) await removeBackgroundFiles(store);
  }

  /** Writes the background files again if they are missing, or if the reference wrote them. */
  async restoreBackgroundFiles(): Promise<void> {
    const { store } = this.#parts;
    const key = backgroundKeyIn(this.#keysFile);
    if (store === undefined || key === undefined || (await backgroundFilesExist(store, key))) return;
    await this.#saveBackground(this.#keysFile);
  }

  /** Writes the keys file again if it was deleted and all keys are in memory. @returns true if the file was written. */
  async restoreFile(): Promise<boolean> {
    const { path } = this.#parts;
    if (path === undefined || this.background !== undefined || keysFileExists(path)) return false;
    await this.#save(this.#keysFile, this.password);
    return true;
  }

  /** Rewrites the keys file with a new password; the store is not changed. @throws WalletError `wrong_password` */
  async changePassword(oldPassword: string, newPassword: string): Promise<void> {
    if (!this.isPassword(oldPassword)) throw new WalletError({ kind: 'wrong_password' });
    await this.#save(this.#keysFile, newPassword);
    this.#password = newPassword;
  }

  async setLookahead(lookahead: Lookahead): Promise<void> {
    await this.#replace(withLookahead(this.#keysFile, lookahead));
  }

  async setRefreshHeight(refreshHeight: number): Promise<void> {
    await this.#replace({ ...this.#keysFile, refreshHeight });
  }

  /**
   * Returns a secret key or the seed. @param type one of the types of `query_key` in the reference, or of an account of the
   * fork.
   * @throws WalletError `background_syncing`, `background_wallet`, `view_only`, `not_deterministic`, `wrong_key_type`
   * @throws KeyError `legacy_account_needed`, `sees_no_payments`
   */
  query(type: string): string {
    const { viewSecret, spendSecret, polyseed, carrot } = this.#keys;
    if (carrot !== undefined) return queryCarrot(this.#keys, carrot, type, this.#seedLanguage);
    const account = accountOf(this.#keys);
    if (type === 'view_key') return toHex(viewSecret.expose());
    if (type !== 'spend_key' && type !== 'mnemonic')
      throw new WalletError({ kind: 'wrong_key_type', given: type });
    if (account !== undefined) {
      if (type === 'spend_key') return toHex(account.signerSecret);
      if (!isReady(account)) throw new WalletError({ kind: 'multisig_not_ready' });
      return multisigSeed(account);
    }
    const { background } = this;
    if (background !== undefined) throw new WalletError({ kind: BACKGROUND_FAULT[background] });
    if (spendSecret === undefined)
      throw new WalletError({
        kind: 'view_only',
        text: `The wallet is watch-only. Cannot retrieve ${type === 'spend_key' ? 'spend key' : 'seed'}.`,
      });
    if (type === 'spend_key') return toHex(spendSecret.expose());
    if (!equalBytes(viewSecretFromSpend(spendSecret.expose()), viewSecret.expose()))
      throw new WalletError({ kind: 'not_deterministic' });
    const { seedLanguage } = this.#keysFile;
    const polyseedWords =
      polyseed && wordsOfStoredPolyseed(polyseed.expose(), spendSecret.expose(), seedLanguage);
    if (polyseedWords !== undefined) return polyseedWords;
    return encodeMnemonic(spendSecret.expose(), this.#seedLanguage);
  }

  /** Language of the words of a seed: English in place of one that is unknown, or that only Polyseeds have. */
  get #seedLanguage(): Language {
    const { seedLanguage } = this.#keysFile;
    const language =
      (this.#keys.polyseed === undefined ? findLanguage(seedLanguage) : undefined) ??
      findLanguage('English') ??
      LANGUAGES[0];
    if (language === undefined) throw new WalletError({ kind: 'unknown_language', language: seedLanguage });
    return language;
  }

  /**
   * Fills the secret keys into a keys file. @throws Error if a secret key is not in memory, because a blank key must
   * never be written to disk.
   */
  #withSecrets(keysFile: KeysFile): KeysFile {
    const keys = this.#keys;
    const account = accountOf(keys);
    if (keys.carrot !== undefined) return { ...keysFile, ...carrotSecrets(keys, keys.carrot) };
    const { viewSecret, polyseed } = keys;
    const spendSecret = account?.signerSecret ?? keys.spendSecret?.expose();
    if (this.background !== undefined || (keysFile.spendSecret !== undefined && spendSecret === undefined))
      throw new Error('the keys file cannot be written without the spend key');
    if ((keysFile.multisig === undefined) !== (account === undefined))
      throw new Error('the keys file cannot be written without the shares');
    if ((keysFile.polyseed === undefined) !== (polyseed === undefined))
      throw new Error('the keys file cannot be written without the Polyseed');
    return {
      ...keysFile,
      viewSecret: viewSecret.expose(),
      ...(spendSecret === undefined ? {} : { spendSecret }),
      ...(polyseed === undefined ? {} : { polyseed: polyseed.expose() }),
      ...(keysFile.multisig === undefined || account === undefined
        ? {}
        : { multisig: { ...keysFile.multisig, shares: account.shares, roundKeys: account.roundKeys } }),
    };
  }

  async #replace(keysFile: KeysFile): Promise<void> {
    await this.#save(keysFile, this.password);
    this.#keysFile = keysFile;
  }

  async #save(keysFile: KeysFile, password: string): Promise<void> {
    const { path, kdfRounds, rng } = this.#parts;
    if (path === undefined) return;
    // The background files are written first, because the keys file then contains the key of these files.
    await this.#saveBackground(keysFile);
    await saveKeysFile(path, this.#withSecrets(keysFile), password, kdfRounds, rng);
  }

  /** Writes the background files if background sync has a separate password. */
  async #saveBackground(keysFile: KeysFile): Promise<void> {
    const { store, rng } = this.#parts;
    const key = backgroundKeyIn(keysFile);
    if (store === undefined || key === undefined) return;
    const whole = withoutPolyseed(
      this.#withSecrets(withBackgroundSync(keysFile, backgroundSyncOf(keysFile))),
    );
    const { spendSecret: _, ...rest } = whole;
    const content = { keysFile: rest, backgroundKey: key, storeKey: storeKeyOf(whole) };
    await writeBackgroundFiles(store, content, rng);
  }
}

/**
 * Returns the words of a stored Polyseed. Returns undefined if the wallet was restored with an offset passphrase: the
 * words alone would restore another wallet, and nothing in the words shows it. The words of an encrypted seed show it.
 * @param stored as in a keys file; a passphrase behind the seed is not used.
 * @param spendSecret spend key of the wallet.
 * @param languageName language of the words; English in place of an unknown language.
 */
export function wordsOfStoredPolyseed(
  stored: Uint8Array,
  spendSecret: SecretKey,
  languageName: string,
): string | undefined {
  const seed = loadPolyseed(stored.subarray(0, POLYSEED_BYTES));
  const [english] = POLYSEED_LANGUAGES;
  const language = findPolyseedLanguage(languageName) ?? english;
  const restores = isEncrypted(seed) || equalBytes(spendSecretFromSeed(polyseedKey(seed)), spendSecret);
  return language !== undefined && restores ? encodePolyseed(seed, language) : undefined;
}

/**
 * True if an output lacks its key image until this wallet imports multisig info of other signers; false for other
 * wallets.
 * @param account undefined: any account.
 */
export function isMultisigImportNeeded(
  {
    store,
    keystore,
  }: { readonly store: Pick<WalletStore, 'read'>; readonly keystore: Pick<Keystore, 'keys'> },
  account?: number,
): boolean {
  return keystore.keys.multisig !== undefined && store.read((r) => r.watch.anyLegacyWithoutKeyImage(account));
}
