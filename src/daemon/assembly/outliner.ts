/* What the host calls: it writes bytes, has them outlined, and reads the columns. */
import { outlineBlock, BLOCK_HASHES, BLOCK_TIMES, BLOCK_VERSIONS, TX_ENDS, TX_HASHES, TX_STARTS } from './block';
import { Column, column, emptyColumns, reserve } from './columns';
import { close, open, position } from './reading';
import {
  closeSection,
  integers,
  isCalled,
  itemType,
  nextField,
  openList,
  openSection,
  openStorage,
  passValue,
  SECTION,
  text,
  unsigned,
} from './storage';
import {
  FIRST_IMAGES,
  FIRST_KEYS,
  FIRST_OUTPUTS,
  IMAGES,
  KEYS,
  MAIN_KEYS,
  outlinePrefix,
  OUTPUT_INDICES,
  OUTPUTS,
  place,
  REWARDS,
  setBase,
  VERSIONS,
  VIEW_TAGS,
} from './transaction';

/** Where the bytes lie. */
const BYTES: usize = (__heap_base + 15) & ~15;

/** One a transaction: where the places of its outputs lie, 8 bytes each. */
const TX_INDICES = column();
/** One a block: its miner transaction. */
const BLOCK_TXS = column();

/** As the answer has them: blocks, and what each begins with of the lists below. */
const blockStarts = column();
const blockEnds = column();
const blobsBefore = column();
const listsBefore = column();
/** Transactions but the miners'. */
const blobStarts = column();
const blobEnds = column();
/** Lists of the places of outputs. */
const listStarts = column();
const listCounts = column();

/** Of an answer: what stands there once, and whether it does. */
const NUMBERS = memory.data(16, 16);
let found: u32 = 0;
const START_HEIGHT: u32 = 0;
const CURRENT_HEIGHT: u32 = 1;
const STATUS: u32 = 2;
let statusStart: u32 = 0;
let statusEnd: u32 = 0;

/** Makes room for bytes. @returns where they go. */
export function roomFor(length: usize): usize {
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
    if (isCalled(i, 'block')) {
      blockStarts.push(u32(text(inner)));
      blockEnds.push(u32(position()));
      has = true;
    } else if (isCalled(i, 'txs')) {
      for (let items = openList(inner); items > 0; items--) readBlob(itemType(inner));
    } else passValue(inner);
  }
  closeSection();
  if (!has) throw new Error('a block is absent');
}

/** A pruned transaction stands beside the hash of what it lacks. */
function readBlob(type: u32): void {
  if (type != SECTION) return pushBlob(type);
  let has = false;
  const fields = openSection(type);
  for (let i: u32 = 0; i < fields; i++) {
    const inner = nextField(i);
    if (isCalled(i, 'blob')) {
      pushBlob(inner);
      has = true;
    } else passValue(inner);
  }
  closeSection();
  if (!has) throw new Error('a transaction is absent');
}

function pushBlob(type: u32): void {
  blobStarts.push(u32(text(type)));
  blobEnds.push(u32(position()));
}

/** Of the transactions of a block. */
function readIndicesOfBlock(type: u32): void {
  listsBefore.push(listStarts.count);
  const fields = openSection(type);
  for (let i: u32 = 0; i < fields; i++) {
    const inner = nextField(i);
    if (isCalled(i, 'indices'))
      for (let items = openList(inner); items > 0; items--) readIndices(itemType(inner));
    else passValue(inner);
  }
  closeSection();
}

function readIndices(type: u32): void {
  let count: u32 = 0;
  const fields = openSection(type);
  for (let i: u32 = 0; i < fields; i++) {
    const inner = nextField(i);
    if (isCalled(i, 'indices')) {
      count = integers(inner);
      listStarts.push(u32(position()) - 8 * count);
    } else passValue(inner);
  }
  closeSection();
  if (listStarts.count == listCounts.count) listStarts.push(0);
  listCounts.push(count);
}

/** Walks through a daemon's answer. @param length bytes that the host wrote. */
export function walk(length: usize): void {
  found = 0;
  open(BYTES, BYTES + length);
  openStorage();
  const fields = openSection(SECTION);
  for (let i: u32 = 0; i < fields; i++) {
    const type = nextField(i);
    if (isCalled(i, 'blocks')) {
      for (let items = openList(type); items > 0; items--) readBlock(itemType(type));
    } else if (isCalled(i, 'output_indices')) {
      for (let items = openList(type); items > 0; items--) readIndicesOfBlock(itemType(type));
    } else if (isCalled(i, 'start_height')) {
      store<f64>(NUMBERS, f64(unsigned(type)));
      found |= 1 << START_HEIGHT;
    } else if (isCalled(i, 'current_height')) {
      store<f64>(NUMBERS + 8, f64(unsigned(type)));
      found |= 1 << CURRENT_HEIGHT;
    } else if (isCalled(i, 'status')) {
      statusStart = place(text(type));
      statusEnd = place(position());
      found |= 1 << STATUS;
    } else passValue(type);
  }
  closeSection();
  close();
}

/** Whether the answer has a start height (1), a height (2), a status (4). */
export function foundInAnswer(): u32 {
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

/** Where the entries of a block or a transaction in another list end. */
function endOf(starts: Column, item: u32, all: u32): u32 {
  return item + 1 < starts.count ? starts.get(item + 1) : all;
}

/** Outlines the blocks that were walked through. */
export function outlineBlocks(): void {
  for (let block: u32 = 0; block < blockStarts.count; block++) {
    BLOCK_TXS.push(TX_STARTS.count);
    const named = outlineBlock(blockStarts.get(block), blockEnds.get(block));
    const blob = blobsBefore.get(block);
    if (endOf(blobsBefore, block, blobStarts.count) - blob != named) throw new Error('a block lacks transactions');
    if (block >= listsBefore.count) throw new Error('a block lacks output indices');
    const list = listsBefore.get(block);
    if (endOf(listsBefore, block, listStarts.count) - list != named + 1)
      throw new Error('a block lacks output indices');
    for (let i: u32 = 0; i < named; i++) outlineBlob(blobStarts.get(blob + i), blobEnds.get(blob + i));
    for (let i: u32 = 0; i <= named; i++) {
      const tx = TX_INDICES.count;
      if (listCounts.get(list + i) != endOf(FIRST_OUTPUTS, tx, OUTPUT_INDICES.count) - FIRST_OUTPUTS.get(tx))
        throw new Error('a transaction lacks output indices');
      const start = listStarts.get(list + i);
      TX_INDICES.push(start == 0 ? 0 : place(start));
    }
  }
}

function outlineBlob(from: usize, to: usize): void {
  open(from, to);
  outlinePrefix();
  TX_STARTS.push(place(from));
  TX_ENDS.push(place(to));
}

/** Outlines a transaction that the host knows the name of. @param from place among the bytes. */
export function outlineTx(from: usize, to: usize): void {
  outlineBlob(BYTES + from, BYTES + to);
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
export function firstImages(): usize {
  return changetype<usize>(FIRST_IMAGES);
}
export function images(): usize {
  return changetype<usize>(IMAGES);
}
