import { basename } from 'node:path';
import { cacheKey, secretKeysKey } from '../../monero/crypto/kdf.js';
import type { SecretKey } from '../../monero/crypto/types.js';
import { regularAt } from '../../store/file/file-errors.js';
import { addBackupName } from '../../store/file/file-draft.js';
import { lookaheadOf, type KeysFile } from '../../store/keys/keys-file.js';
import { commitDraftAsync } from '../../store/file/atomic-replace.js';
import { writeStoreDraftAsync } from '../../store/store-draft.js';
import { ThreadClient } from '../../util/thread-client.js';
import { WalletError } from '../../model/wallet-error.js';
import type { WalletLog } from '../context/wallet-context.js';
import { refusalError, type ThreadRefusal } from '../workers/thread-refusal.js';
import { fillNewStore, type NewStore } from './wallet-files.js';
import type { CacheJobs, CacheOutcome, CacheTask } from './reference-cache-thread.js';

/** Request to import a cache of the reference. */
export interface ReferenceImport {
  /** Path of the cache, which becomes the path of the store. */
  readonly path: string;
  readonly keysFile: KeysFile;
  readonly password: string;
  readonly kdfRounds: number;
  /** Key of the store, 32 bytes. */
  readonly storeKey: Uint8Array;
  readonly store: NewStore;
  readonly log: WalletLog;
}

/** Ending of the names of imported caches. */
export const CACHE_SUFFIX = 'reference-cache';

/**
 * Replaces a cache of the reference by a store that contains the facts of the cache which the chain does not have. If
 * the cache cannot be read, creates an empty store, so that the wallet opens in any case. Renames the cache and does
 * not change it; a crash leaves either the cache or the whole store at the path.
 */
export async function importReferenceCache(request: ReferenceImport): Promise<void> {
  const { path, storeKey, store, log } = request;
  const answer = await importOnThread(request);
  if ('problem' in answer) await writeStoreDraftAsync(path, storeKey, (w) => fillNewStore(w, store));
  const backup = addBackupName(path, CACHE_SUFFIX);
  await commitDraftAsync(path);
  if ('problem' in answer)
    log.warn(
      { backup, reason: answer.problem },
      'the wallet file is neither a store nor a readable cache of monero-wallet-rpc: it was renamed, and the wallet is rebuilt from the chain',
    );
  else log.info({ backup, ...answer.imported }, 'the cache of monero-wallet-rpc was imported');
}

/** Largest cache that is imported [bytes]: about a million payments. */
const MAX_BYTES = 1 << 30;

/**
 * Creates the error for a cache that is valid but too large. The cache stays in place, for a machine with more memory.
 */
const tooLarge = (path: string, cause?: unknown): WalletError => {
  const reason = 'the cache of monero-wallet-rpc is too large for the memory of this machine';
  return new WalletError({ kind: 'wallet_corrupt', name: basename(path), reason }, { cause });
};

/**
 * Derives the key of a cache that an old release wrote; old releases derived it from the secret keys, not from the
 * password.
 */
export const oldCacheKey = (
  { viewSecret, spendSecret }: Pick<KeysFile, 'viewSecret' | 'spendSecret'>,
  kdfRounds: number,
): Promise<Uint8Array> =>
  secretKeysKey(viewSecret, spendSecret ?? (new Uint8Array(32) as SecretKey), kdfRounds);

/** Imports a cache on a thread. Tries the cache key of current releases, then the cache key of old releases. */
async function importOnThread(request: ReferenceImport): Promise<CacheOutcome> {
  const { path, keysFile, password, kdfRounds } = request;
  if ((regularAt(path)?.size ?? 0n) > MAX_BYTES) throw tooLarge(path);
  const thread = new ThreadClient<CacheJobs, ThreadRefusal>(
    new URL('./reference-cache-thread.js', import.meta.url),
    { threads: 1, toError: refusalError((text) => new Error(text)) },
  );
  try {
    const outcome = await thread.run('import', taskOf(request, await cacheKey(password, kdfRounds)));
    if (!('problem' in outcome && outcome.otherKey)) return outcome;
    return await thread.run('import', taskOf(request, await oldCacheKey(keysFile, kdfRounds)));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw cause;
    throw tooLarge(path, cause);
  } finally {
    await thread.close();
  }
}

const taskOf = ({ path, keysFile, storeKey, store }: ReferenceImport, key: Uint8Array): CacheTask => ({
  path,
  cacheKey: key,
  storeKey,
  owner: {
    network: keysFile.network,
    spendPublicKey: keysFile.spendPublicKey,
    viewPublicKey: keysFile.viewPublicKey,
    viewSecret: keysFile.viewSecret,
    viewOnly: keysFile.spendSecret === undefined,
    lookahead: lookaheadOf(keysFile),
  },
  store,
});
