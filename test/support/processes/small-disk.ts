import { execFileSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  rmdirSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EndedAtExit } from './ended-at-exit.js';

/** Sizes of the writes that fill a disk [bytes]: the last free page is taken, too. */
const CHUNKS = [1 << 20, 4096];

const NO_SPACE = 'ENOSPC';

/** Disks that are mounted. They must not outlive this process. */
const mounted = new EndedAtExit<SmallDisk>((disk) => disk.unmount());

/** A disk of a few megabytes that can be full: a file system in memory. Mounting takes the rights of root. */
export class SmallDisk {
  readonly directory: string;
  readonly #ballast: string;

  private constructor(directory: string) {
    this.directory = directory;
    this.#ballast = join(directory, 'ballast');
  }

  /**
   * Mounts a disk at a directory, which is made.
   * @param bytes its size. @param user owner of the directory. @throws Error if this process may not mount.
   */
  static mount(directory: string, bytes: number, { uid, gid }: { uid?: number; gid?: number }): SmallDisk {
    mkdirSync(directory, { mode: 0o700 });
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=700`, 'small-disk', directory], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
    } catch (cause) {
      rmdirSync(directory);
      const { message } = cause as Error;
      throw new Error(`a small disk cannot be mounted, which takes the rights of root: ${message}`, {
        cause,
      });
    }
    const disk = new SmallDisk(directory);
    mounted.add(disk);
    if (uid !== undefined && gid !== undefined) chownSync(directory, uid, gid);
    return disk;
  }

  /** Mounts and unmounts a disk. @throws Error if this process may not mount. */
  static assertAllowed(): void {
    const directory = mkdtempSync(join(tmpdir(), 'small-disk-'));
    try {
      SmallDisk.mount(join(directory, 'disk'), 1 << 20, {}).unmount();
    } finally {
      rmSync(directory, { recursive: true });
    }
  }

  /** Takes all space that is free now. */
  fill(): void {
    const file = openSync(this.#ballast, 'a');
    try {
      for (const bytes of CHUNKS) fillBy(file, Buffer.alloc(bytes, 1));
    } finally {
      closeSync(file);
    }
  }

  /** Frees the space that {@link fill} has taken. */
  free(): void {
    rmSync(this.#ballast, { force: true });
  }

  /** Makes the disk read-only, or writable again. @throws Error while a program has files open for writing. */
  setReadOnly(isReadOnly: boolean): void {
    execFileSync('mount', ['-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, this.directory], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }

  /** Unmounts the disk, whose content is lost, and removes its directory. */
  unmount(): void {
    if (!mounted.delete(this)) return;
    execFileSync('umount', ['--lazy', this.directory]);
    rmdirSync(this.directory);
  }
}

/** Appends chunks to a file until no whole chunk fits. */
function fillBy(file: number, chunk: Buffer): void {
  try {
    while (writeSync(file, chunk) === chunk.length);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== NO_SPACE) throw error;
  }
}
