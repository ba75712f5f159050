/** Multiplication by x in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1. Source: FIPS 197, 4.2.1. */
export const doubled = (byte: number): number => ((byte << 1) ^ ((byte >> 7) * 0x11b)) & 0xff;

/** The substitution of FIPS 197, 5.1.1: inverse in GF(2^8), then an affine map. */
export const SBOX: Uint8Array = ((): Uint8Array => {
  const box = new Uint8Array(256);
  const rotated = (byte: number, by: number): number => ((byte << by) | (byte >> (8 - by))) & 0xff;
  // 3 generates the multiplicative group: as `power` runs over 3^i, `inverse` runs over 3^-i.
  let power = 1;
  let inverse = 1;
  do {
    power ^= doubled(power);
    for (const shift of [1, 2, 4]) inverse ^= inverse << shift;
    inverse = (inverse & 0xff) ^ (inverse & 0x80 ? 0x09 : 0);
    box[power] =
      0x63 ^ inverse ^ rotated(inverse, 1) ^ rotated(inverse, 2) ^ rotated(inverse, 3) ^ rotated(inverse, 4);
  } while (power !== 1);
  box[0] = 0x63;
  return box;
})();

/** SubBytes and MixColumns of a byte in row `row`, as a little-endian column. */
const columnTable = (row: number): Int32Array =>
  Int32Array.from(SBOX, (s) => {
    const column = doubled(s) | (s << 8) | (s << 16) | ((s ^ doubled(s)) << 24);
    return row === 0 ? column : (column << (8 * row)) | (column >>> (32 - 8 * row));
  });

/** One AES round is four look-ups a column: `T0[row 0] ^ T1[row 1] ^ T2[row 2] ^ T3[row 3] ^ key`. */
export const T0 = columnTable(0);
export const T1 = columnTable(1);
export const T2 = columnTable(2);
export const T3 = columnTable(3);

const substituted = (word: number): number =>
  (SBOX[word & 0xff] as number) |
  ((SBOX[(word >>> 8) & 0xff] as number) << 8) |
  ((SBOX[(word >>> 16) & 0xff] as number) << 16) |
  ((SBOX[word >>> 24] as number) << 24);

/**
 * The first ten round keys of the AES-256 schedule, four little-endian words each.
 * @param key eight little-endian words. Source: FIPS 197, 5.2.
 */
export function tenRoundKeys(key: Int32Array): Int32Array {
  const words = new Int32Array(40);
  words.set(key.subarray(0, 8));
  for (let i = 8, constant = 1; i < 40; i++) {
    let word = words[i - 1] as number;
    if (i % 8 === 0) {
      word = substituted((word >>> 8) | (word << 24)) ^ constant;
      constant = doubled(constant);
    } else if (i % 8 === 4) {
      word = substituted(word);
    }
    words[i] = (words[i - 8] as number) ^ word;
  }
  return words;
}
