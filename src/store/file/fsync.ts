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

/** Does the same as {@link syncFile} without blocking this thread. */
export const syncFileAsync = (path: string): Promise<void> => flushed(path, fdatasync);

/** Flushes a directory to disk, so that names which were created, changed or removed in it are permanent. */
export const syncDirectory = syncFile;

/**
 * Does the same as {@link syncDirectory} without blocking this thread. It does not use `fdatasync`, because some file
 * systems treat the names in a directory as metadata, which `fdatasync` leaves out.
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
