import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { chacha8, chacha20 } from '../../../../src/monero/crypto/chacha.js';
import { secretKeysKey } from '../../../../src/monero/crypto/kdf.js';
import type { SecretKey } from '../../../../src/monero/crypto/types.js';
import { readKeysFile } from '../../../../src/store/keys/keys-file.js';
import { concatBytes, toHex } from '../../../../src/util/bytes.js';
import { CodecError, decode, encode } from '../../../../src/util/codec.js';
import { BOOST_HEAD } from '../../../../src/monero/wallet/reference-cache/boost-archive.js';
import { readBoostCache } from '../../../../src/monero/wallet/reference-cache/boost-cache.js';
import { referenceCache, type ReferenceCache } from '../../../../src/monero/wallet/reference-cache/cache.js';
import { openCache } from '../../../../src/monero/wallet/reference-cache/cache-import.js';
import { sealedFile } from '../../../../src/monero/wallet/exchange/sealed-file.js';

type Encoded = Readonly<Record<string, string>>;

const vector = JSON.parse(
  readFileSync(new URL('../../../../../test/vectors/wallet/boost-cache.json', import.meta.url), 'utf8'),
) as { readonly release2017: Encoded; readonly made: Encoded };

const bytesOf = (text: string | undefined): Uint8Array => Uint8Array.from(Buffer.from(text ?? '', 'base64'));

const archive = bytesOf(vector.made.archive);

/** A cache as a Boost archive holds it: without the transactions of mined payments. */
const withoutPaidTxs = (cache: ReferenceCache): ReferenceCache => ({
  ...cache,
  confirmed: cache.confirmed.map(([hash, paid]) => [hash, { ...paid, tx: undefined }]),
});

describe('a cache of a release of 2017', () => {
  let key: Uint8Array;
  let cache: ReferenceCache;

  beforeAll(async () => {
    const { keys, password = '', cache: file } = vector.release2017;
    const { viewSecret, spendSecret } = await readKeysFile(bytesOf(keys), password, 1, 'old');
    key = await secretKeysKey(viewSecret, spendSecret ?? (new Uint8Array(32) as SecretKey));
    const opened = openCache(bytesOf(file), key);
    if (opened === undefined) throw new Error('the key does not fit');
    cache = opened;
  });

  it('is read with the same content as upstream reads', () => {
    expect(cache.chain.hashes.map(toHex)).toEqual([
      '48ca7cd3c8de5b6a4d53d2861fbdaedca141553559f9be9520068053cda8430b',
    ]);
    expect(toHex(cache.address.spendPublicKey)).toBe(
      '13daa2af00ad26a372d317195de0bdd716f7a05d33bc4d7aff1664b6ee93c060',
    );
    expect(cache.transfers.map(({ keyImage }) => toHex(keyImage))).toEqual([
      'c5680d3735b90871ca5e3d90cd82d6483eed1151b9ab75c2c8c3a7d89e00a5a8',
      'd54cbd435a8d636ad9b01b8d4f3eb13bd0cf1ce98eddf53ab1617f9b763e66c0',
      '6c3cd6af97c4070a7aef9b1344e7463e29c7cd245076fdb65da447a34da3ca76',
    ]);
    expect(Object.fromEntries(cache.txKeys.map(([hash, secret]) => [toHex(hash), toHex(secret)]))).toEqual({
      b9aac8c020ab33859e0c0b6331f46a8780d349e7ac17b067116e2d87bf48daad:
        'bf3614c6de1d06c09add5d92a5265d8c76af706f7bc6ac830d6b0d109aa87701',
      '6e7013684d35820f66c6679197ded9329bfe0e495effa47e7b25258799858dba':
        'e556884246df5a787def6732c6ea38f1e092fa13e5ea98f732b99c07a6332003',
    });
    expect(cache.payments.map(([, { amount, height }]) => [amount, height]).sort()).toEqual([
      [1200000000000n, 818522],
      [13400845012231n, 818424],
    ]);
    expect(Object.fromEntries(cache.notes.map(([hash, note]) => [toHex(hash), note]))).toEqual({
      '15024343b38e77a1a9860dfed29921fa17e833fec837191a6b04fa7cb9605b8e': 'sample note',
      '6e7013684d35820f66c6679197ded9329bfe0e495effa47e7b25258799858dba': 'sample note 2',
    });
    expect(cache.addressBook.map(({ description }) => description)).toEqual(['testnet wallet 9y52S6']);
    expect(cache.confirmed).toHaveLength(1);
  });

  it('may be encrypted with ChaCha20 as well', () => {
    const { iv, ciphertext } = decode(sealedFile, bytesOf(vector.release2017.cache));
    const again = chacha20(key, iv, chacha8(key, iv, ciphertext));
    expect(openCache(encode(sealedFile, { iv, ciphertext: again }), key)).toEqual(cache);
  });
});

describe("an archive of Boost's that fills every field", () => {
  it('reads as the same cache as the binary archive', () => {
    const fromBoost = readBoostCache(bytesOf(vector.made.boost30));
    expect(fromBoost).toEqual(withoutPaidTxs(decode(referenceCache, archive)));
    expect(fromBoost.transfers[1]?.multisigInfo).toHaveLength(1);
  });

  it('of the version before lacks one flag', () => {
    expect(readBoostCache(bytesOf(vector.made.boost29))).toEqual({
      ...readBoostCache(bytesOf(vector.made.boost30)),
      everRefreshed: false,
    });
  });
});

test.each(['archive', 'archiveWithBackgroundSync'])(
  'the binary %s of version 2 is read, and written back as it was',
  (name) => {
    const bytes = bytesOf(vector.made[name]);
    const cache = decode(referenceCache, bytes);
    expect(encode(referenceCache, cache)).toEqual(bytes);
    expect(cache.backgroundSync.txs).toHaveLength(name === 'archive' ? 0 : 1);
  },
);

describe('a Boost archive', () => {
  const plain = bytesOf(vector.made.boost30);

  test.each([
    ['of a big-endian machine', Uint8Array.from(plain, (byte, i) => (i === 25 ? 0x40 : byte))],
    ['with bytes left over', concatBytes(plain, Uint8Array.of(0))],
    ['cut short', plain.slice(0, -1)],
    ['from before 2015', Uint8Array.from(plain, (byte, i) => (i === 28 ? 8 : byte))],
    ['without a signature', plain.slice(BOOST_HEAD.length)],
  ])('%s is refused', (_, bytes) => {
    expect(() => readBoostCache(bytes)).toThrow(CodecError);
  });

  test('that is altered is read or refused with a CodecError', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: BOOST_HEAD.length, max: plain.length - 1 }),
        fc.oneof(fc.constant(undefined), fc.uint8Array({ minLength: 1, maxLength: 9 })),
        (at, change) => {
          const bytes = Uint8Array.from(change === undefined ? plain.subarray(0, at) : plain);
          if (change !== undefined) bytes.set(change.subarray(0, bytes.length - at), at);
          try {
            readBoostCache(bytes);
          } catch (error) {
            expect(error).toBeInstanceOf(CodecError);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});
