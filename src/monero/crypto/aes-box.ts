/** Multiplication by x in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1. Source: FIPS 197, 4.2.1. */
export const doubled = (byte: number): number => ((byte << 1) ^ ((byte >> 7) * 0x11b)) & 0xff;

/** The substitution SubBytes of FIPS 197, 5.1.1: inverse in GF(2^8), then an affine map. */
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
