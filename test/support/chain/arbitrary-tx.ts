import fc from 'fast-check';
import type { KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import type { Transaction, TxInput } from '../../../src/monero/cryptonote/types.js';
import { amount, U64_MAX } from '../../../src/util/amount.js';

const u64 = fc.bigInt({ min: 0n, max: U64_MAX });
const key = <T>(): fc.Arbitrary<T> =>
  fc.uint8Array({ minLength: 32, maxLength: 32 }) as unknown as fc.Arbitrary<T>;
const keyInput: fc.Arbitrary<TxInput> = fc.record({
  type: fc.constant('key' as const),
  amount: u64.map(amount),
  keyOffsets: fc.array(u64, { minLength: 1, maxLength: 4 }),
  keyImage: key<KeyImage>(),
});
const output = fc.oneof(
  fc.record({ amount: u64.map(amount), publicKey: key<PublicKey>() }),
  fc.record({
    amount: u64.map(amount),
    publicKey: key<PublicKey>(),
    viewTag: fc.integer({ min: 0, max: 255 }),
  }),
);

/** Unpruned transactions of version 1. */
export const versionOne: fc.Arbitrary<Transaction> = fc
  .record({
    unlockTime: u64,
    inputs: fc.array(keyInput, { minLength: 1, maxLength: 3 }),
    outputs: fc.array(output, { maxLength: 4 }),
    extra: fc.uint8Array({ maxLength: 50 }),
  })
  .chain((prefix) =>
    fc.record({
      prefix: fc.constant({ version: 1 as const, ...prefix }),
      signatures: fc.tuple(
        ...prefix.inputs.map((input) => {
          const length = input.type === 'key' ? input.keyOffsets.length : 0;
          return fc.array(fc.uint8Array({ minLength: 64, maxLength: 64 }), {
            minLength: length,
            maxLength: length,
          });
        }),
      ),
    }),
  );
