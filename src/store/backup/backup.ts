import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeDirectory } from '../../util/files.js';
import { WalletError } from '../../model/wallet-error.js';
import { DRAFT_SUFFIX, draftOf, syncDirectory } from '../file/file-draft.js';
import { withFileErrors, withFileErrorsAsync, fileError } from '../file/file-errors.js';
import { keysFileVersion, readKeysBytes } from '../keys/keys-file-disk.js';
import type { StoreFacts, StoreCopyJobs, StoreCopyTask, StoreRefusal } from './store-copy-thread.js';
import { ThreadClient } from '../../util/thread-client.js';
import { isDamage, type StoreKey } from '../file/database.js';

/** A complete backup: a directory that contains the store and the keys file of one wallet under their usual names. */
export interface Backup extends StoreFacts {
  readonly directory: string;
}

/** Paths of a wallet's files, and the key of its store. */
export interface BackupSource {
  readonly name: string;
  readonly store: string;
  readonly keys: string;
  readonly storeKey: StoreKey;
}

/**
 * Number of attempts while the keys file keeps changing. The keys file is replaced once for a new password, and once
 * for each round of a multisig key exchange.
 */
const ATTEMPTS = 3;

/**
 * Age from which the draft of an interrupted backup is removed [ms]. A younger draft may belong to a running backup.
 */
const ABANDONED_MS = 24 * 3_600_000;

const keysFileOf = (store: string): string => `${store}.keys`;

/** Returns the name of a backup: its time in ISO 8601, without colons, which some file systems refuse. */
const nameOf = (time: Date): string => time.toISOString().replaceAll(':', '-');

/**
 * Writes a backup of a wallet into a new directory `<into>/<wallet>/<time>`, which appears only when its files are
 * complete, checked and on disk. Meanwhile the wallet may be open and may be written.
 * @throws WalletError `wallet_io`, `wallet_corrupt`, or `wallet_locked` if the keys file keeps changing. No backup is
 * left behind.
 */
export async function writeBackup(source: BackupSource, into: string, time: Date): Promise<Backup> {
  const directory = join(into, source.name, nameOf(time));
  const draft = draftOf(directory);
  withFileErrors(draft, () => {
    makeDirectory(dirname(draft), 0o700);
    removeAbandoned(dirname(draft), time);
    mkdirSync(draft, { mode: 0o700 });
  });
  try {
    const facts = await copyFiles(source, join(draft, source.name));
    withFileErrors(directory, () => {
      syncDirectory(draft);
      renameSync(draft, directory);
      syncDirectory(dirname(directory));
    });
    return { directory, ...facts };
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Copies the store and the keys file, and repeats both if the keys file was replaced in between: a store can only be
 * opened with the keys of the same time.
 */
async function copyFiles(source: BackupSource, store: string): Promise<StoreFacts> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const version = keysFileVersion(source.keys);
    rmSync(store, { force: true });
    const facts = await copyStore(source.store, store, source.storeKey);
    const keys = await readKeysBytes(source.keys);
    if (keysFileVersion(source.keys) !== version) continue;
    const copy = keysFileOf(store);
    await withFileErrorsAsync(copy, () => writeFile(copy, keys, { flag: 'wx', mode: 0o600, flush: true }));
    return facts;
  }
  throw new WalletError({ kind: 'wallet_locked', name: source.name });
}

/** Removes drafts that a killed process left behind. */
function removeAbandoned(directory: string, now: Date): void {
  for (const name of readdirSync(directory)) {
    if (!name.endsWith(DRAFT_SUFFIX)) continue;
    const path = join(directory, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat !== undefined && now.getTime() - stat.mtimeMs > ABANDONED_MS)
      rmSync(path, { recursive: true, force: true });
  }
}

/**
 * Returns the paths of the files in a backup.
 * @throws WalletError `wallet_missing` for a directory without exactly one wallet.
 */
export function filesOfBackup(directory: string): Omit<BackupSource, 'storeKey'> {
  const names = withFileErrors(directory, () => readdirSync(directory)).filter((file) =>
    file.endsWith('.keys'),
  );
  const [keys] = names;
  if (keys === undefined || names.length > 1)
    throw new WalletError({ kind: 'wallet_missing', name: basename(directory) });
  const name = basename(keys, '.keys');
  const store = join(directory, name);
  return { name, store, keys: keysFileOf(store) };
}

/** The store is damaged or cannot be copied. */
class StoreProblem extends Error {
  override readonly name = 'StoreProblem';
  readonly code: string;

  constructor({ problem, code }: StoreRefusal) {
    super(problem);
    this.code = code;
  }
}

/** One thread serves all wallets, because it waits for the disk most of the time. */
const threads = new ThreadClient<StoreCopyJobs, StoreRefusal>(
  new URL('./store-copy-thread.js', import.meta.url),
  { threads: 1, toError: (refusal) => new StoreProblem(refusal) },
);

async function ask(task: Omit<StoreCopyTask, 'key'>, { key, cipher }: StoreKey): Promise<StoreFacts> {
  const copy = Uint8Array.from(key);
  try {
    return await threads.run('copy', { ...task, key: { key: copy, cipher } }, [copy]);
  } catch (cause) {
    throw cause instanceof StoreProblem ? storeError(task.path, cause) : cause;
  }
}

function storeError(path: string, cause: StoreProblem): Error {
  const error = fileError(path, cause);
  if (error instanceof WalletError && !isDamage(cause)) return error;
  const reason = isDamage(cause)
    ? 'its store is damaged, or of other keys'
    : `its store is damaged: ${cause.message}`;
  return new WalletError({ kind: 'wallet_corrupt', name: basename(path), reason }, { cause });
}

/**
 * Copies a store to a new file on another thread, while the store is read and written, then checks the copy. The copy
 * is encrypted with the same key, readable by its owner only, and flushed to disk. It is made by VACUUM INTO, because
 * the backup interface of this SQLite build can deliver corrupt copies of encrypted files.
 * @throws WalletError `wallet_corrupt`, `wallet_io`. A partial copy is left behind, which the caller removes.
 */
export const copyStore = (source: string, path: string, key: StoreKey): Promise<StoreFacts> =>
  ask({ source, path }, key);

/** Checks every page, row reference and index of a store. @throws WalletError `wallet_corrupt`, `wallet_io` */
export const checkStore = (path: string, key: StoreKey): Promise<StoreFacts> => ask({ path }, key);

/**
 * Checks every page of a store, on another thread: the tags of the pages must be right, and the pages must make up
 * whole trees. Takes a fraction of the time of {@link checkStore}, which also compares indexes with their tables.
 * @throws WalletError `wallet_corrupt`, `wallet_io`
 */
export const checkPages = async (path: string, key: StoreKey): Promise<void> =>
  void (await ask({ path, isQuick: true }, key));
