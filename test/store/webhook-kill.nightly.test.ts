import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { WalletStore } from '../../src/store/wallet-store.js';
import { createSecret, signatureHeaders } from '../../src/net/webhooks/signature.js';
import { killMoment } from '../support/processes/kill-moment.js';
import { until } from '../support/fakes/until.js';
import { WebhookReceiver } from '../support/network/webhook-receiver.js';

const PROCESS = fileURLToPath(new URL('../support/processes/webhook-process.js', import.meta.url));
const KILLS = 12;
const EVENTS_PER_KILL = 8;
const EVENTS = KILLS * EVENTS_PER_KILL;

let folder: string;
let receiver: WebhookReceiver;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webhook-kill-'));
  receiver = await WebhookReceiver.start();
});

afterEach(async () => {
  await receiver.stop();
  rmSync(folder, { recursive: true });
});

it('delivers every event through kills of the process, first in order, and repeats at most the one in flight', async () => {
  const path = join(folder, 'wallet');
  const secret = createSecret();
  WalletStore.create(path, new Uint8Array(32), (w) =>
    w.webhooks.add({ id: 'a', url: receiver.url, types: [], position: 0, created: 0 }, secret),
  ).close();

  /** Ids in the order of their first arrival, and how often each was acknowledged. */
  const first: number[] = [];
  const acknowledged = new Map<number, number>();
  const killedAt = new Set<number>();
  let kill: (() => void) | undefined;
  receiver.answer = (response, { headers, body }) => {
    const id = Number(headers['webhook-id']);
    const timestamp = Number(headers['webhook-timestamp']);
    expect(headers).toMatchObject({ ...signatureHeaders({ id: String(id), timestamp, body }, [secret]) });
    if (!first.includes(id)) first.push(id);
    // One event fails at first, and is acknowledged by the retry.
    if (id === 3 && !acknowledged.has(id)) {
      acknowledged.set(id, 0);
      return response.writeHead(500).end();
    }
    acknowledged.set(id, (acknowledged.get(id) ?? 0) + 1);
    const killsNow = id % EVENTS_PER_KILL === 0 && !killedAt.has(id);
    if (killsNow) killedAt.add(id);
    // The process is killed before, while or after it reads the acknowledgement.
    if (killsNow && id % 3 === 0) kill?.();
    response.writeHead(204).end();
    if (killsNow && id % 3 === 1) kill?.();
    else if (killsNow) void killMoment(id % 7).then(() => kill?.());
    return response;
  };

  const allAcknowledged = (): boolean =>
    first.length === EVENTS && [...acknowledged.values()].every((times) => times > 0);
  let kills = 0;
  while (!allAcknowledged()) {
    const child = spawn(process.execPath, [PROCESS, path, String(EVENTS)], { stdio: 'inherit' });
    const exit = once(child, 'exit');
    let running = true;
    kill = () => {
      kills += 1;
      kill = undefined;
      child.kill('SIGKILL');
    };
    void exit.then(() => (running = false));
    await Promise.race([exit, until('the acknowledgements', () => !running || allAcknowledged())]);
    if (running) child.kill('SIGKILL');
    const [, signal] = (await exit) as [number | null, string | null];
    expect(signal).toBe('SIGKILL');
  }

  expect(kills).toBeGreaterThanOrEqual(KILLS);
  expect(first).toEqual(Array.from({ length: EVENTS }, (_, i) => i + 1));
  const repeated = [...acknowledged.values()].reduce((sum, times) => sum + times - 1, 0);
  expect(repeated).toBeLessThanOrEqual(kills);
});
