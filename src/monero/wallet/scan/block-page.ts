import { wasmBinary, chunks, equalBytes } from '../../../util/bytes.js';
import type { Hash } from '../../crypto/types.js';
import { BLOCK_202612 } from '../../cryptonote/block.js';
import { NEWEST_FORK } from '../../cryptonote/constants.js';
import type { FetchedTx } from './fetched-tx.js';
import { ALTERED_TX, UNLINKED_BLOCK } from '../../format.js';
import { CodecError, Writer, u64Number } from '../../../util/codec.js';
import { wasm as binary } from './block-page.wasm.js';
import { keysBefore, type Candidates } from './output-matches.js';

/** Exports of the WebAssembly module; assembly/block-page.ts documents them. */
interface ParserExports {
  readonly memory: WebAssembly.Memory;
  exceptionalBlock(): number;
  reserveInput(length: number): number;
  readAnswer(length: number): void;
  fieldsFound(): number;
  startHeight(): number;
  currentHeight(): number;
  statusStartsAt(): number;
  statusEndsAt(): number;
  parseBlocks(complete: boolean, most: number): void;
  blocksParsed(): number;
  parseTx(from: number, to: number, prunable: number, hash: number): void;
  blockHashes(): number;
  blockTimes(): number;
  blockVersions(): number;
  blockTxs(): number;
  txHashes(): number;
  txStarts(): number;
  txEnds(): number;
  txIndices(): number;
  txProven(): number;
  txVersions(): number;
  txRewards(): number;
  firstOutputs(): number;
  outputs(): number;
  outputIndices(): number;
  viewTags(): number;
  firstKeys(): number;
  mainKeys(): number;
  keys(): number;
  contextOf(): number;
  contexts(): number;
  firstImages(): number;
  images(): number;
}

/** A parsed block; its transactions are given as a range of indices in the page's transactions. */
export interface ParsedBlock {
  readonly hash: Hash;
  readonly version: number;
  /** Time of the block [Unix s]. */
  readonly timestamp: number;
  /** Index of the miner transaction, which is the first transaction of the block. */
  readonly firstTx: number;
  /** Index after the last transaction of the block. */
  readonly endTx: number;
}

/** A block that cannot be read. */
export interface UnreadBlock {
  /** Version of the block; absent if the version cannot be read either. */
  readonly version?: number;
  readonly cause: CodecError;
  /** Newest version of blocks whose rules the reader of the page knows. */
  readonly newestFork: number;
  /** True if the block contradicts the block before it or the hashes that it lists, so that its sender has altered it. */
  readonly isForged: boolean;
}

/** Rules by which a page of blocks is read. */
export interface PageRules {
  /**
   * True: refuses transactions whose hash cannot be computed. Daemons of version 0.18 send pruned transactions without the
   * hash of the removed part.
   */
  readonly complete: boolean;
  /** Newest version of blocks whose rules are known. */
  readonly newestFork: number;
}

/** Parsed answer to `/getblocks.bin`. */
export interface ParsedBlocksAnswer {
  readonly status: string;
  /** Height of the first block; absent if the answer lacks it. */
  readonly startHeight?: number;
  /** Number of blocks of the daemon's chain; absent if the answer lacks it. */
  readonly currentHeight?: number;
  /** Consecutive blocks before the first block that cannot be read; empty unless the status is `OK`. */
  readonly blocks: readonly ParsedBlock[];
  /** The block after `blocks`, if the answer has this block and it cannot be read. */
  readonly unread?: UnreadBlock;
  readonly txs: ParsedTxs;
  /** Length of the answer [bytes]. */
  readonly bytes: number;
}

/** An encoded transaction that is not part of a page of blocks. */
export interface RawTx extends FetchedTx {
  /** For each output, its global index among all outputs of its amount. Absent for an unmined transaction. */
  readonly globalIndices?: readonly number[];
}

/**
 * True if a transaction is pruned and of version 1, whose hash covers its signatures. Only a pruned daemon lacks
 * signatures, and no daemon lacks the signatures of transactions in the pool.
 */
export const isUnverifiable = ({ blob: [version], prunableHash }: FetchedTx): boolean =>
  version === 1 && prunableHash !== undefined;

