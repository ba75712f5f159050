import type { SecretKey } from '../crypto/types.js';
import { viewSecretFromSpend } from '../cryptonote/account-keys.js';
import { findLanguage, LANGUAGES } from '../cryptonote/languages.js';
import { encodeMnemonic } from '../cryptonote/mnemonic.js';
import {
  enablesMultisig,
  lookaheadOf,
  withLookahead,
  withMultisig,
  type KeysFile,
} from '../store/keys-file.js';
import { saveKeysFile } from '../store/keys-file-disk.js';
import { equalBytes, toHex } from '../util/bytes.js';
import type { Rng } from '../util/random.js';
import { WalletError } from '../wallet/fault.js';
import { accountOf, type WalletKeys } from '../wallet/keys.js';
import { isReady } from '../wallet/multisig/account.js';
import { multisigSeed } from '../wallet/multisig/seed.js';
import type { Lookahead } from '../wallet/subaddress-table.js';

const BLANK = new Uint8Array(32) as SecretKey;

export interface KeyKeeperParts {
  /** Absent for a wallet in memory. */
  readonly path?: string;
  readonly keys: WalletKeys;
  readonly keysFile: KeysFile;
  readonly password: string;
  readonly kdfRounds: number;
  readonly rng: Rng;
}

/** The keys file of an open wallet, and the password that closes it. */
export class KeyKeeper {
  readonly #parts: Omit<KeyKeeperParts, 'keysFile' | 'password'>;
  /** What the file says; the secret keys in it are blank. */
  #facts: KeysFile;
  #password: string;

  constructor({ keysFile, password, ...parts }: KeyKeeperParts) {
    this.#parts = parts;
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

  /** The file as it is to be written, for a wallet whose keys are replaced. */
  get whole(): KeysFile {
    return this.#filled(this.#facts);
  }

  get password(): string {
    return this.#password;
  }

  /** Is this wallet allowed to share its spend key? Source: wallet2.h `is_multisig_enabled`. */
  get multisigEnabled(): boolean {
    return enablesMultisig(this.#facts);
  }

  async enableMultisig(): Promise<void> {
    if (this.multisigEnabled) return;
    const facts = withMultisig(this.#facts);
    await this.#save(facts, this.#password);
    this.#facts = facts;
  }

  get lookahead(): Lookahead {
    return lookaheadOf(this.#facts);
  }

  /** A wallet in memory has no password to check. @throws WalletError `wrong_password` */
  assertPassword(password: string): void {
    if (this.#parts.path !== undefined && password !== this.#password)
      throw new WalletError({ kind: 'wrong_password' });
  }

  /** Rewrites the keys file alone. @throws WalletError `wrong_password` */
  async changePassword(oldPassword: string, newPassword: string): Promise<void> {
    if (oldPassword !== this.#password) throw new WalletError({ kind: 'wrong_password' });
    await this.#save(this.#facts, newPassword);
    this.#password = newPassword;
  }

  async setLookahead(lookahead: Lookahead): Promise<void> {
    const facts = withLookahead(this.#facts, lookahead);
    await this.#save(facts, this.#password);
    this.#facts = facts;
  }

  /** @throws WalletError `view_only`, `not_deterministic`, `wrong_key_type` */
  query(type: string): string {
    const { viewSecret, spendSecret } = this.#parts.keys;
    const account = accountOf(this.#parts.keys);
    if (type === 'view_key') return toHex(viewSecret.expose());
    if (type !== 'spend_key' && type !== 'mnemonic')
      throw new WalletError({ kind: 'wrong_key_type', given: type });
    if (account !== undefined) {
      if (type === 'spend_key') return toHex(account.signerSecret);
      if (!isReady(account)) throw new WalletError({ kind: 'multisig_not_ready' });
      return multisigSeed(account);
    }
    if (spendSecret === undefined) throw new WalletError({ kind: 'view_only' });
    if (type === 'spend_key') return toHex(spendSecret.expose());
    if (!equalBytes(viewSecretFromSpend(spendSecret.expose()), viewSecret.expose()))
      throw new WalletError({ kind: 'not_deterministic' });
    const { seedLanguage } = this.#facts;
    const language = findLanguage(seedLanguage) ?? findLanguage('English') ?? LANGUAGES[0];
    if (language === undefined) throw new WalletError({ kind: 'unknown_language', language: seedLanguage });
    return encodeMnemonic(spendSecret.expose(), language);
  }

  /** With its secrets. */
  #filled(facts: KeysFile): KeysFile {
    const { keys } = this.#parts;
    const account = accountOf(keys);
    const { viewSecret } = keys;
    const spendSecret = account?.signerSecret ?? keys.spendSecret?.expose();
    // A blank must never take the place of the key on disk.
    if (facts.spendSecret !== undefined && spendSecret === undefined)
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
    if (path !== undefined) await saveKeysFile(path, this.#filled(facts), password, kdfRounds, rng);
  }
}
