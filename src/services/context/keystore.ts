import { publicKeyOf } from '../../crypto/derivation.js';
import { backgroundKey } from '../../crypto/kdf.js';
import type { SecretKey } from '../../crypto/types.js';
import { viewSecretFromSpend } from '../../cryptonote/account-keys.js';
import { findLanguage, LANGUAGES } from '../../cryptonote/languages.js';
import { encodeMnemonic } from '../../cryptonote/mnemonic.js';
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
  type KeysFile,
} from '../../store/keys/keys-file.js';
import { keysFileExists, loadKeysFile, saveKeysFile } from '../../store/keys/keys-file-disk.js';
import { storeKey } from '../../store/file/store-key.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import type { Rng } from '../../util/random.js';
import { Secret } from '../../util/secret.js';
import {
  BACKGROUND_FAULT,
  type Background,
  type BackgroundSyncType,
} from '../../wallet/model/background-sync-mode.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import { accountOf, type WalletKeys } from '../../wallet/keys.js';
import { isReady } from '../../wallet/multisig/account.js';
import { multisigSeed } from '../../wallet/multisig/seed.js';
import type { Lookahead } from '../../wallet/scan/subaddress-table.js';

const BLANK = new Uint8Array(32) as SecretKey;

export interface KeystoreParts {
  /** Absent for a wallet in memory. */
  readonly path?: string;
  /** Beside it. */
  readonly store?: string;
  readonly keys: WalletKeys;
  readonly keysFile: KeysFile;
  readonly password: string;
  readonly kdfRounds: number;
  readonly rng: Rng;
}

/** The keys file of an open wallet, and the password that closes it. */
export class Keystore {
  readonly #parts: Omit<KeystoreParts, 'keys' | 'keysFile' | 'password'>;
  #keys: WalletKeys;
  /** What the file says; the secret keys in it are blank. */
  #facts: KeysFile;
  /** Absent while the spend key that it opens is put away. */
  #password: string | undefined;

