import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ScanBatch, ScanHits } from '../../src/kernel/kernel.js';
import { SmallBatchScanner } from '../../src/refresh/small-batch-scanner.js';

const NO_HITS: ScanHits = {
  outputs: new Uint32Array(),
  derivations: new Uint8Array(),
  spendKeys: new Uint8Array(),
};
const SECRET = new Uint8Array(32);

/** A batch with `outputs` rows for each key. */
const batchOf = (keys: number, outputs: number): ScanBatch => ({
  keys: new Uint8Array(32 * keys),
  outputKey: new Uint32Array(keys * outputs),
  outputIndex: new Uint32Array(keys * outputs),
  viewTags: new Uint16Array(keys * outputs),
  outputs: new Uint8Array(32 * keys * outputs),
});

describe('a scanner of small batches', () => {
  let scans: string[] = [];
  const hitsFrom = (where: string, secrets: readonly Uint8Array[]): ScanHits[] => {
    scans.push(where);
    return secrets.map(() => NO_HITS);
  };
  const scanner = new SmallBatchScanner(
    { threads: 3, scanMany: (_, secrets) => Promise.resolve(hitsFrom('pool', secrets)) },
    { scanMany: (_, secrets) => hitsFrom('own', secrets) },
  );
  beforeEach(() => {
    scans = [];
  });

  it.each([
    ['the block of a quiet minute', 45, 2, 1, 'own'],
    ['a whole batch', 256, 2, 1, 'pool'],
    ['one transaction of thousands of outputs', 1, 4096, 1, 'pool'],
    ['a few keys with the view keys of many wallets', 45, 2, 100, 'pool'],
    ['one key with the view keys of many wallets', 1, 2, 100, 'own'],
  ])('scans %s on the thread that takes less memory and time', async (_, keys, outputs, wallets, where) => {
    const secrets = Array.from({ length: wallets }, () => SECRET);
    expect(await scanner.scanMany(batchOf(keys, outputs), secrets)).toHaveLength(wallets);
    expect(scans).toEqual([where]);
  });

  it('has the threads of the pool', () => {
    expect(scanner.threads).toBe(3);
  });

  it('rejects what the kernel throws', async () => {
    const failing = new SmallBatchScanner(
      { threads: 1, scanMany: () => Promise.reject(new Error('unused')) },
      {
        scanMany: () => {
          throw new RangeError('a scalar of ℓ or more');
        },
      },
    );
    await expect(failing.scanMany(batchOf(1, 1), [SECRET])).rejects.toThrow('a scalar of ℓ or more');
  });
});
