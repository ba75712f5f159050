import { statSync, writeFileSync } from 'node:fs';
import { utf8 } from '../../util/bytes.js';
import { logOf } from './atomic-replace.js';

/**
 * Content of the empty log beside a closed store that is replicated completely. SQLite takes a log of up to 32 bytes,
 * the size of its header, for an empty one and overwrites it with the first commit.
 */
const NOTHING_UNSENT = utf8('wallet-rpc: nothing unsent\n');

/** Size of the header of a log [bytes]. Source: SQLite's file format, "The Write-Ahead Log". */
const HEADER_BYTES = 32;

const sizeOf = (log: string): number | undefined => statSync(log, { throwIfNoEntry: false })?.size;

/**
 * Returns true if the log of a store that is not open has everything which was committed but not stored elsewhere. A
 * missing or empty log does not: SQLite has removed it when a process ended, or another program has made it.
 */
export const hasKeptLog = (path: string): boolean => (sizeOf(logOf(path)) ?? 0) > 0;

/** True if the log of a store that is not open has no commit: the main file has all of them. */
export const isEmptyLog = (path: string): boolean => (sizeOf(logOf(path)) ?? 0) <= HEADER_BYTES;

/** Writes a log that says that everything in a closed store is stored elsewhere. @throws errors of the file. */
export function writeKeptLog(path: string): void {
  writeFileSync(logOf(path), NOTHING_UNSENT, { mode: 0o600 });
}

/** Does the same as {@link writeKeptLog} if SQLite has left an empty log behind. */
export function markEmptyLog(path: string): void {
  if (sizeOf(logOf(path)) === 0) writeKeptLog(path);
}
