import { beforeAll, describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { chacha20 } from '../../../../src/monero/crypto/chacha.js';
import { cacheKey } from '../../../../src/monero/crypto/kdf.js';
import { ZERO } from '../../../../src/util/amount.js';
import { concatBytes, toHex, utf8 } from '../../../../src/util/bytes.js';
import { CodecError, decode, encode } from '../../../../src/util/codec.js';
import {
  CACHE_MAGIC,
  referenceCache,
  cacheWithWideIndices,
  type ReferenceCache,
} from '../../../../src/monero/wallet/reference-cache/cache.js';
import { openCache } from '../../../../src/monero/wallet/reference-cache/cache-import.js';
import { sealedFile } from '../../../../src/monero/wallet/exchange/sealed-file.js';
import { fullCache, vector, viewOnlyCache } from './vector.js';

let key: Uint8Array;
let plain: Uint8Array;
let cache: ReferenceCache;

const opened = (bytes: Uint8Array): ReferenceCache => {
  const found = openCache(bytes, key);
  if (found === undefined) throw new Error('the key does not fit');
  return found;
};

const sealed = (archive: Uint8Array): Uint8Array => {
  const iv = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
  return encode(sealedFile, { iv, ciphertext: chacha20(key, iv, archive) });
};

beforeAll(async () => {
  key = await cacheKey(vector.password, vector.kdfRounds);
  const { iv, ciphertext } = decode(sealedFile, fullCache);
  plain = chacha20(key, iv, ciphertext);
  cache = decode(referenceCache, plain);
});

describe('a cache of the reference', () => {
  it('is read whole', () => {
    expect(cache.transfers).toHaveLength(6);
    expect(cache.transfers.filter(({ frozen }) => frozen).map(({ keyImage }) => toHex(keyImage))).toEqual([
      vector.frozen.keyImage,
    ]);
    expect(cache.labels).toEqual([['Primary account', 'Zoë', 'Zoë'], ['second']]);
    expect(cache.accountTags).toEqual([[['t', 'a tag']], ['', 't']]);
    expect(cache.attributes).toEqual([['k', 'v']]);
    expect(cache.notes.map(([hash, note]) => [toHex(hash), note])).toEqual([
      [vector.payments.several.txHash, 'a note'],
    ]);
    expect(cache.confirmed.map(([hash]) => toHex(hash)).sort()).toEqual(
      [vector.payments.several.txHash, vector.payments.integrated.txHash].sort(),
    );
    expect(cache.unconfirmed.map(([hash, { state }]) => [toHex(hash), state])).toEqual([
      [vector.payments.pending.txHash, 0],
    ]);
    expect(cache.addressBook.map(({ description }) => description)).toEqual(['plain', 'sub', 'integrated']);
  });

  it('of a view-only wallet is read with its imported key images', () => {
    const { transfers } = opened(viewOnlyCache);
    expect(transfers.map(({ keyImage }) => toHex(keyImage))).toEqual(vector.keyImages);
    expect(transfers.every(({ keyImageKnown }) => keyImageKnown)).toBe(true);
  });

  it('is written as upstream does, later fields after those of the first version', () => {
    const head = concatBytes(CACHE_MAGIC, Uint8Array.of(0));
    expect(plain.subarray(0, head.length)).toEqual(head);
    // Not refreshed yet; then, of the background sync: its version, two 64-bit heights, three varints, a flag.
    const later = new Uint8Array(1 + 1 + 1 + 8 + 1 + 8 + 1 + 1 + 1);
    expect(encode(referenceCache, cache)).toEqual(
      concatBytes(CACHE_MAGIC, Uint8Array.of(2), plain.subarray(head.length), later),
    );
  });

  it('of version 1 is read', () => {
    const between = concatBytes(CACHE_MAGIC, Uint8Array.of(1), plain.subarray(CACHE_MAGIC.length + 1));
    expect(decode(referenceCache, concatBytes(between, Uint8Array.of(1)))).toEqual({
      ...cache,
      everRefreshed: true,
    });
  });

  it('of the newest version is read, transactions of a background sync included', () => {
    const hash = cache.confirmed[0]?.[0] ?? cache.chain.genesis;
    const prefix = cache.transfers[0]?.tx;
    if (prefix === undefined) throw new Error('no transfer');
    const newest: ReferenceCache = {
      ...cache,
      everRefreshed: true,
      backgroundSync: {
        firstRefreshDone: true,
        startHeight: 7,
        txs: [
          [
            hash,
            {
              position: 0,
              tx: { prefix, rct: { base: { type: 0, fee: ZERO, pseudoOuts: [], ecdhInfo: [], outPk: [] } } },
              globalIndices: [3],
              height: 9,
              timestamp: 1_600_000_000,
              doubleSpendSeen: false,
            },
          ],
        ],
        refreshFromHeight: 1,
        lookaheadMajor: 50,
        lookaheadMinor: 200,
        refreshType: 1,
      },
    };
    const bytes = encode(referenceCache, newest);
    expect(encode(referenceCache, decode(referenceCache, bytes))).toEqual(bytes);
    expect(opened(sealed(bytes)).everRefreshed).toBe(true);
  });

  it('is opened without its rings', () => {
    const lean = opened(fullCache);
    expect(lean).toEqual({
      ...cache,
      transfers: cache.transfers.map((found) => ({ ...found, tx: { ...found.tx, inputs: [] } })),
      confirmed: cache.confirmed.map(([hash, paid]) => [hash, { ...paid, tx: undefined, rings: [] }]),
    });
    expect(cache.confirmed[0]?.[1].rings).not.toHaveLength(0);
  });

  it('from macOS with fixed-width output indices is read', () => {
    expect(opened(sealed(encode(cacheWithWideIndices, cache)))).toEqual(opened(fullCache));
  });

  it('under another key is distinguished from a damaged one', () => {
    expect(openCache(fullCache, new Uint8Array(32))).toBeUndefined();
    expect(() => opened(sealed(plain.subarray(0, plain.length - 1)))).toThrow(CodecError);
    expect(() => opened(sealed(concatBytes(plain, Uint8Array.of(0))))).toThrow(CodecError);
  });

  it('of an unknown newer version is refused', () => {
    const future = concatBytes(CACHE_MAGIC, Uint8Array.of(3), plain.subarray(CACHE_MAGIC.length + 1));
    expect(() => opened(sealed(future))).toThrow(/unknown newer version/);
  });

  it('with a note that is not UTF-8 keeps the note without the invalid bytes', () => {
    const at = Buffer.from(plain).indexOf(Buffer.from(utf8('a note')));
    const ill = Uint8Array.from(plain);
    ill[at + 1] = 0xff;
    expect(opened(sealed(ill)).notes.map(([, note]) => note)).toEqual(['a\ufffdnote']);
  });

  test('that is cut short or altered is read or refused with a CodecError', () => {
    const place = fc.integer({ min: CACHE_MAGIC.length, max: plain.length - 1 });
    fc.assert(
      fc.property(
        place,
        fc.oneof(fc.constant(undefined), fc.uint8Array({ minLength: 1, maxLength: 9 })),
        (at, change) => {
          const bytes = Uint8Array.from(change === undefined ? plain.subarray(0, at) : plain);
          if (change !== undefined) bytes.set(change.subarray(0, bytes.length - at), at);
          try {
            decode(referenceCache, bytes);
          } catch (error) {
            expect(error).toBeInstanceOf(CodecError);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
