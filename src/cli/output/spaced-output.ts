/**
 * Pause between a `Binding on` line and the next line [ms]. Launchers parse the address from the chunk of standard
 * output that contains it, up to the chunk's last space and colon, so no other line may arrive in that chunk.
 */
const APART_MS = 100;

/** Log line that launchers parse. */
const BOUND = /^\S+ \S+ I Binding on /;

/** Writes log lines in order, and holds back the lines after a `Binding on` line, while the program goes on. */
export class SpacedOutput {
  readonly #print: (lines: string) => void;
  readonly #held: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #flush = (): void => this.flush();

  /** @param print writes lines at once. */
  constructor(print: (lines: string) => void) {
    this.#print = print;
  }

  /** Writes one line, or an error with its stack. */
  write(lines: string): void {
    if (this.#timer !== undefined) return void this.#held.push(lines);
    this.#print(lines);
    if (BOUND.test(lines)) this.#hold();
  }

  /** Writes held lines at once; the process does so before it exits. */
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
