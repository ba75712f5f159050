import { keccak } from '../crypto/keccak.js';
import type { Hash } from '../crypto/types.js';
import {
  CodecError,
  decode,
  encode,
  list,
  Reader,
  role,
  u32,
  varintNumber,
  type Codec,
} from '../util/codec.js';
import { transaction, transactionHash, unsignedHash } from './transaction.js';
import { outlineTx, type TxOutline } from './tx-outline.js';
import { treeHash } from './tree-hash.js';
import type { Block, BlockHeader } from './types.js';
import { bytes32, chunks, concatBytes, equalBytes, fromHex } from '../util/bytes.js';

const hash = role<Hash>(32);

/** Source: cryptonote_basic.h `block_header`. */
export const blockHeader: Codec<BlockHeader> = {
  write(header, w) {
    varintNumber.write(header.majorVersion, w);
    varintNumber.write(header.minorVersion, w);
    varintNumber.write(header.timestamp, w);
    hash.write(header.prevHash, w);
    u32.write(header.nonce, w);
  },
  read: (r) => ({
    majorVersion: varintNumber.read(r),
    minorVersion: varintNumber.read(r),
    timestamp: varintNumber.read(r),
    prevHash: hash.read(r),
    nonce: u32.read(r),
  }),
};

/** Source: cryptonote_basic.h `block`. */
export const block: Codec<Block> = {
  write(value, w) {
    blockHeader.write(value.header, w);
    transaction.write(value.minerTx, w);
    list(hash).write(value.txHashes, w);
  },
  read: (r) => ({ header: blockHeader.read(r), minerTx: transaction.read(r), txHashes: list(hash).read(r) }),
};

/** @throws CodecError, RangeError */
export const parseBlock = (bytes: Uint8Array): Block => decode(block, bytes);

/** What proof of work is done over: header, root of the transaction hashes, their number. */
export const blockHashingBlob = ({ header, minerTx, txHashes }: Block): Uint8Array =>
  hashingBlob(encode(blockHeader, header), [transactionHash(minerTx), ...txHashes]);

/** @param header encoded. @param hashes of the transactions, the miner's first. */
const hashingBlob = (header: Uint8Array, hashes: readonly Hash[]): Uint8Array =>
  concatBytes(header, treeHash(hashes), encode(varintNumber, hashes.length));

/** A block of mainnet whose name does not follow from its content: a flaw of the tree hash at the time. */
const ODD_BLOCK = {
  computed: fromHex('426d16cff04c71f8b16340b722dc4010a2dd3831c22041431f772547ba6e331a'),
  name: bytes32<'Hash'>(fromHex('bbd604d2ba11ba27935e006ed39c9bfdd99b76bf4a50654bc1e1e61217962698'), 'Hash'),
};

/** The name of a block. Source: cryptonote_format_utils.cpp `calculate_block_hash`. */
export const blockHash = (value: Block): Hash => nameOf(blockHashingBlob(value));

function nameOf(blob: Uint8Array): Hash {
  const computed = keccak(encode(varintNumber, blob.length), blob);
  return equalBytes(computed, ODD_BLOCK.computed) ? ODD_BLOCK.name : computed;
}

/** A block as a scan needs it: its transactions named and left as they are on the wire. */
export interface BlockOutline {
  readonly hash: Hash;
  readonly header: BlockHeader;
  /** In the blob, without a signature. */
  readonly minerTx: { readonly hash: Hash; readonly blob: Uint8Array; readonly outline: TxOutline };
  /** They share memory with the blob. */
  readonly txHashes: readonly Hash[];
}

/**
 * Reads a block without building its transactions.
 * @throws CodecError where {@link parseBlock} does, and for a miner transaction that is no reward.
 */
export function outlineBlock(bytes: Uint8Array): BlockOutline {
  const r = new Reader(bytes);
  const header = blockHeader.read(r);
  const headerBytes = r.since(0);
  const behind = bytes.subarray(r.offset);
  // Places in its own encoding, not in the block's.
  const inner = new Reader(behind);
  const outline = outlineTx(inner);
  if (!outline.coinbase) throw new CodecError('a block without a miner transaction');
  const prefix = inner.since(0);
  if (outline.version === 2 && inner.byte() !== 0) throw new CodecError('a signed miner transaction');
  const blob = inner.since(0);
  r.skip(blob.length);
  const minerHash = outline.version === 1 ? keccak(blob) : unsignedHash(prefix);
  const count = varintNumber.read(r);
  const txHashes = chunks(r.view(32 * count), 32) as Hash[];
  r.end();
  return {
    hash: nameOf(hashingBlob(headerBytes, [minerHash, ...txHashes])),
    header,
    minerTx: { hash: minerHash, blob, outline },
    txHashes,
  };
}
