import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { killMoment } from '../../support/processes/kill-moment.js';
import { trackedRequests } from '../../support/wallets/stored-requests.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { TestWallet } from '../../support/wallets/test-wallet.js';

const PROCESS = fileURLToPath(new URL('../../support/processes/request-process.js', import.meta.url));
const KEY = new Uint8Array(32);
const REQUESTS = 120;
/** Printed lines after which a process is killed, and the time from there to the kill [ms]. */
const KILLS = [
  [1, 0],
  [14, 3],
  [30, 0],
  [25, 7],
  [2, 1],
  [40, 0],
  [33, 2],
] as const;

let folder: string;
let path: string;
let address: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'request-kill-'));
  path = join(folder, 'wallet');
  const wallet = new TestWallet();
  address = wallet.accounts.address({ major: 0, minor: 1 });
  wallet.close();
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the process, and kills it after some printed lines. @returns them. */
async function run(lines: number, ms: number): Promise<string[]> {
  const child = spawn(process.execPath, [PROCESS, path, address, String(REQUESTS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  let isKilled = false;
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    if (isKilled || text.split('\n').length <= lines) return;
    isKilled = true;
    void killMoment(ms).then(() => child.kill('SIGKILL'));
  });
  await once(child, 'close');
  if (lines === Infinity) expect(child.exitCode).toBe(0);
  // The last line may be cut off.
  return text.split('\n').slice(0, -1);
}

it('loses no acknowledged request and no event through kills, and repeats none', async () => {
  WalletStore.create(path, KEY, (w) => w.accounts.create()).close();
  const acknowledged = new Map<string, string>();
  let lastEvent = 0;
  for (const [lines, ms] of [...KILLS, [Infinity, 0] as const]) {
    for (const line of await run(lines, ms)) {
      const [what, first = '', second = '', reference = ''] = line.split(' ');
      if (what === 'event') lastEvent = Math.max(lastEvent, Number(first));
      if (what !== 'created') continue;
      expect(first).toBe(second);
      acknowledged.set(reference, first);
    }
    const store = WalletStore.open(path, KEY);
    const { requests, events, addresses } = store.read((r) => ({
      requests: trackedRequests(r),
      events: r.events.after(0, 1e6),
      addresses: r.accounts.get(0)?.addressCount,
    }));
    store.close();

    for (const [reference, id] of acknowledged)
      expect(requests.filter((one) => one.reference === reference).map(({ requestId }) => requestId)).toEqual(
        [id],
      );
    // Each request has one address, and no address was created without its request.
    expect(addresses).toBe(requests.length + 1);
    expect(new Set(requests.map(({ subaddress }) => subaddress.minor)).size).toBe(requests.length);
    expect(events.at(-1)?.id ?? 0).toBeGreaterThanOrEqual(lastEvent);

    for (const { requestId, state, ended, reported } of requests) {
      const own = events.filter(({ data }) => 'requestId' in data && data.requestId === requestId);
      const types = own.map(({ type }) => type);
      if (ended) expect([state, types]).toEqual(['expired', ['request.expired']]);
      else if (reported.received === 0n) expect([state, types]).toEqual(['waiting', []]);
      else expect([state, types]).toEqual(['paid', ['request.paid']]);
    }
    if (lines !== Infinity) continue;
    const count = (wanted: string): number => requests.filter(({ state }) => state === wanted).length;
    expect([requests.length, count('expired'), count('paid')]).toEqual([
      REQUESTS,
      REQUESTS / 3,
      (REQUESTS * 2) / 3,
    ]);
  }
});
