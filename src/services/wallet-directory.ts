import { existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { WalletError } from '../wallet/fault.js';

/** Where the parts of one wallet lie. */
export interface WalletPaths {
  /** As clients say it. */
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

/** Longest name that leaves room for our endings on common file systems. */
const MAX_NAME_BYTES = 200;

/** The directory that clients create wallets in and open them from. */
export class WalletDirectory {
  readonly path: string;

  /** Makes the directory, readable for its owner alone, when it is missing. */
  constructor(path: string) {
    this.path = resolve(path);
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
  }

  /** @throws WalletError `bad_wallet_name` for a name that is not a plain file name of this directory. */
  locate(name: string): WalletPaths {
    const plain =
      name !== '' && name === basename(name) && !/[/\\\0]/.test(name) && name !== '.' && name !== '..';
    if (
      !plain ||
      Buffer.byteLength(name) > MAX_NAME_BYTES ||
      name.endsWith('.keys') ||
      name.endsWith('.lock')
    )
      throw new WalletError({ kind: 'bad_wallet_name', name });
    return pathsOf(this.path, name);
  }
}

/** Paths of a wallet given as a file of its own, `--wallet-file`. */
export const locateFile = (path: string): WalletPaths => pathsOf(dirname(resolve(path)), basename(path));

/** Background files share the store and the lock of the wallet that they belong to. */
export function servedBy(background: WalletPaths): WalletPaths {
  const { name, keys } = background;
  const main = background.store.replace(/\.background$/, '');
  return { name, store: main, keys, lock: `${main}.lock` };
}

/** @throws WalletError `wallet_exists` when any file stands where the wallet would go. */
export function assertFree(paths: WalletPaths): void {
  if (existsSync(paths.keys) || existsSync(paths.store))
    throw new WalletError({ kind: 'wallet_exists', name: paths.name });
}

/** @throws WalletError `wallet_missing` */
export function assertPresent(paths: WalletPaths): void {
  if (!existsSync(paths.keys)) throw new WalletError({ kind: 'wallet_missing', name: paths.name });
}
