import { parentPort } from 'node:worker_threads';
import { unlockDatabase, type StoreKey } from './database.js';
import { runInBackground } from '../../util/thread-priority.js';

/** What {@link checkpointAside} asks of its thread. */
export interface CheckpointTask {
  readonly path: string;
  readonly key: StoreKey;
}

/** Pages of the log, and how many of them are in the main file too. */
interface Moved {
  readonly log: number;
  readonly checkpointed: number;
}

const NOTHING: Moved = { log: 0, checkpointed: 0 };

/** Each moves what was written during the one before: less and less. */
const MAX_ROUNDS = 5;

const port = parentPort;
if (port === null) throw new Error('checkpoint-thread runs as a worker thread only');
runInBackground();
port.on('message', ({ path, key }: CheckpointTask) => {
  const db = unlockDatabase(path, key, { fileMustExist: true });
  try {
    let moved = -1;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const [{ log, checkpointed } = NOTHING] = db.pragma('wal_checkpoint(PASSIVE)') as Moved[];
      // Nothing was written since the round before.
      if (log === moved) break;
      moved = checkpointed;
    }
  } finally {
    db.close();
    key.key.fill(0);
  }
  port.postMessage(undefined);
});
