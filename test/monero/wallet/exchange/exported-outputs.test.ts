import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import type { Hash, KeyImage, PublicKey } from '../../../../src/monero/crypto/types.js';
import { writeExtra } from '../../../../src/monero/cryptonote/extra.js';
import { amount } from '../../../../src/util/amount.js';
import { fromHex, toHex } from '../../../../src/util/bytes.js';
import { CodecError, decode, encode, list, varintNumber } from '../../../../src/util/codec.js';
import { pair } from '../../../../src/monero/wallet/exchange/binary-archive.js';
import { openExport } from '../../../../src/monero/wallet/exchange/export-blob.js';
import {
  FormatTooOld,
  outputExport,
  readForkExport,
  readOutputExport,
  type ExportedOutput,
  type OutputExport,
} from '../../../../src/monero/wallet/exchange/exported-outputs.js';
import {
  transferDetails,
  type TransferDetails,
} from '../../../../src/monero/wallet/exchange/transfer-details.js';
import { exportKeys, vectors } from '../cold-vectors.js';

const bodyOf = (hex: string): Uint8Array => openExport('outputs', fromHex(hex), exportKeys).subarray(64);

const publicKey = (fill: number): PublicKey => new Uint8Array(32).fill(fill) as PublicKey;

const output = (place: number, facts: Partial<ExportedOutput> = {}): ExportedOutput => ({
  publicKey: publicKey(place),
  outputIndex: place % 3,
  globalIndex: 1000 + place,
  txPublicKey: publicKey(100 + place),
  flags: {
    spent: false,
    frozen: false,
    rct: true,
    keyImageKnown: false,
    keyImageRequested: true,
    keyImagePartial: false,
  },
  amount: 5n + BigInt(place),
  additionalKeys: [],
  subaddress: { major: place, minor: 2 },
  ...facts,
});

const run = (first: number, total: number, outputs: readonly ExportedOutput[]): OutputExport => ({
  first,
  total,
  outputs,
});

describe("the reference's exported outputs", () => {
  it('are read, and written back to the byte', () => {
    const body = bodyOf(vectors.outputs);
    const read = readOutputExport(body);
    expect(read).toMatchObject({ first: 0, total: 3 });
    expect(
      read.outputs.map(({ publicKey: key, amount: value, globalIndex }) => ({
        publicKey: toHex(key),
        amount: Number(value),
        globalIndex,
      })),
    ).toEqual(
      vectors.known.map(({ publicKey: key, amount: value, globalIndex }) => ({
        publicKey: key,
        amount: value,
        globalIndex,
      })),
    );
    expect(read.outputs.every(({ flags }) => flags.rct && flags.keyImageRequested)).toBe(true);
    expect(toHex(encode(outputExport['0.18.0'], read))).toBe(toHex(body));
  });

  it('may be none, after those with known key images', () => {
    expect(readOutputExport(bodyOf(vectors.outputsOnceKnown))).toEqual(run(3, 3, []));
  });
});

