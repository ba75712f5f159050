import { describe, expect, it } from '@jest/globals';
import { DaemonError } from '../../../src/daemon/errors.js';
import { fetchFitting, PageSize } from '../../../src/refresh/feeds/chain-page.js';

const MIB = 1 << 20;

describe('the size of pages', () => {
  it('is left to the daemon while its pages are no larger than wanted', () => {
    const size = new PageSize();
    size.adjust(1000, 32 * MIB);
    size.adjust(1, 0);
    expect(size.maxBlocks).toBeUndefined();
  });

  it('follows the size of blocks, at least two of which are asked for', () => {
    const size = new PageSize();
    size.adjust(1000, 64 * MIB);
    expect(size.maxBlocks).toBe(500);
    size.adjust(500, 160 * MIB);
    expect(size.maxBlocks).toBe(100);
    size.adjust(3, 120 * MIB);
    expect(size.maxBlocks).toBe(2);
  });

  it('grows again once blocks are small, and is left to the daemon in the end', () => {
    const size = new PageSize();
    size.adjust(3, 120 * MIB);
    const asked: (number | undefined)[] = [];
    for (let i = 0; i < 10; i++) {
      size.adjust(size.maxBlocks ?? 1000, 1000);
      asked.push(size.maxBlocks);
    }
    expect(asked).toEqual([4, 8, 16, 32, 64, 128, 256, 512, undefined, undefined]);
  });

  it('shrinks after an answer that was too large, until no page is smaller', async () => {
    const asked: (number | undefined)[] = [];
    const fetch = (largest: number) => (maxBlocks: number | undefined) => {
      asked.push(maxBlocks);
      return (maxBlocks ?? 1000) > largest
        ? Promise.reject(new DaemonError('too_large', 'too large'))
        : Promise.resolve({ blocks: Array.from({ length: maxBlocks ?? 1000 }), bytes: 5 });
    };
    expect((await fetchFitting(new PageSize(), fetch(10))).blocks).toHaveLength(10);
    expect(asked.splice(0)).toEqual([undefined, 100, 10]);
    await expect(fetchFitting(new PageSize(), fetch(1))).rejects.toThrow('too large');
    expect(asked.splice(0)).toEqual([undefined, 100, 10, 2]);
  });

  it('is no remedy for other failures', async () => {
    const failing = fetchFitting(new PageSize(), () => Promise.reject(new DaemonError('timeout', 'late')));
    await expect(failing).rejects.toThrow('late');
  });
});
