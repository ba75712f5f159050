import { closeSync, fstatSync, openSync, statSync, type BigIntStats } from 'node:fs';

/** Text that is equal for all names of one file. */
export const identityOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

/** Files that this process has open, by {@link identityOf}. */
const openFiles = new Set<string>();

/** True for another name of a file that this process has open under a {@link FileIdentity}. */
export function isOpenHere(path: string): boolean {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat !== undefined && openFiles.has(identityOf(stat));
}

/** Detects whether an open file was deleted, moved or replaced. */
export class FileIdentity {
  readonly #path: string;
  readonly #descriptor: number;
  readonly #identity: string;
  /** False on file systems that report different inode numbers for one file: they are not compared then. */
  readonly #comparable: boolean;

  constructor(path: string) {
    this.#path = path;
    this.#descriptor = openSync(path, 'r');
    this.#identity = identityOf(fstatSync(this.#descriptor, { bigint: true }));
    this.#comparable = this.#isAtPath();
    if (this.#comparable) openFiles.add(this.#identity);
  }

  /** False once the file was deleted, moved or replaced. */
  isThere(): boolean {
    return !this.#comparable || this.#isAtPath();
  }

  /** Call it after SQLite has closed the file: closing any descriptor of this process releases SQLite's locks. */
  release(): void {
    openFiles.delete(this.#identity);
    closeSync(this.#descriptor);
  }

  #isAtPath(): boolean {
    const atPath = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    return atPath !== undefined && identityOf(atPath) === this.#identity;
  }
}
