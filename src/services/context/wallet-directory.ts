import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isOpenHere } from '../../store/file/wallet-lock.js';
import { withFileErrors } from '../../store/file/file-errors.js';
import { contentOf } from '../../store/file/store-format.js';
import { makeDirectory } from '../../util/files.js';
import { WalletError, type FoundFile } from '../../model/wallet-error.js';
import { ADDRESS_RECORD_SUFFIX } from '../../store/file/address-record.js';
import { LOG_SUFFIXES } from '../../store/file/atomic-replace.js';
import { DRAFT_SUFFIX } from '../../store/file/file-draft.js';

/** Paths of the files of one wallet. */
export interface WalletPaths {
  /** Name in the wallet directory, as clients write it. */
  readonly name: string;
  /** Path of the encrypted store. */
  readonly store: string;
  readonly keys: string;
  readonly lock: string;
}

const pathsOf = (directory: string, name: string): WalletPaths => {
  const store = join(directory, name);
  return { name, store, keys: `${store}.keys`, lock: `${store}.lock` };
};

const KEYS_ENDING = '.keys';

/** Name of a wallet, from its name or the name of its keys file. Source: wallet2.cpp `do_prepare_file_names`. */
export const walletNameOf = (given: string): string =>
  given.endsWith(KEYS_ENDING) && given.length > KEYS_ENDING.length
    ? given.slice(0, -KEYS_ENDING.length)
    : given;

/** Name of the file in the wallet directory that contains an id greater than all allocated event ids. */
export const EVENT_IDS_FILE = 'events.wallet-rpc-ids';

/** Directory in which clients create and open wallets. */
export class WalletDirectory {
  readonly path: string;

  /** Creates the directory, accessible to its owner only, if it is missing. @throws WalletError `wallet_io` */
  constructor(path: string) {
    this.path = resolve(path);
    withFileErrors(this.path, () => makeDirectory(this.path, 0o700));
  }

  /**
   * Lists the wallets with a keys file in the directory, in ascending order of their names. @throws WalletError
   * `wallet_io`
   */
  names(): string[] {
    return withFileErrors(this.path, () => readdirSync(this.path))
      .filter((file) => walletNameOf(file) !== file)
      .map(walletNameOf)
      .filter((name) => isPlainName(name))
      .sort();
  }

  /**
   * Returns the paths of an existing wallet, without a check of the files.
   * @throws WalletError `bad_wallet_name` for a name that is not a plain file name in this directory.
   */
  locate(name: string): WalletPaths {
    assertName(name);
    return pathsOf(this.path, name);
  }

  /**
   * Returns the paths of a wallet to create, without a check of the files.
   * @throws WalletError `bad_wallet_name`, also for a name that a file of another wallet may have, and for a name that
   * begins or ends with white space.
   */
  locateNew(name: string): WalletPaths {
    assertNewName(name);
    return pathsOf(this.path, name);
  }
}

/** Paths of the wallet whose file path is given with `--wallet-file`. */
export const locateFile = (path: string): WalletPaths => pathsOf(dirname(resolve(path)), basename(path));

/** Paths of a wallet that is opened by its background keys file: the store and the lock of the main wallet. */
export function backgroundPaths(background: WalletPaths): WalletPaths {
  const { name, keys } = background;
  const main = background.store.replace(/\.background$/, '');
  return { name, store: main, keys, lock: `${main}.lock` };
}

const isThere = (path: string): boolean =>
  withFileErrors(path, () => lstatSync(path, { throwIfNoEntry: false }) !== undefined);

/**
 * Checks that no file has the name of the keys file or the store. @throws WalletError `wallet_exists`,
 * `keys_file_exists`, `wallet_io`
 */
export function assertFree({ name, keys, store }: WalletPaths): void {
  const hasKeys = isThere(keys);
  const stat = withFileErrors(store, () => lstatSync(store, { throwIfNoEntry: false }));
  if (stat !== undefined)
    throw new WalletError({
      kind: 'wallet_exists',
      name,
      found: hasKeys ? 'wallet' : foundFile(store, stat),
    });
  if (hasKeys) throw new WalletError({ kind: 'keys_file_exists', name });
}

/**
 * Detects the kind of a file that is not a wallet with a keys file.
 * @param stat status of the path itself, without following links.
 */
function foundFile(path: string, stat: Stats): FoundFile {
  if (stat.isDirectory()) return 'directory';
  if (stat.isSymbolicLink()) return 'link';
  if (!stat.isFile()) return 'file';
  // Closing a second descriptor of an open store would release the locks of the first descriptor.
  return isOpenHere(path) ? 'store' : contentOf(path);
}

/** Checks that the wallet exists. @throws WalletError `wallet_missing`, `wallet_io` */
export function assertPresent({ keys, name }: Pick<WalletPaths, 'keys' | 'name'>): void {
  if (!isThere(keys)) throw new WalletError({ kind: 'wallet_missing', name });
}

