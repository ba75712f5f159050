/** Output stream of a terminal. */
export type TerminalOutput = Pick<NodeJS.WriteStream, 'write'> & { readonly columns?: number };

/** Moves to the start of the line and erases it. Source: ECMA-48, EL. */
const CLEAR = '\r\u001b[K';

/** Assumed width of a terminal that reports none or 0 [columns]. */
const DEFAULT_COLUMNS = 80;

/** Last line of a terminal, which changes in place; all other text is written above it. */
export class StatusLine {
  readonly #out: TerminalOutput;
  #line = '';

  constructor(out: TerminalOutput) {
    this.#out = out;
  }

  /** Writes complete lines above the last line. */
  print(lines: string): void {
    this.#out.write(this.#line === '' ? lines : `${CLEAR}${lines}${this.#line}`);
  }

  /** Replaces the last line. @param text empty: removes the line. */
  show(text: string): void {
    // A line longer than the terminal would wrap, and could not be erased.
    const line = text.slice(0, (this.#out.columns || DEFAULT_COLUMNS) - 1);
    if (line === this.#line) return;
    this.#line = line;
    this.#out.write(`${CLEAR}${line}`);
  }
}
