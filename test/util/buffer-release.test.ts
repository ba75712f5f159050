import { describe, expect, it } from '@jest/globals';
import { releaseBuffer, markReleasable } from '../../src/util/buffer-release.js';

const LARGE = 1 << 17;

describe('a piece that may be released', () => {
  it('is empty once it is released', () => {
    const bytes = Buffer.alloc(LARGE, 'a');
    markReleasable([bytes]);
    expect(bytes).toHaveLength(LARGE);
    releaseBuffer(bytes);
    expect(bytes).toHaveLength(0);
    releaseBuffer(bytes);
    expect(bytes.buffer.byteLength).toBe(0);
  });

  it('is kept if it was not marked, or shares its buffer', () => {
    const unmarked = Buffer.alloc(LARGE, 'a');
    const buffer = Buffer.alloc(2 * LARGE, 'b');
    const half = buffer.subarray(0, LARGE);
    const shared = new Uint8Array(new SharedArrayBuffer(LARGE));
    markReleasable([half, shared]);
    for (const bytes of [unmarked, half, shared]) {
      releaseBuffer(bytes);
      expect(bytes).toHaveLength(LARGE);
    }
    expect(half.every((byte) => byte === 98)).toBe(true);
  });

  it('is kept if it is small', () => {
    const small = Buffer.from('small');
    markReleasable([small]);
    releaseBuffer(small);
    expect(small.toString()).toBe('small');
  });
});
