import { keccak } from '../crypto/keccak.js';
import type { Hash, KeyImage, PublicKey } from '../crypto/types.js';
import { rctBase, rctPrunable, rctPrunableSize } from '../ringct/codec.js';
import { amount } from '../../util/amount.js';
import {
  blob,
  CodecError,
  decode,
  encode,
  list,
  raw,
  repeat,
  role,
  sizeOf,
  varint,
  varintNumber,
  type Codec,
} from '../../util/codec.js';
import { ANCHOR_BYTES, CARROT_OUTPUT, CARROT_TAG_BYTES, RCT_FCMP } from '../fork-rules.js';
import { GEN_INPUT, KEY_INPUT, KEY_OUTPUT, RCT_NONE, TAGGED_KEY_OUTPUT } from '../format.js';
import { fcmpWeight } from './fcmp-weight.js';
import type { CarrotFields, Transaction, TxInput, TxOutput, TxPrefix } from './types.js';

const keyOffsets = list(varint);
const keyImage = role<KeyImage>(32);
const publicKey = role<PublicKey>(32);
const signature = raw(64);
const carrotTag = raw(CARROT_TAG_BYTES);
const anchor = raw(ANCHOR_BYTES);
const NULL_HASH = new Uint8Array(32) as Hash;

const input: Codec<TxInput> = {
  write(value, w) {
    if (value.type === 'gen') {
      w.byte(GEN_INPUT);
      return varintNumber.write(value.height, w);
    }
    w.byte(KEY_INPUT);
    varint.write(value.amount, w);
    keyOffsets.write(value.keyOffsets, w);
    return keyImage.write(value.keyImage, w);
  },
  read(r) {
    switch (r.byte()) {
      case GEN_INPUT:
        return { type: 'gen', height: varintNumber.read(r) };
      case KEY_INPUT:
        return {
          type: 'key',
          amount: amount(varint.read(r)),
          keyOffsets: keyOffsets.read(r),
          keyImage: keyImage.read(r),
        };
      default:
        throw new CodecError('unknown input type');
    }
  },
};

const carrotFields: Codec<CarrotFields> = {
  write(fields, w) {
    carrotTag.write(fields.viewTag, w);
    anchor.write(fields.encryptedAnchor, w);
  },
  read: (r) => ({ viewTag: carrotTag.read(r), encryptedAnchor: anchor.read(r) }),
};

const output: Codec<TxOutput> = {
  write({ amount: value, publicKey: key, viewTag, carrot }, w) {
    varint.write(value, w);
    if (carrot !== undefined) w.byte(CARROT_OUTPUT);
    else w.byte(viewTag === undefined ? KEY_OUTPUT : TAGGED_KEY_OUTPUT);
    publicKey.write(key, w);
    if (carrot !== undefined) carrotFields.write(carrot, w);
    else if (viewTag !== undefined) w.byte(viewTag);
  },
  read(r) {
    const value = amount(varint.read(r));
    switch (r.byte()) {
      case KEY_OUTPUT:
        return { amount: value, publicKey: publicKey.read(r) };
      case TAGGED_KEY_OUTPUT:
        return { amount: value, publicKey: publicKey.read(r), viewTag: r.byte() };
      case CARROT_OUTPUT:
        return { amount: value, publicKey: publicKey.read(r), carrot: carrotFields.read(r) };
      default:
        throw new CodecError('unknown output type');
    }
  },
};

/** Codec of a transaction prefix. Source: cryptonote_basic.h `transaction_prefix`. */
export const txPrefix: Codec<TxPrefix> = {
  write(prefix, w) {
    varintNumber.write(prefix.version, w);
    varint.write(prefix.unlockTime, w);
    list(input).write(prefix.inputs, w);
    list(output).write(prefix.outputs, w);
    blob.write(prefix.extra, w);
  },
  read(r) {
    const version = varintNumber.read(r);
    if (version !== 1 && version !== 2) throw new CodecError('unknown transaction version');
    return {
      version,
      unlockTime: varint.read(r),
      inputs: list(input).read(r),
      outputs: list(output).read(r),
      extra: blob.read(r),
    };
  },
};

