import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** File that only grows, with a value in each line: runs that end early, or at once, lose no other line. */
export class JsonLines<T> {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
    mkdirSync(dirname(file), { recursive: true });
  }

  /** Returns the values, the oldest first, without a line that was cut off. */
  read(): T[] {
    if (!existsSync(this.#file)) return [];
    return readFileSync(this.#file, 'utf8')
      .split('\n')
      .flatMap((line) => {
        try {
          return [JSON.parse(line) as T];
        } catch {
          return [];
        }
      });
  }

  append(value: T): void {
    appendFileSync(this.#file, `\n${JSON.stringify(value)}`);
  }
}
