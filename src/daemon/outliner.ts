import { readFileSync } from 'node:fs';
import type { Hash } from '../crypto/types.js';
import { chunks } from '../util/bytes.js';
import { CodecError, Writer, u64Number } from '../util/codec.js';
import { TxOutlines } from './tx-outlines.js';

/** What the assembly exports. Source of the contracts: assembly/outliner.ts. */
interface OutlinerExports {
  readonly memory: WebAssembly.Memory;
  roomFor(length: number): number;
  walk(length: number): void;
  foundInAnswer(): number;
  startHeight(): number;
  currentHeight(): number;
  statusStartsAt(): number;
  statusEndsAt(): number;
  outlineBlocks(): void;
  outlineTx(from: number, to: number): void;
  blockHashes(): number;
  blockTimes(): number;
  blockVersions(): number;
  blockTxs(): number;
  txHashes(): number;
  txStarts(): number;
  txEnds(): number;
  txIndices(): number;
  txVersions(): number;
  txRewards(): number;
  firstOutputs(): number;
  outputs(): number;
  outputIndices(): number;
  viewTags(): number;
  firstKeys(): number;
  mainKeys(): number;
  keys(): number;
  firstImages(): number;
  images(): number;
}

/** A block of a page. */
export interface BlockOutline {
  readonly hash: Hash;
  readonly version: number;
  /** Unix seconds. */
  readonly timestamp: number;
  /** Its first transaction among the page's, the miner's, and the one behind its last. */
  readonly firstTx: number;
  readonly endTx: number;
}

/** A daemon's answer to `/getblocks.bin`. */
export interface OutlinedAnswer {
  readonly status: string;
  /** Absent where the answer lacks them. */
  readonly startHeight?: number;
  readonly currentHeight?: number;
  /** They chain up; none unless the status is OK. */
  readonly blocks: readonly BlockOutline[];
  readonly txs: TxOutlines;
  /** Size of the answer. */
  readonly bytes: number;
}

/** A transaction that came alone. */
export interface NamedTx {
  readonly hash: Hash;
  readonly blob: Uint8Array;
  /** One an output: its place among all outputs of its amount. Absent where it is not mined. */
  readonly globalIndices?: readonly number[];
}

/** Memory above which an instance is not kept for the next page. */
const MOST_KEPT_BYTES = 32 << 20;

const module = new WebAssembly.Module(readFileSync(new URL('./outliner.wasm', import.meta.url)));
let kept: OutlinerExports | undefined;

function instantiate(): OutlinerExports {
  // Where an input does not follow its format, the assembly throws what it says of it.
  const abort = (message = 0): never => {
    const { buffer } = exports.memory;
    const [length = 0] = new Uint32Array(buffer, message - 4, 1);
    throw new CodecError(Buffer.from(buffer, message, length).toString('utf16le'));
  };
  const instance = new WebAssembly.Instance(module, { env: { abort } });
  const exports = instance.exports as unknown as OutlinerExports;
  return exports;
}

/** Puts bytes before the assembly, and keeps what is read of them. */
function outlining<T>(bytes: Uint8Array, read: (wasm: OutlinerExports) => T): T {
  const wasm = (kept ??= instantiate());
  try {
    const at = wasm.roomFor(bytes.length);
    new Uint8Array(wasm.memory.buffer, at, bytes.length).set(bytes);
    return read(wasm);
  } finally {
    if (wasm.memory.buffer.byteLength > MOST_KEPT_BYTES) kept = undefined;
  }
}

/** A copy of a column. @param column its address. */
function columnOf(wasm: OutlinerExports, column: number): Uint8Array {
  const { buffer } = wasm.memory;
  const [data = 0, used = 0] = new Uint32Array(buffer, column, 2);
  return new Uint8Array(buffer, data, used).slice();
}

const shorts = (bytes: Uint8Array): Uint16Array => new Uint16Array(bytes.buffer);
const words = (bytes: Uint8Array): Uint32Array => new Uint32Array(bytes.buffer);
const numbers = (bytes: Uint8Array): Float64Array => new Float64Array(bytes.buffer);

/** @param own what the assembly was not told. */
function txsOf(
  wasm: OutlinerExports,
  bytes: Uint8Array,
  own?: { readonly hashes: Uint8Array; readonly indices: Uint32Array },
): TxOutlines {
  return new TxOutlines({
    bytes,
    hashes: own?.hashes ?? columnOf(wasm, wasm.txHashes()),
    starts: words(columnOf(wasm, wasm.txStarts())),
    ends: words(columnOf(wasm, wasm.txEnds())),
    versions: columnOf(wasm, wasm.txVersions()),
    rewards: columnOf(wasm, wasm.txRewards()),
    firstOutputs: words(columnOf(wasm, wasm.firstOutputs())),
    outputs: columnOf(wasm, wasm.outputs()),
    outputIndices: words(columnOf(wasm, wasm.outputIndices())),
    viewTags: shorts(columnOf(wasm, wasm.viewTags())),
    firstKeys: words(columnOf(wasm, wasm.firstKeys())),
    mainKeys: words(columnOf(wasm, wasm.mainKeys())),
    keys: columnOf(wasm, wasm.keys()),
    indices: own?.indices ?? words(columnOf(wasm, wasm.txIndices())),
    firstImages: words(columnOf(wasm, wasm.firstImages())),
    images: words(columnOf(wasm, wasm.images())),
  });
}

function blocksOf(wasm: OutlinerExports, txs: TxOutlines): BlockOutline[] {
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

/**
 * Looks through an answer and holds it together: hashes chain up, counts fit, indices are there.
 * @param answer which the outlines share memory with. @throws CodecError when they do not.
 */
export function outlineAnswer(answer: Uint8Array): OutlinedAnswer {
  return outlining(answer, (wasm) => {
    wasm.walk(answer.length);
    const found = wasm.foundInAnswer();
    if ((found & 4) === 0) throw new CodecError('status: expected a string');
    const status = Buffer.from(answer.subarray(wasm.statusStartsAt(), wasm.statusEndsAt())).toString('utf8');
    if (status === 'OK') wasm.outlineBlocks();
    const txs = txsOf(wasm, answer);
    return {
      status,
      ...((found & 1) === 0 ? {} : { startHeight: wasm.startHeight() }),
      ...((found & 2) === 0 ? {} : { currentHeight: wasm.currentHeight() }),
      blocks: blocksOf(wasm, txs),
      txs,
      bytes: answer.length,
    };
  });
}

/** Outlines transactions that came alone. @throws CodecError for one that cannot be read. */
export function outlineTxs(txs: readonly NamedTx[]): TxOutlines {
  const w = new Writer();
  const hashes = new Uint8Array(32 * txs.length);
  const indices = new Uint32Array(txs.length);
  const places: [number, number][] = [];
  txs.forEach(({ hash, blob, globalIndices = [] }, i) => {
    hashes.set(hash, 32 * i);
    const start = w.length;
    w.bytes(blob);
    places.push([start, w.length]);
    indices[i] = w.length;
    for (const index of globalIndices) u64Number.write(index, w);
  });
  const bytes = w.finish();
  return outlining(bytes, (wasm) => {
    for (const place of places) wasm.outlineTx(...place);
    const outlines = txsOf(wasm, bytes, { hashes, indices });
    if (txs.some(({ globalIndices }, i) => globalIndices && globalIndices.length !== outlines.outputCount(i)))
      throw new CodecError('a transaction lacks output indices');
    return outlines;
  });
}
