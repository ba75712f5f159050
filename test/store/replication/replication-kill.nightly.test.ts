import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { rebuildStore } from '../../../src/store/replication/rebuild-store.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { contentsOf, KEY } from './contents.js';

const PROCESS = fileURLToPath(new URL('../../support/processes/replicated-process.js', import.meta.url));
const KILLS = Number(process.env['REPLICATION_KILLS'] ?? '12');

let folder: string;
let sink: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'replication-kill-'));
  sink = join(folder, 'sink');
  mkdirSync(sink);
});

afterEach(() => rmSync(folder, { recursive: true }));

const numbersOf = (kind: string): number[] =>
  readdirSync(sink)
    .filter((name) => name.startsWith(`${kind}-`))
    .map((name) => Number(name.slice(kind.length + 1)))
    .sort((a, b) => a - b);

interface Received {
  readonly base: Uint8Array;
  readonly frames: readonly Uint8Array[];
  readonly sequence: number;
}

/** Reads the newest base and the frames that follow on it; removes older ones. */
function readSink(): Received {
  const bases = numbersOf('base');
  const last = bases.at(-1) ?? 0;
  const numbers = numbersOf('frame').filter((number) => number > last);
  const read = (name: string): Uint8Array => readFileSync(join(sink, name));
  const received = {
    base: bases.length === 0 ? new Uint8Array() : read(`base-${last}`),
    frames: numbers.map((number) => read(`frame-${number}`)),
    sequence: numbers.at(-1) ?? last,
  };
  for (const base of bases.slice(0, -1)) rmSync(join(sink, `base-${base}`));
  for (const frame of numbersOf('frame')) if (frame <= last) rmSync(join(sink, `frame-${frame}`));
  return received;
}

async function* each(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield await Promise.resolve(part);
}

/** Runs the process and kills it after a time. @returns the last number that the sink has acknowledged. */
async function run(path: string, { base, frames, sequence }: Received, ms: number): Promise<number> {
  const sizes = [base.length, frames.reduce((sum, frame) => sum + frame.length, 0)];
  rmSync(join(sink, 'started'), { force: true });
  const child = spawn(process.execPath, [PROCESS, path, sink, ...[sequence, ...sizes].map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  let isTimed = false;
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    if (isTimed) return;
    isTimed = true;
    // Timer: the process is killed at any moment of its work.
    setTimeout(() => child.kill('SIGKILL'), ms);
  });
  await once(child, 'close');
  return Number(text.slice(0, text.lastIndexOf('\n')).split('\n').at(-1));
}

it('has everything that was acknowledged before a kill, on the same disk and on another one', async () => {
  let path = join(folder, 'w0');
  WalletStore.create(path, KEY, undefined, undefined, undefined, { isReplicated: true }).close();
  for (let kill = 1; kill <= KILLS; kill++) {
    const acknowledged = await run(path, readSink(), Math.random() * 400);
    expect(acknowledged).toBeGreaterThan(0);
    const rebuilt = join(folder, `w${kill}`);
    const { base, frames } = readSink();
    await rebuildStore(rebuilt, each([base]), each(frames));
    contentsOf(rebuilt);
    const store = WalletStore.open(rebuilt, KEY, undefined, undefined, { isReplicated: true });
    expect(Number(store.read((r) => r.attributes.get('n')))).toBeGreaterThanOrEqual(acknowledged);
    store.close();
    // The rebuilt store must not have gained or lost its sign that nothing is unsent.
    expect(existsSync(`${rebuilt}-wal`)).toBe(true);
    // Each second process goes on with the files that the killed one left.
    if (kill % 2 === 0) path = rebuilt;
  }
  expect(existsSync(join(sink, 'errors')) && readFileSync(join(sink, 'errors'), 'utf8')).toBe(false);
});
