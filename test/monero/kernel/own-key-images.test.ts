import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import {
  derivePublicKey,
  keyImage,
  keyDerivation,
  publicKeyOf,
} from '../../../src/monero/crypto/derivation.js';
import { hashToScalar, intToBytes, ORDER, scalarBytes } from '../../../src/monero/crypto/scalar.js';
import type { KeyDerivation, PublicKey, SecretKey } from '../../../src/monero/crypto/types.js';
import { outputSecretKey, type OwnOutputs } from '../../../src/monero/cryptonote/own-outputs.js';
import { subaddressSpendPublicKey } from '../../../src/monero/cryptonote/subaddress-keys.js';
import type { ScanKernel } from '../../../src/monero/kernel/kernel.js';
import { referenceKernel } from '../../../src/monero/kernel/reference-kernel.js';
import { WasmKernel } from '../../../src/monero/kernel/wasm-kernel.js';
import { chunks, concatBytes, toHex } from '../../../src/util/bytes.js';

const U32_MAX = 2 ** 32 - 1;
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const secret = fc.oneof(
  bytes32.map((bytes) => scalarBytes(hashToScalar(bytes))),
  fc.constantFrom(1n, 2n ** 252n, ORDER - 1n).map(scalarBytes),
);
const index = fc.oneof(fc.constantFrom(0, 1, 127, 128, U32_MAX), fc.nat({ max: U32_MAX }));
const output = fc.record({ outputKey: bytes32, derivation: bytes32, i: index, major: index, minor: index });
const wallet = fc.record({ viewSecret: secret, spendSecret: secret });

interface Output {
  readonly outputKey: Uint8Array;
  readonly derivation: Uint8Array;
  readonly i: number;
  readonly major: number;
  readonly minor: number;
}

const flat = (outputs: readonly Output[]): OwnOutputs => ({
  outputKeys: concatBytes(...outputs.map(({ outputKey }) => outputKey)),
  derivations: concatBytes(...outputs.map(({ derivation }) => derivation)),
  outputIndices: Uint32Array.from(outputs, ({ i }) => i),
  subaddresses: Uint32Array.from(outputs.flatMap(({ major, minor }) => [major, minor])),
});

describe.each<[string, ScanKernel]>([
  ['relaxed', new WasmKernel('relaxed')],
  ['simd', new WasmKernel('simd')],
])('key images of own outputs by the %s kernel', (_, kernel) => {
  it('are those of the plain kernel for any keys, indices and secrets', () => {
    fc.assert(
      fc.property(fc.array(output, { maxLength: 5 }), wallet, (outputs, keys) => {
        expect(toHex(kernel.ownKeyImages(flat(outputs), keys))).toBe(
          toHex(referenceKernel.ownKeyImages(flat(outputs), keys)),
        );
      }),
      { numRuns: 30 },
    );
  });

  it('have the same results in any call of many rows', () => {
    const [some] = fc.sample(output, { numRuns: 1, seed: 1 });
    const [keys] = fc.sample(wallet, { numRuns: 1, seed: 1 });
    if (some === undefined || keys === undefined) throw new Error('no sample');
    const others = Array.from({ length: 301 }, (_row, i) => ({ ...some, i: i % 3, minor: i % 2, major: 0 }));
    const images = chunks(kernel.ownKeyImages(flat(others), keys), 32).map(toHex);
    const first = others.slice(0, 6).map((one) => toHex(kernel.ownKeyImages(flat([one]), keys)));
    expect(images).toEqual(others.map((_row, i) => first[i % 6]));
  });

  test.each([
    ['view secret', { viewSecret: intToBytes(ORDER) as SecretKey, spendSecret: scalarBytes(1n) }],
    ['spend secret', { viewSecret: scalarBytes(1n), spendSecret: intToBytes(ORDER) as SecretKey }],
  ])('are refused for a %s that is not below the order', (_name, keys) => {
    expect(() => kernel.ownKeyImages(flat([]), keys)).toThrow(RangeError);
    expect(() => referenceKernel.ownKeyImages(flat([]), keys)).toThrow(RangeError);
  });
});

describe.each<[string, ScanKernel]>([
  ['relaxed', new WasmKernel('relaxed')],
  ['simd', new WasmKernel('simd')],
  ['plain', referenceKernel],
])('the %s kernel', (_, kernel) => {
  test.each([
    { major: 0, minor: 0 },
    { major: 0, minor: 1 },
    { major: 1, minor: 0 },
    { major: 3, minor: 70_000 },
  ])('computes the key image of an output to address %j', (subaddress) => {
    const [viewSecret, spendSecret, txSecret] = [5n, 6n, 7n].map((n) => scalarBytes(n)) as [
      SecretKey,
      SecretKey,
      SecretKey,
    ];
    const derivation: KeyDerivation = keyDerivation(publicKeyOf(txSecret), viewSecret);
    const owner = subaddressSpendPublicKey(publicKeyOf(spendSecret), viewSecret, subaddress);
    const publicKey: PublicKey = derivePublicKey(derivation, 300, owner);
    const secretKey = outputSecretKey({ viewSecret, spendSecret }, derivation, 300, subaddress);
    expect(publicKeyOf(secretKey)).toEqual(publicKey);
    const outputs = flat([{ outputKey: publicKey, derivation, i: 300, ...subaddress }]);
    expect(kernel.ownKeyImages(outputs, { viewSecret, spendSecret })).toEqual(keyImage(publicKey, secretKey));
  });
});
