import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { startWalletRpc, type WalletRpc } from '../test/support/processes/wallet-rpc.js';

const PROBE = fileURLToPath(new URL('loop-probe.js', import.meta.url));

/** Times of a task [ms]. */
export interface Blocking {
  readonly ms: number;
  /** Processor time of the longest block of the server's main thread meanwhile. */
  readonly blocked: number;
  /** By how much the slowest answer to another client exceeded the usual one. */
  readonly felt: number;
}

/** Server whose main thread is watched from inside, and by another client. */
export interface WatchedServer {
  readonly wallet: WalletRpc;
  /** Measures a task, with the work that it leaves for a moment after it. */
  during(task: () => Promise<unknown>): Promise<Blocking>;
  stop(): Promise<void>;
}

export async function startWatched(
  walletDir: string,
  daemon: string,
  args: readonly string[],
): Promise<WatchedServer> {
  const directory = mkdtempSync(join(tmpdir(), 'probe-'));
  const socket = join(directory, 'socket');
  const wallet = await startWalletRpc({
    ...{ walletDir, daemon, args },
    nodeFlags: [`--import=${PROBE}`],
    env: { LOOP_PROBE: socket },
  });
  const client = new Worker(new URL('felt-thread.js', import.meta.url), {
    workerData: { port: wallet.port },
  });
  const longest = async (): Promise<number> =>
    (JSON.parse(await text(connect(socket))) as { readonly cpu: number }).cpu;
  const felt = async (): Promise<number> => {
    client.postMessage('report');
    const [{ worst, usual }] = (await once(client, 'message')) as [{ worst: number; usual: number }];
    return worst - usual;
  };
  return {
    wallet,
    async during(task) {
      // Work that the task before left to be done is its own.
      await sleep(200);
      await longest();
      await felt();
      const started = performance.now();
      await task();
      const ms = performance.now() - started;
      await sleep(500);
      return { ms, blocked: await longest(), felt: await felt() };
    },
    async stop() {
      await client.terminate();
      await wallet.stop({ keep: true });
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
