import { describe, expect, it } from '@jest/globals';
import { transactionHash } from '../../../../src/monero/cryptonote/transaction.js';
import { fromHex, toHex } from '../../../../src/util/bytes.js';
import { CodecError, decode, encode } from '../../../../src/util/codec.js';
import { signedTxSet, unsignedTxSet } from '../../../../src/monero/wallet/exchange/cold-tx-sets.js';
import { openExport } from '../../../../src/monero/wallet/exchange/export-blob.js';
import { exportKeys, vectors } from '../cold-vectors.js';

const unsignedBody = openExport('unsignedTxs', fromHex(vectors.unsignedTxs), exportKeys);
const signedBody = openExport('signedTxs', fromHex(vectors.signedTxs), exportKeys);

describe('an unsigned set', () => {
  const read = decode(unsignedTxSet('current'), unsignedBody);

  it('of the reference is read, and written back to the byte', () => {
    expect(read.txs).toHaveLength(1);
    expect(read.outputs).toEqual({ first: 3, total: 3, outputs: [] });
    const [{ sources, outputs, change } = { sources: [], outputs: [], change: undefined }] = read.txs;
    expect(sources.map(({ ring }) => ring.length)).toEqual([16]);
    const held = sources.reduce((total, source) => total + source.amount, 0n);
    const paid = outputs.reduce((total, entry) => total + entry.amount, 0n);
    expect(held - paid).toBe(BigInt(vectors.fee));
    expect(change?.amount).toBe(held - 3_000_000_000_000n - BigInt(vectors.fee));
    expect(toHex(encode(unsignedTxSet('0.18.0'), read))).toBe(toHex(unsignedBody));
  });

  it('of the current format states the number of outputs', () => {
    const set = { ...read, outputs: { first: 3, total: 8, outputs: [] } };
    expect(decode(unsignedTxSet('0.18.0'), encode(unsignedTxSet('current'), set))).toEqual(set);
    expect(decode(unsignedTxSet('current'), encode(unsignedTxSet('0.18.0'), set)).outputs.total).toBe(3);
  });

  it('of a later version, cut or longer is refused', () => {
    for (const body of [
      Uint8Array.of(3, ...unsignedBody.subarray(1)),
      unsignedBody.subarray(0, -1),
      Uint8Array.of(...unsignedBody, 0),
    ])
      expect(() => decode(unsignedTxSet('current'), body)).toThrow(CodecError);
  });
});

describe('a signed set', () => {
  it('of the reference is read, and written back to the byte', () => {
    const { txs, keyImages, ownKeyImages } = decode(signedTxSet, signedBody);
    expect(txs.map(({ tx }) => toHex(transactionHash(tx)))).toEqual([vectors.txHash]);
    expect(txs[0]?.fee).toBe(BigInt(vectors.fee));
    // Release 0.18.0 drops its imported outputs when it imports an empty list.
    expect(keyImages).toEqual([]);
    expect(ownKeyImages).toHaveLength(1);
    expect(toHex(encode(signedTxSet, { txs, keyImages, ownKeyImages }))).toBe(toHex(signedBody));
  });

  it('of a later version is refused', () => {
    expect(() => decode(signedTxSet, Uint8Array.of(1, ...signedBody.subarray(1)))).toThrow(CodecError);
  });
});
