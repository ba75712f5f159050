import { describe, expect, it } from '@jest/globals';
import { encode } from 'uqr';
import { qrCode } from '../../../src/watch/pay/pay-page.js';

/** Draws the rectangles of a code. */
function modulesOf(svg: string, size: number): boolean[][] {
  const dark = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  for (const [, x, y, width] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g))
    for (let i = 0; i < Number(width); i++) (dark[Number(y)] as boolean[])[Number(x) + i] = true;
  return dark;
}

describe('a QR code', () => {
  it('has the dark modules of its text, with a quiet zone of four modules', () => {
    const text = `monero:${'8'.repeat(95)}?tx_amount=1.500000000000`;
    const { data, size } = encode(text, { border: 4 });
    const svg = qrCode(text).text;
    expect(svg).toContain(`viewBox="0 0 ${size} ${size}"`);
    expect(modulesOf(svg, size)).toEqual(data);
  });

  it('is kept, and drawn again after 256 others', () => {
    const first = qrCode('first');
    expect(qrCode('first')).toBe(first);
    for (let i = 0; i < 256; i++) qrCode(String(i));
    expect(qrCode('first')).not.toBe(first);
    expect(qrCode('first')).toEqual(first);
  });
});
