import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { cacheKey, secretKeysKey } from '../../crypto/kdf.js';
import type { SecretKey } from '../../crypto/types.js';
import { addBackupName } from '../../store/file/backup-name.js';
import { lookaheadOf, type KeysFile } from '../../store/keys/keys-file.js';
import { commitDraft } from '../../store/file/atomic-replace.js';
import { WalletStore } from '../../store/wallet-store.js';
import { WorkerPool } from '../../util/worker-pool.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import type { WalletLog } from '../context/wallet-log.js';
import { fillNewStore, type NewStore } from './new-store.js';
import type { CacheAnswer, CacheTask } from './reference-cache-thread.js';

export interface ReferenceImport {
  /** Where the cache stands and the store will. */
  readonly path: string;
  readonly keysFile: KeysFile;
  readonly password: string;
  readonly kdfRounds: number;
  /** 32 bytes. */
  readonly storeKey: Uint8Array;
  readonly store: NewStore;
  readonly log: WalletLog;
}

/**
 * Makes a store where a cache of the reference stands, with all that the cache remembers and the chain cannot
 * tell. What cannot be read is no reason to keep the wallet shut: its store begins empty then. The cache stays
 * as it is, under another name; a crash at any point leaves it in its place, or the whole store there.
 */
export async function importReferenceCache(wanted: ReferenceImport): Promise<void> {
  const { path, storeKey, store, log } = wanted;
  const answer = await takeOver(wanted);
  if ('problem' in answer) WalletStore.draft(path, storeKey, (w) => fillNewStore(w, store));
  const kept = addBackupName(path, 'reference-cache');
  commitDraft(path);
  if ('problem' in answer)
    log.warn(
      { kept, reason: answer.problem },
      'a file that is no store was set aside, and nothing could be taken over from it; the wallet is read from the chain',
    );
  else log.info({ kept, ...answer.taken }, 'the cache of monero-wallet-rpc was taken over');
}

/** A million payments take as much. */
const MAX_BYTES = 1 << 30;

/** Nothing is wrong with such a cache: it stays where it is, for a machine that has room. */
const tooLarge = (path: string, cause?: unknown): WalletError => {
  const reason = 'the cache that monero-wallet-rpc left takes more memory than there is';
  return new WalletError({ kind: 'wallet_corrupt', name: basename(path), reason }, { cause });
};

type Taken = Exclude<CacheAnswer, { readonly fault: unknown }>;

function taken(answer: CacheAnswer): Taken {
  if ('fault' in answer) throw new WalletError(answer.fault);
  return answer;
}

/** Tries today's key, then the one of releases that did not make it from the password. */
async function takeOver(wanted: ReferenceImport): Promise<Taken> {
  const { path, keysFile, password, kdfRounds } = wanted;
  if (statSync(path).size > MAX_BYTES) throw tooLarge(path);
  const thread = new WorkerPool<CacheTask, CacheAnswer>(
    new URL('./reference-cache-thread.js', import.meta.url),
    1,
  );
  try {
    const answer = taken(await thread.run(taskOf(wanted, await cacheKey(password, kdfRounds))));
    if (!('problem' in answer && answer.otherKey)) return answer;
    const spendSecret = keysFile.spendSecret ?? (new Uint8Array(32) as SecretKey);
    const oldKey = await secretKeysKey(keysFile.viewSecret, spendSecret, kdfRounds);
    return taken(await thread.run(taskOf(wanted, oldKey)));
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