describe('exported outputs', () => {
  test.each<[string, OutputExport]>([
    ['none', run(0, 0, [])],
    ['none of some', run(7, 9, [])],
    ['a run in the middle', run(2, 12, [output(2), output(3, { additionalKeys: [publicKey(9)] })])],
  ])('of the current format carry %s', (_, value) => {
    expect(readOutputExport(encode(outputExport.current, value))).toEqual(value);
  });

  it('of both forms have a format of their own, and none of the others', () => {
    const context = Uint8Array.of(0x52, ...new Uint8Array(32).fill(7));
    const both = run(1, 5, [
      output(2),
      output(3, { context }),
      output(4, { context, amount: (1n << 64n) - 1n }),
    ]);
    const written = encode(outputExport.fork, both);
    expect(readForkExport(written)).toEqual(both);
    expect(() => readOutputExport(written)).toThrow(CodecError);
    for (const layout of [outputExport.current, outputExport['0.18.0']])
      expect(() => encode(layout, both)).toThrow(FormatTooOld);
    const legacy = run(1, 5, [output(2), output(3)]);
    expect(encode(outputExport.fork, legacy)).toEqual(encode(outputExport.current, legacy));
    for (const version of [0, 3]) {
      const changed = Uint8Array.from(written);
      // Count, first, total and length precede the version of the first output.
      changed[4] = version;
      expect(() => readForkExport(changed)).toThrow(CodecError);
    }
    fc.assert(
      fc.property(fc.nat(written.length - 1), fc.nat(255), (at, value) => {
        const changed = Uint8Array.from(written);
        changed[at] = value;
        try {
          expect(readForkExport(changed).outputs.length).toBeLessThanOrEqual(3);
        } catch (error) {
          expect(error).toBeInstanceOf(CodecError);
        }
        expect(() => readForkExport(written.subarray(0, at))).toThrow(CodecError);
      }),
    );
  });

  it('of release 0.18.0 lack subaddress indices and the total', () => {
    const bytes = encode(outputExport['0.18.0'], run(1, 9, [output(1), output(2)]));
    expect(readOutputExport(bytes)).toEqual(
      run(1, 3, [output(1, { subaddress: undefined }), output(2, { subaddress: undefined })]),
    );
  });

  it('may be the full records of older wallets', () => {
    const details: TransferDetails = {
      height: 9,
      tx: {
        version: 2,
        unlockTime: 0n,
        inputs: [],
        outputs: [1, 2].map((fill) => ({ amount: amount(0n), publicKey: publicKey(fill) })),
        extra: writeExtra([
          { type: 'publicKey', key: publicKey(50) },
          { type: 'additionalKeys', keys: [publicKey(51), publicKey(52)] },
        ]),
      },
      txHash: new Uint8Array(32) as Hash,
      outputIndex: 1,
      globalIndex: 77,
      spent: true,
      frozen: false,
      spentHeight: 10,
      keyImage: new Uint8Array(32) as KeyImage,
      mask: new Uint8Array(32),
      amount: 12n,
      rct: true,
      keyImageKnown: true,
      keyImageRequested: false,
      keyIndex: 0,
      subaddress: { major: 1, minor: 2 },
      keyImagePartial: false,
      multisigNonces: [],
      multisigInfo: [],
      uses: [],
    };
    const layout = pair(varintNumber, list(transferDetails));
    const { outputs } = readOutputExport(encode(layout, [4, [details]]));
    expect(outputs).toEqual([
      {
        publicKey: publicKey(2),
        outputIndex: 1,
        globalIndex: 77,
        txPublicKey: publicKey(50),
        flags: {
          spent: true,
          frozen: false,
          rct: true,
          keyImageKnown: true,
          keyImageRequested: false,
          keyImagePartial: false,
        },
        amount: 12n,
        additionalKeys: [publicKey(51), publicKey(52)],
        subaddress: { major: 1, minor: 2 },
      },
    ]);
    for (const wrong of [{ outputIndex: 2 }, { keyIndex: 1 }])
      expect(() => readOutputExport(encode(layout, [4, [{ ...details, ...wrong }]]))).toThrow(CodecError);
  });

  it('are refused when they list more than the total', () => {
    const bytes = encode(outputExport.current, run(2, 3, [output(2), output(3)]));
    expect(() => readOutputExport(bytes)).toThrow(CodecError);
    expect(() => decode(outputExport.current, bytes)).toThrow(CodecError);
  });

  it('are read or refused for any bytes', () => {
    const bytes = encode(outputExport.current, run(2, 12, [output(2), output(3), output(4)]));
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (place, change) => {
        const changed = Uint8Array.from(bytes);
        changed[place] = (changed[place] ?? 0) ^ change;
        try {
          const { first, total, outputs } = readOutputExport(changed);
          expect(first + outputs.length).toBeLessThanOrEqual(total);
        } catch (error) {
          expect(error).toBeInstanceOf(CodecError);
        }
      }),
      { numRuns: 300 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (raw) => {
        try {
          expect(readOutputExport(raw).outputs.length).toBeLessThanOrEqual(raw.length);
        } catch (error) {
          expect(error).toBeInstanceOf(CodecError);
        }
      }),
    );
  });
});
