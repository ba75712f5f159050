import { renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncDirectory } from './durable.js';

/** Where a store is written before it takes its place. */
export const draftOf = (path: string): string => `${path}.new`;

/** What was written lately, until a checkpoint moves it into the main file. */
export const logOf = (path: string): string => `${path}-wal`;

const logsOf = (path: string): string[] => [logOf(path), `${path}-shm`];

/** A database with its logs; what is not there does no harm. */
export function removeDatabase(path: string): void {
  for (const leftover of [path, ...logsOf(path)]) rmSync(leftover, { force: true });
}

/** Puts the draft in its place, in one step; whatever file stood there is replaced. */
export function settleDraft(path: string): void {
  // The log of another file of that name would be played into this one.
  for (const leftover of logsOf(path)) rmSync(leftover, { force: true });
  renameSync(draftOf(path), path);
  syncDirectory(dirname(path));
}