/** Largest memory of a WebAssembly instance that is kept for the next page [bytes]. */
const MAX_REUSED_BYTES = 32 << 20;

/**
 * WebAssembly instance that is kept for the next page. The reference is weak because its memory never shrinks: garbage
 * collection may free it.
 */
let reused: WeakRef<ParserExports> | undefined;

const module = new WebAssembly.Module(wasmBinary(binary));

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const utf16 = new TextDecoder('utf-16le');

function instantiate(): ParserExports {
  // The module calls `abort` with the address of a message when an input does not follow its format.
  const abort = (message = 0): never => {
    const { buffer } = exports.memory;
    const [length = 0] = new Uint32Array(buffer, message - 4, 1);
    throw new CodecError(utf16.decode(new Uint8Array(buffer, message, length)));
  };
  const exports = new WebAssembly.Instance(module, { env: { abort } }).exports as unknown as ParserExports;
  const { computed, actual } = BLOCK_202612;
  new Uint8Array(exports.memory.buffer, exports.exceptionalBlock(), 64).set([...computed, ...actual]);
  return exports;
}

/** Copies bytes into the memory of a parser instance and calls `read` with the instance. */
function withParser<T>(bytes: Uint8Array, read: (wasm: ParserExports) => T): T {
  const wasm = reused?.deref() ?? instantiate();
  try {
    const at = wasm.reserveInput(bytes.length);
    new Uint8Array(wasm.memory.buffer, at, bytes.length).set(bytes);
    return read(wasm);
  } finally {
    reused = wasm.memory.buffer.byteLength > MAX_REUSED_BYTES ? undefined : new WeakRef(wasm);
  }
}

/** Copies the values of a column out of the instance. @param column address of the column. */
function columnOf(wasm: ParserExports, column: number): Uint8Array {
  const { buffer } = wasm.memory;
  const [data = 0, used = 0] = new Uint32Array(buffer, column, 2);
  return new Uint8Array(buffer, data, used).slice();
}

const words = (bytes: Uint8Array): Uint32Array => new Uint32Array(bytes.buffer);
const numbers = (bytes: Uint8Array): Float64Array => new Float64Array(bytes.buffer);

/**
 * Copies the parsed transactions out of the instance.
 * @param indices offsets of global indices, for transactions outside of a page.
 */
function txsOf(
  wasm: ParserExports,
  bytes: Uint8Array,
  indices = words(columnOf(wasm, wasm.txIndices())),
): ParsedTxs {
  return new ParsedTxs({
    bytes,
    hashes: columnOf(wasm, wasm.txHashes()),
    starts: words(columnOf(wasm, wasm.txStarts())),
    ends: words(columnOf(wasm, wasm.txEnds())),
    proven: columnOf(wasm, wasm.txProven()),
    versions: columnOf(wasm, wasm.txVersions()),
    rewards: columnOf(wasm, wasm.txRewards()),
    firstOutputs: words(columnOf(wasm, wasm.firstOutputs())),
    outputs: columnOf(wasm, wasm.outputs()),
    outputIndices: words(columnOf(wasm, wasm.outputIndices())),
    viewTags: words(columnOf(wasm, wasm.viewTags())),
    firstKeys: words(columnOf(wasm, wasm.firstKeys())),
    mainKeys: words(columnOf(wasm, wasm.mainKeys())),
    keys: columnOf(wasm, wasm.keys()),
    contextOf: words(columnOf(wasm, wasm.contextOf())),
    contexts: columnOf(wasm, wasm.contexts()),
    indices,
    firstImages: words(columnOf(wasm, wasm.firstImages())),
    images: words(columnOf(wasm, wasm.images())),
  });
}

function blocksOf(wasm: ParserExports, txs: ParsedTxs): ParsedBlock[] {
  const hashes = chunks(columnOf(wasm, wasm.blockHashes()), 32) as Hash[];
  const times = numbers(columnOf(wasm, wasm.blockTimes()));
  const versions = numbers(columnOf(wasm, wasm.blockVersions()));
  const firstTxs = words(columnOf(wasm, wasm.blockTxs()));
  return hashes.map((hash, i) => ({
    hash,
    version: versions[i] ?? 0,
    timestamp: times[i] ?? 0,
    firstTx: firstTxs[i] ?? 0,
    endTx: firstTxs[i + 1] ?? txs.count,
  }));
}

