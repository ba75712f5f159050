/* AES by tables: its key schedule, single rounds, and ten rounds of a row of eight blocks. Source: FIPS 197. */

const BOX = memory.data(256, 16);
/** SubBytes and MixColumns of a byte in each of the four rows, as little-endian columns of 32 bits. */
const TABLES = memory.data(4096, 16);
/** The first ten round keys of an AES-256 schedule. */
export const KEYS = memory.data(160, 16);
const KEYS_BYTES: usize = 160;
export const ROW_BYTES: usize = 128;
const ROW = memory.data(128, 16);

/** Returns the address of the substitution table of FIPS 197, which the host must write before it calls `prepare`. */
export function boxAt(): usize {
  return BOX;
}

@inline
function doubled(byte: u32): u32 {
  return (byte << 1) ^ ((byte >> 7) * 0x11b);
}

/** Computes TABLES from the substitution table. */
export function prepare(): void {
  for (let i: usize = 0; i < 256; i++) {
    const s = u32(load<u8>(BOX + i));
    const twice = doubled(s);
    const column = twice | (s << 8) | (s << 16) | ((s ^ twice) << 24);
    for (let row: usize = 0; row < 4; row++)
      store<u32>(TABLES + (row << 10) + (i << 2), rotl<u32>(column, u32(row) << 3));
  }
}

function substituted(word: u32): u32 {
  return (
    u32(load<u8>(BOX + (word & 255))) |
    (u32(load<u8>(BOX + ((word >> 8) & 255))) << 8) |
    (u32(load<u8>(BOX + ((word >> 16) & 255))) << 16) |
    (u32(load<u8>(BOX + (word >> 24))) << 24)
  );
}

/** Expands a key of 32 bytes into the round keys. Source: FIPS 197, 5.2. */
export function schedule(key: usize): void {
  memory.copy(KEYS, key, 32);
  let constant: u32 = 1;
  for (let i: usize = 8; i < 40; i++) {
    let word = load<u32>(KEYS + ((i - 1) << 2));
    if ((i & 7) == 0) {
      word = substituted(rotr<u32>(word, 8)) ^ constant;
      constant = doubled(constant);
    } else if ((i & 7) == 4) {
      word = substituted(word);
    }
    store<u32>(KEYS + (i << 2), load<u32>(KEYS + ((i - 8) << 2)) ^ word);
  }
}

/**
 * Returns one column of a round from its four bytes, without the round key. The table address is a constant offset of
 * the load, which saves an addition.
 */
@inline
function column(first: usize, second: usize, third: usize, fourth: usize): u64 {
  return u64(
    load<u32>(first << 2, TABLES) ^
    load<u32>(second << 2, TABLES + 1024) ^
    load<u32>(third << 2, TABLES + 2048) ^
    load<u32>(fourth << 2, TABLES + 3072),
  );
}

/** Returns the first two columns of a block after a round, without the round key. */
@inline
export function lowRound(block: usize): u64 {
  return (
    column(load<u8>(block), load<u8>(block, 5), load<u8>(block, 10), load<u8>(block, 15)) |
    (column(load<u8>(block, 4), load<u8>(block, 9), load<u8>(block, 14), load<u8>(block, 3)) << 32)
  );
}

/** Returns the last two columns of a block after a round, without the round key. */
@inline
export function highRound(block: usize): u64 {
  return (
    column(load<u8>(block, 8), load<u8>(block, 13), load<u8>(block, 2), load<u8>(block, 7)) |
    (column(load<u8>(block, 12), load<u8>(block, 1), load<u8>(block, 6), load<u8>(block, 11)) << 32)
  );
}

/** Adds (XOR) eight blocks to the row. */
export function addRow(blocks: usize): void {
  for (let i: usize = 0; i < ROW_BYTES; i += 8) store<u64>(ROW + i, load<u64>(ROW + i) ^ load<u64>(blocks + i));
}

/** Writes the eight blocks of the row. */
export function writeRow(blocks: usize): void {
  memory.copy(blocks, ROW, ROW_BYTES);
}

/**
 * Applies ten rounds to each block of the row, without the initial key addition. Source: aesb.c `aesb_pseudo_round`.
 */
export function encipherRow(): void {
  for (let block = ROW; block < ROW + ROW_BYTES; block += 16) {
    for (let key = KEYS; key < KEYS + KEYS_BYTES; key += 16) {
      const low = lowRound(block) ^ load<u64>(key), high = highRound(block) ^ load<u64>(key, 8);
      store<u64>(block, low);
      store<u64>(block, high, 8);
    }
  }
}

export function clearRow(): void {
  memory.fill(ROW, 0, ROW_BYTES);
}

export function clearKeys(): void {
  memory.fill(KEYS, 0, KEYS_BYTES);
}
