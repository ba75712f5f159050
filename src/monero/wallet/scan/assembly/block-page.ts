/* Exports for the host, which writes bytes, has them parsed, and reads the columns. */
import { ALTERED_TX, STORAGE_OBJECT } from '../../../format';
import { EXCEPTIONAL_BLOCK, parseBlock, BLOCK_HASHES, BLOCK_TIMES, BLOCK_VERSIONS, TX_ENDS, TX_HASHES, TX_STARTS } from './block';
import { Column, column, emptyColumns, reserve } from './columns';
import { close, open, position } from './reading';
import {
  closeSection,
  integers,
  isNamed,
  itemType,
  nextField,
  openList,
  openSection,
  openStorage,
  skipValue,
  text,
  unsigned,
} from './storage';
import {
  CONTEXT_OF,
  CONTEXTS,
  FIRST_IMAGES,
  FIRST_KEYS,
  FIRST_OUTPUTS,
  IMAGES,
  KEYS,
  lastVersion,
  MAIN_KEYS,
  parsePrefix,
  OUTPUT_INDICES,
  OUTPUTS,
  offsetOf,
  REWARDS,
  setBase,
  VERSIONS,
  VIEW_TAGS,
} from './transaction';
import { hashPruned, hashWhole, NULL_HASH, skipBase } from './transaction-hash';

/** Address of the input, which the host writes before it calls {@link readAnswer} or {@link parseTx}. */
const BYTES: usize = (__heap_base + 15) & ~15;

/** For each transaction, the byte offset of the global indices of its outputs in the input; 8 bytes per index. */
const TX_INDICES = column();
/** For each block, the index of its miner transaction. */
const BLOCK_TXS = column();
/** For each transaction, 1 if its bytes prove its hash, else 0. */
const TX_PROVEN = column();

/**
 * For each block of the answer: its start and end in the input, and the number of entries of `blobStarts` and of
 * `listStarts` that belong to earlier blocks.
 */
const blockStarts = column();
const blockEnds = column();
const blobsBefore = column();
const listsBefore = column();
/**
 * Start and end in the input of each transaction, miner transactions excluded, and for a pruned transaction the address
 * of the hash of its prunable part; 0 for a whole transaction.
 */
const blobStarts = column();
const blobEnds = column();
const prunableHashes = column();
/** Start in the input and length of each list of global output indices. */
const listStarts = column();
const listCounts = column();

/** Values of the answer's start height and current height; `found` has a flag for each field that is present. */
const NUMBERS = memory.data(16, 16);
let found: u32 = 0;
/** Number of blocks that the last call of {@link parseBlocks} has parsed. */
let parsed: u32 = 0;
const START_HEIGHT: u32 = 0;
const CURRENT_HEIGHT: u32 = 1;
const STATUS: u32 = 2;
let statusStart: u32 = 0;
let statusEnd: u32 = 0;

/** Reserves memory for an input of `length` bytes. @returns the address to which the host writes it. */
export function reserveInput(length: usize): usize {
  reserve(BYTES + length);
  emptyColumns(BYTES + length);
  setBase(BYTES);
  return BYTES;
}

function readBlock(type: u32): void {
  let has = false;
  blobsBefore.push(blobStarts.count);
  const fields = openSection(type);
  for (let i: u32 = 0; i < fields; i++) {
    const inner = nextField(i);
    if (isNamed(i, 'block')) {
      blockStarts.push(u32(text(inner)));
      blockEnds.push(u32(position()));
      has = true;
    } else if (isNamed(i, 'txs')) {
      for (let items = openList(inner); items > 0; items--) readBlob(itemType(inner));
    } else skipValue(inner);
  }
  closeSection();
  if (!has) throw new Error('a block is absent');
}

/**
 * Reads the location of a transaction. It is a string, or, if pruned, a section with the blob and the hash of the
 * prunable part.
 */
function readBlob(type: u32): void {
  if (type != STORAGE_OBJECT) {
    pushBlob(type);
    prunableHashes.push(0);
    return;
  }
  let has = false;
  let prunable: usize = NULL_HASH;
  const fields = openSection(type);
  for (let i: u32 = 0; i < fields; i++) {
    const inner = nextField(i);
    if (isNamed(i, 'blob')) {
      pushBlob(inner);
      has = true;
    } else if (isNamed(i, 'prunable_hash')) {
      prunable = text(inner);
      if (position() - prunable != 32) throw new Error('a hash of another length');
    } else skipValue(inner);
  }
  closeSection();
  if (!has) throw new Error('a transaction is absent');
  prunableHashes.push(u32(prunable));
}

