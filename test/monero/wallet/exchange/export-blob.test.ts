import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { publicKeyOf } from '../../../../src/monero/crypto/derivation.js';
import { concatBytes, equalBytes, fromHex } from '../../../../src/util/bytes.js';
import { CodecError } from '../../../../src/util/codec.js';
import {
  openExport,
  sealExport,
  type ExportKind,
} from '../../../../src/monero/wallet/exchange/export-blob.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { exportKeys, spendPublicKey, spendSecret, vectors, viewSecret } from '../cold-vectors.js';

const rng = seededRng('export blobs');

describe('an export', () => {
  it('of the reference opens with its header', () => {
    const plain = openExport('outputs', fromHex(vectors.outputs), exportKeys);
    expect(equalBytes(plain.subarray(0, 64), concatBytes(spendPublicKey, publicKeyOf(viewSecret)))).toBe(
      true,
    );
  });

  it('opens to any sealed plaintext', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (plain) => {
        const blob = sealExport('signedTxs', plain, exportKeys, rng);
        expect(openExport('signedTxs', blob, exportKeys)).toEqual(plain);
      }),
      { numRuns: 20 },
    );
  });
});

describe('an export is refused', () => {
  const blob = fromHex(vectors.outputs);

  it('when any bit of it is changed', () => {
    fc.assert(
      fc.property(fc.nat(blob.length - 1), fc.nat(7), (place, bit) => {
        const changed = Uint8Array.from(blob);
        changed[place] = (changed[place] ?? 0) ^ (1 << bit);
        expect(() => openExport('outputs', changed, exportKeys)).toThrow(CodecError);
      }),
      { numRuns: 60 },
    );
  });

  it('when it is cut or longer', () => {
    for (const length of [0, 10, 21, 40, 92, blob.length - 1])
      expect(() => openExport('outputs', blob.subarray(0, length), exportKeys)).toThrow(CodecError);
    expect(() => openExport('outputs', concatBytes(blob, new Uint8Array(1)), exportKeys)).toThrow(CodecError);
  });

  test.each<ExportKind>(['unsignedTxs', 'signedTxs'])('as %s when it is of outputs', (kind) => {
    expect(() => openExport(kind, blob, exportKeys)).toThrow(CodecError);
  });

  it('when it is of a wallet with another view key', () => {
    expect(() => openExport('outputs', blob, { ...exportKeys, viewSecret: spendSecret })).toThrow(CodecError);
  });
});
