/** Names the method by which `inspect` of Node.js, and so `console.log`, shows a value. Source: util.html, `util.inspect.custom`. */
const INSPECTION = Symbol.for('nodejs.util.inspect.custom');

/** Holds secret bytes so that no log, JSON text or inspection shows them, and so that they can be wiped. */
export class Secret<B extends Uint8Array = Uint8Array> {
  #bytes: B | undefined;

  /** @param bytes secret bytes; owned by this object, whose {@link wipe} zeroes them. */
  constructor(bytes: B) {
    this.#bytes = bytes;
  }

  /** Returns the secret bytes, not a copy. @throws Error after {@link wipe}. */
  expose(): B {
    if (this.#bytes === undefined) throw new Error('secret used after wipe');
    return this.#bytes;
  }

  /** Overwrites the bytes with zeros; the secret cannot be read afterwards. */
  wipe(): void {
    this.#bytes?.fill(0);
    this.#bytes = undefined;
  }

  toJSON(): string {
    return '[secret]';
  }

  toString(): string {
    return '[secret]';
  }

  [INSPECTION](): string {
    return '[secret]';
  }
}
