import { readFileSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { withFileErrors } from '../../store/file/file-errors.js';
import { importWallet } from '../../store/import-wallet.js';
import { WalletStore } from '../../store/wallet-store.js';
import type { WalletWriter } from '../../store/wallet-writer.js';
import { CodecError } from '../../util/codec.js';
import { importCache, type CacheOwner } from '../../wallet/reference-cache/cache-import.js';
import { openCache } from '../../wallet/reference-cache/open-cache.js';
import { WalletError, type Fault } from '../../wallet/model/wallet-error.js';
import type { ImportedWallet } from '../../wallet/model/imported-wallet.js';
import { fillNewStore, type NewStore } from './new-store.js';

/** What the thread that takes over a cache is asked for. */
export interface CacheTask {
  /** The cache stands at the store's place; the store is drafted beside it. */
  readonly path: string;
  /** 32 bytes, of the cache. */
  readonly cacheKey: Uint8Array;
  /** 32 bytes, of the store. */
  readonly storeKey: Uint8Array;
  readonly owner: CacheOwner;
  readonly store: NewStore;
}

/** How much was taken over. */
export interface CacheCounts {
  readonly accounts: number;
  readonly addresses: number;
  readonly txKeys: number;
  readonly notes: number;
  readonly payments: number;
  readonly addressBook: number;
}

export type CacheAnswer =
  | { readonly taken: CacheCounts }
  /** `otherKey`: ciphered, but not under this key; nothing else is known to be wrong. */
  | { readonly problem: string; readonly otherKey: boolean }
  /** The files cannot be used: nothing is known of the cache. */
  | { readonly fault: Fault };

const countsOf = (memory: ImportedWallet): CacheCounts => ({
  accounts: memory.accounts.length,
  addresses: memory.accounts.reduce((count, { labels }) => count + labels.length, 0),
  txKeys: memory.txKeys.length,
  notes: memory.notes.length,
  payments: memory.paid.length + memory.unmined.length,
  addressBook: memory.addressBook.length,
});

function takeOver({ path, cacheKey, storeKey, owner, store }: CacheTask): CacheAnswer {
  try {
    const bytes = withFileErrors(path, () => readFileSync(path));
    const cache = openCache(bytes, cacheKey);
    if (cache === undefined) return { problem: 'it cannot be deciphered', otherKey: true };
    const memory = importCache(cache, owner);
    WalletStore.draft(path, storeKey, (w: WalletWriter) => {
      fillNewStore(w, store);
      importWallet(w, memory);
    });
    return { taken: countsOf(memory) };
  } catch (error) {
    if (error instanceof WalletError) return { fault: error.fault };
    if (error instanceof CodecError || error instanceof RangeError)
      return { problem: error.message, otherKey: false };
    throw error;
  }
}

const port = parentPort;
if (port === null) throw new Error('reference-cache-thread runs as a worker thread only');
port.on('message', (task: CacheTask) => {
  try {
    port.postMessage(takeOver(task));
  } finally {
    for (const secret of [task.cacheKey, task.storeKey, task.owner.viewSecret]) secret.fill(0);
  }
});
