import type { Hash, SecretKey } from '../crypto/types.js';
import { amount } from '../util/amount.js';
import { utf8 } from '../util/bytes.js';
import { blob, CodecError, list, raw, role, varint, varintNumber, type Codec } from '../util/codec.js';
import type { Destination } from './records.js';

/** A signed transaction with all that its wallet records when it is relayed. */
export interface TxMetadata {
  readonly blob: Uint8Array;
  readonly account: number;
  readonly fromIndices: readonly number[];
  readonly inputs: readonly { readonly txHash: Hash; readonly outputIndex: number }[];
  readonly amountIn: bigint;
  readonly fee: bigint;
  readonly change: bigint;
  readonly unlockTime: bigint;
  /** 8 bytes, or none. */
  readonly paymentId: Uint8Array;
  readonly destinations: readonly Destination[];
  /** The transaction's, then the additional ones. */
  readonly txSecretKeys: readonly SecretKey[];
}

/** Names the format and its version. */
const MAGIC = utf8('wallet-rpc tx 1\n');

const text: Codec<string> = {
  write: (value, w) => blob.write(utf8(value), w),
  read: (r) => new TextDecoder().decode(blob.read(r)),
};

const destination: Codec<Destination> = {
  write(value, w) {
    varint.write(value.amount, w);
    text.write(value.address, w);
  },
  read: (r) => ({ amount: amount(varint.read(r)), address: text.read(r) }),
};

const input: Codec<TxMetadata['inputs'][number]> = {
  write(value, w) {
    role<Hash>(32).write(value.txHash, w);
    varintNumber.write(value.outputIndex, w);
  },
  read: (r) => ({ txHash: role<Hash>(32).read(r), outputIndex: varintNumber.read(r) }),
};

/** What `relay_tx` takes, made by `transfer` with `get_tx_metadata`. */
export const txMetadata: Codec<TxMetadata> = {
  write(value, w) {
    w.bytes(MAGIC);
    blob.write(value.blob, w);
    varintNumber.write(value.account, w);
    list(varintNumber).write(value.fromIndices, w);
    list(input).write(value.inputs, w);
    varint.write(value.amountIn, w);
    varint.write(value.fee, w);
    varint.write(value.change, w);
    varint.write(value.unlockTime, w);
    blob.write(value.paymentId, w);
    list(destination).write(value.destinations, w);
    list(role<SecretKey>(32)).write(value.txSecretKeys, w);
  },
  read(r) {
    if (Buffer.compare(raw(MAGIC.length).read(r), MAGIC) !== 0)
      throw new CodecError('tx metadata: wrong format');
    return {
      blob: blob.read(r),
      account: varintNumber.read(r),
      fromIndices: list(varintNumber).read(r),
      inputs: list(input).read(r),
      amountIn: varint.read(r),
      fee: varint.read(r),
      change: varint.read(r),
      unlockTime: varint.read(r),
      paymentId: blob.read(r),
      destinations: list(destination).read(r),
      txSecretKeys: list(role<SecretKey>(32)).read(r),
    };
  },
};
