import { size } from '../../../monero/epee/portable-storage.js';
import { fieldHead, writeString, type WrittenSections } from '../../../monero/epee/storage-writer.js';
import { u64Number, Writer } from '../../../util/codec.js';
import type { ServedBlock } from '../../store/served-blocks.js';

/**
 * Storage types and names of an answer's fields. Source: core_rpc_server_commands_defs.h `COMMAND_RPC_GET_BLOCKS_FAST`;
 * cryptonote_protocol_defs.h `block_complete_entry`.
 */
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

/** Consecutive sections of portable storage in one byte string. */
export class EncodedSections {
  readonly bytes: Uint8Array;
  /** End of each section [bytes]. */
  readonly #ends: readonly number[];

  /** @param write writes the section of one block. */
  constructor(items: readonly ServedBlock[], write: (item: ServedBlock, w: Writer) => void) {
    const w = new Writer();
    this.#ends = items.map((item) => {
      write(item, w);
      return w.length;
    });
    // The bytes are copied without the writer's unused memory, because they may be kept for long.
    this.bytes = w.finish();
  }

  /** Returns the sections from `from` to the section before `to`, as a view of shared memory. */
  part(from: number, to: number): Uint8Array {
    return this.bytes.subarray(this.#ends[from - 1] ?? 0, this.#ends[to - 1] ?? 0);
  }
}

/** Joins encoded sections into a list. @param count number of sections in all parts. */
export const joinedSections = (count: number, parts: readonly Uint8Array[]): WrittenSections => ({
  type: 'written',
  count,
  room: parts.reduce((sum, part) => sum + part.length, 0),
  write(w) {
    for (const part of parts) w.bytes(part);
  },
});

/**
 * Encodes blocks with their payments.
 * @param prune true: payments have no signatures and proofs, but the hash of the removed part.
 */
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

/** Encodes the global output indices of blocks. @param noMinerTx true: the lists of miner transactions are empty. */
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
