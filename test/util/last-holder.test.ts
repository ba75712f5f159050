import { describe, expect, it } from '@jest/globals';
import { letGo, passOn } from '../../src/util/last-holder.js';

const LARGE = 1 << 17;

describe('bytes that were passed on', () => {
  it('are gone once they are let go of', () => {
    const bytes = Buffer.alloc(LARGE, 'a');
    passOn([bytes]);
    expect(bytes).toHaveLength(LARGE);
    letGo(bytes);
    expect(bytes).toHaveLength(0);
    letGo(bytes);
    expect(bytes.buffer.byteLength).toBe(0);
  });

  it('stay where somebody else may hold them too', () => {
    const kept = Buffer.alloc(LARGE, 'a');
    const buffer = Buffer.alloc(2 * LARGE, 'b');
    const half = buffer.subarray(0, LARGE);
    const shared = new Uint8Array(new SharedArrayBuffer(LARGE));
    passOn([half, shared]);
    for (const bytes of [kept, half, shared]) {
      letGo(bytes);
      expect(bytes).toHaveLength(LARGE);
    }
    expect(half.every((byte) => byte === 98)).toBe(true);
  });

  it('stay where they are few', () => {
    const few = Buffer.from('few');
    passOn([few]);
    letGo(few);
    expect(few.toString()).toBe('few');
  });
});
