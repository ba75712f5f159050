/* Keccak-256 with the padding of the original submission, as used by CryptoNote. Source: keccak.c. */

export const ROUND_CONSTANTS = memory.data<u64>([
  0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b,
  0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088,
  0x0000000080008009, 0x000000008000000a, 0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
  0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
  0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
]);

/** Number of bytes that one permutation absorbs. */
export const RATE: i32 = 136;
/** State of 25 words, the least significant word first. */
export const STATE = memory.data(200, 16);

@inline
function word(i: i32): u64 {
  return load<u64>(STATE + (i << 3));
}

@inline
function put(i: i32, value: u64): void {
  store<u64>(STATE + (i << 3), value);
}

/** Applies keccak-f[1600] to STATE. */
export function permute(): void {
  let a0 = word(0), a1 = word(1), a2 = word(2), a3 = word(3), a4 = word(4);
  let a5 = word(5), a6 = word(6), a7 = word(7), a8 = word(8), a9 = word(9);
  let a10 = word(10), a11 = word(11), a12 = word(12), a13 = word(13), a14 = word(14);
  let a15 = word(15), a16 = word(16), a17 = word(17), a18 = word(18), a19 = word(19);
  let a20 = word(20), a21 = word(21), a22 = word(22), a23 = word(23), a24 = word(24);
  for (let round: usize = 0; round < 24; round++) {
    const c0 = a0 ^ a5 ^ a10 ^ a15 ^ a20;
    const c1 = a1 ^ a6 ^ a11 ^ a16 ^ a21;
    const c2 = a2 ^ a7 ^ a12 ^ a17 ^ a22;
    const c3 = a3 ^ a8 ^ a13 ^ a18 ^ a23;
    const c4 = a4 ^ a9 ^ a14 ^ a19 ^ a24;
    const d0 = c4 ^ rotl<u64>(c1, 1);
    const d1 = c0 ^ rotl<u64>(c2, 1);
    const d2 = c1 ^ rotl<u64>(c3, 1);
    const d3 = c2 ^ rotl<u64>(c4, 1);
    const d4 = c3 ^ rotl<u64>(c0, 1);
    // Difference of theta, rotation of rho and index of pi in one step.
    const b0 = a0 ^ d0;
    const b1 = rotl<u64>(a6 ^ d1, 44);
    const b2 = rotl<u64>(a12 ^ d2, 43);
    const b3 = rotl<u64>(a18 ^ d3, 21);
    const b4 = rotl<u64>(a24 ^ d4, 14);
    const b5 = rotl<u64>(a3 ^ d3, 28);
    const b6 = rotl<u64>(a9 ^ d4, 20);
    const b7 = rotl<u64>(a10 ^ d0, 3);
    const b8 = rotl<u64>(a16 ^ d1, 45);
    const b9 = rotl<u64>(a22 ^ d2, 61);
    const b10 = rotl<u64>(a1 ^ d1, 1);
    const b11 = rotl<u64>(a7 ^ d2, 6);
    const b12 = rotl<u64>(a13 ^ d3, 25);
    const b13 = rotl<u64>(a19 ^ d4, 8);
    const b14 = rotl<u64>(a20 ^ d0, 18);
    const b15 = rotl<u64>(a4 ^ d4, 27);
    const b16 = rotl<u64>(a5 ^ d0, 36);
    const b17 = rotl<u64>(a11 ^ d1, 10);
    const b18 = rotl<u64>(a17 ^ d2, 15);
    const b19 = rotl<u64>(a23 ^ d3, 56);
    const b20 = rotl<u64>(a2 ^ d2, 62);
    const b21 = rotl<u64>(a8 ^ d3, 55);
    const b22 = rotl<u64>(a14 ^ d4, 39);
    const b23 = rotl<u64>(a15 ^ d0, 41);
    const b24 = rotl<u64>(a21 ^ d1, 2);
    a0 = b0 ^ (~b1 & b2) ^ load<u64>(ROUND_CONSTANTS + (round << 3));
    a1 = b1 ^ (~b2 & b3);
    a2 = b2 ^ (~b3 & b4);
    a3 = b3 ^ (~b4 & b0);
    a4 = b4 ^ (~b0 & b1);
    a5 = b5 ^ (~b6 & b7);
    a6 = b6 ^ (~b7 & b8);
    a7 = b7 ^ (~b8 & b9);
    a8 = b8 ^ (~b9 & b5);
    a9 = b9 ^ (~b5 & b6);
    a10 = b10 ^ (~b11 & b12);
    a11 = b11 ^ (~b12 & b13);
    a12 = b12 ^ (~b13 & b14);
    a13 = b13 ^ (~b14 & b10);
    a14 = b14 ^ (~b10 & b11);
    a15 = b15 ^ (~b16 & b17);
    a16 = b16 ^ (~b17 & b18);
    a17 = b17 ^ (~b18 & b19);
    a18 = b18 ^ (~b19 & b15);
    a19 = b19 ^ (~b15 & b16);
    a20 = b20 ^ (~b21 & b22);
    a21 = b21 ^ (~b22 & b23);
    a22 = b22 ^ (~b23 & b24);
    a23 = b23 ^ (~b24 & b20);
    a24 = b24 ^ (~b20 & b21);
  }
  put(0, a0); put(1, a1); put(2, a2); put(3, a3); put(4, a4);
  put(5, a5); put(6, a6); put(7, a7); put(8, a8); put(9, a9);
  put(10, a10); put(11, a11); put(12, a12); put(13, a13); put(14, a14);
  put(15, a15); put(16, a16); put(17, a17); put(18, a18); put(19, a19);
  put(20, a20); put(21, a21); put(22, a22); put(23, a23); put(24, a24);
}

@inline
function absorb(from: usize): void {
  for (let i: usize = 0; i < usize(RATE); i += 8) store<u64>(STATE + i, load<u64>(STATE + i) ^ load<u64>(from + i));
}

export function clear(): void {
  for (let i: usize = 0; i < 200; i += 8) store<u64>(STATE + i, 0);
}

/** Absorbs as many of the `length` bytes as fill whole permutations. @returns the number of absorbed bytes. */
export function absorbFull(from: usize, length: i32): i32 {
  let taken = 0;
  for (; length - taken >= RATE; taken += RATE) {
    absorb(from + usize(taken));
    permute();
  }
  return taken;
}

/** Absorbs the last `length` bytes of a message, fewer than RATE, and the padding. */
export function absorbLast(from: usize, length: i32): void {
  let at: usize = 0;
  for (; at + 8 <= usize(length); at += 8) store<u64>(STATE + at, load<u64>(STATE + at) ^ load<u64>(from + at));
  for (; at < usize(length); at++) store<u8>(STATE + at, load<u8>(STATE + at) ^ load<u8>(from + at));
  store<u8>(STATE + at, load<u8>(STATE + at) ^ 1);
  store<u8>(STATE + RATE - 1, load<u8>(STATE + RATE - 1) ^ 0x80);
  permute();
}

/** Writes the 32-byte hash of `length` bytes at `from` to `out`. */
export function keccak(out: usize, from: usize, length: i32): void {
  clear();
  const taken = absorbFull(from, length);
  absorbLast(from + usize(taken), length - taken);
  for (let i: usize = 0; i < 32; i += 8) store<u64>(out + i, load<u64>(STATE + i));
}