function pushBlob(type: u32): void {
  blobStarts.push(u32(text(type)));
  blobEnds.push(u32(position()));
}

/** Reads the locations of the output index lists of a block's transactions. */
function readIndicesOfBlock(type: u32): void {
  listsBefore.push(listStarts.count);
  const fields = openSection(type);
  for (let i: u32 = 0; i < fields; i++) {
    const inner = nextField(i);
    if (isNamed(i, 'indices'))
      for (let items = openList(inner); items > 0; items--) readIndices(itemType(inner));
    else skipValue(inner);
  }
  closeSection();
}

function readIndices(type: u32): void {
  let count: u32 = 0;
  const fields = openSection(type);
  for (let i: u32 = 0; i < fields; i++) {
    const inner = nextField(i);
    if (isNamed(i, 'indices')) {
      count = integers(inner);
      listStarts.push(u32(position()) - 8 * count);
    } else skipValue(inner);
  }
  closeSection();
  if (listStarts.count == listCounts.count) listStarts.push(0);
  listCounts.push(count);
}

/**
 * Reads a daemon's answer and records where its blocks and transactions lie.
 * @param length size of the input [bytes].
 */
export function readAnswer(length: usize): void {
  found = 0;
  open(BYTES, BYTES + length);
  openStorage();
  const fields = openSection(STORAGE_OBJECT);
  for (let i: u32 = 0; i < fields; i++) {
    const type = nextField(i);
    if (isNamed(i, 'blocks')) {
      for (let items = openList(type); items > 0; items--) readBlock(itemType(type));
    } else if (isNamed(i, 'output_indices')) {
      for (let items = openList(type); items > 0; items--) readIndicesOfBlock(itemType(type));
    } else if (isNamed(i, 'start_height')) {
      store<f64>(NUMBERS, f64(unsigned(type)));
      found |= 1 << START_HEIGHT;
    } else if (isNamed(i, 'current_height')) {
      store<f64>(NUMBERS + 8, f64(unsigned(type)));
      found |= 1 << CURRENT_HEIGHT;
    } else if (isNamed(i, 'status')) {
      statusStart = offsetOf(text(type));
      statusEnd = offsetOf(position());
      found |= 1 << STATUS;
    } else skipValue(type);
  }
  closeSection();
  close();
}

/** Returns flags of the fields that the answer contains: start height (1), current height (2), status (4). */
export function fieldsFound(): u32 {
  return found;
}
export function startHeight(): f64 {
  return load<f64>(NUMBERS);
}
export function currentHeight(): f64 {
  return load<f64>(NUMBERS + 8);
}
export function statusStartsAt(): u32 {
  return statusStart;
}
export function statusEndsAt(): u32 {
  return statusEnd;
}

/**
 * Returns the index after the last entry that belongs to an item, in a list with consecutive entries for each item.
 * @param starts index of the first entry, by item.
 * @param all number of all entries.
 */
function endOf(starts: Column, item: u32, all: u32): u32 {
  return item + 1 < starts.count ? starts.get(item + 1) : all;
}

/**
 * Parses the blocks and transactions whose locations {@link readAnswer} recorded, and compares the transactions with the
 * hashes that their blocks list. Ends the call at the first block that cannot be read; {@link blocksParsed} blocks come
 * before it.
 * @param complete true: the call ends at a transaction whose hash cannot be computed; false: such a transaction is
 * accepted.
 * @param most largest number of blocks to parse.
 */
export function parseBlocks(complete: bool, most: u32): void {
  parsed = 0;
  for (let block: u32 = 0; block < min(blockStarts.count, most); block++) {
    BLOCK_TXS.push(TX_STARTS.count);
    const txCount = parseBlock(blockStarts.get(block), blockEnds.get(block));
    const hashes = TX_HASHES.used - (usize(txCount) << 5);
    // The hash of the miner transaction is computed from its bytes, which the block contains.
    TX_PROVEN.pushByte(1);
    const blob = blobsBefore.get(block);
    if (endOf(blobsBefore, block, blobStarts.count) - blob != txCount) throw new Error('a block lacks transactions');
    if (block >= listsBefore.count) throw new Error('a block lacks output indices');
    const list = listsBefore.get(block);
    if (endOf(listsBefore, block, listStarts.count) - list != txCount + 1)
      throw new Error('a block lacks output indices');
    for (let i: u32 = 0; i < txCount; i++) {
      const isChecked = parseBlob(
        blobStarts.get(blob + i),
        blobEnds.get(blob + i),
        prunableHashes.get(blob + i),
        TX_HASHES.data + hashes + (usize(i) << 5),
      );
      if (complete && !isChecked) throw new Error('a transaction without signatures');
      TX_PROVEN.pushByte(u8(isChecked));
    }
    for (let i: u32 = 0; i <= txCount; i++) {
      const tx = TX_INDICES.count;
      if (listCounts.get(list + i) != endOf(FIRST_OUTPUTS, tx, OUTPUT_INDICES.count) - FIRST_OUTPUTS.get(tx))
        throw new Error('a transaction lacks output indices');
      const start = listStarts.get(list + i);
      TX_INDICES.push(start == 0 ? 0 : offsetOf(start));
    }
    parsed++;
  }
}