const ringSizeOf = (value: TxInput | undefined): number =>
  value?.type === 'key' ? value.keyOffsets.length : 0;

const baseCodec = ({ inputs, outputs }: TxPrefix) => rctBase(inputs.length, outputs.length);

const prunableCodec = ({ prefix, rct }: Transaction) =>
  rctPrunable(
    rct?.base.type ?? 0,
    prefix.inputs.length,
    prefix.outputs.length,
    Math.max(1, ringSizeOf(prefix.inputs[0])),
  );

const transactionCodec = (pruned: boolean): Codec<Transaction> => ({
  write(tx, w) {
    txPrefix.write(tx.prefix, w);
    if (tx.prefix.version === 1) {
      if (!pruned)
        tx.prefix.inputs.forEach((of, i) =>
          repeat(ringSizeOf(of), signature).write(tx.signatures?.[i] ?? [], w),
        );
      return;
    }
    if (tx.rct === undefined) throw new RangeError('version 2 without a RingCT signature');
    baseCodec(tx.prefix).write(tx.rct.base, w);
    if (pruned || tx.rct.base.type === RCT_NONE) return;
    if (tx.rct.prunable === undefined) throw new RangeError('the prunable part is missing');
    prunableCodec(tx).write(tx.rct.prunable, w);
  },
  read(r) {
    const prefix = txPrefix.read(r);
    if (prefix.version === 1) {
      if (pruned) return { prefix, signatures: [] };
      return { prefix, signatures: prefix.inputs.map((of) => repeat(ringSizeOf(of), signature).read(r)) };
    }
    // The reference writes no RingCT data for a version 2 transaction without inputs.
    if (prefix.inputs.length === 0) throw new CodecError('a transaction without inputs');
    const base = baseCodec(prefix).read(r);
    if (pruned || base.type === RCT_NONE) return { prefix, rct: { base } };
    return { prefix, rct: { base, prunable: prunableCodec({ prefix, rct: { base } }).read(r) } };
  },
});

/** Codec of a full transaction. Source: cryptonote_basic.h `transaction`. */
export const transaction = transactionCodec(false);

/** Codec of a transaction without signatures and proofs, as daemons send it in pruned blocks. */
export const prunedTransaction = transactionCodec(true);

/**
 * Parses a full transaction. @throws CodecError, RangeError for bytes that are not a transaction.
 * @example
 * parseTransaction(txs[1].blob).prefix.outputs.length; // => 2
 */
export const parseTransaction = (bytes: Uint8Array): Transaction => decode(transaction, bytes);

/**
 * Parses a pruned transaction. @throws CodecError, RangeError for bytes that are not a pruned transaction.
 * @example
 * try {
 *   parsePrunedTransaction(txs[0].blob);
 * } catch (error) {
 *   error instanceof CodecError; // => true
 * }
 */
export const parsePrunedTransaction = (bytes: Uint8Array): Transaction => decode(prunedTransaction, bytes);

/**
 * Hash of a prefix: the message of the ring signatures of version 1, and a part of the hash of version 2.
 * @example
 * toHex(prefixHash(tx.prefix)).slice(0, 8); // => '4f992b1b'
 */
export const prefixHash = (prefix: TxPrefix): Hash => keccak(encode(txPrefix, prefix));

/**
 * Computes the hash of the prunable part; zeros for RingCT type 0, which has no such part.
 * @throws RangeError for a pruned transaction, or a transaction of version 1.
 * @example
 * equalBytes(transactionHashWith(tx, prunableHash(tx)), transactionHash(tx)); // => true
 */
export function prunableHash(tx: Transaction): Hash {
  if (tx.rct?.base.type === RCT_NONE) return NULL_HASH;
  if (tx.rct?.prunable === undefined) throw new RangeError('the prunable part is missing');
  return keccak(encode(prunableCodec(tx), tx.rct.prunable));
}

