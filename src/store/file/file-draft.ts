import { closeSync, linkSync, openSync, renameSync, rmSync, statSync, type Stats } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { WalletError } from '../../monero/wallet/model/wallet-error.js';
import { codeOf, withFileErrors, withFileErrorsAsync } from './file-errors.js';

/** Suffix of files that are being written. Names of wallets must not end with it. */
export const DRAFT_SUFFIX = '.wallet-rpc-new';

/** Path at which a file is written before it is renamed. */
export const draftOf = (path: string): string => `${path}${DRAFT_SUFFIX}`;

/** Bits of a mode that chmod sets, without those that change the user of a program. */
const PERMISSIONS = 0o777;

/** Error codes of file systems without hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/**
 * Gives a file a second name.
 * @returns false if the file system has no hard links.
 * @throws `EEXIST` for a taken name.
 */
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
 * A complete file beside its final path, flushed to disk and readable by its owner only. It is renamed or discarded.
 * Only the holder of the wallet's lock may write one: the draft of an interrupted attempt is replaced.
 */
export class FileDraft {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  /**
   * @param like file whose owner, group and rights the draft gets; absent: those of this process, for its owner alone.
   * @throws WalletError `wallet_io`: no draft is left behind.
   */
  static async write(
    path: string,
    bytes: Uint8Array,
    like?: Pick<Stats, 'uid' | 'gid' | 'mode'>,
  ): Promise<FileDraft> {
    const draft = draftOf(path);
    const file = new FileDraft(path);
    await withFileErrorsAsync(path, async () => {
      await rm(draft, { force: true });
      const handle = await open(draft, 'wx', 0o600);
      try {
        await handle.writeFile(bytes);
        if (like !== undefined) {
          const made = await handle.stat();
          if (made.uid !== like.uid || made.gid !== like.gid) await handle.chown(like.uid, like.gid);
          await handle.chmod(like.mode & PERMISSIONS);
        }
        await handle.sync();
      } catch (error) {
        file.discard();
        throw error;
      } finally {
        await handle.close();
      }
    });
    return file;
  }

  /**
   * Renames the draft to its final path; an existing file is replaced.
   * @throws WalletError `wallet_io`: no draft is left behind.
   */
  async replace(): Promise<void> {
    await this.#commit(() => renameSync(draftOf(this.#path), this.#path));
  }

  /**
   * Moves the draft to its final path unless a file exists there; atomically, so that two processes cannot both
   * succeed. On a file system without hard links an empty file reserves the path first.
   * @throws WalletError `wallet_exists`, `wallet_io`: neither draft nor file is left behind.
   */
  async create(): Promise<void> {
    const draft = draftOf(this.#path);
    let isReserved = false;
    try {
      await this.#commit(() => {
        isReserved = this.#reserve();
        renameSync(draft, this.#path);
        // If both are names of one file, renaming has no effect.
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

  /** Creates the final path. @throws WalletError `wallet_exists` */
  #reserve(): true {
    try {
      if (!tryLink(draftOf(this.#path), this.#path)) closeSync(openSync(this.#path, 'wx', 0o600));
      return true;
    } catch (cause) {
      if (codeOf(cause) !== 'EEXIST') throw cause;
      throw new WalletError({ kind: 'wallet_exists', name: basename(this.#path, '.keys') }, { cause });
    }
  }

  async #commit(rename: () => void): Promise<void> {
    try {
      await withFileErrorsAsync(this.#path, async () => {
        // The directory is opened first, so that nothing changes if too many files are open.
        const directory = await open(dirname(this.#path), 'r');
        try {
          rename();
          await directory.sync();
        } finally {
          await directory.close();
        }
      });
    } catch (error) {
      this.discard();
      throw error;
    }
  }
}

/** Removes a file and ignores errors, for use while another error is handled. */
export function discardFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The next attempt removes the file, or reports why it cannot.
  }
}

/** Writes a file atomically. @throws WalletError `wallet_io`: an existing file is unchanged. */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  await (await FileDraft.write(path, bytes)).replace();
}

/** {@link replaceFile} that keeps the owner, the group and the rights of an existing file. */
export async function replaceContent(path: string, bytes: Uint8Array): Promise<void> {
  const like = withFileErrors(path, () => statSync(path, { throwIfNoEntry: false }));
  await (await FileDraft.write(path, bytes, like)).replace();
}