export function blocksParsed(): u32 {
  return parsed;
}

/**
 * Parses a transaction, and compares it with its hash.
 * @param prunable address of the hash of the prunable part; 0 for a whole transaction.
 * @param hash address of the hash that the transaction must have.
 * @returns false if its hash cannot be computed.
 */
function parseBlob(from: usize, to: usize, prunable: usize, hash: usize): bool {
  open(from, to);
  const version = parsePrefix();
  const prefixEnd = position();
  const isWhole = prunable == 0;
  // The columns locate the pruned encoding of every transaction.
  const end = skipBase(version);
  if (!isWhole && end != to) throw new Error('bytes left over');
  TX_STARTS.push(offsetOf(from));
  TX_ENDS.push(offsetOf(end));
  const computed = isWhole
    ? hashWhole(from, prefixEnd, end, to, version)
    : hashPruned(from, prefixEnd, to, version, prunable);
  if (computed == 0) return false;
  if (memory.compare(computed, hash, 32) != 0) throw new Error(ALTERED_TX);
  return true;
}

/**
 * Parses a single transaction, and compares it with its hash.
 * @param from start offset in the input.
 * @param to end offset.
 * @param prunable offset of the hash of the prunable part; 0 for a whole transaction.
 * @param hash offset of the hash that it must have.
 */
export function parseTx(from: usize, to: usize, prunable: usize, hash: usize): void {
  TX_HASHES.pushKey(BYTES + hash);
  const isChecked = parseBlob(BYTES + from, BYTES + to, prunable == 0 ? 0 : BYTES + prunable, BYTES + hash);
  if (!isChecked && lastVersion() != 1) throw new Error('a transaction without the hash of its prunable part');
  TX_PROVEN.pushByte(u8(isChecked));
}

export function blockHashes(): usize {
  return changetype<usize>(BLOCK_HASHES);
}
export function blockTimes(): usize {
  return changetype<usize>(BLOCK_TIMES);
}
export function blockVersions(): usize {
  return changetype<usize>(BLOCK_VERSIONS);
}
export function blockTxs(): usize {
  return changetype<usize>(BLOCK_TXS);
}
export function txHashes(): usize {
  return changetype<usize>(TX_HASHES);
}
export function txStarts(): usize {
  return changetype<usize>(TX_STARTS);
}
export function txEnds(): usize {
  return changetype<usize>(TX_ENDS);
}
export function txIndices(): usize {
  return changetype<usize>(TX_INDICES);
}
export function txProven(): usize {
  return changetype<usize>(TX_PROVEN);
}
export function txVersions(): usize {
  return changetype<usize>(VERSIONS);
}
export function txRewards(): usize {
  return changetype<usize>(REWARDS);
}
export function firstOutputs(): usize {
  return changetype<usize>(FIRST_OUTPUTS);
}
export function outputs(): usize {
  return changetype<usize>(OUTPUTS);
}
export function outputIndices(): usize {
  return changetype<usize>(OUTPUT_INDICES);
}
export function viewTags(): usize {
  return changetype<usize>(VIEW_TAGS);
}
export function firstKeys(): usize {
  return changetype<usize>(FIRST_KEYS);
}
export function mainKeys(): usize {
  return changetype<usize>(MAIN_KEYS);
}
export function keys(): usize {
  return changetype<usize>(KEYS);
}
export function contextOf(): usize {
  return changetype<usize>(CONTEXT_OF);
}
export function contexts(): usize {
  return changetype<usize>(CONTEXTS);
}
export function firstImages(): usize {
  return changetype<usize>(FIRST_IMAGES);
}
export function images(): usize {
  return changetype<usize>(IMAGES);
}

/** Returns the address of {@link EXCEPTIONAL_BLOCK}. */
export function exceptionalBlock(): usize {
  return EXCEPTIONAL_BLOCK;
}
