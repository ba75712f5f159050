import { closeSync, fdatasync, fsyncSync, openSync } from 'node:fs';

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
export async function syncFileAsync(path: string): Promise<void> {
  const file = openSync(path, 'r');
  await new Promise<void>((resolve, reject) =>
    fdatasync(file, (error) => {
      closeSync(file);
      if (error === null) resolve();
      else reject(error);
    }),
  );
}

/** Flushes a directory to disk: created, renamed and removed names. */
export const syncDirectory = syncFile;