  constructor({ keys, keysFile, password, ...parts }: KeystoreParts) {
    this.#parts = parts;
    this.#keys = keys;
    this.#facts = {
      ...keysFile,
      viewSecret: BLANK,
      ...(keysFile.spendSecret === undefined ? {} : { spendSecret: BLANK }),
      ...(keysFile.multisig === undefined
        ? {}
        : { multisig: { ...keysFile.multisig, shares: [], roundKeys: [] } }),
    };
    this.#password = password;
  }

  get keys(): WalletKeys {
    return this.#keys;
  }

  get isViewOnly(): boolean {
    return this.#facts.watchOnly;
  }

  /** Absent where the spend key is there, or never was. */
  get background(): Background | undefined {
    if (this.#facts.backgroundKey !== undefined) return 'wallet';
    const { spendSecret, multisig } = this.#keys;
    const away = this.#facts.spendSecret !== undefined && spendSecret === undefined && multisig === undefined;
    return away ? 'syncing' : undefined;
  }

  get backgroundSync(): BackgroundSyncType {
    return backgroundSyncOf(this.#facts);
  }

  /** Whoever syncs under a password of its own is not shown what the owner noted down. */
  get hidesNotes(): boolean {
    return this.background !== undefined && this.backgroundSync === 'custom-background-password';
  }

  /** The file as it is to be written, for a wallet whose keys are replaced. */
  get whole(): KeysFile {
    return this.#filled(this.#facts);
  }

  /** @throws Error while the spend key that it opens is put away. */
  get password(): string {
    if (this.#password === undefined) throw new Error('the password was forgotten with the spend key');
    return this.#password;
  }

  /** Is this wallet allowed to share its spend key? Source: wallet2.h `is_multisig_enabled`. */
  get multisigEnabled(): boolean {
    return enablesMultisig(this.#facts);
  }

  async enableMultisig(): Promise<void> {
    if (this.multisigEnabled) return;
    const facts = withMultisig(this.#facts);
    await this.#save(facts, this.password);
    this.#facts = facts;
  }

  get lookahead(): Lookahead {
    return lookaheadOf(this.#facts);
  }

  /** A wallet in memory has no password to check. @throws WalletError `wrong_password` */
  assertPassword(password: string): void {
    if (this.#parts.path !== undefined && !this.isPassword(password))
      throw new WalletError({ kind: 'wrong_password' });
  }

  isPassword(password: string): boolean {
    return password === this.#password;
  }

  /** Wipes the spend key from memory, and forgets the password that opens its file. */
  putSpendKeyAway(): void {
    const { network, spendPublicKey, viewPublicKey, viewSecret, spendSecret } = this.#keys;
    this.#keys = { network, spendPublicKey, viewPublicKey, viewSecret };
    spendSecret?.wipe();
    if (this.#parts.path !== undefined) this.#password = undefined;
  }

  takeSpendKeyBack(spendSecret: SecretKey, password: string): void {
    this.#keys = { ...this.#keys, spendSecret: new Secret(Uint8Array.from(spendSecret) as SecretKey) };
    this.#password = password;
  }

  /**
   * The spend key, from the keys file.
   * @param given checked against it; the only source for a wallet in memory.
   * @returns a copy, for the caller to wipe. @throws WalletError `wrong_password`, `invalid`
   */
  async recoverSpendKey(password: string, given: SecretKey | undefined): Promise<SecretKey> {
    const stored = await this.#storedSpendKey(password);
    const found = given ?? stored;
    const fits =
      found !== undefined &&
      (given === undefined ||
        this.#parts.path === undefined ||
        (stored !== undefined && equalBytes(given, stored))) &&
      equalBytes(publicKeyOf(found), this.#keys.spendPublicKey);
    if (!fits) throw new WalletError({ kind: 'invalid', reason: "this is not the wallet's spend key" });
    return Uint8Array.from(found) as SecretKey;
  }

  async #storedSpendKey(password: string): Promise<SecretKey | undefined> {
    const { path, kdfRounds } = this.#parts;
    if (path !== undefined) return (await loadKeysFile(path, password, kdfRounds)).spendSecret;
    if (!this.isPassword(password)) throw new WalletError({ kind: 'wrong_password' });
    return undefined;
  }

  /**
   * @param backgroundPassword of the background files, where the type has them.
   * @throws WalletError `wallet_exists` where another wallet stands in their place.
   */
  async setBackgroundSync(type: BackgroundSyncType, backgroundPassword: string): Promise<void> {
    const { store, kdfRounds } = this.#parts;
    const hadFiles = backgroundKeyIn(this.#facts) !== undefined;
    const custom = type === 'custom-background-password';
    if (custom && !hadFiles && store !== undefined) assertFreeForBackground(store);
    const key = custom ? await backgroundKey(backgroundPassword, kdfRounds) : undefined;
    const facts = withBackgroundSync(this.#facts, type, key);
    await this.#save(facts, this.password);
    this.#facts = facts;
    if (!custom && hadFiles && store !== undefined) await removeBackgroundFiles(store);
  }

  /** Background files that are gone, or the reference's, are written again. */
  async restoreBackgroundFiles(): Promise<void> {
    const { store } = this.#parts;
    const key = backgroundKeyIn(this.#facts);
    if (store === undefined || key === undefined || (await backgroundFilesExist(store, key))) return;
    await this.#saveBackground(this.#facts);
  }

  /** Writes the keys file again where somebody deleted it, as long as all keys are here. @returns whether it was gone. */
  async restoreFile(): Promise<boolean> {
    const { path } = this.#parts;
    if (path === undefined || this.background !== undefined || keysFileExists(path)) return false;
    await this.#save(this.#facts, this.password);
    return true;
  }

  /** Rewrites the keys file alone. @throws WalletError `wrong_password` */
  async changePassword(oldPassword: string, newPassword: string): Promise<void> {
    if (!this.isPassword(oldPassword)) throw new WalletError({ kind: 'wrong_password' });
    await this.#save(this.#facts, newPassword);
    this.#password = newPassword;
  }

  async setLookahead(lookahead: Lookahead): Promise<void> {
    const facts = withLookahead(this.#facts, lookahead);
    await this.#save(facts, this.password);
    this.#facts = facts;
  }

  /** @throws WalletError `background_syncing`, `background_wallet`, `view_only`, `not_deterministic`, `wrong_key_type` */
  query(type: string): string {
    const { viewSecret, spendSecret } = this.#keys;
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
    const { seedLanguage } = this.#facts;
    const language = findLanguage(seedLanguage) ?? findLanguage('English') ?? LANGUAGES[0];
    if (language === undefined) throw new WalletError({ kind: 'unknown_language', language: seedLanguage });
    return encodeMnemonic(spendSecret.expose(), language);
  }

  /** With its secrets. @throws Error without them: a blank must never take their place on disk. */
  #filled(facts: KeysFile): KeysFile {
    const keys = this.#keys;
    const account = accountOf(keys);
    const { viewSecret } = keys;
    const spendSecret = account?.signerSecret ?? keys.spendSecret?.expose();
    if (this.background !== undefined || (facts.spendSecret !== undefined && spendSecret === undefined))
      throw new Error('the keys file cannot be written without the spend key');
    if ((facts.multisig === undefined) !== (account === undefined))
      throw new Error('the keys file cannot be written without the shares');
    return {
      ...facts,
      viewSecret: viewSecret.expose(),
      ...(spendSecret === undefined ? {} : { spendSecret }),
      ...(facts.multisig === undefined || account === undefined
        ? {}
        : { multisig: { ...facts.multisig, shares: account.shares, roundKeys: account.roundKeys } }),
    };
  }

  async #save(facts: KeysFile, password: string): Promise<void> {
    const { path, kdfRounds, rng } = this.#parts;
    if (path === undefined) return;
    // The background files first: the other one holds their key.
    await this.#saveBackground(facts);
    await saveKeysFile(path, this.#filled(facts), password, kdfRounds, rng);
  }

  /** Writes the background files, where the wallet is to have some. */
  async #saveBackground(facts: KeysFile): Promise<void> {
    const { store, rng } = this.#parts;
    const key = backgroundKeyIn(facts);
    if (store === undefined || key === undefined) return;
    const { spendSecret, ...rest } = this.#filled(withBackgroundSync(facts, backgroundSyncOf(facts)));
    const content = {
      keysFile: rest,
      backgroundKey: key,
      storeKey: storeKey(rest.viewSecret, spendSecret),
    };
    await writeBackgroundFiles(store, content, rng);
  }
}
