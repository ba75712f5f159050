import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { writeStorage, type Scalar, type Typed } from '../../../../src/monero/epee/storage-writer.js';
import {
  encodeBlocks,
  encodeIndices,
  joinedSections,
} from '../../../../src/regtest/rpc/binary/block-page.js';
import type { ServedBlock, ServedPayment } from '../../../../src/regtest/store/served-blocks.js';

const bytes = (value: Uint8Array): Scalar => ({ type: 'string', value });
const list = (items: readonly Scalar[]): Typed => ({ type: 'list', items });
const object = (value: Record<string, Typed | undefined>): Scalar => ({ type: 'object', value });

/** The same page as values for the generic writer. */
const listedBlocks = (blocks: readonly ServedBlock[], prune: boolean): Typed =>
  list(
    blocks.map(({ blob, payments }) =>
      object({
        block: bytes(blob),
        pruned: prune ? { type: 'bool', value: true } : undefined,
        txs: list(
          payments.map((payment) =>
            payment.prunableHash === undefined
              ? bytes(payment.blob)
              : object({ blob: bytes(payment.blob), prunable_hash: bytes(payment.prunableHash) }),
          ),
        ),
      }),
    ),
  );

const listedIndices = (blocks: readonly ServedBlock[], noMinerTx: boolean): Typed =>
  list(
    blocks.map(({ outputIndices }) =>
      object({
        indices: list(
          outputIndices.map((indices, i) =>
            object({
              indices: list(
                noMinerTx && i === 0
                  ? []
                  : indices.map((index): Scalar => ({ type: 'u64', value: BigInt(index) })),
              ),
            }),
          ),
        ),
      }),
    ),
  );

const payment = (prune: boolean): fc.Arbitrary<ServedPayment> =>
  prune
    ? fc.record({
        blob: fc.uint8Array({ maxLength: 300 }),
        prunableHash: fc.uint8Array({ minLength: 32, maxLength: 32 }),
      })
    : fc.record({ blob: fc.uint8Array({ maxLength: 600 }) });

const block = (prune: boolean): fc.Arbitrary<ServedBlock> =>
  fc.array(payment(prune), { maxLength: 4 }).chain((payments) =>
    fc.record({
      blob: fc.uint8Array({ minLength: 1, maxLength: 100 }),
      payments: fc.constant(payments),
      outputIndices: fc.array(fc.array(fc.maxSafeNat(), { minLength: 1, maxLength: 16 }), {
        minLength: payments.length + 1,
        maxLength: payments.length + 1,
      }),
    }),
  );

/** Arbitrary blocks, and whether their payments are pruned. */
const page = fc
  .boolean()
  .chain((prune) => fc.tuple(fc.array(block(prune), { maxLength: 5 }), fc.constant(prune)));

describe('a page of blocks', () => {
  it('is byte for byte the output of the generic writer', () => {
    fc.assert(
      fc.property(page, ([blocks, prune]) => {
        const { bytes: encoded } = encodeBlocks(blocks, prune);
        expect(writeStorage({ blocks: joinedSections(blocks.length, [encoded]) })).toEqual(
          writeStorage({ blocks: listedBlocks(blocks, prune) }),
        );
      }),
    );
  });

  it('encodes output indices as the generic writer does', () => {
    fc.assert(
      fc.property(page, fc.boolean(), ([blocks], noMinerTx) => {
        const { bytes: encoded } = encodeIndices(blocks, noMinerTx);
        expect(writeStorage({ output_indices: joinedSections(blocks.length, [encoded]) })).toEqual(
          writeStorage({ output_indices: listedIndices(blocks, noMinerTx) }),
        );
      }),
    );
  });

  it('has the encoding of each of its blocks as a part', () => {
    fc.assert(
      fc.property(page, fc.nat(5), fc.nat(5), ([blocks, prune], one, other) => {
        const [from, to] = [
          Math.min(one, other, blocks.length),
          Math.min(Math.max(one, other), blocks.length),
        ];
        expect(encodeBlocks(blocks, prune).part(from, to)).toEqual(
          encodeBlocks(blocks.slice(from, to), prune).bytes,
        );
      }),
    );
  });

  it('fits the buffer size that it declares', () => {
    fc.assert(
      fc.property(page, ([blocks, prune]) => {
        const joined = joinedSections(blocks.length, [encodeBlocks(blocks, prune).bytes]);
        expect(writeStorage({ blocks: joined }).length).toBeLessThanOrEqual(joined.room + 100);
      }),
    );
  });
});
