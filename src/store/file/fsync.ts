import { closeSync, fdatasync, fsync, fsyncSync, openSync } from 'node:fs';

/** Flushes a file to disk. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** {@link syncFile} that does not block this thread. */
export const syncFileAsync = (path: string): Promise<void> => flushed(path, fdatasync);

/** Flushes a directory to disk: created, renamed and removed names. */
export const syncDirectory = syncFile;

/**
 * {@link syncDirectory} that does not block this thread. `fdatasync` would leave out names, which are metadata of a
 * directory for some file systems.
 */
export const syncDirectoryAsync = (path: string): Promise<void> => flushed(path, fsync);

async function flushed(path: string, flush: typeof fsync): Promise<void> {
  const file = openSync(path, 'r');
  await new Promise<void>((resolve, reject) =>
    flush(file, (error) => {
      closeSync(file);
      if (error === null) resolve();
      else reject(error);
    }),
  );
}
