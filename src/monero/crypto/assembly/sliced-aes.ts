/*
 * Ten AES rounds of a row of eight blocks at once, without tables, for processors with SIMD. The row is eight vectors:
 * bit i of byte 4*r + c of vector b is bit b of the byte in row r and column c of block i.
 * Source: Kasper and Schwabe, Faster and Timing-Attack Resistant AES-GCM.
 */
import { KEYS, ROW_BYTES } from './table-aes';

const ROW = memory.data(128, 16);
/** The ten round keys; each fills a row with eight equal blocks. */
const ROW_KEYS = memory.data(1280, 16);
const ROW_KEYS_BYTES: usize = 1280;
/** Indices that rotate the four bytes of row r to the left by r. */
const ROTATION = memory.data<u8>([0, 1, 2, 3, 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14], 16);

@inline
function xor(a: v128, b: v128): v128 {
  return v128.xor(a, b);
}

@inline
function and(a: v128, b: v128): v128 {
  return v128.and(a, b);
}

/** Transposes a 4x4 matrix of bytes: the columns of a block become rows, or rows become columns. */
@inline
function transposed(block: v128): v128 {
  return i8x16.shuffle(block, block, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
}

/** Returns the bits, selected by a mask, in which `a >> by` and `b` differ. */
@inline
function difference(a: v128, b: v128, by: i32, mask: u8): v128 {
  return and(xor(i64x2.shr_u(a, by), b), i8x16.splat(mask));
}

/**
 * Transposes the 8x8 bits at each byte position of eight vectors. Reads them at one address and writes them to another.
 */
@inline
function slice(from: usize, to: usize, areBlocks: bool): void {
  let v0 = v128.load(from), v1 = v128.load(from, 16), v2 = v128.load(from, 32), v3 = v128.load(from, 48);
  let v4 = v128.load(from, 64), v5 = v128.load(from, 80), v6 = v128.load(from, 96), v7 = v128.load(from, 112);
  let d = difference(v0, v1, 1, 0x55); v0 = xor(v0, i64x2.shl(d, 1)); v1 = xor(v1, d);
  d = difference(v2, v3, 1, 0x55); v2 = xor(v2, i64x2.shl(d, 1)); v3 = xor(v3, d);
  d = difference(v4, v5, 1, 0x55); v4 = xor(v4, i64x2.shl(d, 1)); v5 = xor(v5, d);
  d = difference(v6, v7, 1, 0x55); v6 = xor(v6, i64x2.shl(d, 1)); v7 = xor(v7, d);
  d = difference(v0, v2, 2, 0x33); v0 = xor(v0, i64x2.shl(d, 2)); v2 = xor(v2, d);
  d = difference(v1, v3, 2, 0x33); v1 = xor(v1, i64x2.shl(d, 2)); v3 = xor(v3, d);
  d = difference(v4, v6, 2, 0x33); v4 = xor(v4, i64x2.shl(d, 2)); v6 = xor(v6, d);
  d = difference(v5, v7, 2, 0x33); v5 = xor(v5, i64x2.shl(d, 2)); v7 = xor(v7, d);
  d = difference(v0, v4, 4, 0x0f); v0 = xor(v0, i64x2.shl(d, 4)); v4 = xor(v4, d);
  d = difference(v1, v5, 4, 0x0f); v1 = xor(v1, i64x2.shl(d, 4)); v5 = xor(v5, d);
  d = difference(v2, v6, 4, 0x0f); v2 = xor(v2, i64x2.shl(d, 4)); v6 = xor(v6, d);
  d = difference(v3, v7, 4, 0x0f); v3 = xor(v3, i64x2.shl(d, 4)); v7 = xor(v7, d);
  put(to, v0, areBlocks); put(to + 16, v1, areBlocks); put(to + 32, v2, areBlocks); put(to + 48, v3, areBlocks);
  put(to + 64, v4, areBlocks); put(to + 80, v5, areBlocks); put(to + 96, v6, areBlocks); put(to + 112, v7, areBlocks);
}

/**
 * Stores one of the eight vectors of {@link slice}: adds it to the row by XOR (`areBlocks`), or writes it over a block.
 */
@inline
function put(to: usize, value: v128, areBlocks: bool): void {
  v128.store(to, areBlocks ? xor(v128.load(to), transposed(value)) : transposed(value));
}

/** Adds (XOR) eight blocks to the row. */
export function addRow(blocks: usize): void {
  slice(blocks, ROW, true);
}

/** Writes the eight blocks of the row. */
export function writeRow(blocks: usize): void {
  slice(ROW, blocks, false);
}

/**
 * Slices the round keys. The constant 0x63 of the substitution is added to them, because ShiftRows and MixColumns do
 * not change a block of equal bytes.
 */
export function sliceKeys(): void {
  for (let round: usize = 0; round < 10; round++) {
    const key = xor(transposed(v128.load(KEYS + (round << 4))), i8x16.splat(0x63));
    for (let bit: usize = 0; bit < 8; bit++)
      v128.store(ROW_KEYS + (round << 7) + (bit << 4), i8x16.shr_s(i8x16.shl(key, 7 - i32(bit)), 7));
  }
}

@inline
function shifted(row: v128, rotation: v128): v128 {
  return i8x16.swizzle(row, rotation);
}

/** Returns each byte's neighbour in the next row. */
@inline
function below(v: v128): v128 {
  return i32x4.shuffle(v, v, 1, 2, 3, 0);
}

/** Returns each byte's neighbour two rows on. */
@inline
function twoBelow(v: v128): v128 {
  return i32x4.shuffle(v, v, 2, 3, 0, 1);
}

/**
 * Returns one bit of MixColumns plus the round key: carry + under + (sum two rows on) + key. Here `sum` is a bit of the
 * state plus `under`, the same bit one row on; `carry` is twice `sum`: the next lower bit of the sums.
 */
@inline
function mixed(under: v128, sum: v128, carry: v128, key: usize): v128 {
  return xor(xor(under, twoBelow(sum)), xor(carry, v128.load(key)));
}

/**
 * Applies ten rounds to the eight blocks of the row, without the initial key addition. The substitution is a circuit,
 * whose variables have the names of its source: u0 is the highest bit. Its inverted outputs are corrected by the round
 * keys. Source: Boyar and Peralta, A depth-16 circuit for the AES S-box; aesb.c `aesb_pseudo_round`.
 */
export function encipherRow(): void {
  const rotation = v128.load(ROTATION);
  let u7 = v128.load(ROW), u6 = v128.load(ROW, 16), u5 = v128.load(ROW, 32), u4 = v128.load(ROW, 48);
  let u3 = v128.load(ROW, 64), u2 = v128.load(ROW, 80), u1 = v128.load(ROW, 96), u0 = v128.load(ROW, 112);
  for (let key = ROW_KEYS; key < ROW_KEYS + ROW_KEYS_BYTES; key += ROW_BYTES) {
    const t1 = xor(u0, u3), t2 = xor(u0, u5), t3 = xor(u0, u6), t4 = xor(u3, u5), t5 = xor(u4, u6), t6 = xor(t1, t5);
    const t7 = xor(u1, u2), t8 = xor(u7, t6), t9 = xor(u7, t7), t10 = xor(t6, t7), t11 = xor(u1, u5), t12 = xor(u2, u5);
    const t13 = xor(t3, t4), t14 = xor(t6, t11), t15 = xor(t5, t11), t16 = xor(t5, t12), t17 = xor(t9, t16);
    const t18 = xor(u3, u7), t19 = xor(t7, t18), t20 = xor(t1, t19), t21 = xor(u6, u7), t22 = xor(t7, t21);
    const t23 = xor(t2, t22), t24 = xor(t2, t10), t25 = xor(t20, t17), t26 = xor(t3, t16), t27 = xor(t1, t12);

    const m1 = and(t13, t6), m2 = and(t23, t8), m3 = xor(t14, m1), m4 = and(t19, u7), m5 = xor(m4, m1);
    const m6 = and(t3, t16), m7 = and(t22, t9), m8 = xor(t26, m6), m9 = and(t20, t17), m10 = xor(m9, m6);
    const m11 = and(t1, t15), m12 = and(t4, t27), m13 = xor(m12, m11), m14 = and(t2, t10), m15 = xor(m14, m11);
    const m16 = xor(m3, m2), m17 = xor(m5, t24), m18 = xor(m8, m7), m19 = xor(m10, m15), m20 = xor(m16, m13);
    const m21 = xor(m17, m15), m22 = xor(m18, m13), m23 = xor(m19, t25), m24 = xor(m22, m23), m25 = and(m22, m20);
    const m26 = xor(m21, m25), m27 = xor(m20, m21), m28 = xor(m23, m25), m29 = and(m28, m27), m30 = and(m26, m24);
    const m31 = and(m20, m23), m32 = and(m27, m31), m33 = xor(m27, m25), m34 = and(m21, m22), m35 = and(m24, m34);
    const m36 = xor(m24, m25), m37 = xor(m21, m29), m38 = xor(m32, m33), m39 = xor(m23, m30), m40 = xor(m35, m36);
    const m41 = xor(m38, m40), m42 = xor(m37, m39), m43 = xor(m37, m38), m44 = xor(m39, m40), m45 = xor(m42, m41);
    const m46 = and(m44, t6), m47 = and(m40, t8), m48 = and(m39, u7), m49 = and(m43, t16), m50 = and(m38, t9);
    const m51 = and(m37, t17), m52 = and(m42, t15), m53 = and(m45, t27), m54 = and(m41, t10), m55 = and(m44, t13);
    const m56 = and(m40, t23), m57 = and(m39, t19), m58 = and(m43, t3), m59 = and(m38, t22), m60 = and(m37, t20);
    const m61 = and(m42, t1), m62 = and(m45, t4), m63 = and(m41, t2);

    const l0 = xor(m61, m62), l1 = xor(m50, m56), l2 = xor(m46, m48), l3 = xor(m47, m55), l4 = xor(m54, m58);
    const l5 = xor(m49, m61), l6 = xor(m62, l5), l7 = xor(m46, l3), l8 = xor(m51, m59), l9 = xor(m52, m53);
    const l10 = xor(m53, l4), l11 = xor(m60, l2), l12 = xor(m48, m51), l13 = xor(m50, l0), l14 = xor(m52, m61);
    const l15 = xor(m55, l1), l16 = xor(m56, l0), l17 = xor(m57, l1), l18 = xor(m58, l8), l19 = xor(m63, l4);
    const l20 = xor(l0, l1), l21 = xor(l1, l7), l22 = xor(l3, l12), l23 = xor(l18, l2), l24 = xor(l15, l9);
    const l25 = xor(l6, l10), l26 = xor(l7, l9), l27 = xor(l8, l10), l28 = xor(l11, l14), l29 = xor(l11, l17);

    const s0 = shifted(xor(l6, l24), rotation), s1 = shifted(xor(l16, l26), rotation);
    const s2 = shifted(xor(l19, l28), rotation), s3 = shifted(xor(l6, l21), rotation);
    const s4 = shifted(xor(l20, l22), rotation), s5 = shifted(xor(l25, l29), rotation);
    const s6 = shifted(xor(l13, l27), rotation), s7 = shifted(xor(l6, l23), rotation);

    // Reducing modulo the polynomial adds the carry of the highest bit to bits 0, 1, 3 and 4.
    const b0 = below(s0), d0 = xor(s0, b0), b1 = below(s1), d1 = xor(s1, b1);
    const b2 = below(s2), d2 = xor(s2, b2), b3 = below(s3), d3 = xor(s3, b3);
    const b4 = below(s4), d4 = xor(s4, b4), b5 = below(s5), d5 = xor(s5, b5);
    const b6 = below(s6), d6 = xor(s6, b6), b7 = below(s7), d7 = xor(s7, b7);
    u7 = mixed(b7, d7, d0, key);
    u6 = mixed(b6, d6, xor(d7, d0), key + 16);
    u5 = mixed(b5, d5, d6, key + 32);
    u4 = mixed(b4, d4, xor(d5, d0), key + 48);
    u3 = mixed(b3, d3, xor(d4, d0), key + 64);
    u2 = mixed(b2, d2, d3, key + 80);
    u1 = mixed(b1, d1, d2, key + 96);
    u0 = mixed(b0, d0, d1, key + 112);
  }
  v128.store(ROW, u7); v128.store(ROW, u6, 16); v128.store(ROW, u5, 32); v128.store(ROW, u4, 48);
  v128.store(ROW, u3, 64); v128.store(ROW, u2, 80); v128.store(ROW, u1, 96); v128.store(ROW, u0, 112);
}

/** Sets the row to zero. */
export function clearRow(): void {
  memory.fill(ROW, 0, ROW_BYTES);
}

export function clearKeys(): void {
  memory.fill(ROW_KEYS, 0, ROW_KEYS_BYTES);
}
