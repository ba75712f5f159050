import { answerCalls, job } from '../../util/thread-jobs.js';
import { unlockDatabase, type StoreKey } from './database.js';

interface CheckpointTask {
  readonly path: string;
  readonly key: StoreKey;
}

/**
 * Result of SQLite's checkpoint: number of pages in the log, and number of these pages that are also in the main file.
 */
interface CheckpointRow {
  readonly log: number;
  readonly checkpointed: number;
}

const NOTHING: CheckpointRow = { log: 0, checkpointed: 0 };

/**
 * Largest number of checkpoints in a row. Each checkpoint moves the pages that were written during the checkpoint
 * before.
 */
const MAX_ROUNDS = 5;

function checkpoint({ path, key }: CheckpointTask): void {
  const db = unlockDatabase(path, key, { fileMustExist: true });
  try {
    let checkpointedBefore = -1;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const [{ log, checkpointed } = NOTHING] = db.pragma('wal_checkpoint(PASSIVE)') as CheckpointRow[];
      // The loop ends if nothing was written since the last checkpoint.
      if (log === checkpointedBefore) break;
      checkpointedBefore = checkpointed;
    }
  } finally {
    db.close();
  }
}

const JOBS = { checkpoint: job(checkpoint, { secretsOf: ({ key }) => [key.key] }) };

export type CheckpointJobs = typeof JOBS;

answerCalls(JOBS);
