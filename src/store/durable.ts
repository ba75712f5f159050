import { closeSync, constants, fdatasync, fsyncSync, openSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

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

/** Puts a file in place whole: written beside it, synced, renamed. Readable for its owner alone. */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.new`;
  await rm(draft, { force: true });
  const handle = await open(draft, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, path);
  syncDirectory(dirname(path));
}