/** Number of blocks that the instance takes as no limit. */
const ALL = 2 ** 32 - 1;

/**
 * Parses the blocks of an answer in the memory of the instance. Leaves out the first block that cannot be read, and all
 * later blocks.
 * @returns the block that cannot be read, if there is one.
 */
function parseReadable(
  wasm: ParserExports,
  length: number,
  { complete, newestFork }: PageRules,
): UnreadBlock | undefined {
  try {
    wasm.parseBlocks(complete, ALL);
    return undefined;
  } catch (cause) {
    if (!(cause instanceof CodecError)) throw cause;
    const versions = numbers(columnOf(wasm, wasm.blockVersions())).slice(
      Math.max(0, wasm.blocksParsed() - 1),
    );
    const version = versions[Math.min(1, wasm.blocksParsed())];
    // Blocks of unknown rules may link in another way.
    const isUnlinked = cause.message === UNLINKED_BLOCK && versions.every((known) => known <= newestFork);
    // Either of two blocks that do not link may be the altered one.
    const readable = Math.max(0, wasm.blocksParsed() - (isUnlinked ? 1 : 0));
    // The columns have values of the block that failed, so they are filled again without this block.
    wasm.reserveInput(length);
    wasm.readAnswer(length);
    wasm.parseBlocks(complete, readable);
    const isForged = isUnlinked || cause.message === ALTERED_TX;
    return { ...(version === undefined ? {} : { version }), cause, isForged, newestFork };
  }
}

/**
 * Parses an answer to `/getblocks.bin`. Checks that each block names its predecessor, that no transaction and no output
 * index is missing, and that the transactions have the hashes that their blocks list. The blocks of the result end
 * before the first block that fails a check.
 * @param answer bytes of the answer; the result shares this memory.
 * @throws CodecError for an answer in which no blocks can be located.
 */
export function parseBlocksAnswer(
  answer: Uint8Array,
  { complete = false, newestFork = NEWEST_FORK }: Partial<PageRules> = {},
): ParsedBlocksAnswer {
  return withParser(answer, (wasm) => {
    wasm.readAnswer(answer.length);
    const found = wasm.fieldsFound();
    if ((found & 4) === 0) throw new CodecError('status: expected a string');
    const status = utf8.decode(answer.subarray(wasm.statusStartsAt(), wasm.statusEndsAt()));
    const unread = status === 'OK' ? parseReadable(wasm, answer.length, { complete, newestFork }) : undefined;
    const txs = txsOf(wasm, answer);
    return {
      status,
      ...((found & 1) === 0 ? {} : { startHeight: wasm.startHeight() }),
      ...((found & 2) === 0 ? {} : { currentHeight: wasm.currentHeight() }),
      blocks: blocksOf(wasm, txs),
      ...(unread === undefined ? {} : { unread }),
      txs,
      bytes: answer.length,
    };
  });
}

/**
 * Parses transactions that are not part of a page of blocks, and compares them with their hashes. Accepts {@link
 * isUnverifiable} transactions unchecked.
 * @throws CodecError if a transaction cannot be read or differs from its hash.
 */
export function parseTxs(txs: readonly RawTx[]): ParsedTxs {
  const w = new Writer();
  const indices = new Uint32Array(txs.length);
  const places: [from: number, to: number, prunable: number, hash: number][] = [];
  txs.forEach(({ hash, blob, prunableHash, globalIndices = [] }, i) => {
    const hashAt = w.length;
    w.bytes(hash);
    const prunable = prunableHash === undefined ? 0 : w.length;
    if (prunableHash !== undefined) w.bytes(prunableHash);
    const start = w.length;
    w.bytes(blob);
    places.push([start, w.length, prunable, hashAt]);
    indices[i] = w.length;
    for (const index of globalIndices) u64Number.write(index, w);
  });
  const bytes = w.finish();
  return withParser(bytes, (wasm) => {
    for (const place of places) wasm.parseTx(...place);
    const parsed = txsOf(wasm, bytes, indices);
    if (txs.some(({ globalIndices }, i) => globalIndices && globalIndices.length !== parsed.outputCount(i)))
      throw new CodecError('a transaction lacks output indices');
    return parsed;
  });
}

