import { size } from '../../../monero/epee/storage-format.js';
import { fieldHead, writeString, type WrittenSections } from '../../../monero/epee/storage-writer.js';
import { u64Number, Writer } from '../../../util/codec.js';
import type { ServedBlock } from '../../store/served-blocks.js';

/** Source: core_rpc_server_commands_defs.h `COMMAND_RPC_GET_BLOCKS_FAST`; cryptonote_protocol_defs.h `block_complete_entry`. */
const HEAD = {
  block: fieldHead('block', 'string'),
  pruned: fieldHead('pruned', 'bool'),
  wholeTxs: fieldHead('txs', 'string', 'list'),
  prunedTxs: fieldHead('txs', 'object', 'list'),
  blob: fieldHead('blob', 'string'),
  prunableHash: fieldHead('prunable_hash', 'string'),
  txs: fieldHead('indices', 'object', 'list'),
  indices: fieldHead('indices', 'u64', 'list'),
} as const;

/** Sections of portable storage, one after the other. */
export class EncodedSections {
  readonly bytes: Uint8Array;
  /** Offset behind each section. */
  readonly #ends: readonly number[];

  /** @param write writes the section of an item. */
  constructor(items: readonly ServedBlock[], write: (item: ServedBlock, w: Writer) => void) {
    const w = new Writer();
    this.#ends = items.map((item) => {
      write(item, w);
      return w.length;
    });
    // A copy without the writer's spare room: it may be kept.
    this.bytes = w.finish();
  }

  /** The sections from one to another, exclusive; their memory is shared. */
  part(from: number, to: number): Uint8Array {
    return this.bytes.subarray(this.#ends[from - 1] ?? 0, this.#ends[to - 1] ?? 0);
  }
}

/** Joins encoded sections to a list. @param count number of sections. */
export const joinedSections = (count: number, parts: readonly Uint8Array[]): WrittenSections => ({
  type: 'written',
  count,
  room: parts.reduce((sum, part) => sum + part.length, 0),
  write(w) {
    for (const part of parts) w.bytes(part);
  },
});

/** Encodes blocks. @param prune payments lack signatures and proofs, and carry their prunable hash. */
export const encodeBlocks = (blocks: readonly ServedBlock[], prune: boolean): EncodedSections =>
  new EncodedSections(blocks, (block, w) => writeBlock(block, prune, w));

function writeBlock({ blob, payments }: ServedBlock, prune: boolean, w: Writer): void {
  size.write(1 + (prune ? 1 : 0) + (payments.length > 0 ? 1 : 0), w);
  w.bytes(HEAD.block);
  writeString(w, blob);
  if (prune) {
    w.bytes(HEAD.pruned);
    w.byte(1);
  }
  if (payments.length === 0) return;
  w.bytes(prune ? HEAD.prunedTxs : HEAD.wholeTxs);
  size.write(payments.length, w);
  for (const payment of payments) {
    if (payment.prunableHash === undefined) {
      writeString(w, payment.blob);
      continue;
    }
    size.write(2, w);
    w.bytes(HEAD.blob);
    writeString(w, payment.blob);
    w.bytes(HEAD.prunableHash);
    writeString(w, payment.prunableHash);
  }
}

/** Encodes the output indices of blocks. @param noMinerTx leaves those of the miner transaction empty. */
export const encodeIndices = (blocks: readonly ServedBlock[], noMinerTx: boolean): EncodedSections =>
  new EncodedSections(blocks, (block, w) => writeIndices(block, noMinerTx, w));

function writeIndices({ outputIndices }: ServedBlock, noMinerTx: boolean, w: Writer): void {
  size.write(1, w);
  w.bytes(HEAD.txs);
  size.write(outputIndices.length, w);
  for (const [i, indices] of outputIndices.entries()) {
    if (noMinerTx && i === 0) {
      size.write(0, w);
      continue;
    }
    size.write(1, w);
    w.bytes(HEAD.indices);
    size.write(indices.length, w);
    for (const index of indices) u64Number.write(index, w);
  }
}
