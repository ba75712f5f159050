import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/**
 * Reads a file. Anything else at its path is an error: opening a named pipe would wait for its writer for ever.
 * @throws Error
 */
export function readRegularFile(path: string): Buffer {
  // Opening a pipe without waiting succeeds at once.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile())
      throw Object.assign(new Error(`${path} is no regular file`), { code: 'no regular file' });
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}
