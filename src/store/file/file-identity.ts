import { closeSync, fstatSync, openSync, statSync } from 'node:fs';

/** Detects whether an open file was deleted, moved or replaced. */
export class FileIdentity {
  readonly #path: string;
  readonly #descriptor: number;
  /** False on file systems that report different inode numbers for one file: they are not compared then. */
  readonly #comparable: boolean;

  constructor(path: string) {
    this.#path = path;
    this.#descriptor = openSync(path, 'r');
    this.#comparable = this.#isAtPath();
  }

  /** False once the file was deleted, moved or replaced. */
  isThere(): boolean {
    return !this.#comparable || this.#isAtPath();
  }

  /** Call it after SQLite has closed the file: closing any descriptor of this process releases SQLite's locks. */
  release(): void {
    closeSync(this.#descriptor);
  }

  #isAtPath(): boolean {
    const atPath = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    if (atPath === undefined) return false;
    const { dev, ino } = fstatSync(this.#descriptor, { bigint: true });
    return atPath.dev === dev && atPath.ino === ino;
  }
}
