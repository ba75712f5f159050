import {
  closeSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  type Stats,
  fdatasync,
  fsync,
  fsyncSync,
  constants,
  copyFileSync,
  existsSync,
} from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { WalletError } from '../../model/wallet-error.js';
import { codeOf, withFileErrors, withFileErrorsAsync } from './file-errors.js';

/** Suffix of files that are being written. Wallet names must not end with it. */
export const DRAFT_SUFFIX = '.wallet-rpc-new';

/** Returns the path at which a file is written before it is renamed to its final path. */
export const draftOf = (path: string): string => `${path}${DRAFT_SUFFIX}`;

/** Permission bits of a file mode, without the set-user-ID, set-group-ID and sticky bits. */
const PERMISSIONS = 0o777;

/** Error codes of file systems that have no hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/**
 * Gives a file a second name as a hard link.
 * @returns false if the file system has no hard links.
 * @throws `EEXIST` if the name is taken.
 */
function tryLink(path: string, name: string): boolean {
  try {
    linkSync(path, name);
    return true;
  } catch (error) {
    if (NO_LINKS.has(codeOf(error))) return false;
    throw error;
  }
}

/**
 * A complete file that waits beside its final path, flushed to disk and readable by its owner only; it is renamed or
 * discarded. Only the holder of the wallet's lock may write a draft, because writing replaces the draft of an
 * interrupted attempt.
 */
export class FileDraft {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  /**
   * Writes a draft.
   * @param like file whose owner, group and permissions the draft gets; absent: owner and group of this process, and
   * rights to read and write for the owner only.
   * @throws WalletError `wallet_io`; then no draft is left behind.
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
   * Renames the draft to its final path; replaces an existing file.
   * @throws WalletError `wallet_io`; then no draft is left behind.
   */
  async replace(): Promise<void> {
    await this.#commit(() => renameSync(draftOf(this.#path), this.#path));
  }

  /**
   * Moves the draft to its final path unless a file exists there; atomically, so that of two processes only one
   * succeeds. On a file system without hard links an empty file first reserves the path.
   * @throws WalletError `wallet_exists`, `wallet_io`; then neither draft nor file is left behind.
   */
  async create(): Promise<void> {
    const draft = draftOf(this.#path);
    let isReserved = false;
    try {
      await this.#commit(() => {
        isReserved = this.#reserve();
        renameSync(draft, this.#path);
        // If both paths are already names of the same file, renaming does nothing and leaves the draft's name.
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

  /** Creates an empty file at the final path. @throws WalletError `wallet_exists` */
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
        // The directory is opened first: if too many files are open, this fails before anything has changed.
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

/** Removes a file and ignores errors, since it is used while another error is handled. */
export function discardFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The next attempt removes the file, or reports why that is impossible.
  }
}

/** Writes a file atomically. @throws WalletError `wallet_io`; then an existing file is unchanged. */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  await (await FileDraft.write(path, bytes)).replace();
}

/** Writes a file as {@link replaceFile}, but keeps the owner, the group and the permissions of an existing file. */
export async function replaceContent(path: string, bytes: Uint8Array): Promise<void> {
  const like = withFileErrors(path, () => statSync(path, { throwIfNoEntry: false }));
  await (await FileDraft.write(path, bytes, like)).replace();
}

/** Flushes a file to disk. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Flushes a file to disk as {@link syncFile}, without blocking this thread. */
export const syncFileAsync = (path: string): Promise<void> => flushed(path, fdatasync);

/** Flushes a directory to disk, so that names which were created, changed or removed in it are permanent. */
export const syncDirectory = syncFile;

/**
 * Flushes a directory to disk as {@link syncDirectory}, without blocking this thread. It does not use `fdatasync`,
 * because some file systems treat the names in a directory as metadata, which `fdatasync` leaves out.
 */
export const syncDirectoryAsync = (path: string): Promise<void> => flushed(path, fsync);

async function flushed(path: string, flush: typeof fsync): Promise<void> {
  const file = openSync(path, 'r');
  await new Promise<void>((resolve, reject) =>
    flush(file, (error) => {
      closeSync(file);
      if (error === null) resolve();
      else reject(error);
    }),
  );
}

/**
 * Returns the path of a backup.
 * @param number 0 for the first backup of a file; later backups have their number in the name.
 */
const backupOf = (path: string, suffix: string, number: number): string =>
  `${path}.${suffix}${number === 0 ? '' : `.${number}`}`;

/** Returns the path of the latest backup of a file; undefined if there is no backup. */
export function newestBackup(path: string, suffix: string): string | undefined {
  let newest: string | undefined;
  for (let i = 0; ; i++) {
    const backup = backupOf(path, suffix, i);
    if (!existsSync(backup)) return newest;
    newest = backup;
  }
}

/**
 * Gives a file a second name: its own name with a suffix, and with a number if this name is taken.
 * @returns the second name.
 */
export function addBackupName(path: string, suffix: string): string {
  const { dev, ino } = statSync(path);
  for (let i = 0; ; i++) {
    const backup = backupOf(path, suffix, i);
    const existing = statSync(backup, { throwIfNoEntry: false });
    // An interrupted attempt may have given the file this name already.
    if (existing?.dev === dev && existing.ino === ino) return backup;
    if (existing !== undefined) continue;
    if (!tryLink(path, backup)) copyTo(path, backup);
    syncDirectory(dirname(path));
    return backup;
  }
}

function copyTo(path: string, backup: string): void {
  const draft = draftOf(backup);
  rmSync(draft, { force: true });
  copyFileSync(path, draft, constants.COPYFILE_EXCL);
  syncFile(draft);
  renameSync(draft, backup);
}
