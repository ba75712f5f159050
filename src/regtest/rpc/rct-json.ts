import type { BulletproofPlus, Clsag } from '../../monero/ringct/types.js';
import { toHex } from '../../util/bytes.js';

export const hexes = (list: readonly Uint8Array[]): string[] => list.map(toHex);

/** Returns the JSON of a Bulletproof+ proof, without its commitments. */
export const proofJson = ({ A, A1, B, r1, s1, d1, L, R }: BulletproofPlus) => ({
  A: toHex(A),
  A1: toHex(A1),
  B: toHex(B),
  r1: toHex(r1),
  s1: toHex(s1),
  d1: toHex(d1),
  L: hexes(L),
  R: hexes(R),
});

export const clsagJson = ({ s, c1, D }: Clsag) => ({ s: hexes(s), c1: toHex(c1), D: toHex(D) });
