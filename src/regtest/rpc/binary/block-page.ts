import { size } from '../../../epee/storage-format.js';
import { fieldHead, writeString, type WrittenSections } from '../../../epee/storage-writer.js';
import { u64Number, type Writer } from '../../../util/codec.js';
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

/** Upper bounds of the encoding overhead of a block and of a payment, including the prunable hash [bytes]. */
const AROUND_BLOCK = 40;
const AROUND_PAYMENT = 80;

/** Encodes blocks. @param prune payments lack signatures and proofs, and carry their prunable hash. */
export function writtenBlocks(blocks: readonly ServedBlock[], prune: boolean): WrittenSections {
  let room = 0;
  for (const { blob, payments } of blocks) {
    room += blob.length + AROUND_BLOCK;
    for (const payment of payments) room += payment.blob.length + AROUND_PAYMENT;
  }
  return {
    type: 'written',
    count: blocks.length,
    room,
    write(w) {
      for (const block of blocks) writeBlock(block, prune, w);
    },
  };
}

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

/** Upper bound of the encoding overhead of a transaction's output indices [bytes]. */
const AROUND_INDICES = 16;

/** Encodes the output indices of blocks. @param noMinerTx leaves those of the miner transaction empty. */
export function writtenIndices(blocks: readonly ServedBlock[], noMinerTx: boolean): WrittenSections {
  let room = 0;
  for (const { outputIndices } of blocks) {
    room += AROUND_INDICES;
    for (const indices of outputIndices) room += AROUND_INDICES + 8 * indices.length;
  }
  return {
    type: 'written',
    count: blocks.length,
    room,
    write(w) {
      for (const block of blocks) writeIndices(block, noMinerTx, w);
    },
  };
}

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
