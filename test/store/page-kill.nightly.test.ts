import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { EventIds } from '../../src/store/file/event-ids.js';
import { DEFAULT_CONFIRMATIONS } from '../../src/store/events/event-log.js';
import { WalletStore } from '../../src/store/wallet-store.js';

const PROCESS = fileURLToPath(new URL('../support/processes/page-process.js', import.meta.url));
const BLOCKS = 1500;
/** Reports after which a process is killed; each one stores 10 to 50 blocks before its next report. */
const KILLS = [3, 1, 5, 2, 8, 4];

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'page-kill-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Runs the process until it has made some reports, then kills it. @returns its last report. */
async function run(path: string, reports: number): Promise<{ event: number; height: number } | undefined> {
  const child = spawn(process.execPath, [PROCESS, path, String(BLOCKS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    if (text.split('\n').length > reports) child.kill('SIGKILL');
  });
  await once(child, 'close');
  const [event, height] = text.trim().split('\n').at(-1)?.split(' ').map(Number) ?? [];
  return event === undefined || height === undefined ? undefined : { event, height };
}

it('keeps every event that was reported before a kill, whole blocks without gaps, and their sums', async () => {
  const path = join(folder, 'wallet');
  const key = new Uint8Array(32);
  WalletStore.create(path, key).close();
  for (const reports of [...KILLS, Infinity]) {
    const reported = await run(path, reports);
    const store = WalletStore.open(path, key, undefined, {
      ids: new EventIds(),
      confirmations: DEFAULT_CONFIRMATIONS,
    });
    const { last, blocks, outputs, total } = store.read((r) => ({
      last: r.events.last(),
      blocks: r.chain.tip()?.height ?? -1,
      outputs: r.outputs.count(),
      total: r.balances.ofAccount(0, false),
    }));
    store.close();
    expect(last).toBeGreaterThanOrEqual(reported?.event ?? 0);
    expect(blocks + 1).toBeGreaterThanOrEqual(reported?.height ?? 0);
    expect([outputs, total]).toEqual([blocks + 1, 5n * BigInt(blocks + 1)]);
    if (reports === Infinity) expect(blocks + 1).toBe(BLOCKS);
  }
});
