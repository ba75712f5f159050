import { writeStorage, type Scalar, type TypedSection } from '../../../src/monero/epee/storage-writer.js';

/** Block as daemons send it: blob, payments, and output indices by transaction. */
export interface SentBlock {
  readonly block: Uint8Array;
  readonly txs: readonly Uint8Array[];
  /** Hashes of the prunable parts of pruned payments; absent: zeros, as daemons of version 0.18 send. */
  readonly prunableHashes?: readonly Uint8Array[];
  readonly outputIndices: readonly (readonly number[])[];
}

export interface SentBlocks {
  readonly startHeight: number;
  readonly currentHeight: number;
  readonly blocks: readonly SentBlock[];
}

interface AnswerOptions {
  readonly pruned?: boolean;
  readonly status?: string;
  readonly other?: TypedSection;
}

const bytes = (value: Uint8Array): Scalar => ({ type: 'string', value });
const u64 = (value: number): Scalar => ({ type: 'u64', value: BigInt(value) });
const object = (value: TypedSection): Scalar => ({ type: 'object', value });

/** Omits empty lists, as upstream does. */
const some = <T>(name: string, items: readonly T[], entry: (item: T, i: number) => Scalar): TypedSection =>
  items.length === 0 ? {} : { [name]: { type: 'list', items: items.map(entry) } };

/**
 * Answer to `/getblocks.bin`. @param pruned true: transactions are pruned and carry the hash of the removed part.
 * @param other further fields.
 */
export const blocksAnswer = (
  { startHeight, currentHeight, blocks }: SentBlocks,
  { pruned = false, status = 'OK', other = {} }: AnswerOptions = {},
): Uint8Array =>
  writeStorage({
    ...some('blocks', blocks, ({ block, txs, prunableHashes = [] }) =>
      object({
        block: bytes(block),
        pruned: { type: 'bool', value: pruned },
        ...some('txs', txs, (blob, i) =>
          pruned
            ? object({ blob: bytes(blob), prunable_hash: bytes(prunableHashes[i] ?? new Uint8Array(32)) })
            : bytes(blob),
        ),
      }),
    ),
    current_height: u64(currentHeight),
    ...some('output_indices', blocks, ({ outputIndices }) =>
      object(some('indices', outputIndices, (places) => object(some('indices', places, u64)))),
    ),
    start_height: u64(startHeight),
    status: bytes(Buffer.from(status)),
    untrusted: { type: 'bool', value: false },
    ...other,
  });
