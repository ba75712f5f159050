import { cacheKey } from '../../monero/crypto/kdf.js';
import type { KeysAccess } from '../../store/backup/restore.js';
import { readRegular } from '../../store/file/file-errors.js';
import { newestBackup } from '../../store/file/file-draft.js';
import { storeFormat } from '../../store/file/store-format.js';
import type { KeysFile } from '../../store/keys/keys-file.js';
import { loadKeysFile } from '../../store/keys/keys-file-disk.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import { equalBytes } from '../../util/bytes.js';
import { CodecError } from '../../util/codec.js';
import { WalletError } from '../../model/wallet-error.js';
import type { TransferDetails } from '../../monero/wallet/exchange/transfer-details.js';
import type { ReferenceCache } from '../../monero/wallet/reference-cache/cache.js';
import { cachedHeight, isSpentInBlock } from '../../monero/wallet/reference-cache/cached-balance.js';
import { openCache } from '../../monero/wallet/reference-cache/cache-import.js';
import { assertNoCopy } from '../cluster/local-copy.js';
import type { WalletPaths } from '../context/wallet-directory.js';
import { CACHE_SUFFIX, oldCacheKey } from './reference-import.js';
import { withStoreCopy } from './closed-wallets.js';

/** Figures of a cache, or of a store up to the height of the cache. */
export interface MigrationFigures {
  /** Number of blocks that the wallet knows. */
  readonly height: number;
  /** Sum of the outputs that no mined transaction spends, including frozen outputs [atomic units]. */
  readonly balance: bigint;
  readonly outputs: number;
  readonly accounts: number;
  readonly addresses: number;
  /** Number of mined payments that the wallet made. */
  readonly payments: number;
  /** Number of transactions whose keys are stored. */
  readonly txKeys: number;
  readonly notes: number;
  readonly addressBook: number;
}

/** A figure that differs between the store and the cache. */
export interface MigrationDifference {
  readonly subject: string;
  readonly here: bigint | number;
  readonly cached: bigint | number;
}

export type MigrationCheck =
  | { readonly state: 'no cache' }
  /** The cache was not imported, and is still at the path of the store. */
  | { readonly state: 'not migrated'; readonly cache: MigrationFigures }
  | {
      readonly state: 'migrated';
      readonly cache: MigrationFigures;
      readonly differences: readonly MigrationDifference[];
      readonly isMultisig: boolean;
    };

/**
 * Compares a wallet with the cache of the reference from which it was imported, at the height of the cache. Changes
 * nothing: the store is read from a copy, which is removed afterwards.
 * @throws WalletError `wrong_password`, `wallet_corrupt` for a cache that cannot be read or belongs to another wallet,
 * or for a damaged store; `bad_cluster_request` for the copy of a wallet in a cluster; `wallet_io`
 */
export async function checkMigration(paths: WalletPaths, access: KeysAccess): Promise<MigrationCheck> {
  assertNoCopy(paths);
  const keysFile = await loadKeysFile(paths.keys, access.password, access.kdfRounds);
  const format = await storeFormat(paths.store);
  if (format === 'foreign')
    return {
      state: 'not migrated',
      cache: figuresOf(await readCache(paths, paths.store, keysFile, access), keysFile),
    };
  const backup = newestBackup(paths.store, CACHE_SUFFIX);
  if (backup === undefined || format === 'empty') return { state: 'no cache' };
  const cache = await readCache(paths, backup, keysFile, access);
  const figures = figuresOf(cache, keysFile);
  const differences = await withStoreCopy(paths, keysFile, (store) => {
    const height = store.height();
    // A store that has not reached the height of the cache has no balance to compare.
    if (height < figures.height) return [{ subject: 'height', here: height, cached: figures.height }];
    return store.read((r) => differencesOf(r, cache, figures));
  });
  return { state: 'migrated', cache: figures, differences, isMultisig: keysFile.multisig !== undefined };
}

