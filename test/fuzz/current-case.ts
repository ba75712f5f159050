import { closeSync, openSync, readSync, writeSync } from 'node:fs';

/** Largest input whose bytes are known when its case ends the process [bytes]. */
const MOST_BYTES = 4 << 20;
const HEAD_BYTES = 12;

/** A case that a process runs. */
export interface CurrentCase {
  /** Number of calls of the parser until now, repeated ones included. */
  readonly calls: number;
  /** Number of cases until now. */
  readonly cases: number;
  readonly input: Uint8Array;
}

/** Writes each case to a file before it runs, so that another process knows it when this one ends. */
export class CurrentCaseWriter {
  readonly #file: number;
  readonly #bytes = Buffer.alloc(HEAD_BYTES + MOST_BYTES);
  #calls = 0;

  constructor(path: string) {
    this.#file = openSync(path, 'r+');
  }

  write(input: Uint8Array, cases: number): void {
    const length = Math.min(input.length, MOST_BYTES);
    const bytes = this.#bytes;
    bytes.writeUInt32LE(++this.#calls >>> 0, 0);
    bytes.writeUInt32LE(cases, 4);
    bytes.writeUInt32LE(length, 8);
    bytes.set(length === input.length ? input : input.subarray(0, length), HEAD_BYTES);
    writeSync(this.#file, bytes, 0, HEAD_BYTES + length, 0);
  }
}

/** Reads the case that another process runs. */
export class CurrentCaseReader {
  readonly #file: number;

  /** Creates the file. */
  constructor(path: string) {
    this.#file = openSync(path, 'w+');
    this.clear();
  }

  clear(): void {
    writeSync(this.#file, Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  }

  get calls(): number {
    return this.#head().readUInt32LE(0);
  }

  read(): CurrentCase {
    const head = this.#head();
    const input = Buffer.alloc(head.readUInt32LE(8));
    readSync(this.#file, input, 0, input.length, HEAD_BYTES);
    return { calls: head.readUInt32LE(0), cases: head.readUInt32LE(4), input: Uint8Array.from(input) };
  }

  close(): void {
    closeSync(this.#file);
  }

  #head(): Buffer {
    const head = Buffer.alloc(HEAD_BYTES);
    readSync(this.#file, head, 0, HEAD_BYTES, 0);
    return head;
  }
}
