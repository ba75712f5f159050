import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { WalletError } from '../../wallet/model/wallet-error.js';
import { codeOf, namingTrouble, namingTroubleOf } from './file-trouble.js';

/** Suffix of files that are being written. No wallet is created under a name that ends with it. */
export const DRAFT_SUFFIX = '.wallet-rpc-new';

/** Path where a file is written before it takes its place. */
export const draftOf = (path: string): string => `${path}${DRAFT_SUFFIX}`;

/** Codes of file systems without hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Gives a file a second name. @returns false where the file system has no hard links. @throws `EEXIST` for a taken name. */
export function tryLink(path: string, name: string): boolean {
  try {
    linkSync(path, name);
    return true;
  } catch (error) {
    if (NO_LINKS.has(codeOf(error))) return false;
    throw error;
  }
}

/**
 * A whole file beside its place, on disk, readable for its owner alone. It takes its place, or is discarded. Only the
 * holder of the wallet's lock may make one: the draft of an interrupted attempt is replaced.
 */
export class FileDraft {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  /** @throws WalletError `wallet_io`: no draft stays. */
  static async write(path: string, bytes: Uint8Array): Promise<FileDraft> {
    const draft = draftOf(path);
    const made = new FileDraft(path);
    await namingTroubleOf(path, async () => {
      await rm(draft, { force: true });
      const handle = await open(draft, 'wx', 0o600);
      try {
        await handle.writeFile(bytes);
        await handle.sync();
      } catch (error) {
        made.discard();
        throw error;
      } finally {
        await handle.close();
      }
    });
    return made;
  }

  /** Takes its place, whether a file is there or not. @throws WalletError `wallet_io`: no draft stays. */
  replace(): void {
    this.#settle(() => renameSync(draftOf(this.#path), this.#path));
  }

  /**
   * Takes its place unless a file is there; in one step, so that two processes cannot both succeed. On a file system
   * without hard links an empty file reserves the place first.
   * @throws WalletError `wallet_exists`, `wallet_io`: neither draft nor file stays.
   */
  create(): void {
    const draft = draftOf(this.#path);
    let isReserved = false;
    try {
      this.#settle(() => {
        isReserved = this.#reserve();
        renameSync(draft, this.#path);
        // Two names of one file: renaming the one to the other does nothing.
        rmSync(draft, { force: true });
      });
    } catch (error) {
      if (isReserved) discardFile(this.#path);
      throw error;
    }
  }

  discard(): void {
    discardFile(draftOf(this.#path));
  }

  /** Takes the name for a file of this process. @throws WalletError `wallet_exists` */
  #reserve(): true {
    try {
      if (!tryLink(draftOf(this.#path), this.#path)) closeSync(openSync(this.#path, 'wx', 0o600));
      return true;
    } catch (cause) {
      if (codeOf(cause) !== 'EEXIST') throw cause;
      throw new WalletError({ kind: 'wallet_exists', name: basename(this.#path, '.keys') }, { cause });
    }
  }

  #settle(place: () => void): void {
    try {
      namingTrouble(this.#path, () => {
        // Opened first: with too many files open, nothing changes.
        const directory = openSync(dirname(this.#path), 'r');
        try {
          place();
          fsyncSync(directory);
        } finally {
          closeSync(directory);
        }
      });
    } catch (error) {
      this.discard();
      throw error;
    }
  }
}

/** Removes a file while an error is handled. */
export function discardFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The next attempt removes it, or says why it cannot.
  }
}

/** Puts a file in place whole. @throws WalletError `wallet_io`: the file that was there stays. */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  (await FileDraft.write(path, bytes)).replace();
}
