import type { Hash, KeyImage, PublicKey } from '../crypto/types.js';
import { bytesToInt, intToBytes } from '../crypto/scalar.js';
import { amount } from '../util/amount.js';
import type { OwnedOutput, PageFindings, ReceivedTx } from '../wallet/model/records.js';
import { packHashes, unpackHashes } from './packed-hashes.js';

/** Received transactions whose keys are packed. */
export interface PackedReceived {
  readonly txs: readonly Omit<ReceivedTx, 'txHash' | 'txPublicKey' | 'additionalPublicKeys'>[];
  /** Hash, transaction key and additional keys of each transaction, 32 bytes each. */
  readonly keys: Uint8Array;
  /** Number of additional keys of each transaction. */
  readonly additional: Uint32Array;
}

/** Page findings as they cross threads: many small byte strings and objects would take longer. */
export type PackedFindings = Omit<PageFindings, 'hashes' | 'received' | 'outputs'> & {
  /** 32 bytes per block. */
  readonly hashes: Uint8Array;
  readonly received: PackedReceived;
  /** Records of {@link OUTPUT_BYTES}. */
  readonly outputs: Uint8Array;
};

/** Size of a packed output [bytes]: five strings of 32 bytes, then numbers, then flags. */
const OUTPUT_BYTES = 208;

/** Offsets of the fields of a packed output. */
const AT = {
  txHash: 0,
  publicKey: 32,
  keyImage: 64,
  derivationKey: 96,
  mask: 128,
  amount: 160,
  unlockTime: 168,
  globalIndex: 176,
  height: 184,
  outputIndex: 192,
  major: 196,
  minor: 200,
  flags: 204,
} as const;

const FLAGS = { rct: 1, coinbase: 2, change: 4, burnt: 8, frozen: 16, hasKeyImage: 32 } as const;

/** Packs findings; the outputs are as they are found, not spent. */
export function packFindings({ hashes, received, outputs, ...rest }: PageFindings): PackedFindings {
  return {
    ...rest,
    hashes: packHashes(hashes),
    received: packReceived(received),
    outputs: packOutputs(outputs),
  };
}

/** Unpacks findings; their byte strings share memory. */
export function unpackFindings({ hashes, received, outputs, ...rest }: PackedFindings): PageFindings {
  return {
    ...rest,
    hashes: unpackHashes(hashes),
    received: unpackReceived(received),
    outputs: unpackOutputs(outputs),
  };
}

function packReceived(received: readonly ReceivedTx[]): PackedReceived {
  const keys: Hash[] = [];
  const txs = received.map(({ txHash, txPublicKey, additionalPublicKeys, ...tx }) => {
    for (const key of [txHash, txPublicKey, ...additionalPublicKeys]) keys.push(key as Uint8Array as Hash);
    return tx;
  });
  return {
    txs,
    keys: packHashes(keys),
    additional: Uint32Array.from(received, ({ additionalPublicKeys }) => additionalPublicKeys.length),
  };
}

function unpackReceived({ txs, keys, additional }: PackedReceived): ReceivedTx[] {
  let at = 0;
  const next = (): Uint8Array => keys.subarray(at, (at += 32));
  return txs.map((tx, i) => ({
    ...tx,
    txHash: next() as Hash,
    txPublicKey: next() as PublicKey,
    additionalPublicKeys: Array.from({ length: additional[i] ?? 0 }, () => next() as PublicKey),
  }));
}

function packOutputs(outputs: readonly OwnedOutput[]): Uint8Array {
  const packed = new Uint8Array(OUTPUT_BYTES * outputs.length);
  outputs.forEach((output, i) => {
    const record = packed.subarray(OUTPUT_BYTES * i, OUTPUT_BYTES * (i + 1));
    record.set(output.txHash, AT.txHash);
    record.set(output.publicKey, AT.publicKey);
    if (output.keyImage !== undefined) record.set(output.keyImage, AT.keyImage);
    record.set(output.derivationKey, AT.derivationKey);
    record.set(intToBytes(output.mask), AT.mask);
    const view = new DataView(record.buffer, record.byteOffset, OUTPUT_BYTES);
    view.setBigUint64(AT.amount, output.amount);
    view.setBigUint64(AT.unlockTime, output.unlockTime);
    view.setFloat64(AT.globalIndex, output.globalIndex);
    view.setFloat64(AT.height, output.height);
    view.setUint32(AT.outputIndex, output.outputIndex);
    view.setUint32(AT.major, output.subaddress.major);
    view.setUint32(AT.minor, output.subaddress.minor);
    view.setUint8(AT.flags, flagsOf(output));
  });
  return packed;
}

const flagsOf = ({ rct, coinbase, change, burnt, frozen, keyImage }: OwnedOutput): number =>
  (rct ? FLAGS.rct : 0) |
  (coinbase ? FLAGS.coinbase : 0) |
  (change ? FLAGS.change : 0) |
  (burnt ? FLAGS.burnt : 0) |
  (frozen ? FLAGS.frozen : 0) |
  (keyImage === undefined ? 0 : FLAGS.hasKeyImage);

function unpackOutputs(packed: Uint8Array): OwnedOutput[] {
  return Array.from({ length: packed.length / OUTPUT_BYTES }, (_, i) =>
    unpackOutput(packed.subarray(OUTPUT_BYTES * i, OUTPUT_BYTES * (i + 1))),
  );
}

function unpackOutput(record: Uint8Array): OwnedOutput {
  const view = new DataView(record.buffer, record.byteOffset, OUTPUT_BYTES);
  const bytesAt = (at: number): Uint8Array => record.subarray(at, at + 32);
  const flags = view.getUint8(AT.flags);
  const has = (flag: number): boolean => (flags & flag) !== 0;
  const output = {
    txHash: bytesAt(AT.txHash) as Hash,
    outputIndex: view.getUint32(AT.outputIndex),
    globalIndex: view.getFloat64(AT.globalIndex),
    publicKey: bytesAt(AT.publicKey) as PublicKey,
    amount: amount(view.getBigUint64(AT.amount)),
    mask: bytesToInt(bytesAt(AT.mask)),
    rct: has(FLAGS.rct),
    subaddress: { major: view.getUint32(AT.major), minor: view.getUint32(AT.minor) },
    derivationKey: bytesAt(AT.derivationKey) as PublicKey,
    height: view.getFloat64(AT.height),
    unlockTime: view.getBigUint64(AT.unlockTime),
    coinbase: has(FLAGS.coinbase),
    change: has(FLAGS.change),
    burnt: has(FLAGS.burnt),
    frozen: has(FLAGS.frozen),
  };
  return has(FLAGS.hasKeyImage) ? { ...output, keyImage: bytesAt(AT.keyImage) as KeyImage } : output;
}
