import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import type { StoreCipher } from '../../../src/store/file/store-cipher.js';
import { decodeFrame, encodeBaseHead, encodeFrame } from '../../../src/store/replication/frame.js';
import { rebuildStore } from '../../../src/store/replication/rebuild-store.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { contentsOf, KEY, openRaw } from './contents.js';
import { MemorySink } from './memory-sink.js';
import { isNight } from '../../support/jest/lanes.js';

const PAGE_SIZE = 512;

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rebuild-'));
  path = join(directory, 'w');
});

afterEach(() => rmSync(directory, { recursive: true }));

async function* each(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield await Promise.resolve(part);
}

const pages = (...fills: number[]): Uint8Array =>
  Buffer.concat(fills.map((fill) => new Uint8Array(PAGE_SIZE).fill(fill)));
const base = (sequence: number, ...fills: number[]): Uint8Array =>
  Buffer.concat([
    encodeBaseHead({ sequence, pageSize: PAGE_SIZE, pageCount: fills.length }),
    pages(...fills),
  ]);
const frame = (sequence: number, pageCount: number, fills: Record<number, number>): Uint8Array =>
  encodeFrame({
    ...{ sequence, pageSize: PAGE_SIZE, pageCount },
    pages: Object.entries(fills).map(([number, fill]) => ({ number: Number(number), bytes: pages(fill) })),
  });

describe('a file', () => {
  it('has the pages of the base under those of the frames, in parts of any size', async () => {
    const whole = base(4, 1, 2, 3);
    const parts = [whole.subarray(0, 5), whole.subarray(5, 600), whole.subarray(600)];
    const shape = await rebuildStore(
      path,
      each(parts),
      each([frame(5, 4, { 2: 7, 4: 8 }), frame(6, 4, { 2: 9 })]),
    );
    expect(shape).toEqual({ sequence: 6, pageSize: PAGE_SIZE, pageCount: 4 });
    expect(Buffer.compare(readFileSync(path), pages(1, 9, 3, 8))).toBe(0);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('shrinks and grows with the frames', async () => {
    await rebuildStore(path, each([base(1, 1, 2, 3)]), each([frame(2, 1, { 1: 4 })]));
    expect(Buffer.compare(readFileSync(path), pages(4))).toBe(0);
    await rebuildStore(path, each([base(1, 1)]), each([frame(2, 3, { 2: 2 })]));
    expect(Buffer.compare(readFileSync(path), pages(1, 2, 0))).toBe(0);
  });

  test.each([
    ['no base', [], []],
    ['half a head', [base(1, 1).subarray(0, 9)], []],
    ['a base that is too short', [base(1, 1, 2).subarray(0, -1)], []],
    ['a base that is too long', [base(1, 1), pages(1)], []],
    ['a missing frame', [base(1, 1)], [frame(3, 1, { 1: 1 })]],
    ['a frame twice', [base(1, 1)], [frame(2, 1, { 1: 1 }), frame(2, 1, { 1: 1 })]],
    ['a damaged frame', [base(1, 1)], [frame(2, 1, { 1: 1 }).subarray(1)]],
    [
      'pages of another size',
      [base(1, 1)],
      [encodeFrame({ sequence: 2, pageSize: 1024, pageCount: 1, pages: [] })],
    ],
  ])('is refused for %s, and a former file stays', async (_, parts, frames) => {
    writeFileSync(path, 'former');
    await expect(rebuildStore(path, each(parts), each(frames))).rejects.toMatchObject({
      name: expect.stringMatching(/^(RebuildError|CodecError)$/),
    });
    expect(readFileSync(path, 'utf8')).toBe('former');
    expect(existsSync(`${path}.wallet-rpc-new`)).toBe(false);
  });

  it('is not left behind when its input fails', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(base(1, 1).subarray(0, 40));
      throw new Error('the connection was lost');
    }
    await expect(rebuildStore(path, failing(), each([]))).rejects.toThrow('the connection was lost');
    expect(existsSync(path)).toBe(false);
    expect(existsSync(`${path}.wallet-rpc-new`)).toBe(false);
  });
});

describe.each<StoreCipher>(['aegis', 'chacha20'])('a store under %s', (cipher) => {
  it('is rebuilt from the encrypted pages of its log, without the key', async () => {
    const begin = openRaw(path, {}, cipher);
    begin.exec('CREATE TABLE first (n); DROP TABLE first');
    begin.close();
    const store = WalletStore.open(path, KEY, undefined, undefined, { isReplicated: true });
    const sink = new MemorySink();
    const replication = store.replicate(sink.lease(), sink.state);
    for (let i = 0; i < 20; i++) store.write((w) => w.attributes.set('a', String(i).repeat(50_000)));
    // The mark of a new store is removed after its base was stored.
    await store.flushToDisk();
    await store.flushToDisk();
    const before = sink.sequence;
    for (let i = 0; i < 20; i++) {
      store.write((w) => w.attributes.set(`b${i}`, 'a secret text'.repeat(1000)));
      await replication.replicated();
    }
    expect(sink.sequence).toBe(before + 20);
    // The first page has the layout of the file in plain bytes, and changes with the size of the file.
    const numbers = sink.frames.flatMap(({ bytes }) => decodeFrame(bytes).pages.map((page) => page.number));
    expect(numbers).toContain(1);
    const everything = Buffer.concat([...(sink.base?.parts ?? []), ...sink.frames.map(({ bytes }) => bytes)]);
    expect(everything.includes('a secret text')).toBe(false);
    expect(everything.includes('attribute')).toBe(false);
    const copy = join(directory, 'copy');
    await sink.rebuild(copy);
    expect(contentsOf(copy, cipher)).toBe(contentsOf(path, cipher));
    replication.drop();
    store.close();
    expect(() =>
      openRaw(copy, {}, cipher === 'aegis' ? 'chacha20' : 'aegis').exec('SELECT * FROM meta'),
    ).toThrow();
  });
});

/** Size of a large store, which has nearly two parts each [2 MB]. */
const LARGE = isNight ? 25 : 6;

it('a large store is sent and rebuilt in parts', async () => {
  const store = WalletStore.create(path, KEY, undefined, undefined, undefined, { isReplicated: true });
  for (let i = 0; i < LARGE; i++)
    store.writeRecoverable((w) => w.attributes.set(`a${i}`, String(i % 10).repeat(2_000_000)));
  const sink = new MemorySink();
  const replication = store.replicate(sink.lease(), { ...sink.state, timeoutMs: 60_000 });
  store.write((w) => w.attributes.set('b', 'c'));
  await replication.replicated();
  await store.flushToDisk();
  expect(sink.base?.parts.length).toBeGreaterThan(1.8 * LARGE);
  expect(Math.max(...(sink.base?.parts ?? []).map((part) => part.length))).toBe(1 << 20);
  const copy = join(directory, 'copy');
  await sink.rebuild(copy);
  expect(contentsOf(copy)).toBe(contentsOf(path));
  replication.drop();
  store.close();
});
