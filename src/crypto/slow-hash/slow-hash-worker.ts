import { parentPort } from 'node:worker_threads';
import { slowHash } from './slow-hash.js';

const port = parentPort;
if (port === null) throw new Error('slow-hash-worker runs as a worker thread only');
port.on('message', (data: Uint8Array) => {
  port.postMessage(slowHash(data));
  data.fill(0);
});
