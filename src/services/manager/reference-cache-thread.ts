import { readRegular } from '../../store/file/file-errors.js';
import { importWallet } from '../../store/import-wallet.js';
import { writeStoreDraft } from '../../store/store-draft.js';
import type { WalletWriter } from '../../store/wallet-writer.js';
import { CodecError } from '../../util/codec.js';
import { answerCalls, job } from '../../util/thread-jobs.js';
import { importCache, type CacheOwner, openCache } from '../../monero/wallet/reference-cache/cache-import.js';
import type { ImportedWallet } from '../../monero/wallet/reference-cache/imported-wallet.js';
import { faultRefusal, type ThreadRefusal } from '../workers/thread-refusal.js';
import { fillNewStore, type NewStore } from './wallet-files.js';

/** Task for the thread that imports a cache. */
export interface CacheTask {
  /** Path of the cache, which becomes the path of the store; the draft of the store is written beside it. */
  readonly path: string;
  /** Key of the cache, 32 bytes. */
  readonly cacheKey: Uint8Array;
  /** Key of the store, 32 bytes. */
  readonly storeKey: Uint8Array;
  readonly owner: CacheOwner;
  readonly store: NewStore;
}

/** Numbers of imported records, by kind. */
export interface CacheCounts {
  readonly accounts: number;
  readonly addresses: number;
  readonly txKeys: number;
  readonly notes: number;
  readonly payments: number;
  readonly addressBook: number;
}

/**
 * Number of imported records, or the reason why a cache cannot be read. `otherKey`: decryption failed, perhaps only
 * because the key is wrong.
 */
export type CacheOutcome =
  | { readonly imported: CacheCounts }
  | { readonly problem: string; readonly otherKey: boolean };

const countsOf = (wallet: ImportedWallet): CacheCounts => ({
  accounts: wallet.accounts.length,
  addresses: wallet.accounts.reduce((count, { labels }) => count + labels.length, 0),
  txKeys: wallet.txKeys.length,
  notes: wallet.notes.length,
  payments: wallet.paid.length + wallet.unmined.length,
  addressBook: wallet.addressBook.length,
});

function importFile({ path, cacheKey, storeKey, owner, store }: CacheTask): CacheOutcome {
  try {
    const bytes = readRegular(path);
    const cache = openCache(bytes, cacheKey);
    if (cache === undefined) return { problem: 'it cannot be decrypted', otherKey: true };
    const wallet = importCache(cache, owner);
    writeStoreDraft(path, storeKey, (w: WalletWriter) => {
      fillNewStore(w, store);
      importWallet(w, wallet);
    });
    return { imported: countsOf(wallet) };
  } catch (error) {
    if (error instanceof CodecError || error instanceof RangeError)
      return { problem: error.message, otherKey: false };
    throw error;
  }
}

const JOBS = {
  import: job(importFile, {
    secretsOf: ({ cacheKey, storeKey, owner }) => [cacheKey, storeKey, owner.viewSecret],
  }),
};

export type CacheJobs = typeof JOBS;

answerCalls<ThreadRefusal>(JOBS, faultRefusal);
