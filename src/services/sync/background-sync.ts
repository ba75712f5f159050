import type { SecretKey } from '../../monero/crypto/types.js';
import type { OutputKeyImage } from '../../refresh/scan/scanner-state.js';
import { betweenWrites } from '../../store/between-writes.js';
import { resolveAmbiguousSpends } from '../../store/resolve-key-images.js';
import { Mutex } from '../../util/concurrency.js';
import { isBackgroundSyncType } from '../../model/background-sync-mode.js';
import { WalletError } from '../../model/wallet-error.js';
import { secretsOfWords } from '../context/seed-words.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { WalletSync } from './wallet-sync.js';

type Context = Pick<WalletContext, 'assertOpen' | 'holding' | 'keystore' | 'store'>;

/** Number of outputs whose key images are computed and stored in one step. */
const OUTPUTS_AT_ONCE = 500;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly sync: WalletSync;
}

const invalid = (reason: string): WalletError => new WalletError({ kind: 'invalid', reason });

/** Password and seed from which the spend key is restored after background sync. */
export interface Recovery {
  readonly password: string;
  /** Mnemonic seed; empty: the spend key is read from the keys file. */
  readonly seed: string;
  readonly seedOffset: string;
}

/**
 * Refreshes a wallet while its spend key is not in memory. Spends of outputs received meanwhile are found once the key
 * is restored. Source: wallet2.cpp `setup_background_sync`, `start_background_sync`, `stop_background_sync`.
 */
export class BackgroundSync {
  readonly #context: Context;
  readonly #services: Services;
  readonly #changing = new Mutex();

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /**
   * Sets the kind of background sync and its password. @throws WalletError `invalid`, `wrong_password`, `wallet_exists`,
   * `bad_cluster_request`
   */
  setup(type: string, password: string, backgroundPassword: string): Promise<void> {
    return this.#changing.run(async () => {
      const { keystore, holding } = this.#context;
      if (!isBackgroundSyncType(type))
        throw invalid(
          'background_sync_type is one of off, reuse-wallet-password, custom-background-password',
        );
      if (keystore.background !== undefined) throw invalid('the wallet is being synced in the background');
      if (!keystore.isPassword(password)) throw new WalletError({ kind: 'wrong_password' });
      const custom = type === 'custom-background-password';
      if (custom && holding !== undefined)
        throw new WalletError({
          kind: 'bad_cluster_request',
          reason: 'a cluster does not store the second keys file of a background password of its own',
        });
      if (custom && backgroundPassword === password)
        throw invalid("the background password is the wallet's own");
      if (type === keystore.backgroundSync && !custom) return;
      await keystore.setBackgroundSync(type, backgroundPassword);
    });
  }

  /** Starts background sync: drops the spend key. @throws WalletError `invalid` */
  start(): Promise<void> {
    return this.#changing.run(async () => {
      const { keystore, store } = this.#context;
      if (keystore.backgroundSync === 'off') throw invalid('background sync is not set up');
      if (keystore.background === 'wallet') throw invalid('a background wallet is always in background sync');
      if (keystore.background === 'syncing') return;
      await this.#services.sync.cancelAndRun(() => {
        // Recorded before the key is dropped: after a crash, the spends of later outputs are then still found.
        store.write((w) => w.meta.set('background_sync', '1'));
        keystore.dropSpendKey();
        return Promise.resolve();
      });
    });
  }

  /**
   * Stops background sync: restores the spend key and finds the spends. @throws WalletError `wrong_password`,
   * `bad_seed`, `invalid`
   */
  stop({ password, seed, seedOffset }: Recovery): Promise<void> {
    return this.#changing.run(async () => {
      const { keystore } = this.#context;
      const fromSeed = seed === '' ? undefined : await secretsOfWords(seed, seedOffset);
      const recovered = await keystore.recoverSecrets(password, fromSeed);
      try {
        if (keystore.backgroundSync === 'off') throw invalid('background sync is not set up');
        if (keystore.background === 'wallet') throw invalid('a background wallet has no spend key');
        if (keystore.background === undefined) return;
        await this.#services.sync.cancelAndRun(async () => {
          await this.#resolveSpends(recovered.spendSecret);
          keystore.restoreSpendKey(recovered, password);
        });
      } finally {
        for (const secrets of [recovered, fromSeed]) {
          secrets?.spendSecret.fill(0);
          secrets?.polyseed?.fill(0);
        }
      }
    });
  }

  /** Continues or completes the background sync of an earlier process. To be called before an opened wallet is used. */
  async resume(): Promise<void> {
    const { keystore, store } = this.#context;
    const { keys } = this.#context.keystore;
    if (keystore.background === 'wallet') return store.write((w) => w.meta.set('background_sync', '1'));
    const { spendSecret } = keys;
    if (spendSecret === undefined) return;
    if (keystore.backgroundSync === 'custom-background-password') await keystore.restoreBackgroundFiles();
    if (store.read((r) => r.meta.get('background_sync')) !== '1') return;
    await this.#services.sync.cancelAndRun(() => this.#resolveSpends(spendSecret.expose()));
  }

  /** Computes the missing key images with the spend key, and decides which ambiguous spends are real. */
  async #resolveSpends(spendSecret: SecretKey): Promise<void> {
    const { store } = this.#context;
    for (;;) {
      const found = await this.#nextKeyImages(spendSecret);
      // Spends are decided once all key images are stored. After a crash before this point, the next start continues.
      if (found.length < OUTPUTS_AT_ONCE) {
        store.write((w) => {
          resolveAmbiguousSpends(w, found);
          w.meta.set('background_sync', '0');
        });
        return;
      }
      store.writeRecoverable((w) => {
        for (const { publicKey, keyImage } of found) w.outputs.setKeyImage(publicKey, keyImage);
      });
      await betweenWrites(store);
      this.#context.assertOpen();
    }
  }

  /** Computes the next batch of missing key images. */
  async #nextKeyImages(spendSecret: SecretKey): Promise<OutputKeyImage[]> {
    const { keystore, store } = this.#context;
    const { viewSecret } = keystore.keys;
    const outputs = store.read((r) => r.outputs.someWithoutKeyImage(OUTPUTS_AT_ONCE));
    const keys = { viewSecret: viewSecret.expose(), spendSecret };
    const images = await this.#services.sync.keyImages(keys, outputs);
    return outputs.flatMap(({ publicKey }, i) => {
      const keyImage = images[i];
      return keyImage === undefined ? [] : [{ publicKey, keyImage }];
    });
  }
}
