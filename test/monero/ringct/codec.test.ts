import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import type { Commitment } from '../../../src/monero/crypto/types.js';
import { rctBase, rctPrunable } from '../../../src/monero/ringct/codec.js';
import type {
  ProofPoint,
  ProofScalar,
  RctBase,
  RctPrunable,
  RctType,
} from '../../../src/monero/ringct/types.js';
import { fcmpProofSize } from '../../../src/monero/ringct/fcmp-proof-size.js';
import { amount, U64_MAX } from '../../../src/util/amount.js';
import { concatBytes } from '../../../src/util/bytes.js';
import { CodecError, decode, encode, Reader, sizeOf } from '../../../src/util/codec.js';

const TYPES: readonly RctType[] = [0, 1, 2, 3, 4, 5, 6, 7];

const key = <T>(): fc.Arbitrary<T> =>
  fc.uint8Array({ minLength: 32, maxLength: 32 }) as unknown as fc.Arbitrary<T>;
const many = <T>(item: fc.Arbitrary<T>, length: number): fc.Arbitrary<T[]> =>
  fc.array(item, { minLength: length, maxLength: length });
const scalar = key<ProofScalar>();
const point = key<ProofPoint>();

const baseOf = (type: RctType, inputs: number, outputs: number): fc.Arbitrary<RctBase> =>
  fc.record({
    type: fc.constant(type),
    fee: type === 0 ? fc.constant(amount(0n)) : fc.bigInt({ min: 0n, max: U64_MAX }).map(amount),
    pseudoOuts: many(key<Commitment>(), type === 2 ? inputs : 0),
    ecdhInfo: many(
      type >= 4
        ? fc.record<RctBase['ecdhInfo'][number]>({ amount: fc.uint8Array({ minLength: 8, maxLength: 8 }) })
        : fc.record<RctBase['ecdhInfo'][number]>({ mask: key<Uint8Array>(), amount: key<Uint8Array>() }),
      type === 0 ? 0 : outputs,
    ),
    outPk: many(key<Commitment>(), type === 0 ? 0 : outputs),
  });

function prunableOf(
  type: RctType,
  inputs: number,
  outputs: number,
  ringSize: number,
): fc.Arbitrary<RctPrunable> {
  const rounds = 6 + Math.ceil(Math.log2(outputs));
  const sides = { L: many(point, rounds), R: many(point, rounds) };
  const plain = fc.record({
    A: point,
    S: point,
    T1: point,
    T2: point,
    taux: scalar,
    mu: scalar,
    ...sides,
    a: scalar,
    b: scalar,
    t: scalar,
  });
  const plus = fc.record({ A: point, A1: point, B: point, r1: scalar, s1: scalar, d1: scalar, ...sides });
  const borromean = fc.record({
    s0: many(scalar, 64),
    s1: many(scalar, 64),
    ee: scalar,
    Ci: many(point, 64),
  });
  const columns = type === 1 ? inputs + 1 : 2;
  const mlsag = fc.record({ ss: many(many(scalar, columns), ringSize), cc: scalar });
  const clsag = fc.record({ s: many(scalar, ringSize), c1: scalar, D: point });
  const none = type === 0;
  const fcmp = fc.integer({ min: 1, max: 12 }).chain((layers) =>
    fc.tuple(fc.nat(2 ** 40), fc.nat(255)).map(([referenceBlock, fill]) => ({
      referenceBlock,
      layers,
      proof: new Uint8Array(fcmpProofSize(inputs, layers)).fill(fill),
    })),
  );
  return fc.record({
    rangeSigs: many(borromean, !none && type < 3 ? outputs : 0),
    bulletproofs: many(plain, type >= 3 && type < 6 ? 1 : 0),
    bulletproofsPlus: many(plus, type >= 6 ? 1 : 0),
    mlsags: many(mlsag, none || type >= 5 ? 0 : type === 1 ? 1 : inputs),
    ...(type === 7 ? { fcmp } : {}),
    clsags: many(clsag, type === 5 || type === 6 ? inputs : 0),
    pseudoOuts: many(key<Commitment>(), type >= 3 ? inputs : 0),
  });
}

