import { closeSync, fstatSync, openSync, statSync } from 'node:fs';

/** Watches whether a file that is open still stands under its name. */
export class FileIdentity {
  readonly #path: string;
  readonly #descriptor: number;
  /** Some file systems give one file two numbers: there is nothing to be learnt from them. */
  readonly #telling: boolean;

  constructor(path: string) {
    this.#path = path;
    this.#descriptor = openSync(path, 'r');
    this.#telling = this.#isNamed();
  }

  /** False once it was deleted or moved, or another one was put in its place. */
  isThere(): boolean {
    return !this.#telling || this.#isNamed();
  }

  /** Not before SQLite has closed the file: its locks go with any descriptor of this process. */
  release(): void {
    closeSync(this.#descriptor);
  }

  #isNamed(): boolean {
    const named = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    if (named === undefined) return false;
    const { dev, ino } = fstatSync(this.#descriptor, { bigint: true });
    return named.dev === dev && named.ino === ino;
  }
}
