import { describe, expect, it, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { SBOX } from '../../src/crypto/aes-box.js';
import { slowHash, type SlowHashExports } from '../../src/crypto/slow-hash.js';
import { startSlowHash, slowHashAsync } from '../../src/crypto/slow-hash-worker.js';
import { toHex, utf8 } from '../../src/util/bytes.js';
import { digests, readJson } from './vectors.js';

const { digests: byLength } = readJson<{ digests: { length: number; digest: string }[] }>(
  'slow-hash-lengths.json',
);

describe('slowHash', () => {
  test.each(digests('slow'))('digests $title', ({ digest, data }) => {
    expect(toHex(slowHash(data))).toBe(digest);
  });
  it('does not change its input', () => {
    const data = utf8('de omnibus dubitandum');
    slowHash(data);
    expect(data).toEqual(utf8('de omnibus dubitandum'));
  });
  it.each(byLength)('digests $length bytes', ({ length, digest }) => {
    expect(toHex(slowHash(Uint8Array.from({ length }, (_, i) => 7 * i + length)))).toBe(digest);
  });
});

describe('the memory of the hash', () => {
  const wasm = new WebAssembly.Instance(
    new WebAssembly.Module(readFileSync(new URL('../../src/crypto/slow-hash.wasm', import.meta.url))),
    {},
  ).exports as unknown as SlowHashExports;

  it('is wiped of the message', () => {
    new Uint8Array(wasm.memory.buffer, wasm.boxAt(), SBOX.length).set(SBOX);
    wasm.prepare();
    const before = Buffer.from(new Uint8Array(wasm.memory.buffer).slice());
    new Uint8Array(wasm.memory.buffer, wasm.padAt(), 300).fill(7);
    wasm.absorb(wasm.rate());
    wasm.absorbEnd(300);
    wasm.fill(0, wasm.padBytes());
    wasm.mix(1000);
    wasm.drain(0, wasm.padBytes());
    expect(before.equals(new Uint8Array(wasm.memory.buffer))).toBe(false);
    wasm.forget();
    expect(before.equals(new Uint8Array(wasm.memory.buffer))).toBe(true);
  });
});

describe('slowHashAsync', () => {
  test.each(digests('slow'))('digests $title on a thread', async ({ digest, data }) => {
    const kept = Uint8Array.from(data);
    expect(toHex(await slowHashAsync(data))).toBe(digest);
    expect(data).toEqual(kept);
  });
  it('hashes the digest again for each further round', async () => {
    const data = utf8('rounds');
    expect(toHex(await slowHashAsync(data, 3))).toBe(toHex(slowHash(slowHash(slowHash(data)))));
  });
  it('may be started before the first hash, repeatedly', async () => {
    startSlowHash();
    startSlowHash();
    expect(toHex(await slowHashAsync(utf8('early')))).toBe(toHex(slowHash(utf8('early'))));
  });
  it('does not block its caller, and computes several hashes at once', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 5);
    const inputs = Array.from({ length: 6 }, (_, i) => Uint8Array.of(i));
    const answers = await Promise.all(inputs.map((input) => slowHashAsync(input)));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
    expect(new Set(answers.map(toHex)).size).toBe(inputs.length);
  });
  it.each([0, -1, 1.5, Number.NaN, 2 ** 53])('refuses %p rounds', async (rounds) => {
    await expect(slowHashAsync(new Uint8Array(), rounds)).rejects.toThrow(RangeError);
  });
});
