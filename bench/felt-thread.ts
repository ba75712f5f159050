import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/*
 * Worker thread that asks a server for `/livez` every few milliseconds, as another client would, and posts the time of the
 * slowest answer since the last report, and the usual one [ms].
 */

const PAUSE_MS = 3;

const { port } = workerData as { readonly port: number };
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let times: number[] = [];

const ask = (): Promise<void> =>
  new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/livez', agent }, (answer) => {
      answer.resume().on('end', resolve).on('error', reject);
    }).on('error', reject);
  });

parentPort?.on('message', () => {
  const sorted = times.toSorted((a, b) => a - b);
  parentPort?.postMessage({ worst: sorted.at(-1) ?? 0, usual: sorted[sorted.length >> 1] ?? 0 });
  times = [];
});

for (;;) {
  const started = performance.now();
  await ask();
  times.push(performance.now() - started);
  await sleep(PAUSE_MS);
}