/** Reads the figures of a cache. @throws WalletError `wallet_corrupt`, `wallet_io` */
async function readCache(
  { name }: WalletPaths,
  path: string,
  keysFile: KeysFile,
  { password, kdfRounds }: KeysAccess,
): Promise<ReferenceCache> {
  const corrupt = (reason: string, cause?: unknown): WalletError =>
    new WalletError({ kind: 'wallet_corrupt', name, reason }, { cause });
  const bytes = readRegular(path);
  try {
    const cache =
      openCache(bytes, await cacheKey(password, kdfRounds)) ??
      openCache(bytes, await oldCacheKey(keysFile, kdfRounds));
    if (cache === undefined)
      throw corrupt('its old cache cannot be decrypted: it is damaged, or its password was another one');
    const { address } = cache;
    if (
      !equalBytes(address.spendPublicKey, keysFile.spendPublicKey) ||
      !equalBytes(address.viewPublicKey, keysFile.viewPublicKey)
    )
      throw corrupt('its old cache belongs to another wallet');
    return cache;
  } catch (error) {
    if (error instanceof CodecError || error instanceof RangeError)
      throw corrupt(`its old cache cannot be read: ${error.message}`, error);
    throw error;
  }
}

function figuresOf(cache: ReferenceCache, { watchOnly }: Pick<KeysFile, 'watchOnly'>): MigrationFigures {
  const { transfers, labels, confirmed, txKeys, notes, addressBook } = cache;
  // A view-only wallet knows spends from imported key images, which have no height, and makes no payments.
  const isSpent = watchOnly ? ({ spent }: TransferDetails): boolean => spent : isSpentInBlock;
  return {
    height: cachedHeight(cache),
    balance: transfers.reduce((sum, output) => sum + (isSpent(output) ? 0n : output.amount), 0n),
    outputs: transfers.length,
    accounts: Math.max(1, labels.length),
    addresses: Math.max(
      1,
      labels.reduce((count, own) => count + own.length, 0),
    ),
    payments: confirmed.length,
    txKeys: txKeys.length,
    notes: notes.length,
    addressBook: addressBook.length,
  };
}

function differencesOf(
  r: WalletReader,
  cache: ReferenceCache,
  figures: MigrationFigures,
): MigrationDifference[] {
  const { height } = figures;
  const outputs = r.outputs.inOrder().filter((output) => output.height < height);
  const unspent = outputs.filter(({ spentHeight = Infinity }) => spentHeight >= height);
  const accounts = r.accounts.list();
  const found: readonly (readonly [subject: string, here: bigint | number, cached: bigint | number])[] = [
    ['balance', unspent.reduce((sum, output) => sum + output.amount, 0n), figures.balance],
    ['outputs', outputs.length, figures.outputs],
    // The store may have further accounts, created since the import.
    ['accounts', Math.min(accounts.length, figures.accounts), figures.accounts],
    [
      'addresses',
      Math.min(
        accounts.reduce((count, { addressCount }) => count + addressCount, 0),
        figures.addresses,
      ),
      figures.addresses,
    ],
    [
      'payments',
      cache.confirmed.filter(([txHash]) => r.outgoing.byHash(txHash)?.state === 'confirmed').length,
      figures.payments,
    ],
    [
      'transaction keys',
      cache.txKeys.filter(([txHash, key]) => {
        const [first] = r.txKeys.get(txHash) ?? [];
        return first !== undefined && equalBytes(first, key);
      }).length,
      figures.txKeys,
    ],
    [
      'notes',
      cache.notes.filter(([txHash, note]) => note === '' || r.notes.get(txHash) !== undefined).length,
      figures.notes,
    ],
    ['address book', Math.min(r.addressBook.count(), figures.addressBook), figures.addressBook],
  ];
  return found
    .filter(([, here, cached]) => here !== cached)
    .map(([subject, here, cached]) => ({ subject, here, cached }));
}
