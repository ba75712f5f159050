import { systemClock, type TimeOfDay } from '../../util/clock.js';
import { KeyedMutex } from '../../util/mutex.js';
import { resolve } from 'node:path';
import type { Backup } from '../../store/backup/backup.js';
import { WalletError } from '../../model/wallet-error.js';
import type { OpenWallet } from '../open-wallet.js';

/** Writes backups of open wallets to one directory of the server. */
export class Backups {
  readonly #directory: string | undefined;
  readonly #clock: TimeOfDay;
  /** Lets one backup run at a time, by wallet name. */
  readonly #running = new KeyedMutex();

  /** @param directory absent: every backup is refused. */
  constructor(directory: string | undefined, clock: TimeOfDay = systemClock) {
    this.#directory = directory === undefined ? undefined : resolve(directory);
    this.#clock = clock;
  }

  /**
   * Writes a backup of an open wallet, after a running backup of the same wallet has ended.
   * @throws WalletError `invalid` without a directory or for a wallet in memory; errors of `WalletStore.backup`.
   */
  async write({ context, paths }: Pick<OpenWallet, 'context' | 'paths'>): Promise<Backup> {
    const directory = this.#directory;
    if (directory === undefined)
      throw new WalletError({ kind: 'invalid', reason: 'the server was started without --backup-dir' });
    if (paths === undefined)
      throw new WalletError({ kind: 'invalid', reason: 'a wallet in memory has no files' });
    const { name, keys } = paths;
    return this.#running.run(name, async () => {
      const written = await context.store.backup({ name, keys }, directory, new Date(this.#clock.now()));
      context.log.info({ directory: written.directory, bytes: written.bytes }, 'a backup was written');
      return written;
    });
  }
}
