import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Time after which a program reads the distance of its clock again [ms]. */
const FRESH_MS = 20;

/** Clock of several programs on Node.js, which a test sets ahead while they run. */
export class SteppedClock {
  /** Environment of the programs. */
  readonly env: NodeJS.ProcessEnv;
  readonly #directory = mkdtempSync(join(tmpdir(), 'clock-'));
  readonly #file = join(this.#directory, 'ahead');
  #seconds = 0;

  constructor() {
    this.#write();
    const script = `
      import { readFileSync } from 'node:fs';
      const now = Date.now;
      let [read, ahead] = [-Infinity, 0];
      Date.now = () => {
        if (performance.now() - read > ${FRESH_MS}) {
          try { ahead = Number(readFileSync(${JSON.stringify(this.#file)}, 'utf8')); } catch {}
          read = performance.now();
        }
        return now() + ahead;
      };`;
    this.env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
  }

  /** Present time of the programs [Unix s]. */
  get now(): number {
    return Math.floor(Date.now() / 1000) + this.#seconds;
  }

  /** Sets the clock ahead [s]. */
  step(seconds: number): void {
    this.#seconds += seconds;
    this.#write();
  }

  #write(): void {
    // A program that reads meanwhile reads the former distance.
    writeFileSync(`${this.#file}.new`, String(1000 * this.#seconds));
    renameSync(`${this.#file}.new`, this.#file);
  }

  /** Removes the file of the clock. The programs have ended. */
  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
