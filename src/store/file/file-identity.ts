import { closeSync, fstatSync, openSync, readSync, statSync, type BigIntStats } from 'node:fs';

/** Returns a text that is equal for all names of one file, from its device and inode numbers. */
export const identityOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

/** Identities ({@link identityOf}) of the files that this process has open. */
const openFiles = new Set<string>();

/** Returns true if a path is another name of a file that this process has open under a {@link FileIdentity}. */
export function isOpenHere(path: string): boolean {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat !== undefined && openFiles.has(identityOf(stat));
}

/** Detects whether an open file was deleted, moved or replaced. */
export class FileIdentity {
  readonly #path: string;
  readonly #descriptor: number;
  readonly #identity: string;
  /** False on a file system that reports changing inode numbers for one file; identities are not compared then. */
  readonly #comparable: boolean;

  constructor(path: string) {
    this.#path = path;
    this.#descriptor = openSync(path, 'r');
    this.#identity = identityOf(fstatSync(this.#descriptor, { bigint: true }));
    this.#comparable = this.#isAtPath();
    if (this.#comparable) openFiles.add(this.#identity);
  }

  /** Returns false after the file was deleted, moved or replaced. */
  isThere(): boolean {
    return !this.#comparable || this.#isAtPath();
  }

  /** Size of the file [bytes]. */
  get size(): number {
    return fstatSync(this.#descriptor).size;
  }

  /** Reads bytes of the file at an offset, without opening it once more. @returns their number; fewer at its end. */
  read(bytes: Uint8Array, offset: number): number {
    return readSync(this.#descriptor, bytes, 0, bytes.length, offset);
  }

  /**
   * Removes the file from the open files of this process. Call it after SQLite has closed the file: closing any
   * descriptor of a file releases all locks that this process has on it.
   */
  release(): void {
    openFiles.delete(this.#identity);
    closeSync(this.#descriptor);
  }

  #isAtPath(): boolean {
    const atPath = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    return atPath !== undefined && identityOf(atPath) === this.#identity;
  }
}