/** Columns with one value for each transaction, except `images`. Positions are byte offsets in `bytes`. */
export interface TxColumns extends Candidates {
  readonly bytes: Uint8Array;
  /** Transaction hashes, 32 bytes each. */
  readonly hashes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** For each transaction, 1 if its bytes prove its hash, else 0. */
  readonly proven: Uint8Array;
  readonly versions: Uint8Array;
  readonly rewards: Uint8Array;
  /** Byte offset of the global indices of the transaction's outputs, 8 bytes each. */
  readonly indices: Uint32Array;
  /** Index in `images` of the transaction's first key image. */
  readonly firstImages: Uint32Array;
  /** Byte offsets of the key images of all transactions. */
  readonly images: Uint32Array;
}

/**
 * Parsed transactions as offsets into their encoding. Most transactions do not concern the wallet and are never built
 * as objects.
 */
export class ParsedTxs {
  readonly count: number;
  readonly #columns: TxColumns;
  readonly #view: DataView;

  constructor(columns: TxColumns) {
    this.count = columns.starts.length;
    this.#columns = columns;
    const { bytes } = columns;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Returns a copy of a transaction's hash. @param tx index of the transaction. */
  hash(tx: number): Hash {
    return this.#columns.hashes.slice(32 * tx, 32 * tx + 32) as Hash;
  }

  /**
   * Finds a transaction by its hash among those from one index up to another; undefined if it is not there.
   * @param end index after the last one.
   */
  find(hash: Hash, first: number, end: number): number | undefined {
    const { hashes } = this.#columns;
    for (let tx = first; tx < end; tx++)
      if (equalBytes(hashes.subarray(32 * tx, 32 * tx + 32), hash)) return tx;
    return undefined;
  }

  /** Returns the encoding of a transaction as a view of shared memory. @param tx index of the transaction. */
  blob(tx: number): Uint8Array {
    const { bytes, starts, ends } = this.#columns;
    return bytes.subarray(starts[tx], ends[tx]);
  }

  /**
   * Returns true if the hash of a transaction was computed from its bytes; false for a pruned transaction that came
   * without the hash of its prunable part, whose hash is only the one that its block lists.
   */
  isProven(tx: number): boolean {
    return this.#columns.proven[tx] === 1;
  }

  version(tx: number): 1 | 2 {
    return this.#columns.versions[tx] === 1 ? 1 : 2;
  }

  isCoinbase(tx: number): boolean {
    return this.#columns.rewards[tx] === 1;
  }

  outputCount(tx: number): number {
    return this.#outputsBefore(tx + 1) - this.#outputsBefore(tx);
  }

  /**
   * Returns the global index of an output among all outputs of its amount.
   * @param output index of the output in its transaction.
   */
  globalIndex(tx: number, output: number): number {
    if (output >= this.outputCount(tx)) throw new RangeError('no output has this index');
    const at = (this.#columns.indices[tx] ?? 0) + 8 * output;
    return this.#view.getUint32(at, true) + this.#view.getUint32(at + 4, true) * 2 ** 32;
  }

  get candidates(): Candidates {
    return this.#columns;
  }

  /** Returns the number of transaction public keys of all transactions before `tx`. */
  keysBefore(tx: number): number {
    return keysBefore(this.#columns, tx);
  }

  /** Calls `visit` for each key image of a transaction, with the bytes that contain it and its offset in them. */
  eachKeyImage(tx: number, visit: (bytes: Uint8Array, offset: number) => void): void {
    const { bytes, firstImages, images } = this.#columns;
    const end = firstImages[tx + 1] ?? images.length;
    for (let i = firstImages[tx] ?? end; i < end; i++) visit(bytes, images[i] ?? 0);
  }

  #outputsBefore(tx: number): number {
    const { firstOutputs, outputIndices } = this.#columns;
    return firstOutputs[tx] ?? outputIndices.length;
  }
}
