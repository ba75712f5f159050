import { statfs } from 'node:fs/promises';

/** Free and total space of a file system [bytes]. */
export interface DiskSpace {
  readonly free: number;
  readonly total: number;
}

/** Reads the space that this process may use on the file system of a directory; undefined if it cannot be read. */
export async function diskSpace(directory: string): Promise<DiskSpace | undefined> {
  try {
    const { bavail, blocks, bsize } = await statfs(directory);
    return { free: bavail * bsize, total: blocks * bsize };
  } catch {
    return undefined;
  }
}
