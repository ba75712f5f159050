/** Number of UTF-16 units that are collected before they are joined: each join takes memory. */
const BLOCK = 1024;
/** Length below which a range is copied unit by unit [UTF-16 units]. */
const SHORT = 256;

/**
 * Builds a string from many pieces. The memory is proportional to the length of the string, even for very short pieces.
 */
export class StringBuilder {
  #joined = '';
  readonly #last: number[] = [];

  /** Appends one UTF-16 code unit. */
  code(unit: number): void {
    if (this.#last.push(unit) >= BLOCK) this.#join();
  }

  /** Appends `text.slice(start, end)`. */
  range(text: string, start: number, end: number): void {
    if (start === end) return;
    if (this.#last.length > 0 && end - start < SHORT) {
      for (let i = start; i < end; i++) this.code(text.charCodeAt(i));
      return;
    }
    this.#join();
    this.#joined += text.slice(start, end);
  }

  /** Returns the string; the builder is empty afterwards. */
  take(): string {
    this.#join();
    const text = this.#joined;
    this.#joined = '';
    return text;
  }

  #join(): void {
    if (this.#last.length > 0) this.#joined += String.fromCharCode(...this.#last.splice(0));
  }
}