const shape = fc.tuple(
  fc.integer({ min: 1, max: 3 }),
  fc.integer({ min: 1, max: 4 }),
  fc.integer({ min: 2, max: 11 }),
);

describe.each(TYPES)('RingCT type %i', (type) => {
  it('reads its own encoding of base and prunable part, and refuses any truncation', () => {
    fc.assert(
      fc.property(
        shape.chain(([inputs, outputs, ringSize]) =>
          fc.record({
            shape: fc.constant({ inputs, outputs, ringSize }),
            base: baseOf(type, inputs, outputs),
            prunable: prunableOf(type, inputs, outputs, ringSize),
          }),
        ),
        ({ shape: { inputs, outputs, ringSize }, base, prunable }) => {
          const baseCodec = rctBase(inputs, outputs);
          const prunableCodec = rctPrunable(type, inputs, outputs, ringSize);
          const bytes = encode(baseCodec, base);
          expect(decode(baseCodec, bytes)).toEqual(base);
          const rest = encode(prunableCodec, prunable);
          expect(decode(prunableCodec, rest)).toEqual(prunable);
          expect(sizeOf(prunableCodec, prunable)).toBe(rest.length);
          expect(() => decode(baseCodec, bytes.subarray(0, -1))).toThrow(CodecError);
          if (rest.length > 0) expect(() => decode(prunableCodec, rest.subarray(0, -1))).toThrow(CodecError);
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe('the RingCT codec refuses', () => {
  test.each([8, 255])('an unknown type %i', (type) => {
    expect(() => decode(rctBase(1, 1), Uint8Array.of(type))).toThrow(CodecError);
  });

  it('more range proofs than outputs, and too few to cover them', () => {
    const codec = rctPrunable(6, 1, 2, 2);
    expect(() => decode(codec, Uint8Array.of(3))).toThrow(CodecError);
    expect(() => decode(codec, Uint8Array.of(0, ...new Uint8Array(200)))).toThrow(CodecError);
  });

  test.each([
    [0, 1],
    [129, 1],
    [1, 0],
    [1, 13],
  ])('a membership proof of %i inputs in a tree of %i layers', (inputs, layers) => {
    const proofs = (codecInputs: number, proofLayers: number) => {
      const rounds = Array.from({ length: 7 }, () => 1);
      const point = new Uint8Array(32);
      const plus = [1, ...new Uint8Array(192), 7, ...rounds.flatMap(() => [...point])];
      const range = Uint8Array.from([...plus, 7, ...rounds.flatMap(() => [...point])]);
      // The proof is long enough for any numbers of inputs and layers.
      const rest = new Uint8Array(2 + fcmpProofSize(130, 13) + 32 * 130);
      rest[1] = proofLayers;
      const r = new Reader(concatBytes(range, rest));
      return rctPrunable(7, codecInputs, 2, 1).read(r);
    };
    expect(proofs(1, 12).fcmp?.layers).toBe(12);
    expect(proofs(128, 1).fcmp?.proof.length).toBe(fcmpProofSize(128, 1));
    expect(() => proofs(inputs, layers)).toThrow(CodecError);
  });

  it('to write type 7 without its proof, or with a proof of another length', () => {
    const [prunable] = fc.sample(prunableOf(7, 2, 2, 1), 1);
    if (prunable?.fcmp === undefined) throw new Error('no proof');
    const codec = rctPrunable(7, 2, 2, 1);
    const { fcmp, ...without } = prunable;
    expect(() => encode(codec, without)).toThrow(RangeError);
    const longer = { ...fcmp, proof: new Uint8Array(fcmp.proof.length + 1) };
    expect(() => encode(codec, { ...prunable, fcmp: longer })).toThrow(RangeError);
  });
});
