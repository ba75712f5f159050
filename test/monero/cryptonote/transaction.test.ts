import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { blockHash } from '../../../src/monero/cryptonote/block.js';
import { GENESIS_HASH } from '../../../src/monero/cryptonote/constants.js';
import {
  parseTransaction,
  prunedTransaction,
  transaction,
  transactionHash,
  unprunedSize,
  weightClawback,
} from '../../../src/monero/cryptonote/transaction.js';
import type { NetworkType } from '../../../src/monero/cryptonote/types.js';
import { bytes32, fromHex, toHex } from '../../../src/util/bytes.js';
import { CodecError, decode, encode } from '../../../src/util/codec.js';
import { versionOne } from '../../support/chain/arbitrary-tx.js';

/** The miner transactions of the first blocks and their nonces. Source: cryptonote_config.h `GENESIS_TX`. */
const GENESIS: readonly [NetworkType, string, number][] = [
  [
    'mainnet',
    '013c01ff0001ffffffffffff03029b2e4c0281c0b02e7c53291a94d1d0cbff8883f8024f5142ee494ffbbd08807121017767aafcde9be00dcfd098715ebcf7f410daebc582fda69d24a28e9d0bc890d1',
    10000,
  ],
  [
    'testnet',
    '013c01ff0001ffffffffffff03029b2e4c0281c0b02e7c53291a94d1d0cbff8883f8024f5142ee494ffbbd08807121017767aafcde9be00dcfd098715ebcf7f410daebc582fda69d24a28e9d0bc890d1',
    10001,
  ],
  [
    'stagenet',
    '013c01ff0001ffffffffffff0302df5d56da0c7d643ddd1ce61901c7bdc5fb1738bfe39fbe69c28a3a7032729c0f2101168d0c4ca86fb55a4cf6a36d31431be1c53a3bd7411bb24e8832410289fa6f3b',
    10002,
  ],
];

describe('the first block', () => {
  test.each(GENESIS)('of %s follows from its miner transaction', (network, blob, nonce) => {
    const minerTx = parseTransaction(fromHex(blob));
    const header = {
      majorVersion: 1,
      minorVersion: 0,
      timestamp: 0,
      prevHash: bytes32<'Hash'>(new Uint8Array(32), 'Hash'),
      nonce,
    };
    expect(toHex(blockHash({ header, minerTx, txHashes: [] }))).toBe(toHex(GENESIS_HASH[network]));
  });

  it('has the well-known hash of its miner transaction', () => {
    expect(toHex(transactionHash(parseTransaction(fromHex(GENESIS[0]?.[1] ?? ''))))).toBe(
      'c88ce9783b4f11190d7b9c17a69c1c52200f9faaee8e98dd07e6811175177139',
    );
  });
});

describe('a transaction', () => {
  it('of version 1 has a full size that follows from its pruned form', () => {
    fc.assert(
      fc.property(versionOne, (tx) => {
        const pruned = encode(prunedTransaction, tx);
        expect(unprunedSize(decode(prunedTransaction, pruned), pruned.length)).toBe(
          encode(transaction, tx).length,
        );
      }),
    );
  });

  it('of version 1 round-trips, full and pruned', () => {
    fc.assert(
      fc.property(versionOne, (tx) => {
        const bytes = encode(transaction, tx);
        expect(decode(transaction, bytes)).toEqual(tx);
        expect(decode(prunedTransaction, encode(prunedTransaction, tx))).toEqual({
          prefix: tx.prefix,
          signatures: [],
        });
      }),
      { numRuns: 50 },
    );
  });

  it('is parsed or refused with a CodecError or RangeError for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        for (const codec of [transaction, prunedTransaction])
          try {
            decode(codec, bytes);
          } catch (error) {
            expect(error instanceof CodecError || error instanceof RangeError).toBe(true);
          }
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['version 0', '00'],
    ['version 3', '0300000000'],
    ['an unknown input', '0100010500'],
    ['more inputs than bytes', '0100ffffff7f'],
    ['nothing', ''],
  ])('of %s is refused', (_, hex) => {
    expect(() => parseTransaction(fromHex(hex))).toThrow(CodecError);
  });

  test.each([
    [true, 2, 0],
    [true, 4, 460],
    [true, 16, 3430],
    [false, 4, 537],
  ])(
    'with an aggregated range proof pays for verification: plus %s, %i outputs, %i more',
    (plus, outputs, more) => {
      expect(weightClawback(plus, outputs)).toBe(more);
    },
  );
});
