import { closeSync, fdatasync, fsyncSync, openSync } from 'node:fs';

/** What was written to a file is on disk when this returns. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** {@link syncFile} without waiting for the disk on this thread. */
export async function syncFileAside(path: string): Promise<void> {
  const file = openSync(path, 'r');
  await new Promise<void>((resolve, reject) =>
    fdatasync(file, (error) => {
      closeSync(file);
      if (error === null) resolve();
      else reject(error);
    }),
  );
}

/** Names made, changed or dropped in a directory are on disk when this returns. */
export const syncDirectory = syncFile;
