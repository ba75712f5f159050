import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  type Stats,
  mkdirSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Default size of the largest file that is read [bytes], since a device has no end. */
const MOST_BYTES = 16 << 20;

/** Ratio of two waits: for a pipe that a program has open, and for a pipe that no program has open. */
const WRITER_FACTOR = 120;

/** Time between two attempts to read from a pipe [ms]. */
const STEP_MS = 10;
const never = new Int32Array(new SharedArrayBuffer(4));

export interface OperatorFileOptions {
  /**
   * Longest wait for bytes of a pipe, which blocks this thread [ms]; 120 times as long if a program has the pipe open.
   */
  readonly patienceMs?: number;
  /** Size of the largest file that is read [bytes]. Default: 16 MiB. */
  readonly mostBytes?: number;
  /** Checks the opened file before it is read. Errors of the check are passed on. */
  readonly check?: (stat: Stats) => void;
}

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code });

/**
 * Reads a file that the operator names: a regular file, or a pipe to which another program writes. Never waits for
 * ever, unlike opening a pipe without a writer.
 * @throws an error with a code: the code of the operating system, `EFBIG` for a file that is too large, or `ENODATA` for a pipe
 * without content.
 */
export function readOperatorFile(
  path: string,
  { patienceMs = 0, mostBytes = MOST_BYTES, check = () => undefined }: OperatorFileOptions = {},
): Buffer {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const stat = fstatSync(file);
    check(stat);
    const pieces: Buffer[] = [];
    let length = 0;
    for (let waited = 0; ;) {
      const piece = Buffer.alloc(1 << 16);
      const read = readNow(file, piece);
      if (read === 0 && (length > 0 || !stat.isFIFO())) return Buffer.concat(pieces, length);
      if (read === undefined || read === 0) {
        // The limit is longer for a program that has the pipe open, because it may, for example, ask its user for the
        // password.
        const limit = read === undefined ? WRITER_FACTOR * patienceMs : patienceMs;
        if (waited >= limit) throw failure('ENODATA', 'nothing was written to it');
        Atomics.wait(never, 0, 0, STEP_MS);
        waited += STEP_MS;
        continue;
      }
      pieces.push(piece.subarray(0, read));
      length += read;
      if (length > mostBytes) throw failure('EFBIG', `it has more than ${mostBytes} bytes`);
    }
  } finally {
    closeSync(file);
  }
}

/** Reads bytes. @returns the number of bytes, 0 at the end; undefined if a writer has not written bytes yet. */
function readNow(file: number, into: Buffer): number | undefined {
  try {
    return readSync(file, into, 0, into.length, null);
  } catch (error) {
    if (fileErrorCode(error) === 'EAGAIN') return undefined;
    throw error;
  }
}

/** Returns the code of an error of a file for a message. */
export const fileErrorCode = (cause: unknown): string =>
  typeof cause === 'object' && cause !== null && 'code' in cause && typeof cause.code === 'string'
    ? cause.code
    : 'unknown error';

/** Returns the code of an error of the operating system. */
const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/**
 * Creates a directory and its parent directories, unless it exists. Replaces `mkdirSync` with `recursive`, which never
 * ends on a file system such as /proc, where creating a directory fails with ENOENT although the parent exists.
 * @param mode mode of the created directories.
 * @throws an error of the operating system; ENOTSUP if the file system cannot create directories; EEXIST if the path
 * exists and is not a directory.
 */
export function makeDirectory(path: string, mode = 0o777): void {
  if (make(path, mode)) return;
  const parent = dirname(path);
  if (parent !== path) makeDirectory(parent, mode);
  if (make(path, mode)) return;
  throw Object.assign(new Error(`no directory can be created at ${path}`), { code: 'ENOTSUP', path });
}

/** Creates one directory. @returns false if the operating system reports that the parent does not exist. */
function make(path: string, mode: number): boolean {
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return true;
    throw error;
  }
}
