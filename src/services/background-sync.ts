import type { SecretKey } from '../crypto/types.js';
import { settlePossibleSpends } from '../store/learn-key-images.js';
import { Mutex } from '../util/mutex.js';
import { isBackgroundSyncType } from '../wallet/background-sync.js';
import { WalletError } from '../wallet/fault.js';
import { spendSecretOfWords } from './seed-restoring.js';
import type { WalletSession } from './wallet-session.js';

const invalid = (reason: string): WalletError => new WalletError({ kind: 'invalid', reason });

/** How the key that was put away is to be had again. */
export interface Recovery {
  readonly password: string;
  /** Empty: from the keys file. */
  readonly seed: string;
  readonly seedOffset: string;
}

/**
 * Keeps a wallet in step with the chain while its spend key is put away. Spends of what it receives meanwhile
 * are told once the key is back.
 * Source: wallet2.cpp `setup_background_sync`, `start_background_sync`, `stop_background_sync`.
 */
export class BackgroundSync {
  readonly #session: WalletSession;
  readonly #changing = new Mutex();

  constructor(session: WalletSession) {
    this.#session = session;
  }

  /** @throws WalletError `invalid`, `wrong_password`, `wallet_exists` */
  setup(type: string, password: string, backgroundPassword: string): Promise<void> {
    return this.#changing.run(async () => {
      const { keyKeeper } = this.#session;
      if (!isBackgroundSyncType(type))
        throw invalid(
          'background_sync_type is one of off, reuse-wallet-password, custom-background-password',
        );
      if (keyKeeper.background !== undefined) throw invalid('the wallet is being synced in the background');
      if (!keyKeeper.isPassword(password)) throw new WalletError({ kind: 'wrong_password' });
      const custom = type === 'custom-background-password';
      if (custom && backgroundPassword === password)
        throw invalid("the background password is the wallet's own");
      if (type === keyKeeper.backgroundSync && !custom) return;
      await keyKeeper.setBackgroundSync(type, backgroundPassword);
    });
  }

  /** @throws WalletError `invalid` */
  start(): Promise<void> {
    return this.#changing.run(async () => {
      const { keyKeeper, file } = this.#session;
      if (keyKeeper.backgroundSync === 'off') throw invalid('background sync is not set up');
      if (keyKeeper.background === 'wallet') throw invalid('a background wallet is always synced so');
      if (keyKeeper.background === 'syncing') return;
      await this.#session.sync.interrupted(() => {
        // Before the key goes: whatever ends the process, the spends of what comes are looked for later.
        file.write((w) => w.meta.set('background_sync', '1'));
        keyKeeper.putSpendKeyAway();
        return Promise.resolve();
      });
    });
  }

  /** @throws WalletError `wrong_password`, `bad_seed`, `invalid` */
  stop({ password, seed, seedOffset }: Recovery): Promise<void> {
    return this.#changing.run(async () => {
      const { keyKeeper } = this.#session;
      const given = seed === '' ? undefined : await spendSecretOfWords(seed, seedOffset);
      const spendSecret = await keyKeeper.recoverSpendKey(password, given);
      try {
        if (keyKeeper.backgroundSync === 'off') throw invalid('background sync is not set up');
        if (keyKeeper.background === 'wallet') throw invalid('a background wallet has no spend key');
        if (keyKeeper.background === undefined) return;
        await this.#session.sync.interrupted(async () => {
          await this.#settle(spendSecret);
          keyKeeper.takeSpendKeyBack(spendSecret, password);
        });
      } finally {
        spendSecret.fill(0);
        given?.fill(0);
      }
    });
  }

  /** To be called before a wallet just opened is used. */
  async resume(): Promise<void> {
    const { keyKeeper, keys, file } = this.#session;
    if (keyKeeper.background === 'wallet') return file.write((w) => w.meta.set('background_sync', '1'));
    const { spendSecret } = keys;
    if (spendSecret === undefined) return;
    if (keyKeeper.backgroundSync === 'custom-background-password') await keyKeeper.restoreBackgroundFiles();
    if (file.read((r) => r.meta.get('background_sync')) !== '1') return;
    await this.#session.sync.interrupted(() => this.#settle(spendSecret.expose()));
  }

  /** Computes what could not be without the spend key, and tells what was spent. */
  async #settle(spendSecret: SecretKey): Promise<void> {
    const { file, keys } = this.#session;
    const outputs = file.read((r) => r.outputs.blind());
    const images = await this.#session.sync.keyImages(
      { viewSecret: keys.viewSecret.expose(), spendSecret },
      outputs,
    );
    file.write((w) => {
      settlePossibleSpends(
        w,
        outputs.flatMap(({ publicKey }, i) => {
          const keyImage = images[i];
          return keyImage === undefined ? [] : [{ publicKey, keyImage }];
        }),
      );
      w.meta.set('background_sync', '0');
    });
  }
}
