import { lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isOpenHere } from '../../store/file/file-identity.js';
import { withFileErrors } from '../../store/file/file-errors.js';
import { makeDirectory } from '../../util/make-directory.js';
import { WalletError } from '../../monero/wallet/model/wallet-error.js';
import { assertName, assertNewName, badName, endingOf, isPlainName, OWN_ENDINGS } from './wallet-name.js';

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

const KEYS_ENDING = '.keys';

/**
 * Name of a wallet that a client names by itself or by its keys file.
 * Source: wallet2.cpp `do_prepare_file_names`.
 */
export const walletNameOf = (given: string): string =>
  given.endsWith(KEYS_ENDING) && given.length > KEYS_ENDING.length
    ? given.slice(0, -KEYS_ENDING.length)
    : given;

/** Name of the file that keeps event ids increasing, in the directory of the wallets. */
export const EVENT_IDS_FILE = 'events.wallet-rpc-ids';

/** The directory that clients create wallets in and open them from. */
export class WalletDirectory {
  readonly path: string;

  /** Creates the directory, accessible to its owner only, if it is missing. @throws WalletError `wallet_io` */
  constructor(path: string) {
    this.path = resolve(path);
    withFileErrors(this.path, () => makeDirectory(this.path, 0o700));
  }

  /** Names of the wallets with a keys file in the directory, in ascending order. @throws WalletError `wallet_io` */
  names(): string[] {
    return withFileErrors(this.path, () => readdirSync(this.path))
      .filter((file) => walletNameOf(file) !== file)
      .map(walletNameOf)
      .filter((name) => isPlainName(name))
      .sort();
  }

  /**
   * Paths of an existing wallet; the files are not checked.
   * @throws WalletError `bad_wallet_name` for a name that is not a plain file name of this directory.
   */
  locate(name: string): WalletPaths {
    assertName(name);
    return pathsOf(this.path, name);
  }

  /**
   * Paths of a wallet to create; the files are not checked.
   * @throws WalletError `bad_wallet_name`, also for a name that the files of another wallet may have, and for one with
   * white space at an end.
   */
  locateNew(name: string): WalletPaths {
    assertNewName(name);
    return pathsOf(this.path, name);
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
 * Refuses a wallet whose store may be that of another wallet, past its lock: through a link, or by the name without the
 * white space at its end, which earlier versions dropped.
 * @throws WalletError `bad_wallet_name`; `wallet_locked` where this process has the file open; `wallet_io`
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
