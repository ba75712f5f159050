import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import type { Hash } from '../../src/crypto/types.js';
import { block, blockHash, outlineBlock, parseBlock } from '../../src/cryptonote/block.js';
import { prunedTransaction, transactionHash, txPrefix } from '../../src/cryptonote/transaction.js';
import { outlineTx } from '../../src/cryptonote/tx-outline.js';
import type { Block, Transaction, TxPrefix } from '../../src/cryptonote/types.js';
import { ZERO } from '../../src/util/amount.js';
import { CodecError, decode, encode, Reader } from '../../src/util/codec.js';
import { versionOne } from '../support/arbitrary-tx.js';

const prefixes: fc.Arbitrary<TxPrefix> = versionOne.map(({ prefix }) => prefix);

const at32 = (bytes: Uint8Array, at: number): Uint8Array => bytes.slice(at, at + 32);

describe('the outline of a transaction', () => {
  it('tells where the key images, the output keys and the extra lie, and ends with the prefix', () => {
    fc.assert(
      fc.property(prefixes, fc.uint8Array({ maxLength: 5 }), (prefix, behind) => {
        const bytes = encode(txPrefix, prefix);
        const r = new Reader(Uint8Array.of(...bytes, ...behind));
        const outline = outlineTx(r);
        expect(r.remaining).toBe(behind.length);
        expect(outline.coinbase).toBe(false);
        expect(outline.keyImages.map((at) => at32(bytes, at))).toEqual(
          prefix.inputs.flatMap((input) => (input.type === 'key' ? [input.keyImage] : [])),
        );
        expect(outline.outputs.map(({ key, ...rest }) => ({ publicKey: at32(bytes, key), ...rest }))).toEqual(
          prefix.outputs.map(({ publicKey, viewTag }) =>
            viewTag === undefined ? { publicKey } : { publicKey, viewTag },
          ),
        );
        expect(bytes.slice(...outline.extra)).toEqual(prefix.extra);
      }),
      { numRuns: 200 },
    );
  });

  it('is refused exactly where the prefix is', () => {
    const refused = (read: () => unknown): boolean => {
      try {
        read();
        return false;
      } catch (error) {
        expect(error).toBeInstanceOf(CodecError);
        return true;
      }
    };
    fc.assert(
      fc.property(prefixes, fc.nat(), fc.nat(255), fc.boolean(), (prefix, place, value, cut) => {
        const whole = encode(txPrefix, prefix);
        const at = place % whole.length;
        const bytes = cut ? whole.slice(0, at) : Uint8Array.from(whole);
        if (!cut) bytes[at] = value;
        const walk = (): void => {
          const r = new Reader(bytes);
          outlineTx(r);
          r.end();
        };
        expect(refused(walk)).toBe(refused(() => decode(txPrefix, bytes)));
      }),
      { numRuns: 3000 },
    );
  });

  test.each([
    ['of ten bytes', '8080808080808080808001', false],
    ['that exceeds 64 bits', 'ffffffffffffffffff02', true],
    ['of 64 bits', 'ffffffffffffffffff01', false],
    ['that ends in zero', '8000', true],
  ])('passes over an unlock time %s as the reader does', (_what, hex) => {
    const bytes = Buffer.from(`01${hex}00000000`, 'hex');
    const read = (work: () => unknown): string => {
      try {
        work();
        return 'read';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(read(() => outlineTx(new Reader(bytes)))).toBe(read(() => txPrefix.read(new Reader(bytes))));
  });
});

const hashes = fc.uint8Array({ minLength: 32, maxLength: 32 }) as unknown as fc.Arbitrary<Hash>;

const reward = (version: 1 | 2, prefix: TxPrefix): Transaction => ({
  prefix: { ...prefix, version, inputs: [{ type: 'gen', height: 300 }] },
  ...(version === 1
    ? { signatures: [[]] }
    : { rct: { base: { type: 0, fee: ZERO, pseudoOuts: [], ecdhInfo: [], outPk: [] } } }),
});

const blocks: fc.Arbitrary<Block> = fc.record({
  header: fc.record({
    majorVersion: fc.nat(20),
    minorVersion: fc.nat(20),
    timestamp: fc.nat(),
    prevHash: hashes,
    nonce: fc.nat(),
  }),
  minerTx: fc.tuple(fc.constantFrom(1 as const, 2 as const), prefixes).map((of) => reward(...of)),
  txHashes: fc.array(hashes, { maxLength: 9 }),
});

describe('the outline of a block', () => {
  it('names the block and its miner transaction as building them does', () => {
    fc.assert(
      fc.property(blocks, (value) => {
        const bytes = encode(block, value);
        const outline = outlineBlock(bytes);
        expect(outline.hash).toEqual(blockHash(value));
        expect(outline.header).toEqual(value.header);
        expect(outline.txHashes).toEqual(value.txHashes);
        expect(outline.minerTx.hash).toEqual(transactionHash(value.minerTx));
        expect(decode(prunedTransaction, outline.minerTx.blob).prefix).toEqual(value.minerTx.prefix);
        expect(outline.minerTx.outline).toEqual(outlineTx(new Reader(outline.minerTx.blob)));
        expect(outline.minerTx.outline).toMatchObject({
          coinbase: true,
          version: value.minerTx.prefix.version,
        });
        expect(parseBlock(bytes)).toEqual(value);
      }),
      { numRuns: 200 },
    );
  });

  it('is refused for one whose miner transaction spends, or is signed, or that is cut', () => {
    const [value] = fc.sample(blocks, { numRuns: 1, seed: 5 });
    if (value === undefined) throw new Error('no block');
    const minerTx = reward(2, value.minerTx.prefix);
    const bytes = encode(block, { ...value, minerTx });
    for (let length = 0; length < bytes.length; length++)
      expect(() => outlineBlock(bytes.subarray(0, length))).toThrow(CodecError);
    const [spending] = fc.sample(versionOne, { numRuns: 1, seed: 5 });
    if (spending === undefined) throw new Error('no transaction');
    expect(() => outlineBlock(encode(block, { ...value, minerTx: spending }))).toThrow('miner transaction');
    const signed = Uint8Array.from(bytes);
    signed[bytes.length - 2 - 32 * value.txHashes.length] = 6;
    expect(() => outlineBlock(signed)).toThrow('signed');
  });
});
