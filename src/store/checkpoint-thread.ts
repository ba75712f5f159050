import { parentPort } from 'node:worker_threads';
import { unlockDatabase, type StoreKey } from './database.js';
import { runInBackground } from '../util/thread-priority.js';

/** What {@link checkpointAside} asks of its thread. */
export interface CheckpointTask {
  readonly path: string;
  readonly key: StoreKey;
}

const port = parentPort;
if (port === null) throw new Error('checkpoint-thread runs as a worker thread only');
runInBackground();
port.on('message', ({ path, key }: CheckpointTask) => {
  const db = unlockDatabase(path, key, { fileMustExist: true });
  try {
    db.pragma('wal_checkpoint(PASSIVE)');
  } finally {
    db.close();
    key.key.fill(0);
  }
  port.postMessage(undefined);
});
