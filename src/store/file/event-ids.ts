import { systemClock, type TimeOfDay } from '../../util/clock.js';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf, regularAt, withFileErrors } from './file-errors.js';
import { draftOf, syncDirectory } from './file-draft.js';

/** Number of ids in one millisecond of the clock. */
const IDS_PER_MS = 1_000;

/** Number of ids that one write of the file reserves; these ids last 60 seconds at the speed of the clock. */
const RESERVED = 60_000 * IDS_PER_MS;

export interface EventIdOptions {
  /** File that makes the ids increase across restarts; absent: the ids increase within this process only. */
  readonly path?: string;
  readonly clock?: TimeOfDay;
}

/**
 * Allocates event ids: safe integers close to the Unix time in microseconds. Ids increase across wallets, across steps
 * of the clock, and, with a file, across restarts: the file contains an id that is greater than all allocated ids.
 */
export class EventIds {
  readonly #clock: TimeOfDay;
  readonly #path: string | undefined;
  /** Greatest id that was allocated. */
  #last: number;
  /** Greatest id that this process has reserved in the file. */
  #ceiling: number;

  /** @throws WalletError `wallet_io` if the file cannot be read or written. */
  constructor({ path, clock = systemClock }: EventIdOptions = {}) {
    this.#clock = clock;
    this.#path = path;
    this.#last = path === undefined ? 0 : readCeiling(path);
    this.#ceiling = path === undefined ? Infinity : this.#last;
  }

  /** Returns the Unix time [ms] that ids are made from. */
  now(): number {
    return this.#clock.now();
  }

  /** Allocates consecutive ids. @returns the first id. @throws WalletError `wallet_io`; then no id is allocated. */
  take(count: number): number {
    const first = Math.max(this.#last + 1, Math.floor(this.now()) * IDS_PER_MS);
    const last = first + count - 1;
    if (last > this.#ceiling) return this.#reserve(count);
    this.#last = last;
    return first;
  }

  /**
   * True if an id may belong to an event, because it is not above all ids that were allocated by this process, or
   * reserved in the file by any process. While no id is known, every id may belong to an event.
   */
  mayExist(id: number): boolean {
    if (id <= this.#last || this.#last === 0) return true;
    return this.#path !== undefined && id <= readCeiling(this.#path);
  }

  /** Makes all further ids greater than the given id. */
  raise(id: number): void {
    this.#last = Math.max(this.#last, id);
  }

  /** Reserves ids above the ids that other processes have reserved in the same file, then allocates some of them. */
  #reserve(count: number): number {
    const path = this.#path;
    if (path === undefined) throw new Error('ids without a file are not reserved');
    const reserved = readCeiling(path);
    // Another process has reserved ids since this process last wrote the file.
    if (reserved > this.#ceiling) this.raise(reserved);
    const first = Math.max(this.#last + 1, Math.floor(this.now()) * IDS_PER_MS);
    const last = first + count - 1;
    const ceiling = last + RESERVED;
    writeCeiling(path, ceiling);
    this.#ceiling = ceiling;
    this.#last = last;
    return first;
  }
}

/** Reads the id in the file. @returns 0 for a missing or damaged file. */
function readCeiling(path: string): number {
  return withFileErrors(path, () => {
    try {
      if (regularAt(path) === undefined) return 0;
      const ceiling = Number(readFileSync(path, 'utf8').trim());
      return Number.isSafeInteger(ceiling) && ceiling > 0 ? ceiling : 0;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return 0;
      throw error;
    }
  });
}

/** Replaces the file atomically. It is on disk when this returns. */
function writeCeiling(path: string, ceiling: number): void {
  withFileErrors(path, () => {
    // Each process writes its own draft, because several processes may share the directory.
    const draft = draftOf(`${path}.${process.pid}`);
    rmSync(draft, { force: true });
    const file = openSync(draft, 'wx', 0o600);
    try {
      writeSync(file, `${ceiling}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
    syncDirectory(dirname(path));
  });
}
