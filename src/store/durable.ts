import { closeSync, fsyncSync, openSync } from 'node:fs';

/** What was written to a file is on disk when this returns. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Names made, changed or dropped in a directory are on disk when this returns. */
export const syncDirectory = syncFile;
