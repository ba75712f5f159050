import { inspect } from 'node:util';

/** Holds secret bytes so that no log, JSON text or inspection can print them, and they can be wiped. */
export class Secret<B extends Uint8Array = Uint8Array> {
  #bytes: B | undefined;

  /** Takes ownership of `bytes`: they are zeroed by {@link wipe}. */
  constructor(bytes: B) {
    this.#bytes = bytes;
  }

  /** @throws Error after {@link wipe}. */
  expose(): B {
    if (this.#bytes === undefined) throw new Error('secret used after wipe');
    return this.#bytes;
  }

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

  [inspect.custom](): string {
    return '[secret]';
  }
}
