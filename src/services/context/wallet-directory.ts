import { lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DRAFT_SUFFIX } from '../../store/file/file-draft.js';
import { withFileErrors } from '../../store/file/file-errors.js';
import { LOG_SUFFIXES } from '../../store/file/atomic-replace.js';
import { WalletError } from '../../wallet/model/wallet-error.js';

/** Paths of the files of one wallet. */
export interface WalletPaths {
  /** Name in the wallet directory, as clients give it. */
  readonly name: string;
  /** The encrypted store. */
  readonly store: string;
  readonly keys: string;
  readonly lock: string;
}

const pathsOf = (directory: string, name: string): WalletPaths => {
  const store = join(directory, name);
  return { name, store, keys: `${store}.keys`, lock: `${store}.lock` };
};

/** Longest wallet name [bytes] that leaves room for our endings on common file systems. */
const MAX_NAME_BYTES = 200;

/** Endings, after a wallet name, of the files that this server may write at any time. */
const OWN_ENDINGS = ['.keys', '.lock', DRAFT_SUFFIX, ...LOG_SUFFIXES];

/**
 * Endings of the other files beside a wallet: background files, backups, and files of the reference.
 * Source: wallet2.cpp `do_prepare_file_names`, `store_to`, `store_keys`, `load_wallet_cache`.
 */
const OTHER_ENDINGS = [
  '.background',
  '.reference-cache',
  '.replaced',
  '.new',
  '.mms',
  '.address.txt',
  '.unportable',
  '.wallet-rpc-ids',
];

/** Name of the file that keeps event ids increasing, in the directory of the wallets. */
export const EVENT_IDS_FILE = 'events.wallet-rpc-ids';

/** Number behind the ending of every backup but the first. Source: backup-name.ts. */
const BACKUP_NUMBER = /(?<=\.(reference-cache|replaced))\.\d+$/i;

/** Compares without regard to case, as some file systems do. */
const endingOf = (name: string, endings: readonly string[]): string | undefined =>
  endings.find((ending) => name.toLowerCase().endsWith(ending));

/** Whether a name is a file name without a directory. */
export const isPlainName = (name: string): boolean =>
  name !== '' && name === basename(name) && !/[/\\\0]/.test(name) && name !== '.' && name !== '..';

const badName = (name: string, reason: string): WalletError =>
  new WalletError({ kind: 'bad_wallet_name', name, reason });

/** The directory that clients create wallets in and open them from. */
export class WalletDirectory {
  readonly path: string;

  /** Creates the directory, accessible to its owner only, if it is missing. @throws WalletError `wallet_io` */
  constructor(path: string) {
    this.path = resolve(path);
    withFileErrors(this.path, () => mkdirSync(this.path, { recursive: true, mode: 0o700 }));
  }

  /** Names of the wallets with a keys file in the directory, in ascending order. @throws WalletError `wallet_io` */
  names(): string[] {
    const ending = '.keys';
    return withFileErrors(this.path, () => readdirSync(this.path))
      .filter((file) => file.endsWith(ending) && file.length > ending.length)
      .map((file) => file.slice(0, -ending.length))
      .filter((name) => isPlainName(name))
      .sort();
  }

  /**
   * Paths of an existing wallet; the files are not checked.
   * @throws WalletError `bad_wallet_name` for a name that is not a plain file name of this directory.
   */
  locate(name: string): WalletPaths {
    if (!isPlainName(name))
      throw badName(name, 'a wallet name is a plain file name inside the wallet directory');
    if (Buffer.byteLength(name) > MAX_NAME_BYTES)
      throw badName(name, `a wallet name has at most ${MAX_NAME_BYTES} bytes`);
    if (name.endsWith('.keys') || name.endsWith('.lock'))
      throw badName(name, 'a wallet is opened by its name, without .keys or .lock');
    return pathsOf(this.path, name);
  }

  /**
   * Paths of a wallet to create; the files are not checked.
   * @throws WalletError `bad_wallet_name`, also for a name that the files of another wallet may have.
   */
  locateNew(name: string): WalletPaths {
    const ending = endingOf(name.replace(BACKUP_NUMBER, ''), [...OWN_ENDINGS, ...OTHER_ENDINGS]);
    if (ending !== undefined)
      throw badName(name, `a wallet name cannot end with ${ending}: files of other wallets have such names`);
    return this.locate(name);
  }
}

/** Paths of a wallet given as a file path, `--wallet-file`. */
export const locateFile = (path: string): WalletPaths => pathsOf(dirname(resolve(path)), basename(path));

/** Paths of the wallet opened by a background keys file: it shares the store and the lock of its main wallet. */
export function backgroundPaths(background: WalletPaths): WalletPaths {
  const { name, keys } = background;
  const main = background.store.replace(/\.background$/, '');
  return { name, store: main, keys, lock: `${main}.lock` };
}

const isThere = (path: string): boolean =>
  withFileErrors(path, () => lstatSync(path, { throwIfNoEntry: false }) !== undefined);

/** @throws WalletError `wallet_exists` where the keys file or the store exists; `wallet_io` */
export function assertFree(paths: WalletPaths): void {
  if (isThere(paths.keys) || isThere(paths.store))
    throw new WalletError({ kind: 'wallet_exists', name: paths.name });
}

/** @throws WalletError `wallet_missing`, `wallet_io` */
export function assertPresent(paths: WalletPaths): void {
  if (!isThere(paths.keys)) throw new WalletError({ kind: 'wallet_missing', name: paths.name });
}

/**
 * Refuses a wallet whose files have the names of another wallet's files, such as the log of `shop` and the store of a
 * wallet named `shop-wal`. Such names are not created any more; old wallets and other programs may still have them.
 * @throws WalletError `bad_wallet_name`, `wallet_io`
 */
export function assertApart({ name, store }: WalletPaths): void {
  for (const ending of OWN_ENDINGS)
    if (isThere(`${store}${ending}.keys`))
      throw badName(
        name,
        `its file '${name}${ending}' belongs to the wallet of that name: rename that wallet`,
      );
  const ending = endingOf(name, OWN_ENDINGS);
  if (ending === undefined) return;
  const other = store.slice(0, -ending.length);
  if (isThere(other) || isThere(`${other}.keys`))
    throw badName(name, `it is the name of a file of the wallet '${basename(other)}': rename this one`);
}
