import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { keccak } from '../../../src/monero/crypto/keccak.js';
import {
  bytesToInt,
  hashToScalar,
  intToBytes,
  ORDER,
  reduceBytes,
  scalarBytes,
} from '../../../src/monero/crypto/scalar.js';
import type { Commitment } from '../../../src/monero/crypto/types.js';
import { commit, commitmentMask, encryptAmount, openOutput } from '../../../src/monero/ringct/commitment.js';
import type { EcdhInfo, RctType } from '../../../src/monero/ringct/types.js';
import { amount, U64_MAX } from '../../../src/util/amount.js';
import { concatBytes, fromHex, toHex, utf8 } from '../../../src/util/bytes.js';
import { noPoint, readVectors, spoiled } from './vectors.js';

interface OpenedOutput {
  readonly note: string;
  readonly type: RctType;
  readonly sharedSecret: string;
  readonly encryptedAmount: string;
  readonly commitment: string;
  readonly amount: string;
  readonly mask: string;
}

const { outputs } = readVectors<{ outputs: readonly OpenedOutput[] }>('opened-outputs.json');

const secrets = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => scalarBytes(reduceBytes(bytes)));
const amounts = fc.bigInt({ min: 0n, max: U64_MAX }).map(amount);

/** Encryption of types 1 to 3. Source: rctOps.cpp `ecdhEncode`, long form. */
function longInfo(value: bigint, mask: bigint, secret: Uint8Array): EcdhInfo {
  const first = hashToScalar(secret);
  const second = hashToScalar(intToBytes(first));
  return { mask: intToBytes((mask + first) % ORDER), amount: intToBytes((value + second) % ORDER) };
}

describe('an output of a real wallet', () => {
  test.each(outputs)('$note opens, and is encrypted to the same bytes', (vector) => {
    const secret = fromHex(vector.sharedSecret);
    const info = { amount: fromHex(vector.encryptedAmount) };
    const commitment = fromHex(vector.commitment) as Commitment;
    const opened = openOutput(info, vector.type, secret, commitment);
    expect(opened?.amount).toBe(BigInt(vector.amount));
    expect(toHex(scalarBytes(opened?.mask ?? 0n))).toBe(vector.mask);
    expect(toHex(scalarBytes(commitmentMask(secret)))).toBe(vector.mask);
    expect(toHex(encryptAmount(amount(BigInt(vector.amount)), secret))).toBe(vector.encryptedAmount);
  });
});

describe('commitmentMask', () => {
  it('is Hs("commitment_mask" || secret)', () => {
    const secret = scalarBytes(7n);
    expect(commitmentMask(secret)).toBe(reduceBytes(keccak(concatBytes(utf8('commitment_mask'), secret))));
  });
});

describe('openOutput', () => {
  it.each([4, 5, 6] as const)('opens an encrypted amount of type %i', (type) => {
    fc.assert(
      fc.property(amounts, secrets, (value, secret) => {
        const mask = commitmentMask(secret);
        const info = { amount: encryptAmount(value, secret) };
        expect(info.amount).toHaveLength(8);
        expect(openOutput(info, type, secret, commit(value, mask))).toEqual({ amount: value, mask });
      }),
      { numRuns: 15 },
    );
  });

  it.each([1, 2, 3] as const)('opens the long form of type %i', (type) => {
    const masks = fc.bigInt({ min: 0n, max: ORDER - 1n });
    fc.assert(
      fc.property(amounts, masks, secrets, (value, mask, secret) => {
        expect(openOutput(longInfo(value, mask, secret), type, secret, commit(value, mask))).toEqual({
          amount: value,
          mask,
        });
      }),
      { numRuns: 15 },
    );
  });

  it.each([0n, 1n, U64_MAX])('opens %d', (value) => {
    const secret = scalarBytes(99n);
    const commitment = commit(amount(value), commitmentMask(secret));
    expect(openOutput({ amount: encryptAmount(amount(value), secret) }, 6, secret, commitment)?.amount).toBe(
      value,
    );
  });

  describe('refuses', () => {
    const secret = scalarBytes(1234n);
    const value = amount(5_000_000n);
    const commitment = commit(value, commitmentMask(secret));
    const info = { amount: encryptAmount(value, secret) };

    test.each<[string, EcdhInfo, RctType, Uint8Array, Commitment]>([
      ['another secret', info, 6, scalarBytes(1235n), commitment],
      ['another amount', { amount: spoiled(info.amount) }, 6, secret, commitment],
      ['another commitment', info, 6, secret, spoiled(commitment)],
      ['a commitment that is not a point', info, 6, secret, noPoint()],
      [
        'a commitment to more than was written',
        info,
        6,
        secret,
        commit(amount(value + 1n), commitmentMask(secret)),
      ],
      ['the right amount under another mask', info, 6, secret, commit(value, 5n)],
      ['the short form read as the long one', info, 2, secret, commitment],
      ['the long form without its mask', { amount: intToBytes(value) }, 2, secret, commitment],
      [
        'the long form read as the short one',
        longInfo(value, commitmentMask(secret), secret),
        6,
        secret,
        commitment,
      ],
    ])('%s', (_, ...args) => expect(openOutput(...args)).toBeUndefined());

    it('a long amount beyond 64 bits, though the commitment agrees', () => {
      // Truncated to 8 bytes it would be 1.
      const huge = (1n << 64n) + 1n;
      const disguised = commit(huge as ReturnType<typeof amount>, 8n);
      expect(openOutput(longInfo(huge, 8n, secret), 2, secret, disguised)).toBeUndefined();
    });
  });

  it('gives different results for outputs of one derivation', () => {
    const [first, second] = [hashToScalar(utf8('0')), hashToScalar(utf8('1'))].map(scalarBytes);
    expect(encryptAmount(amount(1n), first ?? new Uint8Array(32))).not.toEqual(
      encryptAmount(amount(1n), second ?? new Uint8Array(32)),
    );
    expect(bytesToInt(encryptAmount(amount(1n), first ?? new Uint8Array(32))) <= U64_MAX).toBe(true);
  });
});