/**
 * Computes the hash of a version 2 transaction, full or pruned, from the hash of its prunable part. Source:
 * cryptonote_format_utils.cpp `calculate_transaction_hash`.
 * @example
 * equalBytes(transactionHashWith(tx, prunableHash(tx)), txs[1].hash); // => true
 */
export function transactionHashWith(tx: Transaction, hashOfPrunable: Hash): Hash {
  if (tx.rct === undefined) throw new RangeError('only version 2 hashes in parts');
  return keccak(prefixHash(tx.prefix), keccak(encode(baseCodec(tx.prefix), tx.rct.base)), hashOfPrunable);
}

/**
 * Computes the hash of a full transaction. @throws RangeError for a pruned transaction that has a prunable part.
 * @example
 * equalBytes(transactionHash(tx), txs[1].hash); // => true
 */
export const transactionHash = (tx: Transaction): Hash =>
  tx.prefix.version === 1 ? keccak(encode(transaction, tx)) : transactionHashWith(tx, prunableHash(tx));

/**
 * True for the miner transaction of a block.
 * @example
 * isCoinbase(block.minerTx); // => true
 * isCoinbase(tx); // => false
 */
export const isCoinbase = (tx: Transaction): boolean =>
  tx.prefix.inputs.length === 1 && tx.prefix.inputs[0]?.type === 'gen';

/**
 * Returns the weight that is added to the size of a transaction with an aggregated range proof. The added weight takes
 * back a part of the size that aggregation saves, so that the weight follows the time of verification.
 * @param paddedOutputs number of outputs, rounded up to a power of two. Source: cryptonote_format_utils.cpp
 * `get_transaction_weight_clawback`.
 */
export function weightClawback(plus: boolean, paddedOutputs: number): number {
  if (paddedOutputs <= 2) return 0;
  const fixed = plus ? 6 : 9;
  const ofTwo = 32 * (fixed + 7 * 2);
  const actual = 32 * (fixed + 2 * (6 + Math.log2(paddedOutputs)));
  return Math.floor(((Math.floor(ofTwo / 2) * paddedOutputs - actual) * 4) / 5);
}

/**
 * Computes the size of the full encoding of a pruned transaction [bytes]; the size of the missing signatures and proofs
 * follows from the other fields. For RingCT type 7 this is an estimate, see {@link rctPrunableSize}.
 * @param prunedSize size of the pruned encoding [bytes].
 */
export function unprunedSize({ prefix: { inputs, outputs }, rct }: Transaction, prunedSize: number): number {
  const leftOut =
    rct === undefined
      ? 64 * inputs.reduce((members, input) => members + ringSizeOf(input), 0)
      : rctPrunableSize(rct.base.type, inputs.length, outputs.length, Math.max(1, ringSizeOf(inputs[0])));
  return prunedSize + leftOut;
}

/**
 * Computes the weight of a transaction, from which its fee follows. That of RingCT type 7 is a {@link fcmpWeight}. Source:
 * cryptonote_format_utils.cpp `get_transaction_weight`.
 * @example
 * transactionWeight(tx); // => 2166
 */
export function transactionWeight(tx: Transaction): number {
  const type = tx.rct?.base.type ?? 0;
  const { inputs, outputs, extra } = tx.prefix;
  if (type === RCT_FCMP) return fcmpWeight(inputs.length, outputs.length, extra.length);
  const size = sizeOf(transaction, tx);
  if (type < 3) return size;
  const proofs = (type === 6 ? tx.rct?.prunable?.bulletproofsPlus : tx.rct?.prunable?.bulletproofs) ?? [];
  return (
    size +
    weightClawback(
      type === 6,
      proofs.reduce((total, { L }) => total + 2 ** (L.length - 6), 0),
    )
  );
}

/**
 * Returns the absolute global indices of the members of a ring, ascending.
 * @param keyOffsets offsets, each relative to the preceding member.
 * @example
 * ringIndices([5n, 1n, 3n]); // => [5n, 6n, 9n]
 */
export function ringIndices(keyOffsets: readonly bigint[]): bigint[] {
  let index = 0n;
  return keyOffsets.map((offset) => (index += offset));
}
