import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  statSync,
  writeSync,
  type Stats,
} from 'node:fs';

/**
 * Hidden characters, which a reader of a line does not see: control characters of both blocks, characters that change
 * the direction of text, line separators, halves of surrogate pairs, and all characters without width.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const escaped = (char: string): string =>
  Array.from(
    { length: char.length },
    (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('');

/**
 * Escapes hidden characters as JSON does, so that received text can neither forge a line, nor change the order in which it is
 * read, nor control the terminal. A line of JSON keeps its meaning.
 */
export const printable = (text: string): string => text.replace(HIDDEN, escaped);

/** Escapes the hidden characters of lines, each of which ends with a line end or with the text. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');

export interface LineFileOptions {
  /** True: takes the rights of other users away from an existing file. */
  readonly isPrivate?: boolean;
  /** Called at the first of several failed attempts to write. */
  readonly onProblem?: (error: unknown) => void;
  /** Writes bytes, and returns the number of written bytes, since a full disk may take only a part of a line. */
  readonly write?: (file: number, bytes: Buffer) => number;
}

/** Largest number of lines that wait until the file can be written again; further lines are lost. */
const MAX_WAITING = 10_000;

/** Descriptors of standard output and standard error. */
const STANDARD = [1, 2];

/** Path that names a descriptor of this process. */
const DESCRIPTOR = /^\/(?:dev|proc\/(?:self|thread-self))\/fd\/(\d+)$/;

/**
 * Flags that open a file for appending, and refuse a pipe without a reader (`ENXIO`) in place of waiting for a reader.
 */
const APPEND =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Time for which a line waits at first while a pipe or socket is full [ms]. */
const FULL_MS = 50;
const STEP_MS = 1;
const never = new Int32Array(new SharedArrayBuffer(4));

/**
 * A file, pipe, socket or terminal to which lines are appended. Lines that cannot be written are written before later
 * lines.
 */
export class LineFile {
  readonly #path: string;
  readonly #options: LineFileOptions;
  #file: OpenFile | undefined;
  /** Lines that are not written yet; the first of them may be the end of a partly written line. */
  readonly #waiting: Buffer[] = [];
  /** True if the last attempt to write failed. */
  #isBroken = false;

  /** @throws an error of the operating system if the file cannot be opened. */
  constructor(path: string, options: LineFileOptions = {}) {
    this.#path = path;
    this.#options = options;
    this.#file = this.#open();
  }

  /** Tries to write the waiting lines. @returns true if all lines are written. */
  isWritable(): boolean {
    this.#flush();
    return this.#waiting.length === 0 && this.#file !== undefined;
  }

  /** Appends one or several lines. @param text ends with a line end. */
  append(text: string): void {
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(Buffer.from(text));
    this.#flush();
  }

  /** Opens the file again by its path, after it was renamed. @throws if opening fails: the open file stays in use. */
  reopen(): void {
    const file = this.#open();
    this.close();
    this.#file = file;
  }

  /** Closes the file; the next line opens it again. */
  close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file?.isOwn === true) closeSync(file.descriptor);
  }

  #open(): OpenFile {
    const file = openFile(this.#path);
    try {
      if (file.isOwn && this.#options.isPrivate === true && fstatSync(file.descriptor).isFile())
        fchmodSync(file.descriptor, 0o600);
    } catch (error) {
      closeSync(file.descriptor);
      throw error;
    }
    return file;
  }

  #flush(): void {
    try {
      const { descriptor } = (this.#file ??= this.#open());
      for (;;) {
        const [line] = this.#waiting;
        if (line === undefined) {
          this.#isBroken = false;
          return;
        }
        const written = this.#write(descriptor, line);
        if (written === line.length) this.#waiting.shift();
        else this.#waiting[0] = line.subarray(written);
      }
    } catch (error) {
      if (!this.#isBroken) this.#options.onProblem?.(error);
      this.#isBroken = true;
    }
  }

  /**
   * Writes bytes. Waits for a moment if the reader of a pipe or socket has not read the bytes before, unless an earlier
   * wait has failed.
   */
  #write(descriptor: number, bytes: Buffer): number {
    const { write = writeSync } = this.#options;
    for (let waited = 0; ; waited += STEP_MS) {
      try {
        return write(descriptor, bytes);
      } catch (error) {
        const isFull = error instanceof Error && 'code' in error && error.code === 'EAGAIN';
        if (!isFull || this.#isBroken || waited >= FULL_MS) throw error;
        Atomics.wait(never, 0, 0, STEP_MS);
      }
    }
  }
}

interface OpenFile {
  readonly descriptor: number;
  /** False for a descriptor to which others write, and which stays open. */
  readonly isOwn: boolean;
}

/**
 * Opens a file for appending. A path of standard output or error, or of the file behind it, gives that descriptor: a
 * socket cannot be opened, and a second descriptor of a file has a position of its own, so that each descriptor would
 * overwrite the bytes that were written with the other descriptor.
 */
function openFile(path: string): OpenFile {
  const named = statSync(path, { throwIfNoEntry: false });
  const [, number] = DESCRIPTOR.exec(path) ?? [];
  const known = number === undefined ? STANDARD : [...STANDARD, Number(number)];
  const descriptor = known.find((one) => named !== undefined && isSameFile(named, one));
  if (descriptor !== undefined) return { descriptor, isOwn: false };
  return { descriptor: openSync(path, APPEND, 0o600), isOwn: true };
}

function isSameFile({ dev, ino }: Stats, descriptor: number): boolean {
  const other = fstatSync(descriptor);
  return other.dev === dev && other.ino === ino;
}
