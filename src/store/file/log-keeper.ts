/**
 * Keeps the write-ahead log of a replicated store from starting again before its pages are stored elsewhere. Every page
 * whose newest version is stored nowhere else stands in the log, whatever happens to this process.
 */
export interface LogKeeper {
  /**
   * Counts a commit.
   * @param frames size of the committed log [pages].
   * @param isDurable true if the commit has waited for the disk, and so has flushed all earlier ones.
   */
  noteCommit(frames: number, isDurable: boolean): void;

  /** Number of commits until now, as an argument of {@link noteFlushed}. */
  readonly commits: number;

  /** Notes that all commits up to a number are on disk. */
  noteFlushed(commits: number): void;

  /** True if the log may be moved into the main file now and start again. */
  readonly mayRestart: boolean;

  /**
   * Runs a checkpoint once everything is stored elsewhere that was committed before the call; later commits must be
   * kept out of the checkpoint by its caller. Gives up after some seconds.
   * @returns false if it gave up: the log has to grow.
   */
  whenStored(checkpoint: () => Promise<void>): Promise<boolean>;

  /** Notes that the store was written to a new file. */
  noteReplaced(): void;
}

/** Keeps the whole log of a store that is not replicated yet. */
export const HELD_LOG: LogKeeper = {
  noteCommit: () => undefined,
  commits: 0,
  noteFlushed: () => undefined,
  mayRestart: false,
  whenStored: () => Promise.resolve(false),
  noteReplaced: () => undefined,
};
