/**
 * Pause between a line `Binding on` and the next line [ms]. Launchers parse the address in the chunk of standard output
 * with this line, up to the last space and colon of the chunk, so no other line may be in that chunk.
 */
const APART_MS = 100;

/** The log line that launchers parse. */
const BOUND = /^\S+ \S+ I Binding on /;

/**
 * Writes log lines in order. After a line `Binding on` it holds the next lines back for a time, without blocking the
 * program.
 */
export class SpacedOutput {
  readonly #print: (lines: string) => void;
  readonly #held: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #flush = (): void => this.flush();

  /** @param print writes lines without delay. */
  constructor(print: (lines: string) => void) {
    this.#print = print;
  }

  /** Writes one log line, or an error with its stack. */
  write(lines: string): void {
    if (this.#timer !== undefined) return void this.#held.push(lines);
    this.#print(lines);
    if (BOUND.test(lines)) this.#hold();
  }

  /** Writes the held lines at once; to be called before the process exits. */
  flush(): void {
    this.#release();
    for (const lines of this.#held.splice(0)) this.#print(lines);
  }

  #hold(): void {
    this.#timer = setTimeout(() => {
      this.#release();
      for (const lines of this.#held.splice(0)) this.write(lines);
    }, APART_MS).unref();
    process.once('exit', this.#flush);
  }

  #release(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    process.removeListener('exit', this.#flush);
  }
}
