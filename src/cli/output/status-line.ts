/** Output of a terminal. */
export type TerminalOutput = Pick<NodeJS.WriteStream, 'write'> & { readonly columns?: number };

/** Carriage return, then erases the line. Source: ECMA-48, EL. */
const CLEAR = '\r\u001b[K';

/** Width of a terminal that reports none, or 0. */
const DEFAULT_COLUMNS = 80;

/** Last line of a terminal, which changes in place; other text is written above it. */
export class StatusLine {
  readonly #out: TerminalOutput;
  #line = '';

  constructor(out: TerminalOutput) {
    this.#out = out;
  }

  /** Writes whole lines. */
  print(lines: string): void {
    this.#out.write(this.#line === '' ? lines : `${CLEAR}${lines}${this.#line}`);
  }

  /** Replaces the last line. @param text empty: removes it. */
  show(text: string): void {
    // A longer line would wrap, and could not be erased.
    const line = text.slice(0, (this.#out.columns || DEFAULT_COLUMNS) - 1);
    if (line === this.#line) return;
    this.#line = line;
    this.#out.write(`${CLEAR}${line}`);
  }
}
