import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ScanBatch, ScanHits, ScanKeys } from '../../../src/monero/kernel/kernel.js';
import { RefreshScanner } from '../../../src/refresh/scan/match-group.js';

const NO_HITS: ScanHits = {
  outputs: new Uint32Array(),
  derivations: new Uint8Array(),
  spendKeys: new Uint8Array(),
  internal: new Uint8Array(),
};
const WALLET: ScanKeys = { viewSecret: new Uint8Array(32) };

/** A batch with `outputs` rows for each key. */
const batchOf = (keys: number, outputs: number): ScanBatch => ({
  keys: new Uint8Array(32 * keys),
  outputKey: new Uint32Array(keys * outputs),
  outputIndex: new Uint32Array(keys * outputs),
  viewTags: new Uint32Array(keys * outputs),
  outputs: new Uint8Array(32 * keys * outputs),
});

const noneWaits = (): Promise<boolean> => Promise.resolve(false);

describe('the scanner of the refresh thread', () => {
  let scans: string[] = [];
  const hitsFrom = (where: string, given: readonly ScanKeys[]): ScanHits[] => {
    scans.push(where);
    return given.map(() => NO_HITS);
  };
  const own = { scanMany: (_: ScanBatch, given: readonly ScanKeys[]) => hitsFrom('own', given) };
  const pool = {
    scanMany: (_: ScanBatch, given: readonly ScanKeys[]) => Promise.resolve(hitsFrom('pool', given)),
    scanWaiting: noneWaits,
  };
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
    const given = Array.from({ length: wallets }, () => WALLET);
    const scanner = new RefreshScanner(pool, own, 3);
    expect(await scanner.scanMany(batchOf(keys, outputs), given)).toHaveLength(wallets);
    expect(scans).toEqual([where]);
  });

  it('rejects with the error of the kernel', async () => {
    const failing = {
      scanMany: () => {
        throw new RangeError('a scalar of ℓ or more');
      },
    };
    const scanner = new RefreshScanner(pool, failing, 2);
    await expect(scanner.scanMany(batchOf(1, 1), [WALLET])).rejects.toThrow('a scalar of ℓ or more');
  });

  it('scans one batch that waits for a thread at a time', async () => {
    const settle: ((scanned: boolean) => void)[] = [];
    const scanWaiting = (): Promise<boolean> => new Promise((resolve) => settle.push(resolve));
    const scanner = new RefreshScanner({ ...pool, scanWaiting }, own, 2);
    const first = scanner.assist();
    expect(await scanner.assist()).toBe(false);
    settle[0]?.(true);
    expect(await first).toBe(true);
    const second = scanner.assist();
    settle[1]?.(false);
    expect(await second).toBe(false);
    expect(settle).toHaveLength(2);
  });

  it('does not scan beside the only thread that may scan', async () => {
    const scanner = new RefreshScanner({ ...pool, scanWaiting: () => Promise.resolve(true) }, own, 1);
    expect(await scanner.assist()).toBe(false);
    expect(scanner.threads).toBe(1);
  });
});