/**
 * Checks that the files of a wallet are not files of another wallet: the log of the wallet `shop` has the name of the
 * store of a wallet `shop-wal`. Wallets with such names are not created any more, but old wallets and other programs
 * may still have them.
 * @throws WalletError `bad_wallet_name`, `wallet_locked`, `wallet_io`
 */
export function assertApart({ name, store }: WalletPaths): void {
  for (const ending of OWN_ENDINGS)
    if (isThere(`${store}${ending}.keys`))
      throw badName(
        name,
        `its file '${name}${ending}' belongs to the wallet of that name: rename that wallet`,
      );
  assertOwnStore(name, store);
  const ending = endingOf(name, OWN_ENDINGS);
  if (ending === undefined) return;
  const other = store.slice(0, -ending.length);
  if (isThere(other) || isThere(`${other}.keys`))
    throw badName(name, `it is the name of a file of the wallet '${basename(other)}': rename this one`);
}

/**
 * Checks that the store is not the store of another wallet, which has a lock of its own: through a link, or because an
 * earlier version dropped white space at the end of the name.
 * @throws WalletError `bad_wallet_name`; `wallet_locked` if this process has the file open; `wallet_io`
 */
function assertOwnStore(name: string, store: string): void {
  const stat = withFileErrors(store, () => lstatSync(store, { throwIfNoEntry: false }));
  if (stat?.isSymbolicLink() === true)
    throw badName(name, 'its store is a symbolic link: move the file to its place, or link the directory');
  if (withFileErrors(store, () => isOpenHere(store))) throw new WalletError({ kind: 'wallet_locked', name });
  const trimmed = store.trimEnd();
  if (trimmed !== store && isThere(trimmed))
    throw badName(
      name,
      `an earlier version may have written its store to '${basename(trimmed)}': rename its keys file to '${basename(trimmed)}.keys', or to another name where that is taken`,
    );
}

/** Longest wallet name [bytes] that leaves room for the endings of its files on common file systems. */
const MAX_NAME_BYTES = 200;

/** Ending of the file that marks the local files of a wallet of a cluster. */
export const MARK_ENDING = '.cluster';

/** Endings, after a wallet name, of files that this server may write at any time. */
const OWN_ENDINGS = ['.keys', '.lock', MARK_ENDING, DRAFT_SUFFIX, ADDRESS_RECORD_SUFFIX, ...LOG_SUFFIXES];

/**
 * Endings of other files of a wallet: background files, backups, and files of the reference. Source: wallet2.cpp
 * `do_prepare_file_names`, `store_to`, `store_keys`, `load_wallet_cache`.
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

/** Number after the ending of every backup except the first. Source: file-draft.ts. */
const BACKUP_NUMBER = /(?<=\.(reference-cache|replaced))\.\d+$/i;

/** White space, control characters, and characters without width, as a class of a regular expression. */
const BLANK = '[\\s\\p{White_Space}\\p{Cc}\\u180e\\u200b-\\u200f\\u2060\\ufeff]';

/**
 * Matches a name that begins or ends with such a character. Libraries, file systems and people may drop such
 * characters, so that two names become the same.
 */
const BLANK_END = new RegExp(`^${BLANK}|${BLANK}$`, 'u');

/** Matches one half of a surrogate pair, which UTF-8 cannot encode. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Returns the ending that a name has, without regard to case, as on some file systems; undefined if the name has no
 * such ending.
 */
const endingOf = (name: string, endings: readonly string[]): string | undefined =>
  endings.find((ending) => name.toLowerCase().endsWith(ending));

/** True if a name is a file name without a directory. */
export const isPlainName = (name: string): boolean =>
  name !== '' &&
  name === basename(name) &&
  !/[/\\\0]/.test(name) &&
  !LONE_SURROGATE.test(name) &&
  name !== '.' &&
  name !== '..';

export const badName = (name: string, reason: string): WalletError =>
  new WalletError({ kind: 'bad_wallet_name', name, reason });

/**
 * Checks the name of an existing wallet. @throws WalletError `bad_wallet_name` for a name that no wallet in a directory
 * can have.
 */
function assertName(name: string): void {
  if (!isPlainName(name))
    throw badName(name, 'a wallet name is a plain file name inside the wallet directory');
  if (Buffer.byteLength(name) > MAX_NAME_BYTES)
    throw badName(name, `a wallet name has at most ${MAX_NAME_BYTES} bytes`);
  if (name.endsWith('.keys') || name.endsWith('.lock'))
    throw badName(name, 'a wallet is opened by its name, without .keys or .lock');
}

/**
 * Checks the name of a new wallet.
 * @throws WalletError `bad_wallet_name` for a name that only an older wallet may have, or that no wallet can have.
 */
function assertNewName(name: string): void {
  if (BLANK_END.test(name))
    throw badName(name, 'a wallet name neither begins nor ends with white space or invisible characters');
  const ending = endingOf(name.replace(BACKUP_NUMBER, ''), [...OWN_ENDINGS, ...OTHER_ENDINGS]);
  if (ending !== undefined)
    throw badName(name, `a wallet name cannot end with ${ending}: files of other wallets have such names`);
  assertName(name);
}
