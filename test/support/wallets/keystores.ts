import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from '@jest/globals';
import { randomSecretKey } from '../../../src/monero/crypto/derivation.js';
import type { SecretKey } from '../../../src/monero/crypto/types.js';
import { accountKeysOf } from '../../../src/monero/cryptonote/account-keys.js';
import type { WalletKeys } from '../../../src/monero/wallet/keys.js';
import {
  backgroundSyncTypeNumber,
  type BackgroundSyncType,
} from '../../../src/model/background-sync-mode.js';
import { Keystore } from '../../../src/services/context/keystore.js';
import type { KeysFile } from '../../../src/store/keys/keys-file.js';
import { loadKeysFile } from '../../../src/store/keys/keys-file-disk.js';
import { Secret } from '../../../src/util/secret.js';
import { seededRng } from '../fakes/seeded-rng.js';

export const PASSWORD = 'correct horse';

/** Keys that a name fixes. @param viewOnly without the spend key. */
export function namedKeys(name: string, viewOnly = false): WalletKeys & { readonly spend: SecretKey } {
  const spend = randomSecretKey(seededRng(name));
  const { spendPublicKey, viewSecret, viewPublicKey } = accountKeysOf(spend);
  return {
    network: 'mainnet',
    spendPublicKey,
    viewPublicKey,
    viewSecret: new Secret(viewSecret),
    ...(viewOnly ? {} : { spendSecret: new Secret(Uint8Array.from(spend) as SecretKey) }),
    spend,
  };
}

/** Keys file of such keys. */
export const keysFileOf = (
  { network, spendPublicKey, viewPublicKey, viewSecret, spendSecret }: WalletKeys,
  type: BackgroundSyncType = 'off',
): KeysFile => ({
  spendPublicKey,
  viewPublicKey,
  viewSecret: viewSecret.expose(),
  ...(spendSecret === undefined ? {} : { spendSecret: spendSecret.expose() }),
  watchOnly: spendSecret === undefined,
  seedLanguage: 'English',
  network,
  refreshHeight: 0,
  creationTimestamp: 0,
  other: { background_sync_type: backgroundSyncTypeNumber(type) },
});

export interface KeystoreOptions {
  readonly backgroundSync?: BackgroundSyncType;
  /** Fields of the keys file that differ from those of {@link keysFileOf}. */
  readonly file?: Partial<KeysFile>;
  /** Paths of the keys file and the store; absent: a wallet in memory. */
  readonly paths?: { readonly path: string; readonly store: string };
}

/** Paths of a wallet whose files no test reads or writes. */
export const NOWHERE = { path: '/nowhere/w.keys', store: '/nowhere/w' } as const;

/** Keystore of keys under {@link PASSWORD}. Nothing is written to its files. */
export const keystoreOf = (
  keys: WalletKeys,
  { backgroundSync, file = {}, paths }: KeystoreOptions = {},
): Keystore =>
  new Keystore({
    ...paths,
    keys,
    keysFile: { ...keysFileOf(keys, backgroundSync), ...file },
    password: PASSWORD,
    kdfRounds: 1,
    rng: seededRng('keystore'),
  });

/** Files of one wallet in a folder of its own for each test of a file. */
export class KeystoreFiles {
  readonly keys = namedKeys('on disk');
  #folder = '';

  constructor() {
    beforeEach(() => {
      this.#folder = mkdtempSync(join(tmpdir(), 'keystore-'));
    });
    afterEach(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  get folder(): string {
    return this.#folder;
  }

  /** Path of the store. */
  get store(): string {
    return join(this.#folder, 'shop');
  }

  /** Path of the keys file. */
  get path(): string {
    return `${this.store}.keys`;
  }

  /** Keystore of the wallet, whose files are not written yet. */
  open(backgroundSync?: BackgroundSyncType): Keystore {
    return keystoreOf(namedKeys('on disk'), {
      ...(backgroundSync === undefined ? {} : { backgroundSync }),
      paths: { path: this.path, store: this.store },
    });
  }

  load(password = PASSWORD): Promise<KeysFile> {
    return loadKeysFile(this.path, password, 1);
  }
}
