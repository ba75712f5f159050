/** The AES S-box, from its definition: inverse in GF(2^8), then an affine map. */
export const SBOX = ((): Uint8Array => {
  const box = new Uint8Array(256);
  for (let p = 1, q = 1, first = true; first || p !== 1; first = false) {
    p = (p ^ (p << 1) ^ (p & 0x80 ? 0x11b : 0)) & 0xff;
    q ^= q << 1;
    q ^= q << 2;
    q ^= q << 4;
    q &= 0xff;
    if (q & 0x80) q ^= 0x09;
    const rotate = (n: number): number => ((q << n) | (q >> (8 - n))) & 0xff;
    box[p] = q ^ rotate(1) ^ rotate(2) ^ rotate(3) ^ rotate(4) ^ 0x63;
  }
  box[0] = 0x63;
  return box;
})();

/** Multiplication in GF(2^8) modulo the AES polynomial. */
export function multiplyGf(a: number, b: number): number {
  let product = 0;
  for (; b > 0; b >>= 1, a = (a << 1) ^ (a & 0x80 ? 0x11b : 0)) if (b & 1) product ^= a;
  return product & 0xff;
}

/** SubBytes and MixColumns of one byte in row 0 of a little-endian column; other rows are its rotations. */
const ROW = [0, 1, 2, 3].map((row) =>
  Int32Array.from(SBOX, (s) => {
    const column = multiplyGf(s, 2) | (s << 8) | (s << 16) | (multiplyGf(s, 3) << 24);
    return row === 0 ? column : (column << (8 * row)) | (column >>> (32 - 8 * row));
  }),
);
export const [T0, T1, T2, T3] = ROW as [Int32Array, Int32Array, Int32Array, Int32Array];

/** First ten round keys of AES-256, 40 little-endian words. */
export function expandKey(key: Uint8Array): Int32Array {
  const words = new Int32Array(40);
  for (let i = 0; i < 8; i++)
    words[i] = (key[4 * i] ?? 0) | ((key[4 * i + 1] ?? 0) << 8) | ((key[4 * i + 2] ?? 0) << 16) | ((key[4 * i + 3] ?? 0) << 24);
  const substitute = (w: number): number =>
    (SBOX[w & 0xff] ?? 0) | ((SBOX[(w >>> 8) & 0xff] ?? 0) << 8) | ((SBOX[(w >>> 16) & 0xff] ?? 0) << 16) | ((SBOX[w >>> 24] ?? 0) << 24);
  for (let i = 8, constant = 1; i < 40; i++) {
    let w = words[i - 1] ?? 0;
    if (i % 8 === 0) {
      w = substitute((w >>> 8) | (w << 24)) ^ constant;
      constant <<= 1;
    } else if (i % 8 === 4) w = substitute(w);
    words[i] = (words[i - 8] ?? 0) ^ w;
  }
  return words;
}
